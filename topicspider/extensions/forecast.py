"""Extension: says at the start what politeness allows, and warns when the pages asked for will not come in the time given."""

from __future__ import annotations

import logging
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.i18n import clock
from topicspider.i18n import gettext as _
from topicspider.politeness.planning import Allowance, Delays, HostBudget
from topicspider.url import host_key

logger = logging.getLogger(__name__)


class CrawlForecast:
    """One line, by the hosts that are known then, each resting as little as it may: a crawl that finds more hosts is faster.

    The time given is Scrapy's CLOSESPIDER_TIMEOUT.
    """

    def __init__(self, crawler: Crawler, assembly: CrawlComponents) -> None:
        self._seconds = crawler.settings.getfloat("CLOSESPIDER_TIMEOUT")
        self._assembly = assembly

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    def spider_opened(self) -> None:
        assembly, options = self._assembly, self._assembly.options
        pages = assembly.tally.pages_left if assembly.tally.max_pages is not None else None
        seeds = {host_key(url) for url in assembly.plan.seeds}
        hosts = max(len(seeds), assembly.known_hosts)
        if not pages or not hosts:
            return
        cycle = Delays(options.delay_factor, options.delay_min, options.delay_max).cycle_seconds()
        allowance = Allowance([HostBudget(cycle)] * hosts)
        warning = warning_of(allowance, pages, self._seconds)
        if warning:
            logger.warning("%s", warning)
        elif line := forecast_of(allowance, pages):
            logger.info("%s", line)


def forecast_of(allowance: Allowance, pages: int) -> str:
    """How long the pages take at least; "" when that is not worth a line."""
    needed = allowance.seconds_for(pages)
    # what is over sooner needs no plan
    if needed is None or needed < 60.0:
        return ""
    return _(
        "politeness: {pages:,} pages of the {hosts:,} host(s) known so far take {time} at least; more hosts make it faster",
        pages=pages,
        hosts=allowance.hosts,
        time=clock(needed),
    )


def warning_of(allowance: Allowance, pages: int, seconds: float) -> str:
    """What is wrong with the budget; "" when it can be reached in ``seconds`` (0: there is no limit)."""
    allowed = allowance.pages_in(seconds) if seconds > 0 else None
    needed = allowance.seconds_for(pages)
    if allowed is None or allowed >= pages or needed is None:
        return ""
    return _(
        "{pages:,} pages will not come in {time}: the {hosts:,} host(s) known so far allow {allowed:,} (hosts x seconds / rest); "
        "it needs more hosts, or CLOSESPIDER_TIMEOUT={needed:.0f}",
        pages=pages,
        time=clock(seconds),
        hosts=allowance.hosts,
        allowed=allowed,
        needed=needed,
    )
