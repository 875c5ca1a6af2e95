"""The model store in Redis."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from topicspider.steering.model_store import EXAMPLES_KEPT, PublishedModel, SharedExample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.frontier.redis.server import RedisServer

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
        """The newest model, when its number is above ``after``."""
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
        """Hand examples to whoever fits."""
        add = ("XADD", self._stream, "MAXLEN", "~", EXAMPLES_KEPT, "*", "node", node, "example")
        if examples:
            self._server.together([(*add, example) for example in examples])

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        """Those after the cursor, oldest first; all that are kept when it is ""."""
        first = f"({after}" if after else "-"
        return [_example(*entry) for entry in self._server.run("XRANGE", self._stream, first, "+", "COUNT", limit)]

    def close(self) -> None:
        """Give the connection back."""
        self._server.close()


def _example(cursor: bytes, fields: dict[bytes, bytes] | list[bytes]) -> SharedExample:
    found = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    return SharedExample(cursor.decode(), found[b"node"].decode(), found[b"example"].decode("utf-8", "replace"))
