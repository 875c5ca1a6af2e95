"""How near the short texts of links are to a topic: by its words, and by what they mean."""

from __future__ import annotations

import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links import Link
from topicspider.relevance.interfaces import PolicyContext
from topicspider.relevance.learned_link_policy import LearnedPolicy
from topicspider.relevance.link_features import TextSimilarity, is_same, url_pattern
from topicspider.topic.compiling import compile_topic

BY_WORDS = PolicyContext(profile(), SEGMENTER)
WITH_VECTORS = PolicyContext(profile(), SEGMENTER, model=compile_topic(profile()))


@pytest.mark.parametrize(
    ("near", "far"), [("游轮出海", "服务器内存"), ("ski resort", "compiler flags"), ("海岛 cruise", "指针 pointer")]
)
def test_what_an_anchor_means_counts_where_none_of_its_words_is_the_topics(near: str, far: str) -> None:
    by_words, similarity = TextSimilarity(BY_WORDS), TextSimilarity(WITH_VECTORS)
    assert by_words.of(near) == by_words.of(far) == 0.0
    assert similarity.of(far) < 0.02
    assert 0.2 < similarity.of(near) < 0.6


@pytest.mark.parametrize("text", ["古镇旅游攻略", "travel tips", "旅游 guide", "http://x.example/lvyou/旅游"])
def test_meaning_adds_to_words_and_takes_nothing_from_them(text: str) -> None:
    assert 0.0 < TextSimilarity(BY_WORDS).of(text) <= TextSimilarity(WITH_VECTORS).of(text) < 1.0


def test_a_link_whose_anchor_means_the_topic_is_worth_more_before_anything_was_learned() -> None:
    given = (Link(f"http://x.example/{place}", text, group=place) for place, text in enumerate(("温泉 resort", "内存")))
    near, far = LearnedPolicy(WITH_VECTORS).judge(page("http://www.example.com/"), links(*given))
    assert near.value > 1.5 * far.value


@pytest.mark.parametrize(
    ("one", "other", "pattern"),
    [
        ("/tags/%E6%97%85%E8%A1%8C/", "/tags/food/", "/tags/s/"),
        ("/tags/%E6%97%85%E8%A1%8C/page/2/", "/tags/food/page/31/", "/tags/s/page/0/"),
        ("/2019/04/a-walk/", "/2021/11/%E6%A1%82%E6%9E%97/", "/0/0/s/"),
        ("/tag/12/old-town.html?p=3", "/tag/7/new-town.html?p=4", "/tag/0/s.html?p=0"),
        ("/thread-12-1-1.html", "/thread-7-20-1.html", "/thread-0-0-0.html"),
        ("/w.php?title=Old_Town&action=edit", "/w.php?action=edit&title=%E6%97%85", "/w.php?action=edit&title="),
    ],
)
def test_pages_of_one_kind_share_the_pattern_of_their_address(one: str, other: str, pattern: str) -> None:
    assert url_pattern(f"http://a.example{one}") == url_pattern(f"http://a.example{other}") == pattern


def test_a_list_and_an_article_have_patterns_of_their_own() -> None:
    names = "/", "/tags/food/", "/tags/food", "/tags/food/page/2/", "/food.html", "/2019/04/food/"
    addresses = *names, "/forum-2-1.html", "/thread-2-1.html", "/user-2.html", "/user.php?id=2", "/show.php?id=2"
    assert len({url_pattern(f"http://a.example{address}") for address in addresses}) == len(addresses)


@pytest.mark.parametrize(
    ("page_url", "same", "other"),
    [
        ("/thread-1202-1-1.html", "/forum.php?mod=post&action=reply&tid=1202", "/thread-1203-1-1.html"),
        ("/2024/05/12/230116.html", "/print/230116.html", "/2024/05/12/230117.html"),
        ("/news/t20240512_731.html", "/news/t20240512_731.html?print=1", "/news/t20240512_732.html"),
        ("/wiki/Old_Town", "/w.php?title=Talk:Old_Town&action=edit", "/wiki/Old_Town_Hall"),
        ("/2024/05/old-town/", "/2024/05/old-town/?replytocom=7", "/2024/05/new-town/"),
        ("/show.asp?id=345", "/print.asp?id=345", "/show.asp?id=3456"),
        ("/show.asp?id=5", "/show.asp?id=5&sort=votes", "/show.asp?id=51"),
    ],
)
def test_a_page_in_another_form_is_told_by_its_address(page_url: str, same: str, other: str) -> None:
    assert is_same(f"http://a.example{same}", f"http://a.example{page_url}")
    assert not is_same(f"http://a.example{other}", f"http://a.example{page_url}")


@pytest.mark.parametrize(("page_url", "article"), [("/", "/?p=12"), ("/list.php", "/list.php?id=3")])
def test_articles_of_a_list_are_not_the_list(page_url: str, article: str) -> None:
    assert not is_same(f"http://a.example{article}", f"http://a.example{page_url}")


def test_what_a_hit_links_to_as_itself_is_worth_less_than_another_page() -> None:
    given = (Link(f"http://www.example.com/post.php?tid={number}", "x", group=number) for number in (1202, 1203))
    parent = page("http://www.example.com/thread-1202-1-1.html", on_topic=True)
    itself, other = LearnedPolicy(WITH_VECTORS).judge(parent, links(*given))
    assert itself.value < 0.6 * other.value


def test_a_text_that_is_known_by_another_query_is_worth_less() -> None:
    given = (
        Link(f"http://b.example/旅/7012{end}", "漓江", group=1) for end in (".shtml?from=1", "3.html?id=1", ".shtml")
    )
    first, other, again = LearnedPolicy(WITH_VECTORS).judge(page("http://www.example.com/"), links(*given))
    assert again.value < 0.6 * other.value <= 0.6 * first.value * 1.001
