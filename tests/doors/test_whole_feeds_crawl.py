"""``-O`` after a resume: the feed holds the hits of all runs of the crawl."""

from __future__ import annotations

import csv
import json

import pytest

from tests.crawling import crawl, items, stored
from tests.site import small_web, travel_web

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


@pytest.mark.parametrize("pages", [12])
def test_a_crawl_begun_anew_has_its_own_hits_only(tmp_path, pages):
    with small_web(travel_web()) as web:
        crawl(tmp_path, web.proxy, *INTO, seeds=SEED)
        limit = ("-s", f"TOPICSPIDER_MAX_PAGES={pages}")
        again = crawl(tmp_path, web.proxy, *INTO, *limit, "-s", "TOPICSPIDER_FRESH=1", seeds=SEED)
    assert again.exit_code == 0, again.err
    assert 0 < len(fed(tmp_path / "hits.jsonl")) < len(hits(tmp_path))
