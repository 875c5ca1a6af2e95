"""What the charts of the page draw, as plain data for its script: lines, colours, names and labels in both languages."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from topicspider.rehearsal.report.curves import (
    hits_by_pages,
    hits_by_seconds,
    mean_targets,
    page_axis,
    perfect_hits,
    recall_by_pages,
    second_axis,
)
from topicspider.rehearsal.report.wording import TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.rehearsal.evaluation.results import Results
    from topicspider.rehearsal.report.views import PolicyView

_KEYS = (
    "chart_pages", "chart_recall", "chart_seconds", "chart_bars", "axis_pages", "axis_seconds", "axis_hits", "perfect", "aria_chart",
)  # fmt: skip


def chart_data(results: Results, policies: Sequence[PolicyView], title: tuple[str, str]) -> dict[str, Any]:
    """``pages`` and ``seconds`` are the axes; each policy has ``hits``, ``recall``, ``timed`` lines over them and ``precision`` bars."""
    pages, seconds = page_axis(results.policies, results.setting.checkpoints), second_axis(results.policies)
    perfect, targets = perfect_hits(results.policies, pages), mean_targets(results.policies)
    return {
        "title": dict(zip(("en", "zh"), title, strict=True)),
        "texts": {
            language: {key: getattr(TEXTS[key], language) for key in _KEYS} for language in ("en", "zh")
        },
        "checkpoints": list(results.setting.checkpoints),
        "pages": pages,
        "seconds": seconds,
        "perfect": perfect,
        "perfect_recall": [round(100 * hits / targets, 2) for hits in perfect] if targets else [],
        "policies": [_policy(view, results.setting.checkpoints, pages, seconds) for view in policies],
    }  # fmt: skip


def _policy(
    view: PolicyView, checkpoints: Sequence[int], pages: Sequence[int], seconds: Sequence[float]
) -> dict[str, Any]:
    precision = [view.figures.precision[point] for point in checkpoints]
    return {
        "name": view.name._asdict(),
        "light": view.style.light,
        "dark": view.style.dark,
        "dash": view.style.dash,
        "marker": view.style.marker,
        "baseline": view.figures.policy in ("bfs", "dfs", "random"),
        "hits": asdict(hits_by_pages(view.figures, pages)),
        "recall": asdict(recall_by_pages(view.figures, pages)),
        "timed": asdict(hits_by_seconds(view.figures, seconds)),
        "precision": [
            [round(100 * mean.value, 2), round(100 * mean.half_width * mean.is_with_interval, 2)] for mean in precision
        ],
    }
