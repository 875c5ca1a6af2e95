"""Commands to the process that owns a frontier's file, left in the file by others, and its answers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from topicspider.frontier.inspection import LeaseState

BLOCK, UNBLOCK, DELAY, RESCORE, REVIVE, LEASES = "block", "unblock", "delay", "rescore", "revive", "leases"


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do. ``hosts``: for block, unblock and delay; ``fingerprints``: for revive, None for all."""

    do: str
    hosts: tuple[str, ...] = ()
    seconds: float = 0.0
    scores: tuple[tuple[int, float], ...] = ()
    fingerprints: tuple[int, ...] | None = None

    def text(self) -> str:
        """As it is kept until it is done."""
        return json.dumps(
            {name: value for name, value in asdict(self).items() if value is not None}, ensure_ascii=False
        )

    @classmethod
    def read(cls, text: str) -> Order:
        """What ``text`` gave; raises ValueError, TypeError or KeyError for what it never gave."""
        told = json.loads(text)
        if not isinstance(told, dict):
            raise ValueError(text)
        marks = told.get("fingerprints")
        return cls(
            do=str(told["do"]),
            hosts=tuple(map(str, told.get("hosts", ()))),
            seconds=float(told.get("seconds", 0.0)),
            scores=tuple((int(mark), float(score)) for mark, score in told.get("scores", ())),
            fingerprints=None if marks is None else tuple(map(int, marks)),
        )


Answer = int | Sequence[LeaseState]
"""How many it was done to; for LEASES who holds what."""


def answer_text(answer: Answer) -> str:
    """The answer as it is kept until it is read."""
    return json.dumps(answer if isinstance(answer, int) else [asdict(one) for one in answer], ensure_ascii=False)


def read_answer(text: str) -> Answer:
    """What ``answer_text`` was given."""
    told = json.loads(text)
    return told if isinstance(told, int) else [LeaseState(**{**one, "urls": tuple(one["urls"])}) for one in told]


REFUSED = '"refused"'
"""The answer to what the owner does not understand."""


class OrderBook:
    """The owner's side. SQLite says in some microseconds whether another process has written since the last look."""

    def __init__(self) -> None:
        self._version = -1

    def new(self, database: sqlite3.Connection) -> list[tuple[int, Order]]:
        """Orders without an answer, in the order in which they were given."""
        version = database.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return []
        rows = database.execute("SELECT id, text FROM orders WHERE answer IS NULL ORDER BY id").fetchall()
        self._version = version
        return [(number, _read(text)) for number, text in rows]

    def answer(self, database: sqlite3.Connection, number: int, answer: str) -> None:
        """Note that it was done."""
        database.execute("UPDATE orders SET answer = ? WHERE id = ?", (answer, number))

    def forget_answers(self, database: sqlite3.Connection) -> None:
        """Take out answers that nobody came for."""
        database.execute("DELETE FROM orders WHERE answer IS NOT NULL")


def post(database: sqlite3.Connection, order: Order) -> int:
    """Give an order to whoever owns the file; returns its number."""
    return int(database.execute("INSERT INTO orders (text) VALUES (?)", (order.text(),)).lastrowid or 0)


def answer_to(database: sqlite3.Connection, number: int) -> str | None:
    """The answer, taken out of the book; None while there is none."""
    row = database.execute("SELECT answer FROM orders WHERE id = ?", (number,)).fetchone()
    if row is None or row[0] is None:
        return None
    withdraw(database, number)
    return str(row[0])


def withdraw(database: sqlite3.Connection, number: int) -> None:
    """Nobody waits for it any more."""
    database.execute("DELETE FROM orders WHERE id = ?", (number,))


def _read(text: str) -> Order:
    try:
        return Order.read(text)
    except (ValueError, TypeError, KeyError):
        return Order("")
