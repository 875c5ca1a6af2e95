"""Links for a part of the crawl that is away, kept in another part until it is back: their page is acknowledged meanwhile (F1)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any

from topicspider.frontier.protocol import Entry, Work
from topicspider.frontier.redis.frontier import RedisFrontier

_KEY = "letters"
_FIELDS = (str, int, str, float, int, str, str, int, int)  # those of Entry


def leave(keeper: RedisFrontier, part: int, entries: Sequence[Entry]) -> None:
    """Have ``keeper`` keep ``entries`` for that part."""
    keeper.run("HSET", _KEY, f"{part}:{secrets.token_hex(8)}", _written(entries))


def deliver(keeper: RedisFrontier, part: int, to: RedisFrontier) -> int:
    """Give the part what ``keeper`` has for it; returns how many letters. Twice is as good as once."""
    mine = f"{part}:".encode()
    letters = [(name, text) for name, text in _letters(keeper) if name.startswith(mine)]
    for name, text in letters:
        to.apply(Work(entries=_read(text)))
        keeper.run("HDEL", _KEY, name.decode())
    return len(letters)


def count(keeper: RedisFrontier) -> int:
    """How many letters it keeps."""
    return int(keeper.run("HLEN", _KEY))


def forget(keeper: RedisFrontier) -> None:
    """Throw them away."""
    keeper.run("UNLINK", _KEY)


def _letters(keeper: RedisFrontier) -> list[tuple[bytes, bytes]]:
    told = keeper.run("HGETALL", _KEY)
    return list(told.items()) if isinstance(told, dict) else list(zip(told[::2], told[1::2], strict=True))


def _written(entries: Sequence[Entry]) -> str:
    rows = [
        (one.url, one.fingerprint, one.host, one.score, one.depth, one.referrer, one.payload, one.attempts, one.model)
        for one in entries
    ]
    return json.dumps(rows)  # ASCII: also what no database could store


def _read(text: bytes) -> list[Entry]:
    """What can be read of it: whoever can write to Redis may have written anything."""
    try:
        rows = json.loads(text)
    except ValueError:
        return []
    return [Entry(*row) for row in rows if _is_entry(row)] if isinstance(rows, list) else []


def _is_entry(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == len(_FIELDS)
        and all(type(value) is kind for value, kind in zip(row, _FIELDS, strict=True))
        and -(1 << 63) <= row[1] < 1 << 63
    )
