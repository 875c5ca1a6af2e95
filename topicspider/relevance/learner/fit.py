"""Fits a logistic regression whose weights are corrections of a prior: numbers and words, each with its own regularisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ITERATIONS = 25
NUMBER_PENALTY, WORD_PENALTY = 3.0, 1.0


@dataclass(frozen=True, slots=True)
class Sample:
    """What was judged: ``numbers`` (one row an example), ``words`` as ids of each example, the prior's log-odds and what came of it in [0, 1]."""

    numbers: Floats
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    prior: Floats
    outcome: Floats
    vocabulary: Sequence[str]


@dataclass(frozen=True, slots=True)
class Fit:
    """Corrections: one for each number, and one for each word."""

    numbers: tuple[float, ...]
    words: dict[str, float]


def fit(sample: Sample, start: Fit | None = None) -> Fit:
    """The corrections with the largest posterior: both kinds are drawn to 0, the prior's own opinion."""
    import numpy as np  # here: who only names the policies needs none
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    count, width = sample.numbers.shape
    size = len(sample.vocabulary)
    matrix = csr_matrix((np.ones(len(sample.rows)), (sample.rows, sample.columns)), shape=(count, size))
    transposed = matrix.T.tocsr()
    penalty = np.concatenate((np.full(width, NUMBER_PENALTY), np.full(size, WORD_PENALTY)))

    def loss(weights: Floats) -> tuple[float, Floats]:
        score = sample.prior + sample.numbers @ weights[:width] + matrix @ weights[width:]
        chance = 1.0 / (1.0 + np.exp(-np.clip(score, -30.0, 30.0)))
        error = chance - sample.outcome
        value = float(np.sum(np.logaddexp(0.0, score) - sample.outcome * score))
        gradient = np.concatenate((sample.numbers.T @ error, transposed @ error)) + penalty * weights
        return value + 0.5 * float(penalty @ (weights * weights)), gradient

    begin = np.zeros(width + size)
    if start is not None:
        begin[:width] = start.numbers
        begin[width:] = [start.words.get(word, 0.0) for word in sample.vocabulary]
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    weights = np.round(found.x, 6).tolist()
    return Fit(tuple(weights[:width]), {w: x for w, x in zip(sample.vocabulary, weights[width:], strict=True) if x})
