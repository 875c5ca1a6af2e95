"""Redis goes away and comes back: killed, cut, empty, full, hanging. Nothing is lost, nothing is asked twice at once."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from contextlib import closing

import pytest
import redis

from support.fixtures import served
from support.servers import make_redis_server
from tests.frontier.drive import add, drain, ends, entry, finish, take
from topicspider.errors import FrontierRefused, FrontierUnavailable
from topicspider.frontier.protocol import Counts, End, HostTiming, Work
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.server import RedisServer

A, B = "甲.example:80", "乙.example:80"
LEASE = 1.0  # seconds; time is the server's here


@pytest.fixture
def server():
    """A server of this test's own."""
    with served(make_redis_server) as made:
        yield made


@pytest.fixture
def open_node(server):
    opened = []

    def one_more(**options):
        connection = RedisServer(server.url, "TOPICSPIDER_FRONTIER", answer_seconds=1.0, of_frontier=True)
        opened.append(RedisFrontier(connection, "停机", **options))
        return opened[-1]

    yield one_more
    for frontier in opened:
        frontier.close()


def take_patiently(frontier, node="node-1", hosts=1):
    """The leases, once the server gives some again."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        grant = frontier.acquire(node, hosts, 1, LEASE)
        if grant.leases or grant.exhausted:
            return grant.leases
        time.sleep(min(grant.wait_seconds or 0.05, 0.2))
    raise AssertionError(grant)


def drain_patiently(frontier):
    order = []
    while leases := take_patiently(frontier):
        order += [one.fingerprint for lease in leases for one in lease.entries]
        finish(frontier, leases)
    return order


def cut_the_log(server, share):
    """What a power cut leaves of the append-only file."""
    (log,) = (server.folder / "appendonlydir").glob("*.incr.aof")
    with log.open("r+b") as file:
        file.truncate(int(log.stat().st_size * share))


@pytest.mark.parametrize("share", [0.95, 0.5, 0.0])
def test_f1_with_the_end_of_its_log_cut_off(server, open_node, share):
    """Two nodes; the cut takes away what is seconds old at most, so both tell it again."""
    first, second = open_node(), open_node()
    for number in range(0, 40, 2):
        add(first, entry(number, number / 100, A))
        add(second, entry(number + 1, number / 100, B))
    finish(first, first.acquire("first", 1, 1, LEASE).leases)
    server.kill()
    cut_the_log(server, share)
    server.start()
    assert first.known(range(0, 40, 2)) == set(range(0, 40, 2))
    assert second.known(range(1, 40, 2)) == set(range(1, 40, 2))
    assert (first.restarts, second.restarts) == (1, 1)
    found = drain_patiently(second)
    assert len(found) == len(set(found)) >= 39


def test_f2_nobody_gets_a_host_while_a_forgotten_lease_may_live(server, open_node):
    """The lease was in the part of the log that is gone: its holder is still fetching."""
    first, second = open_node(), open_node()
    add(first, entry(1, 0.9, A), entry(2, 0.8, A))
    longer = 3 * LEASE  # than the start of a server takes
    second.acquire("second", 0, 1, longer)  # nodes of one crawl ask for leases of one length
    asked = time.monotonic()
    (lease,) = first.acquire("first", 1, 1, longer).leases
    server.kill()
    cut_the_log(server, 0.0)
    first._connection.forget_journal()
    server.start()
    add(second, entry(3, 0.7, A))
    assert second.acquire("second", 1, 1, longer).reason == "restarted"
    take_patiently(second, "second")
    assert time.monotonic() - asked > longer
    first.apply(Work(ends(lease), [entry(9, 0.1, B)]))
    assert second.known([9]) == {9}
    assert second.counts().pages == 0, "a token of before is stale (promise F4)"


@pytest.mark.parametrize("share", [0.9, 0.0])
def test_f3_what_was_completed_in_the_lost_end_of_the_log_is_not_given_again(server, open_node, share):
    """Its lease is forgotten, and perhaps the URL itself; who found it tells later than who fetched it."""
    finder, fetcher = open_node(), open_node()
    add(finder, *(entry(n, n / 100, A if n % 2 else B) for n in range(20)))
    for end in (End.PAGE, End.PAGE, End.NO_PAGE):
        finish(fetcher, fetcher.acquire("fetcher", 2, 1, LEASE).leases, end)
    before = finder.counts()
    server.kill()
    cut_the_log(server, share)
    server.start()
    for node in (fetcher, finder, fetcher):
        node.counts()
    assert finder.counts() == before == Counts(queued=14, done=6, pages=4, hosts=2)
    assert sorted(drain_patiently(finder)) == list(range(14))


def test_f4_what_is_told_again_takes_nothing_from_who_has_the_url_now(server, open_node):
    late, early = open_node(), open_node()
    add(early, entry(1, host=A))
    finish(late, late.acquire("late", 1, 1, LEASE).leases)
    server.kill()
    cut_the_log(server, 0.0)
    server.start()
    (lease,) = take_patiently(early, "early")
    assert late.counts() == Counts(leased=1, hosts=1)
    finish(early, [lease])
    assert early.counts() == Counts(done=1, pages=1, hosts=1)


def test_f2_a_rest_in_the_lost_end_of_the_log_is_kept(server, open_node):
    frontier = open_node()
    add(frontier, entry(1, host=A), entry(2, host=A))
    leases = frontier.acquire("node-1", 1, 1, LEASE).leases
    frontier.apply(Work(ends(leases[0]), timings={A: HostTiming(rest_seconds=600.0)}))
    server.kill()
    cut_the_log(server, 0.0)
    server.start()
    deadline = time.monotonic() + 20
    while (grant := frontier.acquire("node-1", 1, 1, LEASE)).reason == "restarted":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert (grant.leases, grant.reason) == ((), "resting")
    assert 500 < grant.wait_seconds <= 600


def test_tokens_rise_over_restarts_even_when_all_was_lost(server, open_node):
    frontier, tokens = open_node(), []
    for _ in range(3):
        add(frontier, entry(1, host=A), entry(2, host=B))
        tokens += [lease.token for lease in take_patiently(frontier)]
        server.kill()
        shutil.rmtree(server.folder / "appendonlydir")
        server.start()
    assert tokens == sorted(set(tokens))


def test_f8_the_limits_survive_the_loss_of_everything(server, open_node):
    frontier = open_node(max_pages=3, attempts=1)
    server.kill()
    shutil.rmtree(server.folder / "appendonlydir")
    server.start()
    add(frontier, *(entry(n, n / 10, A) for n in range(9)))
    frontier.acquire("node-1", 0, 0, LEASE)
    time.sleep(0.1)
    with redis.Redis.from_url(server.url) as client:
        client.hset("topicspider:{停机}:v1:totals", "quiet", 0)
    assert len(drain(frontier)) == 3


def test_away_is_one_plain_line_and_over_when_it_is_back(server, open_node):
    frontier = open_node()
    add(frontier, entry(1))
    server.stop()
    for call in (frontier.counts, lambda: add(frontier, entry(2)), lambda: take(frontier), frontier.peek):
        with pytest.raises(FrontierUnavailable, match=r"frontier redis 127\.0\.0\.1") as error:
            call()
        assert "\n" not in str(error.value)
        assert not str(error.value).endswith(".")
    server.start()
    assert add(frontier, entry(2)) == 1
    assert frontier.counts().queued == 2


def test_a_full_server_refuses_whole_calls(server, open_node):
    """Promise 10: when it raises, nothing of it happened."""
    frontier = open_node()
    add(frontier, *(entry(n, n / 10, A) for n in range(4)))
    (lease,) = frontier.acquire("node-1", 1, 1, 60.0).leases
    before = frontier.counts()
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1")
        for call in (lambda: finish(frontier, [lease]), lambda: add(frontier, entry(9)), lambda: take(frontier)):
            with pytest.raises(FrontierUnavailable, match="memory is full"):
                call()
        assert frontier.counts() == before
        assert frontier.known([9]) == set()
        client.config_set("maxmemory", "0")
    finish(frontier, [lease])
    assert frontier.counts() == Counts(queued=3, done=1, pages=1, hosts=1)


def test_f3_a_grant_whose_answer_was_lost_is_given_again_at_once(server, open_node):
    frontier = open_node()
    add(frontier, entry(1, host=A))
    server.pause()
    with pytest.raises(FrontierUnavailable):
        frontier.acquire("node-1", 1, 1, 600.0)
    server.resume()
    time.sleep(0.2)
    (lease,) = frontier.acquire("node-1", 1, 1, 600.0).leases
    finish(frontier, [lease])
    assert frontier.counts() == Counts(done=1, pages=1, hosts=1)


def test_f3_what_was_fetched_while_it_was_away_is_not_fetched_again(server, open_node):
    """The first call after an outage says what became of the page, and that another grant may have been lost."""
    frontier = open_node()
    add(frontier, entry(1, host=A), entry(2, host=A))
    (lease,) = frontier.sync(Work(), "node-1", 1, 1, 600.0)[0].leases
    server.pause()
    with pytest.raises(FrontierUnavailable):
        frontier.sync(Work(ends(lease)), "node-1", 1, 1, 600.0)
    server.resume()
    time.sleep(0.2)
    grant, counts = frontier.sync(Work(ends(lease)), "node-1", 1, 1, 600.0)
    assert counts == Counts(leased=1, done=1, pages=1, hosts=1)
    assert [one.fingerprint for lease in grant.leases for one in lease.entries] == [2]


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("LOADING Redis is loading the dataset in memory", "still loading its data"),
        ("MISCONF Redis is configured to save RDB snapshots, but it is currently unable to", "write its data"),
        ("CLUSTERDOWN The cluster is down", "its cluster is down"),
    ],
)
def test_what_a_server_says_is_told_in_plain_words(says, words):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        thread = threading.Thread(target=_say, args=(listening, says), daemon=True)
        thread.start()
        connection = RedisServer(f"redis://127.0.0.1:{port}/0", "X", answer_seconds=2.0, of_frontier=True)
        with pytest.raises(FrontierUnavailable, match=words):
            RedisFrontier(connection, "x")
    thread.join(5)


@pytest.mark.parametrize("user", ["", ":geheim@", "me:geheim@"])
def test_a_wrong_password_is_not_waited_for(server, user):
    with redis.Redis.from_url(server.url) as client:
        client.config_set("requirepass", "secret")
    connection = RedisServer(server.url.replace("//", f"//{user}"), "TOPICSPIDER_FRONTIER", of_frontier=True)
    began = time.monotonic()
    with pytest.raises(FrontierRefused, match=r"password was refused\. Check both in TOPICSPIDER_FRONTIER: ") as error:
        RedisFrontier(connection, "x", wait_seconds=20)
    assert time.monotonic() - began < 10
    assert "geheim" not in str(error.value)


def test_the_name_of_a_place_is_no_answer_of_a_server(tmp_path):
    with pytest.raises(FrontierUnavailable, match="No such file"):
        RedisFrontier(RedisServer(f"unix://{tmp_path}/BLOOM", "X", of_frontier=True), "x")


def _say(listening, says):
    connection, _ = listening.accept()
    with connection:
        while connection.recv(65536):
            connection.sendall(f"-{says}\r\n".encode())


def test_a_crawl_waits_at_its_start_for_a_server_that_is_not_up_yet(server):
    server.stop()
    starting = threading.Timer(0.5, server.start)
    starting.start()
    connection = RedisServer(server.url, "X", answer_seconds=1.0, of_frontier=True)
    with closing(RedisFrontier(connection, "x", wait_seconds=20)) as frontier:
        assert add(frontier, entry(1)) == 1
    starting.join()


def hosts_given(frontier, seconds):
    """Those that are leased to another node within that time."""
    deadline, found = time.monotonic() + seconds, []
    while time.monotonic() < deadline:
        found += [lease.host for lease in frontier.acquire("other", 9, 1, LEASE).leases]
        time.sleep(0.02)
    return found


def test_after_flushall_nothing_is_leased_before_the_lost_leases_are_over(server, open_node, caplog):
    """However long the server has run."""
    first, second = open_node(), open_node()
    add(first, entry(1, 0.5, A), entry(2, 0.4, A))
    add(second, entry(3, 0.5, B))
    assert len(first.acquire("first", 9, 1, LEASE).leases) == 2
    time.sleep(1.5 * LEASE)  # it has run for longer than a lease lasts
    assert len(first.acquire("first", 9, 1, LEASE).leases) == 2
    with closing(redis.Redis(port=server.port)) as client:
        client.flushall()
    flushed = time.monotonic()
    first.counts()
    assert hosts_given(second, 0.8 * LEASE) == []
    assert set(hosts_given(second, 2 * LEASE)) == {A, B}  # they were told again
    assert time.monotonic() - flushed > LEASE
    assert (second.restarts, second.emptied) == (1, 1)
    assert caplog.text.count("it has lost the crawl") == 2  # each node says it once
    first.renew("first", LEASE)
    assert first.emptied == 1


def test_a_replica_that_takes_over_is_no_restart_and_leases_nothing_at_first(server, open_node, caplog):
    with served(make_redis_server) as replica:
        with closing(redis.Redis(port=replica.port)) as client:
            client.replicaof("127.0.0.1", server.port)
            frontier = open_node()
            add(frontier, entry(1, 0.5, A), entry(2, 0.4, B))
            time.sleep(2.5)
            assert len(frontier.acquire("first", 1, 1, LEASE).leases) == 1
            wait_until_equal(server, client)
            client.replicaof("NO", "ONE")
        frontier._connection._server = RedisServer(replica.url, "TOPICSPIDER_FRONTIER", of_frontier=True)
        assert hosts_given(frontier, 0.8 * LEASE) == []
        assert A in hosts_given(frontier, 2 * LEASE)
        assert (frontier.restarts, frontier.emptied) == (1, 0)
        assert "another server took its place" in caplog.text


def wait_until_equal(server, replica):
    with closing(redis.Redis(port=server.port)) as client:
        deadline = time.monotonic() + 10
        while client.info("replication")["master_repl_offset"] != replica.info("replication")["slave_repl_offset"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_restart_is_no_loss(server, open_node):
    frontier = open_node()
    add(frontier, entry(1, 0.5, A))
    time.sleep(2.5)
    server.stop()
    time.sleep(2.5)
    server.start()
    frontier.counts()
    assert (frontier.restarts, frontier.emptied) == (1, 0)
