"""Which servers a crawl over several Redis masters may be opened with: those that it was begun with, in any order."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import redis

from tests.frontier.drive import add, drain, entry, finish, take
from tests.frontier.masters import SpreadCrawls, hosts_of
from topicspider.errors import ConfigError, FrontierUnavailable
from topicspider.frontier.protocol import Counts, End
from topicspider.frontier.redis import letters
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.opening import inspect_in_redis
from topicspider.frontier.redis.spread import counts_of, inspect_crawl, open_crawl

(A, *MORE_A), (B, *MORE_B) = hosts_of(0, 4), hosts_of(1, 4)


def numbers_of(crawls):
    """Which part each server says it has."""
    numbers = []
    for master in crawls.masters:
        with redis.Redis.from_url(master.url) as client:
            numbers.append(client.hget(f"{key_prefix(crawls.name)}totals", "partition"))
    return numbers


class TestSetsOfServers:
    def test_their_order_in_the_setting_does_not_matter(self, spread_crawls):
        hosts = [A, B, *MORE_A[:3], *MORE_B[:3]]
        first = spread_crawls.open()
        add(first, *(entry(n, host=host) for n, host in enumerate(hosts)))
        first.close()
        turned = SpreadCrawls(spread_crawls.masters[::-1])
        turned.name = spread_crawls.name
        assert turned.url != spread_crawls.url
        again = turned.open()
        assert sorted(lease.host for lease in take(again, hosts=99).leases) == sorted(hosts)
        again.close()

    def test_nor_do_their_names(self, spread_crawls):
        first = spread_crawls.open()
        add(first, entry(1, host=A), entry(2, host=B))
        first.close()
        one, other = spread_crawls.masters
        for url in (
            f"{one.url.replace('127.0.0.1', 'localhost')},{other.url}",
            f"{one.url},{other.url.replace('127.0.0.1', 'localhost')}",
        ):
            again = open_crawl(url, spread_crawls.name)
            leases = take(again, hosts=9).leases
            assert {lease.host for lease in leases} == {A, B}
            finish(again, leases, End.RELEASED)
            again.close()

    def test_another_set_is_refused_by_one_line_that_says_who_has_what(self, crawls):
        one, other = (master.url for master in crawls.masters)
        frontier = crawls.open()
        add(frontier, entry(1, host=A), entry(2, host=B))
        frontier.close()
        for changed in (one, other, f"{one},{other.replace('/0', '/1')}", f"{other},{one},{one.replace('/0', '/5')}"):
            with pytest.raises(ConfigError, match="the servers, or the number of partitions") as error:
                open_crawl(changed, crawls.name)
            assert "part " in str(error.value)
            assert "\n" not in str(error.value)
        crawls.open().close()

    def test_a_crawl_on_one_server_is_not_spread_by_a_second(self, crawls):
        one, other = (master.url for master in crawls.masters)
        open_crawl(one, "整个").close()
        with pytest.raises(ConfigError, match="has this crawl whole"):
            open_crawl(f"{one},{other}", "整个")
        open_crawl(one, "整个").close()

    def test_two_names_of_one_server_are_not_two_servers(self, crawls):
        one = crawls.masters[0].url
        with pytest.raises(ConfigError, match="TOPICSPIDER_FRONTIER"):
            open_crawl(f"{one},{one.replace('127.0.0.1', 'localhost')}", crawls.name)

    def test_they_leave_nothing_behind(self, crawls):
        one, other = (master.url for master in crawls.masters)
        twice = f"{one},{one.replace('127.0.0.1', 'localhost')}"
        with pytest.raises(ConfigError):
            open_crawl(twice, crawls.name)
        with pytest.raises(ConfigError):
            inspect_crawl(twice, crawls.name, makes=True)
        with redis.Redis.from_url(one) as client:
            assert client.keys("*") == []
        open_crawl(f"{one},{other}", crawls.name).close()
        with pytest.raises(ConfigError):
            open_crawl(twice, crawls.name)
        open_crawl(f"{one},{other}", crawls.name).close()

    def test_parts_of_two_crawls_are_not_put_together(self, crawls):
        one, other = (master.url for master in crawls.masters)
        crawls.open().close()
        second = [url.replace("/0", "/1") for url in (one, other)]
        open_crawl(",".join(second), crawls.name).close()
        with pytest.raises(ConfigError, match="of set"):
            open_crawl(f"{one},{second[1]}", crawls.name)

    def test_a_first_run_that_ended_before_all_were_told_is_no_obstacle(self, crawls):
        crawls.open().close()
        with redis.Redis.from_url(crawls.masters[1].url) as client:
            client.flushall()
        frontier = crawls.open()
        assert add(frontier, entry(1, host=A), entry(2, host=B)) == 2
        frontier.close()

    def test_but_a_server_that_lost_its_part_of_a_crawl_is(self, crawls):
        frontier = crawls.open()
        add(frontier, entry(1, host=A), entry(2, host=B))
        frontier.close()
        with redis.Redis.from_url(crawls.masters[1].url) as client:
            client.flushall()
        with pytest.raises(ConfigError, match="has nothing of this crawl"):
            crawls.open()

    @pytest.mark.parametrize("lost", [0, 1])
    def test_unless_all_is_to_be_forgotten(self, crawls, lost):
        frontier = crawls.open(max_pages=9)
        add(frontier, entry(1, host=A), entry(2, host=B))
        numbers = numbers_of(crawls)
        take(frontier)
        letters.leave(frontier._parts[0].frontier, 1, [entry(3, host=B)])
        frontier.close()
        with redis.Redis.from_url(crawls.masters[lost].url) as client:
            client.flushall()
        with pytest.raises(ConfigError, match="fresh=1"):
            crawls.open()
        again = crawls.open(max_pages=3, forgets=True)
        assert again.counts() == Counts()
        assert again.known([1, 2, 3]) == set()
        assert numbers_of(crawls) == numbers
        add(again, *(entry(n, host=host) for n, host in enumerate([A, B, *MORE_A, *MORE_B])))
        again.close()
        again = crawls.open(max_pages=3)
        assert len(drain(again)) == 3
        again.close()

    def test_other_servers_are_refused_even_then(self, crawls):
        one, other = (master.url for master in crawls.masters)
        frontier = crawls.open()
        add(frontier, entry(1, host=A), entry(2, host=B))
        frontier.close()
        for changed in (one, f"{one},{other},{one.replace('/0', '/1')}"):
            with pytest.raises(ConfigError):
                open_crawl(changed, crawls.name, forgets=True)
        alone = open_crawl(one.replace("/0", "/1"), crawls.name)
        add(alone, entry(9, host=A))
        with pytest.raises(ConfigError, match="has this crawl whole"):
            open_crawl(f"{one.replace('/0', '/1')},{other}", crawls.name, forgets=True)
        assert alone.counts().queued == 1
        alone.close()
        again = crawls.open()
        assert again.counts().queued == 2
        again.close()

    def test_counts_are_those_of_all_without_opening(self, spread_crawls):
        assert counts_of(spread_crawls.url, spread_crawls.name) is None
        frontier = spread_crawls.open()
        add(frontier, entry(1, host=A), entry(2, host=B), entry(3, host=B))
        take(frontier)
        assert counts_of(spread_crawls.url, spread_crawls.name) == frontier.counts()
        frontier.close()

    def test_what_was_given_up_is_counted_without_opening_too(self, spread_crawls):
        frontier = spread_crawls.open()
        for master in spread_crawls.masters:
            with redis.Redis.from_url(master.url) as client:
                client.hset(f"{key_prefix(spread_crawls.name)}totals", "evicted", 3)
        assert counts_of(spread_crawls.url, spread_crawls.name) == frontier.counts() == Counts(evicted=6)
        frontier.close()

    @pytest.mark.parametrize("mark", ["", "x", "0/2", "zwei/2/甲", "1//甲", b"\xff/\xfe/"])
    def test_a_mark_that_no_version_wrote_is_one_line(self, spread_crawls, mark):
        with redis.Redis.from_url(spread_crawls.masters[0].url) as client:
            client.hset(f"{key_prefix(spread_crawls.name)}totals", "partition", mark)
        with pytest.raises(FrontierUnavailable, match="cannot be read") as error:
            spread_crawls.open()
        assert "\n" not in str(error.value)

    def test_passwords_are_not_shown(self):
        with pytest.raises(ConfigError) as error:
            open_crawl("redis://u:geheim@a:1/0,redis://u:secret@b:2/0?partitions=2", "x")
        assert "geheim" not in str(error.value)
        assert "secret" not in str(error.value)

    def test_its_parts_are_looked_at_together(self, spread_crawls):
        frontier = spread_crawls.open()
        hosts = [A, B, *MORE_A, *MORE_B]
        add(frontier, *(entry(n, host=host) for n, host in enumerate(hosts)))
        frontier.close()
        with closing(inspect_in_redis(spread_crawls.url, Path(spread_crawls.name) / "frontier.db")) as inspection:
            assert sorted(one.host for one in inspection.hosts()) == sorted(hosts)
