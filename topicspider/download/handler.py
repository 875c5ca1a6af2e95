"""Scrapy's download handler: a bounded, guarded, timed download over aiohttp.

Registered for http and https in DOWNLOAD_HANDLERS. The only file outside the folders of Scrapy components that knows Scrapy.
"""

from __future__ import annotations

import re
import resource
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import aiohttp
import yarl
from aiohttp.connector import Connection
from scrapy import Request
from scrapy import __version__ as scrapy_version
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Headers, Response

from topicspider.download.cancellation import DownloadCancelled, Downloads
from topicspider.download.outcome import Outcome, outcome_of_exception
from topicspider.download.public_addresses import CheckingResolver, PrivateAddressError, refusal
from topicspider.errors import ConfigError, one_line
from topicspider.meta import CONNECT_SECONDS, CUT_AT, DOWNLOAD_SECONDS, REQUESTS_PER_CONNECTION, RESPONSE_SECONDS
from topicspider.options import Options
from topicspider.url import host_key

try:
    from scrapy.core.downloader.handlers._aiohttp import AiohttpDownloadHandler, _ClientResponse
    from scrapy.utils.ssl import _make_ssl_context
except ImportError as moved:
    hint = f"topicspider's download handler builds on a part of Scrapy that this version keeps elsewhere ({moved}); pip install 'scrapy==2.19.*'"
    raise ConfigError("Scrapy's version", scrapy_version, "2.19", hint) from None

FILES = resource.RLIMIT_NOFILE
MAX_HEADER_BYTES = 64 * 1024
MAX_HEADER_LINE = 16 * 1024
_HEADER_LIMITS = ("Got more than", "Too many headers")  # how aiohttp's messages begin


class Refused(IgnoreRequest):
    """A request that was not sent, or not completed. ``outcome`` says why."""

    def __init__(self, outcome: str, text: str = "") -> None:
        self.outcome = outcome
        super().__init__(text or outcome)


_ERRORS: dict[str, type[Exception]] = {
    Outcome.CONNECT_TIMEOUT: DownloadTimeoutError,
    Outcome.READ_TIMEOUT: DownloadTimeoutError,
    Outcome.PAGE_TIMEOUT: DownloadTimeoutError,
    Outcome.DNS: CannotResolveHostError,
    Outcome.REFUSED: DownloadConnectionRefusedError,
}
"""Scrapy's exception class by outcome; for all others DownloadFailedError."""


class BoundedResponse(_ClientResponse):
    """A response of which at most ``cut_at`` body bytes are read; when we asked for it, its connection is closed, whatever the server
    says."""

    cut_at: int = 0

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        if self.request_info.headers.get("Connection") == "close" and connection.protocol is not None:
            connection.protocol.force_close()
        return await super().start(connection)


class GuardedDownloadHandler(AiohttpDownloadHandler):
    """Scrapy's aiohttp handler with three time limits, a checking resolver, and measured times.

    ``TOPICSPIDER_CONNECT_TIMEOUT`` limits look-up, connection and TLS together, ``_READ_TIMEOUT`` each silence of the server,
    ``_PAGE_TIMEOUT`` (or DOWNLOAD_TIMEOUT, if less) the whole. A failed request is never sent again here: the frontier does that, after the
    host's rest (promise F2).
    """

    lazy: bool = True  # made by the first request: a session needs the running loop, which `scrapy shell` starts late
    experimental: ClassVar[bool] = False
    _DEFAULT_CONNECT_TIMEOUT: ClassVar[float] = 86400.0  # a limit for the whole, despite its name; ours is shorter

    def __init__(self, crawler: Crawler) -> None:
        # skips the parent's own __init__, which opens a session with a resolver that checks nothing
        super(AiohttpDownloadHandler, self).__init__(crawler)
        options = Options.read(crawler.settings)
        self._options = options
        self._downloads = Downloads.of(crawler)
        self._connections = ConnectionCounts()
        self._most_idle = min(256, files_to_open() // 4)
        self._ssl_context = _make_ssl_context(crawler.settings)
        self._session = self._open_session(CheckingResolver(options.allow_private))
        # Through a proxy only the proxy's own name is looked up here, and the proxy may have any address.
        self._proxy_session = self._open_session(CheckingResolver(allow_private=True))

    def _open_session(self, resolver: CheckingResolver) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            resolver=resolver,
            ttl_dns_cache=300,
            local_addr=self._bind_address,
            limit=0,  # Scrapy limits the requests in flight; waiting here would count as connecting
            keepalive_timeout=30.0,
        )
        trace = aiohttp.TraceConfig()
        trace.on_connection_create_start.append(_connection_started)
        trace.on_connection_create_end.append(_connection_ended)
        session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # HttpCompressionMiddleware decodes, with a limit
            response_class=BoundedResponse,
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            trace_configs=[trace],
            max_field_size=MAX_HEADER_LINE,
            max_line_size=MAX_HEADER_LINE,
            max_headers=256,
        )
        session._retry_connection = False  # aiohttp would send it a second time without the host's rest
        return session

    async def download_request(self, request: Request) -> Response:
        """The response to ``request``; raises Scrapy's exceptions with an attribute ``outcome``, or Refused."""
        started = time.monotonic()
        try:
            async with self._downloads.one(host_key(request.url)):
                response = await super().download_request(request)
        except DownloadCancelled:
            raise Refused(Outcome.POSTPONED, f"broken off: {request.url}") from None
        finally:
            request.meta[DOWNLOAD_SECONDS] = time.monotonic() - started
        return response

    @asynccontextmanager
    async def _make_request(self, request: Request, timeout: float) -> AsyncIterator[_ClientResponse]:  # noqa: ASYNC109
        # The URL unchanged: yarl would turn %2F in a query into "/", and robots.txt allowed the unchanged URL.
        url = yarl.URL(request.url, encoded=True)
        if why := refusal(str(url), self._options.allow_private):
            raise Refused(why, f"{why}: {request.url}")
        watch = _Watch()
        try:
            response = await self._send(request, url, self._limits(timeout), watch)
            async with response:
                if watch.connect_seconds is not None:
                    request.meta[CONNECT_SECONDS] = watch.connect_seconds
                request.meta[RESPONSE_SECONDS] = time.monotonic() - max(watch.connected, watch.sent)
                if not watch.is_to_close:
                    told = self._connections.note(
                        host_key(request.url), response, is_new=watch.connect_seconds is not None
                    )
                    if told is not None:
                        request.meta[REQUESTS_PER_CONNECTION] = told
                size = sum(len(name) + len(value) + 4 for name, value in response.raw_headers)
                if size > MAX_HEADER_BYTES:
                    limit = f"the limit is {MAX_HEADER_BYTES}"
                    raise DownloadCancelledError(f"{response.url} has {size} bytes of headers; {limit}")
                response.cut_at = int(request.meta.get(CUT_AT, 0))
                yield response
        except (TimeoutError, OSError, aiohttp.ClientError, PrivateAddressError) as error:
            raise _translated(error, request.url) from error

    async def _send(
        self, request: Request, url: yarl.URL, limits: aiohttp.ClientTimeout, watch: _Watch
    ) -> BoundedResponse:
        proxy = self._extract_proxy_url_with_creds(request)
        session = self._proxy_session if proxy else self._session
        headers = self._request_headers(request).to_tuple_list()
        if len(getattr(session.connector, "_conns", ())) >= self._most_idle:
            headers.append(("Connection", "close"))
            watch.is_to_close = True
        watch.sent = time.monotonic()
        response: Any = await session.request(
            request.method,
            url,
            data=request.body or None,  # b"" would be a body, which aiohttp sends with a task of its own
            headers=headers,
            timeout=limits,
            ssl=self._ssl_context,
            allow_redirects=False,
            proxy=proxy,
            trace_request_ctx=watch,
        )
        assert isinstance(response, BoundedResponse)
        return response

    def _limits(self, timeout: float) -> aiohttp.ClientTimeout:
        options = self._options
        return aiohttp.ClientTimeout(
            total=min(options.page_timeout, timeout or options.page_timeout),
            connect=options.connect_timeout,
            sock_connect=options.connect_timeout,
            sock_read=options.read_timeout,
            ceil_threshold=3600,  # aiohttp rounds longer limits up to whole seconds
        )

    @staticmethod
    async def _iter_body_chunks(response: _ClientResponse) -> AsyncIterator[bytes]:
        cut_at = getattr(response, "cut_at", 0)
        received = 0
        async for chunk in response.content.iter_any():
            yield chunk[: cut_at - received] if cut_at else chunk
            received += len(chunk)
            if cut_at and received >= cut_at:
                return

    @staticmethod
    def _cancel_maxsize(size: int, limit: int, request: Request, *, expected: bool) -> None:  # type: ignore[override]
        if request.meta.get(CUT_AT):
            return  # no more than CUT_AT is read, whatever the size
        least = "" if expected else "at least "
        raise DownloadCancelledError(f"{request.url} has {least}{size} bytes; the limit is {limit}")

    @staticmethod
    def _extract_headers(response: _ClientResponse) -> Headers:
        # raw bytes, because the decoded text of a GBK Location cannot be encoded again
        return Headers(list(response.raw_headers))

    async def close(self) -> None:
        for session in (self._session, self._proxy_session):
            await session.close()
            if session.connector is not None:
                await session.connector._resolver.close()  # type: ignore[attr-defined]


def files_to_open(most: int = 4096) -> int:
    """How many files this process may open, after raising its limit up to ``most`` if allowed: the 256 of macOS are too few."""
    soft, hard = (most if limit == resource.RLIM_INFINITY else limit for limit in resource.getrlimit(FILES))
    if soft < min(most, hard):
        soft = min(most, hard)
        resource.setrlimit(FILES, (soft, resource.getrlimit(FILES)[1]))
    return soft


@dataclass(slots=True)
class _Watch:
    """The times of the steps of one request, by time.monotonic()."""

    sent: float = 0.0
    connecting: float = 0.0
    connected: float = 0.0
    connect_seconds: float | None = None
    is_to_close: bool = False  # because we asked for it


async def _connection_started(_session: aiohttp.ClientSession, context: SimpleNamespace, _params: Any) -> None:
    context.trace_request_ctx.connecting = time.monotonic()


async def _connection_ended(_session: aiohttp.ClientSession, context: SimpleNamespace, _params: Any) -> None:
    watch = context.trace_request_ctx
    watch.connected = time.monotonic()
    watch.connect_seconds = watch.connected - watch.connecting


def _translated(error: Exception, url: str) -> Exception:
    outcome = outcome_of_exception(error)
    text = one_line(f"{url}: {type(error).__name__}: {error}")  # it may hold bytes of a server
    if isinstance(error, aiohttp.ClientHttpProxyError):  # the proxy could not connect, or refused
        return (DownloadConnectionRefusedError if error.status >= 500 else DownloadFailedError)(text)
    if isinstance(error, aiohttp.ClientResponseError) and str(error.message).startswith(_HEADER_LIMITS):
        return DownloadCancelledError(text)
    if outcome in (Outcome.PRIVATE_ADDRESS, Outcome.BAD_URL, Outcome.SCHEME):
        return Refused(outcome, text)
    translated: Any = _ERRORS.get(outcome, DownloadFailedError)(text)
    translated.outcome = outcome  # more specific than the exception's class
    return translated  # type: ignore[no-any-return]


_LEFT = re.compile(r"\bmax\s*=\s*(\d{1,6})", re.IGNORECASE)


class ConnectionCounts:
    """Counts the answers over each host's connection; a host has one connection at a time."""

    def __init__(self) -> None:
        self._served: OrderedDict[str, int] = OrderedDict()  # answers over the last connection, by host

    def note(self, host: str, response: aiohttp.ClientResponse, *, is_new: bool) -> int | None:
        """Count an answer over a new connection or the last one. Returns the requests per connection that it shows, None if it shows none.

        A server shows it by closing (RFC 9112, 9.3: it served this many), or by ``Keep-Alive: max=N`` (N are left).
        """
        served = self._served[host] = 1 if is_new else self._served.get(host, 0) + 1
        self._served.move_to_end(host)
        if len(self._served) > 10_000:
            self._served.popitem(last=False)
        if (
            response.status >= 400 or response.version is None
        ):  # after an error, servers often close a connection that they would have kept
            return None
        wishes = {wish.strip().lower() for wish in response.headers.get("Connection", "").split(",")}
        if "close" in wishes or (response.version < aiohttp.HttpVersion11 and "keep-alive" not in wishes):
            return served
        left = _LEFT.search(response.headers.get("Keep-Alive", ""))
        return served + int(left[1]) if left else None
