"""Nodes that share a board score alike; one of them fits, and the board may go away."""

from __future__ import annotations

import asyncio
import logging

import pytest
import redis

from tests.steering.fakes import CountingLearner, view
from topicspider.errors import UnavailableError
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import ModelSync, ThreadFits
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store


class Node:
    """One node's learner with its models; ``board`` as TOPICSPIDER_MODEL."""

    def __init__(self, name, board, path, crawl="旅游"):
        self.fits = ThreadFits()
        self.learner = CountingLearner(executor=self.fits)
        self.views = [view(self.learner)]
        self.models = ModelSync(
            lambda: open_model_store(board, "", path, crawl), lambda: self.views, name, self.fits, lease_seconds=0.5
        )

    async def fitted(self):
        """Fits under way are adopted."""
        await asyncio.get_running_loop().run_in_executor(self.fits._thread, lambda: None)
        await asyncio.sleep(0)

    async def see(self, word, *outcomes):
        for outcome in outcomes:
            self.learner.see(word, outcome)
        await self.fitted()

    async def sync(self):
        await self.models.sync()
        await self.fitted()


@pytest.fixture
def node(tmp_path, redis_url, redis_prefix):
    made = []

    def make(name, board=redis_url):
        one = Node(name, board, tmp_path / "pages.db", crawl=redis_prefix)
        made.append(one)
        one.models.load()
        return one

    yield make
    for one in made:
        one.fits.close()
        if one.models._store is not None:
            one.models._store.close()
    with redis.Redis.from_url(redis_url) as client:
        for key in client.keys(f"*{redis_prefix}*"):
            client.delete(key)


def test_a_board_that_is_away_is_one_line_and_the_crawl_learns_by_itself(node, caplog, tmp_path):
    async def crawl():
        one = node("甲", "redis://127.0.0.1:1/0")
        for _ in range(3):
            await one.sync()
        await one.see("景点", 1, 0)
        await one.sync()
        assert one.learner.worth("景点") == 0.5
        await one.models.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(crawl())
    assert [record.getMessage().split(": ")[0] for record in caplog.records] == ["the crawl goes on by its own model"]


def test_a_board_that_comes_back_is_used_again(node, caplog, monkeypatch):
    async def crawl():
        one = node("甲")
        await one.sync()
        board = one.models._store
        with monkeypatch.context() as patched:
            patched.setattr(board, "lease", _away)
            await one.see("景点", 1)
            await one.sync()
        await one.sync()
        assert node("乙").learner.worth("景点") == 1.0

    asyncio.run(crawl())
    assert [record.getMessage()[:20] for record in caplog.records] == [
        "the crawl goes on by",
        "models are shared ag",
    ]


def _away(*_arguments):
    raise UnavailableError("redis", "away")


def test_alone_it_is_kept_with_the_crawl_and_resumed_even_when_nothing_was_closed(tmp_path, redis_prefix):
    Store(SqliteDatabase(tmp_path / "pages.db")).close()

    async def crawl():
        one = Node("甲", "", tmp_path / "pages.db")
        one.models.load()
        await one.see("景点", 1, 1, 0, 1)
        await one.sync()
        await one.see("景点", 1)  # not kept: the process is killed now
        resumed = Node("乙", "", tmp_path / "pages.db")
        resumed.models.load()
        assert resumed.learner.worth("景点") == 0.75
        fresh = Node("丙", "", tmp_path / "pages.db")
        fresh.models.load(is_fresh=True)
        assert fresh.learner.worth("景点") == 0.5
        for each in (one, resumed, fresh):
            each.fits.close()
            each.models._store.close()

    asyncio.run(crawl())


def test_a_crawl_of_a_few_seconds_keeps_its_model_at_its_end(tmp_path):
    async def crawl(name, outcome):
        one = Node(name, "", tmp_path / "pages.db")
        one.models.load()
        await one.see("景点", outcome)
        await one.models.close()
        one.fits.close()
        return one.learner.worth("景点")

    assert asyncio.run(crawl("甲", 1)) == 1.0
    assert asyncio.run(crawl("乙", 0)) == 0.5
