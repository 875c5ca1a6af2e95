"""A data folder as crawls leave it, made without a crawl: judged pages, their snapshots, links, and changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from support.site import TRAVEL
from support.store_rows import link, page
from topicspider.store.location import open_store
from topicspider.store.rows import Batch, LinkRow, PageRow
from topicspider.store.snapshots import Snapshot, SnapshotWriter

SCORER = "vsm"
LONG_AGO = "2020-01-01T00:00:00+00:00"
TUNED = 60


def judged(place: int) -> PageRow:
    """Page number ``place`` (from 0) of TUNED pages: those from 30 on were hits, those from 45 on have a title about travel."""
    about = "古镇旅游攻略" if place >= 45 else "联赛战报"
    fields = {"relevance": place / TUNED, "duplicate_of": "", "snapshot": "", "fetched_at": LONG_AGO, "referrer": ""}
    row = page(f"http://judged.example/{place}", place >= 30, title=f"{about}{place}", host="judged.example", **fields)
    return replace(row, threshold=0.5, scorer=SCORER)


def put(data: Path, pages: Iterable[PageRow], links: Iterable[LinkRow] = ()) -> None:
    """Write rows into the store of the crawl of tourism below ``data``."""
    folder = data / "tourism"
    folder.mkdir(parents=True, exist_ok=True)
    with closing(open_store("", folder / "pages.db")) as store:
        store.write(Batch(pages=list(pages), links=list(links)))


def snapshots(data: Path, markup: Mapping[str, str], content_type: str = "text/html; charset=utf-8") -> dict[str, str]:
    """Write ``markup`` (by URL) as snapshots, as a crawl does; returns by URL where each snapshot is."""
    writer = SnapshotWriter(data / "tourism", "made")
    headers = (("Content-Type", content_type),)
    kept = {
        url: writer.submit(Snapshot(url, 200, headers, text.encode("utf-8", "replace"), LONG_AGO)).result()
        for url, text in markup.items()
    }
    writer.close()
    return kept


def hit(url: str, title: str, body: str = TRAVEL, **fields: object) -> PageRow:
    """A hit of the crawl of tourism."""
    given = {"referrer": "", "duplicate_of": "", "snapshot": "", "host": url.split("/")[2], "relevance": 0.8}
    return page(url, title=title, body=body, **{**given, "data": {}, "keywords": ["旅游"], **fields})


def led(source: str, target: str, anchor: str, score: float = 0.6, **fields: object) -> LinkRow:
    """A judged link from one page to another."""
    return link(
        target, score, source_url=source, anchor=anchor, parts={"base": 0.2, "anchor": 0.5, "site": -0.1}, **fields
    )
