"""``-O`` after a resume: the feed holds the hits of all runs of the crawl."""

from __future__ import annotations

import asyncio
import csv
import json
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from support.crawling import crawl, items, stored
from support.site import small_web, travel_web
from support.store_rows import page
from topicspider.errors import StoreUnavailable
from topicspider.extensions.feeds import WholeFeeds

SEED = "http://w0.example/p0.html"
INTO = ("-O", "hits.jsonl")
FEEDS = {
    "hits.jsonl": {"format": "jsonlines", "overwrite": True},
    "hits.csv": {"format": "csv", "overwrite": True},
    "added.jsonl": {"format": "jsonlines", "overwrite": False},
}


def hits(folder):
    return sorted(url for url, is_hit in stored(folder).items() if is_hit)


def fed(path):
    return sorted(item["url"] for item in items(path))


def test_a_feed_that_is_overwritten_has_the_hits_of_all_runs_once(tmp_path):
    with small_web(travel_web()) as web:
        first = crawl(tmp_path, web.proxy, *INTO, "-s", "TOPICSPIDER_MAX_PAGES=12", seeds=SEED)
        before = fed(tmp_path / "hits.jsonl")
        second = crawl(tmp_path, web.proxy, "-s", f"FEEDS={json.dumps(FEEDS)}", seeds=SEED)
    assert (first.exit_code, second.exit_code) == (0, 0), first.err + second.err
    assert fed(tmp_path / "hits.jsonl") == hits(tmp_path)
    assert 0 < len(before) < len(hits(tmp_path))
    with (tmp_path / "hits.csv").open(encoding="utf-8", newline="") as file:
        assert sorted(row["url"] for row in csv.DictReader(file)) == hits(tmp_path)
    assert fed(tmp_path / "added.jsonl") == sorted(set(hits(tmp_path)) - set(before))  # one that is not overwritten
    assert "Traceback" not in second.err


class LostStore:
    """A store that goes away after some hits."""

    def __init__(self, reads: int) -> None:
        self._reads = reads

    def crawls(self, _name, _limit):
        return []

    def all_hits(self, _topic):
        for number in range(self._reads):
            yield page(f"http://a.example/新{number}")
        raise StoreUnavailable("store", "gone")

    def close(self):
        pass


@pytest.mark.parametrize("reads", [0, 60])
def test_a_store_that_goes_away_in_the_middle_leaves_the_old_feed(tmp_path, monkeypatch, caplog, reads):
    """50 hits are written at once."""
    old = '{"url": "http://a.example/旧"}\n'
    path = tmp_path / "hits.jsonl"
    path.write_text(old, "utf-8")
    crawler = get_crawler(settings_dict={"FEEDS": {str(path): {"format": "jsonlines", "overwrite": True}}})
    crawler.spider = Spider("topic")
    monkeypatch.setattr("topicspider.extensions.feeds.open_store", lambda *_: LostStore(reads))
    plan = SimpleNamespace(folder=tmp_path, name="tourism", topics=[SimpleNamespace(name="tourism")])
    options, tally = SimpleNamespace(store="", connect_wait=0), SimpleNamespace(earlier_pages=1)
    asyncio.run(
        WholeFeeds(crawler, SimpleNamespace(plan=plan, options=options, tally=tally, writer=Writer(0))).feeds_closed()
    )
    assert path.read_text("utf-8") == old
    assert [one.name for one in tmp_path.iterdir()] == ["hits.jsonl"]
    assert "may not have the hits of earlier runs" in caplog.text


@dataclass
class Writer:
    """Has rows waiting the first few times that it is asked."""

    looks: int
    is_away: bool = False
    trouble: object = None
    in_outbox: int = 0
    asked: int = field(default=0, init=False)

    @property
    def waiting(self) -> int:
        self.asked += 1
        return int(self.asked <= self.looks)
