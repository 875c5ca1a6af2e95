"""The promises of store/store.py, on every store; each test cites the number it checks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from support.servers import run_sql
from support.store_rows import crawl, link, page
from topicspider.errors import BadRow
from topicspider.store.rows import Batch, NoPageResponse, Totals, content_hash, seconds_of
from topicspider.store.store import Store


def test_page_comes_back_with_every_field(store: Store) -> None:
    store.write(Batch(pages=[page()]))
    assert store.page("tourism", "http://a.example/") == page()


def test_links_and_runs_come_back_with_every_field(store: Store) -> None:
    row = link(anchor="桂林→漓江 🚣", pruned="low_rw", parts={"rw": 0.1 + 0.2})
    run = crawl(ended_at="2026-11-21T06:00:00Z", reason="finished", totals='{"页": 3}')
    store.write(Batch(links=[row], crawls=[run]))
    assert store.links_from("tourism", "http://a.example/") == [row]
    assert store.crawls() == [run]


def test_a_miss_is_stored_without_body_and_summary(store: Store) -> None:
    store.write(Batch(pages=[page(on_topic=False)]))
    found = store.page("tourism", "http://a.example/")
    assert found is not None
    assert (found.on_topic, found.item.body, found.item.summary, found.item.title) == (False, "", "", page().item.title)
    assert list(store.all_hits()) == []


BAD = [
    {"relevance": float("nan")},
    {"download_time": float("inf")},
    {"status": 2**63},
    {"title": None},
    {"topic": "很" * 256},
    {"data": {"x": object()}},
    {"data": {"x": float("nan")}},
    {"parts": {"A": "high"}},
    {"title": "x" * (4 << 20)},
]


@pytest.mark.parametrize("fields", BAD, ids=[next(iter(fields)) + str(i) for i, fields in enumerate(BAD)])
def test_promise_1_a_batch_with_a_bad_row_writes_nothing(store: Store, fields: dict[str, object]) -> None:
    with pytest.raises(BadRow) as caught:
        store.write(
            Batch(pages=[page("http://a.example/good"), page("http://a.example/bad", **fields)], links=[link()])
        )
    assert "\n" not in str(caught.value)
    assert next(iter(fields)) in str(caught.value) or "row" in str(caught.value)
    assert store.totals() == Totals()
    assert store.links_from("tourism", "http://a.example/") == []
    store.write(Batch(pages=[page("http://a.example/good")]))
    assert store.totals().pages == 1


def test_promise_1_what_was_written_is_there_for_the_next_process(
    lasting_url: str, opened: Callable[..., Store]
) -> None:
    first = opened(lasting_url)
    first.write(Batch(pages=[page()], links=[link()], crawls=[crawl()]))
    first.close()
    second = opened(lasting_url)
    assert second.page("tourism", "http://a.example/") == page()
    assert (second.links_from("tourism", "http://a.example/"), second.crawls()) == ([link()], [crawl()])


def test_promise_2_writing_a_batch_again_changes_nothing(store: Store) -> None:
    """Promise S3."""
    pages = [page(f"http://a.example/{i}", on_topic=i % 2 == 0, relevance=i / 10) for i in range(10)]
    batch = Batch(pages=pages, links=[link(), link("http://a.example/2")], crawls=[crawl()])
    store.write(batch)
    once = (list(store.all_hits()), store.totals(), store.links_from("tourism", "http://a.example/"))
    store.write(batch)
    again = (list(store.all_hits()), store.totals(), store.links_from("tourism", "http://a.example/"))
    assert again == once
    assert store.crawls() == [crawl()]


def test_promise_2_a_page_seen_again_is_one_row_with_its_newest_content(store: Store) -> None:
    newer = page(title="新标题", relevance=0.9, fetched_at="2026-12-01T00:00:00Z")
    store.write(Batch(pages=[page()]))
    store.write(Batch(pages=[newer]))
    assert list(store.all_hits()) == [newer]


def test_promise_2_an_old_batch_written_late_does_not_undo_a_newer_one(store: Store) -> None:
    newer = page(title="新标题", fetched_at="2026-11-22T00:00:00Z")
    ended = crawl(ended_at="2026-12-01T00:00:00Z", reason="finished")
    store.write(Batch(pages=[newer], crawls=[ended]))
    store.write(Batch(pages=[page()], crawls=[crawl()]))
    assert store.page("tourism", "http://a.example/") == newer
    assert store.crawls() == [ended]


def test_promise_2_what_a_clock_that_was_ahead_wrote_is_not_newer(store: Store) -> None:
    now, gone = "2020-01-01T00:00:00+00:00", "http://a.example/gone"
    store.write(Batch(pages=[page(url, fetched_at="2099-01-01T00:00:00Z") for url in ("http://a.example/", gone)]))
    newer = page(title="新标题", fetched_at=now)
    for _ in range(2):  # promise S3
        store.write(Batch(pages=[newer], visits=[NoPageResponse("tourism", gone, now, 404)]))
    assert store.page("tourism", "http://a.example/") == newer
    assert {meta.collected_at for meta in store.page_meta("tourism")} == {seconds_of(now)}
    assert [change.seen_at for change in store.change_log("tourism")] == [now] * 2


@pytest.mark.parametrize("bad", [chr(0), chr(0xD800), chr(0xDFFF)], ids=["nul", "high", "low"])
def test_promise_3_what_no_database_takes_is_replaced(store: Store, bad: str) -> None:
    text = f"山{bad}水"
    store.write(Batch(pages=[page(title=text, keywords=[text], data={text: {"x": [text]}}, body=text)]))
    found = store.page("tourism", "http://a.example/")
    assert found is not None
    clean = "山\ufffd水"
    assert (found.item.title, found.item.body, found.item.keywords) == (clean, clean, [clean])
    assert found.item.data == {clean: {"x": [clean]}}


def test_promise_3_a_body_of_1_mb_comes_back_whole(store: Store) -> None:
    body = "漓江" * (1 << 17) + "x" * (1 << 18)  # 1 MiB of UTF-8
    store.write(Batch(pages=[page(body=body)]))
    found = store.page("tourism", "http://a.example/")
    assert found is not None
    assert found.item.body == body


def test_promise_3_a_longer_body_is_cut_between_characters_with_a_note(store: Store) -> None:
    body = "漓" * 400_000
    store.write(Batch(pages=[page(body=body, data={"price": 1})]))
    found = store.page("tourism", "http://a.example/")
    assert found is not None
    assert found.item.body == "漓" * ((1 << 20) // 3)
    assert found.item.data == {"price": 1, "body_cut": 400_000}


@pytest.mark.parametrize(
    "other",
    [
        "http://a.example/page",
        "http://a.example/Págé",
        "http://a.example/Pagé",
        "http://a.example/Page ",
        "http://a.example/Page/",
        "http://a.example/\u0050age\u0301",
    ],
)
def test_promise_4_urls_differ_by_case_accents_and_trailing_spaces(store: Store, other: str) -> None:
    urls = ["http://a.example/Page", other]
    assert urls[0] != urls[1]
    store.write(Batch(pages=[page(url, title=url) for url in urls], links=[link(url) for url in urls]))
    found = [store.page("tourism", url) for url in urls]
    assert [row.item.url for row in found if row] == urls
    assert {row.target_url for row in store.links_from("tourism", "http://a.example/")} == set(urls)


def test_all_hits_come_in_stored_order_while_others_write(store: Store) -> None:
    for number in range(120):
        store.write(Batch(pages=[page(f"http://a.example/{number}", on_topic=number % 3 != 0)]))
    hits = store.all_hits("tourism")
    seen = [next(hits).item.url]
    store.write(
        Batch(pages=[page("http://a.example/1", fetched_at="2026-12-01T00:00:00Z"), page("http://a.example/new")])
    )
    seen += [row.item.url for row in hits]
    assert seen == [f"http://a.example/{number}" for number in range(120) if number % 3 != 0] + ["http://a.example/new"]


def test_links_come_best_first_and_bounded(store: Store) -> None:
    rows = [link(f"http://a.example/{i}", score=i / 10) for i in range(10)]
    store.write(Batch(links=rows))
    assert store.links_from("tourism", "http://a.example/", limit=3) == rows[:-4:-1]
    assert store.links_from("tourism", "http://other.example/") == []


def test_the_change_log_says_when_a_page_was_collected_again_and_had_changed(store: Store) -> None:
    texts = {"2026-11-21": "漓江", "2026-11-22": "漓江", "2026-11-23": "桂林"}
    for _ in range(2):  # promise S3
        for day, body in texts.items():
            row = replace(page(body=body, fetched_at=f"{day}T00:00:00Z"), on_topic=False)
            told = content_hash(row) if day == "2026-11-22" else 0  # by the process that read the page
            store.write(Batch(pages=[replace(row, content_hash=told)]))
    found = list(store.change_log("tourism"))
    assert [(row.seen_at[:10], row.is_changed) for row in found] == [("2026-11-22", False), ("2026-11-23", True)]
    assert found[0].content_hash != found[1].content_hash
    assert list(store.change_log("sport")) == []


def test_a_title_that_another_rule_found_is_no_change(store: Store) -> None:
    """By a rule of titles a page has one or the other; a page without a body is what its title says."""
    pages = [
        ("桂林网", "桂林\n漓江"),
        ("桂林", "漓江"),
        ("要闻", "桂林\n漓江"),
        ("要闻", "桂林\n阳朔"),
        ("要闻", ""),
        ("桂林", ""),
    ]
    for day, (title, body) in enumerate(pages, 10):
        store.write(Batch(pages=[page(title=title, body=body, fetched_at=f"2026-11-{day}T00:00:00Z")]))
    assert [row.is_changed for row in store.change_log("tourism")] == [False, False, True, True, True]


def test_what_became_of_hits_is_told_by_their_sentences(store: Store) -> None:
    """Newest first; clocks, counters and order are no change, and the first crawl's pages are not new."""

    def put(day: int, body: str, url: str = "http://a.example/", on_topic: bool = True) -> None:
        row = page(url, on_topic, body=body, fetched_at=f"2026-11-{day}T00:00:00Z", duplicate_of="")
        store.write(Batch(pages=[row]))

    put(21, "漓江很美。阅读 12 次。\n坐竹筏最好。\n船票十元。")
    put(22, "坐竹筏最好。\n漓江很美。阅读 9812 次。\n船票二十元。")
    put(22, "新的一页。", "http://a.example/new")
    put(22, "与旅游无关。", "http://a.example/miss", on_topic=False)
    store.write(Batch(visits=[NoPageResponse("tourism", "http://a.example/", "2026-11-23T00:00:00Z", 404)]))
    gone, *others = store.changed_hits("tourism")
    assert (gone.kind, gone.url, gone.title, gone.added) == ("gone", "http://a.example/", "桂林山水甲天下", [])
    told = {one.kind: (one.url, one.added, one.removed) for one in others}
    assert told == {
        "new": ("http://a.example/new", (), ()),
        "changed": ("http://a.example/", ["船票二十元。"], ["船票十元。"]),
    }
    assert [one.kind for one in store.changed_hits("tourism", 1)] == ["gone"]
    assert store.changed_hits("sport") == []


def test_links_to_a_page_come_best_first(store: Store) -> None:
    rows = [link("http://a.example/x", score=i / 10, source_url=f"http://a.example/{i}") for i in range(5)]
    store.write(Batch(links=[*rows, link("http://a.example/y")]))
    assert store.links_to("tourism", "http://a.example/x", limit=3) == rows[:-4:-1]


def test_intermediate_scores_are_columns(lasting_url: str, opened: Callable[..., Store]) -> None:
    parts = {"rw": 0.25, "ipagerank": 0.75, "pagerank": 0.5}
    links = [link(parts=parts, policy="ipagerank"), link("http://a.example/2", 0.125, parts={}, policy="learned")]
    rows = [replace(page(relevance=0.375), scorer="learned", ipagerank=1.25), page("http://a.example/2")]
    store = opened(lasting_url)
    store.write(Batch(pages=rows, links=links))
    assert [store.page("tourism", row.item.url) for row in rows] == rows
    if lasting_url.startswith("mysql:"):
        run = partial(run_sql, lasting_url)
    else:
        run = sqlite3.connect(lasting_url.removeprefix("sqlite:///")).execute
    found = run("SELECT score_rw, score_pagerank, score_ipagerank, score_learned FROM links ORDER BY target_url")
    assert list(found) == [(0.25, 0.5, 0.75, None), (None, None, None, 0.125)]
    found = run(
        "SELECT score_boolean, score_vsm, score_a, score_b, score_c, score_learned, score_ipagerank FROM pages ORDER BY url"
    )
    assert list(found) == [(1.0, 0.42, 3.5, 0.75, 0.5, 0.375, 1.25), (1.0, 0.42, 3.5, 0.75, 0.5, None, None)]


def test_two_topics_in_one_store_do_not_mix(store: Store) -> None:
    food = [page(topic="美食", title="米粉", relevance=0.2), page("http://b.example/", topic="美食", on_topic=False)]
    store.write(
        Batch(
            pages=[page(), *food],
            links=[link(), link("http://c.example/", topic="美食")],
            crawls=[crawl(), crawl("run-2", topic="美食")],
        )
    )
    assert store.page("美食", "http://a.example/") == food[0]
    assert store.page("tourism", "http://a.example/") == page()
    assert (list(store.all_hits("美食")), list(store.all_hits("tourism"))) == ([food[0]], [page()])
    assert [row.target_url for row in store.links_from("美食", "http://a.example/")] == ["http://c.example/"]
    assert [row.run_id for row in store.crawls("美食")] == ["run-2"]
    assert (store.totals("tourism").pages, store.totals("美食").pages, store.totals().pages) == (1, 2, 3)


def test_totals_count_what_is_stored(store: Store) -> None:
    """A copy of a hit is a page, and no hit."""
    days = [f"2026-11-2{number}T00:00:00Z" for number in range(4)]
    rows = [
        page(f"http://a.example/{number}", number < 3, fetched_at=day, duplicate_of="")
        for number, day in enumerate(days)
    ]
    rows.append(page("http://b.example/", host="b.example", duplicate_of=rows[0].item.url))
    store.write(Batch(pages=rows))
    store.write(Batch(pages=rows))
    assert store.totals("tourism") == store.totals() == Totals(pages=5, hits=3)
    assert store.totals("food") == Totals()
