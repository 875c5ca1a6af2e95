"""Takes a probability apart: named parts that sum to it exactly."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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
