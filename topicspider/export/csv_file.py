"""Hits as CSV that Excel opens: UTF-8 with a byte order mark, nothing that is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import IO, Any, TextIO

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
