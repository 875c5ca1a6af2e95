"""Labelled pages are the pages of a web whose topics are known, cut as the topic cuts them."""

from __future__ import annotations

import json
from contextlib import closing

from benchmarks.quality.labelled_pages import missing_pages, own_words_of, page_labels, pages_of
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.synthetic.web import SyntheticWeb

MADE = "pages=216,hosts=3,seed=2"


def write(path, records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def test_labels_of_pages_with_known_topics_are_kept(tmp_path):
    records = [
        {"url": "http://a.example/1.html", "kind": "page", "topics": ["tourism"]},
        {"url": "http://a.example/旅游.html", "kind": "page", "topics": []},
        {"url": "http://a.example/3.html", "kind": "page", "topics": None},
        {"url": "http://a.example/list/", "kind": "topic-list", "topics": ["tourism"]},
        {"url": "http://a.example/", "kind": "list", "topics": None},
    ]
    assert page_labels(write(tmp_path / "labels.jsonl", records)) == {
        "http://a.example/1.html": ("tourism",),
        "http://a.example/%E6%97%85%E6%B8%B8.html": (),
    }


def test_pages_come_in_the_order_of_their_labels_with_words_and_topics(tmp_path):
    truths = dict(SyntheticWeb.read(MADE).labels())
    records = [{"url": url, "kind": one.kind, "topics": list(one.topics)} for url, one in truths.items()]
    labels = page_labels(write(tmp_path / "labels.jsonl", [*reversed(records)]))
    labels["http://nowhere.example/"] = ()
    with closing(open_archived_web(f"made:{MADE}", "rjieba", cache=tmp_path)) as web:
        pages = list(pages_of(web, labels))
    known = [url for url in reversed(truths) if truths[url].kind == "page"]
    assert [page.url for page in pages] == [url for url in known if url in {page.url for page in pages}]
    assert len(pages) > 0.9 * len(known)
    assert all(page.topics == tuple(truths[page.url].topics) for page in pages)
    assert all(page.features.body_words for page in pages)


def test_own_words_are_those_of_the_topic():
    words = own_words_of("tourism")
    assert "旅游" in words
    assert words == own_words_of("tourism")
    assert words != own_words_of("food")


def test_what_is_missing_is_named(tmp_path):
    (tmp_path / "sites-dev.warc").touch()
    assert missing_pages(tmp_path).startswith("no sites-dev.labels.jsonl in ")
    (tmp_path / "sites-dev.labels.jsonl").touch()
    assert missing_pages(tmp_path) == ""
