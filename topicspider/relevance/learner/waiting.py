"""The links that wait to be fetched, with what is needed to judge them anew: bounded, those of least value forgotten first."""

from __future__ import annotations

from array import array
from math import log
from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore
from topicspider.relevance.learner.link_parts import LinkParts, Table

if TYPE_CHECKING:
    from topicspider.relevance.learner.facts import Facts
    from topicspider.relevance.learner.yields import Yield

MOST = 25_000
FORGOTTEN_AT_ONCE = MOST // 10
MEMBERS = 60
"""Links of one group that are looked at again when one of them was followed."""
UNSCORED = LinkScore(0.0)
_GONE = -1.0


class Waiting:
    """One link: its facts, the yields it belongs to, and what is thought of it.

    ``known``: how many links lead to its target, one a page; ``lift_sum``: their pages' relevance. ``static`` is the part of its
    log-odds that only a fit moves, by ``table``; ``moved`` and ``novelty`` are the rest, as they were when it was weighed.
    """

    __slots__ = (
        "facts",
        "form",
        "group",
        "is_boilerplate",
        "known",
        "lift",
        "lift_sum",
        "moved",
        "novelty",
        "place",
        "pruned",
        "site",
        "static",
        "steps",
        "table",
        "value",
        "verdict",
        "whole",
    )

    def __init__(self, site: Yield, form: Yield, facts: Facts, steps: int, lift: float) -> None:
        self.site, self.form, self.facts = site, form, facts
        self.whole: Yield | None = None  # of its list
        self.group: Yield | None = None
        self.is_boilerplate = facts.traits.is_boilerplate
        self.known, self.lift_sum, self.lift = 1, lift, lift
        self.steps = steps
        self.static = self.value = self.novelty = 0.0
        self.table: Table | None = None
        self.moved: tuple[float, ...] = ()
        self.pruned = ""
        self.verdict: LinkScore | None = None
        self.place = -1

    def moving(self) -> tuple[float, ...]:
        """The numbers that change, in the order of link_numbers.MOVING."""
        known = self.known
        return (
            self.site.lead,
            self.form.lead,
            0.0 if self.whole is None else self.whole.lead,
            0.0 if self.group is None else self.group.lead,
            log(known) if known > 1 else 0.0,
            self.lift_sum / (known + 1),
        )

    def numbers(self) -> tuple[float, ...]:
        """All numbers, in the order of link_numbers.NAMES."""
        return (*self.facts.numbers(), *self.moving())

    def score(self) -> LinkScore:
        """What was said of it last."""
        if self.verdict is None:
            assert self.table is not None, "it has been weighed"
            parts = LinkParts(self.table, self.facts, self.moved, self.novelty)
            self.verdict = LinkScore(self.value, self.pruned, parts)
        return self.verdict


class WaitingLinks(dict[int, Waiting]):
    """By fingerprint, in the order of coming; at most MOST.

    Whoever is worth least is forgotten: it would be judged anew for nothing (a made web, 15,000 pages: 73 % hits as with twice as many,
    71 % when the oldest went first). The values stand in an array, too: the best are found in a millisecond.
    """

    def __init__(self) -> None:
        super().__init__()
        self._values, self._sites, self._marks = array("d"), array("q"), array("q")
        self._site_numbers: dict[Yield, int] = {}
        self._site_list: list[Yield] = []

    def put(self, fingerprint: int, one: Waiting) -> None:
        """Note a link, and make it a member of its group."""
        before = self.get(fingerprint)
        self[fingerprint] = one
        if before is not None:
            one.place = before.place
            self._values[one.place], self._sites[one.place] = one.value, self._number_of(one.site)
            return
        one.place = len(self._values)
        self._values.append(one.value)
        self._sites.append(self._number_of(one.site))
        self._marks.append(fingerprint)
        if len(self) > MOST:
            self._forget_worst()
        if len(self._values) > 2 * MOST + 1:
            self._close_up()
        if one.group is not None and not one.is_boilerplate and len(one.group.members) < MEMBERS:
            one.group.members.append(fingerprint)

    def take(self, fingerprint: int) -> Waiting | None:
        """The link, which waits no longer."""
        one = self.pop(fingerprint, None)
        if one is not None:
            self._values[one.place] = _GONE
        return one

    def revalue(self, one: Waiting, value: float) -> None:
        """Another value than before."""
        one.value = self._values[one.place] = value

    def best(self, count: int) -> list[int]:
        """The links of the largest values, the best first; of equal ones those that came first."""
        import numpy as np  # here: who only names the policies needs none

        values = np.array(self._values)
        if len(values) > count:
            least = np.partition(values, -count)[-count]
            places = np.flatnonzero(values >= max(least, 0.0))
        else:
            places = np.flatnonzero(values >= 0.0)
        order = np.argsort(-values[places], kind="stable")[:count]
        return [self._marks[place] for place in places[order].tolist()]

    def best_of_sites(self) -> list[tuple[Yield, float, int]]:
        """For each site the largest value, and the first link that has it."""
        import numpy as np

        values, sites = np.array(self._values), np.array(self._sites)
        best = np.full(len(self._site_list), _GONE)
        np.maximum.at(best, sites, values)
        places = np.flatnonzero((values >= 0.0) & (values == best[sites]))
        numbers, first = np.unique(sites[places], return_index=True)
        chosen = places[first]
        found = zip(numbers.tolist(), values[chosen].tolist(), chosen.tolist(), strict=True)
        return [(self._site_list[number], value, self._marks[place]) for number, value, place in found]

    def _forget_worst(self) -> None:
        """Of equal ones those that came first."""
        import numpy as np

        values = np.array(self._values)
        places = np.flatnonzero(values >= 0.0)
        for place in places[np.argsort(values[places], kind="stable")[:FORGOTTEN_AT_ONCE]].tolist():
            del self[self._marks[place]]
            self._values[place] = _GONE

    def _number_of(self, site: Yield) -> int:
        number = self._site_numbers.get(site)
        if number is None:
            number = self._site_numbers[site] = len(self._site_list)
            self._site_list.append(site)
        return number

    def _close_up(self) -> None:
        """Leave out the places of those that are gone, and sites without links."""
        self._values, self._sites, self._marks = array("d"), array("q"), array("q")
        self._site_numbers, self._site_list = {}, []
        for fingerprint, one in self.items():
            one.place = len(self._values)
            self._values.append(one.value)
            self._sites.append(self._number_of(one.site))
            self._marks.append(fingerprint)
