"""Rows for the tests of the store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from topicspider.items import PageItem
from topicspider.store.rows import CrawlRow, LinkRow, PageRow

PARTS = {"boolean": 1.0, "vsm": 0.42, "A": 3.5, "B": 0.75, "C": 0.5, "bm25": 0.1}


def page(url: str = "http://a.example/", on_topic: bool = True, **fields: Any) -> PageRow:
    """A page of the topic tourism with all its fields filled; ``fields`` replace some."""
    item = PageItem(
        url=url,
        host="a.example",
        port=80,
        title="桂林山水甲天下",
        body="漓江两岸的风景,坐竹筏最好。",
        summary="漓江两岸",
        keywords=["桂林", "漓江"],
        published="2026-05-01",
        modified="2026-05-02T08:00:00Z",
        author="李白",
        site_name="山水网",
        language="zh",
        type="article",
        data={"price": 88.5, "标签": ["山", "水"], "nested": {"ok": True, "none": None}},
        relevance=0.1 + 0.2,
        parts=dict(PARTS),
        topic="tourism",
        depth=3,
        referrer="http://b.example/links?页=1",
        fetched_at="2026-11-21T05:00:00Z",
        date="Fri, 20 Nov 2026 00:00:00 GMT",
        download_time=0.1234567890123,
        status=200,
        content_type="text/html",
        content_length=2**40,
        encoding="gb18030",
        link_count=57,
        duplicate_of="http://a.example/copy",
        snapshot="crawl.warc.gz:1234",
    )
    return PageRow(item=replace(item, **fields), on_topic=on_topic, threshold=0.2, scorer="vsm")


def link(target: str = "http://a.example/1", score: float = 0.5, **fields: Any) -> LinkRow:
    """A judged link on the default page()."""
    row = LinkRow("tourism", "http://a.example/", target, "下一页", score, "", {"rw": 0.25})
    return replace(row, **fields)


def crawl(run_id: str = "run-1", **fields: Any) -> CrawlRow:
    """A run of the topic tourism."""
    row = CrawlRow(run_id, "tourism", "d1", "2026-11-21T05:00:00Z", settings='{"seed": 0}', version="0.1.0")
    return replace(row, **fields)
