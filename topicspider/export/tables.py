"""Exports hits as tables: CSV, Excel and Parquet; the one home of openpyxl and pyarrow."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import IO, Any, Protocol, TextIO

from topicspider.errors import UnavailableError
from topicspider.items import PageItem
from topicspider.store.rows import PageRow
from topicspider.text.csv_escape import escape_formula

FIELDS: tuple[str, ...] = tuple(field.name for field in fields(PageItem))
"""The columns, in their order, as in the feeds of a crawl."""

LONGEST_CELL = 32_767
"""Characters that a cell of Excel holds."""

UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0, and with it RSS and Excel's own format, has no room for."""


class Exporter(Protocol):
    """Writes one file, a page after the other, holding only some of them; the file is whole after ``close``."""

    def write(self, row: PageRow) -> None:
        """Add a page."""

    def close(self) -> None:
        """Write the end."""


def cell(value: Any) -> Any:
    """``value`` for a cell of a table: numbers as they are, lists and mappings as text, and no text that Excel would calculate or cannot hold."""
    if isinstance(value, (bool, int, float)):
        return value
    text = escape_formula(plain_text(value))
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


class CsvExporter:
    """A line of names, then a line a page."""

    def __init__(self, file: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        self._text.write(BOM)
        self._writer = csv.writer(self._text)
        self._writer.writerow(FIELDS)

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        self._writer.writerow([cell(getattr(row.item, name)) for name in FIELDS])

    def close(self) -> None:
        """See Exporter; the file itself stays open."""
        self._text.flush()
        self._text.detach()


def print_table(rows: Sequence[Mapping[str, Any]], out: TextIO, names: Sequence[str] = ()) -> None:
    """``rows`` as CSV below a line of their ``names`` (else those of the first); with a byte order mark where there is one, for whoever sends it to a file."""
    names = names or (tuple(rows[0]) if rows else ())
    if _has_mark(out.encoding or "utf-8"):
        out.write(BOM)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([cell(row[name]) for name in names] for row in rows)


def _has_mark(encoding: str) -> bool:
    """GBK, Big5 and ASCII have none."""
    try:
        BOM.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


MOST_ROWS = 1_048_575
"""Pages that a sheet has room for below its line of names."""


class XlsxExporter:
    """One sheet, written as it grows; texts stay texts, whatever they begin with."""

    def __init__(self, file: IO[bytes]) -> None:
        from openpyxl import Workbook

        self._file = file
        self._book = Workbook(write_only=True)
        self._sheet = self._book.create_sheet("hits")
        self._sheet.freeze_panes = "A2"
        self._sheet.append(list(FIELDS))
        self._rows = 0

    def write(self, row: PageRow) -> None:
        """See Exporter; raises UnavailableError when the sheet is full."""
        self._rows += 1
        if self._rows > MOST_ROWS:
            raise UnavailableError("export", f"a sheet of Excel has {MOST_ROWS:,} rows", "Export to .parquet or .csv")
        self._sheet.append([self._cell(getattr(row.item, name)) for name in FIELDS])

    def close(self) -> None:
        """See Exporter."""
        self._book.save(self._file)

    def _cell(self, value: Any) -> Any:
        if isinstance(value, (int, float)):
            return value
        from openpyxl.cell import WriteOnlyCell

        text = UNWRITABLE.sub("\ufffd", plain_text(value))
        made = WriteOnlyCell(self._sheet, text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…")
        made.data_type = "s"
        return made


_AT_ONCE = 200
_BLANK = PageItem("")


class ParquetExporter:
    """A column a field: lists of words as lists, mappings (data, parts) as JSON."""

    def __init__(self, file: IO[bytes]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), list: pa.list_(pa.string()), dict: pa.string()}
        self._arrow = pa
        self._schema = pa.schema([(name, kinds[type(getattr(_BLANK, name))]) for name in FIELDS])
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[dict[str, Any]] = []

    def write(self, row: PageRow) -> None:
        """See Exporter."""
        self._waiting.append({name: _value(getattr(row.item, name)) for name in FIELDS})
        if len(self._waiting) >= _AT_ONCE:
            self._flush()

    def close(self) -> None:
        """See Exporter."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(self._arrow.Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting = []


def _value(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
