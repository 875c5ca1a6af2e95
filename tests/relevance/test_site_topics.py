"""Site topics of (a) Li 2002: four kinds of pages, weighed; directories clustered bottom-up; links that say nothing have their site's topic."""

from __future__ import annotations

import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links import Link
from topicspider.relevance import site_topics
from topicspider.relevance.published_link_policies import make_link_policy
from topicspider.relevance.site_topics import SiteTopics, directories, page_kind

OUT, IN = Link("http://b.example/", kind="outward"), Link("http://a.example/x.html", kind="down")


@pytest.mark.parametrize(
    ("url", "given", "kind"),
    [
        ("http://a.example/", [OUT, OUT], "home"),
        ("http://a.example/旅游/", [IN, OUT], "index"),
        ("http://a.example/tag/漓江", [IN], "index"),
        ("http://a.example/2026/漓江.html", [IN, OUT], "content"),
        ("http://a.example/links.html", [IN, OUT, OUT], "reference"),
        ("http://a.example/?id=7", [], "content"),
    ],
)
def test_the_four_kinds_of_pages(url, given, kind):
    assert page_kind(url, given) == kind


def test_directories_come_from_the_inside_out():
    assert list(directories("http://a.example/旅游/桂林/1.html?x=/y/")) == [
        "a.example/旅游/桂林/",
        "a.example/旅游/",
        "a.example/",
    ]


def test_a_directory_has_the_topic_of_its_pages_and_those_below_by_their_kinds():
    topics = SiteTopics()
    for url, on_topic in [("/", False), ("/lv/", True), ("/lv/1.html", True), ("/it/1.html", False)]:
        topics.add(page(f"http://a.example{url}", on_topic), [IN])
    assert topics.of("http://a.example/lv/2.html") == 1.0  # 2 + 1 of 3
    # of one page nothing is said: the site's, 3 of 4 + 2 + 1 + 1
    assert topics.of("http://a.example/it/2.html") == 3 / 8
    assert topics.of("http://b.example/lv/2.html") == 0.0


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(site_topics, "MOST_DIRECTORIES", 2)
    topics = SiteTopics()
    for host in ("a", "b", "c"):
        topics.add(page(f"http://{host}.example/"), [])
    assert [topics.of(f"http://{host}.example/1.html") for host in ("a", "b", "c")] == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("name", ["rw", "ipagerank", "hits"])
def test_as_published_a_link_that_says_nothing_has_its_sites_topic(name):
    picture, named = Link("http://a.example/lv/9.html"), Link("http://a.example/lv/8.html", "编译器")
    for faithful in (True, False):
        policy = make_link_policy(name, profile(), SEGMENTER, threshold=0.3, faithful=faithful)
        for number in range(3):
            (first, second) = policy.judge(page(f"http://a.example/lv/{number}.html"), links(picture, named))
        assert (first.pruned, first.parts.get("site_topic")) == (("", 1.0) if faithful else ("low_rw", None))
        assert second.pruned == "low_rw"
