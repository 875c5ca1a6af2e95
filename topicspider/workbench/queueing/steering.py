"""``scrapy frontier`` for those who steer: block, unblock, delay, rescore; a crawl that runs hears of it within seconds."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from topicspider.frontier.inspection import LONGEST_DELAY
from topicspider.frontier.protocol import Entry
from topicspider.text.terminal import fit
from topicspider.workbench.queueing.desk import QueueAction, QueueDesk, Told
from topicspider.workbench.queueing.names import hosts_called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.frontier.inspection import Inspection

JUDGED_AT_ONCE = 500


def _block(names: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        hosts = _found(names, inspection)
        changed = inspection.block(hosts)
    return _told("blocked", desk.words("已封禁", "blocked"), hosts, changed, desk)


def _unblock(names: Sequence[str], desk: QueueDesk) -> Told:
    with closing(desk.look()) as inspection:
        hosts = _found(names, inspection)
        changed = inspection.unblock(hosts)
    return _told("unblocked", desk.words("已解封", "unblocked"), hosts, changed, desk)


def _delay(args: Sequence[str], desk: QueueDesk) -> Told:
    seconds = float(args[1])
    with closing(desk.look()) as inspection:
        hosts = _found(args[:1], inspection)
        for host in hosts:
            inspection.set_delay(host, seconds)
    shown = ", ".join(hosts)
    text = desk.words(
        f"{shown}：两次抓取至少间隔 {seconds:g} 秒", f"{shown}: rests at least {seconds:g} s after each fetch"
    )
    if not seconds:
        text = desk.words(f"{shown}：不再另设间隔", f"{shown}: no delay of its own any more")
    return Told({"hosts": hosts, "delay_seconds": seconds}, text)


def _rescore(_args: Sequence[str], desk: QueueDesk) -> Told:
    from topicspider.steering.rejudging import SEEDS_FROM, by_address

    judging, model = desk.judging()
    judged = changed = 0
    with closing(desk.look()) as inspection:
        queued = (one for one in inspection.records() if isinstance(one, Entry) and one.score < SEEDS_FROM)
        while some := list(islice(queued, JUDGED_AT_ONCE)):
            before = {entry.fingerprint: entry.score for entry in some}
            scores = [one for one in by_address(some, judging) if one[0] in before]  # the others are no plain addresses
            judged += len(scores)
            changed += sum(round(score, 6) != round(before[mark], 6) for mark, score in scores)
            inspection.rescore(scores)
    text = desk.words(
        f"{judged:,} 个网址按其地址重新评分，{changed:,} 个分数有变",
        f"{judged:,} URLs judged anew by their address, {changed:,} have another score",
    )
    data = {"judged": judged, "changed": changed, "model": model}
    return Told(data, "\n".join(fit(line, desk.columns) for line in (text, model) if line))


def _found(names: Sequence[str], inspection: Inspection) -> list[str]:
    """The hosts of the queue that are meant; whoever names them as the queue does needs no list of all."""
    if all(inspection.host(name) for name in names):
        return list(dict.fromkeys(names))
    return hosts_called(names, {one.host for one in inspection.hosts()})


def _told(key: str, done: str, hosts: Sequence[str], changed: int, desk: QueueDesk) -> Told:
    same = len(hosts) - changed
    before = desk.words(f"（{same} 个本来如此）", f" ({same} as before)") if same else ""
    return Told({key: list(hosts), "changed": changed}, f"{done}: {', '.join(hosts)}{before}")


def _some_hosts(name: str, args: Sequence[str]) -> str:
    return "" if args else f"{name} takes hosts"


def _host_and_seconds(args: Sequence[str]) -> str:
    if len(args) != 2:
        return "delay takes a host and seconds"
    try:
        return "" if 0 <= float(args[1]) <= LONGEST_DELAY else f"{args[1]}: 0 to {LONGEST_DELAY:g} seconds"
    except ValueError:
        return f"{args[1]} is no number of seconds"


ACTIONS = (
    QueueAction(
        "block",
        "block HOST ...",
        "`block` has hosts asked no more; their URLs stay queued.",
        lambda args: _some_hosts("block", args),
        _block,
    ),
    QueueAction(
        "unblock", "unblock HOST ...", "`unblock` undoes it.", lambda args: _some_hosts("unblock", args), _unblock
    ),
    QueueAction(
        "delay",
        "delay HOST SECONDS",
        "`delay` sets the least time that a host rests after each fetch, 0 removes it.",
        _host_and_seconds,
        _delay,
    ),
    QueueAction(
        "rescore",
        "rescore",
        "`rescore` judges all queued URLs anew, by their address, as the topic and its model are now.",
        lambda args: f"rescore takes no more words: {' '.join(args)}" if args else "",
        _rescore,
    ),
)
