"""What a survey keeps of a topic's pages: enough to say what another visit brings, however many visits there were."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from support.store_rows import page
from topicspider.recrawl.crawl_value import SEEN_VISITS, change_rate
from topicspider.recrawl.planning import PageHistory
from topicspider.store.rows import Batch
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store

START = datetime(2026, 3, 1, tzinfo=UTC)
URL = "http://a.example/漓江"


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store(SqliteDatabase(":memory:"))
    yield made
    made.close()


def visited(store: Store, changes: list[bool]) -> None:
    """A page that is visited once a day."""
    text = 0
    for day, changed in enumerate([False, *changes]):
        text += changed
        body = "漓江风景" + "又一版" * text
        at = (START + timedelta(days=day)).isoformat(timespec="seconds")
        store.write(Batch(pages=[page(URL, body=body, fetched_at=at, duplicate_of="", referrer="")]))


@pytest.mark.parametrize("count", [3, SEEN_VISITS, SEEN_VISITS + 1, 3 * SEEN_VISITS + 5])
def test_the_last_visits_say_how_often_a_page_changes(store, count):
    changes = [number % 3 == 0 for number in range(count)]
    visited(store, changes)
    survey = PageHistory.of(store, "tourism")
    (kept,) = store.page_meta("tourism")
    expected = change_rate([(1.0, changed) for changed in changes[-SEEN_VISITS:]])
    assert survey._visits_of(kept) == [(1.0, changed) for changed in changes[-SEEN_VISITS:]]
    assert change_rate(survey._visits_of(kept)) == expected
    assert all(len(seen) <= 2 * SEEN_VISITS + 2 for seen in survey._visits.values())


def test_a_new_hit_is_new_since_the_second_visit_of_its_hub_however_many_there_were(store):
    visited(store, [False] * 80)
    for day in (0.5, 1.5, 70.0):
        at = (START + timedelta(days=day)).isoformat(timespec="seconds")
        store.write(Batch(pages=[page(f"{URL}/{day}", fetched_at=at, duplicate_of="", referrer=URL)]))
    survey = PageHistory.of(store, "tourism")
    (leads,) = survey._leads.values()
    assert (leads.stock, leads.later) == (1, 2)
