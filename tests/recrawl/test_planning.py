"""Which pages a round visits, and when each is due the next time: on a real store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from support.store_rows import page
from topicspider.recrawl.planning import DAY, back_off, choose, settle
from topicspider.store.rows import Batch, NoPageResponse, PageRow
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store(SqliteDatabase(":memory:"))
    yield made
    made.close()


def at(days: float) -> str:
    return (START + timedelta(days=days)).isoformat(timespec="seconds")


def now(days: float) -> float:
    return (START + timedelta(days=days)).timestamp()


def hit(name: str, days: float = 0.0, text: str = "", **fields: object) -> PageRow:
    usual = {
        "relevance": 0.6,
        "duplicate_of": "",
        "referrer": "",
        "body": text or f"漓江风景 {name}",
        "host": "a.example",
    }
    return page(f"http://a.example/{name}", fetched_at=at(days), **{**usual, **fields})


def urls(choice: object) -> list[str]:
    return [one.page.url.removeprefix("http://a.example/") for one in choice.pages]  # type: ignore[attr-defined]


def history(store: Store, name: str, changes: list[bool], days: float = 1.0, **fields: object) -> float:
    """A page that was visited every ``days`` days, and had changed as it says; returns the day of the last visit."""
    text = 0
    for number, changed in enumerate([False, *changes]):
        text += changed
        store.write(Batch(pages=[hit(name, number * days, f"第{'一二三四五六七八九十'[text]}版漓江", **fields)]))
    return len(changes) * days


def test_pages_are_due_when_their_cycle_is_over_and_not_before(store):
    store.write(Batch(pages=[hit("旧"), hit("新", 5.0)]))
    early = choose(store, ["tourism"], now(6.9), 10)
    assert (urls(early), early.due, early.next_due) == ([], 0, now(7.0))
    late = choose(store, ["tourism"], now(8), 10)
    assert (urls(late), late.due, late.next_due) == (["旧"], 1, now(12.0))
    assert urls(choose(store, ["sport"], now(8), 10)) == []


def test_pages_of_a_clock_that_was_ahead_are_due(store):
    store.write(Batch(pages=[hit("ahead", 365.0), hit("just-now", 8.5)]))
    for older_than in (None, DAY):
        assert urls(choose(store, ["tourism"], now(8), 10, older_than)) == ["ahead"]


def test_older_than_overrides_the_cycle(store):
    store.write(Batch(pages=[hit("旧"), hit("新", 5.0)]))
    assert urls(choose(store, ["tourism"], now(6), 10, older_than=3 * DAY)) == ["旧"]
    assert sorted(urls(choose(store, ["tourism"], now(6), 10, older_than=0.0))) == ["新", "旧"]
    assert urls(choose(store, ["tourism"], now(30), 10, older_than=40 * DAY)) == []


def test_the_most_valuable_pages_are_chosen_within_the_budget(store):
    rows = [hit(f"r{number}", relevance=number / 10) for number in range(1, 10)]
    miss = replace(hit("miss", relevance=0.9), on_topic=False)
    copy = hit("copy", relevance=0.95, body="另一篇", duplicate_of="http://a.example/r9")
    store.write(Batch(pages=[*rows, miss, copy]))
    choice = choose(store, ["tourism"], now(10), 3)
    assert (urls(choice), choice.due) == (["r9", "r8", "r7"], 11)
    assert urls(choose(store, ["tourism"], now(10), 11))[-1] in ("r1", "miss", "copy")


def test_a_page_that_changes_comes_before_one_that_does_not_and_one_that_changes_all_the_time(store):
    history(store, "now-and-then", [False, False, True, False, False, True])
    history(store, "never", [False] * 6)
    for number in range(24 * 6 + 1):  # each hour another
        store.write(Batch(pages=[hit("clockwork", number / 24, f"{'山水' * (number % 50)}")]))
    assert urls(choose(store, ["tourism"], now(16), 3)) == ["now-and-then", "never", "clockwork"]


def test_hubs_come_by_the_new_hits_they_gave(store):
    hubs = [replace(hit(name, relevance=0.05), on_topic=False) for name in ("good", "idle", "stale")]
    store.write(Batch(pages=hubs))
    found = [
        hit(f"old{n}{name}", 0.01, referrer=f"http://a.example/{name}") for name in ("good", "stale") for n in range(5)
    ]
    store.write(Batch(pages=found))
    for day in (1, 2, 3):
        store.write(
            Batch(
                visits=[
                    NoPageResponse("tourism", f"http://a.example/{hub}", at(day), 304)
                    for hub in ("good", "idle", "stale")
                ]
            )
        )
        store.write(Batch(pages=[hit(f"new{day}", day + 0.01, referrer="http://a.example/good")]))
    chosen = urls(choose(store, ["tourism"], now(11), 30))
    assert [name for name in chosen if name in ("good", "idle", "stale")] == ["good", "stale", "idle"]
    assert chosen[0] == "good"


def test_a_page_of_two_topics_is_visited_once_for_the_one_that_wants_it_most(store):
    row = hit("both", relevance=0.2)
    store.write(Batch(pages=[row, replace(row, item=replace(row.item, topic="food", relevance=0.9)), hit("one")]))
    choice = choose(store, ["tourism", "food"], now(9), 10)
    assert urls(choice) == ["both", "one"]


def cycles(store: Store) -> dict[str, float]:
    return {page.url.rsplit("/", 1)[1]: page.update_cycle / DAY for page in store.page_meta("tourism")}


def test_settling_gives_visited_pages_a_cycle_by_change_and_relevance_and_says_what_came(store):
    last = history(store, "now-and-then", [True, False, True, False, False, True])
    history(store, "never", [False] * 6)
    history(store, "minor", [True, False, True, False, False, True], relevance=0.1)
    store.write(Batch(pages=[hit("untouched"), hit("new", last), replace(hit("miss", last), on_topic=False)]))
    store.write(Batch(pages=[hit("lost")]))
    store.write(Batch(visits=[NoPageResponse("tourism", "http://a.example/lost", at(last), 404)]))
    found = settle(store, ["tourism"], at(last), 0.5)
    assert (found.changed, found.unchanged, found.gone, found.new_pages, found.new_hits) == (2, 1, 1, 2, 1)
    days = cycles(store)
    assert days["now-and-then"] < days["never"]
    assert days["now-and-then"] < days["minor"]
    assert days["untouched"] == 7.0
    before = cycles(store)
    assert settle(store, ["tourism"], at(last), 0.5) == found
    assert cycles(store) == before


def test_a_page_that_is_gone_waits_as_long_again_as_it_has_been(store):
    store.write(Batch(pages=[hit("lost")]))
    waits = []
    for day in (7, 14, 28):
        store.write(Batch(visits=[NoPageResponse("tourism", "http://a.example/lost", at(day), 404)]))
        settle(store, ["tourism"], at(day), 1.0)
        waits.append(cycles(store)["lost"])
    assert waits == [7.0, 14.0, 28.0]


def test_a_page_that_could_not_be_had_waits_as_long_again_as_it_has(store):
    store.write(Batch(pages=[hit("down"), hit("up")]))
    back_off(store, ["tourism"], ["http://a.example/up"], now(0.001))  # of a round with --older-than 0d
    back_off(store, ["tourism"], ["http://a.example/down", "http://unknown.example/"], now(10))
    assert cycles(store) == {"down": 20.0, "up": 7.0}
    back_off(store, ["tourism"], ["http://a.example/down"], now(20))
    assert cycles(store)["down"] == 40.0
    back_off(store, ["tourism"], ["http://a.example/down"], now(1000))
    assert cycles(store)["down"] == 180.0
