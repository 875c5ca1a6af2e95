"""Converts URLs, work and records to the bytes that the Lua programs read and Redis stores."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache

from topicspider.frontier.host_ranking import (
    MASK64,
    SIGN64,
    clean_text,
    from_micros,
    host_tie,
    requests_told,
    splitmix64,
    to_micros,
)
from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState, Record, clean_dead
from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Work

BUCKET_BITS = 15
"""The seen-set is split into 2^15 packed sets, the records of queued URLs into as many packed hashes; this number is part of the layout."""

_UNDO_FIRST = pow(0xBF58476D1CE4E5B9, -1, 1 << 64)
_UNDO_SECOND = pow(0x94D049BB133111EB, -1, 1 << 64)


class UrlKeys:
    """Converts fingerprints to URL keys and back, for the seed of one crawl.

    A URL key is ``splitmix64(fingerprint, seed)``, which is one-to-one. As 8 bytes, lowest first in byte order, it is the member of a
    host's queue, where Redis orders equal scores by their bytes. As a signed number in decimal it is the member of the seen-set, where
    Redis packs signed 64-bit integers (a Lua number would lose its last bits, and an unsigned one would unpack the set).
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._shift = ((seed + 1) * 0x9E3779B97F4A7C15) & MASK64

    def of(self, fingerprint: int) -> tuple[bytes, bytes]:
        """The URL key as (bytes, decimal text)."""
        number = splitmix64(fingerprint, self._seed)
        return (number + SIGN64).to_bytes(8, "big"), b"%d" % number

    def bytes_of(self, fingerprint: int) -> bytes:
        return self.of(fingerprint)[0]

    def fingerprint(self, url_key: bytes) -> int:
        """The fingerprint that has this URL key."""
        z = int.from_bytes(url_key, "big")
        z = (_unshifted(z, 31) * _UNDO_SECOND) & MASK64
        z = (_unshifted(z, 27) * _UNDO_FIRST) & MASK64
        number = (_unshifted(z, 30) - self._shift) & MASK64
        return number - (1 << 64) if number >= SIGN64 else number


def _unshifted(z: int, bits: int) -> int:
    """The inverse of ``x ^ (x >> bits)``."""
    return z ^ (z >> bits) ^ (z >> 2 * bits)


def pack(entry: Entry, host: bytes) -> bytes:
    """``entry`` without fingerprint, host, score and attempts, as text; its fields are separated by 0xFF, a byte that UTF-8 never uses."""
    url, referrer = (_short(text.encode("utf-8", "replace"), host) for text in (entry.url, entry.referrer))
    payload = entry.payload.encode("utf-8", "replace")
    return b"%b\xff%b\xff%d\xff%d\xff%b" % (url, referrer, entry.depth, entry.model, payload)


def unpack(packed: bytes, host: str, fingerprint: int, score: float, attempts: int) -> Entry:
    """The inverse of ``pack``; raises ValueError for bytes that ``pack`` did not write."""
    short_url, short_referrer, depth, model, payload = packed.split(b"\xff", 4)
    url, referrer = (_long(text, host.encode()).decode() for text in (short_url, short_referrer))
    return Entry(url, fingerprint, host, score, int(depth), referrer, payload.decode(), attempts, int(model))


def _short(url: bytes, host: bytes) -> bytes:
    """The URL with its beginning replaced by one digit; most URLs are of the host itself."""
    for kind, beginning in enumerate(_beginnings(host)):
        if url.startswith(beginning):
            return b"%d%b" % (kind, url[len(beginning) :])
    raise AssertionError(url)


def _long(short: bytes, host: bytes) -> bytes:
    kind = b"012".find(short[:1]) if short else -1
    if kind < 0:
        raise ValueError("not a record")
    return _beginnings(host)[kind] + short[1:]


@lru_cache(10_000)
def _beginnings(host: bytes) -> tuple[bytes, bytes, bytes]:
    """The beginnings that ``_short`` replaces; canonical URLs do not have the default port of their scheme."""
    return b"http://%b/" % host.removesuffix(b":80"), b"https://%b/" % host.removesuffix(b":443"), b""


def text_of(told: bytes) -> str:
    """A text from the server; other programs' bytes may not be UTF-8."""
    return told.decode("utf-8", "replace")


_HEAD = struct.Struct(">dII")
_SIZE = struct.Struct(">I")


def dead_of(note: bytes, fingerprint: int) -> DeadUrl:
    """Parse ``note``. When its record cannot be read, the host in brackets takes the URL's place."""
    try:
        minus, attempts, size = _HEAD.unpack_from(note)
        at = _HEAD.size + size
        reason = text_of(note[_HEAD.size : at])
        (host_size,) = _SIZE.unpack_from(note, at)
        at += _SIZE.size
        host = text_of(note[at : at + host_size])
        score = from_micros(-int(minus))
    except (struct.error, ValueError, OverflowError):
        return DeadUrl(Entry("()", fingerprint, ""), "")
    try:
        return DeadUrl(unpack(note[at + host_size :], host, fingerprint, score, attempts), reason)
    except (ValueError, IndexError):
        return DeadUrl(Entry(f"({host})", fingerprint, host, attempts=attempts), reason)


ENDS = {End.PAGE: 0, End.NO_PAGE: 1, End.FAILED: 2, End.RELEASED: 3}
_ENDS_TOLD_AGAIN = {**ENDS, End.PAGE: 5, End.NO_PAGE: 6}
"""These count although the server has forgotten the lease, unless it has leased the URL to another node since."""
_LENGTH = struct.Struct(">I").pack
_LINK = struct.Struct(">dIII").pack
_SCORE = struct.Struct(">8sd").pack
_TIMING = struct.Struct(">IdddB").pack
_COMPLETION = struct.Struct(">I8sdIBH").pack
_HELD = struct.Struct(">dI").pack
_STATE = struct.Struct(">IIddB").pack
_DEAD = struct.Struct(">IdII").pack


class WorkPacker:
    """Packs the Work of one crawl. ``url_keys`` converts fingerprints; ``seed`` is the key of the hosts' tie-breakers."""

    def __init__(self, url_keys: UrlKeys, seed: int) -> None:
        self._url_keys = url_keys
        self._name_of: Callable[[str], bytes] = lru_cache(10_000)(lambda host: clean_text(host).encode())
        self._tie_of: Callable[[str], bytes] = lru_cache(10_000)(
            lambda host: (host_tie(clean_text(host), seed) + SIGN64).to_bytes(8, "big")
        )

    def pack(self, work: Work, *, is_told_again: bool = False) -> list[bytes]:
        """Packs ``work`` into six strings: hosts, timings, revisions, entries, promotions, completions."""
        ends = _ENDS_TOLD_AGAIN if is_told_again else ENDS
        hosts: dict[str, int] = {}
        entries = self.entries(work.entries, hosts)
        timings = b"".join(self._timing(name, timing, hosts) for name, timing in (work.timings or {}).items())
        completions = b"".join(self._completion(one, ends[one.end], hosts) for one in work.completions)
        revisions, promotions = self._scores(work.revisions), self._scores(work.promotions)
        return [self.hosts(hosts), timings, revisions, entries, promotions, completions]

    def hosts(self, names: Collection[str]) -> bytes:
        """Packs hosts: their number, then name and tie-breaker of each. Other parts name a host by its index in this list."""
        parts = [_LENGTH(len(names))]
        for name in names:
            encoded = self._name_of(name)
            parts += (_LENGTH(len(encoded)), encoded, self._tie_of(name))
        return b"".join(parts)

    def questions(self, fingerprints: Iterable[int]) -> bytes:
        """The argument of the operation ``known``."""
        return b"".join(map(self._seen, fingerprints))

    def pack_records(self, records: Sequence[Record]) -> list[bytes]:
        """Packs records: hosts, their states, entries, dead, done; then the keys and values of facts."""
        places: dict[str, int] = {}
        states = b"".join(self._state(one, places) for one in records if isinstance(one, HostState))
        entries = self.entries((one for one in records if isinstance(one, Entry)), places)
        dead = b"".join(self._dead(clean_dead(one), places) for one in records if isinstance(one, DeadUrl))
        done = b"".join(
            self._seen(number) for one in records if isinstance(one, DoneUrls) for number in one.fingerprints
        )
        facts = [clean_text(text).encode() for one in records if isinstance(one, Fact) for text in (one.key, one.value)]
        return [self.hosts(places), states, entries, dead, done, *facts]

    def _timing(self, name: str, timing: HostTiming, hosts: dict[str, int]) -> bytes:
        connect = -1.0 if timing.connect_seconds is None else timing.connect_seconds
        response = -1.0 if timing.response_seconds is None else timing.response_seconds
        requests = requests_told(None, timing.requests_per_connection) or 0
        return _TIMING(_index(name, hosts), timing.rest_seconds, connect, response, requests)

    def entries(self, entries: Iterable[Entry], places: dict[str, int]) -> bytes:
        """Packs entries; their hosts get their index in ``places``."""
        packed: list[bytes] = []
        for entry in entries:
            text = pack(entry, self._name_of(entry.host))
            link = _LINK(0.0 - to_micros(entry.score), _index(entry.host, places), entry.attempts, len(text))
            packed += (self._seen(entry.fingerprint), link, text)
        return b"".join(packed)

    def _scores(self, scores: Sequence[tuple[int, float]]) -> bytes:
        return b"".join(_SCORE(self._url_keys.bytes_of(one), 0.0 - to_micros(score)) for one, score in scores)

    def _completion(self, completion: Completion, end: int, hosts: dict[str, int]) -> bytes:
        reason = clean_text(completion.reason).encode()[:200].decode("utf-8", "ignore").encode()
        url_key = self._url_keys.bytes_of(completion.fingerprint)
        epoch, number = completion.token >> 32, completion.token & 0xFFFFFFFF
        return _COMPLETION(_index(completion.host, hosts), url_key, float(epoch), number, end, len(reason)) + reason

    def _state(self, state: HostState, places: dict[str, int]) -> bytes:
        pages = min(state.pages, MASK64 >> 32)
        return _STATE(_index(state.host, places), pages, state.rest_seconds, state.delay_seconds, state.is_blocked)

    def _dead(self, dead: DeadUrl, places: dict[str, int]) -> bytes:
        entry, reason = dead.entry, dead.reason.encode()
        packed = pack(entry, entry.host.encode())
        head = _DEAD(_index(entry.host, places), 0.0 - to_micros(entry.score), entry.attempts, len(reason))
        return b"".join((self._seen(entry.fingerprint), head, reason, _LENGTH(len(packed)), packed))

    def _seen(self, fingerprint: int) -> bytes:
        url_key, text = self._url_keys.of(fingerprint)
        return b"".join((url_key, bytes((len(text),)), text))


def pack_held(held: Iterable[tuple[str, int]]) -> bytes:
    """Packs hosts with the tokens of their leases."""
    parts = []
    for host, token in held:
        name = clean_text(host).encode()
        parts += [_LENGTH(len(name)), name, _HELD(float(token >> 32), token & 0xFFFFFFFF)]
    return b"".join(parts)


def _index(host: str, hosts: dict[str, int]) -> int:
    return hosts.setdefault(host, len(hosts))
