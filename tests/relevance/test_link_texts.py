"""How near the short texts of links are to a topic: by its words, and by what they mean."""

from __future__ import annotations

import pytest
from topicspider.relevance.learner import link_texts
from topicspider.relevance.learner.link_texts import ADDRESS, ANCHOR, AROUND, HEADING, OF_MEANING, LinkTexts
from topicspider.relevance.learner.page_links import PageLinks

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links.link import Link
from topicspider.relevance.interfaces import PolicyContext
from topicspider.relevance.online import LearnedPolicy
from topicspider.topic.compiling import compile_topic


def setup_of(tier: str) -> PolicyContext:
    return PolicyContext(profile(), SEGMENTER, model=compile_topic(profile(), tier))


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


def test_texts_read_together_say_what_they_say_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chinese, English and mixed, of every kind; also when more are read than are remembered."""
    given = ("古镇旅游攻略", "travel tips", "海岛 cruise", "服务器内存", "。")
    kinds = {
        ANCHOR: given,
        AROUND: given,
        HEADING: given,
        ADDRESS: ("http://x.example/lvyou/旅游", "http://x.example/"),
    }
    together, alone = LinkTexts(setup_of("standard")), LinkTexts(setup_of("standard"))
    together.read(kinds)
    monkeypatch.setattr(link_texts, "CACHED_TEXTS", 2)
    for kind, read in ((ANCHOR, alone.anchor), (AROUND, alone.around), (ADDRESS, alone.address)):
        assert [together.known[kind][text] for text in kinds[kind]] == [read(text) for text in kinds[kind]]
    assert [together.known[HEADING][text].near for text in given] == [alone.nearness(text) for text in given]
    assert len(alone.known[ANCHOR]) <= 2


def test_a_word_that_two_texts_have_is_kept_once() -> None:
    """Thousands of links wait, each with its words and pairs of words."""
    texts = LinkTexts(setup_of("lite"))
    for read, here, there in (
        (texts.anchor, "古镇旅游攻略", "travel guide 旅游攻略"),
        (texts.around, "古镇旅游攻略", "travel guide 旅游攻略"),
        (texts.address, "http://x.example/lvyou/旅游/1", "http://y.example/lvyou/旅游/2"),
    ):
        one, other = ({word: word for word in read(text).words} for text in (here, there))
        both = one.keys() & other.keys()
        assert len(both) > 1
        assert all(one[word] is other[word] for word in both)


def test_words_that_are_shared_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_texts, "WORDS_ONCE", 20)
    texts = LinkTexts(setup_of("lite"))
    for number in range(100):
        assert texts.anchor(f"旅游{number:03d}号线 tour{number}").words
        assert len(texts._once) <= 20 + link_texts.WORDS_COUNTED * 2


def test_links_of_one_page_are_worth_what_they_are_worth_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow form: no text is read before it is asked for."""
    anchors = ("古镇旅游", "travel tips", "海岛 cruise", "服务器内存", "旅游", "compiler")
    pages = [
        links(
            *(Link(f"http://x.example/{number}/{n}", text, before=text, heading=text) for n, text in enumerate(anchors))
        )
        for number in range(40)
    ]

    def values() -> list[float]:
        one = LearnedPolicy(setup_of("standard"))
        return [
            score.value
            for number, found in enumerate(pages)
            for score in one.judge(page(f"http://x.example/{number - 1}/1", number % 3 == 0, 0.5), found)
        ]

    fast = values()
    monkeypatch.setattr(PageLinks, "expect", lambda self, places: None)
    monkeypatch.setattr(
        LinkTexts,
        "read",
        lambda self, texts, read=LinkTexts.read: [
            read(self, {kind: (text,)}) for kind, some in texts.items() for text in some
        ],
    )
    assert values() == fast
    assert len(set(fast)) > 20
