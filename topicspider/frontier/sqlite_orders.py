"""The table of orders in a SqliteFrontier's file: how other processes reach the one that owns it."""

from __future__ import annotations

import sqlite3

from topicspider.frontier.orders import Order

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
