"""Takes the value of a link apart, when somebody asks, by the weights that gave it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from operator import mul

from topicspider.relevance.learner.facts import Facts, Traits, trait_numbers
from topicspider.relevance.learner.link_numbers import GROUPS, MOVING, NAMES

_TOP_WORDS = 3
BOUND = 30.0
"""Log-odds beyond which a chance is 0 or 1."""
_PLACES = {name: place for place, name in enumerate(NAMES)}
_GROUPED = {group: tuple(_PLACES[name] for name in names) for group, names in GROUPS.items()}
_NEAR = ("anchor", "context", "heading", "url", "fellows", "place")
_PAGE = ("parent", "parent_hit", "tunnel")
_TRAITS = ("pagination", "boilerplate", "home", "index", "outward", "cross", "down", "up", "textless")


class Table:
    """One weight for each number and word, as of one fit; never changed."""

    def __init__(self, weights: tuple[float, ...], words: dict[str, float]) -> None:
        def of(names: Iterator[str] | tuple[str, ...]) -> tuple[float, ...]:
            return tuple(weights[_PLACES[name]] for name in names)

        self.all, self.words = weights, words
        self.near, self.page, self.moving = of(_NEAR), of(_PAGE), of(tuple(MOVING))
        self.of_traits = _TraitWeights(weights[0], of(_TRAITS))


class _TraitWeights(dict[Traits, float]):
    """The base and the weights of what many links have in common, added up once."""

    def __init__(self, base: float, weights: tuple[float, ...]) -> None:
        super().__init__()
        self._base, self._weights = base, weights

    def __missing__(self, traits: Traits) -> float:
        total: float = self._base + sum(map(mul, self._weights, trait_numbers(traits)))
        self[traits] = total
        return total


class LinkParts(Mapping[str, float]):
    """Named parts that sum to a link's value, computed when somebody asks: few of the links that are judged are ever explained.

    Each group's share of the way from the base to the value, and the words that weigh most. Stored or sent it is a plain dict.
    """

    __slots__ = ("_facts", "_found", "_moved", "_novelty", "_table")

    def __init__(self, table: Table, facts: Facts, moved: tuple[float, ...], novelty: float) -> None:
        self._table, self._facts, self._moved, self._novelty = table, facts, moved, novelty
        self._found: dict[str, float] | None = None

    def __getitem__(self, name: str) -> float:
        return self._parts()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts())

    def __len__(self) -> int:
        return len(self._parts())

    def __repr__(self) -> str:
        return repr(self._parts())

    def __reduce__(self) -> tuple[type, tuple[dict[str, float]]]:
        return dict, (self._parts(),)

    def _parts(self) -> dict[str, float]:
        if self._found is None:
            terms = list(map(mul, self._table.all, (*self._facts.numbers(), *self._moved)))
            parts = {group: sum(terms[place] for place in places) for group, places in _GROUPED.items()}
            parts |= self._word_parts()
            parts["novelty"] = self._novelty
            self._found = _shares(terms[0], {name: term for name, term in parts.items() if term})
        return self._found

    def _word_parts(self) -> dict[str, float]:
        known, fields = self._table.words, self._facts.words
        weighed = {word: known[word] for words in fields for word in words if word in known}
        top = sorted(weighed, key=lambda word: (-abs(weighed[word]), word))
        named = {f"word {word}": weighed[word] for word in top[:_TOP_WORDS]}
        rest = sum(known.get(word, 0.0) for words in fields for word in words) - sum(named.values())
        return {**named, "other words": rest} if abs(rest) > 1e-12 else named


def _shares(base: float, terms: dict[str, float]) -> dict[str, float]:
    """Each term's share of the difference that all make to the value: what they add up to is exact, whatever their order."""
    start = _logistic(base)
    total = sum(terms.values())
    slope = (_logistic(base + total) - start) / total if abs(total) > 1e-12 else start * (1.0 - start)
    return {"base": start, **{name: term * slope for name, term in terms.items()}}


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-BOUND, min(BOUND, odds))))
