"""Export formats by file ending, and writing a file whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import IO, NamedTuple

from topicspider.errors import ConfigError, UnavailableError
from topicspider.export.tables import UNWRITABLE, write_csv, write_parquet, write_xlsx
from topicspider.items import PageItem
from topicspider.store.rows import PageRow
from topicspider.store.snapshots import Snapshot, packed_info, packed_snapshot, packed_text

EXTRA = "export"
Rows = Iterable[PageRow]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a format is told beside the pages: a ``title``, and how to ``read`` a snapshot by its place."""

    title: str
    read: Callable[[str], Snapshot]


def write_jsonl(file: IO[bytes], rows: Rows, _sheet: Sheet) -> None:
    """An object a line, in UTF-8, with every field."""
    for row in rows:
        file.write(json.dumps(asdict(row.item), ensure_ascii=False).encode("utf-8", "replace") + b"\n")


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


def write_html(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    """A list in the order of the query; everything from pages is escaped, and only http and https are linked."""
    file.write(_HEAD.format(title=escape(sheet.title or "hits")).encode("utf-8", "replace"))
    for row in rows:
        file.write(_html_of(row.item).encode("utf-8", "replace"))
    file.write(b"</body></html>\n")


def _html_of(item: PageItem) -> str:
    url = escape(item.url)
    title = escape(item.title or item.url)
    linked = f'<a href="{url}">{title}</a>' if item.url.startswith(("http://", "https://")) else title
    date = (item.published or item.date or item.fetched_at)[:10]
    facts = " · ".join(filter(None, (f"{item.relevance:.2f}", date, item.site_name, item.author, item.topic)))
    summary = escape(item.summary or item.body[:300])
    return f'<h2>{linked}</h2>\n<p>{summary}</p>\n<p class="facts">{escape(facts)}<br>{url}</p>\n'


_RSS_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">'


def write_rss(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    """An item a page, with its summary, date, author and topic. A channel must have a link: that of its first item."""
    rest = iter(rows)
    first = list(islice(rest, 1))
    name, link = _text(sheet.title or "hits"), _text(first[0].item.url if first else "")
    channel = f"<title>{name}</title>\n<link>{link}</link>\n<description>{name}</description>"
    file.write(f"{_RSS_HEAD}\n<channel>\n{channel}\n".encode())
    for row in chain(first, rest):
        file.write(_rss_of(row.item).encode())
    file.write(b"</channel>\n</rss>\n")


def _rss_of(item: PageItem) -> str:
    parts = {
        "title": item.title or item.url,
        "link": item.url,
        "guid": item.url,
        "description": item.summary,
        "dc:creator": item.author,
        "pubDate": _date(item.published) or _date(item.date) or _date(item.fetched_at),
    }
    elements = [*parts.items(), *(("category", word) for word in (item.topic, *item.keywords))]
    return f"<item>{''.join(f'<{name}>{_text(text)}</{name}>' for name, text in elements if text)}</item>\n"


def _text(text: str) -> str:
    return escape(UNWRITABLE.sub("\ufffd", text), quote=False)


def _date(text: str) -> str:
    """As RSS writes dates; "" when it is none."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return format_datetime(date if date.tzinfo else date.replace(tzinfo=UTC))


def write_warc(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    """A record a page: ``response`` of its snapshot, else ``conversion`` of title and body, as text/plain."""
    file.write(packed_info("hits.warc.gz"))
    for row in rows:
        file.write(_warc_of(row.item, sheet))


def _warc_of(item: PageItem, sheet: Sheet) -> bytes:
    if item.snapshot:
        try:
            return packed_snapshot(sheet.read(item.snapshot))
        except UnavailableError:  # its file was deleted, or lies on another node
            pass
    return packed_text(item.url, f"{item.title}\n\n{item.body}\n", item.fetched_at)


class Format(NamedTuple):
    """``write`` makes a file, holding only some pages at once; ``needs`` is a package that only this format imports, installed with the extra."""

    write: Callable[[IO[bytes], Rows, Sheet], None]
    needs: str = ""


FORMATS: dict[str, Format] = {
    ".jsonl": Format(write_jsonl),
    ".csv": Format(lambda file, rows, _sheet: write_csv(file, rows)),
    ".parquet": Format(lambda file, rows, _sheet: write_parquet(file, rows), "pyarrow"),
    ".xlsx": Format(lambda file, rows, _sheet: write_xlsx(file, rows), "openpyxl"),
    ".warc.gz": Format(write_warc),
    ".html": Format(write_html),
    ".rss": Format(write_rss),
}


def check_target(path: Path, *, force: bool) -> Format:
    """The format of ``path`` by its ending.

    Raises ConfigError when it has no known one, cannot be written there, or is there already (without ``force``), and UnavailableError
    when the format's package is missing.
    """
    found = next((kind for ending, kind in FORMATS.items() if path.name.lower().endswith(ending)), None)
    if found is None or path.name.lower() in FORMATS:
        raise ConfigError("-o", str(path), f"a file whose name ends in {', '.join(FORMATS)}")
    if found.needs and find_spec(found.needs) is None:
        hint = f"Install it: pip install 'topicspider[{EXTRA}]', or pip install -r requirements-{EXTRA}.txt"
        raise UnavailableError(f"export to {path.name}", f"the package {found.needs} is not installed", hint)
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError("-o", str(path), "a file in a folder that exists")
    if path.exists() and not force:
        raise ConfigError("-o", str(path), "a file that does not exist yet", "Say --force to write it anew")
    return found


def write_export(path: Path, rows: Iterable[PageRow], sheet: Sheet, *, force: bool = False) -> int:
    """Write ``rows`` to ``path``, and say how many; under another name first, so that what is there stays when anything goes wrong.

    Raises as check_target does, and UnavailableError when the disk is full or may not be written.
    """
    kind = check_target(path, force=force)
    part = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    count = 0

    def counted() -> Iterator[PageRow]:
        nonlocal count
        for row in rows:
            count += 1
            yield row

    try:
        with part.open("wb") as file:
            kind.write(file, counted(), sheet)
            file.flush()
            os.fsync(file.fileno())
        check_target(path, force=force)  # somebody may have made it meanwhile
        part.replace(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise UnavailableError(f"export to {path}", why, "Check the disk and the folder") from error
    finally:
        part.unlink(missing_ok=True)
    return count
