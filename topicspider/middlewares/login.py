"""Downloader middleware: logs in to the site that TOPICSPIDER_LOGIN names, by its form or by HTTP Basic, before the first page of its host."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import FormRequest, HtmlResponse, Response
from scrapy.http.cookies import CookieJar
from scrapy.http.request import NO_CALLBACK
from w3lib.http import basic_auth_header

from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.politeness.login import Login
from topicspider.setting_rules import setting_name
from topicspider.url import host_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)
FORM = '//form[.//input[@type="password"]]'
_NAME = './/input[not(@type) or @type="text" or @type="email" or @type="tel"]/@name'
# Who runs the crawl names the page himself; sites forbid it to all robots
_META = {"dont_redirect": True, "dont_retry": True, "handle_httpstatus_all": True, "dont_obey_robotstxt": True}


class LoginMiddleware:
    """(a) Li 2002: "request with login where the site needs one". The host's pages have the cookies, or the Authorization, from then on.

    A login that is refused is said once; the crawl goes on without it.
    """

    def __init__(self, crawler: Crawler, login: Login) -> None:
        self._crawler, self._login = crawler, login
        self._cookies, self._authorization = CookieJar(), b""
        self._once, self._is_tried = asyncio.Lock(), False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """NotConfigured without the setting."""
        login = Login.read(setting_name("login"), Options.read(crawler.settings).login)
        if login is None:
            raise NotConfigured
        return cls(crawler, login)

    async def process_request(self, request: Request) -> None:
        """Log in when nobody has; give the request what the login gave."""
        if request.callback is NO_CALLBACK or host_key(request.url) != self._login.host:
            return
        async with self._once:
            if not self._is_tried:
                await self._log_in()
                self._is_tried = True
        self._sign(request)

    async def _log_in(self) -> None:
        page = await self._fetch(Request(self._login.url))
        if page.status == 401:
            self._authorization = basic_auth_header(self._login.user, self._login.password, "utf-8")
            page = await self._fetch(Request(self._login.url))
            why = _("the password is refused") if page.status == 401 else ""
        elif not (isinstance(page, HtmlResponse) and page.xpath(FORM)):
            why = _("the page has no form with a password")
        else:
            why = await self._fill_in(page)
        log = logger.error if why else logger.info
        log(_("login at {url}: {what}", url=self._login.url, what=why or _("done")))

    async def _fill_in(self, page: HtmlResponse) -> str:
        """Why it failed; "" when it did not: the answer has no such form and does not lead back to it."""
        form = page.xpath(FORM)[0]
        fields = {
            form.xpath(_NAME).get(""): self._login.user,
            form.xpath('.//input[@type="password"]/@name').get(""): self._login.password,
        }
        sent = FormRequest.from_response(page, formxpath=FORM, formdata=fields)
        if host_key(sent.url) != self._login.host or (page.url.startswith("https:") > sent.url.startswith("https:")):
            return _("its form sends the password to another host, or without TLS")
        got = await self._fetch(sent)
        target = got.urljoin((got.headers.get("Location") or b"").decode("latin-1"))
        is_form = isinstance(got, HtmlResponse) and bool(got.xpath(FORM))
        is_back = 300 <= got.status < 400 and urlsplit(target).path == urlsplit(self._login.url).path
        return _("the password is refused") if got.status >= 400 or is_form or is_back else ""

    async def _fetch(self, request: Request) -> Response:
        """Politely, as robots.txt is."""
        request = request.replace(callback=NO_CALLBACK, meta=dict(_META), dont_filter=True)
        self._sign(request)
        assert self._crawler.engine is not None
        response = await self._crawler.engine.download_async(request)
        self._cookies.extract_cookies(response, request)
        return response

    def _sign(self, request: Request) -> None:
        request.headers.pop("Cookie", None)
        self._cookies.add_cookie_header(request)
        if self._authorization:
            request.headers["Authorization"] = self._authorization
