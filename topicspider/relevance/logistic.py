"""Logistic regression: its L2-penalised fit; its function and the parts of a probability are in page_prior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicspider.relevance.page_prior import LARGEST_ODDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
