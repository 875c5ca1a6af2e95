"""Measures the page judge on labelled titles and pages, without labels of theirs: average precision, and F1 at the default threshold.

    python -m benchmarks.quality.relevance [--only names|titles|pages] [--labels 50]

The corpora are in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; what is not there is skipped, and said. ``name``: of the topic's
file only its title is given. Beside the figures stand the targets.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.quality import labelled_pages, labelled_titles
from benchmarks.quality.labelled_titles import average_precision, f1_at
from topicspider.relevance.judgement import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.text.segment import make_segmenter
from topicspider.topic.compiling import compile_topic
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic
from topicspider.topic.profile import Topic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.text.segment import Segmenter

SCORERS = ("vsm", "a4bc", "bm25")
TIERS = ("lite", "standard")
NAME_ONLY = Path(__file__).parent / "name_only"
NAMES = {"archaeology": "考古", "new_energy_vehicles": "新能源汽车", "tea": "茶叶"}


class Figures(NamedTuple):
    """Of one topic: average precision, and F1 at the default threshold."""

    ap: float
    f1: float


def of_titles(label: str, scorer: str, tier: str, *, name_only: bool = False, alone: bool = False) -> Figures:
    """All titles judged for the topic of ``label``; ``alone``: none teaches another (the prior)."""
    rows = labelled_titles.labelled_titles()
    segmenter = make_segmenter("rjieba")
    topic = load_topic(str(labelled_titles.topic_file(label)))
    profile = learn(_named(topic) if name_only else topic, segmenter)
    judge = PageJudge(profile, scorer, model=compile_topic(profile, tier))
    return _figures(
        judge,
        [PageWords(tuple(segmenter.words(row.title))) for row in rows],
        [row.label == label for row in rows],
        alone,
    )


def of_pages(topic: str, scorer: str, tier: str, *, alone: bool = False, labels: int = 0) -> Figures:
    """All pages judged for ``topic``; ``labels``: of so many of them (every n-th of each kind) the truth is told, and they are not counted."""
    pages = labelled_pages.labelled_pages(topic)
    segmenter = make_segmenter("rjieba")
    profile = learn(load_topic(topic), segmenter)
    words = [PageWords(page.features.title_words, page.features.body_words) for page in pages]
    truth = [topic in page.topics for page in pages]
    told = _told(truth, labels)
    judge = PageJudge(profile, scorer, model=compile_topic(profile, tier), labels=[(words[n], truth[n]) for n in told])
    rest = [n for n in range(len(pages)) if n not in told]
    return _figures(judge, [words[n] for n in rest], [truth[n] for n in rest], alone)


def of_names() -> dict[str, float]:
    """Of the texts on and off three topics that have only a name, the share that is judged right, each text by itself."""
    shares = {}
    for file in sorted(NAME_ONLY.glob("*.jsonl")):
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        name = NAMES[file.stem]
        segmenter = make_segmenter("rjieba")
        profile = learn(Topic(name=file.stem, title={"zh": name}), segmenter)
        judge = PageJudge(profile, "learned", model=compile_topic(profile))
        right = [judge.judge(_words_of(record, segmenter)).on_topic is record["on_topic"] for record in records]
        shares[name] = mean(right)
    return shares


def _words_of(record: dict[str, Any], segmenter: Segmenter) -> PageWords:
    return PageWords(tuple(segmenter.words(record["title"])), tuple(segmenter.words(record["body"])))


def _figures(judge: PageJudge, words: Sequence[PageWords], truth: Sequence[bool], alone: bool) -> Figures:
    scores = [judge.judge(one) for one in words] if alone else judge.judge_all(words)
    values = [score.value for score in scores]
    return Figures(average_precision(values, truth), f1_at(judge.threshold, values, truth))


def _told(truth: Sequence[bool], count: int) -> set[int]:
    """Half of them on topic, half off, spread evenly."""
    told: set[int] = set()
    for kind in (True, False):
        places = [n for n, mark in enumerate(truth) if mark is kind]
        told.update(places[:: max(1, 2 * len(places) // count)][: count // 2] if count else ())
    return told


def _named(topic: Topic) -> Topic:
    return replace(topic, terms={}, texts=(), synonyms={}, negative={})


def _titles() -> None:
    print(f"{'titles':34}{'AP tuned':>10}{'held out':>10}{'all 14':>10}{'F1':>8}   target")
    for scorer in SCORERS:
        _title_line(scorer, lambda label, scorer=scorer: of_titles(label, scorer, "lite"), "")
    for tier, target in zip(TIERS, ("bm25 + .05", "AP .70, F1 .68"), strict=True):
        _title_line(
            f"learned {tier}, prior alone", lambda label, tier=tier: of_titles(label, "learned", tier, alone=True), ""
        )
        _title_line(f"learned {tier}", lambda label, tier=tier: of_titles(label, "learned", tier), target)
    _title_line(
        "learned standard, name alone",
        lambda label: of_titles(label, "learned", "standard", name_only=True),
        ".9 of that",
    )


def _title_line(name: str, figures: Callable[[str], Figures], target: str) -> None:
    found = [figures(label) for label in labelled_titles.LABELS]
    tuned = len(labelled_titles.TUNED)
    aps = [one.ap for one in found]
    cells = (mean(aps[:tuned]), mean(aps[tuned:]), mean(aps))
    print(
        f"{name:34}" + "".join(f"{cell:10.3f}" for cell in cells) + f"{mean(one.f1 for one in found):8.3f}   {target}",
        flush=True,
    )


def _names() -> None:
    shares = ", ".join(f"{name} {share:.3f}" for name, share in of_names().items())
    print(f"texts judged right by a name alone: {shares}   target .90 each\n", flush=True)


def _pages(labels: int) -> None:
    print(
        f"\n{'pages: AP / F1':34}"
        + "".join(f"{topic:>16}" for topic in labelled_pages.TOPICS)
        + f"{'mean':>16}   target"
    )
    for scorer in SCORERS:
        _page_line(scorer, lambda topic, scorer=scorer: of_pages(topic, scorer, "lite"), "")
    for tier in TIERS:
        _page_line(
            f"learned {tier}, prior alone", lambda topic, tier=tier: of_pages(topic, "learned", tier, alone=True), ""
        )
        _page_line(f"learned {tier}", lambda topic, tier=tier: of_pages(topic, "learned", tier), "AP .85, F1 .78")
    _page_line(
        f"learned, {labels} labels", lambda topic: of_pages(topic, "learned", "standard", labels=labels), "AP .88"
    )


def _page_line(name: str, figures: Callable[[str], Figures], target: str) -> None:
    found = [figures(topic) for topic in labelled_pages.TOPICS]
    found.append(Figures(mean(one.ap for one in found), mean(one.f1 for one in found)))
    print(
        f"{name:34}" + "".join(f"{one.ap:9.3f} / {one.f1:4.3f}".rjust(16) for one in found) + f"   {target}", flush=True
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("names", "titles", "pages"))
    parser.add_argument("--labels", type=int, default=50)
    options = parser.parse_args()
    for kind, missing, show in (
        ("names", "", _names),
        ("titles", labelled_titles.missing_titles(), _titles),
        ("pages", labelled_pages.missing_pages(), lambda: _pages(options.labels)),
    ):
        if options.only in (None, kind):
            print(f"skipped: {missing}") if missing else show()


if __name__ == "__main__":
    main()
