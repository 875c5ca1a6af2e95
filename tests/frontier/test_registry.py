"""From TOPICSPIDER_FRONTIER to a frontier."""

from __future__ import annotations

import secrets
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
import redis

from tests.frontier.drive import add, entry, take
from topicspider.errors import ConfigError, FrontierUnavailable
from topicspider.frontier.factory import file_of, open_frontier
from topicspider.frontier.protocol import Counts
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.opening import look_in_redis
from topicspider.frontier.sqlite.frontier import SqliteFrontier


@pytest.mark.parametrize(
    ("url", "kind", "file"),
    [
        ("", SqliteFrontier, "default.db"),
        ("memory:", SqliteFrontier, None),
        ("sqlite:///{}/深 层/f.db", SqliteFrontier, "深 层/f.db"),
    ],
)
def test_each_allowed_form_opens_its_frontier(tmp_path, url, kind, file):
    with closing(open_frontier(url.format(tmp_path), tmp_path / "default.db", max_pages=1, attempts=2)) as frontier:
        assert type(frontier) is kind
        add(frontier, entry(1), entry(2))
        assert len(take(frontier, urls_per_host=2).leases[0].entries) == 1
    assert [p.name for p in tmp_path.rglob("*.db")] == ([file.split("/")[-1]] if file else [])
    if file:
        assert (tmp_path / file).exists()


@pytest.mark.parametrize("url", ["redis:127.0.0.1", "sqlite:///", "sqlite://f.db", "f.db", "memory", "mysql://旅游"])
def test_anything_else_is_an_error_that_names_the_setting_the_value_and_what_is_allowed(tmp_path, url):
    with pytest.raises(ConfigError) as error:
        open_frontier(url, tmp_path / "default.db")
    for part in ("TOPICSPIDER_FRONTIER", repr(url), "sqlite:///PATH", "redis://", "memory:"):
        assert part in str(error.value)


def test_redis_opens_the_crawl_that_the_data_folder_is_named_by(tmp_path, redis_url):
    """Two topics on one server never filter each other."""
    name = f"旅游-{secrets.token_hex(6)}"
    with closing(open_frontier(redis_url, tmp_path / quote(name) / "frontier.db", max_pages=1)) as frontier:
        assert type(frontier) is RedisFrontier
        add(frontier, entry(1), entry(2))
        with closing(open_frontier(redis_url, tmp_path / f"{name}-2" / "frontier.db")) as other:
            assert add(other, entry(1)) == 1
            other.clear()
        assert (
            look_in_redis(redis_url, tmp_path / name / "frontier.db") == frontier.counts() == Counts(queued=2, hosts=1)
        )
        frontier.clear()
    with redis.Redis.from_url(redis_url) as client:
        left = list(client.scan_iter(f"topicspider:{{{name}*"))
        assert sorted(left) == [f"topicspider:{{{name}{more}}}:v1:totals".encode() for more in ("-2", "")]
        client.delete(*left)
    assert look_in_redis(redis_url, tmp_path / name / "frontier.db") is None


NO_URLS = [
    "redis://127.0.0.1:port/0",
    "rediss://127.0.0.1:99999999999999999999x/",
    "redis://a:1/0,redis://b:2/0",
    "redis://a:1/0?partitions=4",
]


@pytest.mark.parametrize("url", NO_URLS)
def test_a_redis_url_that_is_none_is_told_without_its_password(url):
    secret = url.replace("://", "://user:secret-旅游@", 1)
    with pytest.raises(ConfigError, match="TOPICSPIDER_FRONTIER") as error:
        file_of(secret, Path("f.db"))
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["redis://:secret@127.0.0.1:1/0", "unix:///no/such/redis.sock"])
def test_a_redis_that_does_not_answer_is_one_plain_line(tmp_path, url):
    for call in (open_frontier, look_in_redis):
        with pytest.raises(FrontierUnavailable, match="frontier redis ") as error:
            call(url, tmp_path / "f.db")
        assert "secret" not in str(error.value)
        assert "\n" not in str(error.value)
