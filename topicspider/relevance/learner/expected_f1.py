"""Where F1 is best, by what is thought of the texts themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def best_cut(odds: Floats) -> float:
    """The log-odds from which on texts should be called on topic for the largest expected F1.

    Expected with each text's own probability: 2·(hits among those called) / (called + hits among all).
    """
    ordered = -np.sort(-odds)
    hits = np.cumsum(1.0 / (1.0 + np.exp(-np.clip(ordered, -30.0, 30.0))))
    expected = 2.0 * hits / (np.arange(1, len(ordered) + 1) + hits[-1])
    return float(ordered[int(np.argmax(np.round(expected, 9)))])
