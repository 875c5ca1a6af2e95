"""The frontiers under test: every contract test runs on each of them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import pytest
import redis

from tests.reference.frontier_model import FrontierModel
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.inspection import RedisInspection
from topicspider.frontier.redis.server import RedisServer
from topicspider.frontier.sqlite.frontier import SqliteFrontier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from topicspider.frontier.protocol import Frontier


class FakeClock:
    """A wall clock that a test moves, backwards too."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class RedisCrawls:
    """Opens crawls on a real Redis; what they keep there is deleted at the end."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.name = f"测试-{secrets.token_hex(4)}"
        self._opened: list[RedisFrontier | RedisInspection] = []

    def open(self, crawl: str = "", **options: Any) -> RedisFrontier:
        """The frontier of ``crawl``; several may be open."""
        self._opened.append(RedisFrontier(self._server(), self.name + crawl, **options))
        return self._opened[-1]

    def look(self, crawl: str = "", **options: Any) -> RedisInspection:
        """Its inspection."""
        self._opened.append(RedisInspection(self._server(), self.name + crawl, **options))
        return self._opened[-1]

    def _server(self) -> RedisServer:
        return RedisServer(self.url, "TOPICSPIDER_FRONTIER", of_frontier=True)

    def all_keys(self) -> list[bytes]:
        """All keys of these crawls."""
        with redis.Redis.from_url(self.url) as client:
            return list(client.scan_iter(f"topicspider:{{{self.name}*", count=10_000))

    def delete(self) -> None:
        """Nothing is left of them."""
        for one in self._opened:
            one.close()
        keys = self.all_keys()
        with redis.Redis.from_url(self.url) as client:
            for start in range(0, len(keys), 1_000):
                client.unlink(*keys[start : start + 1_000])


@pytest.fixture
def redis_crawls(redis_url: str) -> Iterator[RedisCrawls]:
    crawls = RedisCrawls(redis_url)
    yield crawls
    crawls.delete()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def nodes(redis_crawls: RedisCrawls, clock: FakeClock) -> Callable[..., RedisFrontier]:
    """Opens one more node of the same crawl."""
    return lambda **options: redis_crawls.open(**{"clock": clock, **options})


@pytest.fixture
def look(redis_crawls: RedisCrawls, clock: FakeClock) -> Callable[..., RedisInspection]:
    """Opens inspections of that crawl."""
    return lambda **options: redis_crawls.look(**{"clock": clock, **options})


@pytest.fixture(params=["memory", "sqlite", "redis"])
def make_frontier(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock
) -> Iterator[Callable[..., Frontier]]:
    """Makes frontiers of one kind with the fake clock; each is a crawl of its own."""
    made: list[Frontier] = []
    crawls = request.getfixturevalue("redis_crawls") if request.param == "redis" else None

    def make(**options: Any) -> Frontier:
        options.setdefault("clock", clock)
        if request.param == "memory":
            made.append(FrontierModel(**options))
        elif crawls:
            made.append(crawls.open(f"前沿-{len(made)}", **options))
        else:
            made.append(SqliteFrontier(tmp_path / f"前沿-{len(made)}.sqlite", **options))
        return made[-1]

    yield make
    for frontier in made:
        frontier.close()


@pytest.fixture
def frontier(make_frontier: Callable[..., Frontier]) -> Frontier:
    return make_frontier()
