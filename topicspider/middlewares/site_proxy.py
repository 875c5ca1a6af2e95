"""Downloader middleware: a proxy per site, beside Scrapy's for all sites ((a) Li 2002, direct or through a proxy)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from urllib.request import proxy_bypass

from scrapy import Request
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.utils.httpobj import urlparse_cached

from topicspider.download.reachability import site_proxies, site_proxy

OF_ENVIRONMENT = "_scheme_proxy"
"""Scrapy's mark for a proxy that did not come from the spider: it is found anew for each request, and not written to disk."""


class SiteProxyMiddleware(HttpProxyMiddleware):
    """Takes the place of Scrapy's proxy middleware; a proxy that the spider set in the request comes first."""

    def __init__(self, auth_encoding: str | None = "latin-1") -> None:
        super().__init__(auth_encoding)
        self._site_proxies = site_proxies()
        self._is_direct = lru_cache(10_000)(proxy_bypass)  # proxy_bypass reads the whole environment each time

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Set the proxy. One copied from another request's meta, as by a redirect, is removed first."""
        if request.meta.pop(OF_ENVIRONMENT, False):
            request.meta.pop("proxy", None)
        parts = urlparse_cached(request)
        host = parts.hostname or ""
        if "proxy" in request.meta:
            super().process_request(request)
        elif proxy := site_proxy(host, self._site_proxies):
            login, url = self._get_proxy(proxy, "http")
            self._set_proxy_and_creds(request, url, login, "site")
        elif host and parts.scheme in self.proxies and not self._is_direct(host):
            login, url = self.proxies[parts.scheme]
            self._set_proxy_and_creds(request, url, login, parts.scheme)
        else:
            self._set_proxy_and_creds(request, None, None, None)
