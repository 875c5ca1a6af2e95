"""How each policy is drawn: one colour, dash and marker, the same in every chart and on paper.

Colours: Okabe, Ito 2008 and Tol's muted scheme, which people with colour blindness can tell apart; as thirteen are too many
for colour alone, no two policies share both dash and hue. Baselines are grey, the oracle green.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.comparisons import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.rehearsal.evaluation.results import PolicyFigures


@dataclass(frozen=True, slots=True)
class Style:
    """``light``, ``dark``: the colour on a light and on a dark ground; ``dash``: lengths on and off, () a full line."""

    light: str
    dark: str
    dash: tuple[int, ...]
    marker: str


_FULL, _LONG, _SHORT, _DOT, _DASH_DOT = (), (10, 4), (5, 3), (2, 3), (8, 3, 2, 3)

STYLES: dict[str, Style] = {
    "ipagerank": Style("#d04a02", "#ff8a4c", _FULL, "circle"),
    "learned": Style("#a03c8e", "#e08fd2", _FULL, "diamond"),
    "pagerank": Style("#0069a8", "#5fb2ec", _LONG, "square"),
    "best_first": Style("#3d32a3", "#a49bf5", _FULL, "triangle"),
    "rw": Style("#b87a00", "#f0b840", _FULL, "square"),
    "shark": Style("#0797ad", "#4fd0e3", _SHORT, "diamond"),
    "opic": Style("#8c5b34", "#cf9f74", _DASH_DOT, "triangle"),
    "anchor": Style("#7d7d1f", "#cfcf6a", _SHORT, "circle"),
    "hard_focus": Style("#8a1f55", "#e982b0", _DASH_DOT, "square"),
    "bfs": Style("#3c4248", "#d5d9dd", _FULL, "square"),
    "dfs": Style("#6f767d", "#a9b0b7", _DASH_DOT, "triangle"),
    "random": Style("#868d94", "#98a0a8", _DOT, "circle"),
    "oracle": Style("#1a7a3c", "#62c983", _LONG, "diamond"),
}
KEY_POLICIES = frozenset({"ipagerank", "learned", "pagerank", "bfs", "random", "oracle"})
"""Shown from the start when there are too many to show all."""


def styles_of(policies: Sequence[PolicyFigures]) -> list[Style]:
    """The style of each of ``policies``: by name; where one runs under several server policies, or is not known, by turns."""
    labels = labels_of(policies)
    if labels == [one.policy for one in policies] and all(label in STYLES for label in labels):
        return [STYLES[label] for label in labels]
    turns = list(STYLES.values())
    return [turns[number % len(turns)] for number in range(len(labels))]
