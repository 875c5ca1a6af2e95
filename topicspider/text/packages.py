"""Reads data files of installed packages without importing the packages (imports take time and may print)."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from topicspider.errors import UnavailableError
from topicspider.i18n import gettext as _


def package_file(package: str, path: str) -> str:
    """The UTF-8 text of the file ``path`` that the distribution ``package`` installed.

    Raises UnavailableError when the package, or the file in it, is missing.
    """
    try:
        return _place(package, path).read_text(encoding="utf-8-sig")
    except (PackageNotFoundError, OSError) as error:
        why = "is not installed" if isinstance(error, PackageNotFoundError) else _("has no {path}", path=path)
        raise UnavailableError(
            _("the package {package}", package=package), why, "Install it again: pip install -r requirements.txt"
        ) from None


def file_version(package: str, path: str) -> tuple[int, int]:
    """(size in bytes, modification time in ns) of the file, which change when it does; (0, 0) when it is missing."""
    try:
        status = _place(package, path).stat()
    except (PackageNotFoundError, OSError):
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _place(package: str, path: str) -> Path:
    return Path(str(distribution(package).locate_file(path)))
