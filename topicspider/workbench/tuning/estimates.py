"""What a few labels say of all pages: precision and recall by threshold, the best threshold, the harvest to expect."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from topicspider.workbench.tuning.sample import Stratum

REPLICATES = 400
DRAWS = 2000
CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Judged:
    """One labelled page: it stands for ``weight`` pages."""

    score: float
    on_topic: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold would have kept, as the labels tell; precision None when they say nothing of what it keeps."""

    threshold: float
    precision: float | None
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = (self.precision or 0.0) + self.recall
        return 2.0 * (self.precision or 0.0) * self.recall / total if total > 0.0 else 0.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with the bounds that it lies in with a probability of CONFIDENCE."""

    expected: float
    low: float
    high: float


def weighed(strata: Sequence[Stratum], labels: Mapping[str, bool]) -> list[Judged]:
    """Each labelled page with the number of pages it stands for.

    A stratum without a label joins the next one that has some (the one before, at the end): its pages must be spoken for by somebody.
    """
    judged: list[Judged] = []
    waiting = 0
    for stratum in strata:
        found = [page for page in stratum if page.url in labels]
        if not found:
            waiting += len(stratum)
            continue
        weight = (len(stratum) + waiting) / len(found)
        judged += [Judged(page.relevance, labels[page.url], weight) for page in found]
        waiting, last = 0, len(found)
    if waiting and judged:
        judged = [*judged[:-last], *(_heavier(one, waiting / last) for one in judged[-last:])]
    return judged


def _heavier(one: Judged, more: float) -> Judged:
    return Judged(one.score, one.on_topic, one.weight + more)


def point(judged: Sequence[Judged], threshold: float) -> Point:
    """Precision and recall at ``threshold``."""
    kept = sum(one.weight for one in judged if one.score >= threshold)
    right = sum(one.weight for one in judged if one.on_topic and one.score >= threshold)
    wanted = sum(one.weight for one in judged if one.on_topic)
    return Point(threshold, right / kept if kept else None, right / wanted if wanted else 0.0)


def thresholds_between(judged: Sequence[Judged]) -> list[float]:
    """Every threshold that tells two labelled pages apart: half-way between two scores, rising."""
    scores = sorted({one.score for one in judged})
    return [round((low + high) / 2.0, 6) for low, high in pairwise(scores)]


def best_threshold(judged: Sequence[Judged], current: float, seed: int = 0) -> float | None:
    """The threshold of the highest F1; None when the labels are all alike, and tell nothing of it.

    The best on twenty labels is often the best by chance. So F1 is averaged over REPLICATES samples of the same labels with weights drawn
    anew (the Bayesian bootstrap), which makes it a smooth hill; on level ground what is nearest to ``current`` wins.
    """
    if len({one.on_topic for one in judged}) < 2:
        return None
    rng = random.Random(seed)
    ranked = sorted(judged, key=lambda one: -one.score)
    kept = {threshold: sum(one.score >= threshold for one in ranked) for threshold in thresholds_between(judged)}
    kept[current] = sum(one.score >= current for one in ranked)
    totals = [0.0] * (len(ranked) + 1)
    for _ in range(REPLICATES):
        for count, f1 in enumerate(_f1_of_first(ranked, [one.weight * rng.expovariate(1.0) for one in ranked])):
            totals[count] += f1
    best = max(totals[count] for count in kept.values())
    level = [threshold for threshold, count in kept.items() if totals[count] >= best - 1e-9 * REPLICATES]
    return min(level, key=lambda threshold: (abs(threshold - current), threshold))


def _f1_of_first(ranked: Sequence[Judged], weights: Sequence[float]) -> list[float]:
    """F1 = 2 · right / (kept + wanted) when the first 0, 1, 2, … of ``ranked`` are kept."""
    wanted = sum(weight for one, weight in zip(ranked, weights, strict=True) if one.on_topic)
    found = [0.0]
    kept = right = 0.0
    for one, weight in zip(ranked, weights, strict=True):
        kept += weight
        right += weight * one.on_topic
        found.append(2.0 * right / (kept + wanted) if kept + wanted else 0.0)
    return found


def harvest(strata: Sequence[Stratum], labels: Mapping[str, bool], threshold: float, seed: int = 0) -> Interval:
    """How many of all pages are kept at ``threshold`` and on topic.

    In each stratum y of n labelled pages that are kept were on topic, and y / n of all that it keeps are expected to be. For the bounds its
    share is drawn from Beta(y + ½, n - y + ½), Jeffreys' prior. A stratum that was not asked about borrows the answers of all. On made
    pages the bounds of 90 % held the truth in 88 to 95 samples of 100; in 73 where 99 of 100 kept pages were right.
    """
    counts = [_kept(stratum, labels, threshold) for stratum in strata]
    everywhere = (sum(yes for _, yes, _ in counts), sum(asked for _, _, asked in counts))
    rng = random.Random(seed)
    draws = sorted(sum(_draw(one, everywhere, rng) for one in counts) for _ in range(DRAWS))
    outside = round(DRAWS * (1.0 - CONFIDENCE) / 2.0)
    expected = sum(_expected(one, everywhere) for one in counts)
    return Interval(expected, min(draws[outside], expected), max(draws[-1 - outside], expected))


def _expected(counts: tuple[int, int, int], everywhere: tuple[int, int]) -> float:
    kept, yes, asked = counts
    total_yes, total = (yes, asked) if asked else everywhere
    return kept * total_yes / total if total else 0.0


def _kept(stratum: Stratum, labels: Mapping[str, bool], threshold: float) -> tuple[int, int, int]:
    """Pages kept, and of the labelled among them those on topic, and all."""
    kept = [page.url for page in stratum if page.relevance >= threshold]
    answers = [labels[url] for url in kept if url in labels]
    return len(kept), sum(answers), len(answers)


def _draw(counts: tuple[int, int, int], everywhere: tuple[int, int], rng: random.Random) -> float:
    kept, yes, asked = counts
    if kept == asked:  # all are known
        return float(yes)
    total_yes, total = (yes, asked) if asked else everywhere
    return yes + (kept - asked) * rng.betavariate(total_yes + 0.5, total - total_yes + 0.5)
