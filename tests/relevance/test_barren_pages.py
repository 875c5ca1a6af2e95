"""Traps that are told by what their pages say: nothing new, one after the other."""

from __future__ import annotations

from types import SimpleNamespace

from topicspider.page.links import Link
from topicspider.relevance.barren_pages import WINDOW, BarrenPages

CALENDAR = "http://a.example/calendar/{}.html"


class _Page(SimpleNamespace):
    """A page of a title and some words; ``asked`` counts how often its text was looked at."""

    asked = 0
    condition = ""
    is_hub = False
    links = (Link("http://a.example/", "下一月"),)

    @property
    def simhash(self):
        self.asked += 1
        return 0


def _page(title, *words):
    return _Page(subject_words=(title,), body_words=words)


def test_pages_that_say_the_same_but_for_numbers_are_a_trap():
    barren = BarrenPages()
    for number in range(WINDOW + 1):
        barren.note(CALENDAR.format(number), _page(f"旅游日历{number}", "没有", f"{number}日"))
        assert not barren.is_trap(CALENDAR.format("下"))
    barren.note(CALENDAR.format(999), _page("旅游日历999", "没有", "999日"))
    barren.note(CALENDAR.format(1000), _page("旅游日历1000", "没有", "1000日"))
    assert barren.is_trap(CALENDAR.format("下"))
    assert not barren.is_trap("http://b.example/calendar/1.html")


def test_one_page_that_says_something_new_ends_a_trap():
    barren = BarrenPages()
    for number in range(WINDOW + 5):
        barren.note(CALENDAR.format(number), _page("旅游日历", "没有"))
    assert barren.is_trap(CALENDAR.format(1))
    barren.note(CALENDAR.format(1), _page("旅游日历", "桂林", "漓江"))
    assert not barren.is_trap(CALENDAR.format(1))


def test_the_text_of_a_page_with_a_title_of_its_own_is_not_looked_at():
    barren = BarrenPages()
    pages = [_page(title, "漓江") for title in ("桂林旅游", "黄山旅游", "黄山旅游")]
    for number, page in enumerate(pages):
        barren.note(CALENDAR.format(number), page)
    assert [page.asked for page in pages] == [0, 0, 1]
