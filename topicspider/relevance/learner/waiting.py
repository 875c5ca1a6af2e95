"""The links that wait to be fetched, with what is needed to judge them anew: bounded, oldest forgotten first."""

from __future__ import annotations

import math
from collections import OrderedDict
from heapq import nlargest
from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicspider.relevance.learner.yields import Yield

KEPT = 50_000
MEMBERS = 60
"""Links of one group that are looked at again when one of them was followed."""
UNSCORED = LinkScore(0.0)


class Waiting:
    """One link: its fixed numbers (see link_numbers), its words by field, the yields it belongs to, and what is thought of it.

    ``known``: how many links lead to its target, one a page; ``lift_sum``: their pages' relevance. ``fit``: the number of the fit that
    ``static`` (the part of its log-odds that does not move) is of.
    """

    __slots__ = (
        "fit",
        "fixed",
        "form",
        "group",
        "is_boilerplate",
        "known",
        "lift",
        "lift_sum",
        "score",
        "site",
        "static",
        "steps",
        "value",
        "whole",
        "words",
    )

    def __init__(self, site: Yield, form: Yield) -> None:
        self.site, self.form = site, form
        self.whole: Yield | None = None  # of its list
        self.group: Yield | None = None
        self.fixed: tuple[float, ...] = ()
        self.words: tuple[tuple[str, ...], ...] = ()
        self.is_boilerplate = False
        self.known, self.lift_sum, self.lift = 1, 0.0, 0.0
        self.steps = 0
        self.static = self.value = 0.0
        self.fit = -1
        self.score = UNSCORED

    def moving(self) -> tuple[float, ...]:
        """The numbers that change, in the order of link_numbers.MOVING."""
        return (
            self.site.lead,
            self.form.lead,
            self.whole.lead if self.whole is not None else 0.0,
            self.group.lead if self.group is not None else 0.0,
            math.log(self.known),
            self.lift_sum / (self.known + 1),
        )


class WaitingLinks(OrderedDict[int, Waiting]):
    """By fingerprint; at most KEPT."""

    def put(self, fingerprint: int, one: Waiting) -> None:
        """Note a link, and make it a member of its group."""
        is_new = fingerprint not in self
        self[fingerprint] = one
        if len(self) > KEPT:
            self.popitem(last=False)
        if is_new and one.group is not None and not one.is_boilerplate and len(one.group.members) < MEMBERS:
            one.group.members.append(fingerprint)

    def best(self, count: int) -> list[int]:
        """The links of the largest values."""
        return nlargest(count, self, key=lambda fingerprint: self[fingerprint].value)

    def best_of_sites(self) -> Iterator[tuple[Yield, float, int]]:
        """For each site the largest value, and the link that has it."""
        best: dict[Yield, tuple[float, int]] = {}
        for fingerprint, one in self.items():
            known = best.get(one.site)
            if known is None or one.value > known[0]:
                best[one.site] = (one.value, fingerprint)
        return ((site, value, fingerprint) for site, (value, fingerprint) in best.items())
