"""``-O`` after a resume: the feed holds the hits of all runs of the crawl."""

from __future__ import annotations

import asyncio
import csv
import json
from types import SimpleNamespace

from scrapy import Spider
from scrapy.utils.test import get_crawler

from support.crawling import crawl, items, stored
from support.site import small_web, travel_web
from support.store_rows import page
from topicspider.errors import StoreUnavailable
from topicspider.extensions.feeds import EarlierHits, Feeds

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


def test_a_store_that_goes_away_in_the_middle_costs_the_rest_only(tmp_path, monkeypatch, caplog):
    path = tmp_path / "hits.jsonl"
    crawler = get_crawler(settings_dict={"FEEDS": {str(path): {"format": "jsonlines", "overwrite": True}}})
    crawler.spidercls.name = "topic"
    exporter = Feeds.from_crawler(crawler)
    exporter.open_spider(Spider("topic"))
    monkeypatch.setattr(crawler, "get_extension", lambda _kind: exporter)
    monkeypatch.setattr("topicspider.store.location.open_store", lambda *_: LostStore(60))
    config = SimpleNamespace(folder=tmp_path, name="tourism", topics=[SimpleNamespace(name="tourism")])
    options, stats = SimpleNamespace(store="", connect_wait=0), SimpleNamespace(earlier_pages=1)
    components = SimpleNamespace(config=config, options=options, stats=stats, writer=SimpleNamespace(in_outbox=0))
    asyncio.run(EarlierHits(crawler, components).spider_opened())
    exporter.slots[0].file.close()
    assert len(fed(path)) == 50  # so many are written at once
    assert "may not have the hits of earlier runs" in caplog.text
