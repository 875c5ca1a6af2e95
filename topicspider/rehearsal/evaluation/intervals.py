"""Means with 95 % confidence intervals by Student's t."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, sqrt
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.results import Mean

if TYPE_CHECKING:
    from collections.abc import Sequence

# Two-sided 95 % points of Student's t for 1 to 30 degrees of freedom (any statistical table).
_T_95 = (
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
    2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
    2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
)  # fmt: skip
_Z_95 = 1.959963985


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of at least one value; of equal values the interval has no width."""
    count = len(values)
    mean = fsum(values) / count
    if count == 1:
        return Mean(mean, 0.0, 1)
    # exact, so that equal values have no spread at all, and every machine gets the same last digit
    exact = sum(map(Fraction, values), Fraction()) / count
    variance = float(sum(((Fraction(value) - exact) ** 2 for value in values), Fraction()) / (count - 1))
    return Mean(mean, student_t(count - 1) * sqrt(variance / count), count)


def student_t(freedom: int) -> float:
    """The two-sided 95 % point for ``freedom`` ≥ 1 degrees of freedom, to 1e-5.

    Beyond the table by Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5).
    """
    if freedom <= len(_T_95):
        return _T_95[freedom - 1]
    z, n = _Z_95, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3
