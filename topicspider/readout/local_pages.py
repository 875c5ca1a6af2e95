"""Finds the pages in files, folders and WARC recordings, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from topicspider.errors import ConfigError, RecordingError
from topicspider.rehearsal.archive.content_encoding import decode_content
from topicspider.rehearsal.archive.warc_records import RecordHead, open_recording
from topicspider.rehearsal.message import read_response

_PACKED_WARC = b"\x1f\x8b"
_WARC = b"WARC/"


@dataclass(frozen=True, slots=True)
class LocalPage:
    """One page at rest. ``url`` is "" when nobody recorded it; ``trouble`` says in words why ``body`` is empty."""

    file: str
    url: str = ""
    body: bytes = b""
    content_type: str = ""
    fetched_on: date | None = None
    trouble: str = ""


def pages_in(path: Path, max_bytes: int) -> Iterator[LocalPage]:
    """The pages of a file, of a recording, or of all files below a folder in the order of their names.

    A page larger than ``max_bytes`` is cut there. Raises ConfigError when there is no such file; what cannot be read of it is a page
    with ``trouble``.
    """
    require_pages(path)
    if path.is_dir():
        for file in _files_below(path):
            yield from _pages_of_file(file, max_bytes)
    else:
        yield from _pages_of_file(path, max_bytes)


def require_pages(path: Path) -> None:
    """Raises ConfigError when there is no such file or folder."""
    if not path.exists():
        raise ConfigError(
            "page", str(path), "an http:// or https:// URL, a file, a WARC recording, or a folder of them"
        )


def _files_below(folder: Path) -> list[Path]:
    """All but hidden ones; a folder that cannot be entered has none."""
    found = (
        path for path in folder.rglob("*") if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    return sorted((path for path in found if not path.is_dir()), key=lambda path: path.relative_to(folder).parts)


def _pages_of_file(path: Path, max_bytes: int) -> Iterator[LocalPage]:
    if not path.is_file():  # a pipe or a socket would be waited for
        yield LocalPage(str(path), trouble="it is no file")
        return
    try:
        with path.open("rb") as file:
            body = file.read(max_bytes)
    except OSError as error:
        yield LocalPage(str(path), trouble=error.strerror or str(error))
        return
    if body.startswith(_WARC) or (body.startswith(_PACKED_WARC) and ".warc" in path.suffixes):
        yield from _recorded_pages(path, max_bytes)
    else:
        yield LocalPage(str(path), body=body, trouble="" if body else "it is empty")


def _recorded_pages(path: Path, max_bytes: int) -> Iterator[LocalPage]:
    """The responses with status 2xx, in the order of the recording; a damage ends them."""
    try:
        recording = open_recording(path)
    except RecordingError as error:
        yield LocalPage(str(path), trouble=str(error))
        return
    try:
        for record in recording.records():
            if record.kind == "response":
                _head, block = recording.record_at(record.offset, record.length)
                yield from _recorded_page(path, record, block, max_bytes)
    except RecordingError as error:
        yield LocalPage(str(path), trouble=str(error))
    finally:
        recording.close()


def _recorded_page(path: Path, record: RecordHead, block: bytes, max_bytes: int) -> Iterator[LocalPage]:
    response = read_response(record.uri, block)
    if response is None or response.status // 100 != 2:
        return
    headers = {name.lower(): value for name, value in response.headers}
    try:
        body = decode_content(response.body, headers.get("content-encoding", ""), max_bytes)
    except ValueError as error:
        yield LocalPage(str(path), record.uri, trouble=str(error) or "its coding is broken")
        return
    yield LocalPage(
        str(path), record.uri, body, headers.get("content-type", ""), _day(record.fields.get("warc-date", ""))
    )


def _day(stamp: str) -> date | None:
    try:
        return date.fromisoformat(stamp[:10])
    except ValueError:
        return None
