"""Downloader middleware: converts PDF and DOCX documents into simple markup, in a separate process."""

from __future__ import annotations

import asyncio
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from topicspider.crawled_page import ReadBody, content_type_of
from topicspider.download.outcome import Outcome
from topicspider.meta import DOCUMENT, OUTCOME
from topicspider.middlewares.politeness import Postponed, must_give_up
from topicspider.options import Options
from topicspider.page.decode import kind_of
from topicspider.page.documents.process import convert


class DocumentsMiddleware:
    """Stands near the spider, so that it sees responses after decompression and redirects.

    The response stays unchanged (other spiders get their PDF); the markup is stored with the request, where ``crawled_page.download_of``
    finds it. The event loop never waits: a thread talks to the converting process, one document at a time. A document that cannot be read
    is counted and raises no error. When the crawl is closing, the document in work is read to its end; those waiting behind it go back to
    the queue.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._one_at_a_time = asyncio.Lock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not Options.read(crawler.settings).documents:
            raise NotConfigured
        return cls(crawler)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Convert a document and wait for its markup; anything else passes at once."""
        if response.status // 100 != 2 or request.callback is NO_CALLBACK:
            return response
        if kind := kind_of(response.body, content_type_of(response)):
            async with self._one_at_a_time:
                if must_give_up(self._crawler):
                    request.meta[OUTCOME] = Outcome.POSTPONED
                    raise Postponed(0.0, request.url)
                document = await asyncio.to_thread(convert, kind, response.body)
            request.meta[DOCUMENT] = ReadBody(response.body, document)
            self._crawler.stats.inc_value(f"topicspider/documents/{document.failure or document.kind}")
        return response
