"""What the link policy learns: from what came of the links that were followed, and from the titles of hits and of other pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from topicspider.relevance.link_features import BASE, NAMES, PRIOR, SCALE, TitleDirection

FIRST_FIT = 10
"""Examples before the first fit."""
PENALTY = 3.0
"""On the squares of all corrections, so that a few examples move the prior's weights little."""
FEWEST_TITLES = 5
HALF_TRUSTED_TITLES = 30.0
"""With so many titles of the rarer kind their direction counts half."""
_PENALTY_OF_TITLES = 1.0


class Example:
    """A link that was followed: its features then, what came of it in [0, 1], and the best links that its page led to."""

    __slots__ = ("children", "features", "outcome")

    def __init__(self, features: Iterable[float], outcome: float, children: tuple[int, ...] = ()) -> None:
        self.features = tuple(float(f"{feature:.4g}") for feature in features)  # as a line of text has them
        self.outcome = outcome
        self.children = children

    def line(self) -> str:
        """As JSON, for other processes."""
        return json.dumps([round(self.outcome, 4), *self.features])

    @classmethod
    def read(cls, line: str) -> Example | None:
        """What ``line`` gave; None for anything else."""
        try:
            outcome, *features = map(float, json.loads(line))
        except (ValueError, TypeError, RecursionError):
            return None
        is_sound = len(features) == len(NAMES) and all(abs(number) < 1e6 for number in (outcome, *features))
        return cls(features, min(1.0, max(0.0, outcome))) if is_sound else None


def value_of_page(values: Iterable[float]) -> float:
    """What a page that is no hit is worth for where it leads: max over k of the sum of its k best links / (k + 1).

    Gittins' index: a list whose ten new links are worth .6 each is worth 6 / 11, more than a single link of .5 and less than one of .6.
    """
    best = total = 0.0
    for cost, value in enumerate(sorted(values, reverse=True), 2):
        total += value
        best = max(best, total / cost)
    return min(1.0, best)


def corrections(features: list[tuple[float, ...]], outcomes: list[float]) -> tuple[float, Sequence[float], int]:
    """What examples add to BASE and PRIOR, and how many they are."""
    import numpy as np  # here: who only names the policies needs none

    from topicspider.relevance.logistic import fit_logistic

    rows = np.array(features)
    offset = BASE + rows @ np.array(PRIOR)
    base, weights = fit_logistic(rows, np.array(outcomes), penalty=PENALTY, intercept_penalty=PENALTY, offset=offset)
    return round(base, 6), np.round(weights, 6).tolist(), len(outcomes)


def direction_of(misses: Sequence[bytes], hits: Sequence[bytes]) -> TitleDirection:
    """A logistic regression of hit or not on what titles mean; none while there are few of either kind."""
    fewest = min(len(hits), len(misses))
    if fewest < FEWEST_TITLES:
        return TitleDirection()
    import numpy as np

    from topicspider.relevance.logistic import fit_logistic

    rows = np.array([np.frombuffer(meaning, np.int8) for meaning in (*misses, *hits)], dtype=np.float32) / SCALE
    targets = np.repeat([0.0, 1.0], [len(misses), len(hits)])
    _, weights = fit_logistic(rows, targets, penalty=_PENALTY_OF_TITLES)
    rounded = weights.round(4).astype(np.float32)
    mean, trust = float((rows @ rounded).mean()), fewest / (fewest + HALF_TRUSTED_TITLES)
    return TitleDirection(rounded, round(mean, 6), round(trust, 6))
