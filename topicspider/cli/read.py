"""``scrapy read``: prints every field of pages as a crawl reads them, with the reasons."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.cli.command import CliCommand, add_topic_option, print_json, terminal_columns
from topicspider.cli.crawl_data import find_crawls, topics_in
from topicspider.errors import ConfigError, TopicSpiderError, UnavailableError
from topicspider.i18n import N_, shell_word
from topicspider.i18n import gettext as _
from topicspider.store.location import store_of_crawl
from topicspider.store.snapshots import read_snapshot
from topicspider.text.segment import make_segmenter
from topicspider.text.terminal import fit, pad, wrap
from topicspider.url import canonicalize

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from topicspider.cli.pages import LocalPage
    from topicspider.options import Options

SYNTAX = "[--json] [--snapshot [--topic NAME]] URL|FILE.html|FILE.warc|FOLDER …"
ABOUT = (
    "Read pages as a crawl does, and print every field with its reasons: which title candidate won, which encoding was used and why, "
    "how sure the body is. Takes web pages, HTML files, PDF, DOCX, WARC recordings, and folders of them in the order of "
    "their names. With --snapshot URL is read as the crawl has kept it (TOPICSPIDER_SNAPSHOTS)."
)
INDENT = 13
FIELDS = (
    N_("error"), N_("title"), N_("published"), N_("modified"), N_("author"), N_("site_name"), N_("language"), N_("type"), N_("encoding"),
    N_("condition"), N_("canonical"), N_("refresh_url"), N_("robots"), N_("keywords"), N_("data"), N_("summary"), N_("body"),
)  # fmt: skip
"""The fields of a page that are shown, in this order, unless they are empty; the links follow."""
LINK_MARKS = (
    N_("main"), N_("nav"), N_("aside"), N_("header"), N_("footer"), N_("comment"), N_("down"), N_("up"), N_("level"), N_("cross"), N_("outward"), N_("frame"), N_("pagination"),
)  # fmt: skip
"""Marks of a link: where it stands on its page, and in which direction it leads within the site."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print exactly one line of JSON for each page, also for unreadable ones")  # fmt: skip
    parser.add_argument("--snapshot", action="store_true", help="read what the crawl has kept of URL; nothing is fetched")  # fmt: skip
    add_topic_option(parser)


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    from topicspider.cli.pages import PageReader

    if not args:
        raise ConfigError("page", None, "URLs, files or folders, as in `scrapy read page.html`")
    kept = [_kept(text, command.options(topic=opts.topic)) for text in args] if opts.snapshot else None
    command.settings.set("TOPICSPIDER_TOPIC", "", priority="cmdline")
    options = command.options()
    reader = PageReader(options, make_segmenter())
    for local in pages_named(command, args) if kept is None else kept:
        account = reader.account(local)
        if opts.json:
            print_json(account)
        elif local.file or not local.trouble:
            print(f"{page_text(account, terminal_columns())}\n")
        sys.stdout.flush()
        if local.trouble and not local.file:
            trouble = _("could not be read: {trouble}", trouble=_(local.trouble))
            raise UnavailableError(local.url, trouble, way_on(local.url, options, local.trouble))


def way_on(url: str, options: Options, trouble: str) -> str:
    """A hint for a page that cannot be fetched: how to see what a crawl kept of it, or how to find out why."""
    from topicspider.crawl_config import place_words

    if "private_address" in trouble:
        return _("Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1")
    try:
        _kept(url, replace(options, topic=""))
    except TopicSpiderError:
        asked = [options.topic or "tourism", "-a", f"seeds={url}", *place_words(options)]
        return _("`scrapy doctor -a topic={topic}` shows each step", topic=" ".join(map(shell_word, asked)))
    return _("A crawl has kept it: `scrapy read --snapshot {url}`", url=shell_word(url))


def _kept(text: str, options: Options) -> LocalPage:
    """The snapshot of a page that a crawl in the data folder has kept; raises ConfigError or NotCrawled if there is none."""
    from topicspider.cli.pages import snapshot_page

    folders, _topics = find_crawls(options)
    for folder in folders:
        with store_of_crawl(options, folder) as store:
            rows = (store.page(topic, canonicalize(text) or text) for topic in topics_in(folder))
            place = next((row.item.snapshot for row in rows if row is not None and row.item.snapshot), "")
        if place:
            return snapshot_page(read_snapshot(folder, place))
    raise ConfigError("--snapshot", text, "the URL of a page that was kept", "TOPICSPIDER_SNAPSHOTS=hits keeps hits")


def pages_named(command: CliCommand, args: list[str]) -> Iterator[LocalPage]:
    """The pages of files, folders and at most one URL; raises ConfigError for any other argument."""
    from topicspider.cli.pages import pages_in, require_pages

    urls = [text for text in args if is_url(text)]
    if len(urls) > 1:  # Scrapy's reactor runs only once
        raise ConfigError("read", " ".join(urls), "one URL at a time; any number of files and folders")
    for path in (Path(text) for text in args if not is_url(text)):
        require_pages(path)  # check all of them before the first page is shown
    for text in args:
        if not is_url(text):
            yield from pages_in(Path(text))
        elif (url := canonicalize(text)) is None:
            raise ConfigError("URL", text, "an http:// or https:// URL")
        else:
            yield command.fetch([url])[0]


def is_url(text: str) -> bool:
    """Whether an argument is meant as a URL and not as a file."""
    return "://" in text[:30]


def page_text(account: Mapping[str, Any], columns: int) -> str:
    """``account`` as lines of at most ``columns`` columns: each field, with its reasons indented below it."""
    lines = [fit(str(account["url"] or account["file"]), columns)]
    for name in FIELDS:
        if text := _text(account[name]):
            lines += _labelled(_(name), _(text) if name in ("type", "error") else text, columns)
            lines += [fit(" " * INDENT + _(reason), columns) for reason in _reasons(account["why"].get(name))]
    skipped = _text(account["skipped_links"])
    count = f"{account['link_count']:,}" + (_("  (skipped: {reasons})", reasons=skipped) if skipped else "")
    lines += _labelled(_("links"), count, columns)
    for link in account["links"][:20]:
        lines += _labelled("", _link(link), columns)
    return "\n".join(lines)


def _text(value: Any) -> str:
    """A field as text for a reader, cut at 1,200 characters."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {part}" for name, part in value.items() if part)
    if isinstance(value, list):
        return _(", ").join(value)
    shown = str(value or "")[:1200]
    left = len(value or "") - len(shown)
    return shown + (_("… ({count:,} characters more; --json has all)", count=left) if left else "")


def _reasons(why: Any) -> list[str]:
    """The reasons of a field, one a line; for ``data``, where each of its fields is from."""
    if isinstance(why, dict):
        return [f"{name}: {source}" for name, source in why.items()]
    return [why] if why else []


def _labelled(label: str, text: str, columns: int) -> list[str]:
    lines = [line for part in text.split("\n") for line in wrap(part, max(20, columns - INDENT)) or [""]]
    heads = [pad(fit(label, INDENT - 1), INDENT), *[" " * INDENT] * (len(lines) - 1)]
    return [(head + line).rstrip() for head, line in zip(heads, lines, strict=True)]


def _link(link: Mapping[str, Any]) -> str:
    marks = [link.get("block"), link.get("kind"), "pagination" if link.get("is_pagination") else "", link.get("rel")]
    return f"[{' '.join(_(mark) for mark in marks if mark)}] {link.get('anchor') or link.get('title') or '-'}\n  {link['url']}"
