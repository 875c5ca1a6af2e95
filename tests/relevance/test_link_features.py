"""How near the short texts of links are to a topic: by its words, and by what they mean."""

from __future__ import annotations

import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links import Link
from topicspider.relevance import features
from topicspider.relevance.features import TextSimilarity, site_name, url_pattern
from topicspider.relevance.interfaces import PolicyContext
from topicspider.relevance.online import LearnedPolicy
from topicspider.topic.compiling import compile_topic

BY_WORDS = PolicyContext(profile(), SEGMENTER)
WITH_VECTORS = PolicyContext(profile(), SEGMENTER, model=compile_topic(profile()))


@pytest.mark.parametrize(
    ("near", "far"),
    [("游轮出海", "服务器内存"), ("ski resort", "compiler flags"), ("海岛 cruise", "指针 pointer")],
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


def test_texts_read_together_say_what_they_say_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chinese, English and mixed; also when more are read than are remembered."""
    given = (
        "古镇旅游攻略",
        "travel tips",
        "海岛 cruise",
        "服务器内存",
        "。",
        "http://x.example/lvyou/旅游",
        "http://x.example/",
        "",
    )
    together, alone = TextSimilarity(WITH_VECTORS), TextSimilarity(WITH_VECTORS)
    together.read(given)
    monkeypatch.setattr(features, "_CACHED_TEXTS", 2)
    monkeypatch.setattr(features, "_TEXTS_AT_ONCE", 2)
    assert [together.of(text) for text in given] == [alone.of(text) for text in given]


@pytest.mark.parametrize(
    ("url", "site", "pattern"),
    [
        ("http://www.example.cn/", "example.cn", "/"),
        ("http://旅游.example/lvyou/", "旅游.example", "/lvyou/"),
        ("http://blog.example.com/tag/12/old-town.html?p=3", "blog.example.com", "/tag/0/s.html?p=0"),
        ("http://blog.example.com/tag/13/2.html?p=4", "blog.example.com", "/tag/0/0.html?p=0"),
        ("https://a.example:8080/list_2.html", "a.example", "/s.html"),
    ],
)
def test_what_an_address_says_of_its_page(url: str, site: str, pattern: str) -> None:
    assert (site_name(url), url_pattern(url)) == (site, pattern)
