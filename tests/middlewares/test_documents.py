"""Documents are turned into markup on their way to the spider; the event loop never waits."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topicspider.crawled_page import download_of
from topicspider.download.outcome import Outcome
from topicspider.meta import OUTCOME
from topicspider.middlewares import documents
from topicspider.middlewares.documents import DocumentsMiddleware
from topicspider.middlewares.politeness import Postponed
from topicspider.page.documents.document import Document

URL = "http://www.example.cn/guide"
TYPE = {"Content-Type": "application/pdf"}


class SlowReader:
    """Takes its time, and notes what it was given."""

    def __init__(self, seconds=0.0, failure=""):
        self.seconds = seconds
        self.failure = failure
        self.given = []

    def __call__(self, kind, body):
        time.sleep(self.seconds)
        self.given.append((kind, body))
        return Document(kind, b"" if self.failure else b"<p>markup</p>", self.failure)


RUNNING = SimpleNamespace(running=True)


def middleware(monkeypatch, reader, engine=RUNNING):
    monkeypatch.setattr(documents, "convert", reader)
    crawler = get_crawler()
    crawler.engine = engine
    crawler.stats = StatsCollector(crawler)
    return DocumentsMiddleware(crawler)


def passed(monkeypatch, reader, response, request):
    asked = middleware(monkeypatch, reader)
    answer = asyncio.run(asked.process_response(request, response))
    response.request = response.request or request
    return answer, asked._crawler.stats.get_stats()


def test_a_failure_is_counted_by_its_name(monkeypatch):
    response = Response(URL, body=b"%PDF-1.7 ...", headers=TYPE)
    _answer, stats = passed(monkeypatch, SlowReader(failure="document_locked"), response, Request(URL))
    assert stats == {"topicspider/documents/document_locked": 1}
    fetch = download_of(response)
    assert (fetch.document.markup, fetch.document.failure) == (b"", "document_locked")


@pytest.mark.parametrize(
    ("response", "callback"),
    [
        (HtmlResponse(URL, body="<p>旅游</p>".encode(), headers={"Content-Type": "text/html"}), None),
        (Response(URL, 404, body=b"%PDF-1.7", headers=TYPE), None),
        (Response(URL, body=b"%PDF-1.7", headers=TYPE), NO_CALLBACK),
        (Response(URL, body=b"plain", headers={"Content-Type": "text/plain"}), None),
        (Response(URL, body=b"%", headers={}), None),
    ],
)
def test_anything_else_passes_at_once(monkeypatch, response, callback):
    reader = SlowReader()
    request = Request(URL, callback=callback)
    answer, _stats = passed(monkeypatch, reader, response, request)
    assert answer is response
    assert reader.given == []
    assert download_of(response).document is None


def test_the_event_loop_goes_on_while_a_document_is_read(monkeypatch):
    async def both():
        asked = middleware(monkeypatch, SlowReader(seconds=0.3))
        ticks = 0
        reading = asyncio.ensure_future(
            asked.process_response(Request(URL), Response(URL, body=b"%PDF-1.7", headers=TYPE))
        )
        while not reading.done():
            ticks += 1
            await asyncio.sleep(0.01)
        return ticks

    assert asyncio.run(both()) > 5


class StoppedEngine:
    """An engine that is being stopped as soon as ``reader`` was given something."""

    def __init__(self, reader, hands_out_ready_hosts):
        self._reader = reader
        self.running = True
        self.scheduler = SimpleNamespace(hands_out_ready_hosts=hands_out_ready_hosts)

    @property
    def _slot(self):
        return SimpleNamespace(closing=self._reader.given or None)


@pytest.mark.parametrize(("comes_back", "read"), [(True, 1), (False, 3)])
def test_documents_that_wait_when_the_crawl_is_stopped_go_back_to_a_queue_that_keeps_them(
    monkeypatch, comes_back, read
):
    async def all_three():
        asked = middleware(monkeypatch, reader, StoppedEngine(reader, comes_back))
        return await asyncio.gather(
            *(asked.process_response(request, Response(URL, body=b"%PDF-1.7", headers=TYPE)) for request in requests),
            return_exceptions=True,
        )

    reader, requests = SlowReader(0.02), [Request(f"{URL}{number}") for number in range(3)]
    ends = asyncio.run(all_three())
    assert len(reader.given) == read
    assert [isinstance(end, Postponed) for end in ends] == [number >= read for number in range(3)]
    assert [request.meta.get(OUTCOME) == Outcome.POSTPONED for request in requests] == [n >= read for n in range(3)]
