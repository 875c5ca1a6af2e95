"""A Redis for crawls that are shared, and servers that a test may stop."""

from __future__ import annotations

import pytest
import redis

from support.redis_log import private_redis
from support.servers import NoServerError, fresh_database, give_up


@pytest.fixture
def client(redis_url):
    """Of a Redis without crawls and without seeds, before and after."""
    with redis.Redis.from_url(redis_url) as client:
        for is_over in (False, True):
            client.delete("topic:start_urls", *client.scan_iter("topicspider:{*", count=10_000))
            if not is_over:
                yield client


@pytest.fixture
def own_redis():
    """A server that the test may stop."""
    try:
        with private_redis() as server:
            yield server
    except NoServerError as missing:
        give_up(str(missing))


@pytest.fixture
def database(mysql_server):
    """An empty database on a server that the test may stop."""
    with fresh_database(mysql_server.url) as url:
        yield url
        if mysql_server._process is None:
            mysql_server.start()
