"""RepeatedLinks: what a site's menus are, within bounded memory."""

from __future__ import annotations

from topicspider.relevance.repeated_links import RepeatedLinks


def test_link_is_repeated_once_another_page_of_the_site_had_it() -> None:
    seen = RepeatedLinks()
    assert not seen.is_repeated("a.example", 1, 9, "首页")
    assert not seen.is_repeated("a.example", 1, 9, "首页")
    assert seen.is_repeated("a.example", 2, 9, "首页")
    assert not seen.is_repeated("a.example", 2, 9, "旅游")
    assert not seen.is_repeated("b.example", 2, 9, "首页")
    assert not seen.is_repeated("a.example", 2, 8, "首页")


def test_menu_is_remembered_while_many_other_links_pass() -> None:
    seen = RepeatedLinks(generation=100)
    seen.is_repeated("a.example", 0, 9, "首页")
    for page in range(1, 300):
        assert seen.is_repeated("a.example", page, 9, "首页")
        for number in range(10):
            seen.is_repeated("a.example", page, page * 1000 + number, "旅游")
    assert len(seen) <= 200


def test_any_text_is_an_anchor() -> None:
    assert not RepeatedLinks().is_repeated("", -(2**63), 2**63 - 1, "\ud800\0")
