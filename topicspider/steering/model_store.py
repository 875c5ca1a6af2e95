"""Where the models of one crawl are kept and shared, in the store's database or in Redis: what each call promises, and which is opened."""

from __future__ import annotations

import base64
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import BadRow, ConfigError
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.sqlite import SqliteDatabase
from topicspider.url import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.frontier.redis.server import RedisServer
    from topicspider.store.database import Database


EXAMPLES_KEPT = 10_000
MODELS_KEPT = 3


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model: ``number`` rises by one with each that is published, ``state`` is what learners gave."""

    number: int
    state: bytes


@dataclass(frozen=True, slots=True)
class SharedExample:
    """What one node saw come of a page or link, as JSON; ``cursor`` is its place, to be given to the next call."""

    cursor: str
    node: str
    text: str


class ModelStore(Protocol):
    """The models of one crawl, for all its nodes. Calls block: use them from a worker thread.

    1. One node holds the lease at a time; asking again makes it longer, with the same token. When it has ended, whoever asks
       first has it, with a larger token.
    2. Only with the newest token is anything published (a node that was away for long publishes nothing); numbers rise by one.
    3. Examples come back in the order in which they were submitted; the newest EXAMPLES_KEPT, or a few more, are there.
    4. When a call returns, what it did is durable; a store that cannot be reached raises UnavailableError, a bad address
       ConfigError.
    """

    is_shared: bool
    """Whether other nodes may use it too."""

    def latest(self, after: int = 0) -> PublishedModel | None:
        """The newest model, when its number is above ``after``."""

    def lease(self, node: str, seconds: float) -> int | None:
        """The token for fitting and publishing, or None while another node has it."""

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        """The number of the new model; None when the token is stale."""

    def submit_examples(self, node: str, examples: Sequence[str]) -> None:
        """Hand examples to whoever fits."""

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        """Those after the cursor, oldest first; all that are kept when it is ""."""

    def close(self) -> None:
        """Give the connection back."""


REDIS = ("redis:", "rediss:", "unix:")
FORMS = (
    "empty (beside the pages, in the store), redis://USER:PASSWORD@HOST:PORT/DATABASE, or what TOPICSPIDER_STORE may be"
)


def open_model_store(url: str, store: str, default_path: Path, crawl: str) -> ModelStore:
    """The board at ``url``, else in the store at ``store``, else (both empty) in the SQLite file ``default_path``.

    Raises ConfigError for a bad ``url``, UnavailableError for a database that does not answer; Redis is not asked yet.
    """
    if url.strip().startswith(REDIS):
        from topicspider.frontier.redis.server import RedisServer

        return RedisModelStore(RedisServer(url.strip(), setting_name("model")), crawl)
    place = _location(url, store, default_path)
    if isinstance(place, location.SqlitePlace):
        return SqlModelStore(SqliteDatabase(place.path or Path(":memory:")), crawl)
    from topicspider.store.mysql import MysqlDatabase

    return SqlModelStore(MysqlDatabase(place), crawl, is_shared=True)


def check_model_store(url: str, store: str, folder: Path) -> None:
    """Raise ConfigError when ``open_model_store`` would; opens and asks nothing."""
    if url.strip().startswith(REDIS):
        from topicspider.frontier.redis.server import RedisServer

        RedisServer(url.strip(), setting_name("model")).close()
    else:
        _location(url, store, folder)


def _location(url: str, store: str, default_path: Path) -> location.Place:
    """Where a store that is not in Redis lies; raises ConfigError."""
    try:
        return location.parse(url or store, default_path)
    except ConfigError:
        if url:
            raise ConfigError(setting_name("model"), masked(url), FORMS) from None
        raise


# who fits: "token:node", which goes when the lease has ended; tokens are counted in a key that stays
_LEASE = """
local holder = redis.call('GET', KEYS[1])
if holder then
    local token, node = string.match(holder, '^(%d+):(.*)$')
    if node ~= ARGV[1] then return false end
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return token
end
local token = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], token .. ':' .. ARGV[1], 'PX', ARGV[2])
return tostring(token)
"""
_PUBLISH = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local number = redis.call('HINCRBY', KEYS[2], 'number', 1)
redis.call('HSET', KEYS[2], 'node', ARGV[2], 'state', ARGV[3])
return tostring(number)
"""
_PREFIX = "topicspider:model"


class RedisModelStore:
    """See ModelStore. The keys of a crawl begin with topicspider:model:{CRAWL}; the newest model alone is kept.

    A lease that has ended is still good for publishing as long as nobody else has taken it: its token is the newest.
    """

    is_shared = True

    def __init__(self, server: RedisServer, crawl: str) -> None:
        self._server = server
        base = f"{_PREFIX}:{{{crawl}}}"  # braces: in a cluster the keys of one crawl lie together
        self._holder, self._token, self._model = f"{base}:holder", f"{base}:token", f"{base}:newest"
        self._stream = f"{base}:examples"

    def latest(self, after: int = 0) -> PublishedModel | None:
        number = int(self._server.run("HGET", self._model, "number") or 0)
        if number <= after:
            return None
        number, state = self._server.run("HMGET", self._model, "number", "state")
        return PublishedModel(int(number), zlib.decompress(state))

    def lease(self, node: str, seconds: float) -> int | None:
        token = self._server.script(_LEASE, [self._holder, self._token], [node, max(1, int(seconds * 1000))])
        return None if token is None else int(token)

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        number = self._server.script(_PUBLISH, [self._token, self._model], [str(token), node, zlib.compress(state)])
        return None if number is None else int(number)

    def submit_examples(self, node: str, examples: Sequence[str]) -> None:
        add = ("XADD", self._stream, "MAXLEN", "~", EXAMPLES_KEPT, "*", "node", node, "example")
        if examples:
            self._server.together([(*add, example) for example in examples])

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        first = f"({after}" if after else "-"
        return [_example(*entry) for entry in self._server.run("XRANGE", self._stream, first, "+", "COUNT", limit)]

    def close(self) -> None:
        self._server.close()


def _example(cursor: bytes, fields: dict[bytes, bytes] | list[bytes]) -> SharedExample:
    found = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    return SharedExample(cursor.decode(), found[b"node"].decode(), found[b"example"].decode("utf-8", "replace"))


_NEWEST = "SELECT number, state FROM models WHERE crawl = ? AND number > ? ORDER BY number DESC LIMIT 1"
_HOLDER = "SELECT token FROM model_leases WHERE crawl = ? AND node = ? AND ends_at > ?"
_AFTER = "SELECT id, node, example FROM model_examples WHERE crawl = ? AND id > ? ORDER BY id LIMIT ?"
_BOUND = "SELECT id FROM model_examples WHERE crawl = ? ORDER BY id DESC LIMIT 1 OFFSET ?"
_ANY_LEASE = "SELECT 1 FROM model_leases WHERE crawl = ?"
_FIRST_LEASE = "INSERT INTO model_leases (crawl, node, token, ends_at) VALUES (?, ?, 0, 0)"
_LONGER = "UPDATE model_leases SET ends_at = ? WHERE crawl = ? AND node = ? AND ends_at > ?"
_TAKEN = "UPDATE model_leases SET node = ?, token = token + 1, ends_at = ? WHERE crawl = ? AND ends_at <= ?"
# a number is unique: of two nodes that take the same one, only that with the newest token can be the first
_PUBLISH_ROW = """INSERT INTO models (crawl, number, node, state)
    SELECT ?, ?, ?, ? FROM model_leases WHERE crawl = ? AND node = ? AND token = ?"""
_PUBLISHED = "SELECT 1 FROM models WHERE crawl = ? AND number = ? AND node = ?"
_FORGET = "DELETE FROM models WHERE crawl = ? AND number <= ?"
_POST = "INSERT INTO model_examples (crawl, node, example) VALUES (?, ?, ?)"
_TRIM = "DELETE FROM model_examples WHERE crawl = ? AND id <= ?"


class SqlModelStore:
    """See ModelStore. Leases end by this machine's clock; a clock that is off makes two nodes fit for a while, but only one publish.

    ``crawl`` is the crawl's name. What is published is compressed: a statement must stay below MySQL's max_allowed_packet.
    """

    def __init__(
        self, database: Database, crawl: str, *, is_shared: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self.is_shared = is_shared
        self._database = database
        # a column for names has 255 characters
        self._crawl = crawl[:250]
        self._clock = clock
        self._submitted = 0

    def latest(self, after: int = 0) -> PublishedModel | None:
        rows = self._database.read(_NEWEST, (self._crawl, after))
        return PublishedModel(int(rows[0][0]), _unpacked(rows[0][1])) if rows else None

    def lease(self, node: str, seconds: float) -> int | None:
        now = self._clock()
        if not self._database.read(_ANY_LEASE, (self._crawl,)):
            self._write_unless_there(_FIRST_LEASE, (self._crawl, ""))
        longer = (_LONGER, [(now + seconds, self._crawl, node, now)])
        taken = (_TAKEN, [(node, now + seconds, self._crawl, now)])
        self._database.write([longer, taken])
        rows = self._database.read(_HOLDER, (self._crawl, node, now))
        return int(rows[0][0]) if rows else None

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        text = base64.b64encode(zlib.compress(state)).decode()
        rows = self._database.read("SELECT MAX(number) FROM models WHERE crawl = ?", (self._crawl,))
        number = int(rows[0][0] or 0) + 1
        self._write_unless_there(_PUBLISH_ROW, (self._crawl, number, node, text, self._crawl, node, token))
        if not self._database.read(_PUBLISHED, (self._crawl, number, node)):
            return None
        self._database.write([(_FORGET, [(self._crawl, number - MODELS_KEPT)])])
        return number

    def submit_examples(self, node: str, examples: Sequence[str]) -> None:
        if not examples:
            return
        self._database.write([(_POST, [(self._crawl, node, example) for example in examples])])
        self._submitted += len(examples)
        if self._submitted >= 500:
            self._submitted = 0
            if rows := self._database.read(_BOUND, (self._crawl, EXAMPLES_KEPT)):
                self._database.write([(_TRIM, [(self._crawl, rows[0][0])])])

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        rows = self._database.read(_AFTER, (self._crawl, int(after or 0), limit))
        return [SharedExample(str(cursor), node, text) for cursor, node, text in rows]

    def close(self) -> None:
        self._database.close()

    def _write_unless_there(self, sql: str, row: tuple[object, ...]) -> None:
        """Insert a row whose key another node may be inserting in this moment."""
        with suppress(BadRow):
            self._database.write([(sql, [row])])


def _unpacked(text: str) -> bytes:
    """The state; nothing when the row was damaged."""
    try:
        return zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error):
        return b""
