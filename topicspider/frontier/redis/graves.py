"""What a crawl in Redis has given up, as it is kept there: notes, and back."""

from __future__ import annotations

import struct

from topicspider.frontier.inspection import DeadUrl
from topicspider.frontier.ordering import from_micros
from topicspider.frontier.protocol import Entry
from topicspider.frontier.redis.packing import unpack

_HEAD = struct.Struct(">dII")
_SIZE = struct.Struct(">I")


def dead_of(note: bytes, fingerprint: int) -> DeadUrl:
    """What ``note`` says; of a record that could not be read its host stands for the URL, in brackets."""
    minus, attempts, size = _HEAD.unpack_from(note)
    at = _HEAD.size + size
    reason = note[_HEAD.size : at].decode("utf-8", "replace")
    (host_size,) = _SIZE.unpack_from(note, at)
    at += _SIZE.size
    host = note[at : at + host_size].decode("utf-8", "replace")
    score = from_micros(-int(minus))
    try:
        return DeadUrl(unpack(note[at + host_size :], host, fingerprint, score, attempts), reason)
    except (ValueError, IndexError):
        return DeadUrl(Entry(f"({host})", fingerprint, host, attempts=attempts), reason)
