"""The weights that links are judged by: the prior's, moved by the latest fit, collapsed to one number for each number and word."""

from __future__ import annotations

import json
import math
from hashlib import blake2b
from itertools import repeat
from typing import TYPE_CHECKING, Any

from topicspider.errors import one_line
from topicspider.relevance.learner.fit import Fit
from topicspider.relevance.learner.link_numbers import NAMES, PRIOR
from topicspider.relevance.learner.link_parts import BOUND, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.relevance.learner.waiting import Waiting

NOVELTY, FEW = 0.5, 5.0
"""Log-odds added to a link of a site of which no link was followed, and after how many links half of it is left: optimism where little is known."""
_NONE = repeat(0.0)


class Weights:
    """Weighs links; ``number`` counts the fits."""

    def __init__(self) -> None:
        self.fit: Fit | None = None
        self.number = 0
        self.trust = 0.0
        self._table = Table(PRIOR, {})
        self._digest = ""

    def take(self, fit: Fit, trust: float) -> None:
        """Judge by ``fit`` from now on, moved so far from the prior."""
        self.fit = fit
        self.number += 1
        self.trust = trust
        weights = tuple(prior + trust * number for prior, number in zip(PRIOR, fit.numbers, strict=True))
        self._table = Table(weights, {word: trust * weight for word, weight in fit.words.items()})
        self._digest = ""

    def weigh(self, one: Waiting) -> float:
        """The value of a link now, in [0, 1]; the part that only a fit changes is kept."""
        table = self._table
        if one.table is not table:
            anchor, context, heading, url, fellows, place = table.near
            an, co, he, ur, fe, pl = one.facts.near
            parent, parent_hit, tunnel = table.page
            lift, hit, steps = one.facts.page
            static = table.of_traits[one.facts.traits] + anchor * an + context * co + heading * he + url * ur
            static += fellows * fe + place * pl + parent * lift + parent_hit * hit + tunnel * steps
            if table.words:
                weight = table.words.get
                for words in one.facts.words:
                    static += sum(map(weight, words, _NONE))
            one.static, one.table = static, table
        moved = one.moved = one.moving()
        of_site, of_form, of_whole, of_group, of_known, of_parents = table.moving
        site, form, whole, group, known, parents = moved
        odds = one.static + of_site * site + of_form * form + of_whole * whole + of_group * group
        odds += of_known * known + of_parents * parents
        one.novelty = novelty = NOVELTY / (1.0 + one.site.count / FEW)
        odds += novelty
        return 1.0 / (1.0 + math.exp(-BOUND if odds > BOUND else BOUND if odds < -BOUND else -odds))

    def version(self) -> str:
        """The number of fits, and a digest of what they gave."""
        if self.fit is None:
            return "0"
        if not self._digest:  # asked for with every page
            content = json.dumps([self.fit.numbers, sorted(self.fit.words.items()), self.trust], ensure_ascii=False)
            self._digest = blake2b(content.encode(), digest_size=6).hexdigest()
        return f"{self.number}-{self._digest}"

    def state(self) -> dict[str, Any]:
        """The latest fit as plain data."""
        numbers = dict(zip(NAMES, self.fit.numbers, strict=True)) if self.fit else {}
        words = dict(self.fit.words) if self.fit else {}
        return {"number": self.number, "trust": self.trust, "numbers": numbers, "words": words}

    def adopt(self, state: Mapping[str, Any]) -> None:
        """Judge by what ``state`` gave; ValueError for anything else."""
        try:
            number, trust = int(state["number"]), float(state["trust"])
            numbers = tuple(float(state["numbers"].get(name, 0.0)) for name in NAMES)
            words = {str(word): float(weight) for word, weight in state["words"].items()}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"no weights of links: {one_line(str(error))}") from None
        if not 0.0 <= trust < 1.0 or not all(map(math.isfinite, (*numbers, *words.values()))):
            raise ValueError("weights of links out of their range")
        if number:
            self.take(Fit(numbers, words), trust)
        self.number = number
