"""The weights that links are judged by: the prior's, moved by the latest fit, collapsed to one number for each number and word."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from hashlib import blake2b
from operator import mul
from typing import TYPE_CHECKING, Any

from topicspider.errors import one_line
from topicspider.relevance.learner.fit import Fit
from topicspider.relevance.learner.link_numbers import FIXED_COUNT, GROUPS, NAMES, PRIOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.relevance.learner.waiting import Waiting

NOVELTY, FEW = 0.5, 5.0
"""Log-odds added to a link of a site of which no link was followed, and after how many links half of it is left: optimism where little is known."""
CACHED_TEXTS = 50_000
_TOP_WORDS = 3
_BOUND = 30.0
_PLACES = {name: place for place, name in enumerate(NAMES)}
_GROUPED = {group: tuple(_PLACES[name] for name in names) for group, names in GROUPS.items()}


class Weights:
    """Weighs links; ``number`` counts the fits."""

    def __init__(self) -> None:
        self.fit: Fit | None = None
        self.number = 0
        self.trust = 0.0
        self._all = PRIOR
        self._fixed = PRIOR[:FIXED_COUNT]
        self._words: dict[str, float] = {}
        self.of_words = lru_cache(maxsize=CACHED_TEXTS)(self._of_words)

    def take(self, fit: Fit, trust: float) -> None:
        """Judge by ``fit`` from now on, moved so far from the prior."""
        self.fit = fit
        self.number += 1
        self.trust = trust
        self._all = tuple(prior + trust * number for prior, number in zip(PRIOR, fit.numbers, strict=True))
        self._fixed = self._all[:FIXED_COUNT]
        self._words = {word: trust * weight for word, weight in fit.words.items()}
        self.of_words.cache_clear()

    def weigh(self, one: Waiting) -> float:
        """The value of a link, in [0, 1]; its fixed part is kept."""
        static = sum(map(mul, self._fixed, one.fixed))
        if self._words:
            for words in one.words:
                if words:
                    static += self.of_words(words)
        one.static, one.fit = static, self.number
        return self.weigh_again(one)

    def weigh_again(self, one: Waiting) -> float:
        """The value now that its yields may be others."""
        if one.fit != self.number:
            return self.weigh(one)
        *_, site, form, whole, group, known, parents = self._all
        odds = one.static + site * one.site.lead + form * one.form.lead
        odds += known * math.log(one.known) + parents * one.lift_sum / (one.known + 1)
        odds += NOVELTY / (1.0 + one.site.count / FEW)
        if one.whole is not None:
            odds += whole * one.whole.lead
        if one.group is not None:
            odds += group * one.group.lead
        return 1.0 / (1.0 + math.exp(-max(-_BOUND, min(_BOUND, odds))))

    def parts(self, one: Waiting) -> dict[str, float]:
        """Named parts that sum to the value: each group's share of the way from the base to it, and the words that weigh most."""
        terms = list(map(mul, self._all, (*one.fixed, *one.moving())))
        base = terms[0]
        parts = {group: sum(terms[place] for place in places) for group, places in _GROUPED.items()}
        parts |= self._word_parts(one)
        parts["novelty"] = NOVELTY / (1.0 + one.site.count / FEW)
        return _shares(base, {name: term for name, term in parts.items() if term})

    def _word_parts(self, one: Waiting) -> dict[str, float]:
        weighed = {word: self._words[word] for words in one.words for word in words if word in self._words}
        top = sorted(weighed, key=lambda word: (-abs(weighed[word]), word))
        named = {f"word {word}": weighed[word] for word in top[:_TOP_WORDS]}
        rest = sum(self._words.get(word, 0.0) for words in one.words for word in words) - sum(named.values())
        return {**named, "other words": rest} if abs(rest) > 1e-12 else named

    def _of_words(self, words: tuple[str, ...]) -> float:
        weight = self._words.get
        return sum(weight(word, 0.0) for word in words)

    def version(self) -> str:
        """The number of fits, and a digest of what they gave."""
        if self.fit is None:
            return "0"
        content = json.dumps([self.fit.numbers, sorted(self.fit.words.items()), self.trust], ensure_ascii=False)
        return f"{self.number}-{blake2b(content.encode(), digest_size=6).hexdigest()}"

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


def _shares(base: float, terms: dict[str, float]) -> dict[str, float]:
    """Each term's share of the difference that all make to the value: what they add up to is exact, whatever their order."""
    start = _logistic(base)
    total = sum(terms.values())
    slope = (_logistic(base + total) - start) / total if abs(total) > 1e-12 else start * (1.0 - start)
    return {"base": start, **{name: term * slope for name, term in terms.items()}}


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-_BOUND, min(_BOUND, odds))))
