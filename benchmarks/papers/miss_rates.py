"""How often the caches of seen URLs miss on a trace of links, by their size ((e) Broder 2003)."""

from __future__ import annotations

from collections.abc import Sequence

from topicspider.rehearsal.experiments import hit_rate

EXPONENTS = range(26)
"""(e): caches of 2^0 to 2^25 URLs."""

BOUNDED = ("min", "lru", "clock", "random", "static")
"""The caches with a size, the lower limit first."""


def miss_rate(name: str, capacity: int, trace: Sequence[int]) -> float:
    """Misses of one cache to all links; STATIC and MIN are told the trace itself, as in (e)."""
    return 1 - hit_rate(name, capacity, trace)


def miss_rates(name: str, trace: Sequence[int]) -> list[float]:
    """The miss rate at each size 2^e; the first size that holds every URL of the trace stands for all larger ones."""
    distinct = len(set(trace))
    rates: list[float] = []
    for exponent in EXPONENTS:
        is_whole = exponent > 0 and 2 ** (exponent - 1) >= distinct
        rates.append(rates[-1] if is_whole else miss_rate(name, 2**exponent, trace))
    return rates


def least_miss_rate(trace: Sequence[int]) -> float:
    """The miss rate of INFINITE: every URL misses once."""
    return miss_rate("infinite", 1, trace)


def critical_exponent(rates: Sequence[float]) -> int:
    """The critical point, (e), of miss rates at 2^0, 2^1, …: where the doubling that saves most misses ends."""
    return max(range(1, len(rates)), key=lambda exponent: rates[exponent - 1] - rates[exponent])
