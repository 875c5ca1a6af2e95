"""Learns where among the word vectors a topic's pages lie, from what the prior thinks of them and from a user's labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicspider.relevance.learner.logistic import Examples, fit_logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The numbers of a place are all small, so their weights may be large; labels are few, but true
_PENALTY, _TOLD_PENALTY = 0.6, 0.03
_LABEL_WEIGHT = 10.0
_FEWEST_LABELS = 10


@dataclass(frozen=True, slots=True)
class MeaningFit:
    """Weights of the numbers of a page's place, what labels ``told`` beyond them, and what pages have ``added`` to their log-odds by it."""

    start: float
    weights: tuple[float, ...]
    told: tuple[float, ...]
    added: Floats


def fitted_meaning(
    places: Sequence[Sequence[float] | NDArray[np.float32] | None],
    targets: Floats,
    known: NDArray[np.bool_],
    odds: Floats,
    shares: Floats,
) -> MeaningFit:
    """``odds``: what pages have by everything else, ``shares``: how much this counts on each; ``known``: pages with a label.

    Labels are fitted last, on what all the rest together gets wrong of them; of both kinds there must be some.
    """
    placed = np.array([place is not None for place in places])
    added = np.zeros(len(places))
    if not placed.any():
        return MeaningFit(0.0, (), (), added)
    examples = Examples(np.array([place for place in places if place is not None], dtype=np.float32))
    start, weights = fit_logistic(examples, targets[placed], np.where(known, _LABEL_WEIGHT, 1.0)[placed], _PENALTY)
    added[placed] = shares[placed] * (start + examples.times(weights))
    labels = known & placed
    told = fitted_told(Examples(examples.matrix[known[placed]]), targets[labels], (odds + added)[labels])
    if told:
        added[placed] += examples.times(np.array(told))
    return MeaningFit(round(start, 4), _rounded(weights), told, added)


def fitted_told(places: Examples, targets: Floats, odds: Floats) -> tuple[float, ...]:
    """What labels say beyond ``odds``, the log-odds of their pages; nothing when there are too few of them, or of one kind only."""
    if len(targets) < _FEWEST_LABELS or not 0.0 < targets.mean() < 1.0:
        return ()
    _, told = fit_logistic(places, targets, np.ones(len(targets)), _TOLD_PENALTY, odds)
    return _rounded(told)


def _rounded(weights: Floats) -> tuple[float, ...]:
    return tuple(np.round(weights, 4).tolist())
