"""The words of the live line and of the closing table, in Chinese and English."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from topicspider.defaults import OWN_SPIDER
from topicspider.errors import one_line
from topicspider.store import location
from topicspider.text.columns import fit, pad, width, wrap
from topicspider.text.wording import clock, outage_words
from topicspider.url.masked import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.assembly import Assembly
    from topicspider.steering.stop_rule import Stop
    from topicspider.tally import Tally

SHOWN_REASONS = 8

REASONS_ZH = {
    "finished": "已完成：没有可抓的链接了",
    "max_pages": "已达到页数上限",
    "shutdown": "已中断：再次运行同一命令即可继续",
    "drained": "已按要求离开（scrapy nodes）：其他节点继续，同一命令可再次加入",
    "no_seed_reachable": "没有一个起始网址可以访问",
    "nothing_listed": "起始的站点地图或订阅源里没有值得抓取的链接（见按原因剪枝）",
    "frontier_unavailable": "网址队列无法写入",
    "store_unavailable": "网页存储无法写入",
}
REASONS_EN = {
    "finished": "finished: no links are left",
    "max_pages": "finished: the page limit is reached",
    "shutdown": "stopped: the same command goes on from here",
    "drained": "left as it was asked to (scrapy nodes): other nodes go on, the same command joins again",
    "no_seed_reachable": "no seed could be reached",
    "nothing_listed": "the sitemaps or feeds it began with list no link worth following (see pruned links)",
    "frontier_unavailable": "the frontier could not be written",
    "store_unavailable": "the store could not be written",
}


def live_line(tally: Tally, columns: int, *, chinese: bool, shows_stall: bool = True) -> str:
    """One line of at most ``columns`` columns: what a crawl has done and how it goes on; narrower words where it must.

    While it stands still, why: then the numbers are few. (The log says that once; it wants the numbers.)
    """
    if tally.stall and shows_stall:
        return fit(f"{_pages_and_queued(tally, chinese)} · {tally.stall}", columns)
    parts = _parts_zh(tally) if chinese else _parts_en(tally)
    short = _short_parts_zh(tally) if chinese else _short_parts_en(tally)
    for line in (" · ".join(parts), " · ".join(short), "  ".join(short)):
        if width(line) <= columns:
            return line
    return fit("  ".join(short), columns)


def _pages_and_queued(tally: Tally, chinese: bool) -> str:
    pages, queued = _short(tally.earlier_pages + tally.pages), _short(tally.queued)
    return f"页 {pages} · 排队 {queued}" if chinese else f"{pages} pages · {queued} queued"


def _parts_en(tally: Tally) -> list[str]:
    return [
        f"{tally.earlier_pages + tally.pages:,} pages",
        f"{tally.hits:,} hits",
        f"{tally.harvest_rate:.0%} (last 100: {tally.recent_harvest_rate:.0%})",
        f"{tally.queued:,} queued",
        f"{tally.pruned_share:.0%} pruned",
        f"{tally.pages_per_second:.1f}/s",
        f"{_clock(tally.seconds_left)} left",
    ]


def _parts_zh(tally: Tally) -> list[str]:
    return [
        f"页 {tally.earlier_pages + tally.pages:,}",
        f"命中 {tally.hits:,}",
        f"收获率 {tally.harvest_rate:.0%} (近百页 {tally.recent_harvest_rate:.0%})",
        f"排队 {tally.queued:,}",
        f"剪枝 {tally.pruned_share:.0%}",
        f"{tally.pages_per_second:.1f} 页/秒",
        f"剩 {_clock(tally.seconds_left)}",
    ]


def _short_parts_en(tally: Tally) -> list[str]:
    return [
        f"{_short(tally.earlier_pages + tally.pages)} pages",
        f"{_short(tally.hits)} hits",
        f"{tally.harvest_rate:.0%} ({tally.recent_harvest_rate:.0%})",
        f"{_short(tally.queued)} queued",
        f"{tally.pruned_share:.0%} pruned",
        f"{tally.pages_per_second:.1f}/s",
        _clock(tally.seconds_left),
    ]


def _short_parts_zh(tally: Tally) -> list[str]:
    return [
        f"页 {_short(tally.earlier_pages + tally.pages)}",
        f"命中 {_short(tally.hits)}",
        f"收获 {tally.harvest_rate:.0%} ({tally.recent_harvest_rate:.0%})",
        f"排队 {_short(tally.queued)}",
        f"剪枝 {tally.pruned_share:.0%}",
        f"{tally.pages_per_second:.1f}/秒",
        f"剩 {_clock(tally.seconds_left)}",
    ]


def _short(number: int) -> str:
    """1234567 is 1.23M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if number >= size:
            return f"{number / (1e3 if unit == 'k' else size):.3g}{unit}"
    return str(number)


def closing_lines(assembly: Assembly, spider: str, reason: str, *, chinese: bool, columns: int = 400) -> list[str]:
    """What a crawl found, why links and pages were left out, where the results are, what to type next.

    Each line fits in ``columns``: longer values go on in the next one, under their beginning.
    """
    tally, plan = assembly.tally, assembly.plan
    rows = _rows_zh(tally) if chinese else _rows_en(tally)
    pruned = _counted(tally.pruned)
    errors = _counted(tally.errors)
    if chinese:
        rows += [("按原因剪枝", pruned or "无"), ("错误", errors or "无"), ("结果在", _results(assembly))]
    else:
        rows += [("pruned links", pruned or "none"), ("errors", errors or "none"), ("results", _results(assembly))]
    if interruptions := _interruptions(assembly, chinese):
        rows.append(("中断", interruptions) if chinese else ("interruptions", interruptions))
    last = ("接下来" if chinese else "next", _next(assembly, spider, reason))
    why = _reason(tally, reason, chinese) if assembly.stopped is None else _stop_words(assembly.stopped, chinese)
    title = f"{plan.name}: {why}"
    return ["", *wrap(one_line(title), columns), *_two_columns([*rows, last], columns)]


def _stop_words(stop: Stop, chinese: bool) -> str:
    """Why the stop rule ended the crawl, with what it saw."""
    left = stop.left
    if chinese:
        seen = f"最近 {stop.pages:,} 页中新命中 {stop.finds:,} 页，估计还剩约 {left.about:.0f} 页（{left.low:.0f} 至 {left.high:.0f}）"
        return f"按停止规则结束（{stop.reason}）：{seen}"
    seen = f"{stop.finds:,} new hits on the last {stop.pages:,} pages, about {left.about:.0f} left ({left.low:.0f} to {left.high:.0f})"
    return f"stopped by its rule ({stop.reason}): {seen}"


def _two_columns(rows: Sequence[tuple[str, str]], columns: int) -> list[str]:
    names = max(width(name) for name, _value in rows) + 2
    lines = []
    for name, value in rows:
        for at, line in enumerate(wrap(one_line(value, 2000), max(20, columns - names))):
            lines.append(pad("" if at else name, names) + line)
    return lines


def _reason(tally: Tally, reason: str, chinese: bool) -> str:
    if reason == "finished" and tally.queued:  # on hosts that are blocked, or gave all they may
        if chinese:
            return f"已结束；{tally.queued:,} 个链接还在排队，但它们的主机现在不能抓取"
        return f"finished; {tally.queued:,} links stay queued, on hosts that may not be asked now"
    if reason == "finished" and tally.earlier_pages and not tally.pages:
        if chinese:
            return "早已完成，没有新的链接；重新开始：-s TOPICSPIDER_FRESH=1"
        return "finished before, nothing is left; to start anew: -s TOPICSPIDER_FRESH=1"
    return (REASONS_ZH if chinese else REASONS_EN).get(reason, reason)


def _rows_en(tally: Tally) -> list[tuple[str, str]]:
    return [
        ("pages", _with_earlier(tally.pages, tally.earlier_pages, "in earlier runs")),
        ("hits", f"{tally.hits:,}" + (f" (+ {tally.copies:,} near-duplicates)" if tally.copies else "")),
        ("harvest rate", f"{tally.harvest_rate:.1%} (last 100 pages: {tally.recent_harvest_rate:.1%})"),
        ("hosts", f"{len(tally.hosts):,} ({len(tally.hosts_with_hits):,} with hits)"),
        ("time", f"{_clock(tally.seconds)} ({tally.pages / tally.seconds if tally.seconds else 0:.1f} pages/s)"),
        ("links kept", f"{tally.kept_links:,} of {tally.links:,}"),
    ]


def _rows_zh(tally: Tally) -> list[tuple[str, str]]:
    return [
        ("页数", _with_earlier(tally.pages, tally.earlier_pages, "为先前抓取")),
        ("命中", f"{tally.hits:,}" + (f"（另有 {tally.copies:,} 页近似重复）" if tally.copies else "")),
        ("收获率", f"{tally.harvest_rate:.1%}（近百页 {tally.recent_harvest_rate:.1%}）"),
        ("主机", f"{len(tally.hosts):,}（其中 {len(tally.hosts_with_hits):,} 个有命中）"),
        ("用时", f"{_clock(tally.seconds)}（{tally.pages / tally.seconds if tally.seconds else 0:.1f} 页/秒）"),
        ("保留链接", f"{tally.kept_links:,} / {tally.links:,}"),
    ]


def _with_earlier(now: int, earlier: int, words: str) -> str:
    return f"{now:,} (+ {earlier:,} {words})" if earlier else f"{now:,}"


def _interruptions(assembly: Assembly, chinese: bool) -> str:
    """What was away while this process crawled, and came back; "" for nothing."""
    store, redis = ("存储", "Redis") if chinese else ("store", "Redis")
    words = outage_words(redis, *assembly.tally.frontier_outages, chinese=chinese)
    words += outage_words(store, *assembly.writer.outages, 0, chinese=chinese)
    return ("；" if chinese else "; ").join(words)


def _counted(counts: dict[str, int]) -> str:
    largest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{name} {count:,}" for name, count in largest[:SHOWN_REASONS])
    rest = sum(count for _name, count in largest[SHOWN_REASONS:])
    return f"{shown}, … {rest:,}" if rest else shown


def _results(assembly: Assembly) -> str:
    return masked(assembly.options.store) or str(assembly.plan.folder / location.FILE)


def _next(assembly: Assembly, spider: str, reason: str) -> str:
    command = os.environ.get("TOPICSPIDER_COMMAND") or "scrapy"  # how it was started: ``run`` says so
    if spider != OWN_SPIDER:
        return f"{command} crawl {spider}" + (" -s TOPICSPIDER_FRESH=1" if reason == "finished" else "")
    options = assembly.options
    again = f"{command} crawl {spider} -a topic={options.topic}"
    if reason == "max_pages":
        return f"{again} -a max_pages={2 * (assembly.plan.limits.pages or 0)}"
    if reason == "finished":
        return f"{command} explain --topic {options.topic} URL"
    return again


def _clock(seconds: float | None) -> str:
    return "–" if seconds is None else clock(seconds)
