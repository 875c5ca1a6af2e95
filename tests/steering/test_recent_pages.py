"""What is remembered of the last pages: all that judging asks."""

from __future__ import annotations

from tests.page.made import article
from topicspider.page.page import Page
from topicspider.steering.topic_reload import RecentPages

ASKED = ("title_words", "body_words", "links", "published", "robots", "simhash", "condition")


def test_judging_hears_of_a_remembered_page_what_the_page_said() -> None:
    url = "http://甲.example/2024/05/01/a.html"
    page = Page(url, article(head="<meta name=robots content=noindex>").encode(), "text/html; charset=utf-8")
    recent = RecentPages()
    recent.add(url, 2, page)
    ((address, depth, remembered),) = recent
    assert (address, depth) == (url, 2)
    assert {name: getattr(remembered, name) for name in ASKED} == {name: getattr(page, name) for name in ASKED}
    assert remembered.simhash != 0
    assert remembered.published == "2024-05-01"


def test_the_oldest_page_is_forgotten_first() -> None:
    recent = RecentPages(capacity=2)
    for number in range(3):
        recent.add(
            f"http://a.example/{number}", 0, Page("http://a.example/", b"<p>The road to the lake</p>", "text/html")
        )
    assert [url for url, _, _ in recent] == ["http://a.example/1", "http://a.example/2"]
    assert all(page.simhash == 0 for _, _, page in recent)  # too short to tell
