"""Whatever somebody else writes into any key of a crawl in Redis: each call works, or says in one line that the frontier cannot be used."""

from __future__ import annotations

import contextlib

import pytest
import redis

from tests.frontier.drive import add, entry, finish, take
from topicspider.errors import TopicSpiderError
from topicspider.frontier.protocol import Counts, End, Work

SLOW_JUNK = [b"", b"-7", b"1e400", b"nan", b"x" * 100_000]
JUNK = [b"\xff\x00junk", b"9" * 40, *(pytest.param(junk, marks=pytest.mark.slow) for junk in SLOW_JUNK)]


def begun(redis_crawls, name):
    """A crawl that has every kind of key."""
    frontier = redis_crawls.open(name, attempts=1)
    add(frontier, *(entry(number, number / 10, f"{number % 3}.example:80") for number in range(12)))
    first, second = take(frontier, hosts=2).leases
    finish(frontier, [first])
    finish(frontier, [second], End.FAILED, "timeout")
    take(frontier)
    frontier.set_meta("reason", "finished")
    frontier.sync(Work(), "node-1", -1, 0, 60.0, '{"name": "甲"}')
    look = redis_crawls.look(name)
    look.block(["0.example:80"])
    look.ask("node-1", "drain")
    return frontier


def rewritten(client, key, junk):
    """Every field or member of the key is junk now, one after the other; last the whole key is of another type."""
    kind, name = client.type(key), key
    if kind == b"hash":
        for field in client.hkeys(key):
            yield lambda field=field: client.hset(name, field, junk)
        yield lambda: client.hset(name, junk, junk)
    elif kind == b"zset":
        yield lambda: client.zadd(name, {junk: 1.0})
    elif kind == b"set":
        yield lambda: client.sadd(name, junk)
    for command in (("SET", junk), ("RPUSH", junk), ("SADD", junk), ("HSET", junk, junk), ("ZADD", "5", junk)):
        yield lambda command=command: (client.delete(name), client.execute_command(command[0], name, *command[1:]))


def everything(redis_crawls, name, frontier):
    """What nodes and commands ask of a crawl."""
    look = redis_crawls.look  # opens it, too
    yield lambda: frontier.sync(Work(), "node-1", 3, 1, 60.0, '{"name": "甲"}')
    yield lambda: finish(frontier, take(frontier, hosts=3).leases)
    yield lambda: add(frontier, entry(99, 0.5, "0.example:80"), entry(98, 0.5, "新.example:80"))
    yield lambda: (frontier.counts(), frontier.known([1, 2]), frontier.peek(), frontier.meta("reason"))
    yield lambda: (list(look(name).hosts()), look(name).top(5), look(name).bottom(5), look(name).leases())
    yield lambda: (look(name).dead(), look(name).nodes(), list(look(name).records()))
    yield lambda: (
        look(name).block(["1.example:80"]),
        look(name).unblock(["0.example:80"]),
        look(name).set_delay("1.example:80", 3.0),
    )
    yield lambda: look(name).revive([1, 2])
    yield lambda: redis_crawls.open(name, server_policy="bfs").close()


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
def test_junk_in_any_key_ends_in_an_answer_or_in_one_line(redis_url, redis_crawls, junk):
    frontier = begun(redis_crawls, "")
    with redis.Redis.from_url(redis_url) as client:
        before = {key: client.dump(key) for key in redis_crawls.all_keys()}
        for key in before:
            for spoil in list(rewritten(client, key, junk)):
                spoil()
                for call in everything(redis_crawls, "", frontier):
                    with contextlib.suppress(TopicSpiderError):
                        call()
                client.delete(*redis_crawls.all_keys())
                for name, content in before.items():
                    client.restore(name, 0, content)
    assert isinstance(frontier.counts(), Counts)
