"""Hits as CSV that Excel opens: UTF-8 with a byte order mark, nothing that is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import IO, Any

from topicspider.export.exporter import FIELDS, cell
from topicspider.store.contract import PageRow

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


def print_table(rows: Sequence[Mapping[str, Any]], out: IO[str]) -> None:
    """``rows``, which have the same names, as CSV; with a byte order mark, for whoever sends it to a file."""
    if not rows:
        return
    out.write(BOM)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([cell(value) for value in row.values()] for row in rows)
