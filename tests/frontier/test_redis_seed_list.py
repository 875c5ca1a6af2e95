"""A Redis list of seeds that somebody else fills, too."""

from __future__ import annotations

import redis
from scrapy.settings import BaseSettings

from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.redis_seeds import SeedList


def test_what_is_no_seed_is_said_in_one_line_and_gone(redis_url, caplog):
    frontier = SqliteFrontier()
    with redis.Redis.from_url(redis_url) as client:
        client.rpush(
            "junk:start_urls",
            *(f"\x1b[2J{number}" for number in range(999)),
            "{",
            '{"url": [1]}',
            "http://a.example/茶",
        )
        seeds = SeedList(BaseSettings({"REDIS_URL": redis_url}), "junk:start_urls")
        assert seeds.move(frontier, 0.0) == 1
        seeds.close()
        assert client.exists("junk:start_urls") == 0
    (said,) = caplog.messages
    assert said.startswith("1001 seed(s) in Redis are no http(s) URL and are left out: [2J0")
