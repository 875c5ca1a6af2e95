"""``scrapy read``: everything a page says, as a crawl reads it, and why."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES

from topicspider.commandline import one_line_errors
from topicspider.defaults import Options, setting_name
from topicspider.errors import ConfigError, UnavailableError
from topicspider.fetches import fetch_of
from topicspider.page.account import account_of, blank_account, declared_address
from topicspider.page.documents.converter import Converter
from topicspider.page.documents.kinds import kind_of
from topicspider.page.page import Page
from topicspider.readout.layout import laid_out
from topicspider.readout.local_pages import LocalPage, pages_in, require_pages
from topicspider.requests import OUTCOME
from topicspider.text.segment import make_segmenter
from topicspider.text.wording import speaks_chinese
from topicspider.url.canonical import canonicalize
from topicspider.visit import Fetch, manner_of

NOWHERE = "http://file.invalid/"
"""What links are relative to on a page whose address nobody knows."""


class OneAnswer(Spider):
    """Puts the answer of ``url``, whatever its status, into ``fetches``, or into ``outcomes`` why there is none."""

    name = "one-answer"

    def __init__(self, url: str, fetches: list[Fetch], outcomes: list[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._url = url
        self._fetches = fetches
        self._outcomes = outcomes

    async def start(self) -> AsyncIterator[Request]:
        """The one request."""
        yield Request(self._url, callback=self.parse, errback=self.note)

    def parse(self, response: Response, **_kwargs: Any) -> Iterator[Any]:
        """Keep the answer."""
        self._fetches.append(fetch_of(response))
        return iter(())

    def note(self, failure: Any) -> None:
        """Keep an answer that is an error, else the reason why there is none."""
        response = getattr(failure.value, "response", None)
        if isinstance(response, Response):
            self._fetches.append(fetch_of(response))
            return
        meta = failure.request.meta if getattr(failure, "request", None) is not None else {}
        self._outcomes.append(str(meta.get(OUTCOME) or failure.type.__name__))


class Command(BaseRunSpiderCommand):
    """A URL is fetched politely; files, folders and recordings are read where they are."""

    requires_project = False

    def syntax(self) -> str:
        return "[--quality] [--json] URL|FILE.html|FILE.warc|FOLDER …"

    def short_desc(self) -> str:
        return "Show everything a page says (title, body, dates, links, …) and why"

    def long_desc(self) -> str:
        return (
            "Read pages as a crawl does, and print every field with its reasons: which title candidate won, which encoding was used and why, "
            "how sure the body is. Takes web pages, HTML files, PDF, DOCX, EPUB, WARC recordings, and folders of them in the order of "
            "their names."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--quality",
            action="store_true",
            help="find bodies with trafilatura: slower (TOPICSPIDER_BODY_RULE=quality)",
        )
        parser.add_argument(
            "--json", action="store_true", help="print exactly one line of JSON for each page, also for unreadable ones"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """The answer alone, unless a log level was asked for."""
        super().process_options(args, opts)
        assert self.settings is not None
        if (self.settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")
        self.settings.set(setting_name("topic"), "", priority="cmdline")
        if opts.quality:
            self.settings.set(setting_name("body_rule"), "quality", priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError
        with one_line_errors(self):
            assert self.settings is not None
            options = Options.read(self.settings)
            reader = _Reader(options)
            try:
                for page in self._pages(args, options):
                    self._show(page, reader, options, opts.json)
            finally:
                reader.close()

    def _pages(self, args: list[str], options: Options) -> Iterator[LocalPage]:
        urls = [text for text in args if _is_url(text)]
        if len(urls) > 1:  # a reactor runs once
            raise ConfigError("read", " ".join(urls), "one URL at a time; any number of files and folders")
        for path in (Path(text) for text in args if not _is_url(text)):
            require_pages(path)  # of all, before the first is shown
        for text in args:
            if _is_url(text):
                yield self._fetched(text)
            else:
                yield from pages_in(Path(text), options.max_bytes)

    def _fetched(self, text: str) -> LocalPage:
        assert self.crawler_process is not None
        url = canonicalize(text)
        if url is None:
            raise ConfigError("URL", text, "an http:// or https:// URL")
        fetches: list[Fetch] = []
        outcomes: list[str] = []
        self.crawler_process.crawl(OneAnswer, url=url, fetches=fetches, outcomes=outcomes)
        self.crawler_process.start()
        if not fetches:
            return LocalPage("", url, trouble=", ".join(outcomes) or "no answer")
        fetch = fetches[-1]
        trouble = "" if fetch.status // 100 == 2 else f"the server answered {fetch.status}"
        return LocalPage(
            "", fetch.url, fetch.body, fetch.headers.get("content-type", ""), datetime.now(UTC).date(), trouble
        )

    def _show(self, local: LocalPage, reader: _Reader, options: Options, as_json: bool) -> None:
        account = reader.account(local)
        if as_json:
            sys.stdout.write(json.dumps(account, ensure_ascii=False) + "\n")
        else:
            columns = shutil.get_terminal_size().columns
            sys.stdout.write(laid_out(account, columns, chinese=speaks_chinese(options.language)) + "\n\n")
        sys.stdout.flush()
        if local.trouble and not local.file:
            raise UnavailableError(
                local.url,
                f"could not be read: {local.trouble}",
                f"`scrapy doctor -a seeds={local.url}` shows each step",
            )


class _Reader:
    """Turns pages at rest into accounts; documents go through a process of their own."""

    def __init__(self, options: Options) -> None:
        self._segmenter = make_segmenter(options.segmenter)
        self._manner = manner_of(options)
        self._max_links = options.links_per_page
        self._converter = Converter()

    def close(self) -> None:
        """End the process that reads documents."""
        self._converter.close()

    def account(self, local: LocalPage) -> dict[str, Any]:
        """What is shown of one page: where it is from, ``error`` in words or null, and its account."""
        where = {"file": local.file or None, "url": local.url or None}
        page, trouble = self._page(local)
        return where | {"error": trouble or None} | (account_of(page) if page is not None else blank_account())

    def _page(self, local: LocalPage) -> tuple[Page | None, str]:
        if not local.body:
            return None, local.trouble or "it is empty"
        body, content_type, document = local.body, local.content_type, ""
        if kind := kind_of(body, content_type):
            read = self._converter.convert(kind, body)
            if read.failure:
                return None, read.failure
            body, content_type, document = read.markup, read.content_type, read.readable_kind
        page = self._made(local.url or NOWHERE, local, body, content_type, document)
        if not local.url and (address := declared_address(page)):  # relative links and days in addresses need one
            page = self._made(address, local, body, content_type, document)
        return page, local.trouble or ("" if page.is_readable else "it is neither markup nor text")

    def _made(self, url: str, local: LocalPage, body: bytes, content_type: str, document: str) -> Page:
        return Page(
            url,
            body,
            content_type,
            self._segmenter,
            self._max_links,
            manner=self._manner,
            fetched_on=local.fetched_on,
            document=document,
        )


def _is_url(text: str) -> bool:
    return "://" in text[:30]
