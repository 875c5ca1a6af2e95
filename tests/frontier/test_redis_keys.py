"""What a crawl leaves in Redis: packed, and harmless when somebody else wrote it."""

from __future__ import annotations

import pickle

import pytest
import redis

from tests.frontier.drive import add, entry, finish, take
from topicspider.errors import FrontierUnavailable
from topicspider.frontier.protocol import Counts

A = "甲.example:80"


@pytest.fixture
def client(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def frontier(redis_crawls):
    return redis_crawls.open()


def keys_of(redis_crawls, kind):
    return [key for key in redis_crawls.all_keys() if key.rpartition(b":")[2].startswith(kind)]


def queue_of(redis_crawls):
    (key,) = keys_of(redis_crawls, b"q")
    return key


def test_the_seen_set_is_packed(redis_crawls, frontier, client):
    """An unsigned fingerprint would unpack them."""
    for start in range(0, 40_000, 2_000):
        numbers = range(start, start + 2_000)
        add(frontier, *(entry(n * 7919 * 10**12 % 2**63, n / 1e5, A) for n in numbers))
    assert {client.object("encoding", key) for key in keys_of(redis_crawls, b"s")[:3_000]} == {b"intset"}


def spoil_the_best(redis_crawls, client, content):
    """Its record is another's from now on."""
    url_key = client.zrange(queue_of(redis_crawls), 0, 0)[0]
    (bucket,) = [key for key in keys_of(redis_crawls, b"u") if client.hexists(key, url_key)]
    client.hset(bucket, url_key, client.hget(bucket, url_key)[:6] + content)


class TestPlanted:
    """Who can write to Redis can spoil a crawl, but never run code, and never stop the others' URLs."""

    def test_a_pickle_as_a_record_is_done_and_never_loaded(self, redis_crawls, frontier, client, monkeypatch):
        monkeypatch.setattr(pickle, "loads", lambda *_: pytest.fail("loaded"))
        add(frontier, entry(1, 0.9, A), entry(2, 0.8, A))
        bomb = pickle.dumps({"url": "http://a.example/", "callback": "os.system"})
        spoil_the_best(redis_crawls, client, bomb)
        (lease,) = take(frontier, urls_per_host=2).leases
        assert [one.fingerprint for one in lease.entries] == [2]
        assert frontier.counts() == Counts(leased=1, done=1, hosts=1)
        assert frontier.known([1]) == {1}

    @pytest.mark.parametrize("record", [b"", b"abc", b"\xff" * 7, b"\x00" * 64, pickle.dumps("x" * 90)])
    def test_a_record_that_is_none_is_dropped(self, redis_crawls, frontier, client, record):
        add(frontier, entry(1, 0.5, A), entry(2, 0.1, A))
        url_key = client.zrange(queue_of(redis_crawls), 0, 0)[0]
        (bucket,) = [key for key in keys_of(redis_crawls, b"u") if client.hexists(key, url_key)]
        client.hset(bucket, url_key, record)
        assert [one.fingerprint for one in frontier.peek()] == [2]
        found = [one.fingerprint for _ in range(2) for lease in take(frontier).leases for one in lease.entries]
        assert found == [2]
        assert frontier.counts().dead == 1

    def test_another_layout_is_refused_with_both_versions(self, redis_crawls, frontier, client):
        (totals,) = keys_of(redis_crawls, b"t")
        client.hset(totals, "layout", 7)
        with pytest.raises(FrontierUnavailable, match="layout 7, this version knows layout 3"):
            redis_crawls.open()

    def test_keys_that_somebody_deleted_stop_nothing(self, redis_crawls, frontier, client):
        add(frontier, *(entry(n, n / 10, f"{n}.example") for n in range(6)))
        client.hdel(keys_of(redis_crawls, b"hosts")[0], "1", "2")
        client.delete(keys_of(redis_crawls, b"q5")[0])
        client.delete(*keys_of(redis_crawls, b"leases"), b"nothing")
        found = [one.fingerprint for lease in take(frontier, hosts=9).leases for one in lease.entries]
        assert found == [5, 3, 2]
        frontier.peek()
        finish(frontier, [])

    def test_a_flushed_database_is_an_empty_crawl_not_an_error(self, redis_crawls, frontier):
        add(frontier, *(entry(n) for n in range(6)))
        (lease,) = take(frontier).leases
        frontier._connection.forget_journal()
        redis_crawls.delete()
        finish(frontier, [lease])
        assert frontier.counts() == Counts()
        assert frontier.restarts == 1
        assert add(frontier, entry(1)) == 1
