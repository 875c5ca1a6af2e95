"""A URL's record as bytes, and back: what the client alone reads of it.

Short: the host is kept once for all its URLs, a referrer shares its beginning with the URL, numbers take
a byte where they can. No pickle: whoever can write to Redis could run code in every node that reads one.
"""

from __future__ import annotations

from functools import lru_cache

from topicspider.frontier.protocol import Entry

_PREFIXES = (b"", b"http://", b"https://")  # before the host; the first: the URL stands there whole
_PORTS = (b"", b":80", b":443")
_SHORT = tuple(bytes((value,)) for value in range(0x80))
_KIND, _MODEL, _REFERRER = 0b11, 0b100, 0b1000


def pack(entry: Entry, host: bytes) -> bytes:
    """All of ``entry`` but its fingerprint, host, score and attempts."""
    url = entry.url.encode("utf-8", "replace")  # as clean_text
    kind, rest = _after_host(url, host)
    referrer = entry.referrer.encode("utf-8", "replace") if entry.referrer else b""
    model, depth, size = entry.model, entry.depth, len(rest)
    flags = kind | (_MODEL if model else 0) | (_REFERRER if referrer else 0)
    parts = [_SHORT[flags], _SHORT[depth] if 0 <= depth < 0x80 else _number(depth)]
    if model:
        parts.append(_number(model))
    parts += (_SHORT[size] if size < 0x80 else _number(size), rest)
    if referrer:
        shared = len(referrer) if url.startswith(referrer) else _shared(url, referrer)
        parts += (_number(shared), _number(len(referrer) - shared), referrer[shared:])
    if entry.payload:
        parts.append(entry.payload.encode("utf-8", "replace"))
    return b"".join(parts)


def unpack(packed: bytes, host: str, fingerprint: int, score: float, attempts: int) -> Entry:
    """The Entry; raises ValueError for bytes that ``pack`` never wrote."""
    reader = _Reader(packed)
    flags = reader.take(1)[0]
    depth = reader.number()
    model = reader.number() if flags & _MODEL else 0
    kind = flags & _KIND
    if kind >= len(_PREFIXES) or flags > (_KIND | _MODEL | _REFERRER):
        raise ValueError("not a record")
    url = _before(kind, host.encode()) + reader.take(reader.number())
    referrer = b""
    if flags & _REFERRER:
        shared = reader.number()
        if shared > len(url):
            raise ValueError("not a record")
        referrer = url[:shared] + reader.take(reader.number())
    payload = reader.rest()
    return Entry(url.decode(), fingerprint, host, score, depth, referrer.decode(), payload.decode(), attempts, model)


def _after_host(url: bytes, host: bytes) -> tuple[int, bytes]:
    plain, secure = _beginnings(host)
    if url.startswith(plain):
        return 1, url[len(plain) :]
    return (2, url[len(secure) :]) if url.startswith(secure) else (0, url)


@lru_cache(10_000)
def _beginnings(host: bytes) -> tuple[bytes, bytes]:
    return _before(1, host), _before(2, host)


def _before(kind: int, host: bytes) -> bytes:
    """The beginning of URLs of ``host``; a port that its scheme has anyway is not written in them."""
    return _PREFIXES[kind] + host.removesuffix(_PORTS[kind]) if kind else b""


def _shared(left: bytes, right: bytes) -> int:
    """How many bytes the two begin with in common: what differs, as one large number, begins after them."""
    length = min(len(left), len(right))
    difference = int.from_bytes(left[:length], "big") ^ int.from_bytes(right[:length], "big")
    return length - (difference.bit_length() + 7) // 8


def _number(value: int) -> bytes:
    """7 bits a byte, lowest first; negative ones are 0."""
    if value < 0x80:
        return _SHORT[value] if value > 0 else b"\0"
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


class _Reader:
    """Takes bytes from the front; ValueError when there are not as many."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._at = 0

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes."""
        end = self._at + count
        if end > len(self._packed):
            raise ValueError("cut off")
        found = self._packed[self._at : end]
        self._at = end
        return found

    def number(self) -> int:
        """The next number."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("not a number")

    def rest(self) -> bytes:
        """All that is left."""
        return self.take(len(self._packed) - self._at)
