"""Where the models of one crawl are kept: beside its pages, or in Redis, where its nodes share them."""

from __future__ import annotations

import base64
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import BadRow, ConfigError
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.sqlite import SqliteDatabase
from topicspider.url import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.frontier.redis.server import RedisServer
    from topicspider.store.database import Database


EXAMPLES_KEPT = 10_000
REDIS = ("redis:", "rediss:", "unix:")
FORMS = "empty (beside the pages, in the store), or redis://USER:PASSWORD@HOST:PORT/DATABASE"


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


def open_model_store(url: str, store: str, default_path: Path, crawl: str) -> LocalModelStore | RedisModelStore:
    """That in the Redis at ``url``, else in the store at ``store``, else (both empty) in the SQLite file ``default_path``.

    Its calls block, and what they did is durable when they return. They raise UnavailableError for a database that does not answer;
    this one does, too, but for Redis, and ConfigError for a bad ``url``.
    """
    if url:
        return RedisModelStore(_server(url), crawl)
    place = location.parse(store, default_path)
    if isinstance(place, location.SqlitePlace):
        return LocalModelStore(SqliteDatabase(place.path or Path(":memory:")), crawl)
    from topicspider.store.mysql import MysqlDatabase

    return LocalModelStore(MysqlDatabase(place), crawl)


def check_model_store(url: str) -> None:
    """Raise ConfigError when ``open_model_store`` would; asks nothing."""
    if url:
        _server(url).close()


def _server(url: str) -> RedisServer:
    if not url.startswith(REDIS):
        raise ConfigError(setting_name("model"), masked(url), FORMS)
    from topicspider.frontier.redis.server import RedisServer

    return RedisServer(url, setting_name("model"))


_NEWEST = "SELECT number, state FROM models WHERE crawl = ? ORDER BY number DESC LIMIT 1"
_PUBLISH_ROW = "INSERT INTO models (crawl, number, node, state) VALUES (?, ?, ?, ?)"
_FORGET = "DELETE FROM models WHERE crawl = ? AND number < ?"


class LocalModelStore:
    """The newest model of one crawl, in the database of its pages; of several processes the last to publish stays.

    It is compressed: a statement must stay below MySQL's max_allowed_packet.
    """

    def __init__(self, database: Database, crawl: str) -> None:
        self._database = database
        # a column for names has 255 characters
        self._crawl = crawl[:250]

    def latest(self) -> PublishedModel | None:
        rows = self._database.read(_NEWEST, (self._crawl,))
        return PublishedModel(int(rows[0][0]), _unpacked(rows[0][1])) if rows else None

    def publish(self, node: str, state: bytes) -> int:
        """Its number."""
        rows = self._database.read("SELECT MAX(number) FROM models WHERE crawl = ?", (self._crawl,))
        number = int(rows[0][0] or 0) + 1
        text = base64.b64encode(zlib.compress(state)).decode()
        with suppress(BadRow):  # another process publishes in this moment
            row = (self._crawl, number, node, text)
            self._database.write([(_PUBLISH_ROW, [row]), (_FORGET, [(self._crawl, number)])])
        return number

    def close(self) -> None:
        self._database.close()


def _unpacked(text: str) -> bytes:
    """The state; nothing when the row was damaged."""
    try:
        return zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error):
        return b""


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
    """The model of one crawl, for all its nodes, under keys that begin with topicspider:model:{CRAWL}.

    1. One node holds the lease at a time; asking again makes it longer, with the same token. When it has ended, whoever asks
       first has it, with a larger token.
    2. Only with the newest token is anything published (a node that was away for long publishes nothing); numbers rise by one.
       A lease that has ended is still good for it as long as nobody else has taken it.
    3. Examples come back in the order in which they were submitted; the newest EXAMPLES_KEPT, or a few more, are there.
    """

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
        """The token for fitting and publishing, or None while another node has it."""
        token = self._server.script(_LEASE, [self._holder, self._token], [node, max(1, int(seconds * 1000))])
        return None if token is None else int(token)

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        """The number of the new model; None when the token is stale."""
        number = self._server.script(_PUBLISH, [self._token, self._model], [str(token), node, zlib.compress(state)])
        return None if number is None else int(number)

    def submit_examples(self, node: str, examples: Sequence[str]) -> None:
        add = ("XADD", self._stream, "MAXLEN", "~", EXAMPLES_KEPT, "*", "node", node, "example")
        if examples:
            self._server.together([(*add, example) for example in examples])

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        """Those after the cursor, oldest first; all that are kept when it is ""."""
        first = f"({after}" if after else "-"
        return [_example(*entry) for entry in self._server.run("XRANGE", self._stream, first, "+", "COUNT", limit)]

    def close(self) -> None:
        self._server.close()


def _example(cursor: bytes, fields: dict[bytes, bytes] | list[bytes]) -> SharedExample:
    found = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    return SharedExample(cursor.decode(), found[b"node"].decode(), found[b"example"].decode("utf-8", "replace"))
