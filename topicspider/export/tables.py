"""Exports hits as tables: CSV, Excel and Parquet; the one home of openpyxl and pyarrow."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import islice
from typing import IO, Any, TextIO

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


def cell(value: Any) -> Any:
    """``value`` for a cell of a table: numbers as they are, lists and mappings as text, and no text that Excel would calculate or cannot hold."""
    if isinstance(value, (bool, int, float)):
        return value
    return _cut(escape_formula(plain_text(value)))


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


def write_csv(file: IO[bytes], rows: Iterable[PageRow]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    text.write(BOM)
    writer = csv.writer(text)
    writer.writerow(FIELDS)
    writer.writerows([cell(getattr(row.item, name)) for name in FIELDS] for row in rows)
    text.detach()  # the file itself stays open


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


def write_xlsx(file: IO[bytes], rows: Iterable[PageRow]) -> None:
    """One sheet, written as it grows; texts stay texts, whatever they begin with. Raises UnavailableError when the sheet is full."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("hits")
    sheet.freeze_panes = "A2"
    sheet.append(list(FIELDS))

    def excel_cell(value: Any) -> Any:
        if isinstance(value, (int, float)):
            return value
        made = WriteOnlyCell(sheet, _cut(UNWRITABLE.sub("\ufffd", plain_text(value))))
        made.data_type = "s"
        return made

    for number, row in enumerate(rows):
        if number >= 1_048_575:
            raise UnavailableError("export", "a sheet of Excel has 1,048,576 rows", "Export to .parquet or .csv")
        sheet.append([excel_cell(getattr(row.item, name)) for name in FIELDS])
    book.save(file)


def write_parquet(file: IO[bytes], rows: Iterable[PageRow]) -> None:
    """A column a field: lists of words as lists, mappings (data, parts) as JSON."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), list: pa.list_(pa.string()), dict: pa.string()}
    blank, rest = PageItem(""), iter(rows)
    schema = pa.schema([(name, kinds[type(getattr(blank, name))]) for name in FIELDS])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while some := list(islice(rest, 200)):
            records = [{name: _parquet_value(getattr(row.item, name)) for name in FIELDS} for row in some]
            writer.write_table(pa.Table.from_pylist(records, schema=schema))


def _parquet_value(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
