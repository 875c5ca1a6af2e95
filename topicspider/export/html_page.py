"""Hits as one web page that needs nothing else: titles, summaries, where and when."""

from __future__ import annotations

from html import escape
from typing import IO

from topicspider.store.contract import PageRow

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
