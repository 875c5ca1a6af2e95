"""The lines of a report's charts: hits and recall of each policy over its repeats, on a common axis."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.rehearsal.evaluation.results import PolicyFigures, RunFigures

POINTS = 160
"""Of an axis: more than a chart of 1,000 pixels can show as corners."""


@dataclass(frozen=True, slots=True)
class Line:
    """A policy's mean over its repeats, with the lowest and the highest of them; None beyond the end of all of them."""

    mean: list[float | None]
    low: list[float | None]
    high: list[float | None]


def page_axis(policies: Sequence[PolicyFigures], checkpoints: Sequence[int]) -> list[int]:
    """From 0 to the longest run, evenly, and every checkpoint within."""
    longest = max((run.pages for one in policies for run in one.runs), default=0)
    even = {round(longest * i / POINTS) for i in range(POINTS + 1)}
    return sorted(even | {point for point in checkpoints if point <= longest})


def second_axis(policies: Sequence[PolicyFigures]) -> list[float]:
    """From 0 to the end of the longest run in virtual seconds, evenly."""
    longest = max((run.seconds for one in policies for run in one.runs), default=0.0)
    return [round(longest * i / POINTS, 3) for i in range(POINTS + 1)] if longest else [0.0]


def hits_by_pages(policy: PolicyFigures, axis: Sequence[float]) -> Line:
    """Hits after each number of pages."""
    return _line(policy, axis, lambda point: point[0], lambda _run: 1)


def hits_by_seconds(policy: PolicyFigures, axis: Sequence[float]) -> Line:
    """Hits after each number of virtual seconds."""
    return _line(policy, axis, lambda point: point[2], lambda _run: 1)


def recall_by_pages(policy: PolicyFigures, axis: Sequence[float]) -> Line:
    """The share of the targets, in percent; 0 where nobody knows how many there are."""
    return _line(policy, axis, lambda point: point[0], lambda run: run.targets / 100 or 1)


def perfect_hits(policies: Sequence[PolicyFigures], axis: Sequence[float]) -> list[float]:
    """Hits of a crawl whose every page is a hit until there are no more, on the mean of the seed sets' targets."""
    targets = mean_targets(policies)
    return [round(min(pages, targets) if targets else pages, 2) for pages in axis]


def mean_targets(policies: Sequence[PolicyFigures]) -> float:
    """How many targets there were to find, mean over all runs; 0 when nobody knows."""
    counts = [run.targets for one in policies for run in one.runs]
    return sum(counts) / len(counts) if counts else 0.0


def _line(
    policy: PolicyFigures,
    axis: Sequence[float],
    place: Callable[[tuple[int, int, float]], float],
    unit: Callable[[RunFigures], float],
) -> Line:
    line = Line([], [], [])
    curves = [([place(point) for point in run.curve], run, unit(run)) for run in policy.runs if run.curve]
    end = max((places[-1] for places, _run, _unit in curves), default=-1.0)
    for x in axis:
        # a run that ended early stands where it ended; rounding of the axis must not cut off the last point
        values = [_value(places, run, x) / per for places, run, per in curves] if x <= end + 1e-3 else []
        line.mean.append(round(sum(values) / len(values), 2) if values else None)
        line.low.append(round(min(values), 2) if values else None)
        line.high.append(round(max(values), 2) if values else None)
    return line


def _value(places: Sequence[float], run: RunFigures, x: float) -> float:
    """Hits at ``x``, linear between the points of the curve."""
    after = bisect_left(places, x)
    if after >= len(places):
        return run.curve[-1][1]
    if after == 0 or places[after] == x:
        return run.curve[after][1]
    before, below, above = places[after - 1], run.curve[after - 1][1], run.curve[after][1]
    return below + (above - below) * (x - before) / (places[after] - before)
