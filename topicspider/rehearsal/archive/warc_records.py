"""Reads the records of a WARC file: one after the other, or one at a known place."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import RecordingError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WINDOW = 2048
STATUS_LINE = 64  # bytes of a block that tell the status of its answer
LONGEST_HEAD = 1 << 20
CHUNK = 1 << 18
_GZIP = 31  # zlib's number for "a gzip header comes first"


@dataclass(frozen=True, slots=True)
class RecordHead:
    """One record: ``offset`` and ``length`` lead back to it; ``start`` is the beginning of its block."""

    offset: int
    length: int
    kind: str
    uri: str
    fields: dict[str, str]
    start: bytes


class Recording(Protocol):
    """An open WARC file."""

    def records(self) -> Iterator[RecordHead]:
        """Every record in the order of the file; raises RecordingError where the file is damaged or cut off."""

    def head_at(self, offset: int, length: int) -> RecordHead:
        """The head of the record at a place that records() gave."""

    def record_at(self, offset: int, length: int) -> tuple[RecordHead, bytes]:
        """Head and whole block of the record at a place that records() gave."""

    def close(self) -> None:
        """Close the file."""


def open_recording(path: Path) -> Recording:
    """The WARC at ``path``, plain or packed record by record, told apart by its first bytes."""
    try:
        file = _File(path)
    except OSError as error:
        raise RecordingError(one_line(f"{path}: cannot be read: {error.strerror}")) from None
    start = file.read(0, 16)
    if start.startswith(b"\x1f\x8b"):
        return PackedRecording(file)
    if start.startswith(b"WARC/"):
        return PlainRecording(file)
    file.close()
    what = "it is empty" if not start else f"it begins with {start!r}, not with WARC/ or a gzip mark"
    raise RecordingError(one_line(f"{path}: offset 0: not a WARC file: {what}"))


class _File:
    """Reads at an offset, and words what is wrong there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        if not path.is_file():
            os.close(self._descriptor)
            raise OSError(0, "it is not a file")
        self.size = os.fstat(self._descriptor).st_size

    def read(self, offset: int, length: int) -> bytes:
        """``length`` bytes, fewer only at the end of the file."""
        parts = []
        while length > 0:
            part = os.pread(self._descriptor, length, offset)
            if not part:
                break
            parts.append(part)
            offset, length = offset + len(part), length - len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        os.close(self._descriptor)

    def error(self, offset: int, what: str) -> RecordingError:
        return RecordingError(one_line(f"{self.path}: offset {offset}: {what}"))


class PlainRecording:
    """A WARC that is not packed: heads are read, payloads are leapt over."""

    def __init__(self, file: _File) -> None:
        self._file = file

    def records(self) -> Iterator[RecordHead]:
        """See Recording."""
        offset, after_record = 0, False
        while offset < self._file.size:
            window = self._file.read(offset, WINDOW)
            blanks = len(window) - len(window.lstrip(b"\r\n"))
            if blanks:
                offset, after_record = offset + blanks, False
                continue
            if after_record:
                raise self._file.error(offset, "damaged: no empty line ends the record before")
            head, _block_at = self._head(offset, window)
            yield head
            offset, after_record = offset + head.length, True
        if after_record:
            raise self._file.error(offset, "cut off: the empty lines that end the last record are missing")

    def head_at(self, offset: int, length: int) -> RecordHead:
        """See Recording."""
        return self._head(offset, self._file.read(offset, min(length, WINDOW)))[0]

    def record_at(self, offset: int, length: int) -> tuple[RecordHead, bytes]:
        """See Recording."""
        data = self._file.read(offset, length)
        if len(data) < length:
            raise self._file.error(offset, "the file was cut off since it was opened")
        head, block_at = self._head(offset, data)
        return head, data[block_at:]

    def close(self) -> None:
        """See Recording."""
        self._file.close()

    def _head(self, offset: int, window: bytes) -> tuple[RecordHead, int]:
        """The head at ``offset``, and where its block begins in it; reads on when ``window`` is too short."""
        end = _end_of_head(window)
        if end < 0 and offset + len(window) < self._file.size and window.startswith(b"WARC/"):
            window = self._file.read(offset, LONGEST_HEAD)
            end = _end_of_head(window)
        fields, size = _checked_head(self._file, offset, window, end)
        if offset + end + size > self._file.size:
            missing = offset + end + size - self._file.size
            raise self._file.error(offset, f"cut off: the last record lacks {missing} of its {size} bytes")
        start = (
            window[end : end + WINDOW]
            if len(window) > end + STATUS_LINE
            else self._file.read(offset + end, STATUS_LINE)
        )
        return _record(offset, end + size, fields, start), end


class PackedRecording:
    """A WARC whose records are gzip members of their own (.warc.gz as every crawler writes it)."""

    def __init__(self, file: _File) -> None:
        self._file = file

    def records(self) -> Iterator[RecordHead]:
        """See Recording."""
        offset, ahead = 0, b""
        while offset < self._file.size:
            start, unpacked, length, ahead = self._member(offset, ahead)
            end = _end_of_head(start)
            if not start.strip(b"\r\n"):
                offset += length  # some writers pack the empty lines apart
                continue
            fields, size = _checked_head(self._file, offset, start, end)
            if unpacked < end + size:
                raise self._file.error(offset, f"cut off: the record lacks {end + size - unpacked} of its {size} bytes")
            if unpacked > end + size + 16:
                raise self._file.error(
                    offset,
                    "packed as a whole, not record by record, so that no page can be found: unpack it first (gunzip -k FILE)",
                )
            yield _record(offset, length, fields, start[end : end + WINDOW])
            offset += length

    def head_at(self, offset: int, length: int) -> RecordHead:
        """See Recording."""
        inflate = zlib.decompressobj(_GZIP)
        start = inflate.decompress(self._file.read(offset, min(length, WINDOW)), WINDOW)
        end = _end_of_head(start)
        if end < 0:
            return self.record_at(offset, length)[0]
        return _record(offset, length, _checked_head(self._file, offset, start, end)[0], start[end:])

    def record_at(self, offset: int, length: int) -> tuple[RecordHead, bytes]:
        """See Recording."""
        try:
            data = zlib.decompress(self._file.read(offset, length), _GZIP)
        except zlib.error as error:
            raise self._file.error(offset, f"damaged: {error}") from None
        end = _end_of_head(data)
        fields, size = _checked_head(self._file, offset, data, end)
        return _record(offset, length, fields, data[end : end + WINDOW]), data[end : end + size]

    def close(self) -> None:
        """See Recording."""
        self._file.close()

    def _member(self, offset: int, ahead: bytes) -> tuple[bytes, int, int, bytes]:
        """The member at ``offset``: its beginning, unpacked and packed sizes, and bytes read beyond it.

        ``ahead``: bytes from ``offset`` on that were read already.
        """
        inflate, start, unpacked = zlib.decompressobj(_GZIP), b"", 0
        at, data = offset + len(ahead), ahead
        while not inflate.eof:
            if not data:
                data = self._file.read(at, CHUNK)
                at += len(data)
                if not data:
                    raise self._file.error(offset, "cut off: the last record is not complete")
            try:
                piece = inflate.decompress(data, CHUNK)
            except zlib.error as error:
                raise self._file.error(offset, f"damaged: {error}") from None
            unpacked += len(piece)
            if len(start) < WINDOW or (
                (_end_of_head(start) + STATUS_LINE > len(start) or _end_of_head(start) < 0)
                and len(start) < LONGEST_HEAD
            ):
                start += piece
            data = inflate.unconsumed_tail
        return start, unpacked, at - len(inflate.unused_data) - offset, inflate.unused_data


def _wants_more(start: bytes) -> bool:
    """Whether a record's beginning does not yet show its head and the status of its answer."""
    end = _end_of_head(start)
    return len(start) < (LONGEST_HEAD if end < 0 else max(WINDOW, end + STATUS_LINE))


def _end_of_head(data: bytes) -> int:
    """Where the block begins; -1 when no empty line ends the head."""
    end, bare = data.find(b"\r\n\r\n"), data.find(b"\n\n")
    if bare >= 0 and (end < 0 or bare < end):
        return bare + 2
    return end + 4 if end >= 0 else -1


def _checked_head(file: _File, offset: int, data: bytes, end: int) -> tuple[dict[str, str], int]:
    """Fields (names in lower case) and block size of the head ``data[:end]``."""
    if not data.startswith(b"WARC/"):
        raise file.error(offset, f"damaged: a record was expected, here is {data[:16]!r}")
    if end < 0:
        raise file.error(offset, "cut off: the head of the last record has no end")
    fields: dict[str, str] = {}
    name = ""
    for line in data[:end].decode("utf-8", "surrogateescape").split("\n")[1:]:
        if line[:1] in (" ", "\t") and name:
            fields[name] += " " + line.strip()
            continue
        name, _colon, value = line.partition(":")
        name = name.strip().lower()
        fields.setdefault(name, value.strip())
    size = fields.get("content-length", "")
    if not (size.isascii() and size.isdigit() and len(size) < 18):
        raise file.error(offset, f"damaged: Content-Length is {size!r}, not a number")
    return fields, int(size)


def _record(offset: int, length: int, fields: dict[str, str], start: bytes) -> RecordHead:
    # wget puts the URI between angle brackets, as an early draft of the format asked
    uri = fields.get("warc-target-uri", "").strip("<>")
    return RecordHead(offset, length, fields.get("warc-type", "").lower(), uri, fields, start)
