"""Tests whether hosts can be reached: name resolution, connection, robots.txt, first byte ((b) thesis 2011, "ping")."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from http.client import responses
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import yarl

from topicspider.download.public_addresses import leads_to_public, refusal
from topicspider.errors import ConfigError
from topicspider.i18n import N_
from topicspider.url import masked

SILENT = N_("no answer in time")
Allows = Callable[[str, bytes], bool]
"""(URL, body of robots.txt) → whether that robots.txt allows the URL."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one URL's host was reached. ``failed``: "", or the failed step: refused, proxy, resolve, connect, answer, robots.txt, page.

    ``robots_status``: the status of its robots.txt, 0 if that was not requested; ``first_byte_seconds``: the time to its first byte.
    ``address``: the checked address of the connection; "" through a proxy.
    """

    url: str
    failed: str = ""
    why: str = ""
    resolve_seconds: float = 0.0
    connect_seconds: float = 0.0
    proxy: str = ""
    robots_status: int = 0
    first_byte_seconds: float = 0.0
    address: str = ""


def reach_all(
    urls: Sequence[str], timeout: float, *, allow_private: bool, agent: str = "", allows: Allows = lambda *_: True
) -> list[Reach]:
    """Test all ``urls`` at once; returns after ``timeout`` seconds at the latest, in the order of ``urls``.

    With an ``agent`` (the user agent), each host is also asked for its robots.txt and, if ``allows`` permits it, for the page.
    """
    reached = [Reach(url, "resolve", f"no answer in {timeout:g} s") for url in urls]

    def ask(index: int, url: str) -> None:
        answer = reach(url, timeout, allow_private=allow_private)
        reached[index] = replace(answer, failed="answer", why=SILENT) if agent and not answer.failed else answer
        if agent and not answer.failed:
            reached[index] = asyncio.run(with_answers(answer, agent, timeout, allows))

    # daemon threads, because a hanging resolver must not keep the process from ending
    threads = [threading.Thread(target=ask, args=one, daemon=True) for one in enumerate(urls)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + timeout
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return list(reached)


def reach(url: str, timeout: float, *, allow_private: bool) -> Reach:
    """Resolve the host of ``url`` and connect to it; through a proxy, connect to the proxy only."""
    proxy = proxy_of(url)
    reason = refusal(url, allow_private)
    if reason:
        return Reach(url, "refused", reason, proxy=proxy)
    parts = urlsplit(proxy or url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    started = time.monotonic()
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return Reach(url, "proxy" if proxy else "resolve", _why(error), time.monotonic() - started, proxy=proxy)
    resolved = time.monotonic()
    if not (proxy or allow_private or all(leads_to_public(str(address[4][0])) for address in addresses)):
        return Reach(url, "refused", "private_address", resolved - started)
    address = addresses[0]
    try:
        with socket.socket(*address[:3]) as connection:
            connection.settimeout(timeout)
            connection.connect(address[4])
    except OSError as error:
        return Reach(
            url, "proxy" if proxy else "connect", _why(error), resolved - started, time.monotonic() - resolved, proxy
        )
    checked = "" if proxy else str(address[4][0])
    return Reach(url, "", "", resolved - started, time.monotonic() - resolved, proxy, address=checked)


async def with_answers(reached: Reach, agent: str, timeout: float, allows: Allows) -> Reach:  # noqa: ASYNC109
    """Request robots.txt, then the page, and add the answers to ``reached``. Redirects are not followed; the checked address is used."""
    headers, limits = {"User-Agent": agent, "Accept-Encoding": "identity"}, aiohttp.ClientTimeout(timeout)
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=limits, auto_decompress=False) as session:
            status, body, seconds = await _asked(session, reached, urljoin(reached.url, "/robots.txt"), 1 << 19)
            reached = replace(reached, robots_status=status, first_byte_seconds=seconds)
            if status >= 500 or status == 429:
                return replace(reached, failed="robots.txt", why=_status_words(status))
            if status < 300 and not allows(reached.url, body):
                return replace(reached, failed="robots.txt", why=N_("it forbids this page"))
            status, *__ = await _asked(session, reached, reached.url, 0)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return replace(reached, failed="answer", why=_why(error))
    return replace(reached, failed="page", why=_status_words(status)) if status >= 400 else reached


async def _asked(session: aiohttp.ClientSession, reached: Reach, url: str, most: int) -> tuple[int, bytes, float]:
    """Request ``url`` from the host of ``reached``. Returns the status, the first ``most`` bytes, and the seconds until the headers
    came."""
    started, place = time.monotonic(), yarl.URL(url, encoded=True)
    more: dict[str, Any] = {"proxy": reached.proxy} if reached.proxy else {}
    if reached.address:
        more = {"headers": {"Host": place.authority}, "server_hostname": place.host}
        place = place.with_host(reached.address)
    async with session.get(place, allow_redirects=False, **more) as answer:
        seconds, body = time.monotonic() - started, b""
        while len(body) < most and (chunk := await answer.content.read(most - len(body))):
            body += chunk
        return answer.status, body, seconds


def _status_words(status: int) -> str:
    return f"{status} {responses.get(status, '')}".rstrip()


def proxy_of(url: str) -> str:
    """The proxy for ``url``: the one in ``site_proxies``, else that of http_proxy, https_proxy and no_proxy; "" for none."""
    parts = urlsplit(url)
    if own := site_proxy(parts.hostname or "", site_proxies()):
        return own
    proxy = getproxies().get(parts.scheme, "")
    if not proxy or proxy_bypass(parts.netloc):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def site_proxies() -> dict[str, str]:
    """The proxies by host or domain, from site_proxy=HOST=http://PROXY:PORT,… in the environment. Raises ConfigError."""
    proxies = {}
    for entry in filter(None, map(str.strip, getproxies().get("site", "").split(","))):
        site, _equals, proxy = entry.partition("=")
        if not (site and proxy.startswith(("http://", "https://")) and urlsplit(proxy).hostname):
            raise ConfigError("site_proxy", masked(proxy or site), "HOST=http://PROXY:PORT, several joined by commas")
        proxies[site.strip().lower()] = proxy
    return proxies


def site_proxy(host: str, proxies: Mapping[str, str]) -> str:
    """The proxy in ``proxies`` for ``host`` or a domain above it; "" for none."""
    labels = host.split(".") if proxies else ()
    return next((proxies[name] for at in range(len(labels)) if (name := ".".join(labels[at:])) in proxies), "")


def _why(error: object) -> str:
    if isinstance(error, TimeoutError):
        return SILENT
    return getattr(error, "strerror", None) or str(error)
