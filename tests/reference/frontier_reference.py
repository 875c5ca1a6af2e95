"""The formulas of (c) Cao as the paper writes them, for comparison; slow and plain on purpose."""

from __future__ import annotations


def pages_over_one_connection(requests_per_connection: int, task_urls: int) -> int:
    """P(s,i) = min(RequestsPerConnection(s,i), TaskURLs(s,i))."""
    return min(requests_per_connection, task_urls)


def seconds_of_the_task(connection_time: float, response_time: float, pages: int, p: float = 1.2) -> float:
    """T(s,i) = 2·ConnectionTime + p·P·ResponseTime, with p on the transfer (see host_ranking.RESERVE)."""
    transfer = 0.0
    for _ in range(pages):
        transfer += response_time
    return 2 * connection_time + p * transfer


def speed(connection_time: float, response_time: float, task_urls: int) -> float:
    """R(s,i) = P(s,i)/T(s,i)."""
    pages = pages_over_one_connection(50, task_urls)
    return pages / seconds_of_the_task(connection_time, response_time, pages)


def capacity(connection_time: float, response_time: float, qualities: list[float]) -> float:
    """C(s,i) = Σ quality of the P(s,i) next URLs / T(s,i)."""
    pages = pages_over_one_connection(50, len(qualities))
    total = 0.0
    for quality in sorted(qualities, reverse=True)[:pages]:
        total += quality
    return total / seconds_of_the_task(connection_time, response_time, pages)


def average_after(measurements: list[float]) -> float:
    """Moving average, 0.8 old + 0.2 new, beginning with the first measurement."""
    value = measurements[0]
    for measurement in measurements[1:]:
        value = 0.8 * value + 0.2 * measurement
    return value
