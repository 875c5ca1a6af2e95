"""Where scrapy-redis' settings point, and which list of seeds a running crawl watches."""

from __future__ import annotations

import logging

import pytest
from scrapy.settings import Settings

from topicspider.crawl_config import CrawlConfig
from topicspider.errors import ConfigError
from topicspider.frontier.redis.server import RedisServer
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.redis_seeds import SeedList
from topicspider.redis_settings import SCHEDULER, redis_url, start_urls_key

SEED = "http://w0.example/p0.html"


def plan(**settings):
    return CrawlConfig.read(Settings({"TOPICSPIDER_TOPIC": "tourism", "TOPICSPIDER_SEEDS": SEED, **settings}))


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({}, "redis://localhost:6379"),
        ({"REDIS_URL": "rediss://a:1/2", "REDIS_HOST": "b"}, "rediss://a:1/2"),
        ({"REDIS_HOST": "缓存.example", "REDIS_PORT": 7000, "REDIS_DB": 3}, "redis://缓存.example:7000?db=3"),
        ({"REDIS_PARAMS": {"host": "c", "db": 5, "password": "密@码"}}, "redis://:%E5%AF%86%40%E7%A0%81@c:6379?db=5"),
        ({"REDIS_HOST": "d", "REDIS_PARAMS": {"host": "c", "username": "我"}}, "redis://%E6%88%91:@d:6379"),
        ({"REDIS_URL": "redis://a:1/2", "REDIS_PARAMS": {"password": "密", "db": 9}}, "redis://:%E5%AF%86@a:1/2"),
        ({"REDIS_URL": "redis://a:1", "REDIS_PARAMS": {"db": 9, "socket_timeout": 3}}, "redis://a:1?db=9"),
        ({"REDIS_URL": "redis://u:v@a:1/2", "REDIS_PARAMS": {"password": "x"}}, "redis://u:v@a:1/2"),
        ({"REDIS_URL": "redis://a:1", "REDIS_DB": "3", "REDIS_PARAMS": {"db": 9}}, "redis://a:1?db=3"),
        ({"REDIS_URL": "redis://a:1/2", "REDIS_DB": 3}, "redis://a:1/2"),
        ({"REDIS_PARAMS": '{"password": "密", "db": 4}'}, "redis://:%E5%AF%86@localhost:6379?db=4"),
        ({"REDIS_HOST": "::1"}, "redis://[::1]:6379"),
    ],
)
def test_the_redis_of_scrapy_redis(settings, url):
    assert redis_url(Settings(settings)) == url
    assert plan(SCHEDULER=SCHEDULER, **settings).options.frontier == url


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"REDIS_URL": "h:6379"}, "REDIS_URL: 'h:6379"),
        ({"REDIS_URL": "u:geheim@h:6379"}, r"REDIS_URL: 'u:\*\*\*@h:6379"),
        ({"REDIS_URL": "redis://:geheim@甲:1/4,redis://乙:2"}, "REDIS_URL: "),
        ({"REDIS_DB": "三"}, "REDIS_DB: '三"),
        ({"REDIS_PARAMS": {"db": -1}}, "REDIS_PARAMS: db: '-1"),
        ({"REDIS_PARAMS": "password=geheim"}, "REDIS_PARAMS: "),
        ({"REDIS_PARAMS": '["geheim"]'}, "REDIS_PARAMS: "),
        ({"REDIS_URL": "rediss://h", "REDIS_PARAMS": {"ssl_ca_data": b"geheim"}}, "REDIS_PARAMS: ssl_ca_data"),
        ({"REDIS_PARAMS": {"unix_socket_path": "/s"}}, "REDIS_PARAMS: unix_socket_path"),
    ],
)
def test_what_cannot_be_used_is_one_line_that_names_it_and_no_password(settings, named):
    with pytest.raises(ConfigError, match=f"^{named}") as caught:
        plan(SCHEDULER=SCHEDULER, **{"REDIS_PARAMS": {"password": "geheim"}, **settings})
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("url", ["rediss://:geheim@h:1?ssl_cert_reqs=0", "redis://:geheim@h:1?存=1"])
def test_what_no_connection_can_be_opened_with_is_not_taken_for_a_server_that_is_away(url):
    with pytest.raises(ConfigError, match="TOPICSPIDER_FRONTIER") as caught:
        RedisServer(url, "TOPICSPIDER_FRONTIER")
    assert "geheim" not in str(caught.value)


def test_the_list_is_that_of_scrapy_redis():
    assert plan(SCHEDULER=SCHEDULER).redis_key == "topic:start_urls"
    assert plan(SCHEDULER=SCHEDULER, REDIS_START_URLS_KEY="种子:%(name)s").redis_key == "种子:topic"
    assert plan(SCHEDULER=SCHEDULER, TOPICSPIDER_SEEDS="redis:mine").redis_key == "mine"
    assert start_urls_key({}, "旅游") == "旅游:start_urls"
    assert plan().redis_key is None


@pytest.mark.parametrize("frontier", ["", "memory:", "sqlite:///f.db"])
def test_where_no_seed_can_come_from_nobody_may_wait_for_more(frontier):
    with pytest.raises(ConfigError, match="TOPICSPIDER_KEEP_ALIVE"):
        plan(TOPICSPIDER_KEEP_ALIVE=True, TOPICSPIDER_FRONTIER=frontier)


def test_a_server_that_is_away_is_told_of_once_and_ends_nothing(caplog, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("topicspider.redis_seeds.time.monotonic", lambda: now[0])
    seeds = SeedList(Settings({"REDIS_URL": "redis://:geheim@127.0.0.1:1/0"}), "")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            now[0] += 40
            assert seeds.top_up(SqliteFrontier()) == 0
    (said,) = caplog.messages
    assert said.startswith("No seeds can be taken from Redis for now")
    assert "geheim" not in said


@pytest.mark.parametrize(
    ("settings", "pace"),
    [
        ({}, "auto"),
        ({"CLOSESPIDER_PAGECOUNT": "0"}, "auto"),
        ({"CLOSESPIDER_PAGECOUNT": "500"}, "thrifty"),
        ({"CLOSESPIDER_ITEMCOUNT": 20}, "thrifty"),
        ({"CLOSESPIDER_ITEMCOUNT": 20, "TOPICSPIDER_PACE": "fast"}, "fast"),
        ({"CLOSESPIDER_PAGECOUNT": 500, "SCHEDULER": SCHEDULER}, "auto"),
    ],
)
def test_with_a_limit_of_scrapy_pages_count_but_of_one_node_of_several_it_says_nothing(settings, pace):
    assert plan(**settings).options.pace == pace
    assert plan(**settings, DEPTH_LIMIT="2").limits.depth == 2
