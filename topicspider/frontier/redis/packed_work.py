"""Work as the strings that the Lua program reads: each kind of news is one, whatever its length."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter

from topicspider.frontier.inspection import HostState
from topicspider.frontier.ordering import clean_text, host_tie, to_micros
from topicspider.frontier.policies import requests_told
from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Work
from topicspider.frontier.redis.marks import Marks
from topicspider.frontier.redis.packing import pack

UNREADABLE = 4  # an end that only this frontier knows: a record that cannot be read is given up
ENDS = {End.PAGE: 0, End.NO_PAGE: 1, End.FAILED: 2, End.RELEASED: 3}
_ENDS_TOLD_AGAIN = {**ENDS, End.PAGE: 5, End.NO_PAGE: 6}
"""They count although the server has forgotten the lease, unless it has given the URL to somebody else since."""
_SIGN = 1 << 63
_LENGTH = struct.Struct(">I").pack
_FOUND = struct.Struct(">8sdII").pack
_ATTEMPTS = struct.Struct(">I").pack
_SCORE = struct.Struct(">8sd").pack
_TIMING = struct.Struct(">IdddB").pack
_COMPLETION = struct.Struct(">I8sdIBH").pack
_HELD = struct.Struct(">dI").pack
_LONGEST_REASON = 200
_FIRST = itemgetter(0)


class WorkPacker:
    """Packs the Work of one crawl. ``tie_of``: the place of a host among equals."""

    def __init__(self, marks: Marks, seed: int) -> None:
        self._marks = marks
        self._name_of: Callable[[str], bytes] = lru_cache(10_000)(lambda host: clean_text(host).encode())
        self._tie_of: Callable[[str], bytes] = lru_cache(10_000)(lambda host: _tie_bytes(host, seed))

    def pack(self, work: Work, unreadable: Iterable[Completion] = (), *, is_told_again: bool = False) -> list[bytes]:
        """Hosts, timings, revisions, entries, promotions, completions."""
        ends = _ENDS_TOLD_AGAIN if is_told_again else ENDS
        hosts: dict[str, int] = {}
        entries = self.entries(work.entries, hosts)
        timings = b"".join(self._timing(name, timing, hosts) for name, timing in (work.timings or {}).items())
        completions = b"".join(self._completion(one, ends[one.end], hosts) for one in work.completions)
        completions += b"".join(self._completion(one, UNREADABLE, hosts) for one in unreadable)
        return [
            self.hosts(hosts),
            timings,
            self._scores(work.revisions),
            entries,
            self._scores(work.promotions),
            completions,
        ]

    def hosts(self, names: Collection[str]) -> bytes:
        """Hosts by their places: how many, their names, then their places among equals."""
        if not names:
            return b""
        encoded = [self._name_of(name) for name in names]
        parts = [_LENGTH(len(encoded))]
        for name in encoded:
            parts += (_LENGTH(len(name)), name)
        return b"".join(parts + [self._tie_of(name) for name in names])

    def scores(self, scores: Sequence[tuple[int, float]]) -> list[bytes]:
        """A Work that is nothing but revisions."""
        return [b"", b"", self._scores(scores), b"", b"", b""]

    def questions(self, fingerprints: Iterable[int]) -> bytes:
        """What ``known`` asks."""
        parts = []
        for fingerprint in fingerprints:
            mark, text = self._marks.of(fingerprint)
            parts += [mark, bytes((len(text),)), text]
        return b"".join(parts)

    def _timing(self, name: str, timing: HostTiming, hosts: dict[str, int]) -> bytes:
        connect = -1.0 if timing.connect_seconds is None else timing.connect_seconds
        response = -1.0 if timing.response_seconds is None else timing.response_seconds
        return _TIMING(_index(name, hosts), timing.rest_seconds, connect, response, requests_byte(timing))

    def entries(self, entries: Iterable[Entry], places: dict[str, int]) -> bytes:
        """Entries, whose hosts are given places in ``places``; host by host, so that the server asks once for several."""
        packed = []
        place_of, name_of = self._marks.place_of, self._name_of
        for entry in entries:
            host = entry.host
            place = places.setdefault(host, len(places))
            mark, seen_at = place_of(entry.fingerprint)
            rest = b"%b%b%b" % (_ATTEMPTS(entry.attempts), seen_at, pack(entry, name_of(host)))
            packed.append((place, _FOUND(mark, 0.0 - to_micros(entry.score), len(rest), place), rest))
        packed.sort(key=_FIRST)
        if not packed:
            return b""
        return b"".join((_LENGTH(len(packed)), *[one[1] for one in packed], *[one[2] for one in packed]))

    def _scores(self, scores: Sequence[tuple[int, float]]) -> bytes:
        return b"".join(_SCORE(self._marks.bytes_of(one), 0.0 - to_micros(score)) for one, score in scores)

    def _completion(self, completion: Completion, end: int, hosts: dict[str, int]) -> bytes:
        reason = clean_text(completion.reason).encode()[:_LONGEST_REASON].decode("utf-8", "ignore").encode()
        mark = self._marks.bytes_of(completion.fingerprint)
        epoch, number = completion.token >> 32, completion.token & 0xFFFFFFFF
        return _COMPLETION(_index(completion.host, hosts), mark, float(epoch), number, end, len(reason)) + reason


def requests_byte(told: HostTiming | HostState) -> int:
    """How many requests a host gives over one connection; 0: nobody knows."""
    return requests_told(None, told.requests_per_connection) or 0


def pack_held(held: Iterable[tuple[str, int]]) -> bytes:
    """Hosts with the tokens of their leases."""
    parts = []
    for host, token in held:
        name = clean_text(host).encode()
        parts += [_LENGTH(len(name)), name, _HELD(float(token >> 32), token & 0xFFFFFFFF)]
    return b"".join(parts)


def _index(host: str, hosts: dict[str, int]) -> int:
    return hosts.setdefault(host, len(hosts))


def _tie_bytes(host: str, seed: int) -> bytes:
    return (host_tie(clean_text(host), seed) + _SIGN).to_bytes(8, "big")
