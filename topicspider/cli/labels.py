"""Estimates from a few labels for all pages of a crawl: which pages to ask about, precision and recall by threshold, best threshold.

By score, the pages of a crawl form four strata: misses far from the threshold, misses near it, hits near it, hits far from it. In each
stratum pages are drawn at random, so a drawn page stands for (pages of its stratum / pages drawn there) pages. With these weights, sums
over the drawn pages are unbiased estimates for all pages, however many pages are drawn from each stratum.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, cycle, pairwise
from pathlib import Path
from statistics import fmean

from topicspider.errors import ConfigError
from topicspider.store.rows import ScoredPage
from topicspider.url import canonicalize

Stratum = tuple["ScoredPage", ...]

# The threshold is decided by the pages near it: three fifths of the questions go there.
TURNS = (1, 2, 0, 3, 1, 2, 0, 3, 1, 2)


def strata_of(pages: Sequence[ScoredPage], threshold: float) -> tuple[Stratum, ...]:
    """The four strata, in the order of rising scores; each may be empty."""
    ranked = sorted(pages, key=lambda page: (page.relevance, page.url))
    misses = [page for page in ranked if page.relevance < threshold]
    hits = ranked[len(misses) :]
    near = max(10, len(hits) // 4)  # a quarter of the hits, and as many misses
    far_misses = max(0, len(misses) - near)
    return tuple(misses[:far_misses]), tuple(misses[far_misses:]), tuple(hits[:near]), tuple(hits[near:])


def drawn(strata: Sequence[Stratum], count: int, rng: random.Random, known: Collection[str] = ()) -> list[ScoredPage]:
    """Up to ``count`` pages to ask about, without those in ``known``; the strata take turns, so one may stop after any question."""
    most = count + len(known)  # enough to leave ``count`` pages that are not known
    rest = [
        [page for page in rng.sample(stratum, min(most, len(stratum))) if page.url not in known] for stratum in strata
    ]
    chosen: list[ScoredPage] = []
    for place in cycle(TURNS):
        if len(chosen) == count or not any(rest):
            return chosen
        if rest[place]:
            chosen.append(rest[place].pop())
    return chosen


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled page, which stands for ``weight`` pages."""

    score: float
    on_topic: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Point:
    """The estimated result of a threshold; ``precision`` is None if there is no label among the pages that it keeps."""

    threshold: float
    precision: float | None
    recall: float

    @property
    def f1(self) -> float:
        total = (self.precision or 0.0) + self.recall
        return 2.0 * (self.precision or 0.0) * self.recall / total if total > 0.0 else 0.0


def weighed(strata: Sequence[Stratum], labels: Mapping[str, bool]) -> list[Judged]:
    """Each labelled page with the number of pages it stands for.

    The pages of a stratum without labels are counted with the next stratum that has some (at the end: with the one before).
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
        judged = [*judged[:-last], *(replace(page, weight=page.weight + waiting / last) for page in judged[-last:])]
    return judged


def point(judged: Sequence[Judged], threshold: float) -> Point:
    kept = sum(page.weight for page in judged if page.score >= threshold)
    right = sum(page.weight for page in judged if page.on_topic and page.score >= threshold)
    wanted = sum(page.weight for page in judged if page.on_topic)
    return Point(threshold, right / kept if kept else None, right / wanted if wanted else 0.0)


def thresholds_between(judged: Sequence[Judged]) -> list[float]:
    """Every threshold that separates labelled pages: half-way between two neighbouring scores, rising."""
    scores = sorted({page.score for page in judged})
    return [round((low + high) / 2.0, 6) for low, high in pairwise(scores)]


def best_threshold(judged: Sequence[Judged], current: float) -> float | None:
    """The threshold with the highest F1, of equal ones the nearest to ``current``; None if all labels are the same."""
    if len({page.on_topic for page in judged}) < 2:
        return None
    points = [point(judged, threshold) for threshold in (current, *thresholds_between(judged))]
    best = max(points, key=lambda one: (round(one.f1, 9), -abs(one.threshold - current)))
    return best.threshold


def expected_harvest(strata: Sequence[Stratum], labels: Mapping[str, bool], threshold: float) -> float:
    """Estimates how many pages are kept at ``threshold`` and on topic: for each stratum, its kept pages times their share of yes labels.

    For a stratum without labels, the share in all strata is used.
    """
    kept = [[page.url for page in stratum if page.relevance >= threshold] for stratum in strata]
    answers = [[labels[url] for url in urls if url in labels] for urls in kept]
    everywhere = list(chain.from_iterable(answers))
    return sum(len(urls) * fmean(own or everywhere or [0]) for urls, own in zip(kept, answers, strict=True))


YES = frozenset({"yes", "y", "1", "true", "是", "对", "相关"})
NO = frozenset({"no", "n", "0", "false", "否", "不是", "无关"})
LABEL_FILE = "a CSV file of rows URL,yes or TEXT,no"


@dataclass(frozen=True, slots=True)
class LabelRow:
    on_topic: bool
    url: str = ""
    text: str = ""


def read_labels(name: str) -> list[LabelRow]:
    """The rows of a label file; a first row without a label or a URL is a heading. ConfigError names the line with the error."""
    rows = []
    reader = csv.reader(io.StringIO(_text(name), newline=""))
    try:
        for cells in reader:
            what, label = (cells[0].strip(), cells[-1].strip().lower()) if cells else ("", "")
            if what and label in YES | NO:
                url = canonicalize(what) if "://" in what[:10] else None
                rows.append(LabelRow(label in YES, url) if url else LabelRow(label in YES, text=what))
            elif any(cells) and (rows or reader.line_num > 1 or "://" in what[:10]):
                raise ConfigError("--labels", f"{name}:{reader.line_num}: {label}", LABEL_FILE, "Also 1 or 0, 是 or 否")
    except csv.Error as error:
        raise ConfigError("--labels", f"{name}:{reader.line_num}", LABEL_FILE, str(error)) from None
    if not rows:
        raise ConfigError("--labels", name, LABEL_FILE, "There is no row in it")
    return rows


def _text(name: str) -> str:
    """A file in UTF-8, or in GB 18030 as spreadsheet programs in China write it."""
    try:
        content = Path(name).expanduser().read_bytes()
    except (OSError, ValueError) as error:
        raise ConfigError("--labels", name, LABEL_FILE, getattr(error, "strerror", "") or str(error)) from None
    for encoding in ("utf-8-sig", "gb18030"):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    raise ConfigError("--labels", name, LABEL_FILE, "It is neither UTF-8 nor GB 18030")
