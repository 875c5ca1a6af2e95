"""A page that is drawn in a browser while its lease is lost comes again; it is not stored half filled."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from topicspider.browser import Asked, Drawn
from topicspider.download.cancellation import Downloads
from topicspider.download.handler import Refused
from topicspider.meta import OUTCOME
from topicspider.middlewares.error_pages import ErrorPagesMiddleware
from topicspider.middlewares.politeness import Postponed

PAGE = "http://山水.example/页"
OWN, OTHER = "http://山水.example/app.js", "http://cdn.example/app.js"
SHELL = "<html><body><div id='app'></div></body></html>"


class Crawler(SimpleNamespace):
    """As much of one as is needed."""

    __hash__ = object.__hash__


class Politeness:
    """Its turns are free."""

    @asynccontextmanager
    async def turn(self, _request):
        yield


class Browser:
    """Asks for one thing, and shows the page without it when it is not to be had."""

    def __init__(self, url):
        self._url = url

    @asynccontextmanager
    async def place(self):
        yield

    async def render(self, _url, _body, _kind, fetch, _is_stopped):
        try:
            await fetch(Asked(Request(self._url).url, {}))  # a browser writes hosts in ASCII
        except Refused:
            return Drawn(SHELL, requests=1)
        raise AssertionError


def _drawn(asked: str, outcome: str, lost: str = "", *, returns: bool = True):
    """What comes of the page when what it asks for ends so, and the request it was asked by."""

    async def download_async(_request):
        raise Refused(outcome)

    engine = SimpleNamespace(running=True, _slot=SimpleNamespace(closing=None), download_async=download_async)
    engine.scheduler = SimpleNamespace(hands_out_ready_hosts=returns)
    crawler = Crawler(engine=engine, stats=None, spidercls=SimpleNamespace(name="topic"))
    crawler.get_downloader_middleware = lambda _kind: Politeness()
    Downloads.of(crawler).is_lost = lambda host: bool(lost) and lost in host
    middleware, request = ErrorPagesMiddleware(crawler, None, None), Request(PAGE)
    response = HtmlResponse(request.url, body=SHELL, encoding="utf-8", request=request)
    return request, lambda: asyncio.run(middleware._render(Browser(asked), request, response))


@pytest.mark.parametrize(("asked", "lost"), [(OWN, ""), (OTHER, "xn--")])
def test_a_page_whose_requests_were_broken_off_comes_again(asked, lost):
    request, draw = _drawn(asked, "postponed", lost)
    with pytest.raises(Postponed):
        draw()
    assert request.meta[OUTCOME] == "postponed"


@pytest.mark.parametrize(
    ("asked", "outcome", "returns"),
    [(OTHER, "postponed", True), (OWN, "robots", True), (OWN, "postponed", False)],
    ids=["another host's server is away", "forbidden", "nobody would bring it back"],
)
def test_a_page_that_goes_without_something_is_taken_as_it_is(asked, outcome, returns):
    request, draw = _drawn(asked, outcome, returns=returns)
    assert draw().text == SHELL
    assert OUTCOME not in request.meta
