"""What a site has given, summed up from its pages."""

from __future__ import annotations

import pytest

from topicspider.cli.sites import DROP, KEEP, RAISE, SiteStats, advise, interval, sites_of
from topicspider.store.rows import PageMeta

CHINESE = "xn--zfvz1q.example"  # 旅游.example


def page(host: str = "a.example", on_topic: bool = True, **fields: object) -> PageMeta:
    given = {"port": 80, "is_copy": False, "relevance": 0.5, "download_time": 0.2, "referrer": "", **fields}
    return PageMeta(host=host, on_topic=on_topic, **given)  # type: ignore[arg-type]


def by_name(pages: list[PageMeta]) -> dict[str, SiteStats]:
    return {site.site: site for site in sites_of(pages)}


def test_a_site_is_summed_up_from_its_pages() -> None:
    seconds, scores = (0.1, 0.9, 0.3, 0.0), (0.9, 0.5, 0.3, 0.1)
    pages = [page(CHINESE, i < 2, relevance=scores[i], download_time=seconds[i]) for i in range(4)]
    pages.append(page(CHINESE, True, is_copy=True, relevance=0.2, download_time=0.0))
    (site,) = sites_of(pages)
    assert (site.site, site.pages, site.hits, site.copies, site.leads) == (CHINESE, 5, 2, 1, 0)
    assert (site.hit_rate, site.mean_score) == (0.4, 0.4)
    assert site.response_seconds == 0.3  # the median of what was measured: 0 was not


def test_http_and_https_are_one_site_and_other_ports_are_others() -> None:
    pages = [page(port=80), page(port=443), page(port=8080), page("[::1]", port=81)]
    found = {site: one.pages for site, one in by_name(pages).items()}
    assert found == {"a.example": 2, "a.example:8080": 1, "[::1]:81": 1}


def test_hits_of_others_are_counted_for_the_site_whose_link_led_to_them() -> None:
    from_hub = {"referrer": f"http://{CHINESE}/列表"}
    pages = [page(CHINESE, False), page("b.example", **from_hub), page("c.example", **from_hub)]
    pages += [
        page("b.example", False, **from_hub),
        page("c.example", is_copy=True, **from_hub),
        page(CHINESE, **from_hub),
    ]
    assert {name: site.leads for name, site in by_name(pages).items()} == {CHINESE: 2, "b.example": 0, "c.example": 0}


def test_hub_and_authority_are_by_other_sites_and_not_by_the_users_starting_points() -> None:
    pages = [page("start.example") for _ in range(9)]
    pages += [page(host, referrer=f"http://{CHINESE}/列表") for host in ("b.example", "b.example", "c.example")]
    pages += [page("c.example", referrer="http://start.example/"), page(CHINESE, False)]
    found = {name: (round(site.hub, 2), round(site.authority, 2)) for name, site in by_name(pages).items()}
    # the principal eigenvector of [[2, 1], [1, 1]], by hand: 1 : (√5 - 1) / 2
    assert found == {CHINESE: (1, 0), "start.example": (0.62, 0), "b.example": (0, 0.62), "c.example": (0, 1)}


@pytest.mark.parametrize(
    ("hits", "pages", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (30, 1000, 0.0211, 0.0425)],
)  # of Wilson's formula, by hand
def test_wilsons_interval(hits: int, pages: int, low: float, high: float) -> None:
    assert interval(hits, pages) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("hits", "leads", "pages", "rate", "advice"),
    [
        (9, 0, 9, 0.05, KEEP),  # too few to say
        (0, 0, 9, 0.9, KEEP),
        (0, 0, 500, 0.0, KEEP),  # nobody has hits yet
        (30, 0, 40, 0.4, RAISE),
        (12, 0, 20, 0.4, KEEP),  # 60 %, of so few pages
        (0, 0, 20, 0.1, KEEP),  # none, but of so few that it may be 16 %
        (0, 0, 20, 0.4, DROP),
        (2, 0, 100, 0.4, DROP),
        (15, 0, 100, 0.4, KEEP),  # half as good as the others is still good
        (0, 9, 40, 0.4, KEEP),  # a hub
        (0, 900, 40, 0.4, KEEP),
        (0, 1, 400, 0.4, DROP),
    ],
)
def test_what_is_advised(hits: int, leads: int, pages: int, rate: float, advice: str) -> None:
    assert advise(hits, leads, pages, rate) == advice
