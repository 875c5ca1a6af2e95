"""One node of a crawl as a process of its own: judges made pages with the learned link policy, and shares what it learns.

Reads commands from stdin: ``pages N``, ``sync``, ``scores N``; answers each with one JSON line.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace

from tests.relevance.topics import SEGMENTER, profile
from topicspider.evaluation import TopicView
from topicspider.page.links import Link
from topicspider.relevance.interfaces import Parent
from topicspider.relevance.policies import make_link_policy
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import ModelSync, ThreadFits
from topicspider.url import fingerprint

GOOD = ("旅游攻略", "景点门票", "travel notes", "海边的酒店", "列表")
BAD = ("招聘启事", "编译器报错", "联系我们", "stock prices", "列表")


class Node:
    """``name`` also seeds the pages it meets."""

    def __init__(self, board: str, crawl: str, name: str) -> None:
        self.fits = ThreadFits()
        self.policy = make_link_policy("learned", profile(), SEGMENTER, fits=self.fits)
        views = (TopicView("旅游", SimpleNamespace(scorer_name="vsm"), self.policy),)
        path = Path("/nonexistent/pages.db")
        self.models = ModelSync(lambda: open_model_store(board, "", path, crawl), lambda: views, name, self.fits, 8.0)
        self.models.load()
        self.random = random.Random(name)
        self.queue = ["http://h0.example/"]
        self.good = {"http://h0.example/": True}

    def judge_page(self) -> None:
        url = self.queue.pop(self.random.randrange(len(self.queue)))
        links = []
        for _ in range(6):
            is_good = self.random.random() < 0.5
            target = f"http://h{self.random.randrange(9)}.example/{self.random.getrandbits(48)}"
            links.append(Link(target, anchor=self.random.choice(GOOD if is_good else BAD)))
            self.good[target] = is_good
            self.queue.append(target)
        on_topic = self.good[url]
        parent = Parent(url, fingerprint(url), 0.8 if on_topic else 0.1, on_topic, 1)
        self.policy.judge(parent, [(fingerprint(link.url), link) for link in links])

    def scores(self, count: int) -> list[float]:
        """Of 200 links that nobody has seen; ``count`` tells the calls apart."""
        url = f"http://neu{count}.example/"
        parent = Parent(url, fingerprint(url), 0.5, True, 2)
        anchors = [*GOOD, *BAD]
        links = [Link(f"http://h{n % 12}.example/{count}/{n}", anchor=anchors[n % len(anchors)]) for n in range(200)]
        judged = self.policy.judge(parent, [(fingerprint(link.url), link) for link in links])
        return [round(score.value, 6) for score in judged]

    async def obey(self, command: str) -> object:
        verb, _, count = command.partition(" ")
        if verb == "pages":
            for _ in range(int(count)):
                self.judge_page()
                await self.settle()
        elif verb == "sync":
            await self.models.sync()
            await self.settle()
        elif verb == "scores":
            return self.scores(int(count))
        return {"version": self.policy.version, "number": self.models.number, "fits": self.models.is_fitting}

    async def settle(self) -> None:
        """A fit under way is adopted."""
        await asyncio.get_running_loop().run_in_executor(self.fits._thread, lambda: None)
        await asyncio.sleep(0)


async def main() -> None:
    node = Node(*sys.argv[1:])
    while command := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await node.obey(command.strip())), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
