"""Writes the results of a rehearsal as one HTML page that loads nothing else: styles, script and charts are inside."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from topicspider.i18n import N_
from topicspider.rehearsal.evaluation.measures import ORACLE, PolicyFigures, Results, Setting
from topicspider.rehearsal.evaluation.result_files import comparison_line
from topicspider.rehearsal.phrase import Phrase, in_both

_PLAIN_POLICIES = ("bfs", "random", "dfs")
"""The best policy is compared with the first of these that was run."""

_PAGES, _SECONDS = 0, 2
"""Columns of RunFigures.curve that can be the horizontal axis."""


@dataclass(frozen=True, slots=True)
class PolicyView:
    """One policy as it is shown. ``number``: its place in the results; ``light``, ``dark``: its colour on a light and a dark background."""

    number: int
    name: Phrase
    explanation: Phrase
    figures: PolicyFigures
    light: str
    dark: str
    dash: str


def report_page(results: Results) -> bytes:
    """The page as HTML, in UTF-8. Titles, URLs, anchors and names of files, which others wrote, are escaped."""
    setting, policies = results.setting, policies_of(results)
    style = _resource("static/report.css") + _resource("static/chart.css") + _colours(policies)
    script = _resource("static/report.js")
    in_order = ranked(policies)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    page = environment.from_string(_resource("templates/report.html")).render(
        t=_text,
        show=_show,
        number=lambda value, digits=0: f"{value:,.{digits}f}",
        is_web=lambda url: url.startswith(("http://", "https://")),
        hash_of=_hash_of,
        style=Markup(style),  # noqa: S704 - our own files
        script=Markup(script),  # noqa: S704 - our own file
        by_pages=harvest_chart(in_order, _PAGES),
        by_seconds=harvest_chart(in_order, _SECONDS),
        results=results,
        setting=setting,
        policies=policies,
        ranked=in_order,
        topic=Phrase(*(setting.topic_title.get(language) or setting.topic for language in ("en", "zh"))),
        findings=list(findings(results, policies)),
        targets=round(mean_targets(results.policies)),
        comparisons=[Phrase.of(partial(comparison_line, one)) for one in results.comparisons],
        settings=_settings(setting),
        seed_sets=sorted({run.repeat: run.seeds for policy in results.policies for run in policy.runs}.items()),
    )
    return page.encode("utf-8", "replace")


def policies_of(results: Results) -> list[PolicyView]:
    described: dict[str, dict[str, Any]] = json.loads(_resource("policies.json"))
    turns = list(described.values())
    views = []
    for number, figures in enumerate(results.policies):
        unknown = {"name": [figures.policy] * 2, "explanation": ["", ""]}
        known = described.get(figures.policy) or turns[number % len(turns)] | unknown
        name, explanation, (light, dark) = Phrase(*known["name"]), Phrase(*known["explanation"]), known["colour"]
        views.append(PolicyView(number, name, explanation, figures, light, dark, known["dash"]))
    return views


def ranked(policies: Sequence[PolicyView]) -> list[PolicyView]:
    """The policies by auc_perfect, the largest first; the oracle comes before all, because the others are measured by it."""
    return sorted(policies, key=lambda view: (view.figures.policy != ORACLE, -view.figures.auc_perfect.value))


def findings(results: Results, policies: Sequence[PolicyView]) -> Iterator[Phrase]:
    """What was found, in a few sentences: the best policy against a plain one, and the oracle's share."""
    fair = [view for view in policies if view.figures.policy != ORACLE] or policies
    first, last = min(results.setting.checkpoints), max(results.setting.checkpoints)
    if not any(mean.value for view in policies for mean in view.figures.hits.values()):
        yield in_both(N_("No policy found a page on topic."))
        return
    best = max(fair, key=lambda view: view.figures.auc_perfect.value)
    plain = next((view for name in _PLAIN_POLICIES for view in fair if view.figures.policy == name), best)
    if plain is best:
        words = N_("Within {last:,} pages, {best} found {hits:,.0f} pages on topic; no plain policy did better.")
        yield in_both(words, last=last, best=best.name, hits=best.figures.hits[last].value)
    else:
        yield from (_standing(best, plain, pages) for pages in dict.fromkeys((first, last)))
    if best.figures.auc_oracle is not None and best.figures.policy != ORACLE:
        words = N_(
            "Over the whole run it reached {share:.0%} of what the oracle, which knows the answers, got from the same seeds."
        )
        yield in_both(words, share=best.figures.auc_oracle.value)


def _standing(best: PolicyView, plain: PolicyView, pages: int) -> Phrase:
    hits, fewer = best.figures.hits[pages].value, plain.figures.hits[pages].value
    times = f" ({hits / fewer:.1f} ×)" if fewer else ""
    words = N_("Within {pages:,} pages, {best} found {hits:,.0f} pages on topic, {plain} {fewer:,.0f}{times}.")
    return in_both(words, pages=pages, best=best.name, hits=hits, plain=plain.name, fewer=fewer, times=times)


@dataclass(frozen=True, slots=True)
class Chart:
    """Harvest curves for the template: for each policy its mean over the seed sets, in a band from the lowest to the highest run.

    ``rows``, ``columns``: (place, number) at the axes. SVG paths: ``perfect``: of a crawl of hits alone; ``lines``: policy, band, mean.
    """

    rows: list[tuple[float, int]]
    columns: list[tuple[float, int]]
    perfect: str
    lines: list[tuple[PolicyView, str, str]]


def harvest_chart(policies: Sequence[PolicyView], column: int) -> Chart:
    """Hits by pages fetched or by virtual seconds (``column``); the best policy is drawn last, on top."""
    curves = [(view, *_curve(view.figures, column)) for view in reversed(policies)]
    longest = max((float(axis[-1]) for _view, axis, _hits in curves), default=0.0) or 1.0
    highest = max((float(hits.max()) for *_, hits in curves), default=0.0) * 1.06 or 1.0

    left, right, upper, lower = 56, 888, 14, 396  # of the plot, as in report.html

    def x(value: float) -> float:
        return round(left + (right - left) * value / longest, 1)

    def y(value: float) -> float:
        return round(lower - (lower - upper) * value / highest, 1)

    def points(axis: NDArray[np.float64], hits: NDArray[np.float64]) -> list[str]:
        return [f"{x(one)} {y(value)}" for one, value in zip(axis.tolist(), hits.tolist(), strict=True)]

    lines = []
    for view, axis, hits in curves:
        low, high = hits.min(axis=0), hits.max(axis=0)
        band = [*points(axis, high), *reversed(points(axis, low))] if (high > low).any() else []
        lines.append((view, "L".join(band), "L".join(points(axis, hits.mean(axis=0)))))
    targets = mean_targets([view.figures for view in policies])
    top = min(highest, longest, targets or highest)
    perfect = f"M{left} {lower}L{x(top)} {y(top)}" + (f"H{right}" if top == targets else "")
    rows, columns = [(y(value), value) for value in _ticks(highest)], [(x(value), value) for value in _ticks(longest)]
    return Chart(rows, columns, perfect if column == _PAGES else "", lines)


def mean_targets(policies: Sequence[PolicyFigures]) -> float:
    """The mean number of targets over all runs; 0 without runs."""
    counts = [run.targets for policy in policies for run in policy.runs]
    return sum(counts) / len(counts) if counts else 0.0


def _curve(policy: PolicyFigures, column: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The places of the axis, and the hits of each run there; a run that ended early keeps its hits until the longest one ends."""
    runs = [run for run in policy.runs if run.curve]
    # so many points that no corners are seen
    axis = np.linspace(0.0, max((run.curve[-1][column] for run in runs), default=0.0), 160)
    columns = [[*zip(*run.curve, strict=True)] for run in runs]
    return axis, np.array([np.interp(axis, one[column], one[1]) for one in columns] or [np.zeros_like(axis)])


def _ticks(highest: float) -> list[int]:
    """At most six round numbers from 0 up."""
    step = next(step * 10**power for power in range(20) for step in (1, 2, 5) if highest / (step * 10**power) < 6)
    return list(range(0, int(highest) + 1, step))


def _settings(setting: Setting) -> list[tuple[str, str]]:
    """(name, value) of all settings on which the outcome depends and that are not in the head of the page."""
    names = ("version", "seed", "start_pages", "topic_digest", "web_digest", "labels_digest")
    named = [*((name, getattr(setting, name)) for name in names), *sorted(setting.options.items())]
    texts = ((name, ", ".join(map(str, one)) if isinstance(one, list | tuple) else str(one)) for name, one in named)
    return [(name, text) for name, text in texts if text]


def _text(english: str, chinese: str, **values: object) -> Markup:
    """A text of the template in both languages, with ``values`` filled in; the page shows one of the two."""
    return _show(Phrase.of(lambda: str(Phrase(english, chinese)).format(**values)))


def _show(phrase: Phrase) -> Markup:
    if phrase.en == phrase.zh:
        return Markup("<span>{}</span>").format(phrase.en)
    return Markup('<span class="en" lang="en">{}</span><span class="zh" lang="zh-CN">{}</span>').format(*phrase)


def _colours(policies: Sequence[PolicyView]) -> str:
    """CSS with a class for each policy: its colour on a light and a dark background."""
    light = "".join(f".c{view.number}{{--c:{view.light}}}" for view in policies)
    dark = "".join(f".c{view.number}{{--c:{view.dark}}}" for view in policies)
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def _hash_of(text: str) -> str:
    """The hash by which a Content-Security-Policy allows a style or a script."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _resource(name: str) -> str:
    return files("topicspider.rehearsal.report").joinpath(name).read_text(encoding="utf-8")
