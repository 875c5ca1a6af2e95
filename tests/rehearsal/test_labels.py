"""Who judges: labels, a made web's truth, and another scorer when there is nothing better."""

from __future__ import annotations

import json

import pytest

from tests.rehearsal.small_archives import SmallArchive, page, redirect
from topicspider.errors import ConfigError
from topicspider.rehearsal.evaluation.labels import Verdict, labels_of_file, labels_of_scorer, labels_of_truth
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic

HOME = "http://a.example/"
WEB = SmallArchive(
    page(HOME),
    page("http://a.example/%E9%BB%84%E5%B1%B1"),
    page("http://a.example/stocks"),
    page("http://a.example/tag"),
    redirect("http://a.example/old", HOME),
)
LABELS = [
    {"url": HOME, "kind": "list", "topics": None},
    {"url": "http://A.example/黄山?utm_source=x#top", "kind": "page", "topics": ["tourism", "food"]},
    {"url": "http://a.example/stocks", "topics": []},
    {"url": "http://a.example/tag", "kind": "topic-list", "topics": ["tourism"]},
    {"url": "http://a.example/old", "kind": "redirect", "topics": None},
    {"url": "http://elsewhere.example/", "kind": "page", "topics": ["tourism"]},
]


@pytest.fixture
def write(tmp_path):
    def write(lines, name="标注.jsonl", start=b""):
        path = tmp_path / name
        text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
        path.write_bytes(start + text.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("url", "verdict"),
    [
        ("http://a.example/%E9%BB%84%E5%B1%B1", Verdict.HIT),
        ("http://a.example/stocks", Verdict.MISS),
        (HOME, Verdict.NEITHER),
        ("http://a.example/tag", Verdict.NEITHER),
        ("http://a.example/old", Verdict.NEITHER),
        ("http://a.example/never-heard-of", Verdict.NEITHER),
    ],
)
def test_pages_are_hits_or_misses_and_everything_else_is_neither(write, url, verdict):
    assert labels_of_file(write(LABELS), "tourism", WEB).verdict(url) is verdict


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_targets_are_the_hits_within_the_web(write, start):
    judge = labels_of_file(write([*LABELS, "", "  "], start=start), "tourism", WEB)
    assert judge.targets() == {"http://a.example/%E9%BB%84%E5%B1%B1"}
    assert (judge.name, judge.is_evidence) == ("标注.jsonl", True)


@pytest.mark.parametrize(
    ("lines", "topic", "words"),
    [
        ([*LABELS, "{"], "tourism", ["jsonl:7", "a line of JSON"]),
        ([*LABELS, "[" * 100_000], "tourism", ["jsonl:7", "a line of JSON"]),
        (["[]"], "tourism", ["jsonl:1", '"url"']),
        ([{"kind": "page"}], "tourism", ["jsonl:1", '"url"']),
        ([{"url": 7}], "tourism", ["jsonl:1", '"url"']),
        ([{"url": HOME, "topics": "tourism"}], "tourism", ["jsonl:1", '"topics": a list']),
        ([LABELS[-1]], "tourism", ["小网", "None of its 1 URLs", "http://elsewhere.example/"]),
        ([], "tourism", ["None of its 0 URLs"]),
        (LABELS, "sport", ["sport", "food (1), tourism (1)"]),
        (LABELS[2:3], "体育", ["体育", "none."]),
    ],
)
def test_bad_labels_are_one_clear_line(write, lines, topic, words):
    with pytest.raises(ConfigError) as caught:
        labels_of_file(write(lines), topic, WEB)
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text


def test_a_label_of_a_redirect_is_the_pages_unless_it_has_its_own(write):
    mountain, old = "http://a.example/%E9%BB%84%E5%B1%B1", "http://a.example/旧"
    canonical = "http://a.example/%E6%97%A7"
    web = SmallArchive(page(HOME, mountain), page(mountain, HOME), redirect(canonical, mountain))
    label = {"url": old, "topics": ["tourism"]}
    found = labels_of_file(write([label, {"url": HOME, "topics": []}]), "tourism", web)
    assert (found.targets(), found.unmatched) == ({mountain}, 0)
    assert found.verdict(canonical) is Verdict.NEITHER
    own = labels_of_file(write([{"url": mountain, "topics": ["food"]}, label]), "food", web)
    assert own.targets() == {mountain}


def test_a_made_web_judges_by_its_truth_as_labels_would():
    web = SyntheticWeb.read("pages=600,hosts=6,seed=2")
    judge = labels_of_truth(web, "tourism")
    for url, truth in web.labels():
        expected = Verdict.NEITHER
        if truth.kind == "page":
            expected = Verdict.HIT if "tourism" in truth.topics else Verdict.MISS
        assert judge.verdict(url) is expected
        assert (url in judge.targets()) == (expected is Verdict.HIT)
    assert judge.verdict("http://nowhere.example/") is Verdict.NEITHER
    assert judge.digest != labels_of_truth(SyntheticWeb.read("pages=600,hosts=6,seed=3"), "tourism").digest
    assert judge.is_evidence


def test_a_topic_that_no_made_page_has_is_an_error_that_names_those_there_are():
    with pytest.raises(ConfigError, match="tourism"):
        labels_of_truth(SyntheticWeb.read("pages=600,hosts=6,seed=2"), "钓鱼")


PROFILE = learn(load_topic("tourism"), make_segmenter())
TRAVEL = page("http://b.example/1", title=("黄山", "旅游"), body=("旅游", "景点", "门票", "旅行社", "导游") * 4)
MONEY = page("http://b.example/2", title=("股票",), body=("股票", "上涨", "指数") * 6)


def test_without_labels_another_scorer_judges_what_can_be_read():
    web = SmallArchive(TRAVEL, MONEY, redirect("http://b.example/3", TRAVEL.url))
    judge = labels_of_scorer(PROFILE, "vsm", web)
    assert judge.targets() == {TRAVEL.url}
    assert [judge.verdict(f"http://b.example/{i}") for i in (1, 2, 3, 4)] == ["hit", "miss", "neither", "neither"]


def test_a_web_without_a_page_on_the_topic_is_one_clear_line():
    with pytest.raises(ConfigError, match="By bm25 no page there is on it"):
        labels_of_scorer(PROFILE, "vsm", SmallArchive(MONEY))
