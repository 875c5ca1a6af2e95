"""Crawls that earlier versions left: continued, or refused in one clear line."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import redis

from tests.frontier.drive import add, entry
from topicspider.errors import ConfigError, FrontierUnavailable
from topicspider.frontier.factory import file_of, open_frontier
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.opening import inspect_in_redis, open_in_redis


def test_a_part_of_a_crawl_over_several_servers_is_refused_at_once(redis_crawls):
    with closing(redis_crawls.open()) as frontier:
        add(frontier, entry(1))
    with redis.Redis.from_url(redis_crawls.url) as client:
        client.hset(f"{key_prefix(redis_crawls.name)}totals", "partition", "0/2/a1b2c3d4")
    path = Path(redis_crawls.name) / "frontier.db"
    for use in (lambda: open_in_redis(redis_crawls.url, path, 9.0), lambda: inspect_in_redis(redis_crawls.url, path)):
        with pytest.raises(FrontierUnavailable, match=r"was spread over several servers.*Use another database"):
            use()


@pytest.mark.parametrize("url", ["redis://u:geheim@a:1/0,redis://b:2/0", "redis://u:geheim@a:1/0?partitions=4"])
def test_a_setting_that_names_several_servers_is_refused_in_one_line(url, tmp_path):
    for use in (open_frontier, file_of):
        with pytest.raises(ConfigError, match=r"TOPICSPIDER_FRONTIER: ") as told:
            use(url, tmp_path / "frontier.db")
        assert "geheim" not in str(told.value)
        assert "\n" not in str(told.value)
