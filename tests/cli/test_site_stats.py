"""What a site has given, summed up from its pages and its place in the queue."""

from __future__ import annotations

import pytest

from topicspider.cli.sites import (
    DROP,
    KEEP,
    RAISE,
    SORTS,
    Advice,
    SiteStats,
    advise,
    crawl_sites,
    in_order,
    interval,
)
from topicspider.frontier.inspection import HostState
from topicspider.store.rows import PageMeta

CHINESE = "xn--zfvz1q.example"  # 旅游.example


def page(host: str = "a.example", on_topic: bool = True, **fields: object) -> PageMeta:
    given = {"port": 80, "is_copy": False, "relevance": 0.5, "download_time": 0.2, "referrer": "", **fields}
    return PageMeta(host=host, on_topic=on_topic, **given)  # type: ignore[arg-type]


def cards(pages: list[PageMeta], hosts: list[HostState] | None = None) -> dict[str, SiteStats]:
    return {card.site: card for card in crawl_sites(pages, hosts).sites}


def test_a_site_is_summed_up_from_its_pages() -> None:
    seconds, scores = (0.1, 0.9, 0.3, 0.0), (0.9, 0.5, 0.3, 0.1)
    pages = [page(CHINESE, i < 2, relevance=scores[i], download_time=seconds[i]) for i in range(4)]
    pages.append(page(CHINESE, True, is_copy=True, relevance=0.2, download_time=0.0))
    (card,) = cards(pages).values()
    assert (card.site, card.pages, card.hits, card.copies, card.leads) == (CHINESE, 5, 2, 1, 0)
    assert card.hit_rate == 0.4
    assert card.mean_score == 0.4
    assert card.response_seconds == 0.3  # the median of what was measured: 0 was not
    assert (card.queue, card.capacity, card.is_blocked) == (None, None, False)


def test_http_and_https_are_one_site_and_other_ports_are_others() -> None:
    pages = [page(port=80), page(port=443), page(port=8080), page("[::1]", port=81)]
    hosts = [HostState("a.example:443", queued=3), HostState("a.example:80", queued=4), HostState("a.example:8080", 5)]
    found = cards(pages, hosts)
    assert {site: card.pages for site, card in found.items()} == {"a.example": 2, "a.example:8080": 1, "[::1]:81": 1}
    assert [card.queue.queued if card.queue else None for card in found.values()] == [None, 7, 5]


def test_hits_of_others_are_counted_for_the_site_whose_link_led_to_them() -> None:
    from_hub = {"referrer": f"http://{CHINESE}/列表"}
    pages = [page(CHINESE, False), page("b.example", **from_hub), page("c.example", **from_hub)]
    pages += [
        page("b.example", False, **from_hub),
        page("c.example", is_copy=True, **from_hub),
        page(CHINESE, **from_hub),
    ]
    assert {site: card.leads for site, card in cards(pages).items()} == {CHINESE: 2, "b.example": 0, "c.example": 0}


def test_capacity_is_that_of_cao_with_the_mean_score_as_quality() -> None:
    """(c): P = min(50, queued), T = 2 · connection time + 1.2 · P · response time, C = quality of P pages / T."""
    state = HostState("a.example:80", queued=10, connect_seconds=0.1, response_seconds=0.5)
    (card,) = cards([page(relevance=0.4), page(on_topic=False, relevance=0.2)], [state]).values()
    assert card.queue is not None
    assert (card.queue.pages_ahead, round(card.queue.task_seconds or 0, 6)) == (10, 6.2)
    assert round(card.capacity or 0, 6) == round(10 * 0.3 / 6.2, 6)
    (much,) = cards(
        [page()], [HostState("a.example:80", queued=900, connect_seconds=0.1, response_seconds=0.5)]
    ).values()
    assert much.queue is not None
    assert much.queue.pages_ahead == 50


def test_urls_that_were_given_up_count_as_fetches_without_a_hit() -> None:
    hosts = [HostState("gone.example:80", dead=50), HostState("a.example:80", dead=10, is_blocked=True)]
    found = cards([page() for _ in range(40)], hosts)
    assert (found["a.example"].hit_rate, found["a.example"].is_blocked) == (0.8, True)
    gone = found["gone.example"]
    assert (gone.pages, gone.hit_rate, gone.mean_score, gone.response_seconds) == (0, 0.0, None, None)
    assert gone.advice == Advice("drop", "below")


def test_hosts_that_only_wait_are_counted_apart() -> None:
    hosts = [HostState("a.example:80", queued=1), HostState("b.example:80", queued=2), HostState("b.example:443", 1)]
    hosts += [HostState("c.example:80", queued=1), HostState("redirects.example:80")]
    summed = crawl_sites([page()], hosts)
    assert ([card.site for card in summed.sites], summed.waiting) == (["a.example"], 2)
    assert crawl_sites([page()], None).waiting is None


def test_every_order_has_all_cards_and_what_is_not_known_last() -> None:
    state = HostState("b.example:80", queued=10, connect_seconds=0.1, response_seconds=0.5)
    pages = [
        page("b.example", False, relevance=0.9),
        page("a.example"),
        page("a.example"),
        page("c.example", download_time=3.0),
    ]
    found = crawl_sites(pages, [state]).sites
    first = {way: in_order(found, way)[0].site for way in SORTS}
    assert first == {
        "hits": "a.example", "pages": "a.example", "rate": "a.example", "score": "b.example", "seconds": "c.example",
        "capacity": "b.example", "advice": "a.example", "name": "a.example",
    }  # fmt: skip
    assert all(
        sorted(card.site for card in in_order(found, way)) == ["a.example", "b.example", "c.example"] for way in SORTS
    )


@pytest.mark.parametrize(
    ("hits", "fetches", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (30, 1000, 0.0211, 0.0425),
    ],
)  # of Wilson's formula, by hand
def test_wilsons_interval(hits: int, fetches: int, low: float, high: float) -> None:
    assert interval(hits, fetches) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("hits", "leads", "fetches", "rate", "advice"),
    [
        (9, 0, 9, 0.05, Advice(KEEP, "few_fetches")),
        (0, 0, 9, 0.9, Advice(KEEP, "few_fetches")),
        (0, 0, 500, 0.0, Advice(KEEP, "no_hits_yet")),
        (30, 0, 40, 0.4, Advice(RAISE, "above")),
        (12, 0, 20, 0.4, Advice(KEEP, "usual")),  # 60 %, of so few pages
        (0, 0, 20, 0.1, Advice(KEEP, "usual")),  # none, but of so few that it may be 16 %
        (0, 0, 20, 0.4, Advice(DROP, "below")),
        (0, 0, 40, 0.4, Advice(DROP, "below")),
        (2, 0, 100, 0.4, Advice(DROP, "below")),
        (15, 0, 100, 0.4, Advice(KEEP, "lower")),  # half as good as the others is still good
        (0, 9, 40, 0.4, Advice(KEEP, "leads")),  # a hub
        (0, 900, 40, 0.4, Advice(KEEP, "leads")),
        (0, 1, 400, 0.4, Advice(DROP, "below")),
    ],
)
def test_what_is_advised(hits: int, leads: int, fetches: int, rate: float, advice: Advice) -> None:
    assert advise(hits, leads, fetches, rate) == advice
