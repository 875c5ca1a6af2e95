"""Logistic regression over sparse rows, with a penalty on the squares of the weights; the same rows give the same weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ITERATIONS = 25


@dataclass(frozen=True, slots=True)
class Examples:
    """Rows of numbers: sparse, most of them 0, or an array."""

    matrix: Any

    def times(self, weights: Floats) -> Floats:
        """Each row's numbers by the weights of their columns, summed up."""
        # numbers of one size: else the whole matrix would be turned into longer ones each time
        result: Floats = (self.matrix @ weights.astype(self.matrix.dtype)).astype(float)
        return result


def fit_logistic(
    examples: Examples, targets: Floats, importance: Floats, penalty: float, given: Floats | None = None
) -> tuple[float, Floats]:
    """Intercept and weights that make ``targets`` (in [0, 1]) likeliest, each row counted ``importance`` times.

    ``given``: log-odds that rows have already; intercept and weights say what is to be added.
    """
    from scipy.optimize import minimize

    transposed = examples.matrix.T if isinstance(examples.matrix, np.ndarray) else examples.matrix.T.tocsr()
    already = 0.0 if given is None else given
    mean = float(np.average(targets, weights=importance))
    mean = min(max(mean, 1e-4), 1.0 - 1e-4)

    def loss(found: Floats) -> tuple[float, Floats]:
        weights, odds = found[1:], already + found[0] + examples.times(found[1:])
        chance = 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
        error = importance * (chance - targets)
        value = float(np.sum(importance * (np.logaddexp(0.0, odds) - targets * odds)))
        gradient = np.concatenate(([error.sum()], transposed @ error.astype(transposed.dtype) + penalty * weights))
        return value + 0.5 * penalty * float(weights @ weights), gradient

    begin = np.zeros(1 + examples.matrix.shape[1])
    begin[0] = np.log(mean / (1.0 - mean)) if given is None else 0.0
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return float(found.x[0]), found.x[1:]
