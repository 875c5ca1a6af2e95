"""WARC files of any writer, read by warcio: their records, and the response of a URL decoded within a limit."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException, parse_headers
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import brotli
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader, ChunkedDataReader

from topicspider.errors import ConfigError, RecordingError, one_line
from topicspider.i18n import gettext as _
from topicspider.options import MAX_PAGE_BYTES
from topicspider.rehearsal.response import RecordedResponse
from topicspider.url import canonicalize

if TYPE_CHECKING:
    from topicspider.rehearsal.synthetic.web import SyntheticWeb

RecordedWeb: TypeAlias = "WarcWeb | SyntheticWeb"

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class _Brotli:
    """A brotli decompressor with the interface that warcio expects; warcio's own fails with brotli 1.2."""

    unused_data = b""

    def __init__(self) -> None:
        self.decompress = brotli.Decompressor().process


_DECODERS = BufferedReader.DECOMPRESSORS  # it has gzip and deflate
_DECODERS |= {"br": _Brotli, "zstd": zstd.ZstdDecompressor}

_OF_THE_TRANSFER = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "trailers",
        "transfer-encoding", "upgrade", "content-length", "content-encoding",
    }
)  # fmt: skip
_ANSWERS = ("response", "resource", "revisit")
_REDIRECTS = range(300, 400)
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: +([^\r\n]*))?")


def read_response(url: str, block: bytes) -> RecordedResponse | None:
    """The response stored in ``block`` (status line, headers, body); None when it holds none.

    Chunks of its body are joined and its codings decoded, up to one byte more than the largest page that a crawl takes. The body stays
    as it is where the writer has done that already; decoding stops at an unknown coding.
    """
    stream = BytesIO(block)
    match = _STATUS_LINE.match(stream.readline())
    if match is None:
        return None
    try:
        headers = [(name, " ".join(value.split())) for name, value in parse_headers(stream).items()]
    except HTTPException:
        return None
    named = {name.lower(): value.lower() for name, value in headers}
    reader: Any = ChunkedDataReader(stream) if "chunked" in named.get("transfer-encoding", "") else stream
    for coding in reversed(named.get("content-encoding", "").replace("x-gzip", "gzip").split(",")):
        if coding.strip() not in _DECODERS:
            break
        reader = BufferedReader(reader, decomp_type=coding.strip(), read_all_members=True)
    kept = tuple(header for header in headers if header[0].lower() not in _OF_THE_TRANSFER)
    reason = (match.group(2) or b"").decode("latin-1").strip()
    return RecordedResponse(url, int(match.group(1)), reason, kept, reader.read(MAX_PAGE_BYTES + 1))


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record. ``offset``: for record_at(); ``fields``: headers by names in lower case; ``block``: all of it, or its first 64 bytes."""

    offset: int
    kind: str
    uri: str
    fields: dict[str, str]
    block: bytes


class WarcFile:
    """A WARC, uncompressed or compressed record by record; the file is open only while it is read."""

    def __init__(self, path: Path) -> None:
        """Raises RecordingError when it cannot be read, or its first bytes are not those of a WARC."""
        self._path = path
        try:
            if not path.is_file():
                raise OSError(0, _("it is not a file"))
            with path.open("rb") as file:
                start = file.read(16)
        except OSError as error:
            raise RecordingError(one_line(_("{path}: cannot be read: {why}", path=path, why=error.strerror))) from None
        if not start.startswith((b"\x1f\x8b", b"WARC/")):
            what = "it is empty" if not start else f"it begins with {start!r}, not with WARC/ or a gzip mark"
            raise self._error(0, f"not a WARC file: {what}")

    def record_at(self, offset: int) -> WarcRecord:
        """The record at an offset that records() gave, with its whole block; raises RecordingError."""
        if record := next(self.records(offset, whole=True), None):
            return record
        raise self._error(offset, "the file was cut off since it was opened")

    def records(self, start: int = 0, *, whole: bool = False) -> Iterator[WarcRecord]:
        """Each record from ``start`` on, its block ``whole`` or 64 bytes; raises RecordingError where the file is damaged or cut off."""
        offset = start
        try:
            with self._path.open("rb") as file:
                file.seek(start)
                iterator: Any = ArchiveIterator(file, no_record_parse=True, block_size=1 << (14 if start else 18))
                iterator.INC_RECORD = ""  # warcio would write it to stderr; we raise RecordingError
                for record in iterator:
                    offset = start + iterator.offset
                    found = self._read(record, offset, whole=whole)
                    if not whole:
                        yield found
                    iterator.read_to_end()
                    if missing := record.raw_stream.limit:
                        raise self._error(offset, f"cut off: the last record lacks {missing} of its bytes")
                    if iterator.err_count:
                        raise self._error(offset, "damaged: no empty line ends the record that begins here")
                    if whole:
                        yield found
        except RecordingError:
            raise
        except Exception as error:  # noqa: BLE001 - warcio and zlib raise many kinds on a damaged file
            raise self._error(offset, _reason(error)) from None

    def _read(self, record: Any, offset: int, *, whole: bool) -> WarcRecord:
        fields: dict[str, str] = {}
        for name, value in record.rec_headers.headers:
            fields.setdefault(name.lower(), value)
        size = fields.get("content-length", "")
        if not (size.isascii() and size.isdigit() and len(size) < 18):
            raise self._error(offset, f"damaged: Content-Length is {size!r}, not a number")
        # wget puts the URI between angle brackets, as an early draft of the format asked
        uri = fields.get("warc-target-uri", "").strip("<>")
        block = record.raw_stream.read(None if whole else 64)
        return WarcRecord(offset, fields.get("warc-type", "").lower(), uri, fields, block)

    def _error(self, offset: int, what: str) -> RecordingError:
        return RecordingError(one_line(f"{self._path}: offset {offset}: {what}"))


def _reason(error: Exception) -> str:
    if "gzip member" in str(error):
        return "packed as a whole, not record by record, so that no page can be found: unpack it first (gunzip -k FILE)"
    return f"damaged or cut off: {str(error) or type(error).__name__}"


class _Place(NamedTuple):
    uri: str
    offset: int
    status: int


class WarcWeb:
    """The responses of one WARC file.

    All spellings of a URL that have one canonical form find the same records: of several, one of the same spelling wins, then one of the
    same scheme, then one with status 200, then the first. A URL recorded over http only answers over https with a redirect to it, and
    the other way round. A revisit record answers with the record to which it refers. Memory: some 1,000 bytes a record.
    """

    def __init__(self, path: Path) -> None:
        self._file = WarcFile(path)
        self._places: dict[str, list[_Place]] = {}
        self._hosts: Counter[str] = Counter()
        urls: dict[str, None] = {}
        by_digest: dict[str, _Place] = {}
        revisits = []
        for record in self._file.records():
            if record.kind not in _ANSWERS or not record.uri.startswith(("http://", "https://")):
                continue
            urls[canonicalize(record.uri) or ""] = None
            digest = record.fields.get("warc-payload-digest", "")
            if record.kind == "revisit":
                refers = record.fields.get("warc-refers-to-target-uri", "").strip("<>")
                revisits.append((record.uri, _key(refers), digest))
                continue
            status = _STATUS_LINE.match(record.block)
            place = _Place(
                record.uri, record.offset, 200 if record.kind == "resource" else int(status[1]) if status else 0
            )
            if place.status not in (0, 304):
                self._add(place)
                by_digest.setdefault(digest, place)
        by_digest.pop("", None)
        for uri, refers, digest in revisits:
            there = [*self._places.get(refers, ()), *filter(None, [by_digest.get(digest)])]
            if there and _key(uri) not in self._places:
                self._add(there[0]._replace(uri=uri))
        if not self._places:
            raise RecordingError(_("{path}: holds no recorded response, so there is nothing to replay", path=path))
        self._urls = [url for url in urls if url and _key(url) in self._places]

    def _add(self, place: _Place) -> None:
        self._places.setdefault(_key(place.uri), []).append(place)
        self._hosts[(canonicalize(place.uri) or place.uri).split("/", 3)[2]] += 1

    def find(self, url: str) -> RecordedResponse | None:
        if not (places := self._places.get(_key(url))):
            return None
        scheme = url.partition(":")[0] + ":"
        best = min(places, key=lambda one: (one.uri != url, not one.uri.startswith(scheme), one.status != 200))
        if best.uri.startswith(scheme):
            record = self._file.record_at(best.offset)
            if record.kind != "resource":
                return read_response(url, record.block)
            content_type = record.fields.get("content-type", "application/octet-stream")
            return RecordedResponse(url, 200, "OK", (("Content-Type", content_type),), record.block)
        if best.status in _REDIRECTS:  # it may redirect to ``url``, for ever
            return None
        return RecordedResponse(url, 301, "Moved Permanently", (("Location", best.uri),), b"")

    def urls(self) -> Iterator[str]:
        """Each recorded URL, canonical, once, in the order of the file; http and https are two URLs."""
        return iter(self._urls)

    def knows(self, host: str) -> bool:
        return host in self._hosts

    def hosts(self) -> Iterator[str]:
        """The recorded hosts, those with most records first."""
        return (host for host, _count in self._hosts.most_common())

    def __len__(self) -> int:
        """How many URLs were recorded; http and https are one."""
        return len(self._places)


def _key(url: str) -> str:
    """A text that is equal for all spellings of a URL, and for http and https."""
    return (canonicalize(url) or url).partition(":")[2]


SYNTHETIC = "made:"
_ALLOWED = "a file .warc or .warc.gz, or made:[pages=N][,hosts=N][,seed=N][,topic=NAME,topic_hosts=N][,classes=N]"


def open_web(spec: str) -> RecordedWeb:
    """The web of ``FILE.warc[.gz]`` or ``made:SPEC`` (which has every page under both schemes); raises ConfigError or RecordingError."""
    if spec.startswith(SYNTHETIC):
        from topicspider.rehearsal.synthetic.web import SyntheticWeb

        return SyntheticWeb.read(spec[len(SYNTHETIC) :])
    path = Path(spec).expanduser()
    if not spec or not path.exists():
        raise ConfigError("web", spec, _ALLOWED, "There is no such file")
    return WarcWeb(path)
