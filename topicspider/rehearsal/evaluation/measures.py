"""How well one run did, by what labels say of its pages: standings at checkpoints, areas under curves, near-duplicates counted once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from topicspider.frontier.host_ranking import MASK64
from topicspider.rehearsal.evaluation.labels import Verdict
from topicspider.rehearsal.evaluation.reach import page_behind
from topicspider.rehearsal.evaluation.results import Checkpoint, RunFigures

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from topicspider.rehearsal.archive.archived_web import ArchivedWeb
    from topicspider.rehearsal.evaluation.labels import Labels
    from topicspider.rehearsal.simulator.simulator import Run


LIMIT = 6
"""Bits of 64 by which two near-duplicates may differ.

Fewer than the 8 by which a crawl compares single pages, because groups chain. Of 1,006 recorded pages, 7 of the 10 pairs within 8 bits
are within 6; of 258 synthetic articles all 7 copies are within 4, and at 8 different pages begin. A duplicate that is missed counts twice
for every policy alike, while two different pages joined take a find away from whoever fetched both.
"""


class DuplicateIndex:
    """Simhashes seen so far; tells which of them a new one is a near-duplicate of. 0 (a page too short to tell) is one of nothing."""

    def __init__(self) -> None:
        self._seen = np.zeros(1024, np.uint64)
        self._count = 0

    def duplicates_of(self, simhash: int) -> list[int]:
        """The hashes added earlier (as unsigned numbers) that ``simhash`` is within LIMIT bits of."""
        value, seen = simhash & MASK64, self._seen[: self._count]
        near: list[int] = seen[np.bitwise_count(seen ^ np.uint64(value)) <= LIMIT].tolist()
        return near if value else []

    def add(self, simhash: int) -> None:
        """Remember ``simhash``."""
        if self._count == len(self._seen):
            self._seen = np.resize(self._seen, 2 * self._count)
        if simhash:
            self._seen[self._count] = simhash & MASK64
            self._count += 1


def duplicate_groups(simhashes: Sequence[int]) -> list[int]:
    """For each page the number of its group: pages joined by a chain of near-duplicates are one group; numbers count from 0."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    values = np.array([simhash & MASK64 for simhash in simhashes], np.uint64)
    near = [
        (number, other)
        for number, value in enumerate(values)
        if value
        for other in np.flatnonzero((values[:number] != 0) & (np.bitwise_count(values[:number] ^ value) <= LIMIT))
    ]
    rows, columns = zip(*near, strict=True) if near else ((), ())
    pairs = coo_array((np.ones(len(near), bool), (rows, columns)), (len(values), len(values)))
    groups: list[int] = connected_components(pairs, directed=False)[1].tolist()
    return groups


CURVE_POINTS = 400


@dataclass(frozen=True, slots=True)
class Targets:
    """What there is to find. ``groups``: each target to the number of its group of near-duplicates."""

    groups: Mapping[str, int]

    @classmethod
    def of(cls, labels: Labels, web: ArchivedWeb) -> Targets:
        """The labels' targets that are pages, joined by simhash (some µs each, and reading the answer)."""
        answers = [(url, web.answer(url).features) for url in sorted(labels.targets())]
        pages = [(url, features.simhash) for url, features in answers if features is not None]
        groups = duplicate_groups([simhash for _url, simhash in pages])
        return cls(dict(zip((url for url, _simhash in pages), groups, strict=True)))

    def given(self, seeds: Collection[str]) -> set[int]:
        """The groups that a crawl has from the start; ``seeds``: JudgedRun.seeds."""
        return {self.groups[url] for url in seeds if url in self.groups}

    def left(self, seeds: Collection[str]) -> int:
        """How many groups there are to find for a crawl that starts from ``seeds``."""
        return len(set(self.groups.values())) - len(self.given(seeds))


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with the verdict on each of its pages, as it counts: seeds and near-duplicates are NEITHER.

    ``targets``: Targets.left. ``seeds``: the run's, and the pages that they redirect to.
    """

    run: Run
    verdicts: tuple[Verdict, ...]
    targets: int
    seeds: frozenset[str]

    @classmethod
    def of(cls, run: Run, labels: Labels, targets: Targets, web: ArchivedWeb) -> JudgedRun:
        """Judge every page, then leave out seeds and near-duplicates."""
        seeds = frozenset(run.seeds).union(page_behind(url, web) for url in run.seeds) - {""}
        verdicts = [labels.verdict(page.url) for page in run.fetched]
        counted = _counted(run, seeds, verdicts, targets)
        return cls(run, tuple(counted), targets.left(seeds), seeds)

    @property
    def hits(self) -> list[int]:
        """Hits after 0, 1, 2, … pages."""
        return [0, *accumulate(int(verdict is Verdict.HIT) for verdict in self.verdicts)]  # a bool is written as one


def figures_of(judged: JudgedRun, checkpoints: Sequence[int], oracle: JudgedRun | None = None) -> RunFigures:
    """The figures of one run; ``oracle``: the run of the oracle from the same seeds. ``checkpoints`` ascend; areas reach to the last."""
    run, hits = judged.run, judged.hits
    last = checkpoints[-1]
    area = _area(hits, last)
    reachable = 0 if oracle is None else _area(oracle.hits, last)
    return RunFigures(
        policy=run.policy,
        repeat=run.repeat,
        seeds=tuple(run.seeds),
        pages=len(run.fetched),
        hits=hits[-1],
        ended=run.ended,
        targets=judged.targets,
        checkpoints=tuple(_standing(judged, pages) for pages in checkpoints),
        curve=tuple(_curve(run, hits)),
        auc_perfect=area / _perfect_area(judged.targets, last),
        auc_oracle=area / reachable if reachable else None,
        dead=run.dead,
        redirects=run.redirects,
        forbidden=run.forbidden,
        links=run.links,
        pruned=dict(run.pruned),
        seconds=run.seconds,
    )


def _counted(run: Run, seeds: Collection[str], verdicts: Sequence[Verdict], targets: Targets) -> Iterator[Verdict]:
    """Each page's verdict as it counts. On both sides near-duplicates count once, or precision would lean to one of them."""
    found, misses = targets.given(seeds), DuplicateIndex()
    for page, simhash in zip(run.fetched, run.simhashes, strict=True):
        if page.url in seeds:
            misses.add(simhash)
    for page, verdict, simhash in zip(run.fetched, verdicts, run.simhashes, strict=True):
        is_new = page.url not in seeds
        if is_new and verdict is Verdict.HIT:
            # under an address that is no target (the same page by https) it is nothing to find
            group = targets.groups.get(page.url)
            is_new = group is not None and group not in found
            if group is not None:
                found.add(group)
        elif is_new and verdict is Verdict.MISS:
            is_new = not misses.duplicates_of(simhash)
            misses.add(simhash)
        yield verdict if is_new else Verdict.NEITHER


def _standing(judged: JudgedRun, pages: int) -> Checkpoint:
    run, verdicts = judged.run, judged.verdicts[:pages]
    hits, misses = verdicts.count(Verdict.HIT), verdicts.count(Verdict.MISS)
    return Checkpoint(
        pages=pages,
        reached=len(run.fetched) >= pages,
        hits=hits,
        misses=misses,
        precision=hits / (hits + misses) if hits + misses else 0.0,
        discovery=hits / judged.targets if judged.targets else 0.0,
        seconds=_seconds(run, len(verdicts)),
    )


def _seconds(run: Run, pages: int) -> float:
    """Virtual seconds until the download of page number ``pages`` (from 1) had ended."""
    return run.fetched[pages - 1].ended if pages else 0.0


def _curve(run: Run, hits: Sequence[int]) -> Iterator[tuple[int, int, float]]:
    """At most CURVE_POINTS points, the first and the last of the run among them."""
    last = len(hits) - 1
    step = max(1, -(-last // (CURVE_POINTS - 1)))
    for pages in [*range(0, last, step), last]:
        yield pages, hits[pages], _seconds(run, pages)


def _area(hits: Sequence[int], last: int) -> int:
    """The sum of the hits after 1 … ``last`` pages; a run that ended earlier keeps its hits."""
    return sum(hits[1 : last + 1]) + max(0, last + 1 - len(hits)) * hits[-1]


def _perfect_area(targets: int, last: int) -> int:
    """Of a crawl whose every page is a hit until there are no more; above 0 when the seeds were all there is."""
    rising = min(targets, last) or last
    return rising * (rising + 1) // 2 + (last - rising) * rising
