"""OPIC: pages hand their cash on to the pages they link to; the richest is next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.rank_graph import MAX_EDGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup

# The paper gives each of n pages 1/n. A crawl does not know n, so that share is the unit: every page brings 1. So the
# value of a link never falls below 1, nor above the number of pages known: far above the frontier's 1e-6 and far
# below its seeds' 1e9, after a hundred pages and after ten million.
FIRST_CASH = 1.0


class OpicPolicy:
    """Abiteboul, Preda, Cobena 2003, "Adaptive on-line page importance computation"; prunes nothing.

    Every page starts with the same cash. When one is read, its cash is added to its history and shared equally
    among its distinct out-links; the page with the most cash is read next. Cash that flows to a page already read stays
    there, as published, until it is read again: that is what saves OPIC the link matrix. A page without links gives
    its cash to the paper's virtual page, which owes all pages the same; what all get alike changes no order, so it is
    only kept there.

    Bounded: beyond ``remembered`` pages, those read longest ago are forgotten, then the links found longest ago; their
    cash goes to the virtual page.
    """

    name: str = "opic"

    def __init__(self, setup: LinkSetup | None = None, remembered: int = MAX_EDGES) -> None:
        self._remembered = remembered
        self._queued: dict[int, float] = {}  # cash of pages not read yet, oldest first
        self._read: dict[int, tuple[float, float]] = {}  # cash and history of pages read, oldest first
        self._virtual = 0.0

    def __len__(self) -> int:
        """How many pages are remembered."""
        return len(self._queued) + len(self._read)

    @property
    def total(self) -> float:
        """All cash there is: what every page ever met has brought with it, wherever it lies now."""
        return sum(self._queued.values()) + sum(cash for cash, _ in self._read.values()) + self._virtual

    def cash(self, name: int) -> float:
        """The cash of a page; FIRST_CASH for an unknown one."""
        return self._read[name][0] if name in self._read else self._queued.get(name, FIRST_CASH)

    def history(self, name: int) -> float:
        """All cash that a page has handed on; 0 before it is read."""
        return self._read[name][1] if name in self._read else 0.0

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link: the cash of its target, with this page's share."""
        targets = dict.fromkeys(target for target, _ in links if target != parent.fingerprint)
        self._distribute(parent.fingerprint, list(targets))
        cash = [self.cash(target) for target, _ in links]
        self._shrink()
        return [LinkScore(value, "", {"opic": value}) for value in cash]

    def _distribute(self, page: int, targets: Sequence[int]) -> None:
        cash, history = self.cash(page), self.history(page)
        self._queued.pop(page, None)
        self._read.pop(page, None)
        self._read[page] = (0.0, history + cash)
        if not targets:
            self._virtual += cash
            return
        share = cash / len(targets)
        for target in targets:
            if target in self._read:
                kept, its_history = self._read[target]
                self._read[target] = (kept + share, its_history)
            else:
                self._queued[target] = self._queued.get(target, FIRST_CASH) + share

    def _shrink(self) -> None:
        while len(self) > self._remembered:
            if self._read:
                cash, _ = self._read.pop(next(iter(self._read)))
            else:
                cash = self._queued.pop(next(iter(self._queued)))
            self._virtual += cash

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: cash only rises through a link, and the link that brings it carries the new value."""
        return ()
