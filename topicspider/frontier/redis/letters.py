"""Links for a part of the crawl that is away, kept in another part until it is back: their page is acknowledged meanwhile (F1)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, Protocol

from topicspider.frontier.protocol import Entry, Work
from topicspider.frontier.redis.connection import Reply
from topicspider.frontier.redis.frontier import RedisFrontier

_KEY = "letters"
_FIELDS = (str, int, str, float, int, str, str, int, int)  # those of Entry
AT_ONCE = 100
"""Letters of one delivery, however many wait: leases have to be renewed meanwhile."""


class Keeper(Protocol):
    """A part, as who crawls or who looks has it."""

    def run(self, command: str, name: str, *arguments: str | int) -> Reply:
        """A plain command on one key of the crawl."""


def leave(keeper: Keeper, part: int, entries: Sequence[Entry]) -> None:
    """Have ``keeper`` keep ``entries`` for that part."""
    keeper.run("HSET", _KEY, f"{part}:{secrets.token_hex(8)}", _written(entries))


def deliver(keeper: Keeper, part: int, to: RedisFrontier) -> int:
    """Give the part some of what ``keeper`` has for it; returns how many letters, 0 when none is left. Twice is as good as once."""
    letters = list(islice(_letters(keeper, f"{part}:*"), AT_ONCE))
    for name, text in letters:
        to.apply(Work(entries=_read(text)))
        keeper.run("HDEL", _KEY, name.decode())
    return len(letters)


def waiting(keeper: Keeper) -> Iterator[Entry]:
    """The links in all letters that it keeps."""
    return chain.from_iterable(_read(text) for _, text in _letters(keeper, "*"))


def count(keeper: Keeper) -> int:
    """How many letters it keeps."""
    return int(keeper.run("HLEN", _KEY))


def forget(keeper: Keeper) -> None:
    """Throw them away."""
    keeper.run("UNLINK", _KEY)


def _letters(keeper: Keeper, names: str) -> Iterator[tuple[bytes, bytes]]:
    """Some at a time: after a long outage there may be very many."""
    cursor = 0
    while True:
        found, told = keeper.run("HSCAN", _KEY, cursor, "MATCH", names, "COUNT", AT_ONCE)
        yield from told.items() if isinstance(told, dict) else zip(told[::2], told[1::2], strict=True)
        cursor = int(found)
        if cursor == 0:
            return


def _written(entries: Sequence[Entry]) -> str:
    rows = [
        (
            one.url,
            one.fingerprint,
            one.host,
            float(one.score),
            one.depth,
            one.referrer,
            one.payload,
            one.attempts,
            one.model,
        )
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
