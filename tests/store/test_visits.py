"""Visits that bring no page, and what is read to plan the next: the same on every store."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from support.store_rows import page
from topicspider.store.rows import Batch, NoPageResponse, RecrawlSchedule, url_hash
from topicspider.store.store import Store

URL = "http://a.example/漓江"
FIRST = "2026-11-21T05:00:00+00:00"


def on(day: int) -> str:
    return f"2026-11-{day}T05:00:00+00:00"


def seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def test_a_page_that_was_not_modified_is_collected_and_stays_as_it_is(store: Store) -> None:
    row = page(URL, fetched_at=FIRST)
    store.write(Batch(pages=[row], checks=[RecrawlSchedule("tourism", URL, 3600.0, is_checked=False)]))
    for _ in range(2):  # promise S3
        store.write(Batch(visits=[NoPageResponse("tourism", URL, on(23), 304)]))
    assert store.page("tourism", URL) == row
    (kept,) = store.page_meta("tourism")
    assert (kept.update_cycle, kept.is_checked, kept.collected_at, kept.status) == (3600.0, True, seconds(on(23)), 200)
    (change,) = store.change_log("tourism")
    assert (change.seen_at, change.is_changed) == (on(23), False)
    assert change.content_hash != 0


def test_a_page_that_is_gone_is_marked_and_kept_and_may_come_back(store: Store) -> None:
    row = page(URL, fetched_at=FIRST)
    store.write(Batch(pages=[row]))
    for day, status in ((22, 404), (23, 410), (24, 304)):
        store.write(Batch(visits=[NoPageResponse("tourism", URL, on(day), status)]))
        found = store.page("tourism", URL)
        assert found == replace(row, item=replace(row.item, status=200 if status == 304 else status))
    seen = [(change.seen_at, bool(change.content_hash), change.is_changed) for change in store.change_log("tourism")]
    assert seen == [(on(22), False, True), (on(23), False, False), (on(24), True, True)]
    store.write(Batch(pages=[page(URL, fetched_at=on(25))]))
    assert not list(store.change_log("tourism"))[-1].is_changed  # as it was before it went


def test_what_is_known_of_pages_comes_without_their_text(store: Store) -> None:
    rows = [
        replace(
            page(URL, fetched_at=FIRST, duplicate_of=""), etag='"1"', last_modified="Fri, 20 Nov 2026 00:00:00 GMT"
        ),
        page("http://a.example/miss", on_topic=False, fetched_at=on(22), type=""),
    ]
    store.write(Batch(pages=rows))
    store.write(Batch(pages=[replace(rows[0], item=replace(rows[0].item, fetched_at=on(23)))]))
    hit, miss = store.page_meta("tourism")
    item = rows[0].item
    assert (hit.host, hit.referrer, hit.depth, hit.type) == (item.host, item.referrer, item.depth, item.type)
    assert (hit.url_hash, hit.relevance, hit.on_topic, hit.is_copy) == (url_hash(URL), item.relevance, True, False)
    assert (hit.first_seen, hit.collected_at) == (seconds(FIRST), seconds(on(23)))
    assert (hit.etag, hit.last_modified) == (rows[0].etag, rows[0].last_modified)
    assert (hit.port, hit.download_time, hit.threshold, hit.scorer) == (80, item.download_time, 0.2, "vsm")
    assert (miss.url, miss.on_topic, miss.is_copy) == ("http://a.example/miss", False, True)
    assert list(store.page_meta("sport")) == []


def test_a_visit_that_a_killed_recrawl_repeats_is_one_row_of_the_change_log(store: Store) -> None:
    gone = "http://a.example/gone"
    store.write(Batch(pages=[page(URL, fetched_at=FIRST), page(gone, fetched_at=FIRST)]))
    store.round_began_at = on(22)
    for day in (22, 23):
        store.write(
            Batch(pages=[page(URL, fetched_at=on(day))], visits=[NoPageResponse("tourism", gone, on(day), 404)])
        )
    assert [change.seen_at for change in store.change_log("tourism")] == [on(22)] * 2
    store.round_began_at = on(24)
    store.write(Batch(pages=[page(URL, fetched_at=on(25))]))
    assert len(list(store.change_log("tourism"))) == 3
