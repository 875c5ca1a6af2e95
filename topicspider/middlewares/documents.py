"""Downloader middleware: has PDF, DOCX and EPUB turned into simple markup by a process of its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.statscollectors import StatsCollector

from topicspider.defaults import Options
from topicspider.fetches import ReadDocument
from topicspider.page.documents.converter import Converter
from topicspider.page.documents.kinds import kind_of
from topicspider.requests import DOCUMENT


class DocumentsMiddleware:
    """Stands near the spider, so that it sees answers as they will be read: unpacked, not redirected.

    The response stays as it came (other people's spiders get their PDF); what it was turned into goes with the
    request, where ``fetches.fetch_of`` finds it. The event loop never waits: a thread talks to the worker process, which
    starts with the first document. A document that cannot be read is counted, and no error.
    """

    def __init__(self, stats: StatsCollector, converter: Converter) -> None:
        self._stats = stats
        self._converter = converter
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="documents")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not Options.read(crawler.settings).documents:
            raise NotConfigured
        assert crawler.stats is not None
        middleware = cls(crawler.stats, Converter())
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        """Hand a document over and wait for its markup; anything else passes at once."""
        if response.status // 100 != 2 or request.callback is NO_CALLBACK:
            return response
        kind = kind_of(response.body, (response.headers.get("Content-Type") or b"").decode("latin-1"))
        if kind:
            loop = asyncio.get_running_loop()
            document = await loop.run_in_executor(self._thread, self._converter.convert, kind, response.body)
            request.meta[DOCUMENT] = ReadDocument(response.body, document)
            self._stats.inc_value(f"topicspider/documents/{document.failure or document.kind}")
        return response

    def spider_closed(self) -> None:
        """End the process, whatever it is doing."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._converter.close()
