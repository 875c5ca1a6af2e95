"""The anchor policy: what the text of a link alone says of the topic."""

from __future__ import annotations

import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links import Link
from topicspider.relevance.interfaces import PageWords, PolicyContext
from topicspider.relevance.published_link_policies import AnchorPolicy
from topicspider.relevance.published_page_scorers import VsmScorer

A, B = "http://www.example.com/1", "http://www.example.com/2"
FROM = page("http://www.example.com/")


def policy() -> AnchorPolicy:
    return AnchorPolicy(PolicyContext(profile(), SEGMENTER))


def value(link: Link) -> float:
    return policy().judge(FROM, links(link))[0].value


@pytest.mark.parametrize(
    "anchor", ["古镇旅游攻略", "旅行", "附近的景点和酒店", "胜地", "编译器", "朋友", "旅游鞋招聘", ""]
)
def test_value_is_the_cosine_of_topic_and_anchor(anchor: str) -> None:
    plain = VsmScorer(profile()).score(PageWords(body=tuple(SEGMENTER.words(anchor))))
    assert value(Link(A, anchor)) == pytest.approx(plain)


def test_anchors_are_ranked_by_what_they_say_of_the_topic() -> None:
    ranked = ["旅游", "古镇旅游攻略", "古镇的早晨和朋友", "编译器报错"]
    values = [value(Link(A, anchor)) for anchor in ranked]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 4
    assert values[-1] == 0


def test_title_counts_as_anchor_but_not_twice() -> None:
    assert value(Link(A, "更多", title="古镇旅游攻略")) > 0
    assert value(Link(A, "古镇旅游", title="古镇旅游")) == value(Link(A, "古镇旅游"))


def test_words_around_the_link_and_its_page_do_not_count() -> None:
    assert value(Link(A, "这里", before="旅游", after="景点", heading="旅行")) == 0
    judged = policy().judge(page(B, score=0.9), links(Link(A, "这里")))
    assert (judged[0].value, judged[0].pruned) == (0, "")


def test_negative_words_lower_an_anchor() -> None:
    assert 0 < value(Link(A, "旅游招聘")) < value(Link(A, "旅游地图"))
