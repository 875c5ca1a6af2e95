"""The fit is where the penalised loss is least, whether its rows are given whole or by what is not 0; scipy is the reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from topicspider.relevance.logistic import SparseRows, fit_logistic


def made(seed: int, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=shape) * (rng.random(shape) < 0.2)
    targets = 1.0 / (1.0 + np.exp(-rows @ rng.normal(size=shape[1])))
    return rows, targets, rng.choice([1.0, 10.0], shape[0])


def loss(found: np.ndarray, rows: np.ndarray, targets: np.ndarray, importance: np.ndarray, offset: np.ndarray) -> float:
    odds = offset + found[0] + rows @ found[1:]
    return float(np.sum(importance * (np.logaddexp(0.0, odds) - targets * odds)) + 0.6 / 2 * found[1:] @ found[1:])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(60, 300), (300, 12)])
def test_the_loss_is_nearly_the_least_there_is(seed: int, shape: tuple[int, int]) -> None:
    rows, targets, importance = made(seed, shape)
    offset = np.where(np.arange(shape[0]) % 2, 1.0, -2.0)
    given = (rows, targets, importance, offset)
    base, weights = fit_logistic(rows, targets, penalty=0.6, importance=importance, offset=offset)
    least = minimize(loss, np.zeros(shape[1] + 1), args=given).fun
    assert loss(np.array([base, *weights]), *given) <= 1.002 * least


@pytest.mark.parametrize("seed", range(5))
def test_sparse_rows_are_fitted_as_the_whole(seed: int) -> None:
    rows, targets, importance = made(seed, (80, 200))
    places = np.nonzero(rows)
    sparse = fit_logistic(SparseRows(rows[places], *places, rows.shape), targets, penalty=1.0, importance=importance)
    whole = fit_logistic(rows, targets, penalty=1.0, importance=importance)
    assert sparse[0] == pytest.approx(whole[0], abs=1e-6)
    assert sparse[1] == pytest.approx(whole[1], abs=1e-6)


def test_targets_of_one_kind_and_rows_that_tell_nothing_end_in_numbers() -> None:
    for targets in (np.zeros(5), np.ones(5)):
        base, weights = fit_logistic(np.zeros((5, 3)), targets, penalty=1.0)
        assert np.isfinite([base, *weights]).all()
