"""Nodes that share a board score alike; one of them fits, and the board may go away."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace

import pytest

from tests.relevance.test_learned_pages import UNNAMED, stream
from tests.relevance.topics import profile
from tests.steering.fakes import CountingLearner, view
from topicspider.errors import UnavailableError
from topicspider.judging import TopicView
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import ModelSync, ThreadFits
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store


class Node:
    """One node's learner with its models; ``board`` as TOPICSPIDER_MODEL."""

    def __init__(self, name, board, path, crawl="旅游", *, reads_pages=False):
        self.fits = ThreadFits()
        if reads_pages:
            self.learner = PageJudge(profile(), "learned", fits=self.fits)
            self.views = [TopicView("旅游", self.learner, SimpleNamespace(name="bfs"), digest="甲")]
        else:
            self.learner = CountingLearner(executor=self.fits)
            self.views = [view(self.learner)]
        lease = 5.0 if reads_pages else 0.5
        self.models = ModelSync(
            lambda: open_model_store(board, "", path, crawl), lambda: self.views, name, self.fits, lease
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

    def make(name, board=redis_url, **options):
        one = Node(name, board, tmp_path / "pages.db", crawl=redis_prefix, **options)
        made.append(one)
        one.models.load()
        return one

    yield make
    for one in made:
        one.fits.close()
        if one.models._store is not None:
            one.models._store.close()


def test_after_publishing_both_nodes_score_alike_r5(node):
    async def crawl():
        one, other = node("甲"), node("乙")
        await one.sync()
        await one.see("景点", 1, 1, 0)
        await other.sync()
        await other.see("景点", 0)
        await other.see("招聘", 0, 0)
        assert (one.fits.is_allowed, other.fits.is_allowed) == (True, False)
        assert other.learner.fits == 0  # the other fits for it
        await other.sync()
        for each in (one, one, other):
            await each.sync()
        assert one.learner.worth("景点") == other.learner.worth("景点") == 0.5
        assert one.learner.worth("招聘") == other.learner.worth("招聘") == 0.0
        assert one.learner.version == other.learner.version
        assert one.models.number == other.models.number > 0

    asyncio.run(crawl())


def test_pages_that_one_node_read_teach_the_judge_of_all_r5(node):
    async def crawl():
        one, other = node("甲", reads_pages=True), node("乙", reads_pages=True)
        await one.sync()
        await other.sync()
        assert (one.fits.is_allowed, other.fits.is_allowed) == (True, False)
        for words in stream(400):
            other.learner.observe(words)
        assert other.learner.judge(UNNAMED).value == 0.0  # the first fits for it
        for each in (other, one, one, other):
            await each.sync()
        stocks = PageWords(("股票",), ("股票", "院子") * 20)
        assert one.learner.judge(UNNAMED).value == other.learner.judge(UNNAMED).value > one.learner.judge(stocks).value

    asyncio.run(crawl())


@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", '[{"a": "b"}, 0]', '[{"a": NaN}, 0]', '[{"民宿": 7}, 0]'])
def test_examples_that_cannot_be_read_are_left_out(text):
    one, other = (PageJudge(profile(), "learned") for _ in range(2))
    one.add_examples([text] * 500)
    assert one.version == other.version


def test_when_the_fitter_is_gone_the_other_takes_over_from_its_last_model(node):
    async def crawl():
        one, other = node("甲"), node("乙")
        await one.sync()
        await one.see("景点", 1)
        await one.sync()
        one.fits.close()  # killed: it says nothing more
        await other.sync()
        await other.see("菜谱", 0)
        assert not other.fits.is_allowed
        while not other.fits.is_allowed:
            await asyncio.sleep(0.05)
            await other.sync()
        assert other.learner.worth("景点") == 1.0
        await other.see("景点", 0)
        await other.sync()
        assert other.learner.worth("景点") == 0.5
        assert node("丙").learner.worth("景点") == 0.5

    asyncio.run(asyncio.wait_for(crawl(), 30))


def test_who_ends_with_a_newer_model_of_another_gives_the_lease_back_too(node):
    async def crawl():
        one, other, third = node("甲"), node("乙"), node("丙")
        await one.sync()
        await one.see("景点", 1)
        await one.sync()
        await one.models.close()
        for ending in (other, third):
            ending.models._lease_seconds = 600.0
        await other.models.close()  # its first word is its last: it has the lease, and finds that model
        assert other.learner.worth("景点") == 1.0
        await asyncio.sleep(0.05)
        await third.sync()
        assert third.fits.is_allowed

    asyncio.run(crawl())


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
    assert [record.getMessage()[:20] for record in caplog.records] == ["the crawl goes on by", "models are shared ag"]


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
