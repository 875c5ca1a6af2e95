"""Stores the models of one crawl: in the database of its pages, or in Redis, where its nodes share them."""

from __future__ import annotations

import base64
import logging
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from topicspider.errors import BadRow, ConfigError, UnavailableError
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.database import Database
from topicspider.store.sqlite import SqliteDatabase
from topicspider.url import masked

if TYPE_CHECKING:
    from topicspider.frontier.redis.server import RedisServer


logger = logging.getLogger(__name__)

EXAMPLES_KEPT = 10_000
LARGEST_STATE = 64 << 20  # bytes; those of the largest topics have some 2 MB
_T = TypeVar("_T")
REDIS = ("redis:", "rediss:", "unix:")
FORMS = "empty (beside the pages, in the store), or redis://USER:PASSWORD@HOST:PORT/DATABASE"


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A published model: ``number`` is one more than that of the model before, ``state`` is what ``model_sync.pack`` gave."""

    number: int
    state: bytes


@dataclass(frozen=True, slots=True)
class SharedExample:
    """An example of one node for the learners of others, as JSON; ``cursor``: its place among all, for the next call of ``examples``."""

    cursor: str
    node: str
    text: str


def open_model_store(url: str, store: str, default_path: Path, crawl: str) -> LocalModelStore | RedisModelStore:
    """The model store in the Redis at ``url``, else in the database at ``store``, else (both empty) in the SQLite file ``default_path``.

    Its calls block, and what they did is durable when they return. They raise UnavailableError when the database does not answer;
    so does this function, except for Redis. ConfigError for a bad ``url``.
    """
    if url:
        return RedisModelStore(_server(url), crawl)
    place = location.parse(store, default_path)
    if isinstance(place, location.SqlitePlace):
        return LocalModelStore(SqliteDatabase(place.path or Path(":memory:")), crawl)
    from topicspider.store.mysql import MysqlDatabase

    return LocalModelStore(MysqlDatabase(place, location.HANGING_SECONDS), crawl)


def check_model_store(url: str) -> None:
    """Raise ConfigError when ``open_model_store`` would; connects to nothing."""
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
    """The newest model of one crawl, in the database of its pages; when several processes publish, the last model stays.

    Models are compressed, because a statement must stay below MySQL's max_allowed_packet.
    """

    def __init__(self, database: Database, crawl: str) -> None:
        self._database = database
        # columns for names have 255 characters
        self._crawl = crawl[:250]

    def latest(self) -> PublishedModel | None:
        rows = self._database.read(_NEWEST, (self._crawl,))
        return PublishedModel(int(rows[0][0]), _unpacked(rows[0][1])) if rows else None

    def publish(self, node: str, state: bytes) -> int:
        """Store ``state`` as the newest model; returns its number."""
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
    try:
        return _inflated(base64.b64decode(text))
    except ValueError:
        return b""


def _inflated(packed: bytes) -> bytes:
    """The state; b"" when it is damaged, or larger than LARGEST_STATE."""
    try:
        work = zlib.decompressobj()
        state = work.decompress(packed, LARGEST_STATE)
    except zlib.error:
        return b""
    return state if work.eof else b""


def _number(text: bytes | None) -> int:
    """The number of a model; 0 when ``text`` is not one."""
    return int(text) if text and text.isdigit() and len(text) <= 15 else 0  # Redis scripts count no further


# KEYS[1] is the lease, "token:node", and expires; KEYS[2] is the latest token, and stays
_LEASE = """
-- Somebody else's words in these keys are no lease, and no number.
local holder, last = redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or ''
local held, node = string.match(holder, '^(%d+):(.*)$')
if node and #held <= 15 and redis.call('PTTL', KEYS[1]) > 0 then
    if node ~= ARGV[1] then return false end
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return held
end
local token = (#last <= 15 and string.match(last, '^%d+$') or 0) + 1
token = string.format('%d', token)
redis.call('SET', KEYS[2], token)
redis.call('SET', KEYS[1], token .. ':' .. ARGV[1], 'PX', ARGV[2])
return token
"""
_PUBLISH = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local last = redis.call('HGET', KEYS[2], 'number') or ''
local number = string.format('%d', (#last <= 15 and string.match(last, '^%d+$') or 0) + 1)
redis.call('HSET', KEYS[2], 'number', number, 'node', ARGV[2], 'state', ARGV[3])
return number
"""
_PREFIX = "topicspider:model"


class RedisModelStore:
    """The model of one crawl, for all its nodes, under keys that begin with topicspider:model:{CRAWL}.

    1. One node holds the lease at a time; asking again extends it, with the same token. When it has expired, the first node that
       asks gets it, with a larger token.
    2. Only the holder of the newest token can publish, so a node that was away for long cannot; model numbers rise by one. After
       its lease has expired, a node can still publish as long as no other has taken the lease.
    3. Examples come back in the order in which they were submitted; the newest EXAMPLES_KEPT, or a few more, are kept.
    4. Foreign values in these keys are taken for no model, lease or example; a key of another type is renamed, with a warning.
    """

    def __init__(self, server: RedisServer, crawl: str) -> None:
        self._server = server
        base = f"{_PREFIX}:{{{crawl}}}"  # braces: in a cluster the keys of one crawl lie together
        self._holder, self._token, self._model = f"{base}:holder", f"{base}:token", f"{base}:newest"
        self._stream = f"{base}:examples"
        self._types = {self._holder: b"string", self._token: b"string", self._model: b"hash", self._stream: b"stream"}

    def latest(self, after: int = 0) -> PublishedModel | None:
        return self._with_right_types(lambda: self._latest(after))

    def _latest(self, after: int) -> PublishedModel | None:
        number = _number(self._server.run("HGET", self._model, "number"))
        if number <= after:
            return None
        if self._server.run("HSTRLEN", self._model, "state") > LARGEST_STATE:
            return PublishedModel(number, b"")
        newest, state = self._server.run("HMGET", self._model, "number", "state")
        return PublishedModel(_number(newest), _inflated(state or b""))

    def _with_right_types(self, call: Callable[[], _T]) -> _T:
        """The result of ``call()``. If a key has another type, such keys are renamed, and ``call`` is tried once more."""
        try:
            return call()
        except UnavailableError as error:
            if "WRONGTYPE" not in error.why:
                raise
        for key, kind in self._types.items():
            if self._server.run("TYPE", key) not in (kind, b"none"):
                self._server.run("RENAME", key, f"{key}:unreadable")
                logger.warning("%s in Redis is none of ours, and was put aside as %s:unreadable", key, key)
        return call()

    def lease(self, node: str, seconds: float) -> int | None:
        """The token for fitting and publishing, or None while another node has it."""
        keys, milliseconds = [self._holder, self._token], max(1, int(seconds * 1000))
        token = self._with_right_types(lambda: self._server.script(_LEASE, keys, [node, milliseconds]))
        return None if token is None else int(token)

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        """The number of the new model; None when the token is stale."""
        keys, packed = [self._token, self._model], zlib.compress(state)
        number = self._with_right_types(lambda: self._server.script(_PUBLISH, keys, [str(token), node, packed]))
        return None if number is None else int(number)

    def submit_examples(self, node: str, examples: Sequence[str]) -> None:
        add = ("XADD", self._stream, "MAXLEN", "~", EXAMPLES_KEPT, "*", "node", node, "example")
        if examples:
            self._with_right_types(lambda: self._server.together([(*add, example) for example in examples]))

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        """Up to ``limit`` examples after the cursor ``after``, oldest first; from the first that is kept when it is ""."""
        first = f"({after}" if after else "-"
        found = self._with_right_types(lambda: self._server.run("XRANGE", self._stream, first, "+", "COUNT", limit))
        return [_example(*entry) for entry in found]

    def close(self) -> None:
        self._server.close()


def _example(cursor: bytes, fields: dict[bytes, bytes] | list[bytes]) -> SharedExample:
    found = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    node, text = (found.get(name, b"").decode("utf-8", "replace") for name in (b"node", b"example"))
    return SharedExample(cursor.decode(), node, text)
