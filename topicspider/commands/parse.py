"""``scrapy parse``: as built in, but beside the crawl's own queue and store, and with links judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.commands import parse
from scrapy.settings import SETTINGS_PRIORITIES

from topicspider.cli.command import one_line_errors
from topicspider.defaults import setting_name

if TYPE_CHECKING:
    import argparse

    from scrapy import Request, Spider

    from topicspider.spiders.topic import LinkBatch

BESIDE_THE_CRAWL = {"frontier": "memory:", "store": "memory:", "model": "memory:", "live": "off"}


class Command(parse.Command):
    """The spider's LinkBatch is shown as the Requests that it leads to."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Beside the crawl whatever the project's settings and the environment name; ``-s`` alone wins."""
        super().process_options(args, opts)
        assert self.settings is not None
        given = SETTINGS_PRIORITIES["cmdline"]
        with one_line_errors(self):
            for name, value in BESIDE_THE_CRAWL.items():
                if (self.settings.getpriority(setting_name(name)) or 0) < given:
                    self.settings.set(setting_name(name), value, priority="cmdline")

    def _get_items_and_requests(
        self, spider_output: Any, opts: argparse.Namespace, depth: int, spider: Spider, callback: Any
    ) -> tuple[list[Any], list[Request], argparse.Namespace, int, Spider, Any]:
        from topicspider.spiders.topic import LinkBatch

        expanded: list[Any] = []
        for output in spider_output:
            if isinstance(output, LinkBatch):
                expanded.extend(self._requests(output))
            else:
                expanded.append(self._filled(output))
        return super()._get_items_and_requests(expanded, opts, depth, spider, callback)

    def _filled(self, output: Any) -> Any:
        """Our item with all that the pipelines would put into it; nothing is stored."""
        from topicspider.assembly import Assembly
        from topicspider.items import PageItem

        visit = Assembly.of(self.pcrawler).visit_at(output.url) if isinstance(output, PageItem) else None
        if visit is not None:
            for fill in (visit.fill_reading, visit.fill_relevance, visit.fill_description):
                fill(output)
        return output

    def _requests(self, batch: LinkBatch) -> list[Request]:
        from topicspider.assembly import Assembly
        from topicspider.middlewares.focus import FocusMiddleware

        visit = Assembly.of(self.pcrawler).visit_at(batch.url)
        return list(FocusMiddleware.from_crawler(self.pcrawler).requests_for(visit)) if visit is not None else []
