"""Records as the strings that the Lua program takes in."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState, Record, clean_dead
from topicspider.frontier.ordering import clean_text, to_micros
from topicspider.frontier.protocol import Entry
from topicspider.frontier.redis.marks import Marks
from topicspider.frontier.redis.packed_work import WorkPacker, requests_byte
from topicspider.frontier.redis.packing import pack

_STATE = struct.Struct(">IIddddBB").pack
_DEAD = struct.Struct(">IdII").pack
_LENGTH = struct.Struct(">I").pack
_MOST_PAGES = (1 << 32) - 1


class RecordPacker:
    """Packs the records of one crawl."""

    def __init__(self, marks: Marks, packer: WorkPacker) -> None:
        self._marks = marks
        self._packer = packer

    def pack(self, records: Sequence[Record]) -> list[bytes]:
        """Hosts, their states, entries, dead, done; then the keys and values of facts."""
        places: dict[str, int] = {}
        states = b"".join(self._state(one, places) for one in records if isinstance(one, HostState))
        entries = self._packer.entries((one for one in records if isinstance(one, Entry)), places)
        dead = b"".join(self._dead(clean_dead(one), places) for one in records if isinstance(one, DeadUrl))
        done = b"".join(self._seen(mark) for one in records if isinstance(one, DoneUrls) for mark in one.fingerprints)
        facts = [clean_text(text).encode() for one in records if isinstance(one, Fact) for text in (one.key, one.value)]
        return [self._packer.hosts(places), states, entries, dead, done, *facts]

    def _state(self, state: HostState, places: dict[str, int]) -> bytes:
        times = (-1.0 if one is None else one for one in (state.connect_seconds, state.response_seconds))
        pages = min(state.pages, _MOST_PAGES)
        place = places.setdefault(state.host, len(places))
        return _STATE(
            place, pages, state.rest_seconds, state.delay_seconds, *times, state.is_blocked, requests_byte(state)
        )

    def _dead(self, dead: DeadUrl, places: dict[str, int]) -> bytes:
        entry, reason = dead.entry, dead.reason.encode()
        place = places.setdefault(entry.host, len(places))
        packed = pack(entry, entry.host.encode())
        head = _DEAD(place, 0.0 - to_micros(entry.score), entry.attempts, len(reason))
        return b"".join((self._seen(entry.fingerprint), head, reason, _LENGTH(len(packed)), packed))

    def _seen(self, fingerprint: int) -> bytes:
        mark, text = self._marks.of(fingerprint)
        return b"".join((mark, bytes((len(text),)), text))
