"""The model store in the store's database: SQLite for one node, MySQL for several."""

from __future__ import annotations

import base64
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import BadRow
from topicspider.steering.model_store import EXAMPLES_KEPT, MODELS_KEPT, PublishedModel, SharedExample
from topicspider.store import location
from topicspider.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.store.database import Database

_NEWEST = "SELECT number, state FROM models WHERE crawl = ? AND number > ? ORDER BY number DESC LIMIT 1"
_HOLDER = "SELECT token FROM model_leases WHERE crawl = ? AND node = ? AND ends_at > ?"
_AFTER = "SELECT id, node, example FROM model_examples WHERE crawl = ? AND id > ? ORDER BY id LIMIT ?"
_BOUND = "SELECT id FROM model_examples WHERE crawl = ? ORDER BY id DESC LIMIT 1 OFFSET ?"
_ANY_LEASE = "SELECT 1 FROM model_leases WHERE crawl = ?"
_FIRST_LEASE = "INSERT INTO model_leases (crawl, node, token, ends_at) VALUES (?, ?, 0, 0)"
_LONGER = "UPDATE model_leases SET ends_at = ? WHERE crawl = ? AND node = ? AND ends_at > ?"
_TAKEN = "UPDATE model_leases SET node = ?, token = token + 1, ends_at = ? WHERE crawl = ? AND ends_at <= ?"
# a number is unique: of two nodes that take the same one, only that with the newest token can be the first
_PUBLISH = """INSERT INTO models (crawl, number, node, state)
    SELECT ?, ?, ?, ? FROM model_leases WHERE crawl = ? AND node = ? AND token = ?"""
_PUBLISHED = "SELECT 1 FROM models WHERE crawl = ? AND number = ? AND node = ?"
_FORGET = "DELETE FROM models WHERE crawl = ? AND number <= ?"
_POST = "INSERT INTO model_examples (crawl, node, example) VALUES (?, ?, ?)"
_TRIM = "DELETE FROM model_examples WHERE crawl = ? AND id <= ?"
_TRIM_EVERY = 500  # examples
_LONGEST = 250  # characters of a crawl's name: a column for names has 255


class SqlModelStore:
    """See ModelStore. Leases end by this machine's clock; a clock that is off makes two nodes fit for a while, but only one publish.

    ``crawl`` is the crawl's name. What is published is compressed: a statement must stay below MySQL's max_allowed_packet.
    """

    def __init__(
        self, database: Database, crawl: str, *, is_shared: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self.is_shared = is_shared
        self._database = database
        self._crawl = crawl[:_LONGEST]
        self._clock = clock
        self._submitted = 0

    def latest(self, after: int = 0) -> PublishedModel | None:
        """The newest model, when its number is above ``after``."""
        rows = self._database.read(_NEWEST, (self._crawl, after))
        return PublishedModel(int(rows[0][0]), _unpacked(rows[0][1])) if rows else None

    def lease(self, node: str, seconds: float) -> int | None:
        """The token for fitting and publishing, or None while another node has it."""
        now = self._clock()
        if not self._database.read(_ANY_LEASE, (self._crawl,)):
            self._write_unless_there(_FIRST_LEASE, (self._crawl, ""))
        longer = (self._sql(_LONGER), [(now + seconds, self._crawl, node, now)])
        taken = (self._sql(_TAKEN), [(node, now + seconds, self._crawl, now)])
        self._database.write([longer, taken])
        rows = self._database.read(_HOLDER, (self._crawl, node, now))
        return int(rows[0][0]) if rows else None

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        """The number of the new model; None when the token is stale."""
        text = base64.b64encode(zlib.compress(state)).decode()
        rows = self._database.read("SELECT MAX(number) FROM models WHERE crawl = ?", (self._crawl,))
        number = int(rows[0][0] or 0) + 1
        self._write_unless_there(_PUBLISH, (self._crawl, number, node, text, self._crawl, node, token))
        if not self._database.read(_PUBLISHED, (self._crawl, number, node)):
            return None
        self._database.write([(self._sql(_FORGET), [(self._crawl, number - MODELS_KEPT)])])
        return number

    def submit_examples(self, node: str, examples: Sequence[str]) -> None:
        """Hand examples to whoever fits."""
        if not examples:
            return
        self._database.write([(self._sql(_POST), [(self._crawl, node, example) for example in examples])])
        self._submitted += len(examples)
        if self._submitted >= _TRIM_EVERY:
            self._submitted = 0
            self._trim()

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        """Those after the cursor, oldest first; all that are kept when it is ""."""
        rows = self._database.read(_AFTER, (self._crawl, int(after or 0), limit))
        return [SharedExample(str(cursor), node, text) for cursor, node, text in rows]

    def close(self) -> None:
        """Give the connection back."""
        self._database.close()

    def _trim(self) -> None:
        rows = self._database.read(_BOUND, (self._crawl, EXAMPLES_KEPT))
        if rows:
            self._database.write([(self._sql(_TRIM), [(self._crawl, rows[0][0])])])

    def _write_unless_there(self, sql: str, row: tuple[object, ...]) -> None:
        """Insert a row whose key another node may be inserting in this moment."""
        with suppress(BadRow):
            self._database.write([(self._sql(sql), [row])])

    def _sql(self, text: str) -> str:
        return text.replace("?", self._database.dialect.marker)


def _unpacked(text: str) -> bytes:
    """The state; nothing when the row was damaged."""
    try:
        return zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error):
        return b""


def open_sql_model_store(place: location.Place, crawl: str) -> SqlModelStore:
    """The models beside the pages of the store at ``place``; raises StoreUnavailable."""
    if isinstance(place, location.SqlitePlace):
        return SqlModelStore(SqliteDatabase(place.path or Path(":memory:")), crawl)
    from topicspider.store.mysql import MysqlDatabase

    return SqlModelStore(MysqlDatabase(place), crawl, is_shared=True)
