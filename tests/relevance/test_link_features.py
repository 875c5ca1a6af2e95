"""How near the short texts of links are to a topic: by its words, and by what they mean."""

from __future__ import annotations

import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links import Link
from topicspider.relevance.interfaces import PolicyContext
from topicspider.relevance.learned_link_policy import LearnedPolicy
from topicspider.relevance.link_features import TextSimilarity, url_pattern
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
    ],
)
def test_pages_of_one_kind_share_the_pattern_of_their_address(one: str, other: str, pattern: str) -> None:
    assert url_pattern(f"http://a.example{one}") == url_pattern(f"http://a.example{other}") == pattern


def test_a_list_and_an_article_have_patterns_of_their_own() -> None:
    addresses = "/", "/tags/food/", "/tags/food", "/tags/food/page/2/", "/food.html", "/2019/04/food/"
    assert len({url_pattern(f"http://a.example{address}") for address in addresses}) == len(addresses)
