"""The ranks (PageRank, IPageRank) of a growing link graph, brought up to date after every page by residual push."""

from __future__ import annotations

from array import array
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DAMPING = 0.85
# A residual below this share of (1-d) is not passed on. So every rank is wrong by at most that share: ranks solve the equation
# with (1-d) lowered by the residual.
LARGEST_ERROR = 0.01
_SMALLEST_PUSH = LARGEST_ERROR * (1.0 - DAMPING)
MAX_PAGES = 200_000
MAX_EDGES = 1_000_000


class RankGraph:
    """R(A) = (1-d) + d · Σ_i R(T_i) · p(T_i→A), with p(T→A) in proportion to the weight of the link.

    (a) Li 2002: with equal weights formula 2 (PageRank), with RW as weight formula 3 (IPageRank). Links
    to unfetched pages are nodes too; a page without links of weight > 0 passes nothing on (promise R2).

    Residual push (Gauss-Southwell): each page holds what it has (rank) and what it has received but not
    passed on (residual); an unfetched node has nobody to pass to.

    Bounded: beyond MAX_PAGES pages or MAX_EDGES links, the oldest page's links are forgotten (what
    they passed stays), with the nodes that only they led to.
    """

    def __init__(self) -> None:
        self._slot_of: dict[int, int] = {}
        self._free: list[int] = []
        self._name, self._in_links = array("q"), array("i")
        self._rank, self._residual, self._told = array("d"), array("d"), array("d")
        self._links: dict[int, tuple[array[int], array[float]]] = {}  # by slot, oldest page first
        self._edges = 0
        self._risen: set[int] = set()

    def __len__(self) -> int:
        """How many nodes there are: pages, and targets of their links."""
        return len(self._slot_of)

    def rank(self, name: int) -> float:
        """The rank of the node ``name``; (1-d), the rank of a page nobody links to, for an unknown one."""
        slot = self._slot_of.get(name)
        return 1.0 - DAMPING if slot is None else self._rank[slot] + self._residual[slot]

    def expand(self, name: int, weights: Mapping[int, float]) -> None:
        """Add the fetched page ``name`` with its links, target to weight ≥ 0; they replace those of an earlier fetch."""
        page = self._slot(name)
        former = self._forget_links(page)
        kept = [(self._slot(target), weight) for target, weight in weights.items() if weight > 0.0]
        total = sum(weight for _, weight in kept)
        shares = array("d", (weight / total for _, weight in kept))
        targets = array("i", (slot for slot, _ in kept))
        for slot in targets:
            self._in_links[slot] += 1
        self._links[page] = (targets, shares)
        self._edges += len(targets)
        self._risen.discard(page)
        self._settle([page, *self._pass(page, self._rank[page])])
        self._remove_lost(former)
        self._shrink(page)

    def risen(self) -> list[tuple[int, float]]:
        """(node, rank) of unfetched nodes whose rank has risen by more than LARGEST_ERROR since it was last told."""
        result = []
        for slot in self._risen:
            rank = self._rank[slot] + self._residual[slot]
            if rank > self._told[slot] * (1.0 + LARGEST_ERROR):
                self._told[slot] = rank
                result.append((self._name[slot], rank))
        self._risen.clear()
        return sorted(result)

    def tell(self, name: int) -> float:
        """The rank of ``name``, remembered as told: ``risen`` names it only when it rises further."""
        rank = self.rank(name)
        slot = self._slot_of.get(name)
        if slot is not None:
            self._told[slot] = rank
            self._risen.discard(slot)
        return rank

    def _slot(self, name: int) -> int:
        slot = self._slot_of.get(name)
        if slot is not None:
            return slot
        if self._free:
            slot = self._free.pop()
            self._name[slot] = name
        else:
            slot = len(self._name)
            self._name.append(name)
            for column in (self._rank, self._residual, self._told):
                column.append(0.0)
            self._in_links.append(0)
        self._slot_of[name] = slot
        self._rank[slot], self._residual[slot], self._told[slot] = 1.0 - DAMPING, 0.0, 0.0
        self._in_links[slot] = 0
        return slot

    def _pass(self, page: int, amount: float) -> list[int]:
        """Give the targets of ``page`` their shares of d · ``amount``; returns those that must pass it on."""
        targets, shares = self._links[page]
        rank, residual, links, full = self._rank, self._residual, self._links, []
        for target, share in zip(targets, shares, strict=True):
            given = DAMPING * amount * share
            if target in links:
                residual[target] += given
                if abs(residual[target]) > _SMALLEST_PUSH:
                    full.append(target)
            else:
                rank[target] += given
                self._risen.add(target)
        return full

    def _settle(self, slots: Iterable[int]) -> None:
        """Pass residuals on, from ``slots`` outwards, until every one is small."""
        waiting = deque(slots)
        while waiting:
            slot = waiting.popleft()
            amount = self._residual[slot]
            if slot in self._links and abs(amount) > _SMALLEST_PUSH:
                self._rank[slot] += amount
                self._residual[slot] = 0.0
                waiting.extend(self._pass(slot, amount))

    def _forget_links(self, page: int) -> Sequence[int]:
        """Take back what ``page`` passed on, for it is read anew; returns the targets it had."""
        if page not in self._links:
            return ()
        full = self._pass(page, -self._rank[page])
        targets = self._unlink(page)
        self._settle(full)
        return targets

    def _shrink(self, keep: int) -> None:
        while len(self._links) > MAX_PAGES or self._edges > MAX_EDGES:
            oldest = next(iter(self._links))
            if oldest == keep:
                return
            self._remove_lost([oldest, *self._unlink(oldest)])

    def _unlink(self, page: int) -> Sequence[int]:
        targets, _ = self._links.pop(page)
        self._edges -= len(targets)
        for slot in targets:
            self._in_links[slot] -= 1
        return targets

    def _remove_lost(self, slots: Iterable[int]) -> None:
        """Remove those of ``slots`` that are no remembered pages and that none links to."""
        for slot in slots:
            is_named = self._slot_of.get(self._name[slot]) == slot
            if is_named and self._in_links[slot] <= 0 and slot not in self._links:
                del self._slot_of[self._name[slot]]
                self._risen.discard(slot)
                self._free.append(slot)
