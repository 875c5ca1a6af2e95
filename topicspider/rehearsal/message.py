"""Takes a stored HTTP response apart, and makes its headers true of its body again."""

from __future__ import annotations

import re

from topicspider.rehearsal.response import Headers, RecordedResponse

HOP_BY_HOP = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "trailers",
        "transfer-encoding",
        "upgrade",
        "content-length",
    ]
)
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: +([^\r\n]*))?")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_MAGIC = {"gzip": (b"\x1f\x8b",), "x-gzip": (b"\x1f\x8b",), "zstd": (b"\x28\xb5\x2f\xfd",)}
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def status_of(start: bytes) -> int:
    """The status in the first bytes of a stored response; 0 when they are no HTTP response."""
    match = _STATUS_LINE.match(start)
    return int(match.group(1)) if match else 0


def read_response(url: str, block: bytes) -> RecordedResponse | None:
    """The response stored in ``block`` (status line, headers, body); None when it holds none."""
    match = _STATUS_LINE.match(block)
    if match is None:
        return None
    head, body = split_head(block)
    stored = _headers(head)
    named = {name.lower(): value for name, value in stored}
    if "chunked" in named.get("transfer-encoding", "").lower():
        body = joined_chunks(body)
    dropped = HOP_BY_HOP if _is_encoded(named.get("content-encoding", ""), body) else HOP_BY_HOP | {"content-encoding"}
    headers = tuple((name, value) for name, value in stored if name.lower() not in dropped)
    reason = (match.group(2) or b"").decode("latin-1").strip()
    return RecordedResponse(url, int(match.group(1)), reason, headers, body)


def split_head(block: bytes) -> tuple[bytes, bytes]:
    """Head and body of a message; the head alone when no empty line ends it."""
    ends = [(at, at + len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark)) >= 0]
    if not ends:
        return block, b""
    head_end, body_start = min(ends)
    return block[:head_end], block[body_start:]


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
    magic = _MAGIC.get(encoding)
    if magic is not None:
        return body.startswith(magic)
    # deflate and br have no mark; packed bytes hold control characters soon, text never does
    return _CONTROLS.search(body, 0, 512) is not None
