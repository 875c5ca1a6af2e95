"""What tuning shows: a page to answer for, and what the answers say."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicspider.errors import one_line
from topicspider.text.terminal import fit, table, wrap
from topicspider.workbench.tuning.estimates import CONFIDENCE, Interval, Judged, Point, point, thresholds_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.store.contract import PageRow
    from topicspider.topic.user_labels import UserLabels

TEXT_LINES = 3
TEXT_CHARACTERS = 400
SHOWN_THRESHOLDS = 9


def card(row: PageRow, columns: int, chinese: bool) -> str:
    """One page for a person to judge: title, URL and the beginning of its text (of hits: misses are stored without). Not its score."""
    item = row.item
    title = one_line(item.title, 300) or ("（没有标题）" if chinese else "(no title)")
    lines = [fit(title, columns), fit(one_line(unquote(item.url)), columns)]
    text = one_line(item.summary or item.body[:TEXT_CHARACTERS], TEXT_CHARACTERS)
    if text:
        lines += [f"  {line}" for line in wrap(text, columns - 2)[:TEXT_LINES]]
    return "\n".join(lines)


def threshold_table(judged: Sequence[Judged], current: float, chosen: float, columns: int, chinese: bool) -> str:
    """Precision, recall and F1 by threshold, the one in use and the chosen one marked."""
    heads = ("阈值", "准确率", "召回率", "F1", "") if chinese else ("threshold", "precision", "recall", "F1", "")
    marks = {current: "当前" if chinese else "in use"}
    marks[chosen] = (
        f"{marks[chosen]}, {'选定' if chinese else 'chosen'}" if chosen == current else "选定" if chinese else "chosen"
    )
    shown = sorted({*_spread(thresholds_between(judged)), current, chosen})
    rows = [_row(point(judged, threshold), marks.get(threshold, "")) for threshold in shown]
    return table([heads, *rows], right=(0, 1, 2, 3), columns=columns)


def harvest_words(interval: Interval, pages: int, threshold: float, chinese: bool) -> str:
    """The harvest that the labels promise."""
    share = [f"{value / pages:.0%}" for value in (interval.expected, interval.low, interval.high)]
    counts = [f"{value:,.0f}" for value in (interval.expected, interval.low, interval.high)]
    if chinese:
        return (
            f"以阈值 {threshold:.4g}，已抓的 {pages:,} 页中约有 {counts[0]} 页被保留且属于主题"
            f"（{CONFIDENCE:.0%} 区间 {counts[1]} 到 {counts[2]}）：\n收获率 {share[0]}（{share[1]} 到 {share[2]}）"
        )
    return (
        f"At {threshold:.4g}, of {pages:,} pages fetched about {counts[0]} are kept and on topic ({counts[1]} to {counts[2]},\n"
        f"with {CONFIDENCE:.0%}): a harvest of {share[0]} ({share[1]} to {share[2]})"
    )


def tuned_words(tuned: UserLabels | None, scorer: str, digest: str, chinese: bool) -> str:
    """What is kept of earlier tuning, in words."""
    if tuned is None:
        return (
            "还没有调过：没有标注，阈值是主题的或默认的"
            if chinese
            else "not tuned: no labels; the threshold is the topic's, or the default"
        )
    yes = sum(label.on_topic for label in tuned.labels)
    no = len(tuned.labels) - yes
    labels = f"{yes + no} 个标注（{yes} 是，{no} 否）" if chinese else f"{yes + no} labels ({yes} yes, {no} no)"
    if tuned.threshold is None:
        return f"{labels}；没有阈值" if chinese else f"{labels}; no threshold"
    is_valid = tuned.threshold_for(scorer, digest) is not None
    number = f"{tuned.threshold:.4g} ({tuned.scorer})"
    if chinese:
        state = "使用中" if is_valid else "未使用：主题或评分方法已改，请重新调"
        return f"{labels}；阈值 {number}，{state}"
    state = "in use" if is_valid else "not in use: the topic or the scorer has changed since; tune again"
    return f"{labels}; threshold {number}, {state}"


def _spread(thresholds: Sequence[float]) -> list[float]:
    """At most SHOWN_THRESHOLDS of them, evenly spread over their ranks."""
    if len(thresholds) <= SHOWN_THRESHOLDS:
        return list(thresholds)
    step = (len(thresholds) - 1) / (SHOWN_THRESHOLDS - 1)
    return [thresholds[round(i * step)] for i in range(SHOWN_THRESHOLDS)]


def _row(at: Point, mark: str) -> tuple[str, ...]:
    precision = "-" if at.precision is None else f"{at.precision:.2f}"
    return f"{at.threshold:.4g}", precision, f"{at.recall:.2f}", f"{at.f1:.2f}", mark
