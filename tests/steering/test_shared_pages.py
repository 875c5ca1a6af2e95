"""In a shared crawl the pages of all nodes teach the page judge: what one node read, the one that fits learns from."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest
import redis

from tests.relevance.test_learned_pages import UNNAMED, stream
from tests.relevance.topics import profile
from topicspider.evaluation import TopicView
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.steering.fit_executor import ThreadFits
from topicspider.steering.model_store import SharingLearner, open_model_store
from topicspider.steering.model_sync import ModelSync

STOCKS = PageWords(("股票",), ("股票", "院子") * 20)


def judge(refits=None):
    return PageJudge(profile(), "learned", refits=refits)


def read(one, pages):
    for words in pages:
        one.observe(words, one.judge(words))


def test_the_page_judge_shares():
    assert isinstance(judge(), SharingLearner)


def test_what_one_has_read_teaches_another():
    one, other = judge(), judge()
    read(one, stream(400))
    assert other.judge(UNNAMED).value == 0.0
    other.learn(one.news())
    assert other.judge(UNNAMED).value > other.judge(STOCKS).value
    assert one.news() == []


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1, 2, 3, 4]", '[{"a": "b"}, 0, 0.5, ""]', '[{"a": NaN}, 0, 0.5, ""]', '[{"民宿": 0.5}, 0, 7, ""]'],
)
def test_what_cannot_be_read_is_left_out(text):
    one = judge()
    one.learn([text] * 500)
    assert one.version == judge().version


class Node:
    def __init__(self, name, board, path, crawl):
        self.refits = ThreadFits()
        self.judge = judge(self.refits)
        policy = SimpleNamespace(name="bfs")
        views = [TopicView("旅游", self.judge, policy, digest="甲")]
        self.sharing = ModelSync(
            lambda: open_model_store(board, "", path, crawl), lambda: views, name, self.refits, 5.0
        )
        self.sharing.load()

    async def exchange(self):
        await self.sharing.exchange()
        await asyncio.get_running_loop().run_in_executor(self.refits._thread, lambda: None)
        await asyncio.sleep(0)


def test_through_the_real_board_all_nodes_pages_make_one_judge_r5(tmp_path, redis_url, redis_prefix):
    async def crawl():
        one, other = (Node(name, redis_url, tmp_path / "pages.db", redis_prefix) for name in ("甲", "乙"))
        await one.exchange()
        await other.exchange()
        assert (one.sharing.is_fitting, other.sharing.is_fitting) == (True, False)
        read(other.judge, stream(400))
        assert other.judge.judge(UNNAMED).value == 0.0  # the first fits for it
        for node in (other, one, one, other):
            await node.exchange()
        assert one.judge.judge(UNNAMED).value == other.judge.judge(UNNAMED).value > one.judge.judge(STOCKS).value
        for node in (one, other):
            node.refits.close()
            await node.sharing.close()

    try:
        asyncio.run(crawl())
    finally:
        with redis.Redis.from_url(redis_url) as client:
            for key in client.keys(f"*{redis_prefix}*"):
                client.delete(key)


def test_a_long_page_is_told_in_few_words():
    one = judge()
    read(one, [PageWords((), tuple(f"词{n}" for n in range(900)))] * 8)
    assert [len(json.loads(text)[0]) for text in one.news()] == [100, 100]
