"""Undoes the Content-Encoding of a recorded body, as a crawl does and with its limit."""

from __future__ import annotations

import io
import sys
import zlib

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK = 1 << 16


class TooLarge(ValueError):
    """The body is larger, unpacked, than a crawl takes."""


def decode_content(body: bytes, encodings: str, limit: int) -> bytes:
    """``body`` without its codings ("gzip", "gzip, br"; the last was applied last); stops at one nobody knows.

    At most ``limit`` bytes, else TooLarge is raised. Raises ValueError for a body that is not what it is said to be.
    """
    for name in reversed([part.strip().lower() for part in encodings.split(",")]):
        unpack = _WAYS.get(name)
        if unpack is None:
            break
        body = unpack(body, limit)
    if len(body) > limit:
        raise TooLarge(limit)
    return body


def _gunzip(body: bytes, limit: int) -> bytes:
    """All members; what was read before a damage counts, as in Scrapy."""
    parts: list[bytes] = []
    while body:
        inflate = zlib.decompressobj(31)
        try:
            parts.append(_inflated(inflate, body, limit - sum(map(len, parts))))
        except zlib.error as error:
            if not parts:
                raise ValueError(str(error)) from None
            break
        body = inflate.unused_data
    return b"".join(parts)


def _inflate(body: bytes, limit: int) -> bytes:
    for bits in (15, -15):  # raw deflate without zlib's head is what some servers send
        try:
            return _inflated(zlib.decompressobj(bits), body, limit)
        except zlib.error:
            continue
    raise ValueError("not deflated")


def _inflated(inflate: zlib._Decompress, body: bytes, limit: int) -> bytes:
    data = inflate.decompress(body, max(1, limit + 1))
    if len(data) > limit:
        raise TooLarge(limit)
    return data


def _unbrotli(body: bytes, limit: int) -> bytes:
    decoder = brotli.Decompressor()
    try:
        parts = [decoder.process(body, output_buffer_limit=_CHUNK)]
        size = len(parts[0])
        while not decoder.is_finished() and (part := decoder.process(b"", output_buffer_limit=_CHUNK)):
            size += len(part)
            if size > limit:
                raise TooLarge(limit)
            parts.append(part)
    except brotli.error as error:
        raise ValueError(str(error)) from None
    return b"".join(parts)


def _unzstd(body: bytes, limit: int) -> bytes:
    parts, size = [], 0
    reader = zstd.ZstdFile(io.BytesIO(body))
    try:
        while part := reader.read(_CHUNK):
            size += len(part)
            if size > limit:
                raise TooLarge(limit)
            parts.append(part)
    except EOFError:  # cut off: what came counts
        pass
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from None
    return b"".join(parts)


_WAYS = {"gzip": _gunzip, "x-gzip": _gunzip, "deflate": _inflate, "br": _unbrotli, "zstd": _unzstd}
