"""The formats that hits are exported in, by the ending of the file's name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from topicspider.errors import ConfigError, UnavailableError
from topicspider.export.csv_file import CsvExporter
from topicspider.export.exporter import Exporter
from topicspider.export.html_page import HtmlExporter
from topicspider.export.jsonl import JsonLinesExporter
from topicspider.export.parquet import ParquetExporter
from topicspider.export.rss import RssExporter
from topicspider.export.warc import WarcExporter
from topicspider.export.xlsx import XlsxExporter
from topicspider.store.snapshots import Snapshot

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
