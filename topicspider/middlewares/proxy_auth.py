"""Downloader middleware: reaches some hosts through a proxy of their own, or with a login."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from topicspider.errors import ConfigError
from topicspider.options import Options
from topicspider.url import host_key, host_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler

    from topicspider.topic.profile import SiteAccess


@dataclass(frozen=True, slots=True)
class _Way:
    """How one host is reached: a proxy's URL, an Authorization header; empty for neither."""

    proxy: str = ""
    authorization: bytes = b""


class ProxyAuthMiddleware:
    """Adds each host's proxy and login to requests for exactly that host, and takes them off all others.

    A request that was redirected away from such a host still carries them: they are recognised by their
    values. ``sites`` maps a host (``host`` for every port, or ``host:port``) to its access.
    """

    def __init__(self, sites: Mapping[str, SiteAccess], environment: Mapping[str, str]) -> None:
        self._ways = {host.lower(): _way(host, access, environment) for host, access in sites.items()}
        self._logins = {way.authorization for way in self._ways.values() if way.authorization}
        self._proxies = {
            form for way in self._ways.values() if way.proxy for form in (way.proxy, _without_login(way.proxy))
        }

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not Options.read(crawler.settings).topic:
            return cls({}, os.environ)
        from topicspider.crawl_components import (
            CrawlComponents,  # half a second of imports that only a crawl with a topic needs
        )

        return cls(CrawlComponents.of(crawler).plan.sites, os.environ)

    def process_request(self, request: Request) -> None:
        """Take off what belongs to another host, then put on what belongs to this one."""
        if not self._ways:
            return
        way = self._ways.get(host_key(request.url)) or self._ways.get(host_of(request.url)) or _Way()
        self._take_off(request, way)
        if way.proxy:
            request.meta["proxy"] = way.proxy
        if way.authorization:
            request.headers["Authorization"] = way.authorization

    def _take_off(self, request: Request, way: _Way) -> None:
        login = request.headers.get("Authorization")
        if login in self._logins and login != way.authorization:
            del request.headers["Authorization"]
        proxy = request.meta.get("proxy")
        if proxy in self._proxies and proxy not in (way.proxy, _without_login(way.proxy)):
            del request.meta["proxy"]
            request.meta.pop("_auth_proxy", None)
            request.headers.pop("Proxy-Authorization", None)


def _way(host: str, access: SiteAccess, environment: Mapping[str, str]) -> _Way:
    return _Way(access.proxy, _authorization(host, access, environment) if access.user else b"")


def _authorization(host: str, access: SiteAccess, environment: Mapping[str, str]) -> bytes:
    """HTTP Basic; the password comes from the environment and is never shown."""
    password = environment.get(access.password_env, "") if access.password_env else ""
    if access.password_env and not password:
        raise ConfigError(
            f"sites: {host}: password_env",
            access.password_env,
            "the name of an environment variable that holds the password",
            f"It is not set; export {access.password_env}=… before the crawl",
        )
    return b"Basic " + base64.b64encode(f"{access.user}:{password}".encode())


def _without_login(proxy: str) -> str:
    """The proxy's URL as Scrapy leaves it in meta: the login has moved to a header."""
    parts = urlsplit(proxy)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], path="").geturl()
