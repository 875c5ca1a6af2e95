"""``scrapy frontier`` for those who look: sizes, hosts, the queue's top and bottom, leases, dead URLs."""

from __future__ import annotations

import heapq
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from topicspider.errors import ConfigError, FrontierUnavailable
from topicspider.politeness.planning import Allowance, HostBudget
from topicspider.text.terminal import fit, table
from topicspider.text.wording import clock
from topicspider.workbench.queueing.desk import QueueAction, QueueDesk, Told, at_most_a_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topicspider.frontier.inspection import DeadUrl, HostState, Inspection
    from topicspider.frontier.protocol import Entry

LARGEST = 10
LINES = 20
HOUR = 3600.0
NAME = 34  # columns
SHORT_REST = 10.0  # seconds; below, a tenth of a second is worth telling
_STATES = (
    ("queued", "排队"),
    ("leased", "在抓"),
    ("done", "已完成"),
    ("dead", "放弃"),
    ("pages", "网页"),
    ("hosts", "主机"),
)


def _sizes(_args: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        silence = _silence(inspection)
        counts = asdict(inspection.counts())
        states = list(inspection.hosts())
    blocked = sum(one.is_blocked for one in states)
    largest = _largest(states, LARGEST)
    data = {"crawl": desk.crawl, **counts, "blocked_hosts": blocked, "largest": [asdict(one) for one in largest]}
    allowed = _allowed(states, desk)
    if allowed is not None:
        data["politeness"] = allowed
    if silence:
        data["note"] = silence
    sizes = "  ".join(f"{desk.words(chinese, name)} {counts[name]:,}" for name, chinese in _STATES)
    if blocked:
        sizes += desk.words(f"（封禁 {blocked:,}）", f" ({blocked:,} blocked)")
    lines = [fit(desk.crawl, desk.columns), fit(sizes, desk.columns), *([silence] if silence else [])]
    if allowed is not None:
        lines += [fit(_allowed_words(allowed, desk), desk.columns)]
    if largest:
        lines += ["", _host_table(largest, desk)]
    if len(states) > len(largest):
        more = desk.words(
            f"最大的 {len(largest)} 个主机，共 {len(states):,} 个：scrapy frontier hosts",
            f"the {len(largest)} largest of {len(states):,} hosts: scrapy frontier hosts",
        )
        lines += ["", more]
    return Told(data, "\n".join(lines))


def _allowed(states: Iterable[HostState], desk: QueueDesk) -> dict[str, float] | None:
    """What politeness lets through of what is queued, by the answers that hosts gave so far; None where nothing is held up."""
    hosts = [
        HostBudget(desk.delays.cycle_seconds(one.response_seconds or 0.0, one.delay_seconds), one.queued)
        for one in states
        if one.queued and not one.is_blocked
    ]
    allowance = Allowance(hosts)
    pages, seconds = allowance.pages_in(HOUR), allowance.seconds_for(sum(host.urls or 0 for host in hosts))
    if not hosts or pages is None or not seconds:
        return None
    return {"hosts": allowance.hosts, "pages_in_an_hour": pages, "seconds_for_queued": seconds}


def _allowed_words(allowed: dict[str, float], desk: QueueDesk) -> str:
    hosts, pages, time = allowed["hosts"], allowed["pages_in_an_hour"], clock(allowed["seconds_for_queued"])
    return desk.words(
        f"按礼貌规则：{hosts:,} 个主机一小时最多给 {pages:,} 页，排队的至少要 {time}",
        f"politeness: {pages:,} pages in an hour from {hosts:,} host(s); the queue takes {time} or more",
    )


def _hosts(args: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        states = _largest(inspection.hosts(), int(args[0]) if args else None)
    none = desk.words("还没有主机", "no host is known")
    return Told([asdict(one) for one in states], _host_table(states, desk) if states else none)


def _top(args: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        return _entries(inspection.top(_number(args)), desk)


def _bottom(args: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        return _entries(inspection.bottom(_number(args)), desk)


def _leases(_args: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        leases = inspection.leases()
    heads = desk.words("主机 节点 剩余秒 网址", "host node seconds URLs").split()
    rows = [[fit(one.host, NAME), fit(one.node, 20), f"{one.seconds_left:.0f}", str(len(one.urls))] for one in leases]
    lines = [table([heads, *rows], right=(2, 3), columns=desk.columns)]
    lines += [fit(f"  {url}", desk.columns) for one in leases for url in one.urls]
    none = desk.words("没有主机被租用", "no host is leased")
    return Told([asdict(one) for one in leases], "\n".join(lines) if leases else none)


def _dead(reasons: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        dead = inspection.dead()
        chosen = [one for one in dead if not reasons or one.reason in reasons]
        _check_reasons(reasons, dead)
        if desk.revives:
            return _revived(chosen, inspection, desk, is_all=not reasons)
    counts = Counter(one.reason for one in chosen)
    data = [{**asdict(one.entry), "reason": one.reason} for one in chosen]
    if not chosen:
        return Told(data, desk.words("没有放弃的网址", "no URL was given up"))
    rows = [(fit(one.reason, 20), str(one.entry.attempts), one.entry.url) for one in chosen]
    head = desk.words("原因 次数 网址", "reason tries URL").split()
    sums = ", ".join(f"{reason} {count:,}" for reason, count in counts.most_common())
    return Told(data, f"{table([head, *rows], right=(1,), columns=desk.columns)}\n\n{fit(sums, desk.columns)}")


def _revived(chosen: Sequence[DeadUrl], inspection: Inspection, desk: QueueDesk, *, is_all: bool) -> Told:
    count = inspection.revive(None if is_all else [one.entry.fingerprint for one in chosen])
    return Told({"revived": count}, desk.words(f"{count:,} 个网址重新排队", f"{count:,} URLs are queued again"))


def _check_reasons(reasons: Sequence[str], dead: Sequence[DeadUrl]) -> None:
    known = sorted({one.reason for one in dead})
    for reason in reasons:
        if reason not in known:
            raise ConfigError("reason", reason, ", ".join(known) or "none, as no URL was given up")


def _silence(inspection: Inspection) -> str:
    """Why it is not known what is leased; "" when it is."""
    try:
        inspection.leases()
    except FrontierUnavailable as error:
        return str(error)
    return ""


def _largest(states: Iterable[HostState], count: int | None) -> list[HostState]:
    def key(one: HostState) -> tuple[int, str]:
        return (-one.queued - one.leased, one.host)

    return sorted(states, key=key) if count is None else heapq.nsmallest(count, states, key=key)


def _host_table(states: Sequence[HostState], desk: QueueDesk) -> str:
    heads = desk.words(
        "主机 排队 在抓 放弃 网页 最高分 间隔 状态", "host queued leased dead pages best delay state"
    ).split()
    return table([heads, *(_host_row(one, desk) for one in states)], right=(1, 2, 3, 4, 5, 6), columns=desk.columns)


def _host_row(one: HostState, desk: QueueDesk) -> list[str]:
    best = "-" if one.best is None else _score(one.best)
    delay = f"{one.delay_seconds:g} s" if one.delay_seconds else "-"
    state = desk.words("封禁", "blocked") if one.is_blocked else ""
    if not state and one.rest_seconds:
        left = f"{one.rest_seconds:.0f}" if one.rest_seconds >= SHORT_REST else f"{max(one.rest_seconds, 0.1):.1f}"
        state = desk.words(f"休息 {left} 秒", f"rests {left} s")
    counts = (one.queued, one.leased, one.dead, one.pages)
    return [fit(one.host, NAME), *(f"{count:,}" for count in counts), best, delay, state]


def _entries(entries: Sequence[Entry], desk: QueueDesk) -> Told:
    heads = desk.words("分数 深度 已试 网址", "score depth tries URL").split()
    rows: list[list[Any]] = [[_score(one.score), str(one.depth), str(one.attempts), one.url] for one in entries]
    none = desk.words("队列是空的", "nothing is queued")
    text = table([heads, *rows], right=(0, 1, 2), columns=desk.columns) if entries else none
    return Told([asdict(one) for one in entries], text)


def _score(score: float) -> str:
    """Seeds stand above every score that a link policy gives."""
    return f"{score:.4f}" if abs(score) < 1e4 else f"{score:.0e}"


def _number(args: Sequence[str]) -> int:
    return int(args[0]) if args else LINES


def _nothing(args: Sequence[str]) -> str:
    return f"takes no more words: {' '.join(args)}" if args else ""


ACTIONS = (
    QueueAction("sizes", "[sizes]", "`sizes`, or nothing: how many URLs are in which state, and the 10 largest hosts.", _nothing, _sizes),
    QueueAction("top", "top [N]", "`top` shows the best queued URLs.", at_most_a_number("top"), _top),
    QueueAction("bottom", "bottom [N]", "`bottom` shows the worst.", at_most_a_number("bottom"), _bottom),
    QueueAction("hosts", "hosts [N]", "`hosts` shows all hosts, or the N largest.", at_most_a_number("hosts"), _hosts),
    QueueAction("leases", "leases", "`leases` shows which host is leased to which node, and for how long.", _nothing, _leases),
    QueueAction(
        "dead",
        "dead [REASON ...] [--revive]",
        "`dead` shows what was given up, and why; with --revive it is queued again.",
        lambda _reasons: "",
        _dead,
    ),
)  # fmt: skip
