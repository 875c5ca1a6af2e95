"""Checks a crawl before it starts: what Scrapy would turn into a traceback, or into exit code 0, ends here."""

from __future__ import annotations

from collections.abc import Sequence

from topicspider.assembly import Assembly
from topicspider.defaults import Options
from topicspider.download.reachability import Reach, reach_all
from topicspider.errors import NoSeedReachable
from topicspider.url.fingerprint import fingerprint

LONGEST_CHECK = 10.0  # seconds, whatever the connect limit
CHECKED_URLS = 20


def finished_words(assembly: Assembly, *, chinese: bool) -> str:
    """Why there is nothing left to do for this crawl, with what to type instead; empty when there is work."""
    counts = assembly.frontier.counts()
    known = len(assembly.frontier.known([fingerprint(url) for url in assembly.plan.seeds]))
    limit = assembly.plan.limits.pages
    name, folder = assembly.plan.name, assembly.plan.folder
    if limit is not None and counts.pages >= limit:
        if chinese:
            return f"{name}：已抓满 {counts.pages} 页（上限 {limit}）。继续抓取：调高 -a max_pages；重新开始：-a fresh=1。结果在 {folder}。"
        return f"{name}: has its {counts.pages} pages (limit {limit}). To go on, raise -a max_pages; to start anew, -a fresh=1. Results: {folder}"
    if counts.pages and known == len(assembly.plan.seeds) and not counts.queued and not counts.leased:
        if chinese:
            return f"{name}：抓取早已完成，共 {counts.pages} 页。重新开始：-a fresh=1；只更新变化页面的 recrawl 命令尚在计划中。结果在 {folder}。"
        return (
            f"{name}: finished before, with {counts.pages} pages. To start anew, -a fresh=1; a command `recrawl` that fetches "
            f"only what may have changed is planned. Results: {folder}"
        )
    return ""


def check_reachable(assembly: Assembly) -> list[Reach]:
    """Connect to the hosts a crawl would begin with; raises NoSeedReachable when none answers."""
    options = assembly.options
    urls = first_urls(assembly)
    if not urls:
        raise NoSeedReachable(f"Redis list {assembly.plan.redis_key or 'topic:start_urls'}", "is empty", "lpush some URLs first")
    reached = reach_all(urls, min(options.connect_timeout, LONGEST_CHECK), allow_private=options.allow_private)
    if all(one.failed for one in reached):
        raise NoSeedReachable(*_words(reached, options))
    return reached


def first_urls(assembly: Assembly) -> list[str]:
    """One URL for each of the hosts that come first: the best queued, else the seeds."""
    queued = [entry.url for entry in assembly.frontier.peek(CHECKED_URLS)]
    by_host = {url.split("/", 3)[2]: url for url in reversed([*queued, *assembly.plan.seeds])}
    return list(reversed(by_host.values()))[:CHECKED_URLS]


def _words(reached: Sequence[Reach], options: Options) -> tuple[str, str, str]:
    first = reached[0]
    if first.failed == "proxy":
        return f"proxy {first.proxy.split('@')[-1]}", first.why, "Check http_proxy and https_proxy"
    if first.failed == "refused":
        return first.url, first.why, "Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1" if not options.allow_private else ""
    hosts = f" (and {len(reached) - 1} more)" if len(reached) > 1 else ""
    return f"no seed can be reached: {first.url}{hosts}", first.why, "Is the network up? `scrapy doctor` shows each step"

