"""``scrapy read``: everything a page says, as a crawl reads it, and why."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES

from topicspider.commandline import one_line_errors
from topicspider.defaults import Options, setting_name
from topicspider.errors import ConfigError, UnavailableError
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from topicspider.readout.local_pages import LocalPage
    from topicspider.readout.page_reader import PageReader


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
        from topicspider.readout.page_reader import PageReader
        from topicspider.text.segment import make_segmenter

        if not args:
            raise UsageError
        with one_line_errors(self):
            assert self.settings is not None
            options = Options.read(self.settings)
            reader = PageReader(options, make_segmenter(options.segmenter))
            try:
                for page in self._pages(args, options):
                    self._show(page, reader, options, opts.json)
            finally:
                reader.close()

    def _pages(self, args: list[str], options: Options) -> Iterator[LocalPage]:
        from topicspider.readout.local_pages import pages_in, require_pages

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
        from topicspider.answers import fetched
        from topicspider.url.canonical import canonicalize

        assert self.crawler_process is not None
        url = canonicalize(text)
        if url is None:
            raise ConfigError("URL", text, "an http:// or https:// URL")
        return fetched(self.crawler_process, [url])[0]

    def _show(self, local: LocalPage, reader: PageReader, options: Options, as_json: bool) -> None:
        from topicspider.readout.layout import laid_out

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


def _is_url(text: str) -> bool:
    return "://" in text[:30]
