"""Promise 6 of the store: near-duplicates among the hits are marked with the first copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from support.store_rows import page
from topicspider.page.near_duplicate import NEAR, simhash
from topicspider.store.rows import Batch, PageRow
from topicspider.store.store import Store

WORDS = [
    f"{place}{thing}" for place in "山水城湖岛林泉桥" for thing in ("门票", "路线", "季节", "住宿", "美食", "交通")
]
TEXT = simhash(WORDS)
NEARLY = simhash([*WORDS[:-2], "摘要", "转载"])
OTHER = simhash(WORDS[::-1])


def copy(url: str, text: int = TEXT, seconds: int = 0, **fields: object) -> PageRow:
    """A hit at ``url`` with the simhash ``text``, fetched so many seconds after the first."""
    row = page(url, **{"duplicate_of": "", "fetched_at": f"2026-11-21T05:00:{seconds:02}Z", **fields})
    return PageRow(row.item, row.on_topic, row.threshold, row.scorer, text)


def originals(store: Store, topic: str = "tourism") -> dict[str, str]:
    """What each stored hit is a copy of."""
    return {row.item.url: row.item.duplicate_of for row in store.all_hits(topic)}


def test_a_copy_names_the_first_and_the_caller_is_told(store: Store) -> None:
    assert store.write(Batch(pages=[copy("http://a.example/1")])) == {}
    told = store.write(Batch(pages=[copy("http://b.example/转载", NEARLY, 1), copy("http://c.example/", OTHER, 2)]))
    assert told == {("tourism", "http://b.example/转载"): "http://a.example/1"}
    assert originals(store) == {
        "http://a.example/1": "",
        "http://b.example/转载": "http://a.example/1",
        "http://c.example/": "",
    }


def test_originals_are_listed_newest_first_without_their_copies(store: Store) -> None:
    store.write(Batch(pages=[copy("http://a.example/1"), copy("http://a.example/短", 0)]))
    store.write(Batch(pages=[copy("http://b.example/转载", NEARLY, 1), copy("http://c.example/", OTHER, 2)]))
    store.write(
        Batch(pages=[copy("http://d.example/", OTHER, 3, topic="美食"), copy("http://e.example/", 77, on_topic=False)])
    )
    assert store.originals("tourism", 9) == [("http://c.example/", OTHER), ("http://a.example/1", TEXT)]
    assert store.originals("tourism", 1) == [("http://c.example/", OTHER)]
    assert store.originals("美食", 9) == [("http://d.example/", OTHER)]


def test_writing_again_changes_nothing_even_for_pages_of_one_second(store: Store) -> None:
    rows = [copy(f"http://a.example/{n}", NEARLY if n % 2 else TEXT) for n in range(10)]
    store.write(Batch(pages=rows))
    before = originals(store)
    assert sorted(before.values()).count("") == 1
    for again in (rows, rows[::-1], rows[3:4]):
        store.write(Batch(pages=again))
        assert originals(store) == before


def test_what_is_near_a_copy_only_is_an_original(store: Store) -> None:
    flipped = TEXT ^ ((1 << NEAR) - 1)
    twice = flipped ^ (((1 << NEAR) - 1) << NEAR)
    for second, text in enumerate((TEXT, flipped, twice)):
        store.write(Batch(pages=[copy(f"http://a.example/{second}", text, second)]))
    assert list(originals(store).values()) == ["", "http://a.example/0", ""]


def test_misses_short_texts_and_other_topics_are_no_copies(store: Store) -> None:
    miss = copy("http://a.example/miss")
    store.write(Batch(pages=[PageRow(miss.item, False, 0.2, "vsm", TEXT), copy("http://a.example/short", 0)]))
    store.write(Batch(pages=[copy("http://a.example/food", topic="food")]))
    store.write(Batch(pages=[copy("http://b.example/", seconds=9), copy("http://b.example/short", 0, 9)]))
    assert set(originals(store).values()) | set(originals(store, "food").values()) == {""}


def test_copies_of_what_a_page_says_now_are_found(store: Store) -> None:
    """Of one that has changed, and of a miss that has become a hit."""
    changed, miss = copy("http://a.example/1"), copy("http://a.example/2", 0x5A5A5A5A)
    store.write(Batch(pages=[changed, replace(miss, on_topic=False)]))
    store.write(Batch(pages=[copy("http://x.example/", 0x77)]))
    later = [copy("http://a.example/1", OTHER, 1), copy("http://a.example/2", 0x5A5A5A5A, 1)]
    store.write(Batch(pages=later))
    told = store.write(Batch(pages=[copy("http://b.example/1", OTHER, 2), copy("http://b.example/2", 0x5A5A5A5A, 2)]))
    assert {copied[-1]: original[-1] for (_, copied), original in told.items()} == {"1": "1", "2": "2"}


def test_copies_of_what_another_process_wrote_are_found(lasting_url: str, opened: Callable[[str], Store]) -> None:
    ours, theirs = opened(lasting_url), opened(lasting_url)
    ours.write(Batch(pages=[copy("http://x.example/", OTHER)]))
    theirs.write(Batch(pages=[copy("http://a.example/1")]))
    told = ours.write(Batch(pages=[copy("http://b.example/", NEARLY, 5)]))
    assert told == {("tourism", "http://b.example/"): "http://a.example/1"}
