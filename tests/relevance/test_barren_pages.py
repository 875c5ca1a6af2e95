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


def test_homes_of_one_domain_that_only_lead_to_each_other_are_a_trap_until_a_page_is_read():
    barren, home = BarrenPages(), "http://旅游{}.example.com/".format
    for number in range(WINDOW):
        barren.note(home(number), _Page(subject_words=(f"景点{number}",), body_words=(), is_hub=True))
    assert barren.is_trap(home("x"))
    assert not barren.is_trap(f"{home('x')}1.html")
    barren.note(f"{home(1)}1.html", _page("桂林旅游", "漓江"))
    assert not barren.is_trap(home("x"))
    blog = "http://blog{}.example.net/".format
    for number in range(WINDOW):
        links = (Link(f"{blog(number)}1.html", "桂林旅游"),)
        barren.note(blog(number), _Page(subject_words=("博客", str(number)), body_words=(), is_hub=True, links=links))
    assert not barren.is_trap(blog("x"))
