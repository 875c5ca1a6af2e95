"""WARC files as different programs write them, made by hand so that every byte is known."""

from __future__ import annotations

import gzip

HTML = "<html><title>旅游</title><body>黄山的云海</body></html>".encode()


def record(kind: str, uri: str, block: bytes, *, newline: bytes = b"\r\n", **fields: str) -> bytes:
    """One record; ``fields``: WARC_Payload_Digest="…" is the header WARC-Payload-Digest."""
    lines = [b"WARC/1.1", b"WARC-Type: " + kind.encode(), b"WARC-Target-URI: " + uri.encode()]
    lines += [f"{name.replace('_', '-')}: {value}".encode() for name, value in fields.items()]
    lines += [b"Content-Length: %d" % len(block), b"", b""]
    return newline.join(lines) + block + 2 * newline


def answer(body: bytes = HTML, status: str = "200 OK", *headers: str) -> bytes:
    """A stored HTTP response."""
    lines = [f"HTTP/1.1 {status}", *(headers or ("Content-Type: text/html; charset=utf-8",)), "", ""]
    return "\r\n".join(lines).encode() + body


def chunked(body: bytes, size: int = 7) -> bytes:
    """``body`` in the framing of chunked transfer."""
    parts = [body[i : i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x;x=y\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


URL = "http://www.huangshan.example/游记/1.html"
INFO = record("warcinfo", "", b"software: by hand\r\n")
REQUEST = record("request", URL, b"GET / HTTP/1.1\r\nHost: www.huangshan.example\r\n\r\n")
PLAIN = INFO + REQUEST + record("response", URL, answer())
TYPE = "Content-Type: text/html; charset=utf-8"


def said(*headers: str) -> bytes:
    """A record whose answer has these headers beside its type."""
    return record("response", URL, answer(HTML, "200 OK", TYPE, *headers))


CHUNKS = answer(chunked(HTML), "200 OK", TYPE, "Transfer-Encoding: chunked", "Connection: close")
WGET = record("response", f"<{URL}>", CHUNKS)
WRITERS = {
    "plain": PLAIN,
    "packed record by record": b"".join(map(gzip.compress, (INFO, REQUEST, record("response", URL, answer())))),
    "wget: angle brackets, chunks kept": INFO + WGET,
    "wget, packed": gzip.compress(INFO) + gzip.compress(WGET),
    "chunks joined but said to be chunked": said("Transfer-Encoding: chunked"),
    "unpacked but said to be gzip": said("Content-Encoding: gzip"),
    "unpacked but said to be br": said("Content-Encoding: br"),
    "bare newlines": record("response", URL, answer(), newline=b"\n"),
    "long head of the record": record("response", URL, answer(), X_Long="长" * 3000),
    "folded field": record("response", URL, answer(), X_Note="a\r\n b"),
    "HTTP/2, wrong length": record("response", URL, answer(HTML, "200 ", TYPE.lower(), "content-length: 5")),
    "resource": record("resource", URL, HTML, Content_Type="text/html; charset=utf-8"),
}
