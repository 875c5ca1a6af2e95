"""Export formats by file extension, and atomic writing of a file; the only module that imports openpyxl and pyarrow."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from email.utils import format_datetime
from importlib.util import find_spec
from itertools import chain, count, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TextIO

from topicspider.errors import ConfigError, UnavailableError
from topicspider.i18n import gettext as _
from topicspider.items import KINDS, PageItem
from topicspider.store.rows import PageRow
from topicspider.store.snapshots import Snapshot, packed_info, packed_snapshot, packed_text

if TYPE_CHECKING:
    from jinja2 import Template

EXTRA = "export"
Rows = Iterable[PageRow]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a format needs besides the pages: a ``title``, a function to ``read`` a snapshot by its place, the ``kind`` of all pages, or "".

    A table of one kind has the fields of that kind as columns, then the origin of each page.
    """

    title: str
    read: Callable[[str], Snapshot]
    kind: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(dict.fromkeys((*KINDS[self.kind], *_WHENCE))) if self.kind else FIELDS

    def value(self, item: PageItem, name: str) -> Any:
        """The value of an item in a column."""
        return item.data[name] if self.kind and name in item.data else getattr(item, name, "")


def write_jsonl(file: IO[bytes], rows: Rows, _sheet: Sheet) -> None:
    """Writes one JSON object per line, in UTF-8, with every field."""
    for row in rows:
        file.write(json.dumps(asdict(row.item), ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def write_html(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    """Writes an HTML list in the order of ``rows``; text from pages is escaped, and only http and https URLs are linked."""
    _fill("hits.html", file, rows, title=sheet.title or "hits")


def write_rss(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    """Writes one RSS item per page, with summary, date, author and topic. The channel's mandatory link is that of the first item."""
    rest = iter(rows)
    first = list(islice(rest, 1))
    link = first[0].item.url if first else ""
    _fill("hits.rss", file, chain(first, rest), title=sheet.title or "hits", link=link)


def rss_of(template: str, **values: Any) -> bytes:
    """A feed made from a template of this package with ``values``, in UTF-8."""
    return _template(template).render(**values).encode("utf-8", "replace")


def _fill(template: str, file: IO[bytes], rows: Rows, **words: str) -> None:
    items = (row.item for row in rows)
    for piece in _template(template).generate(items=items, **words):
        file.write(piece.encode("utf-8", "replace"))


def _template(name: str) -> Template:
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("topicspider.export", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: UNWRITABLE.sub("\ufffd", value) if type(value) is str else value,
    )
    environment.filters["rss_date"] = _date
    return environment.get_template(name)


def _date(text: str) -> str:
    """An ISO 8601 date in the format of RSS; "" for other text."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return format_datetime(date if date.tzinfo else date.replace(tzinfo=UTC))


def write_warc(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    """Writes one WARC record per page: a ``response`` with its snapshot, else a ``conversion`` of title and body to text/plain."""
    file.write(packed_info())
    for row in rows:
        file.write(_warc_of(row.item, sheet))


def _warc_of(item: PageItem, sheet: Sheet) -> bytes:
    if item.snapshot:
        try:
            return packed_snapshot(sheet.read(item.snapshot))
        except UnavailableError:  # its file was deleted, or lies on another node
            pass
    return packed_text(item.url, f"{item.title}\n\n{item.body}\n", item.fetched_at)


_WHENCE = ("url", "site_name", "published", "relevance", "topic", "fetched_at")
FIELDS: tuple[str, ...] = tuple(field.name for field in fields(PageItem))
"""The columns, in order, as in the feed exports of a crawl."""

LONGEST_CELL = 32_767
"""Most characters of a cell in Excel."""

UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0, and so RSS and .xlsx, cannot contain."""


def cell(value: Any) -> Any:
    """``value`` for a table cell: numbers unchanged, lists and mappings as text; formulas are escaped, and text is cut at Excel's limit."""
    if isinstance(value, (bool, int, float)):
        return value
    return _cut(escape_formula(plain_text(value)))


# some spreadsheets read full-width signs (typed in Chinese) like the ASCII ones, and may strip white space before them
_FORMULA = re.compile(r"[\t\r]|\s*[-=+@＝＋－＠]")


def escape_formula(text: str) -> str:
    """``text``, with an apostrophe in front if a spreadsheet would read it as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def plain_text(value: Any) -> str:
    """``value`` as text: words joined by commas, other data as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, Mapping) and not value:
        return ""
    return json.dumps(value, ensure_ascii=False)


BOM = "\ufeff"


def write_csv(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    text.write(BOM)
    writer = csv.writer(text)
    writer.writerow(sheet.columns)
    writer.writerows([cell(sheet.value(row.item, name)) for name in sheet.columns] for row in rows)
    text.detach()  # the file itself stays open


def print_table(rows: Sequence[Mapping[str, Any]], out: TextIO, names: Sequence[str] = ()) -> None:
    """Prints ``rows`` as CSV with a header of ``names`` (default: the first row's); a byte order mark precedes it in Unicode encodings."""
    names = names or (tuple(rows[0]) if rows else ())
    if (out.encoding or "utf-8").lower().startswith(("utf", "gb18030")):
        out.write(BOM)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([cell(row[name]) for name in names] for row in rows)


def write_xlsx(file: IO[bytes], rows: Rows, wanted: Sheet) -> None:
    """Writes one sheet row by row; text is never read as a formula. Raises UnavailableError when the sheet is full."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("hits")
    sheet.freeze_panes = "A2"
    sheet.append(list(wanted.columns))

    def excel_cell(value: Any) -> Any:
        if isinstance(value, (int, float)):
            return value
        made = WriteOnlyCell(sheet, _cut(UNWRITABLE.sub("\ufffd", plain_text(value))))
        made.data_type = "s"
        return made

    for number, row in enumerate(rows):
        if number >= 1_048_575:
            raise UnavailableError("export", "a sheet of Excel has 1,048,576 rows", "Export to .parquet or .csv")
        sheet.append([excel_cell(wanted.value(row.item, name)) for name in wanted.columns])
    book.save(file)


def write_parquet(file: IO[bytes], rows: Rows, sheet: Sheet) -> None:
    """Writes one column per field: lists of words as lists, mappings (data, parts) as JSON."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), list: pa.list_(pa.string()), dict: pa.string()}
    blank, rest = PageItem(""), iter(rows)
    schema = pa.schema([(name, kinds[type(sheet.value(blank, name))]) for name in sheet.columns])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while some := list(islice(rest, 200)):
            records = [{name: _parquet_value(sheet.value(row.item, name)) for name in sheet.columns} for row in some]
            writer.write_table(pa.Table.from_pylist(records, schema=schema))


def _parquet_value(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


class Format(NamedTuple):
    """``write`` writes a file with few pages in memory at a time; ``needs``: a package only this format imports, installed by the extra."""

    write: Callable[[IO[bytes], Rows, Sheet], None]
    needs: str = ""


FORMATS: dict[str, Format] = {
    ".jsonl": Format(write_jsonl),
    ".csv": Format(write_csv),
    ".parquet": Format(write_parquet, "pyarrow"),
    ".xlsx": Format(write_xlsx, "openpyxl"),
    ".warc.gz": Format(write_warc),
    ".html": Format(write_html),
    ".rss": Format(write_rss),
}


def check_target(path: Path, *, force: bool) -> Format:
    """The format of ``path`` by its extension.

    Raises ConfigError for an unknown extension, a folder that does not exist, or an existing file (without ``force``), and
    UnavailableError when the format's package is missing.
    """
    found = next((kind for ending, kind in FORMATS.items() if path.name.lower().endswith(ending)), None)
    if found is None or path.name.lower() in FORMATS:
        raise ConfigError("-o", str(path), _("a file whose name ends in {names}", names=", ".join(FORMATS)))
    if found.needs and find_spec(found.needs) is None:
        hint = _(
            "Install it: pip install 'topicspider[{extra}]', or pip install -r requirements-{extra}.txt", extra=EXTRA
        )
        raise UnavailableError(
            _("export to {path}", path=path.name), _("the package {needs} is not installed", needs=found.needs), hint
        )
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError("-o", str(path), "a file in a folder that exists")
    if path.exists() and not force:
        raise ConfigError("-o", str(path), "a file that does not exist yet", "Say --force to write it anew")
    return found


def write_export(path: Path, rows: Iterable[PageRow], sheet: Sheet, *, force: bool = False) -> int:
    """Writes ``rows`` to ``path`` and returns their number; writes to a temporary file first, so that a failure leaves ``path`` unchanged.

    Raises what check_target raises, and UnavailableError when the disk is full or not writable.
    """
    kind = check_target(path, force=force)
    part = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    numbers = count()
    try:
        with part.open("wb") as file:
            kind.write(file, (row for row, _ in zip(rows, numbers, strict=False)), sheet)
            file.flush()
            os.fsync(file.fileno())
        check_target(path, force=force)  # it may have been created meanwhile
        part.replace(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise UnavailableError(_("export to {path}", path=path), why, "Check the disk and the folder") from error
    finally:
        part.unlink(missing_ok=True)
    return next(numbers)
