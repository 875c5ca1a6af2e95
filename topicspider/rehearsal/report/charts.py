"""The harvest curves as SVG: for each policy its mean over the seed sets, in a band from the lowest to the highest of them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from topicspider.rehearsal.evaluation.results import PolicyFigures, RunFigures
    from topicspider.rehearsal.phrase import Phrase
    from topicspider.rehearsal.report.page import PolicyView

    Numbers = NDArray[np.float64]

PAGES, SECONDS = 0, 2
"""Columns of RunFigures.curve that can be the horizontal axis."""

_WIDTH, _HEIGHT = 900, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 888, 14, 396  # of the plot
_SPACE = "http://www.w3.org/2000/svg"


def harvest_chart(policies: Sequence[PolicyView], column: int, label: Phrase) -> str:
    """Hits by pages fetched or by virtual seconds (``column``) as an SVG element."""
    curves = [(view, *_curve(view.figures, column)) for view in policies]
    longest = max((float(axis[-1]) for _view, axis, *_ in curves), default=0.0) or 1.0
    highest = max((float(high.max()) for *_, high in curves), default=0.0) * 1.06 or 1.0
    plot = _Plot(longest, highest)
    parts = [
        f'<svg xmlns="{_SPACE}" class="harvest" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        *plot.frame(label),
    ]
    if column == PAGES:
        parts.append(plot.perfect(mean_targets([view.figures for view in policies])))
    for view, axis, mean, low, high in reversed(curves):  # the best on top
        parts += plot.line(view, axis, mean, low, high)
    return "\n".join([*filter(None, parts), "</svg>"])


def mean_targets(policies: Sequence[PolicyFigures]) -> float:
    """How many targets there were to find, mean over all runs; 0 when nobody knows."""
    counts = [run.targets for policy in policies for run in policy.runs]
    return sum(counts) / len(counts) if counts else 0.0


def _curve(policy: PolicyFigures, column: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Axis, mean, lowest and highest hits; a run that ended early keeps its hits until the longest one ends."""
    runs = [run for run in policy.runs if run.curve]
    axis = np.linspace(
        0.0, max((run.curve[-1][column] for run in runs), default=0.0), 160
    )  # more than its width can show as corners
    hits = np.array([_hits(run, axis, column) for run in runs] or [np.zeros_like(axis)])
    return axis, hits.mean(axis=0), hits.min(axis=0), hits.max(axis=0)


def _hits(run: RunFigures, axis: Numbers, column: int) -> Numbers:
    return np.interp(axis, [point[column] for point in run.curve], [point[1] for point in run.curve])


class _Plot:
    """Places on the chart: ``longest`` and ``highest`` are the ends of its axes."""

    def __init__(self, longest: float, highest: float) -> None:
        self._longest, self._highest = longest, highest

    def frame(self, label: Phrase) -> Iterator[str]:
        """Grid lines, numbers, and the name of the horizontal axis."""
        for value in _ticks(self._highest):
            y = self._y(value)
            yield f'<path class="grid" d="M{_LEFT} {y}H{_RIGHT}"/><text x="{_LEFT - 8}" y="{y}" class="y">{value:,}</text>'
        for value in _ticks(self._longest):
            yield f'<text x="{self._x(value)}" y="{_BOTTOM + 16}" class="x">{value:,}</text>'
        yield _both("x", (_LEFT + _RIGHT) / 2, _BOTTOM + 36, label)

    def perfect(self, targets: float) -> str:
        """A crawl whose every page is a hit until there are no more."""
        top = min(self._highest, self._longest, targets or self._highest)
        flat = f"H{_RIGHT}" if top == targets else ""
        return f'<path class="perfect" d="M{_LEFT} {_BOTTOM}L{self._x(top)} {self._y(top)}{flat}"/>'

    def line(self, view: PolicyView, axis: Numbers, mean: Numbers, low: Numbers, high: Numbers) -> Iterator[str]:
        """Band and line of one policy."""
        yield f'<g class="policy c{view.number}">'
        if (high > low).any():
            edge = [*self._points(axis, high), *reversed(self._points(axis, low))]
            yield f'<path class="band" d="M{"L".join(edge)}Z"/>'
        line = "L".join(self._points(axis, mean))
        yield f'<path class="line" stroke-dasharray="{view.dash or "none"}" d="M{line}"/></g>'

    def _points(self, axis: Numbers, values: Numbers) -> list[str]:
        return [f"{self._x(x)} {self._y(y)}" for x, y in zip(axis.tolist(), values.tolist(), strict=True)]

    def _x(self, value: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * value / self._longest, 1)

    def _y(self, value: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * value / self._highest, 1)


def _ticks(highest: float) -> list[int]:
    """At most six round numbers from 0 up."""
    step = next(step * 10**power for power in range(20) for step in (1, 2, 5) if highest / (step * 10**power) < 6)
    return list(range(0, int(highest) + 1, step))


def _both(kind: str, x: float, y: float, phrase: Phrase) -> str:
    return "".join(
        f'<text class="{kind} {language}" x="{x}" y="{y}">{escape(text)}</text>'
        for language, text in zip(("en", "zh"), phrase, strict=True)
    )
