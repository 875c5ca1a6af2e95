"""Downloader middleware: the proxy of one site, beside Scrapy's for all ((a) Li 2002, direct or through a proxy)."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.utils.httpobj import urlparse_cached

from topicspider.download.reachability import site_proxies, site_proxy

OF_ENVIRONMENT = "_scheme_proxy"
"""Scrapy's mark of a proxy that the spider did not give: it is found anew for each request, and not written to disk."""


class SiteProxyMiddleware(HttpProxyMiddleware):
    """In the place of Scrapy's; a proxy that the request has from its spider comes first."""

    def __init__(self, auth_encoding: str | None = "latin-1") -> None:
        super().__init__(auth_encoding)
        self._site_proxies = site_proxies()

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Redirects lead elsewhere, and bring the meta of where they come from."""
        if request.meta.pop(OF_ENVIRONMENT, False):
            request.meta.pop("proxy", None)
        host = urlparse_cached(request).hostname or ""
        proxy = "" if "proxy" in request.meta else site_proxy(host, self._site_proxies)
        if proxy:
            login, url = self._get_proxy(proxy, "http")
            self._set_proxy_and_creds(request, url, login, "site")
        else:
            super().process_request(request)
