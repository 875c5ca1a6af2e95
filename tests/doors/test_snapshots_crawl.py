"""A crawl that keeps snapshots: hits (or all pages) lie in a WARC file, found by the place in their items."""

from __future__ import annotations

import json

import pytest

from support.crawling import crawl, items, scrapy
from support.site import small_web, travel_web
from topicspider.rehearsal.archive.warc import WarcWeb
from topicspider.store.snapshots import read_snapshot

SEED = "http://w0.example/p0.html"


@pytest.mark.parametrize("kept", ["hits", "all"])
def test_pages_are_kept_as_they_came(tmp_path, kept):
    pages = travel_web()
    with small_web(pages) as web:
        ended = crawl(tmp_path, web.proxy, "-s", f"TOPICSPIDER_SNAPSHOTS={kept}", "-O", "hits.jsonl", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    folder = tmp_path / "data" / "tourism"
    hits = items(tmp_path / "hits.jsonl")
    assert hits
    for item in hits:
        assert read_snapshot(folder, item["snapshot"]).body == pages[item["url"]].payload
    read = scrapy(["read", "--snapshot", "--json", hits[0]["url"]], tmp_path)
    assert (read.exit_code, json.loads(read.out)["title"]) == (0, hits[0]["title"]), read.err
    missing = scrapy(["read", "--snapshot", "http://w9.example/"], tmp_path)
    assert (missing.exit_code, "TOPICSPIDER_SNAPSHOTS" in missing.err) == (2, True)
    (path,) = (folder / "snapshots").iterdir()
    recorded = {url for url in pages if WarcWeb(path).find(url) is not None}
    assert recorded == (set(pages) if kept == "all" else {item["url"] for item in hits})


def test_without_the_setting_nothing_is_kept(tmp_path):
    with small_web(travel_web()) as web:
        assert crawl(tmp_path, web.proxy, "-O", "hits.jsonl", seeds=SEED).exit_code == 0
    assert not (tmp_path / "data" / "tourism" / "snapshots").exists()
    assert {item["snapshot"] for item in items(tmp_path / "hits.jsonl")} == {""}
