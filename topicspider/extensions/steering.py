"""Extension: saves and shares what the crawl learns, and warns when its topic was edited."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from scrapy import Spider
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.relevance.default_thresholds import page_threshold_doubt
from topicspider.scrapy_component import ScrapyComponent

logger = logging.getLogger(__name__)


class Steering(ScrapyComponent):
    """A task that runs beside the crawl and never ends it, whatever goes wrong."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._files = {topic.source: _written_at(topic.source) for topic in components.config.topics}

    def spider_opened(self) -> None:
        for topic, view in zip(self._components.config.topics, self._components.subject.views, strict=True):
            # a threshold in a topic file may have been meant for another scorer
            if doubt := page_threshold_doubt(topic, view.judge.scorer_name, view.judge.threshold):
                logger.warning("%s", doubt)
        if self._components.is_edited:
            text = N_(
                "{topic} was edited since the last run: it counts from here on, what was judged before keeps its score"
            )
            logger.warning("%s", _(text, topic=self._components.config.name))
        self._repeat(self._share, 5.0, "what the crawl learns could not be kept")

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        await self._end_task()
        await self._components.models.close()

    async def _share(self) -> None:
        await asyncio.to_thread(self._look_for_edits)
        await self._components.models.sync()

    def _look_for_edits(self) -> None:
        """Warn of edits. A variable topic ((a) Li 2002) changes only between two runs, so that all scores of one run are comparable."""
        for file, before in self._files.items():
            if (now := _written_at(file)) != before:
                self._files[file] = now
                text = N_(
                    "{file} was edited: this run keeps the topic as it was; stop it, and the same command takes the edit up"
                )
                logger.warning("%s", _(text, file=file))


def _written_at(file: str) -> float:
    """The file's modification time; 0 if there is no file: a class of the catalogue, a topic in the store."""
    try:
        return Path(file).stat().st_mtime
    except OSError:
        return 0.0
