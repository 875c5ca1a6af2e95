"""Exports hits as JSON lines, a web page, an RSS feed or a WARC file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from typing import IO
from xml.sax.saxutils import quoteattr

from topicspider.errors import UnavailableError
from topicspider.export.tables import UNWRITABLE
from topicspider.store.contract import PageRow
from topicspider.store.snapshots import Snapshot, packed_info, packed_snapshot, packed_text


class JsonLinesExporter:
    """An object a line, in UTF-8, with every field."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        self._file.write(json.dumps(asdict(row.item), ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        """See Exporter."""


_HEAD = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
body{{font:16px/1.6 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#222;background:#fff}}
h1{{font-size:1.4em}} h2{{font-size:1.1em;margin:1.4em 0 0}} p{{margin:.2em 0}}
.facts{{color:#666;font-size:.85em;overflow-wrap:anywhere}}
</style></head><body>
<h1>{title}</h1>
"""
_SHOWN = 300  # characters of the body, when there is no summary


class HtmlExporter:
    """A list in the order of the query; everything from pages is escaped, and only http and https are linked."""

    def __init__(self, file: IO[bytes], title: str) -> None:
        self._file = file
        self._put(_HEAD.format(title=escape(title or "hits")))

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        item = row.item
        url = escape(item.url)
        title = escape(item.title or item.url)
        linked = f'<a href="{url}">{title}</a>' if item.url.startswith(("http://", "https://")) else title
        date = (item.published or item.date or item.fetched_at)[:10]
        facts = " · ".join(filter(None, (f"{item.relevance:.2f}", date, item.site_name, item.author, item.topic)))
        summary = escape(item.summary or item.body[:_SHOWN])
        self._put(f'<h2>{linked}</h2>\n<p>{summary}</p>\n<p class="facts">{escape(facts)}<br>{url}</p>\n')

    def close(self) -> None:
        """See Exporter."""
        self._put("</body></html>\n")

    def _put(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "replace"))


_RSS_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">'


class RssExporter:
    """An item a page, with its summary, date, author and topic."""

    def __init__(self, file: IO[bytes], title: str) -> None:
        self._file = file
        self._name = _text(title or "hits")
        self._is_begun = False

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        item = row.item
        self._begin(item.url)
        parts = [
            f"<title>{_text(item.title or item.url)}</title>",
            f"<link>{_text(item.url)}</link>",
            f'<guid isPermaLink="true">{_text(item.url)}</guid>',
            f"<description>{_text(item.summary)}</description>",
            *(f"<category>{_text(word)}</category>" for word in (item.topic, *item.keywords) if word),
        ]
        if item.author:
            parts.append(f"<dc:creator>{_text(item.author)}</dc:creator>")
        if date := _date(item.published) or _date(item.date) or _date(item.fetched_at):
            parts.append(f"<pubDate>{date}</pubDate>")
        if item.site_name:
            parts.append(f"<source url={quoteattr(_clean(item.url))}>{_text(item.site_name)}</source>")
        self._put(f"<item>{''.join(parts)}</item>\n")

    def close(self) -> None:
        """See Exporter."""
        self._begin("")
        self._put("</channel>\n</rss>\n")

    def _begin(self, link: str) -> None:
        """A channel must have a link: that of its first item."""
        if not self._is_begun:
            self._is_begun = True
            channel = (
                f"<title>{self._name}</title>\n<link>{_text(link)}</link>\n<description>{self._name}</description>"
            )
            self._put(f"{_RSS_HEAD}\n<channel>\n{channel}\n")

    def _put(self, text: str) -> None:
        self._file.write(text.encode())


def _clean(text: str) -> str:
    return UNWRITABLE.sub("\ufffd", text)


def _text(text: str) -> str:
    return escape(_clean(text), quote=False)


def _date(text: str) -> str:
    """As RSS writes dates; "" when it is none."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return format_datetime(date if date.tzinfo else date.replace(tzinfo=UTC))


class WarcExporter:
    """A record a page: ``response`` of its snapshot (``read`` finds it), else ``conversion`` of title and body, as text/plain."""

    def __init__(self, file: IO[bytes], read: Callable[[str], Snapshot]) -> None:
        self._file = file
        self._read = read
        self._file.write(packed_info("hits.warc.gz"))

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        self._file.write(self._record(row))

    def close(self) -> None:
        """See Exporter."""

    def _record(self, row: PageRow) -> bytes:
        item = row.item
        if item.snapshot:
            try:
                return packed_snapshot(self._read(item.snapshot))
            except UnavailableError:  # its file was deleted, or lies on another node
                pass
        return packed_text(item.url, f"{item.title}\n\n{item.body}\n", item.fetched_at)
