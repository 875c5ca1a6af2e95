"""Logistic regression: its function, its L2-penalised fit, and the named parts that a probability is the sum of."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LARGEST_ODDS = 30.0
"""Log-odds beyond which a probability is 0 or 1."""


def sigmoid(log_odds: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1.0 / (1.0 + exp(-max(-LARGEST_ODDS, min(LARGEST_ODDS, log_odds))))


def shares_of(start: float, terms: Mapping[str, float]) -> dict[str, float]:
    """What each term adds to σ(start + Σ terms) beyond σ(start): exactly, by integrated gradients from none of them to all.

    Along that way every term grows at its own constant rate, so each share is in proportion to the term.
    """
    total = sum(terms.values())
    first = sigmoid(start)
    slope = (sigmoid(start + total) - first) / total if abs(total) > 1e-6 else first * (1.0 - first)
    return {name: term * slope for name, term in terms.items()}


def fit_logistic(
    rows: Any,
    targets: Floats,
    *,
    penalty: float,
    importance: Floats | None = None,
    offset: Floats | None = None,
    intercept_penalty: float = 0.0,
) -> tuple[float, Floats]:
    """Intercept b and weights w that minimise Σ importance · logloss(target, σ(offset + b + rows · w)) + penalty/2 · |w|².

    ``rows``: an array, or a sparse matrix of scipy. ``targets`` in [0, 1]. ``offset``: log-odds that rows have already; b and w say
    what is to be added.
    """
    import numpy as np
    from scipy.optimize import minimize

    transposed = rows.T if isinstance(rows, np.ndarray) else rows.T.tocsr()
    given = np.zeros(len(targets)) if offset is None else offset
    weight = np.ones(len(targets)) if importance is None else importance

    def loss(found: Floats) -> tuple[float, Floats]:
        odds = given + found[0] + products(rows, found[1:])
        error = weight * (1.0 / (1.0 + np.exp(-np.clip(odds, -LARGEST_ODDS, LARGEST_ODDS))) - targets)
        value = float(np.sum(weight * (np.logaddexp(0.0, odds) - targets * odds)))
        slopes = transposed @ error.astype(transposed.dtype) + penalty * found[1:]
        squares = penalty * float(found[1:] @ found[1:]) + intercept_penalty * float(found[0] ** 2)
        return value + 0.5 * squares, np.concatenate(([error.sum() + intercept_penalty * found[0]], slopes))

    begin = np.zeros(1 + rows.shape[1])
    if offset is None:
        mean = min(max(float(np.average(targets, weights=weight)), 1e-4), 1.0 - 1e-4)
        begin[0] = np.log(mean / (1.0 - mean))
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": 25})
    return float(found.x[0]), found.x[1:]


def products(rows: Any, weights: Floats) -> Floats:
    """rows · weights, computed in the rows' own precision: else the whole matrix would be converted each time."""
    result: Floats = (rows @ weights.astype(rows.dtype)).astype(float)
    return result
