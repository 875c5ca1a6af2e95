"""Breaks off downloads whose host may be another node's by now (promise F2)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

from scrapy.crawler import Crawler

from topicspider.download.cancellation import Downloads
from topicspider.frontier.node import FrontierNode

logger = logging.getLogger(__name__)


def lost_hosts(leases: Iterable[tuple[str, int]], node: FrontierNode) -> frozenset[str]:
    """Hosts of ``leases`` (hosts with tokens) that ``node`` held and holds no more; one that it was granted anew is none of them."""
    held: set[str] = set()
    lost: set[str] = set()
    for host, token in leases:
        (held if node.holds(host, token) else lost).add(host)
    return frozenset(lost - held)


async def keep_to_leases(crawler: Crawler, node: FrontierNode, is_lost: Callable[[str], bool]) -> None:
    """Until cancelled: holds promise F2 whatever time a download takes, and a robots.txt before it.

    What is broken off, or not begun, goes back to the frontier as if it had not been tried. While calls come through, leases are
    renewed, and only what the frontier says is lost (``is_lost``) is broken off: a slow page takes what time it needs, up to
    TOPICSPIDER_PAGE_TIMEOUT.
    """
    if not node.is_shared:
        return
    downloads = Downloads.of(crawler)
    downloads.is_lost = lambda host: is_lost(host) or not node.may_go_on(host)
    try:
        await _watch(downloads, node.look_seconds)
    finally:
        downloads.let_all_begin()  # else the crawl would be kept in memory by its own downloads


async def _watch(downloads: Downloads, look_seconds: float) -> None:
    while True:
        await asyncio.sleep(look_seconds)
        try:
            broken = downloads.cancel_hosts(downloads.is_lost)
        except Exception:  # the next look may do better
            logger.exception("Leases cannot be looked at")
            continue
        if broken:
            logger.warning(
                "%d downloads were broken off: the leases of their hosts are lost, or could not be renewed", broken
            )
