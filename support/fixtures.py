"""Fixtures of pytest: a Redis, a MySQL and a Chromium of this machine; a test is skipped when there is none."""

from __future__ import annotations

import importlib.util
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from support.servers import (
    MysqlServer,
    NoServerError,
    RedisServer,
    Server,
    find_program,
    fresh_database,
    give_up,
    make_mysql_server,
    make_redis_server,
    running,
)
from topicspider.browser import KNOWN_NAMES


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis of this test run's own, which tests may kill and start again."""
    with served(make_redis_server) as server:
        yield server


@pytest.fixture(scope="session")
def mysql_server() -> Iterator[MysqlServer]:
    """A MySQL of this test run's own, which tests may kill and start again."""
    with served(make_mysql_server) as server:
        yield server


@pytest.fixture(scope="session")
def redis_url(request: pytest.FixtureRequest) -> str:
    """REDIS_URL, or the URL of a Redis of this test run's own; see fresh_prefix."""
    given = os.environ.get("REDIS_URL", "")
    return given or request.getfixturevalue("redis_server").url


@pytest.fixture(scope="session")
def mysql_url(request: pytest.FixtureRequest) -> str:
    """MYSQL_URL without its database, or the URL of a MySQL of this test run's own; see fresh_database."""
    given = os.environ.get("MYSQL_URL", "")
    return given.rpartition("/")[0] + "/" if given else request.getfixturevalue("mysql_server").url


@pytest.fixture
def mysql_database(mysql_url: str) -> Iterator[str]:
    """The URL of an empty database of this test's own."""
    with fresh_database(mysql_url) as url:
        yield url


@pytest.fixture
def redis_prefix(redis_url: str) -> Iterator[str]:
    """A prefix for this test's own keys, which are deleted afterwards."""
    prefix = f"test-{secrets.token_hex(6)}:"
    yield prefix
    with redis.Redis.from_url(redis_url) as client:
        for key in client.scan_iter(f"*{prefix}*", count=10_000):
            client.delete(key)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; scrapy-playwright must be installed, too."""
    if importlib.util.find_spec("scrapy_playwright") is None:
        give_up("scrapy-playwright is not installed: pip install -r requirements-browser.txt")
    try:
        return find_program(KNOWN_NAMES, "chromium")
    except NoServerError as missing:
        give_up(str(missing))


@contextmanager
def served(make: Callable[[Path], Server]) -> Iterator[Server]:
    """The server of ``make`` while the block runs; the test is skipped when there is none."""
    try:
        with running(make) as server:
            yield server
    except NoServerError as missing:
        give_up(str(missing))
