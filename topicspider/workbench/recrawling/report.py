"""The words of a recrawl: what it begins with, and what it has brought."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from topicspider.recrawl.revisit_queue import SAME_REASON
from topicspider.text.terminal import pad, width

if TYPE_CHECKING:
    from topicspider.workbench.recrawling.desk import Begun, Ended

_REASONS_ZH = {
    "finished": "已完成：应更新的页面都已访问",
    "max_pages": "已完成：预算已用完",
    "shutdown": "已中断：再次运行同一命令即可继续",
    "not_alone": "已停止：别处正在抓取或更新",
    "claim_lost": "已停止：无法再阻止别处同时更新",
}
_REASONS_EN = {
    "finished": "finished: all pages chosen were visited",
    "max_pages": "finished: the budget is used",
    "shutdown": "stopped: the same command goes on from here",
    "not_alone": "stopped: others are at work on it",
    "claim_lost": "stopped: others can be kept from it no more",
}


def opening(name: str, begun: Begun, *, chinese: bool) -> str:
    """What is going to happen."""
    if not begun.given_up:
        return _what(name, begun, chinese)
    return f"{_given_up(name, begun.given_up, chinese)}\n{_what(name, begun, chinese)}"


def _given_up(name: str, began: str, chinese: bool) -> str:
    if chinese:
        return f"{name}：{began} 开始的更新不再继续，此后别处已更新过"
    return f"{name}: the round begun at {began} is given up, for another machine has recrawled since"


def _what(name: str, begun: Begun, chinese: bool) -> str:
    if begun.choice is None and begun.plan is not None:
        return _resumed(name, begun, chinese)
    assert begun.choice is not None
    due, chosen = begun.choice.due, len(begun.choice.pages)
    if begun.plan is None:
        return _nothing_due(name, begun.choice.next_due, chinese)
    if chinese:
        return f"{name}：{due:,} 页到期，访问其中最有价值的 {chosen:,} 页（预算 {begun.plan.budget:,} 次访问）"
    return f"{name}: {due:,} pages are due, the most valuable {chosen:,} are visited (budget: {begun.plan.budget:,} visits)"


def _resumed(name: str, begun: Begun, chinese: bool) -> str:
    assert begun.plan is not None
    began, budget = begun.plan.began_at, begun.plan.budget
    if chinese:
        later = "；--older-than 只用于下一轮" if begun.set_aside else ""
        return f"{name}：继续 {began} 开始的更新（预算 {budget:,} 次访问）{later}"
    later = "; --older-than is for the next one" if begun.set_aside else ""
    return f"{name}: goes on with the round begun at {began} (budget: {budget:,} visits){later}"


def _nothing_due(name: str, next_due: float, chinese: bool) -> str:
    when = datetime.fromtimestamp(next_due, UTC).isoformat(timespec="minutes") if next_due else ""
    if chinese:
        return (
            f"{name}：没有到期的页面" + (f"，最早的在 {when} 到期" if when else "") + "。不看更新周期：--older-than 1d"
        )
    return (
        f"{name}: no page is due"
        + (f", the first will be at {when}" if when else "")
        + ". Whatever their cycles: --older-than 1d"
    )


def closing_lines(name: str, ended: Ended, *, chinese: bool) -> list[str]:
    """What a round has brought, a line each."""
    reason = (_REASONS_ZH if chinese else _REASONS_EN).get(ended.reason, ended.reason)
    title = f"{name}：{reason}" if chinese else f"{name}: {reason}"
    rows = _rows(ended, chinese)
    names = max(width(label) for label, _ in rows) + 2
    return ["", title, *(pad(label, names) + value for label, value in rows)]


def _rows(ended: Ended, chinese: bool) -> list[tuple[str, str]]:
    budget, found = f"{ended.plan.budget:,}", ended.findings
    rows = [
        ("fetched / budget", "访问 / 预算", f"{ended.visits:,} / {budget}"),
        ("not modified (304)", "未修改 (304)", f"{ended.outcomes.get(SAME_REASON, 0):,}"),
        ("moved", "已移走", f"{ended.moved:,}"),
        ("failed", "失败", f"{ended.failed:,}"),
    ]
    if found is None:
        away = "数据库没有应答，下次运行时结算" if chinese else "the store does not answer; the next run settles them"
        rows.append(("results", "结果", away))
    else:
        rows[2:2] = [
            ("changed", "有变化", f"{found.changed:,}"),
            ("unchanged (with 304)", "无变化 (含 304)", f"{found.unchanged:,}"),
            ("gone", "已消失", f"{found.gone:,}"),
        ]
        rows.append(("new pages", "新页面", f"{found.new_pages:,}"))
        rows.append(("new hits", "新命中", f"{found.new_hits:,}"))
    return [(zh if chinese else en, value) for en, zh, value in rows]
