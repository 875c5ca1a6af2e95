"""Reads the labelled titles by which judges of short texts are measured, and computes how good a ranking or a threshold is.

The titles are in titles-dev.tsv (label, title, keywords) in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora. Weights and
thresholds are chosen on the labels of TUNED; HELD_OUT only confirms them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.extraction import corpora

LABELS = (
    "agriculture",
    "car",
    "culture",
    "edu",
    "entertainment",
    "finance",
    "game",
    "house",
    "military",
    "sports",
    "story",
    "tech",
    "travel",
    "world",
)
"""The labels with enough titles, sorted. One with fewer (stock) is not measured; its titles are off topic for all others."""
TUNED = LABELS[:6]
HELD_OUT = LABELS[6:]
_TOPICS = Path(__file__).parent / "relevance_topics"
_FILE = "titles-dev.tsv"


class LabelledTitle(NamedTuple):
    """One title and the label that its publisher gave it."""

    label: str
    title: str


def missing_titles() -> str:
    """The line that says why nothing can be measured; "" when the titles are there."""
    return (
        "" if (corpora() / _FILE).is_file() else f"no {_FILE} in {corpora()}: set TOPICSPIDER_CORPORA to measure titles"
    )


def labelled_titles() -> list[LabelledTitle]:
    """Every title in the order of the file; without the file OSError (see missing_titles)."""
    lines = (corpora() / _FILE).read_text(encoding="utf-8", errors="replace").split("\n")
    cells = (line.split("\t") for line in lines)
    return [LabelledTitle(row[0], row[1]) for row in cells if len(row) >= 2]


def topic_file(label: str) -> Path:
    """The path of a label's topic file, for load_topic. It has terms only, written before anything was measured with them."""
    return _TOPICS / f"{label}.yaml"


def average_precision(scores: Sequence[float], relevant: Sequence[bool]) -> float:
    """Average precision of the ranking by ``scores``, highest first; 0.0 when nothing is relevant.

    Titles of equal score have no order: the result is the mean over all their possible orders, so that neither the order of the
    file nor chance counts. Raises ValueError when there are not as many scores as marks.
    """
    total = sum(relevant)
    if not total:
        return 0.0
    ranked = sorted(zip(scores, map(bool, relevant), strict=True), key=itemgetter(0), reverse=True)
    before, found, area = 0, 0, 0.0
    for _score, group in groupby(ranked, key=itemgetter(0)):
        marks = [is_relevant for _, is_relevant in group]
        area += _expected(before, found, len(marks), sum(marks))
        before += len(marks)
        found += sum(marks)
    return area / total


def _expected(before: int, found: int, size: int, relevant: int) -> float:
    """What ``size`` titles of one score, ``relevant`` of which are relevant, add after ``before`` titles, of which ``found`` are.

    At each place of the group a title is relevant with probability relevant/size, and if it is, so are (relevant - 1)/(size - 1) of the
    other places.
    """
    if not relevant:
        return 0.0
    others = (relevant - 1) / (size - 1) if size > 1 else 0.0
    return sum((found + 1 + place * others) / (before + place + 1) for place in range(size)) * relevant / size


def f1_at(threshold: float, scores: Sequence[float], relevant: Sequence[bool]) -> float:
    """F1 when titles with scores above 0 and at least ``threshold`` are taken, as by a page judge; 0.0 when no right one is."""
    taken = [score > 0.0 and score >= threshold for score in scores]
    right = sum(one and mark for one, mark in zip(taken, relevant, strict=True))
    return 2 * right / (sum(taken) + sum(relevant)) if right else 0.0
