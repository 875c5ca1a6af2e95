"""Downloader middleware: lets out only requests that are allowed, and lets in only pages that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.statscollectors import StatsCollector

from topicspider.download.handler import Refused
from topicspider.download.outcome import Outcome
from topicspider.download.public_addresses import refusal
from topicspider.meta import OUTCOME, REST_SECONDS
from topicspider.options import MAX_PAGE_BYTES, OWN_SPIDER, Options
from topicspider.page.decode import DOCUMENT_TYPES, is_wanted, media_type
from topicspider.page.sitemaps import LISTING_TYPES, is_packed_listing
from topicspider.politeness.blocklist import DoNotCrawl
from topicspider.setting_rules import setting_name
from topicspider.topic.profile import Limits
from topicspider.url import host_of

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain")
STOPPED = "download_stopped"  # Scrapy's flag for a response whose body was not read


class GuardMiddleware:
    """Refuses requests by scheme, address and the do-not-crawl list, wherever they come from (promise G1).

    Links, seeds, redirects, meta refreshes and robots.txt all pass here. The addresses of a name are checked when the connection is opened
    (:class:`topicspider.download.public_addresses.CheckingResolver`); through a proxy no name is resolved here, so there this check is the
    only one.

    The body of a page whose Content-Type is not among ``content_types`` is not read (empty: any type, as for other spiders unless the topic
    lists some). Requests without a callback (robots.txt, media pipelines) are no pages and may have any type.
    """

    def __init__(
        self,
        stats: StatsCollector,
        *,
        allow_private: bool,
        do_not_crawl: DoNotCrawl,
        max_bytes: int,
        content_types: Iterable[str] = (),
    ) -> None:
        self._stats = stats
        self._allow_private = allow_private
        self._do_not_crawl = do_not_crawl
        self._max_bytes = max_bytes
        self._types = frozenset(kind.lower() for kind in content_types)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        options, limits = Options.read(crawler.settings), Limits()
        if options.topic:
            from topicspider.crawl_components import CrawlComponents  # its imports take half a second

            limits = CrawlComponents.of(crawler).config.limits
        is_ours = bool(options.topic) and crawler.spidercls.name == OWN_SPIDER
        max_bytes = crawler.settings.getint("DOWNLOAD_MAXSIZE") or MAX_PAGE_BYTES
        middleware = cls(
            crawler.stats,
            allow_private=options.allow_private,
            do_not_crawl=DoNotCrawl.read(setting_name("do_not_crawl"), options.do_not_crawl),
            max_bytes=min(limits.max_bytes or max_bytes, max_bytes),
            content_types=_types(options, limits, is_ours=is_ours),
        )
        crawler.signals.connect(middleware.headers_received, signals.headers_received)
        return middleware

    def process_request(self, request: Request) -> None:
        """Refuse requests that are not allowed; limit the size of the response (promise G2)."""
        why = refusal(request.url, self._allow_private)
        if not why and self._do_not_crawl.covers(host_of(request.url)):
            why = Outcome.DO_NOT_CRAWL
        if why:
            raise self._refused(request, why)
        request.meta["download_maxsize"] = min(request.meta.get("download_maxsize") or self._max_bytes, self._max_bytes)

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Do not read the body of an unwanted type; the status is not known yet here."""
        if not self._is_wanted(request, headers):
            raise StopDownload(fail=False)

    def process_response(self, request: Request, response: Response) -> Response:
        """Refuse a page of an unwanted type; redirects and errors need no body and pass."""
        is_stopped = STOPPED in response.flags and response.status // 100 == 2
        if is_stopped and not self._is_wanted(request, response.headers):
            raise self._refused(request, Outcome.WRONG_TYPE)
        return response

    def _is_wanted(self, request: Request, headers: Headers) -> bool:
        if not self._types or request.callback is NO_CALLBACK:
            return True
        kind, file_name = (
            (headers.get(name) or b"").decode("latin-1") for name in ("Content-Type", "Content-Disposition")
        )
        if LISTING_TYPES[0] in self._types and is_packed_listing(request.url, media_type(kind)):
            return True
        return is_wanted(self._types, kind, request.url, file_name)

    def _refused(self, request: Request, why: str) -> Refused:
        self._stats.inc_value(f"topicspider/refused/{why}")
        request.meta[OUTCOME] = str(why)
        if why != Outcome.WRONG_TYPE:
            request.meta[REST_SECONDS] = 0.0  # no host was asked
        return Refused(why, f"{why}: {request.url}")


def _types(options: Options, limits: Limits, *, is_ours: bool) -> tuple[str, ...]:
    """The types that the topic lists, else those that we can read, with those of listings when they are wanted."""
    usual = (*PAGE_TYPES, *DOCUMENT_TYPES) if options.documents else PAGE_TYPES
    types = limits.content_types or (usual if is_ours else ())
    return (*types, *LISTING_TYPES) if types and is_ours and options.discovery != "off" else types
