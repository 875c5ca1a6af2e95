"""Hits as an Excel workbook; the one home of openpyxl."""

from __future__ import annotations

from typing import IO, Any

from topicspider.errors import UnavailableError
from topicspider.export.exporter import FIELDS, LONGEST_CELL, UNWRITABLE, plain_text
from topicspider.store.contract import PageRow

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
