"""Hits as an RSS 2.0 feed."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from topicspider.export.exporter import UNWRITABLE
from topicspider.store.contract import PageRow

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">'


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
            self._put(f"{_HEAD}\n<channel>\n{channel}\n")

    def _put(self, text: str) -> None:
        self._file.write(text.encode())


def _clean(text: str) -> str:
    return UNWRITABLE.sub("\ufffd", text)


def _text(text: str) -> str:
    return escape(_clean(text))


def _date(text: str) -> str:
    """As RSS writes dates; "" when it is none."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return format_datetime(date if date.tzinfo else date.replace(tzinfo=UTC))
