"""How many links each page of a web lies away from the nearest target that is still to be fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from array import array
    from collections.abc import Collection, Mapping

    import numpy.typing as npt

    Numbers = npt.NDArray[np.int32]
    Flags = npt.NDArray[np.bool_]

UNREACHED = np.int32(1 << 30)


class TargetDistances:
    """Distances over the pages of ``graph`` (fingerprint to the fingerprints of its links), numbered 0 … n-1.

    ``distance[page]``: links to follow from ``page`` to its nearest target, 0 at the target itself, UNREACHED when there is
    no way; ``nearest[page]``: that target's number. Both as of the last ``update``. Pages that are ``gone`` lead nowhere:
    the links of a fetched page are known already, so a way through it is longer than the way from there.

    Targets and links outside the graph are left out: nothing answers there.
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
        """Breadth-first search against the links, from all targets that are not ``gone`` at once."""
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
            self.nearest[sources] = places  # of several ways to a page the last stays: that keeps each page once
            is_kept = self.nearest[sources] == places
            level, roots = sources[is_kept], roots[is_kept]
            self.distance[level], self.nearest[level] = depth, roots
            free[level] = False

    def _before(self, level: Numbers) -> tuple[Numbers, Numbers]:
        """The pages that link to those of ``level``, one for each link, and the targets these lead to."""
        first = self._first[level]
        counts = self._first[level + 1] - first
        steps = np.arange(int(counts.sum()), dtype=np.int64)
        places = steps + np.repeat(first - (np.cumsum(counts) - counts), counts)
        return self._sources[places], np.repeat(self.nearest[level], counts)


def _reversed(names: npt.NDArray[np.int64], graph: Mapping[int, array[int]]) -> tuple[npt.NDArray[np.int64], Numbers]:
    """The graph's links by target: those to page p come from ``sources[first[p]:first[p + 1]]``, each once, in order."""
    size = len(names)
    counts = np.fromiter((len(links) for links in graph.values()), np.int64, size)
    linked = np.empty(int(counts.sum()), np.int64)
    end = 0
    for links in graph.values():
        linked[end : end + len(links)] = links
        end += len(links)
    sources = np.repeat(np.arange(size, dtype=np.int64), counts)
    order = np.argsort(names, kind="stable")
    places = np.minimum(np.searchsorted(names[order], linked), max(0, size - 1))
    inside = names[order][places] == linked if size else np.zeros(0, np.bool_)
    targets = order[places[inside]]
    pairs = np.unique(targets * size + sources[inside])
    first = np.searchsorted(pairs, np.arange(size + 1, dtype=np.int64) * size)
    return first, (pairs % max(1, size)).astype(np.int32)
