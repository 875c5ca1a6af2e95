"""``scrapy read``: prints every field of pages as a crawl reads them, and the reasons."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from topicspider.cli.command import print_json, terminal_columns
from topicspider.errors import ConfigError, UnavailableError
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.options import MAX_PAGE_BYTES
from topicspider.text.terminal import fit, pad, wrap

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from topicspider.cli.command import CliCommand
    from topicspider.cli.pages import LocalPage
    from topicspider.options import Options

SYNTAX = "[--json] URL|FILE.html|FILE.warc|FOLDER …"
ABOUT = (
    "Read pages as a crawl does, and print every field with its reasons: which title candidate won, which encoding was used and why, "
    "how sure the body is. Takes web pages, HTML files, PDF, DOCX, EPUB, WARC recordings, and folders of them in the order of "
    "their names."
)
INDENT = 13
LABELS = {
    "error": N_("error"),
    "title": N_("title"),
    "published": N_("published"),
    "modified": N_("modified"),
    "author": N_("author"),
    "site_name": N_("site name"),
    "language": N_("language"),
    "type": N_("type"),
    "encoding": N_("encoding"),
    "condition": N_("condition"),
    "canonical": N_("canonical"),
    "refresh_url": N_("refresh"),
    "alternates": N_("alternates"),
    "keywords": N_("keywords"),
    "data": N_("data"),
    "summary": N_("summary"),
    "body": N_("body"),
    "links": N_("links"),
}
FACTS = ("published", "modified", "author", "site_name", "language", "type")
ADDRESSES = ("condition", "canonical", "refresh_url")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print exactly one line of JSON for each page, also for unreadable ones")  # fmt: skip


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Show each page of the arguments."""
    from topicspider.cli.pages import PageReader
    from topicspider.text.segment import make_segmenter

    if not args:
        raise UsageError
    assert command.settings is not None
    command.settings.set("TOPICSPIDER_TOPIC", "", priority="cmdline")
    options = command.options()
    with closing(PageReader(options, make_segmenter(options.segmenter))) as reader:
        for local in _pages(command, args, options):
            account = reader.account(local)
            if opts.json:
                print_json(account)
            else:
                print(f"{page_text(account, terminal_columns())}\n")
            sys.stdout.flush()
            if local.trouble and not local.file:
                hint = f"`scrapy doctor -a seeds={local.url}` shows each step"
                raise UnavailableError(local.url, f"could not be read: {local.trouble}", hint)


def _pages(command: CliCommand, args: list[str], options: Options) -> Iterator[LocalPage]:
    from topicspider.cli.pages import pages_in, require_pages
    from topicspider.url import canonicalize

    urls = [text for text in args if is_url(text)]
    if len(urls) > 1:  # a reactor runs once
        raise ConfigError("read", " ".join(urls), "one URL at a time; any number of files and folders")
    for path in (Path(text) for text in args if not is_url(text)):
        require_pages(path)  # of all, before the first is shown
    for text in args:
        if not is_url(text):
            yield from pages_in(Path(text), MAX_PAGE_BYTES)
        elif (url := canonicalize(text)) is None:
            raise ConfigError("URL", text, "an http:// or https:// URL")
        else:
            yield command.fetch([url])[0]


def is_url(text: str) -> bool:
    """Whether an argument is meant as a URL, not as a file."""
    return "://" in text[:30]


def page_text(account: Mapping[str, Any], columns: int) -> str:
    """``account`` as lines of at most ``columns`` columns: each field, and indented below it why it is so."""
    lines = [fit(str(account["url"] or account["file"]), columns)]
    for name, text, reasons in _fields(account):
        lines += _labelled(_(LABELS[name]) if name in LABELS else name, text, columns)
        lines += [fit(" " * INDENT + reason, columns) for reason in reasons]
    return "\n".join(lines)


def _fields(account: Mapping[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    """Name, text and reasons of each field that says anything."""
    why = account["why"]
    sources = why.get("data", {})
    skipped = ", ".join(f"{name} {count}" for name, count in sorted(account["skipped_links"].items()))
    rows = [
        ("error", account["error"], []),
        ("title", account["title"] or "-", [_candidate(candidate) for candidate in why.get("title", [])]),
        *((name, account[name], [why.get(name)]) for name in FACTS),
        ("encoding", _encoding(account["encoding"]), []),
        *((name, account[name], [why.get(name)]) for name in ADDRESSES),
        ("robots", ", ".join(account["robots"]), []),
        *(("alternates", f"{language}  {url}", []) for language, url in account["alternates"].items()),
        ("keywords", _(", ").join(account["keywords"]), []),
        *(("data", f"{field}: {value}", [sources.get(field)]) for field, value in account["data"].items()),
        ("summary", account["summary"], []),
        ("body", _body(account["body"]), []),
        ("links", f"{account['link_count']:,}" + (_("  (skipped: {reasons})", reasons=skipped) if skipped else ""), []),
        *(("", _link(link), []) for link in account["links"][:20]),
    ]
    yield from ((name, text, list(filter(None, reasons))) for name, text, reasons in rows if text)


def _labelled(label: str, text: str, columns: int) -> list[str]:
    lines = [line for part in text.split("\n") for line in wrap(part, max(20, columns - INDENT)) or [""]]
    heads = [pad(fit(label, INDENT - 1), INDENT), *[" " * INDENT] * (len(lines) - 1)]
    return [(head + line).rstrip() for head, line in zip(heads, lines, strict=True)]


def _candidate(candidate: Mapping[str, Any]) -> str:
    why = f"  ({candidate['why']})" if candidate["why"] else ""
    return f"{'+' if candidate['is_chosen'] else '-'} {candidate['source']}: {candidate['text']}{why}"


def _encoding(encoding: Mapping[str, Any] | None) -> str:
    if not encoding:
        return ""
    repaired = _(", {count} repaired", count=encoding["repaired"]) if encoding["repaired"] else ""
    return _(
        "{used} (declared: {declared}; why: {why}{repaired})",
        used=encoding["used"],
        declared=encoding["declared"] or _("nothing"),
        why=encoding["why"],
        repaired=repaired,
    )


def _body(body: str) -> str:
    shown = body[:1200]  # a screen of text
    left = len(body) - len(shown)
    if left <= 0:
        return body or "-"
    return shown + _("… ({count:,} characters more; --json has all)", count=left)


def _link(link: Mapping[str, Any]) -> str:
    marks = [link.get("block"), link.get("kind"), "pagination" if link.get("is_pagination") else "", link.get("rel")]
    return f"[{' '.join(mark for mark in marks if mark)}] {link.get('anchor') or link.get('title') or '-'}\n  {link['url']}"
