"""The main chart as a picture: harvest.svg for any page or paper, harvest.png for where only pictures go.

The SVG holds its text as text, in both languages, and is laid out by a font that comes with matplotlib: the same bytes on every
machine. The PNG must draw its text, so Chinese is in it only where a font with Chinese is found.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from topicspider.errors import one_line
from topicspider.rehearsal.evaluation.notes import NOT_EVIDENCE, NOT_EVIDENCE_ZH
from topicspider.rehearsal.report.curves import hits_by_pages, page_axis, perfect_hits
from topicspider.rehearsal.report.views import judge_name, policies_of, ranked, sets_phrase, topic_title
from topicspider.rehearsal.report.wording import TEXTS, Phrase

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from topicspider.rehearsal.evaluation.results import Results
    from topicspider.rehearsal.report.views import PolicyView

_WIDTH, _HEIGHT, _DPI = 9.0, 5.2, 150
_LEFT, _RIGHT, _BOTTOM, _TOP = 0.075, 0.74, 0.115, 0.85  # of the figure; fixed, so that no font decides the layout
_LABEL_GAP = 0.052
"""Between two names at the ends of lines, as a share of the height of the chart."""

_OUR_FONT = "DejaVu Sans"
_SVG_FONTS = f"'{_OUR_FONT}', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', 'WenQuanYi Zen Hei', sans-serif"
_MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D"}
_INK, _SOFT, _GRID = "#1c2126", "#59636d", "#e9e6df"


def harvest_svg(results: Results) -> bytes:
    """The chart with labels in English and Chinese; the same bytes for the same results."""
    drawn = _saved(results, "svg", [_OUR_FONT], chinese=True).decode("utf-8")
    return drawn.replace(f"'{_OUR_FONT}'", _SVG_FONTS).encode("utf-8")


def harvest_png(results: Results, font: Path | None) -> bytes:
    """The chart at 150 dots an inch; labels in English and Chinese with ``font``, else in English only."""
    families = [_OUR_FONT]
    if font is not None:
        from matplotlib.font_manager import FontProperties, fontManager

        fontManager.addfont(str(font))
        families.append(FontProperties(fname=str(font)).get_name())
    return _saved(results, "png", families, chinese=font is not None)


def _saved(results: Results, kind: str, families: Sequence[str], *, chinese: bool) -> bytes:
    """The chart drawn without pyplot (no window, no global state) in our own settings, whatever the user's are."""
    from matplotlib import rc_context, rcdefaults

    with rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # titles may be in any script
        rcdefaults()
        with rc_context({"svg.hashsalt": "topicspider", "svg.fonttype": "none", "font.family": list(families)}):
            figure = _figure(results, chinese=chinese)
            file = io.BytesIO()
            metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
            figure.savefig(file, format=kind, dpi=_DPI, metadata=metadata)
    return file.getvalue()


def _figure(results: Results, *, chinese: bool) -> Figure:
    from matplotlib.figure import Figure

    policies = ranked(policies_of(results))
    figure = Figure(figsize=(_WIDTH, _HEIGHT), facecolor="white")
    chart = figure.add_axes((_LEFT, _BOTTOM, _RIGHT - _LEFT, _TOP - _BOTTOM))
    axis = page_axis(results.policies, results.setting.checkpoints)
    highest = _draw_lines(chart, results, policies, axis)
    chart.plot(
        axis, perfect_hits(results.policies, axis), color="#9aa2a9", linewidth=1, linestyle=(0, (1, 3)), zorder=1
    )
    chart.set_xlim(0, axis[-1] or 1)
    chart.set_ylim(0, highest * 1.06 or 1)
    _draw_frame(chart, chinese=chinese)
    _draw_names(chart, policies, axis, chinese=chinese)
    _draw_head(figure, results, chinese=chinese)
    return figure


def _draw_lines(chart: Axes, results: Results, policies: Sequence[PolicyView], axis: Sequence[int]) -> float:
    """Bands and lines, the best on top; gives the highest point."""
    highest = 0.0
    marks = [at for at, pages in enumerate(axis) if pages in results.setting.checkpoints]
    for depth, view in enumerate(reversed(policies)):
        line = hits_by_pages(view.figures, axis)
        end = len([value for value in line.mean if value is not None])
        low, mean, high = ([value or 0.0 for value in one[:end]] for one in (line.low, line.mean, line.high))
        highest = max([highest, *high])
        style, faded = view.style, 1.0 if view.is_key else 0.45
        dash = (0, tuple(length / 2.2 for length in style.dash)) if style.dash else "-"
        chart.fill_between(axis[:end], low, high, color=style.light, alpha=0.1 * faded, linewidth=0, zorder=2)
        chart.plot(
            axis[:end], mean, color=style.light, alpha=faded, linewidth=1.8 if view.is_key else 1.2, linestyle=dash,
            marker=_MARKERS[style.marker], markevery=[at for at in marks if at < end], markersize=4.2,
            markeredgecolor="white", markeredgewidth=0.6, zorder=3 + depth,
        )  # fmt: skip
    return highest


def _draw_frame(chart: Axes, *, chinese: bool) -> None:
    chart.grid(axis="y", color=_GRID, linewidth=0.8)
    chart.set_axisbelow(True)
    chart.spines[["top", "right", "left"]].set_visible(False)
    chart.spines["bottom"].set_color("#c9c5bb")
    chart.tick_params(colors=_SOFT, length=0, labelsize=9)
    chart.xaxis.set_major_formatter(lambda value, _at: f"{value:,.0f}")
    chart.yaxis.set_major_formatter(lambda value, _at: f"{value:,.0f}")
    chart.set_xlabel(_words(TEXTS["axis_pages"], chinese=chinese), color=_SOFT, fontsize=9)


def _draw_names(chart: Axes, policies: Sequence[PolicyView], axis: Sequence[int], *, chinese: bool) -> None:
    """Names at the ends of the lines, pushed apart where they would cover each other."""
    top = chart.get_ylim()[1]
    ends = []
    for view in policies:
        values = [value for value in hits_by_pages(view.figures, axis).mean if value is not None]
        ends.append(((values[-1] if values else 0.0) / top, view))
    ends.sort(key=lambda end: (end[0], -end[1].number))
    places = _apart([place for place, _view in ends], _LABEL_GAP)
    for place, (_end, view) in zip(places, ends, strict=True):
        text = chart.text(
            1.015, place, _words(view.name, chinese=chinese), transform=chart.transAxes, color=view.style.light, fontsize=9,
            verticalalignment="center_baseline", fontweight="bold" if view.is_key and not chinese else "normal",
        )  # fmt: skip
        _plain_text(text)


def _apart(places: Sequence[float], gap: float) -> list[float]:
    """``places``, rising, at least ``gap`` from each other, between 0 and 1 as far as they fit."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap) if moved else place)
    ceiling = 1.0
    for at in reversed(range(len(moved))):
        moved[at] = min(moved[at], ceiling)
        ceiling = moved[at] - gap
    return moved


def _draw_head(figure: Figure, results: Results, *, chinese: bool) -> None:
    """What is shown, of what, judged by whom; and whether that is evidence."""
    setting = results.setting
    chart, topic = TEXTS["chart_pages"], topic_title(setting)
    title = _words(Phrase(f"{topic.en}: {chart.en.lower()}", f"{topic.zh}：{chart.zh}"), chinese=chinese)
    judge, sets = judge_name(setting), sets_phrase(setting)
    below = f"{setting.web} · {_words(judge, chinese=chinese)} · {_words(sets, chinese=chinese)}"
    _plain_text(figure.text(_LEFT, 0.935, one_line(title, 110), fontsize=13, color=_INK))
    _plain_text(figure.text(_LEFT, 0.887, one_line(below, 150), fontsize=9, color=_SOFT))
    if not setting.is_evidence:
        notice = _words(Phrase(NOT_EVIDENCE, NOT_EVIDENCE_ZH), chinese=chinese)
        figure.text(0.985, 0.03, notice, fontsize=9, color="#a8431b", horizontalalignment="right", fontweight="bold")


def _words(phrase: Phrase, *, chinese: bool) -> str:
    """English, and Chinese behind it when it can be written and differs."""
    return f"{phrase.en}  {phrase.zh}" if chinese and phrase.en != phrase.zh else phrase.en


def _plain_text(text: Text) -> None:
    text.set_parse_math(False)  # a dollar sign in a title is no formula
