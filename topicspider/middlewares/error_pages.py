"""Downloader middleware: names responses that are no pages, lets their hosts rest, and renders pages that need scripts in a browser."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from topicspider.browser import Browser, Fetch, RenderedPage, browser_of
from topicspider.crawl_components import CrawlComponents
from topicspider.crawled_page import content_type_of
from topicspider.download.cancellation import Downloads
from topicspider.download.handler import Refused
from topicspider.download.outcome import Outcome, asks_for_rest
from topicspider.meta import LISTING, OUTCOME, PAGE, WITHIN_TURN
from topicspider.middlewares.politeness import PolitenessMiddleware, Postponed, must_give_up, returns_to_queue
from topicspider.options import OWN_SPIDER
from topicspider.page.page import Page
from topicspider.reading_processes import UnreadablePageError
from topicspider.scrapy_component import ScrapyComponent
from topicspider.url import canonicalize, host_key

logger = logging.getLogger(__name__)

RENDERED = "rendered"  # the flag of a response whose body the browser made
SCRIPT_REDIRECT = "script"  # the reason recorded for a redirect by a script
_ASKED_HEADERS = ("accept", "accept-language", "origin", "referer", "x-requested-with")


class ErrorPagesMiddleware(ScrapyComponent):
    """Stands next to the engine (order 30), so it sees what all other middlewares have made of a response.

    The outcome is recorded for our own spider only: another spider may want a login page. With any spider, such a page is never a hit
    (judging), and the host of a captcha rests.
    """

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._browser = browser_of(crawler, components.options)
        components.readers.on_end = lambda reason: self._count(f"reading_processes/{reason}")
        self._is_ours = crawler.spidercls.name == OWN_SPIDER

    async def engine_stopped(self) -> None:
        if self._browser is not None:
            await self._browser.close()

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        """Returns the response, the rendered response in its place, or a request for the URL to which its script leads."""
        if request.callback is NO_CALLBACK or LISTING in request.meta:  # a listing is never a page
            return response
        condition = await self._condition(request, response)
        if condition == Outcome.NEEDS_SCRIPT and self._browser is not None and request.method == "GET":
            rendered = await self._render(self._browser, request, response)
            if isinstance(rendered, Request):
                return rendered
            response = rendered or response
            condition = await self._condition(request, response)
        if condition:
            self._note(request, condition)
        return response

    async def _condition(self, request: Request, response: Response) -> str:
        if response.status // 100 == 2:
            response.request = request  # as the engine does later; the page reads its request's meta
            try:
                return (await self._components.read(response)).page.condition
            except UnreadablePageError as error:
                request.meta[OUTCOME] = Outcome.UNREADABLE.value
                raise Refused(Outcome.UNREADABLE, str(error)) from None
        # usual statuses of a captcha or block page that is not 200
        if response.status in (403, 405, 412):
            condition = Page(response.url, response.body, content_type_of(response)).condition
            return condition if asks_for_rest(condition) else ""
        return ""

    def _note(self, request: Request, condition: str) -> None:
        self._count(f"condition/{condition}")
        if self._is_ours:
            request.meta[OUTCOME] = condition
        politeness = self._politeness()
        if politeness is not None and asks_for_rest(condition):
            politeness.refused_after_all(request)

    def _politeness(self) -> PolitenessMiddleware | None:
        return self._crawler.get_downloader_middleware(PolitenessMiddleware)

    async def _render(self, browser: Browser, request: Request, response: Response) -> Response | Request | None:
        """The rendered page, or a request for the URL to which its scripts lead; None when neither was obtained."""
        politeness = self._politeness()
        if politeness is None:
            return None
        try:
            async with browser.contexts:
                self._go_on(request)
                drawn = await self._draw(browser, politeness, request, response)
            self._go_on(request)  # rendering may have been cut short
        except Postponed:  # the crawl is closing, or another node may have the host by now
            request.meta[OUTCOME] = Outcome.POSTPONED
            raise
        except Refused:  # the host went down meanwhile
            return None
        self._count("rendered/requests", drawn.requests)
        target = canonicalize(drawn.target) if drawn.target else None
        if drawn.error:
            self._count("rendered/failed")
            logger.warning("The browser could not fill %s: %s", response.url, drawn.error)
            return None
        self._count("rendered/pages")
        filled = _filled(response, drawn.html)
        if target and target != canonicalize(request.url) and await self._condition(request, filled):
            return _redirected(request, target)
        return filled

    async def _draw(
        self, browser: Browser, politeness: PolitenessMiddleware, request: Request, response: Response
    ) -> RenderedPage:
        kind = content_type_of(response) or "text/html"
        broken: list[str] = []
        async with politeness.turn(request), self._fetcher(request, broken) as fetch:
            is_stopped = partial(must_give_up, self._crawler)
            drawn = await browser.render(response.url, response.body, kind, fetch, is_stopped)
            if broken and returns_to_queue(self._crawler):
                raise Postponed(0.0, broken[0])  # the page is incomplete and will be fetched again
        return drawn

    def _go_on(self, request: Request) -> None:
        if must_give_up(self._crawler):
            raise Postponed(0.0, request.url)

    @asynccontextmanager
    async def _fetcher(self, page: Request, broken: list[str]) -> AsyncIterator[Fetch]:
        """A function that fetches what a page asks for as ordinary requests; those to the page's own host one after the other.

        After the page is done, nothing more is requested from its host, and the last request to it has ended: only then may the host's turn
        end (promise F2). ``broken`` receives the URLs whose downloads were cancelled or not started while the page was rendered.
        """
        one_by_one, host, is_open = asyncio.Lock(), host_key(page.url), True

        async def fetch(url: str, headers: Mapping[str, str]) -> Response:
            if host_key(url) != host:
                return await noted(url, headers)
            async with one_by_one:
                if not is_open:
                    raise Refused(Outcome.POSTPONED, url)
                return await noted(url, headers)

        async def noted(url: str, headers: Mapping[str, str]) -> Response:
            try:
                return await self._fetch(page, url, headers)
            except Refused as error:
                is_own = host_key(url) == host or not Downloads.of(self._crawler).may_begin(host)
                if error.outcome == Outcome.POSTPONED and is_own:
                    broken.append(url)
                raise

        try:
            yield fetch
        finally:
            is_open = False
            async with one_by_one:
                pass

    async def _fetch(self, page: Request, url: str, headers: Mapping[str, str]) -> Response:
        host = host_key(page.url)
        meta = {"dont_retry": True, **({WITHIN_TURN: host} if host_key(url) == host else {})}
        if page.meta.get("proxy") and "_scheme_proxy" not in page.meta and WITHIN_TURN in meta:
            meta["proxy"] = page.meta["proxy"]
        kept = {name: value for name, value in headers.items() if name in _ASKED_HEADERS}
        request = Request(url, headers=kept, meta=meta, callback=NO_CALLBACK, dont_filter=True)
        return await self._crawler.engine.download_async(request)


def _filled(response: Response, html: str) -> Response:
    headers = response.headers.copy()
    headers["Content-Type"] = "text/html; charset=utf-8"
    return HtmlResponse(
        response.url,
        status=response.status,
        headers=headers,
        body=html.encode("utf-8", "replace"),
        encoding="utf-8",
        flags=[*response.flags, RENDERED],
        request=response.request,
        ip_address=response.ip_address,
    )


def _redirected(request: Request, target: str) -> Request | None:
    """A request like that after a redirect of Scrapy's: the frontier queues it in place of its source. None after too many."""
    times = int(request.meta.get("redirect_times", 0)) + 1
    if times > 5:
        return None
    meta = {
        **request.meta,
        "redirect_times": times,
        "redirect_urls": [*request.meta.get("redirect_urls", []), request.url],
        "redirect_reasons": [*request.meta.get("redirect_reasons", []), SCRIPT_REDIRECT],
    }
    for key in (OUTCOME, PAGE):
        meta.pop(key, None)
    return request.replace(url=target, meta=meta)
