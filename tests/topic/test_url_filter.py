"""What keeps a link out: depth, hosts, traps, each told by its form, in Chinese too."""

from __future__ import annotations

import pytest

from topicspider.options import Options
from topicspider.topic.profile import Limits
from topicspider.topic.url_filter import LONGEST, MOST_SHAPES, Traps, UrlFilter, traps_from_options

A_TRAP = "http://甲.example/a/b/a/b/a/b/"


def test_limits_come_first_and_a_host_covers_its_subdomains():
    admission = UrlFilter(Limits(depth=2, allow_hosts=("good.example",), deny_hosts=("bad.good.example",)))
    assert admission.reject_reason("http://good.example/", 3) == "depth"
    assert admission.reject_reason("http://x.bad.good.example/", 1) == "host_denied"
    assert admission.reject_reason("http://other.example/", 1) == "host_not_allowed"
    assert admission.reject_reason("http://www.good.example/旅游", 2) == ""
    assert UrlFilter().reject_reason(A_TRAP, 99) == ""


@pytest.mark.parametrize(("options", "reason"), [({}, "trap_repeated"), ({"traps": "none"}, "")])
def test_traps_are_on_by_default(options, reason):
    assert UrlFilter(Limits(), traps_from_options(Options(**options))).reject_reason(A_TRAP, 1) == reason


SITE = "http://旅游.example".encode("idna").decode()

TRAPS = {
    "trap_length": [f"{SITE}/{'%E6%B8%B8' * (LONGEST // 9)}"],
    "trap_segments": [f"{SITE}/" + "/".join(f"s{i}" for i in range(17))],
    "trap_repeated": [
        f"{SITE}/a/b/a/b/a/b/",
        f"{SITE}/img/img/img/x.html",
        f"{SITE}/%E6%B8%B8/x/%E6%B8%B8/y/%E6%B8%B8/z/%E6%B8%B8",
        f"{SITE}/%E6%B8%B8/%E6%B8%B8/%E6%B8%B8/",
    ],
    "trap_parameters": [f"{SITE}/?" + "&".join(f"p{i}=1" for i in range(13))],
    "trap_calendar": [
        f"{SITE}/events/2031/05/",
        f"{SITE}/events/2031-5",
        f"{SITE}/2031/07",
        f"{SITE}/%E6%97%A5%E5%8E%86/2031/11/",
        f"{SITE}/%E6%97%A5%E5%8E%86?year=2031&month=5",
        f"{SITE}/c?date=2031-05-01",
        f"{SITE}/c?month=203105",
        f"{SITE}/c?a=1&date=1801-05-01",
    ],
}

PAGES = [
    f"{SITE}/",
    f"{SITE}/2026/11/22/%E6%B8%B8.html",
    f"{SITE}/2010/10/10/10/",
    f"{SITE}/a/20537dcfd130/",
    f"{SITE}/posts/21491.html",
    f"{SITE}/item/2053/",
    f"{SITE}/thread?tid=2053&page=3",
    f"{SITE}/list/2105/2",
    f"{SITE}/tag/2150/12/",
    f"{SITE}/forum/2150-1-1.html",
    f"{SITE}/news?date=2027-01-05",
    f"{SITE}/1911/10/10/",
    f"{SITE}/s?y=2053",
    f"{SITE}/zh/a/zh/b/zh/c",
    f"{SITE}//a//b//c",
]


@pytest.mark.parametrize(("reason", "url"), [(reason, url) for reason, urls in TRAPS.items() for url in urls])
def test_a_trap_is_named(reason, url):
    assert Traps(2026).reason(url) == reason


@pytest.mark.parametrize("url", PAGES)
def test_a_page_for_readers_passes(url):
    assert Traps(2026).reason(url) == ""


def test_filters_that_multiply_are_left_after_many_and_a_forum_is_not():
    traps = Traps(2026)
    shapes = [f"{SITE}/list?{''.join(f'f{i}=1&' for i in range(6) if n >> i & 1)}sort=1" for n in range(1, 64)]
    assert [traps.reason(url) for url in shapes] == [""] * MOST_SHAPES + ["trap_shapes"] * (63 - MOST_SHAPES)
    assert traps.reason(shapes[0].replace("sort=1", "sort=2")) == ""  # a shape that is known
    assert traps.reason(shapes[-1].replace("/list", "/other")) == ""
    assert all(traps.reason(f"{SITE}/thread?tid={n}&page=1") == "" for n in range(500))
