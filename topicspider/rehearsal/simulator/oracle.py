"""The oracle: a link policy that knows which pages are targets and where every link leads, but follows only links that it has seen."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from topicspider.page.links import Link
from topicspider.relevance.interfaces import LinkScore, Parent

Numbers = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

# How many of the best links are kept above all others: 64 may be under way, and 64 come next.
WIDTH = 128
# Distances only grow while targets are fetched. They are computed anew when the best link's target is gone, and at the
# latest after so many pages, for the links behind the best.
UPDATE_PAGES = 50
# A link that was among the best for so many pages without being fetched is given up (robots.txt or a limit forbids it).
PATIENCE = 300

UNREACHED = np.int32(1 << 30)


class OraclePolicy:
    """Always follows the link that is nearest to an unfetched target; prunes nothing.

    It is hard to beat, but no upper bound: several targets a little farther away can be worth more than one that is near.
    ``graph`` is the whole web: from the fingerprint of each page to those of its links. The distance of a link is the number of further
    links from its page to the nearest unfetched target, on a path through unfetched pages.

    Values may only rise, and distances only grow. So a link starts at 1 / (1 + distance), below all promoted ones. After each page, those
    of the WIDTH best links are promoted that must be, so that links of a smaller distance are above all of a larger one. The largest value
    grows by at most WIDTH a page, so it stays below the seeds' 1e9 for millions of pages. Pages have their numbers in ``_distances``.
    """

    name: str = "oracle"

    def __init__(self, targets: Collection[int], graph: Mapping[int, array[int]]) -> None:
        self._distances = TargetDistances(frozenset(targets), graph)
        # of pages with one link, such as redirects: where it leads
        self._only_links = {page: links[0] for page, links in graph.items() if len(set(links)) == 1}
        size = len(graph)
        self._gone = np.zeros(size, np.bool_)  # fetched, or given up
        self._order = np.full(size, -1, np.int64)  # of being seen, -1 before
        self._value = np.zeros(size, np.float64)  # as the frontier has it
        self._times = np.zeros(size, np.int32)  # how often among the best
        self._seen = 0
        self._pages_since_update = 0
        self._update()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """A LinkScore for each link; from now on the parent page counts as fetched, its links as seen."""
        number = self._distances.number.get(parent.fingerprint)
        if number is not None:
            self._gone[number] = True
            self._value[number] = 0.0
        self._pages_since_update += 1
        distances = [self._see(target) for target, _ in links]
        return [
            LinkScore(0.0) if far is None else LinkScore(1.0 / (1.0 + far), "", {"distance": float(far)})
            for far in distances
        ]

    def _see(self, name: int) -> int | None:
        """Note that a link was seen; returns its distance, None when no target can be reached over it."""
        number = self._distances.number.get(name)
        if number is None:
            return None
        distance = int(self._distances.distance[number])
        if distance == UNREACHED or self._gone[number]:
            return None
        if self._order[number] < 0:
            self._order[number] = self._seen
            self._seen += 1
        self._value[number] = max(float(self._value[number]), 1.0 / (1.0 + distance))
        return distance

    def promotions(self) -> Sequence[tuple[int, float]]:
        """(fingerprint, new value) of the best links that must rise above all farther ones; the farthest first."""
        best = self._nearest_links()
        if self._pages_since_update >= UPDATE_PAGES or self._is_stale(best[:1]).any():
            self._update()
            best = self._nearest_links()
        best = best[~self._is_stale(best)]
        self._times[best] += 1
        raised = self._raise(best)
        self._gone[best[self._times[best] > PATIENCE]] = True
        rises = [(int(self._distances.names[number]), float(self._value[number])) for number in raised]
        return [rise for name, value in rises for rise in ((name, value), *self._behind(name, value))]

    def _behind(self, name: int, value: float) -> Iterator[tuple[int, float]]:
        """The targets of the link ``name`` if it is a redirect: when it was fetched, they wait in its place, and must rise as it does."""
        for _ in range(5):
            if name not in self._only_links or self._distances.is_target[self._distances.number[name]]:
                return
            name = self._only_links[name]
            number = self._distances.number.get(name)
            if number is None or self._gone[number] or self._order[number] >= 0:
                return
            yield name, value

    def _nearest_links(self) -> Numbers:
        """The WIDTH best links that wait, by distance, then by the time they were first seen."""
        waiting = np.flatnonzero((self._order >= 0) & ~self._gone & (self._distances.distance < UNREACHED))
        key = self._distances.distance[waiting].astype(np.int64) * (1 << 32) + self._order[waiting]
        if len(waiting) > WIDTH:
            nearest = np.argpartition(key, WIDTH)[:WIDTH]
            waiting, key = waiting[nearest], key[nearest]
        return waiting[np.argsort(key)].astype(np.int32)

    def _is_stale(self, links: Numbers) -> npt.NDArray[np.bool_]:
        """For each of ``links``, whether the target to which it led is gone."""
        return self._gone[self._distances.nearest[links]]

    def _raise(self, best: Numbers) -> list[int]:
        """Raise ``best``: each distance above all larger ones, the largest above all other links; returns the links that have risen."""
        others = self._value.copy()
        others[best] = 0.0
        floor = float(others.max(initial=0.0))
        raised: list[int] = []
        distances = self._distances.distance[best]
        for distance in np.unique(distances)[::-1]:
            group = best[distances == distance]
            low = group[self._value[group] <= floor]
            self._value[low] = np.floor(floor) + 1.0
            raised.extend(low.tolist())
            floor = float(self._value[group].max())
        return raised

    def _update(self) -> None:
        self._distances.update(self._gone)
        self._pages_since_update = 0


class TargetDistances:
    """Distances over the pages of ``graph`` (fingerprint to the fingerprints of its links), numbered 0 … n-1, as of the last ``update``.

    ``distance[page]``: links to follow to its nearest target, 0 at the target itself, UNREACHED without a path; ``nearest[page]``: that
    target's number. No path leads through a page that is ``gone``: the links of a fetched page are seen, so the path from there is shorter.
    Targets and links outside the graph are left out, because nothing answers there.
    """

    def __init__(self, targets: Collection[int], graph: Mapping[int, array[int]]) -> None:
        self.number = {name: number for number, name in enumerate(graph)}
        self.names = np.fromiter(self.number, np.int64, len(graph))
        self.is_target: Flags = np.zeros(len(graph), np.bool_)
        self.is_target[[self.number[name] for name in targets if name in self.number]] = True
        self._first, self._sources = _reversed(self.names, graph)
        self.distance: Numbers = np.full(len(graph), UNREACHED)
        self.nearest: Numbers = np.full(len(graph), -1, np.int32)

    def update(self, gone: Flags) -> None:
        """Breadth-first search against the direction of the links, from all targets that are not ``gone`` at once."""
        self.distance.fill(UNREACHED)
        self.nearest.fill(-1)
        level = np.flatnonzero(self.is_target & ~gone).astype(np.int32)
        self.distance[level], self.nearest[level] = 0, level
        free = ~gone
        free[level] = False
        depth = 0
        while len(level):
            depth += 1
            sources, roots = self._before(level)
            is_new = free[sources]
            sources, roots = sources[is_new], roots[is_new]
            places = np.arange(len(sources), dtype=np.int32)
            self.nearest[sources] = places  # of several ways to a page the last is kept: so each page is kept once
            is_kept = self.nearest[sources] == places
            level, roots = sources[is_kept], roots[is_kept]
            self.distance[level], self.nearest[level] = depth, roots
            free[level] = False

    def _before(self, level: Numbers) -> tuple[Numbers, Numbers]:
        """For each link to a page of ``level``: the page that contains it, and the nearest target of the page to which it leads."""
        first = self._first[level]
        counts = self._first[level + 1] - first
        steps = np.arange(int(counts.sum()), dtype=np.int64)
        places = steps + np.repeat(first - (np.cumsum(counts) - counts), counts)
        return self._sources[places], np.repeat(self.nearest[level], counts)


def _reversed(names: npt.NDArray[np.int64], graph: Mapping[int, array[int]]) -> tuple[npt.NDArray[np.int64], Numbers]:
    """The graph's links by target: those to page p come from ``sources[first[p]:first[p + 1]]``, each once, in order."""
    size = len(names)
    counts = np.fromiter(map(len, graph.values()), np.int64, size)
    linked = np.concatenate([np.empty(0, np.int64), *graph.values()])
    sources = np.repeat(np.arange(size, dtype=np.int64), counts)
    order = np.argsort(names, kind="stable")
    places = np.minimum(np.searchsorted(names[order], linked), max(0, size - 1))
    inside = names[order][places] == linked if size else np.zeros(0, np.bool_)
    targets = order[places[inside]]
    pairs = np.unique(targets * size + sources[inside])
    first = np.searchsorted(pairs, np.arange(size + 1, dtype=np.int64) * size)
    return first, (pairs % max(1, size)).astype(np.int32)
