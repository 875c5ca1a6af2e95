"""One crawl on both masters of a real Redis Cluster."""

from __future__ import annotations

import time

import pytest
import redis

from tests.frontier.drive import add, drain, ends, entry, finish, take
from tests.frontier.masters import running_cluster
from topicspider.errors import ConfigError, FrontierUnavailable, UnavailableError
from topicspider.frontier.protocol import Counts, Work
from topicspider.frontier.redis.cluster import ClusterMaster
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.partitioned import PartitionedFrontier
from topicspider.frontier.redis.places import SLOTS, part_tags, places_of, slot_of
from topicspider.frontier.redis.spread import counts_of, open_crawl
from topicspider.frontier.redis_server import RedisServer

CRAWL = "旅游+历史"


@pytest.fixture(scope="module")
def cluster():
    with running_cluster() as masters:
        yield masters


@pytest.fixture
def url(cluster):
    """Any node of the cluster; nothing is left on its masters at the end."""
    yield f"{cluster[0].url}?partitions=2"
    for master in cluster:
        with redis.Redis.from_url(master.url) as client:
            client.flushall()


def links(count):
    return [entry(n, n / 1_000, f"{n % 40}.例子.example:80") for n in range(count)]


def keys_at(master):
    with redis.Redis.from_url(master.url) as client:
        return client.keys("*")


@pytest.mark.parametrize("node", [0, 1])
def test_each_master_has_its_half_whichever_node_is_named(cluster, url, node):
    frontier = open_crawl(f"{cluster[node].url}?partitions=2", CRAWL, max_pages=150)
    assert isinstance(frontier, PartitionedFrontier)
    assert add(frontier, *links(200)) == 200
    assert all(len(keys_at(master)) > 50 for master in cluster)
    finish(frontier, take(frontier, hosts=5).leases)
    order = drain(frontier, hosts=3, urls_per_host=2)
    assert len(order) == 145
    assert frontier.counts() == Counts(queued=50, done=150, pages=150, hosts=40)
    assert counts_of(url, CRAWL) == frontier.counts()
    frontier.clear()
    assert frontier.counts() == Counts()
    frontier.close()


def test_f6_no_program_reaches_over_two_slots(url):
    """A cluster refuses it, whatever it does: all keys of a part have its hash tag."""
    frontier = open_crawl(url, CRAWL)
    long = [entry(n, payload="长" * 3_000, host=f"{n}.example") for n in range(1_000, 1_010)]
    add(frontier, *links(100), *long)
    grant, _ = frontier.turn(Work(), "n", 20, 2, 60.0)
    done = [one for lease in grant.leases for one in ends(lease)]
    frontier.turn(Work(done, links(300), [(5, 0.9)], [(6, 0.1)]), "n", 20, 2, 60.0)
    frontier.renew("n", 60.0)
    frontier.peek(10)
    frontier.set_meta("a", "b")
    assert frontier.known([1, 2, 3, 10_000]) == {1, 2, 3}
    assert frontier.failures() == []
    frontier.close()


def test_a_whole_crawl_lies_on_the_master_that_has_its_slot(cluster):
    """partitions=1: the client follows the cluster's word."""
    for node in cluster:
        frontier = open_crawl(f"{node.url}?partitions=1", "一")
        add(frontier, *links(10))
        frontier.close()
    assert sorted(bool(keys_at(master)) for master in cluster) == [False, True]
    for master in cluster:
        with redis.Redis.from_url(master.url) as client:
            client.flushall()


def test_without_partitions_the_wrong_node_is_one_line(cluster):
    slot = slot_of(key_prefix("一"))
    wrong = cluster[0] if slot >= SLOTS // 2 else cluster[1]
    with pytest.raises(FrontierUnavailable) as error:
        open_crawl(wrong.url, "一")
    assert "\n" not in str(error.value)


def test_another_number_of_partitions_is_refused(url):
    frontier = open_crawl(url, CRAWL)
    add(frontier, *links(10))
    frontier.close()
    for changed in ("3", "1"):
        with pytest.raises(ConfigError, match="number of partitions"):
            open_crawl(url.replace("=2", f"={changed}"), CRAWL)
    open_crawl(url, CRAWL).close()


@pytest.mark.parametrize("said", ["0", "-1", "257", "zwei", ""])
def test_a_number_of_partitions_that_is_none_is_one_line(said):
    with pytest.raises(ConfigError, match="partitions=1 to 256"):
        places_of(f"redis://127.0.0.1:1/0?partitions={said}", CRAWL)


@pytest.mark.parametrize("crawl", ["a", CRAWL, "题" * 60, "{x}%"])
def test_slots_are_as_far_apart_as_can_be(crawl):
    for parts in (1, 2, 3, 16):
        prefixes = [key_prefix(crawl, tag) for tag in part_tags(crawl, parts)]
        slots = [slot_of(prefix) for prefix in prefixes]
        assert slots == [(slots[0] + part * SLOTS // parts) % SLOTS for part in range(parts)]
        assert len(set(prefixes)) == parts


def test_the_slot_is_the_clusters(cluster):
    with redis.Redis.from_url(cluster[0].url) as client:
        for crawl in ("a", CRAWL, "{x}"):
            key = f"{key_prefix(crawl, '~1.7')}totals"
            assert client.execute_command("CLUSTER KEYSLOT", key) == slot_of(key)


def test_a_part_that_moved_to_the_other_master_is_followed(cluster, url):
    frontier = open_crawl(url, CRAWL)
    add(frontier, *links(50))
    tag = part_tags(CRAWL, 2)[1]
    slot = slot_of(key_prefix(CRAWL, tag))
    clients = [redis.Redis.from_url(master.url) for master in cluster]
    names = [client.execute_command("CLUSTER MYID").decode() for client in clients]
    source = slot * 2 // SLOTS
    target = 1 - source
    clients[target].execute_command("CLUSTER SETSLOT", slot, "IMPORTING", names[source])
    clients[source].execute_command("CLUSTER SETSLOT", slot, "MIGRATING", names[target])
    keys = clients[source].execute_command("CLUSTER GETKEYSINSLOT", slot, 100_000)
    port = cluster[target].port
    clients[source].execute_command("MIGRATE", "127.0.0.1", port, "", 0, 20_000, "KEYS", *keys)
    for client in (clients[target], clients[source]):
        client.execute_command("CLUSTER SETSLOT", slot, "NODE", names[target])
    deadline, found = time.monotonic() + 20, []
    while len(found) < 50 and time.monotonic() < deadline:
        grant, _ = frontier.turn(Work(), "n", 8, 1, 1.0)
        found += [one for lease in grant.leases for one in lease.entries]
        finish(frontier, grant.leases)
        time.sleep(0.02)
    assert len(found) == 50
    assert frontier.restarts == 1, "another server: what it does not know is told again"
    frontier.close()
    for at in (0, 1):
        clients[at].flushall()
    for client in (clients[source], clients[target]):
        client.execute_command("CLUSTER SETSLOT", slot, "NODE", names[source])
        client.close()


@pytest.mark.parametrize("count", [1, 3, 40])
def test_the_search_for_a_master_takes_five_seconds_whatever_number_of_nodes_hang(monkeypatch, count):
    """Each is given its share of them; those that were not asked are asked first the next time."""
    now, asked = [0.0], []
    urls = [f"redis://127.0.0.1:{port}/0" for port in range(1, count + 1)]
    master = ClusterMaster(urls[0], "TOPICSPIDER_FRONTIER", 1)
    master._known = list(urls)

    def hang(server, _call):
        asked.append(server.label)
        now[0] += server._client.connection_pool.connection_kwargs["socket_timeout"]
        raise UnavailableError(server.label, "Timeout reading from socket")

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(RedisServer, "_plainly", hang)
    for search in range(1, 5):
        with pytest.raises(UnavailableError, match="Timeout"):
            master.run("PING")
        assert now[0] <= 5.0 * search
    assert {label.removeprefix("redis ") for label in asked} == {f"127.0.0.1:{port}" for port in range(1, count + 1)}
