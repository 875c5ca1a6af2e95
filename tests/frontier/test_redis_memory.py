"""A Redis with little memory: the lowest scores leave the queue, counted, and a crawl of more than fits ends by itself."""

from __future__ import annotations

import random
from dataclasses import asdict

import pytest
import redis

from support.fixtures import served
from support.servers import make_redis_server
from tests.frontier.drive import add, ends, entry
from topicspider.errors import FrontierRefused
from topicspider.frontier.protocol import Counts, Work
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.server import RedisServer

HOSTS = [f"主机{n}.example:80" for n in range(40)]


@pytest.fixture(scope="module")
def server():
    """A server of these tests' own: others must not lack the memory."""
    with served(make_redis_server) as made:
        yield made


@pytest.fixture
def client(server):
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
        client.config_set("maxmemory-policy", "noeviction")
        yield client
        client.config_set("maxmemory", 0)


@pytest.fixture
def frontier(server, client):
    frontier = RedisFrontier(RedisServer(server.url, "TOPICSPIDER_FRONTIER", of_frontier=True), "满")
    yield frontier
    frontier.close()


def limit_to(client, megabytes):
    """So much more than what is used now."""
    client.config_set("maxmemory", client.info("memory")["used_memory"] + int(megabytes * 2**20))


def made(numbers, seed=1):
    rng = random.Random(seed)
    return [entry(n, rng.randrange(10**6) / 1e6, rng.choice(HOSTS)) for n in numbers]


def tell(frontier, entries, at_once=50):
    for start in range(0, len(entries), at_once):
        add(frontier, *entries[start : start + at_once])


def crawl(frontier):
    """Everything that is queued, each URL completed as a page; by fingerprint."""
    left = []
    while True:
        grant = frontier.acquire("节点", 40, 20, 60.0)
        if not grant.leases:
            assert grant.exhausted
            return left
        left += [one.fingerprint for lease in grant.leases for one in lease.entries]
        frontier.apply(Work([end for lease in grant.leases for end in ends(lease)]))


def test_a_crawl_of_more_than_fits_ends_by_itself_and_counts_what_it_gave_up(frontier, client):
    limit_to(client, 2.5)
    entries = made(range(14_000))
    tell(frontier, entries)
    counts = frontier.counts()
    assert counts.evicted > 1_000
    assert counts.queued + counts.evicted == len(entries)
    fetched = crawl(frontier)
    assert frontier.counts() == Counts(done=counts.queued, pages=counts.queued, hosts=40, evicted=counts.evicted)
    best = sorted(entries, key=lambda one: -one.score)[: counts.queued // 2]
    assert {one.fingerprint for one in best} <= set(fetched)
    assert client.info("memory")["used_memory"] < client.info("memory")["maxmemory"]


def test_exactly_the_lowest_go_but_none_that_is_leased(frontier, client):
    """Without a limit the memory is looked at with the first 500 new URLs, and 10,000 later: that is the last one here."""
    entries = made(range(3_000))
    tell(frontier, entries, 500)
    add(frontier, entry(9_000, -1.0, "独.example:80"))
    leased = frontier.acquire("节点", 41, 1, 60.0).leases
    tell(frontier, [entry(10_000 + n, 0.999_999, HOSTS[0]) for n in range(7_498)], 500)
    client.config_set("maxmemory", int(client.info("memory")["used_memory"] * 1.1))
    tell(frontier, [entry(20_000, 0.999_999, HOSTS[1])])
    counts = frontier.counts()
    kept = {one.fingerprint: one.score for one in frontier.peek(20_000)}
    gone = [one for one in entries if one.fingerprint not in kept and one.fingerprint not in taken(leased)]
    assert len(gone) == counts.evicted >= 200
    assert max(one.score for one in gone) <= min(kept.values())
    assert 9_000 in taken(leased)
    frontier.apply(Work([end for lease in leased for end in ends(lease)]))
    assert frontier.counts().done == 41


def taken(leases):
    return {one.fingerprint for lease in leases for one in lease.entries}


def test_what_was_given_up_is_queued_again_when_it_is_found_with_a_better_score(frontier, client):
    limit_to(client, 1.0)
    tell(frontier, made(range(9_000)))
    evicted = frontier.counts().evicted
    lost = sorted(set(range(9_000)) - frontier.known(range(9_000)))
    assert len(lost) == evicted > 0
    client.config_set("maxmemory", 0)
    assert add(frontier, entry(lost[0], 2.0, HOSTS[3])) == 1
    assert frontier.peek(1)[0].fingerprint == lost[0]


def test_without_a_limit_and_where_redis_itself_throws_out_nothing_is_given_up(frontier, client):
    tell(frontier, made(range(11_000)), 1_000)
    client.config_set("maxmemory-policy", "volatile-lru")
    limit_to(client, 0.2)
    tell(frontier, made(range(20_000, 20_200), 2))
    assert frontier.counts().evicted == 0


def test_lost_keys_make_no_counts_below_zero_and_lost_totals_beside_other_keys_are_an_error(redis_url, redis_crawls):
    frontier = redis_crawls.open()
    add(frontier, *(entry(number) for number in range(6)))
    (totals,) = [key for key in redis_crawls.all_keys() if key.endswith(b":totals")]
    with redis.Redis.from_url(redis_url) as client:
        client.hset(totals, mapping={"waiting": -3, "pages": -1})
        assert min(asdict(frontier.counts()).values()) >= 0
        client.delete(totals)
        for look in (redis_crawls.open, frontier.counts):
            with pytest.raises(FrontierRefused, match="its totals are gone, other keys are there: were they evicted"):
                look()


def test_keys_that_the_server_drops_are_counted_from_the_first_call_on_and_warned_of_once(frontier, client, caplog):
    tell(frontier, made(range(2_000)))
    assert frontier.evicted_keys() == 0
    client.config_set("maxmemory-policy", "allkeys-lru")
    limit_to(client, -0.05)
    client.set("another", 1)
    assert all(frontier.evicted_keys() > 0 for _ in range(3))
    assert caplog.text.count("its maxmemory-policy is allkeys-lru") == 1
