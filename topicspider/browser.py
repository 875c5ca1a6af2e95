"""Renders pages that are built by scripts, in a browser of scrapy-playwright (an extra).

The browser never opens a connection of its own. Every request of a page goes to ``fetch``, which treats it like any other request
(guard, robots.txt, the host's turn, limits); a request that bypasses this goes to a proxy that does not exist.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from topicspider.errors import ConfigError, one_line
from topicspider.options import Options
from topicspider.setting_rules import setting_name

INSTALL = "pip install -r requirements-browser.txt (or: pip install 'topicspider[browser]')"
INSTALL_CHROMIUM = "apt-get install chromium, or: python -m playwright install chromium"
KNOWN_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CONTEXTS = 2
"""The number of pages that are rendered at the same time; each takes about 150 MB."""
MOST_REQUESTS = 80
"""The number of requests that one page may make."""
QUIET_SECONDS = 0.5
"""After this time without a request or a change, a page is considered finished."""
SCRIPT_SECONDS = 20.0
"""For the scripts of a page, and what they fetch."""
CLOSING_SECONDS = 5.0
_LOADED_TYPES = frozenset({"document", "script", "xhr", "fetch"})
_UNSAID = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie"})
_GONE = ("TargetClosedError", "Connection closed")
_NOWHERE = "http://127.0.0.1:9"  # the discard port
_ARGUMENTS = [
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--js-flags=--max-old-space-size=512",
]


Fetch = Callable[[str, Mapping[str, str]], Awaitable[Response]]
"""Answers a GET request of a page, given its URL and its headers (names in lower case)."""


@dataclass(slots=True)
class RenderedPage:
    """A page after its scripts have run. ``target``: the URL they wanted to go to; ``error``: why there is no page."""

    html: str = ""
    target: str = ""
    error: str = ""
    requests: int = 0


def check(options: Options) -> None:
    """Raises ConfigError if the settings ask for a browser that is not available."""
    if options.browser == "off":
        return
    if importlib.util.find_spec("scrapy_playwright") is None:
        raise ConfigError(setting_name("browser"), options.browser, "off, until the extra is installed", INSTALL)
    if _executable(options) is None and not (options.browser == "auto" and _has_own()):
        allowed = "off, auto, or the path of a Chromium that can be run"
        raise ConfigError(setting_name("browser"), options.browser, allowed, INSTALL_CHROMIUM)


def _executable(options: Options) -> str | None:
    """The Chromium that the settings name, else one on PATH; None for Playwright's own."""
    names = KNOWN_NAMES if options.browser == "auto" else (options.browser,)
    return next((path for name in names if (path := shutil.which(name))), None)


def playwright_settings(options: Options) -> dict[str, Any]:
    """The settings of scrapy-playwright; {} if no browser is wanted."""
    if options.browser == "off":
        return {}
    launch: dict[str, Any] = {
        "args": _ARGUMENTS,
        "proxy": {"server": _NOWHERE},
        "chromium_sandbox": os.geteuid() != 0,  # Chromium has no sandbox for root
    }
    if path := _executable(options):
        launch["executable_path"] = path
    return {"PLAYWRIGHT_LAUNCH_OPTIONS": launch, "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None}


def _has_own() -> bool:
    """Whether Playwright has downloaded a browser for itself."""
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright"
    return any(Path(folder).glob("chromium*"))


def browser_of(crawler: Crawler, options: Options) -> Browser | None:
    """The browser of a crawl, None if its settings want none; it starts with the first page that needs it."""
    check(options)
    return None if options.browser == "off" else Browser(crawler)


def _new_handler(crawler: Crawler) -> Any:
    from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

    return ScrapyPlaywrightDownloadHandler.from_crawler(crawler)


class Browser:
    """Renders pages in up to CONTEXTS browser contexts at a time, which share nothing (no cookies, no cache)."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._handler = _new_handler(crawler)
        self._agent = str(crawler.settings.get("USER_AGENT"))
        self._max_bytes = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self.contexts = asyncio.Semaphore(CONTEXTS)  # each is used for one page
        self._renewal = asyncio.Lock()
        self._count = 0

    async def render(
        self, url: str, body: bytes, content_type: str, fetch: Fetch, is_stopped: Callable[[], bool]
    ) -> RenderedPage:
        """The page of ``url``, which answered ``body``, after its scripts ran or ``is_stopped()``; raises nothing for a bad page."""
        rendering = _PageRendering(url, body, content_type, fetch, self._max_bytes, is_stopped)
        used = self._handler
        try:
            async with asyncio.timeout(SCRIPT_SECONDS + CLOSING_SECONDS):
                await self._render_in_context(rendering)
        except TimeoutError:
            rendering.result.error = "it did not come to an end in time"
        except Exception as error:  # noqa: BLE001 - Playwright's errors are many; a page must not end a crawl
            rendering.result.error = one_line(f"{type(error).__name__}: {error}", 300)
            if any(word in rendering.result.error for word in _GONE):
                await self._start_anew(used)
        return rendering.result

    async def _start_anew(self, gone: Any) -> None:
        """Replace a browser after a page has crashed it; the next pages use the new one."""
        async with self._renewal:
            if self._handler is not gone:  # another page, rendered at the same time, has replaced it
                return
            with suppress(Exception):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await gone.close()
            fresh = _new_handler(self._crawler)
            with suppress(Exception):  # if this fails, the next page reports it
                await fresh._launch()  # as it does by itself when a crawl starts
            self._handler = fresh

    async def _render_in_context(self, rendering: _PageRendering) -> None:
        self._count += 1
        request = Request(
            rendering.url,
            meta={
                "playwright": True,
                "playwright_include_page": True,
                "playwright_context": f"page {self._count}",
                "playwright_context_kwargs": {
                    "user_agent": self._agent,
                    "accept_downloads": False,
                    "service_workers": "block",
                    "ignore_https_errors": True,  # nothing is ever fetched by the browser itself
                },
                "playwright_page_init_callback": rendering.prepare,
                "playwright_page_goto_kwargs": {"wait_until": "commit", "timeout": 1000 * SCRIPT_SECONDS},
            },
        )
        try:
            await self._handler.download_request(request)
            await rendering.settle(SCRIPT_SECONDS)
        finally:
            await rendering.close()

    async def close(self) -> None:
        with suppress(Exception):
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._handler.close()


class _PageRendering:
    def __init__(
        self, url: str, body: bytes, content_type: str, fetch: Fetch, max_bytes: int, is_stopped: Callable[[], bool]
    ) -> None:
        self.url = url
        self.result = RenderedPage()
        self._body, self._content_type = body, content_type
        self._fetch = fetch
        self._is_stopped = is_stopped
        self._max_bytes = self._bytes_left = max_bytes
        self._page: Any = None
        self._is_open = True
        self._at_work = 0
        self._is_served = False

    async def prepare(self, page: Any, _request: Request) -> None:
        """Called before the page loads anything."""
        self._page = page
        await page.route_web_socket("**/*", lambda socket: socket.close())
        await page.context.route("**/*", self._answer)  # for windows that the page opens
        await page.route("**/*", self._answer)
        page.on("popup", lambda popup: asyncio.ensure_future(popup.close()))

    async def _answer(self, route: Any) -> None:
        """Serve the page itself from memory and what it needs through ``fetch``; refuse everything else."""
        self._at_work += 1
        try:
            with suppress(Exception):  # the page may be gone by now
                await self._serve(route, route.request)
        finally:
            self._at_work -= 1

    async def _serve(self, route: Any, request: Any) -> None:
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            await self._navigate(route, request.url)
        elif request.resource_type == "stylesheet":
            await route.fulfill(status=200, headers={"content-type": "text/css"}, body="")
        elif self._may_load(request):
            await self._load(route, request)
        else:
            await route.abort("blockedbyclient")

    async def _navigate(self, route: Any, url: str) -> None:
        if not self._is_served:
            self._is_served = True
            await route.fulfill(status=200, headers={"content-type": self._content_type}, body=self._body)
            return
        self.result.target = self.result.target or url
        await route.fulfill(status=204)  # the page stays; aborting would show an error page

    def _may_load(self, request: Any) -> bool:
        is_wanted = request.resource_type in _LOADED_TYPES and not request.is_navigation_request()
        return is_wanted and request.method == "GET" and self._is_open and self.result.requests < MOST_REQUESTS

    async def _load(self, route: Any, request: Any) -> None:
        self.result.requests += 1
        try:
            got = await self._fetch(request.url, request.headers)
        except Exception:  # noqa: BLE001 - refused, unreachable, too large: the page goes without it
            await route.abort("failed")
            return
        self._bytes_left -= len(got.body)
        if self._bytes_left < 0 or not self._is_open:
            await route.abort("failed")
            return
        named = ((name.decode("latin-1").lower(), values) for name, values in got.headers.items())
        kept = {name: b", ".join(values).decode("latin-1") for name, values in named if name not in _UNSAID}
        await route.fulfill(status=got.status, headers=kept, body=got.body)

    async def settle(self, seconds: float) -> None:
        """Wait until the page is quiet, at most ``seconds``, and keep its HTML."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wait_until_quiet()
        self._is_open = False
        self.result.html = (await self._page.content())[: self._max_bytes]

    async def _wait_until_quiet(self) -> None:
        before = ""
        while True:
            await asyncio.sleep(QUIET_SECONDS)
            if self.result.target or self._is_stopped():
                return
            now = await self._page.content()
            if not self._at_work and now == before:
                return
            before = now

    async def close(self) -> None:
        self._is_open = False
        if self._page is not None:
            with suppress(Exception):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await self._page.context.close()
