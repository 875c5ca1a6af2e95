"""The page judge is measured as it is used: labels where `topics tune` asks for them, and kinds of the gate that name what they lack."""

from __future__ import annotations

import json

import pytest

from benchmarks.quality import relevance
from benchmarks.quality.floors import Section
from benchmarks.quality.measuring import Bench, measure, missing
from topicspider.errors import ConfigError
from topicspider.relevance.interfaces import PageScore

SCORES = [PageScore(n / 200, n >= 70, 0.35, {}) for n in range(200)]


def test_labels_are_told_where_a_user_would_be_asked_for_them():
    told = relevance.asked_about(SCORES, 50)
    assert len(told) == 50
    near = {n for n in told if 38 <= n < 102}  # a quarter of the hits, and as many misses
    assert len(near) == 30
    assert min(told) < 38
    assert max(told) >= 102


def test_the_same_labels_are_told_each_time():
    assert relevance.asked_about(SCORES, 20) == relevance.asked_about(SCORES, 20)
    assert relevance.asked_about(SCORES, 300) == set(range(200))


def test_names_are_measured_on_texts_that_are_in_the_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(relevance, "of_names", lambda: {"茶叶": 0.80004, "考古": 0.85})
    section = Section("relevance/names", {"kind": "names"}, {"right": 0.025}, {}, {})
    assert missing(section, tmp_path) == []
    measured = measure(section, Bench(tmp_path, None, 1), print)
    assert measured.figures == {"茶叶": {"right": 0.8}, "考古": {"right": 0.85}}
    assert set(measured.digest) == {"labels"}


@pytest.mark.parametrize(
    ("folder", "names", "each"),
    [
        (relevance.NAME_ONLY, relevance.NAMES, 20),
        (relevance.NAME_ONLY_DEV, relevance.DEVELOPED, 15),
        (relevance.NAME_ONLY_DEV, relevance.CONFIRMED, 10),
    ],
)
def test_each_name_has_as_many_texts_on_it_as_off_it(folder, names, each):
    for file in names:
        marks = [json.loads(line)["on_topic"] for line in (folder / f"{file}.jsonl").read_text("utf-8").splitlines()]
        assert (marks.count(True), marks.count(False)) == (each, each)


@pytest.mark.parametrize(
    ("name", "on", "off"),
    [("乡村旅游", "山村民宿住满游客", "量子力学入门"), ("travel", "Hotels and travel tips", "编译器 memory")],
)
def test_a_name_judges_texts_each_by_itself(tmp_path, name, on, off):
    file = tmp_path / "texts.jsonl"
    texts = [{"title": on, "body": "", "on_topic": True}, {"title": off, "body": "", "on_topic": False}]
    file.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    assert relevance.judged_by_name(file, name) == (1.0, 1.0)
    file.write_text("".join(json.dumps(text | {"on_topic": not text["on_topic"]}) + "\n" for text in texts), "utf-8")
    assert relevance.judged_by_name(file, name) == (0.0, 0.5)


def test_titles_are_measured_by_tier_as_means_over_the_labels(tmp_path, monkeypatch):
    (tmp_path / "titles.tsv").write_text("food\t小笼包\n", encoding="utf-8")
    asked = []

    def of_titles(label, scorer, tier, *, every):
        asked.append((scorer, tier, every))
        good = relevance.Figures(0.9, 0.8) if tier == "standard" else relevance.Figures(0.5, 0.4)
        return relevance.Judged(good, relevance.Figures(0.0, 0.0))

    monkeypatch.setattr(relevance, "of_titles", of_titles)
    plan = {"kind": "titles", "labels": "titles.tsv", "every": 5, "tiers": ["lite", "standard"]}
    measured = measure(Section("relevance/titles", plan, {}, {}, {}), Bench(tmp_path, None, 1), print)
    assert measured.figures == {"lite": {"ap": 0.5, "f1": 0.4}, "standard": {"ap": 0.9, "f1": 0.8}}
    assert set(measured.digest) == {"labels", "plan", "topics"}
    assert set(asked) == {("learned", "lite", 5), ("learned", "standard", 5)}


def test_pages_are_measured_by_topic_and_on_the_whole(tmp_path, monkeypatch):
    for name in ("web.warc", "labels.jsonl"):
        (tmp_path / name).write_bytes(b"")
    found = iter([0.9, 0.6, 0.9])
    monkeypatch.setattr(
        relevance,
        "of_pages",
        lambda *_arguments, **_named: relevance.Judged(relevance.Figures(next(found), 0.5), relevance.Figures(0, 0)),
    )
    plan = {"kind": "pages", "web": "web.warc", "labels": "labels.jsonl", "every": 3}
    measured = measure(Section("relevance/pages", plan, {}, {}, {}), Bench(tmp_path, None, 1), print)
    assert measured.figures["food"] == {"ap": 0.6, "f1": 0.5}
    assert measured.figures["mean"] == {"ap": 0.8, "f1": 0.5}
    assert set(measured.digest) == {"web", "labels", "plan"}


def test_a_plan_that_lacks_something_names_it_and_titles_that_are_not_there_are_missing(tmp_path):
    section = Section("relevance/titles", {"kind": "titles", "labels": "titles.tsv"}, {}, {}, {})
    assert missing(section, tmp_path) == [tmp_path / "titles.tsv"]
    with pytest.raises(ConfigError, match="every"):
        measure(section, Bench(tmp_path, None, 1), print)
