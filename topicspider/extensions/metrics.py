"""Extension: offers figures of the running crawl to Prometheus, when a setting asks for them."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from topicspider import __version__
from topicspider.crawl_components import CrawlComponents
from topicspider.frontier.heartbeat import node_name
from topicspider.meta import DOWNLOAD_SECONDS
from topicspider.metrics.endpoint import PATH, MetricsEndpoint, Place, TargetFile
from topicspider.middlewares.politeness import PolitenessMiddleware
from topicspider.scrapy_component import ScrapyComponent
from topicspider.stalls.frontier_status import FrontierStatus, frontier_status_of

logger = logging.getLogger(__name__)


class CrawlMetrics(ScrapyComponent):
    """Reads figures that other components count, only when asked for them. An endpoint that cannot be opened does not end the crawl."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        place = Place.read(components.options)
        if place is None:
            raise NotConfigured
        self._place = place
        from topicspider.metrics.exposition import Exposition  # imports prometheus_client, which no other crawl needs

        options = components.options
        facts = {
            "node": node_name(options.node),
            "run": components.run_id,
            "version": __version__,
            "page_scorer": options.page_scorer,
            "link_policy": options.link_policy,
        }
        self._exposition = Exposition(components.config.name, facts, self.look)
        self._endpoint: MetricsEndpoint | None = None
        self._target: TargetFile | None = None

    async def spider_opened(self) -> None:
        self._endpoint = MetricsEndpoint(self._place, self._exposition)
        try:
            address = self._place.told_as(await self._endpoint.open())
        except OSError as error:
            logger.error("the crawl goes on, but its metrics cannot be had: %s", error)
            return
        logger.info("metrics at http://%s%s", address, PATH)
        if folder := self._components.options.metrics_targets:
            try:
                self._target = await asyncio.to_thread(TargetFile, folder, address)
            except OSError as error:
                logger.error("the metrics answer, but Prometheus is not told where, at %s: %s", folder, error)

    def response_downloaded(self, request: Request) -> None:
        seconds = request.meta.get(DOWNLOAD_SECONDS)
        if seconds is not None:
            self._exposition.download_seconds.observe(seconds)

    async def engine_stopped(self) -> None:
        if self._target is not None:
            self._target.remove()
        if self._endpoint is not None:
            await self._endpoint.close()

    def look(self) -> dict[str, Any]:
        """The present figures by name; see FIGURES."""
        stats, writer, status = self._components.stats, self._components.writer, frontier_status_of(self._crawler)
        politeness: Any = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        resting = {} if politeness is None else politeness.resting().reasons
        return {
            "pages": stats.pages,
            "hits": stats.hits,
            "harvest_ratio": stats.harvest_rate,
            "recent_harvest_ratio": stats.recent_harvest_rate,
            "hosts_with_hits": len(stats.hosts_with_hits),
            "errors": dict(stats.errors),
            "links_kept": stats.kept_links,
            "links_pruned": dict(stats.pruned),
            "downloaded_bytes": self._crawler.stats.get_value("downloader/response_bytes", 0),
            "resting_hosts": {reason or "usual": count for reason, count in resting.items()},
            "store_rows": {"written": writer.written, "refused": writer.refused},
            "store_rows_waiting": {"memory": writer.waiting, "outbox": writer.in_outbox},
            "store_away": int(writer.is_away),
            "loop_lag_seconds": max(stats.loop_lags, default=0.0),
            "stalled": int(bool(stats.stall)),
            **({} if status is None else _frontier_figures(status)),
        }


def _frontier_figures(status: FrontierStatus) -> dict[str, Any]:
    counts = status.counts
    return {
        "queue_urls": {name: getattr(counts, name) for name in ("queued", "leased", "done", "dead", "evicted")},
        "queue_pages": counts.pages,
        "queue_hosts": counts.hosts,
        "frontier_calls": status.calls,
        "frontier_call_seconds": status.spent_seconds,
        "frontier_away": int(bool(status.trouble)),
    }
