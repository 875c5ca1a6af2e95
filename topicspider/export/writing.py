"""Writes an export so that its file is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from topicspider.errors import ConfigError, UnavailableError
from topicspider.export.formats import Format, Sheet, format_of
from topicspider.store.contract import PageRow


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
