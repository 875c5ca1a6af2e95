"""The words of the live line and of the closing table, in Chinese and English."""

from __future__ import annotations

from topicspider.assembly import Assembly
from topicspider.tally import Tally
from topicspider.text.columns import fit, table

SHOWN_REASONS = 8

REASONS_ZH = {
    "finished": "已完成：没有可抓的链接了",
    "max_pages": "已达到页数上限",
    "shutdown": "已中断：再次运行同一命令即可继续",
    "no_seed_reachable": "没有一个起始网址可以访问",
    "frontier_unavailable": "网址队列无法写入",
    "store_unavailable": "网页存储无法写入",
}
REASONS_EN = {
    "finished": "finished: no links are left",
    "max_pages": "finished: the page limit is reached",
    "shutdown": "stopped: the same command goes on from here",
    "no_seed_reachable": "no seed could be reached",
    "frontier_unavailable": "the frontier could not be written",
    "store_unavailable": "the store could not be written",
}


def live_line(tally: Tally, columns: int, *, chinese: bool) -> str:
    """One line of at most ``columns`` columns: what a crawl has done and how it goes on."""
    left = _clock(tally.seconds_left)
    pages, hits = f"{tally.earlier_pages + tally.pages:,}", f"{tally.hits:,}"
    rate, recent = f"{tally.harvest_rate:.0%}", f"{tally.recent_harvest_rate:.0%}"
    queued, pruned, pace = f"{tally.queued:,}", f"{tally.pruned_share:.0%}", f"{tally.pages_per_second:.1f}"
    if chinese:
        parts = [
            f"页 {pages}",
            f"命中 {hits}",
            f"收获率 {rate} (近百页 {recent})",
            f"排队 {queued}",
            f"剪枝 {pruned}",
            f"{pace} 页/秒",
            f"剩 {left}",
        ]
    else:
        parts = [
            f"{pages} pages",
            f"{hits} hits",
            f"{rate} (last 100: {recent})",
            f"{queued} queued",
            f"{pruned} pruned",
            f"{pace}/s",
            f"{left} left",
        ]
    return fit(" · ".join(parts), columns)


def closing_lines(assembly: Assembly, spider: str, reason: str, *, chinese: bool) -> list[str]:
    """What a crawl found, why links and pages were left out, where the results are, what to type next."""
    tally, plan = assembly.tally, assembly.plan
    reasons = REASONS_ZH if chinese else REASONS_EN
    rows = _rows_zh(tally) if chinese else _rows_en(tally)
    title = f"{plan.name}: {reasons.get(reason, reason)}"
    pruned = _counted(tally.pruned)
    errors = _counted(tally.errors)
    results = assembly.options.store.split("@")[-1] or str(plan.folder / "pages.db")
    if chinese:
        rows += [("按原因剪枝", pruned or "无"), ("错误", errors or "无"), ("结果在", results)]
        rows.append(("接下来", _next(assembly, spider, reason)))
    else:
        rows += [("pruned links", pruned or "none"), ("errors", errors or "none"), ("results", results)]
        rows.append(("next", _next(assembly, spider, reason)))
    return ["", title, *table(rows, columns=400).splitlines()]


def _rows_en(tally: Tally) -> list[tuple[str, str]]:
    return [
        ("pages", _with_earlier(tally.pages, tally.earlier_pages, "in earlier runs")),
        ("hits", f"{tally.hits:,}"),
        ("harvest rate", f"{tally.harvest_rate:.1%} (last 100 pages: {tally.recent_harvest_rate:.1%})"),
        ("hosts", f"{len(tally.hosts):,} ({len(tally.hosts_with_hits):,} with hits)"),
        ("time", f"{_clock(tally.seconds)} ({tally.pages / tally.seconds if tally.seconds else 0:.1f} pages/s)"),
        ("links kept", f"{tally.kept_links:,} of {tally.links:,}"),
    ]


def _rows_zh(tally: Tally) -> list[tuple[str, str]]:
    return [
        ("页数", _with_earlier(tally.pages, tally.earlier_pages, "为先前抓取")),
        ("命中", f"{tally.hits:,}"),
        ("收获率", f"{tally.harvest_rate:.1%}（近百页 {tally.recent_harvest_rate:.1%}）"),
        ("主机", f"{len(tally.hosts):,}（其中 {len(tally.hosts_with_hits):,} 个有命中）"),
        ("用时", f"{_clock(tally.seconds)}（{tally.pages / tally.seconds if tally.seconds else 0:.1f} 页/秒）"),
        ("保留链接", f"{tally.kept_links:,} / {tally.links:,}"),
    ]


def _with_earlier(now: int, earlier: int, words: str) -> str:
    return f"{now:,} (+ {earlier:,} {words})" if earlier else f"{now:,}"


def _counted(counts: dict[str, int]) -> str:
    largest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{name} {count:,}" for name, count in largest[:SHOWN_REASONS])
    rest = sum(count for _name, count in largest[SHOWN_REASONS:])
    return f"{shown}, … {rest:,}" if rest else shown


def _next(assembly: Assembly, spider: str, reason: str) -> str:
    options = assembly.options
    again = f"scrapy crawl {spider} -a topic={options.topic}"
    if reason == "max_pages":
        return f"{again} -a max_pages={2 * (assembly.plan.limits.pages or 0)}"
    if reason == "finished":
        return f"scrapy explain --topic {options.topic} URL"
    return again


def _clock(seconds: float | None) -> str:
    """90 is 1:30; hours where there are some."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
