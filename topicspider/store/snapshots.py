"""Keeps pages as they were received, in WARC files beside the store: the snapshots of (d) Xu 2007."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from http.client import responses
from io import BytesIO
from pathlib import Path
from typing import Any

from topicspider.errors import StoreUnavailable, UnavailableError
from topicspider.i18n import gettext as _

FOLDER = "snapshots"

# headers about the body's transfer encoding; the body stored here is decoded
_OF_THE_WIRE = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One response of a web server, its body decompressed; ``date``: when it was fetched, ISO 8601 in UTC."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    date: str


class SnapshotWriter:
    """Appends snapshots to a WARC file of this run in ``folder``/snapshots, in a thread of its own.

    Each record is a separate gzip member, so that it can be read alone. It is written to the operating system before its place is
    returned, so it survives the death of the process. Another run never appends to the file.
    """

    def __init__(self, folder: Path, run: str) -> None:
        """Raises StoreUnavailable when the folder cannot be made."""
        self._folder = folder
        self._run = run
        self._file: Any = None
        self._thread = ThreadPoolExecutor(1, "snapshots")
        try:
            (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what, why = _("snapshots in {path}", path=folder / FOLDER), error.strerror or str(error)
            raise StoreUnavailable(what, why, "Set TOPICSPIDER_SNAPSHOTS=off, or make room") from None

    def submit(self, snapshot: Snapshot) -> Future[str]:
        """Writes ``snapshot``; the future's result is its place, "PATH:OFFSET" relative to the folder, or it raises OSError."""
        return self._thread.submit(self._write, snapshot)

    def close(self) -> None:
        """Writes what is waiting and closes the file; calling it again does nothing."""
        self._thread.shutdown(wait=True)
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, snapshot: Snapshot) -> str:
        file = self._open()
        offset: int = file.tell()
        self._append(file, packed_snapshot(snapshot), offset)
        return f"{FOLDER}/{Path(file.name).name}:{offset}"

    def _append(self, file: Any, record: bytes, offset: int) -> None:
        left = memoryview(record)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            file.truncate(offset)  # a full disk leaves half a record
            file.seek(offset)
            raise

    def _open(self) -> Any:
        if self._file is None:
            self._file = (self._folder / FOLDER / f"{self._run}.warc.gz").open("xb", buffering=0)
            self._append(self._file, packed_info(), 0)
        return self._file


def read_snapshot(folder: Path, place: str) -> Snapshot:
    """The snapshot at ``place`` ("PATH:OFFSET") below ``folder``; raises UnavailableError when it is missing or damaged."""
    from warcio.archiveiterator import ArchiveIterator

    path, _colon, offset = place.rpartition(":")
    what, found = f"snapshot {place}", None
    file_path = (folder / path).resolve()
    if not offset.isdigit() or not path or folder.resolve() not in file_path.parents:
        raise UnavailableError(what, "that names no place in this folder")
    try:
        with file_path.open("rb") as file:
            file.seek(int(offset))
            record = next(iter(ArchiveIterator(file)), None)
            if record is not None and record.rec_type == "response" and record.http_headers is not None:
                found = _read(record)
    except OSError as error:
        raise UnavailableError(what, error.strerror or str(error)) from None
    except Exception as error:  # noqa: BLE001 - warcio and zlib raise many kinds on a damaged file
        raise UnavailableError(what, _("the file is damaged there: {error}", error=error)) from None
    if found is None:
        raise UnavailableError(what, "no recorded answer begins there")
    return found


def _read(record: Any) -> Snapshot:
    return Snapshot(
        url=str(record.rec_headers.get_header("WARC-Target-URI") or ""),
        status=int(record.http_headers.get_statuscode() or 0),
        headers=tuple((str(name), str(value)) for name, value in record.http_headers.headers),
        body=record.content_stream().read(64 << 20),
        date=str(record.rec_headers.get_header("WARC-Date") or ""),
    )


def packed_snapshot(snapshot: Snapshot) -> bytes:
    """The WARC response record of ``snapshot``, as one gzip member."""
    from warcio.statusandheaders import StatusAndHeaders

    headers = [
        (_plain(name), _plain(value)) for name, value in snapshot.headers[:100] if name.lower() not in _OF_THE_WIRE
    ]
    headers.append(("Content-Length", str(len(snapshot.body))))
    status = f"{snapshot.status} {responses.get(snapshot.status, 'Unknown')}"
    http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
    return _packed("response", snapshot.url, snapshot.body, snapshot.date, http_headers=http)


def packed_text(url: str, text: str, date: str) -> bytes:
    """A WARC conversion record of the ``text`` of a page fetched at ``date``, for use without its snapshot."""
    kind = "text/plain; charset=utf-8"
    return _packed("conversion", url, text.encode("utf-8", "replace"), date, warc_content_type=kind)


def packed_info() -> bytes:
    """The warcinfo record, the first one of a file."""
    text = "software: topicspider\r\nformat: WARC File Format 1.0\r\ndescription: bodies are stored unpacked\r\n"
    return _packed("warcinfo", None, text.encode(), "", warc_content_type="application/warc-fields")


def _packed(kind: str, url: str | None, body: bytes, date: str, **more: Any) -> bytes:
    from warcio.warcwriter import WARCWriter

    out = BytesIO()
    writer = WARCWriter(out, gzip=True)
    headers = {"WARC-Date": date.replace("+00:00", "Z")} if date else {}
    record = writer.create_warc_record(
        url, kind, payload=BytesIO(body), length=len(body), warc_headers_dict=headers, **more
    )
    writer.write_record(record)
    return out.getvalue()


def _plain(text: str) -> str:
    """A header's text with printable characters and tabs only, at most 4,000 characters."""
    return "".join(char for char in text[:4000] if char == "\t" or char.isprintable())
