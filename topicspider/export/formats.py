"""Export formats by file ending, and writing a file whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from xml.sax.saxutils import quoteattr

from topicspider.errors import ConfigError, UnavailableError
from topicspider.export.tables import UNWRITABLE, CsvExporter, Exporter, ParquetExporter, XlsxExporter
from topicspider.store.rows import PageRow
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


EXTRA = "export"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a format is told beside the pages: a ``title``, and how to ``read`` a snapshot by its place."""

    title: str
    read: Callable[[str], Snapshot]


@dataclass(frozen=True, slots=True)
class Format:
    """``open`` begins a file; ``needs`` is a package that only this format imports, installed with the extra."""

    open: Callable[[IO[bytes], Sheet], Exporter]
    needs: str = ""


FORMATS: dict[str, Format] = {
    ".jsonl": Format(lambda file, _sheet: JsonLinesExporter(file)),
    ".csv": Format(lambda file, _sheet: CsvExporter(file)),
    ".parquet": Format(lambda file, _sheet: ParquetExporter(file), "pyarrow"),
    ".xlsx": Format(lambda file, _sheet: XlsxExporter(file), "openpyxl"),
    ".warc.gz": Format(lambda file, sheet: WarcExporter(file, sheet.read)),
    ".html": Format(lambda file, sheet: HtmlExporter(file, sheet.title)),
    ".rss": Format(lambda file, sheet: RssExporter(file, sheet.title)),
}


def format_of(path: Path) -> Format:
    """The format of a file called so; raises ConfigError for an ending that is none, UnavailableError when its package is missing."""
    found = next((kind for ending, kind in FORMATS.items() if path.name.lower().endswith(ending)), None)
    if found is None or path.name.lower() in FORMATS:
        raise ConfigError("-o", str(path), f"a file whose name ends in {', '.join(FORMATS)}")
    if found.needs and find_spec(found.needs) is None:
        why = f"the package {found.needs} is not installed"
        raise UnavailableError(
            f"export to {path.name}",
            why,
            f"Install it: pip install 'topicspider[{EXTRA}]', or pip install -r requirements-{EXTRA}.txt",
        )
    return found


def check_target(path: Path, *, force: bool) -> Format:
    """The format of ``path``; raises when it cannot be written there, is there already (without ``force``), or has no known ending."""
    kind = format_of(path)
    if path.is_dir():
        raise ConfigError("-o", str(path), "a file, not a folder")
    if not path.parent.is_dir():
        raise ConfigError("-o", str(path), "a file in a folder that exists", f"There is no folder {path.parent}")
    _check_free(path, force=force)
    return kind


def write_export(path: Path, rows: Iterable[PageRow], sheet: Sheet, *, force: bool = False) -> int:
    """Write ``rows`` to ``path``, and say how many; under another name first, so that what is there stays when anything goes wrong.

    Raises as check_target does, and UnavailableError when the disk is full or may not be written.
    """
    kind = check_target(path, force=force)
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}-")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            count = _write(kind, file, rows, sheet)
            file.flush()
            os.fsync(file.fileno())
        _check_free(path, force=force)  # somebody may have made it meanwhile
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise UnavailableError(
            f"export to {path}", error.strerror or str(error), "Check the disk and the folder"
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return count


def _write(kind: Format, file: IO[bytes], rows: Iterable[PageRow], sheet: Sheet) -> int:
    exporter = kind.open(file, sheet)
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the last is the number of them
        exporter.write(row)
    exporter.close()
    return count


def _check_free(path: Path, *, force: bool) -> None:
    if path.exists() and not force:
        raise ConfigError("-o", str(path), "a file that does not exist yet", "Say --force to write it anew")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
