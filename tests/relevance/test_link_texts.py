"""How near the short texts of links are to a topic: by its words, and by what they mean."""

from __future__ import annotations

import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links.link import Link
from topicspider.relevance.learner.link_texts import OF_MEANING, LinkTexts
from topicspider.relevance.link_setup import LinkSetup
from topicspider.relevance.links.learned import LearnedPolicy
from topicspider.topic.compiling import compile_topic


def setup_of(tier: str) -> LinkSetup:
    return LinkSetup(profile(), SEGMENTER, model=compile_topic(profile(), tier))


@pytest.mark.parametrize(
    ("near", "far"),
    [("游轮出海", "服务器内存"), ("ski resort", "compiler flags"), ("海岛 cruise", "指针 pointer")],
)
def test_what_an_anchor_means_counts_where_none_of_its_words_is_the_topics(near: str, far: str) -> None:
    """Of the words alone, as in tier lite, neither says anything."""
    texts, lite = LinkTexts(setup_of("standard")), LinkTexts(setup_of("lite"))
    assert lite.anchor(near).near == lite.anchor(far).near == 0.0
    assert texts.anchor(far).near < 0.02
    assert 0.2 < texts.anchor(near).near < OF_MEANING


@pytest.mark.parametrize("text", ["古镇旅游攻略", "travel tips", "旅游 guide"])
def test_meaning_adds_to_words_and_takes_nothing_from_them(text: str) -> None:
    assert LinkTexts(setup_of("lite")).anchor(text).near <= LinkTexts(setup_of("standard")).anchor(text).near < 1.0


def test_a_link_whose_anchor_means_the_topic_is_worth_more_before_anything_was_learned() -> None:
    one = LearnedPolicy(setup_of("standard"))
    found = links(
        *(Link(f"http://x.example/{place}", text, group=place) for place, text in enumerate(("温泉 resort", "内存")))
    )
    near, far = one.judge(page("http://www.example.com/"), found)
    assert near.value > 1.5 * far.value
