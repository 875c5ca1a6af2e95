"""Crawls that earlier versions left: continued, or refused in one clear line."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import redis

from tests.frontier.drive import add, entry
from topicspider.errors import ConfigError
from topicspider.frontier.factory import file_of, open_frontier
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.opening import inspect_in_redis, open_in_redis


def path_of(crawls) -> Path:
    return Path(crawls.name) / "frontier.db"


@pytest.fixture
def part(redis_crawls):
    """One part of a crawl that was spread over two servers, with a link in it and some for the other part."""
    frontier = redis_crawls.open()
    add(frontier, entry(1))
    frontier.close()
    with redis.Redis.from_url(redis_crawls.url) as client:
        client.hset(f"{key_prefix(redis_crawls.name)}totals", "partition", "0/2/a1b2c3d4")
        client.hset(f"{key_prefix(redis_crawls.name)}letters", "1:ff", "[]")
    return redis_crawls


def test_a_part_of_a_crawl_over_several_servers_is_refused(part):
    for use in (open_in_redis, inspect_in_redis):
        with pytest.raises(ConfigError, match=r"TOPICSPIDER_FRONTIER: .*spread over several servers.*-a fresh=1"):
            use(part.url, path_of(part), **({"wait_seconds": 9} if use is open_in_redis else {}))


def test_unless_it_is_to_be_forgotten(part):
    with closing(open_frontier(part.url, path_of(part), forgets=True)) as frontier:
        assert frontier.counts().queued == 0
    with closing(open_frontier(part.url, path_of(part))) as frontier:
        add(frontier, entry(1))
        assert frontier.counts().queued == 1
    assert not [key for key in part.all_keys() if key.endswith(b"letters")]


@pytest.mark.parametrize("url", ["redis://u:geheim@a:1/0,redis://b:2/0", "redis://u:geheim@a:1/0?partitions=4"])
def test_a_setting_that_names_several_servers_is_refused_in_one_line(url, tmp_path):
    for use in (open_frontier, file_of):
        with pytest.raises(ConfigError, match=r"TOPICSPIDER_FRONTIER: .*allowed: one Redis") as told:
            use(url, tmp_path / "frontier.db")
        assert "geheim" not in str(told.value)
        assert "\n" not in str(told.value)
