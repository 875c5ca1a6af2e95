"""What the learned link policy fits: to the outcomes of followed links, and to the titles of hits and of other pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from topicspider.relevance.link_features import BASE, NAMES, PRIOR, SCALE, TitleDirection

FIRST_FIT = 10
"""Examples before the first fit."""
PENALTY = 3.0
"""L2 penalty on all corrections, so that a few examples move the prior's weights little."""
FEWEST_TITLES = 5
HALF_TRUSTED_TITLES = 30.0
"""With this many titles of the rarer kind (hits or others) the direction's trust is one half."""
_PENALTY_OF_TITLES = 1.0


class Example:
    """A followed link: its features when its page came, its outcome in [0, 1], and the best links of its page (fingerprints)."""

    __slots__ = ("children", "features", "outcome")

    def __init__(self, features: Iterable[float], outcome: float, children: tuple[int, ...] = ()) -> None:
        self.features = tuple(float(f"{feature:.4g}") for feature in features)  # as many digits as ``line`` has
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
    """The value of a page that is no hit, from the ``values`` of its links: max over k of the sum of the k best / (k + 1).

    Gittins' index: a list whose ten new links are worth .6 each is worth 6 / 11, more than a single link of .5 and less than one of .6.
    """
    best = total = 0.0
    for cost, value in enumerate(sorted(values, reverse=True), 2):
        total += value
        best = max(best, total / cost)
    return min(1.0, best)


def corrections(features: list[tuple[float, ...]], outcomes: list[float]) -> tuple[float, Sequence[float], int]:
    """What to add to BASE and to PRIOR, fitted to the examples, and the number of examples."""
    import numpy as np  # here, because listing the policies needs no numpy

    from topicspider.relevance.logistic import fit_logistic

    rows = np.array(features)
    offset = BASE + rows @ np.array(PRIOR)
    base, weights = fit_logistic(rows, np.array(outcomes), penalty=PENALTY, intercept_penalty=PENALTY, offset=offset)
    return round(base, 6), np.round(weights, 6).tolist(), len(outcomes)


def direction_of(misses: Sequence[bytes], hits: Sequence[bytes]) -> TitleDirection:
    """A logistic regression of hit or not on the meanings of titles; an empty direction below FEWEST_TITLES of either kind."""
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
