"""The L2-penalised fit of a logistic regression; the sigmoid and the parts of a probability are in page_prior.

It uses numpy alone: the fits of a crawl take milliseconds, and scipy takes 37 MB and .2 s to load (docs/experiments.md).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

from topicspider.relevance.page_prior import LARGEST_ODDS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows: TypeAlias = "NDArray[np.floating[Any]] | SparseRows"
    Loss = Callable[[Floats], tuple[float, Floats]]

ITERATIONS = 25
REMEMBERED_STEPS = 10
MOST_HALVINGS = 20
ENOUGH = 1e-4
"""A step must bring this share of the decrease that the slope promises (Armijo)."""
NO_GAIN = 2e-9
"""The search ends after a step that lowers the loss by a smaller share than this."""


@dataclass(frozen=True)
class SparseRows:
    """A sparse matrix: the values that are not 0, with the row and the column of each; ``shape`` is (rows, columns)."""

    values: Floats
    row_of: NDArray[np.intp]
    column_of: NDArray[np.intp]
    shape: tuple[int, int]


def fit_logistic(
    rows: Rows,
    targets: Floats,
    *,
    penalty: float,
    importance: Floats | None = None,
    offset: Floats | None = None,
    intercept_penalty: float = 0.0,
) -> tuple[float, Floats]:
    """Intercept b and weights w that minimise Σ importance · logloss(target, σ(offset + b + rows · w)) + penalty/2 · |w|².

    Plus intercept_penalty/2 · b². ``targets`` in [0, 1]. ``offset``: log-odds that the rows have already; b and w are added to them.
    """
    import numpy as np

    given = np.zeros(len(targets)) if offset is None else offset
    weight = np.ones(len(targets)) if importance is None else importance

    def loss(found: Floats) -> tuple[float, Floats]:
        odds = given + found[0] + products(rows, found[1:])
        error = weight * (sigmoids(np.clip(odds, -LARGEST_ODDS, LARGEST_ODDS)) - targets)
        value = float(np.sum(weight * (np.logaddexp(0.0, odds) - targets * odds)))
        slopes = sums(rows, error) + penalty * found[1:]
        squares = penalty * float(found[1:] @ found[1:]) + intercept_penalty * float(found[0] ** 2)
        return value + 0.5 * squares, np.concatenate(([error.sum() + intercept_penalty * found[0]], slopes))

    begin = np.zeros(1 + rows.shape[1])
    if offset is None:
        mean = min(max(float(np.average(targets, weights=weight)), 1e-4), 1.0 - 1e-4)
        begin[0] = np.log(mean / (1.0 - mean))
    found = minimum(loss, begin)
    return float(found[0]), found[1:]


def sigmoids(odds: Floats) -> Floats:
    """1 / (1 + e^-x) of each."""
    import numpy as np

    result: Floats = 1.0 / (1.0 + np.exp(-odds))
    return result


def products(rows: Rows, weights: Floats) -> Floats:
    """rows · weights, in the rows' own precision, so that the matrix is not converted each time."""
    import numpy as np

    if isinstance(rows, SparseRows):
        return np.bincount(rows.row_of, rows.values * weights[rows.column_of], rows.shape[0]).astype(float)
    result: Floats = (rows @ weights.astype(rows.dtype)).astype(float)
    return result


def sums(rows: Rows, factors: Floats) -> Floats:
    """The sum of all rows, each times its factor."""
    import numpy as np

    if isinstance(rows, SparseRows):
        return np.bincount(rows.column_of, rows.values * factors[rows.row_of], rows.shape[1]).astype(float)
    result: Floats = factors.astype(rows.dtype) @ rows
    return result


def minimum(loss: Loss, begin: Floats) -> Floats:
    """The point where the convex, smooth ``loss`` (point to value and gradient) is least, by L-BFGS (Nocedal 1980) from ``begin`` on."""
    place, (value, slope) = begin, loss(begin)
    steps: deque[tuple[Floats, Floats]] = deque(maxlen=REMEMBERED_STEPS)
    for _ in range(ITERATIONS):
        direction = -_by_curvature(slope, steps)
        length = 1.0 if steps else min(1.0, 1.0 / (sqrt(slope @ slope) + 1e-30))
        promised = float(slope @ direction)
        for _ in range(MOST_HALVINGS):
            there = place + length * direction
            value_there, slope_there = loss(there)
            if value_there <= value + ENOUGH * length * promised:
                break
            length *= 0.5
        else:
            break
        if (there - place) @ (slope_there - slope) > 0.0:
            steps.append((there - place, slope_there - slope))
        gain = value - value_there
        place, value, slope = there, value_there, slope_there
        if gain <= NO_GAIN * max(abs(value), 1.0):
            break
    return place


def _by_curvature(slope: Floats, steps: deque[tuple[Floats, Floats]]) -> Floats:
    """``slope`` times the inverse Hessian, as approximated from the latest ``steps``, each (way, change of slope)."""
    result = slope
    shares = []
    for way, change in reversed(steps):
        shares.append(float(way @ result) / float(way @ change))
        result = result - shares[-1] * change
    if steps:
        way, change = steps[-1]
        result = result * (float(way @ change) / float(change @ change))
    for (way, change), share in zip(steps, reversed(shares), strict=True):
        result = result + way * (share - float(change @ result) / float(way @ change))
    return result
