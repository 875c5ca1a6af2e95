"""The cut of the largest expected F1, against all cuts tried one by one."""

from __future__ import annotations

import numpy as np
import pytest
from topicspider.relevance.learner.expected_f1 import best_cut


@pytest.mark.parametrize("spread", [0.3, 1.0, 4.0])
def test_no_other_cut_has_a_larger_expected_f1(spread: float) -> None:
    odds = np.random.RandomState(5).normal(-3.0, spread, 300)
    chances = 1.0 / (1.0 + np.exp(-odds))

    def expected(cut: float) -> float:
        called = odds >= cut
        return float(2.0 * chances[called].sum() / (called.sum() + chances.sum()))

    assert expected(best_cut(odds)) == pytest.approx(max(map(expected, odds)))


def test_two_kinds_of_texts_are_cut_between_them() -> None:
    assert best_cut(np.array([-6.0] * 90 + [5.0] * 10)) == 5.0
