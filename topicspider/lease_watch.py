"""Cancels downloads whose lease is lost, because another node may fetch from that host now (promise F2)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

from scrapy.crawler import Crawler

from topicspider.download.cancellation import Downloads
from topicspider.frontier.node import FrontierNode

logger = logging.getLogger(__name__)


def lost_hosts(leases: Iterable[tuple[str, int]], node: FrontierNode) -> frozenset[str]:
    """Hosts of ``leases`` (host, token) that ``node`` no longer holds, without those that it has leased again."""
    held: set[str] = set()
    lost: set[str] = set()
    for host, token in leases:
        (held if node.holds(host, token) else lost).add(host)
    return frozenset(lost - held)


async def enforce_leases(crawler: Crawler, node: FrontierNode, is_lost: Callable[[str], bool]) -> None:
    """Run until cancelled: keep promise F2 however long a download, or the robots.txt before it, takes.

    A cancelled download goes back to the frontier as if it had not been tried. While the frontier answers, leases are renewed, and only
    downloads from hosts that it reports as lost (``is_lost``) are cancelled: a slow page may take up to TOPICSPIDER_PAGE_TIMEOUT.
    """
    if not node.is_shared:
        return
    downloads = Downloads.of(crawler)
    downloads.is_lost = lambda host: is_lost(host) or not node.may_continue(host)
    try:
        while True:
            await asyncio.sleep(node.check_seconds)
            try:
                broken = downloads.cancel_hosts(downloads.is_lost)
            except Exception:  # the next check may succeed
                logger.exception("Leases cannot be looked at")
                continue
            if broken:
                words = "%d downloads were broken off: the leases of their hosts are lost, or could not be renewed"
                logger.warning(words, broken)
    finally:
        downloads.let_all_begin()  # otherwise ``downloads`` would keep the finished crawl in memory
