"""Downloader middleware: logs in to the site that TOPICSPIDER_LOGIN names, by form or HTTP Basic, before its first page."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode, urlsplit

from parsel import Selector
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.cookies import CookieJar
from scrapy.http.request import NO_CALLBACK
from w3lib.http import basic_auth_header

from topicspider.crawled_page import content_type_of
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.page.decode import decode
from topicspider.politeness.login import Login
from topicspider.setting_rules import setting_name
from topicspider.url import canonicalize, host_key

logger = logging.getLogger(__name__)
_FORM = '(//input[@type="password"])[1]/ancestor::form[1]'
_NAME = './/input[not(@type) or @type="text" or @type="email" or @type="tel"]/@name'
_SENT = '(.//input[@name and (not(@type) or @type="hidden" or @type="text" or (@checked and (@type="checkbox" or @type="radio")))])[position() < 100]'
_CHOSEN = "(.//select[@name])[position() < 100]"
_CLICKED = '(.//*[self::input or self::button][@name and @type="submit"])[1]'
# The operator names the login page, so robots.txt is not obeyed for it: sites forbid that page to all robots
_META = {"dont_redirect": True, "dont_retry": True, "handle_httpstatus_all": True, "dont_obey_robotstxt": True}


@dataclass(frozen=True, slots=True)
class _Form:
    """``url``: its target, None if invalid. ``values``: its other fields. ``user``, ``password``: the names of the fields for these two."""

    url: str | None
    is_post: bool
    values: dict[str, str]
    user: str
    password: str
    encoding: str


def _form_in(page: Response) -> _Form | None:
    """The first form with a password field in ``page``, which may hold anything; its submit button counts as clicked."""
    read = decode(page.body[:500_000], content_type_of(page))
    for form in Selector(text=read.text or " ").xpath(_FORM):
        values = {one.attrib["name"]: one.attrib.get("value", "") for one in form.xpath(f"{_SENT} | {_CLICKED}")}
        for one in form.xpath(_CHOSEN):
            chosen = one.xpath("(.//option[@selected])[1]") or one.xpath("(.//option)[1]")
            values[one.attrib["name"]] = chosen.xpath("@value").get("")
        url = canonicalize(form.attrib.get("action", "").strip() or page.url, page.url)
        names = form.xpath(_NAME).get(""), form.xpath('.//input[@type="password"]/@name').get("")
        return _Form(url, form.attrib.get("method", "").lower() == "post", values, *names, read.encoding)
    return None


class LoginMiddleware:
    """(a) Li 2002: "request with login where the site needs one". After the login, requests to the host carry its cookies or Authorization.

    A refused login is logged once; the crawl goes on without it.
    """

    def __init__(self, crawler: Crawler, login: Login) -> None:
        self._crawler, self._login = crawler, login
        self._cookies, self._authorization = CookieJar(), b""
        self._once, self._is_tried = asyncio.Lock(), False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        login = Login.read(setting_name("login"), Options.read(crawler.settings).login)
        if login is None:
            raise NotConfigured
        return cls(crawler, login)

    async def process_request(self, request: Request) -> None:
        """Log in before the first request; add cookies or Authorization to each."""
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
        elif (form := _form_in(page)) is None:
            why = _("the page has no form with a password")
        else:
            why = await self._fill_in(page, form)
        log = logger.error if why else logger.info
        log(_("login at {url}: {what}", url=self._login.url, what=why or _("done")))

    async def _fill_in(self, page: Response, form: _Form) -> str:
        """Send the form. Returns why the login failed, "" if the answer has no such form and does not redirect back to it."""
        is_safe = form.url and host_key(form.url) == self._login.host and form.is_post
        if not (is_safe and form.url) or page.url.startswith("https:") > form.url.startswith("https:"):
            return _("its form sends the password to another host, without TLS, or as part of an address")
        fields = {**form.values, form.user: self._login.user, form.password: self._login.password}
        body = urlencode(fields, encoding=form.encoding, errors="xmlcharrefreplace")
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        got = await self._fetch(Request(form.url, method="POST", body=body, headers=kind))
        target = canonicalize((got.headers.get("Location") or b"").decode("latin-1"), got.url) or ""
        is_back = 300 <= got.status < 400 and urlsplit(target).path == urlsplit(self._login.url).path
        return _("the password is refused") if got.status >= 400 or _form_in(got) or is_back else ""

    async def _fetch(self, request: Request) -> Response:
        """Fetch with the host's turn and rest, as robots.txt is fetched."""
        request = request.replace(callback=NO_CALLBACK, meta=dict(_META), dont_filter=True)
        self._sign(request)
        response = await self._crawler.engine.download_async(request)
        self._cookies.extract_cookies(response, request)
        return response

    def _sign(self, request: Request) -> None:
        request.headers.pop("Cookie", None)
        self._cookies.add_cookie_header(request)
        if self._authorization:
            request.headers["Authorization"] = self._authorization
