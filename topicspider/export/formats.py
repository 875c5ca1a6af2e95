"""Export formats by file ending, and writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from topicspider.errors import ConfigError, UnavailableError
from topicspider.export.pages import HtmlExporter, JsonLinesExporter, RssExporter, WarcExporter
from topicspider.export.tables import CsvExporter, Exporter, ParquetExporter, XlsxExporter
from topicspider.store.contract import PageRow
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
