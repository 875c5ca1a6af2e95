"""``scrapy nodes``: shows who crawls on a shared queue, and asks nodes to end."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from topicspider.errors import ConfigError
from topicspider.frontier.beats import DRAIN, ENDED, STOP
from topicspider.frontier.register import GONE
from topicspider.i18n import outage_words
from topicspider.text.terminal import fill, fit, table, wrap
from topicspider.workbench.queueing.desk import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.frontier.register import NodeState, Register

ALL = "all"
MOST_PAST = 10  # nodes that have ended, or are gone, of which a line is shown
_NAME = 24  # columns
_STATES_ZH = {
    "working": "在抓",
    "idle": "空闲",
    "draining": "收尾",
    "ended": "已结束",
    "silent": "无消息",
    "gone": "已失联",
}
_WISHES_ZH = {DRAIN: "收尾后结束", STOP: "立即结束"}


class SharedQueue(Protocol):
    """As much of an inspection as is needed here."""

    def nodes(self) -> Register:
        """Who crawls on it."""

    def ask(self, key: str, wish: str) -> bool:
        """Have that node do something; False when there is no such node."""

    def close(self) -> None:
        """Give the connection back."""


class CrewDesk:
    """``open_queue`` opens the queue that was asked for; ``crawl`` is what to call it."""

    def __init__(self, crawl: str, open_queue: Callable[[], SharedQueue], *, chinese: bool, columns: int) -> None:
        self._crawl, self._open = crawl, open_queue
        self._chinese, self._columns = chinese, columns

    def show(self, *, with_hosts: bool) -> Told:
        """Every node, and what they do together."""
        with closing(self._open()) as queue:
            register = queue.nodes()
        lines = [fit(self._crawl, self._columns), *wrap(self._together(register), self._columns)]
        shown = [node for node in register.nodes if node.state not in (ENDED, GONE) or node.hosts]
        past = [node for node in register.nodes if node not in shown]
        if register.nodes:
            lines += ["", self._table([*shown, *past[:MOST_PAST]])]
        lines += [line for node in [*shown, *past[:MOST_PAST]] for line in self._notes(node)]
        if with_hosts:
            lines += [fit(line, self._columns) for node in shown for line in _hosts(node)]
        return Told(self._data(register), "\n".join(lines))

    def ask(self, wish: str, names: Sequence[str]) -> Told:
        """Ask the nodes of these names to end; raises ConfigError for a name that no node has."""
        with closing(self._open()) as queue:
            register = queue.nodes()
            wanted = {node.key: node for name in names for node in _called(register, name)}
            asked = [node.beat.name for key, node in wanted.items() if queue.ask(key, wish)]
        listed = ", ".join(asked)
        if self._chinese:
            text = f"已请求{_WISHES_ZH[wish]}：{listed}；节点几秒内会看到，租用的主机随即归还"
        else:
            text = f"asked to {wish}: {listed}; read within seconds, and what is leased is given back then"
        return Told({"asked": wish, "nodes": asked}, "\n".join(wrap(text, self._columns)))

    def _together(self, register: Register) -> str:
        there = sum(node.is_there for node in register.nodes)
        pages, twice, again = register.pages, register.duplicates, register.handed_out_again
        if self._chinese:
            fast = (
                f"，是单节点（{_alone(register, '独自时', '最快的')} {register.one:.1f}）的 {register.speed_up:.2f} 倍"
                if register.speed_up
                else ""
            )
            return f"{there} 个节点，{register.rate:.1f} 页/秒{fast}；共 {pages:,} 页，重复抓取 {twice:,}，租约到期后重新派发 {again:,}"
        one = f"one node ({_alone(register, 'alone', 'the fastest')} {register.one:.1f})"
        fast = f", {register.speed_up:.2f} times {one}" if register.speed_up else ""
        nodes = "1 node" if there == 1 else f"{there} nodes"
        return f"{nodes}, {register.rate:.1f} pages/s{fast}; {pages:,} pages, {twice:,} fetched twice, {again:,} handed out again"

    def _table(self, nodes: Sequence[NodeState]) -> str:
        heads = (
            "节点 状态 主机 网页 命中 页/秒 已运行 心跳"
            if self._chinese
            else "node state hosts pages hits pages/s up heard"
        )
        rows = [heads.split()]
        for node in nodes:
            beat = node.beat
            state = _STATES_ZH[node.state] if self._chinese else node.state
            numbers = [f"{len(node.hosts):,}", f"{beat.pages:,}", f"{beat.hits:,}", f"{beat.rate:.1f}"]
            rows.append([fit(beat.name, _NAME), state, *numbers, _span(beat.seconds), _span(node.silent_seconds)])
        return table(rows, right=range(2, 8), columns=self._columns)

    def _notes(self, node: NodeState) -> list[str]:
        """What happened to a node, in as many lines as it takes."""
        beat, words = node.beat, []
        if node.asked and node.state != ENDED:
            words.append(
                f"已请求{_WISHES_ZH.get(node.asked, node.asked)}" if self._chinese else f"asked to {node.asked}"
            )
        words += outage_words("Redis", beat.outages, beat.away, beat.restarts)
        store = "存储" if self._chinese else "store"
        words += outage_words(store, beat.store_outages, beat.store_away, 0)
        if beat.reason:
            words.append(f"结束原因：{beat.reason}" if self._chinese else f"ended: {beat.reason}")
        if not words:
            return []
        told = f"{fit(beat.name, _NAME)}: {('；' if self._chinese else '; ').join(words)}"
        first, *more = fill(told, self._columns - 4)
        return [f"  {first}", *(f"    {line}" for line in more)]

    def _data(self, register: Register) -> dict[str, Any]:
        return {
            "crawl": self._crawl,
            "nodes": [
                {
                    **asdict(node.beat),
                    "key": node.key,
                    "state": node.state,
                    "silent_seconds": node.silent_seconds,
                    "asked": node.asked,
                    "hosts": list(node.hosts),
                }
                for node in register.nodes
            ],
            "pages_per_second": round(register.rate, 3),
            "one_node": round(register.one, 3),
            "one_node_is": _alone(register, "alone", "fastest"),
            "speed_up": None if register.speed_up is None else round(register.speed_up, 3),
            "pages": register.pages,
            "fetched_twice": register.duplicates,
            "handed_out_again": register.handed_out_again,
        }


def told_of_file(crawl: str, holder: str, *, chinese: bool) -> Told:
    """What there is to say of a queue in a file; ``holder``: the process that has it, "" for none."""
    if chinese:
        now = f"现在由进程 {holder} 使用" if holder else "现在没有在运行"
        text = f"{crawl}：队列在文件里，只有一个节点；{now}。多个节点共用一个队列：TOPICSPIDER_FRONTIER=redis://…"
    else:
        now = f"process {holder} crawls on it" if holder else "no process crawls on it"
        text = f"{crawl}: a queue in a file has one node; {now} now. For several nodes: TOPICSPIDER_FRONTIER=redis://…"
    return Told({"crawl": crawl, "nodes": None, "process": holder or None}, text)


def _called(register: Register, name: str) -> list[NodeState]:
    there = [node for node in register.nodes if node.state not in (ENDED, GONE)]
    found = there if name == ALL else register.called(name)
    if not found:
        names = sorted({node.beat.name for node in there})
        raise ConfigError("node", name, ", ".join([*names, ALL]) if names else "none, as no node is there")
    return found


def _hosts(node: NodeState) -> list[str]:
    return ["", f"{node.beat.name}:", *(f"  {host}" for host in node.hosts)] if node.hosts else []


def _alone(register: Register, alone: str, fastest: str) -> str:
    return alone if register.alone else fastest


def _span(seconds: float | None) -> str:
    """In the largest unit that has more than one of it."""
    if seconds is None:
        return "–"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
