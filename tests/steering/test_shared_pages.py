"""In a shared crawl the pages of all nodes teach the page judge: what one node read, the one that fits learns from."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
import redis

from tests.relevance.test_learned_pages import UNNAMED, stream
from tests.relevance.topics import profile
from topicspider.evaluation import TopicView
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import ModelSync, ThreadFits

STOCKS = PageWords(("股票",), ("股票", "院子") * 20)


def judge(fits=None):
    return PageJudge(profile(), "learned", fits=fits)


def read(one, pages):
    for words in pages:
        one.observe(words)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1, 2]", '[{"a": "b"}, 0]', '[{"a": NaN}, 0]', '[{"民宿": 7}, 0]'],
)
def test_what_cannot_be_read_is_left_out(text):
    one = judge()
    one.add_examples([text] * 500)
    assert one.version == judge().version


class Node:
    def __init__(self, name, board, path, crawl):
        self.fits = ThreadFits()
        self.judge = judge(self.fits)
        policy = SimpleNamespace(name="bfs")
        views = [TopicView("旅游", self.judge, policy, digest="甲")]
        self.models = ModelSync(lambda: open_model_store(board, "", path, crawl), lambda: views, name, self.fits, 5.0)
        self.models.load()

    async def sync(self):
        await self.models.sync()
        await asyncio.get_running_loop().run_in_executor(self.fits._thread, lambda: None)
        await asyncio.sleep(0)


def test_through_the_real_board_all_nodes_pages_make_one_judge_r5(tmp_path, redis_url, redis_prefix):
    async def crawl():
        one, other = (Node(name, redis_url, tmp_path / "pages.db", redis_prefix) for name in ("甲", "乙"))
        await one.sync()
        await other.sync()
        assert (one.models.is_fitting, other.models.is_fitting) == (True, False)
        read(other.judge, stream(400))
        assert other.judge.judge(UNNAMED).value == 0.0  # the first fits for it
        for node in (other, one, one, other):
            await node.sync()
        assert one.judge.judge(UNNAMED).value == other.judge.judge(UNNAMED).value > one.judge.judge(STOCKS).value
        for node in (one, other):
            node.fits.close()
            await node.models.close()

    try:
        asyncio.run(crawl())
    finally:
        with redis.Redis.from_url(redis_url) as client:
            for key in client.keys(f"*{redis_prefix}*"):
                client.delete(key)
