"""A recorded HTTP response, taken from its stored bytes, and what a web of such responses can do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

Headers = tuple[tuple[str, str], ...]

_OF_THE_CONNECTION = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
        "trailers", "transfer-encoding", "upgrade", "content-length",
    }
)  # fmt: skip
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: +([^\r\n]*))?")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """One answer, as it goes over the wire.

    ``headers`` are latin-1 text without those of the connection (hop-by-hop) and without Content-Length;
    a Content-Encoding among them is true of ``body``. ``chunked``: sent in chunks, its length unsaid.
    ``delay_seconds``: how long the server takes before it answers.
    """

    url: str
    status: int
    reason: str
    headers: Headers
    body: bytes
    chunked: bool = False
    delay_seconds: float = 0.0


class RecordedWeb(Protocol):
    """A web of recorded or synthetic responses. All methods may be called from one thread only."""

    def find(self, url: str) -> RecordedResponse | None:
        """What ``url`` (absolute, http or https) answers; None when it is not there. Raises RecordingError."""

    def knows(self, host: str) -> bool:
        """Whether ``host`` (lower case, with its port unless it is the usual one) has pages."""

    def hosts(self) -> Iterator[str]:
        """Every host that has pages."""

    def __len__(self) -> int:
        """How many pages there are."""


def status_of(start: bytes) -> int:
    """The status in the first bytes of a stored response; 0 when they are no HTTP response."""
    match = _STATUS_LINE.match(start)
    return int(match.group(1)) if match else 0


def read_response(url: str, block: bytes) -> RecordedResponse | None:
    """The response stored in ``block`` (status line, headers, body); None when it holds none."""
    match = _STATUS_LINE.match(block)
    if match is None:
        return None
    head, body = _split_head(block)
    stored = _headers(head)
    named = {name.lower(): value for name, value in stored}
    if "chunked" in named.get("transfer-encoding", "").lower():
        body = joined_chunks(body)
    dropped = set(_OF_THE_CONNECTION)
    if not _is_encoded(named.get("content-encoding", ""), body):
        dropped.add("content-encoding")
    headers = tuple((name, value) for name, value in stored if name.lower() not in dropped)
    reason = (match.group(2) or b"").decode("latin-1").strip()
    return RecordedResponse(url, int(match.group(1)), reason, headers, body)


def joined_chunks(body: bytes) -> bytes:
    """``body`` without the framing of chunked transfer; as it is when the writer took the framing off already."""
    parts: list[bytes] = []
    at = 0
    while match := _CHUNK_SIZE.match(body, at):
        size, start = int(match.group(1), 16), match.end()
        if size == 0:
            return b"".join(parts)
        parts.append(body[start : start + size])
        at = start + size
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    # cut off within a chunk: keep what came; no chunk at all: it never was chunked
    return b"".join(parts) if parts and at >= len(body) else body


def _split_head(block: bytes) -> tuple[bytes, bytes]:
    """Head and body of a message; the head alone when no empty line ends it."""
    ends = [(at, at + len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark)) >= 0]
    head_end, body_start = min(ends, default=(len(block), len(block)))
    return block[:head_end], block[body_start:]


def _headers(head: bytes) -> Headers:
    headers: list[tuple[str, str]] = []
    for line in head.decode("latin-1").splitlines()[1:]:
        if line[:1] in (" ", "\t") and headers:
            name, value = headers[-1]
            headers[-1] = (name, f"{value} {line.strip()}")
            continue
        name, colon, value = line.partition(":")
        if colon and name.strip():
            headers.append((name.strip(), value.strip()))
    return tuple(headers)


def _is_encoded(encoding: str, body: bytes) -> bool:
    """Whether ``body`` still is what its Content-Encoding says; some writers store it unpacked and keep the header."""
    encoding = encoding.lower().strip()
    if not encoding or encoding == "identity" or not body:
        return False
    if magic := _MAGIC.get(encoding):
        return body.startswith(magic)
    # deflate and br have no mark; packed bytes hold control characters soon, text never does
    return _CONTROLS.search(body, 0, 512) is not None
