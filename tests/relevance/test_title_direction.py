"""What titles of hits teach of anchors that no word of the topic and no word of its own stands in."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.relevance.test_link_features import BY_WORDS, WITH_VECTORS
from tests.relevance.topics import SEGMENTER, links, page
from topicspider.page.links import Link
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.learned_link_policy import EVERY, LearnedPolicy
from topicspider.relevance.link_features import TextSimilarity, TitleDirection
from topicspider.relevance.link_learning import FEWEST_TITLES, direction_of

DISHES = (
    "红烧肉的家常做法", "糖醋排骨怎么烧", "清蒸鲈鱼", "麻婆豆腐", "roast chicken with garlic", "tomato soup recipe",
    "葱油拌面",
)  # fmt: skip
MACHINES = (
    "服务器内存升级", "编译器报错", "数据库索引", "防火墙端口", "kernel driver bug", "linux server install", "网络协议",
)  # fmt: skip
SIMILARITY = TextSimilarity(WITH_VECTORS)


def learned() -> TitleDirection:
    return direction_of(*(list(filter(None, map(SIMILARITY.meaning, titles))) for titles in (MACHINES, DISHES)))


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ("豆腐和牛肉", "操作系统"),
        ("雞肉麵條", "電腦硬盤"),
        ("onion soup", "compiler flags"),
        ("ＳＯＵＰ 面条", "显卡 driver"),
    ],
)
def test_an_anchor_is_worth_more_where_titles_of_hits_mean_the_like(near: str, far: str) -> None:
    direction = learned()
    assert direction.gain(SIMILARITY.meaning(near)) > 0.05
    assert direction.gain(SIMILARITY.meaning(far)) < -0.04


def test_nothing_is_known_of_few_titles_of_no_text_and_without_word_vectors() -> None:
    meanings = [SIMILARITY.meaning("豆腐")] * FEWEST_TITLES
    assert direction_of(meanings[: FEWEST_TITLES - 1], meanings) == TitleDirection()
    assert learned().gain(SIMILARITY.meaning("")) == learned().gain(SIMILARITY.meaning("123 xqzw")) == 0.0
    assert TextSimilarity(BY_WORDS).meaning("牛肉面") == TextSimilarity(BY_WORDS).read((), ("豆腐",)) == b""


def test_its_state_goes_round() -> None:
    one = learned()
    other = TitleDirection.read(json.loads(json.dumps(one.state())))
    assert other.gain(meanings := SIMILARITY.meaning("牛肉面")) == one.gain(meanings) != 0.0
    assert TitleDirection.read(TitleDirection().state()) == TitleDirection()


@pytest.mark.parametrize(
    "wrong",
    [{"weights": [1.0]}, {"weights": ["x"]}, {"weights": [float("nan")]}, {"trust": 1.0}, {"mean": float("inf")}],
)
def test_what_is_none_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"direction|float"):
        TitleDirection.read(learned().state() | wrong)


def crawled(**change: bool) -> LearnedPolicy:
    """A crawl whose hits have titles of dishes, and its other pages those of machines."""
    policy = LearnedPolicy(WITH_VECTORS)
    for number in range(8 * EVERY):
        titles, is_hit = (DISHES, True) if number % 2 else (MACHINES, False)
        words = PageWords(tuple(SEGMENTER.words(titles[number // 2 % len(titles)])))
        url = f"http://x{number}.example/"
        policy.judge(page("http://www.example.com/", on_topic=False), links(Link(url, "第几篇", kind="outward")))
        read = replace(page(url, is_hit, 0.8 if is_hit else 0.0), words=words)
        policy.judge(replace(read, **change) if is_hit else read, [])
    return policy


def ratio(policy: LearnedPolicy) -> float:
    """How much more a dish is worth than a machine."""
    given = (Link("http://y.example/1", "牛肉面和豆腐"), Link("http://y.example/2", "操作系统"))
    near, far = policy.judge(page("http://www.example.com/", on_topic=False), links(*given))
    assert sum(near.parts.values()) == pytest.approx(near.value, abs=1e-9)
    return near.value / far.value


def test_a_crawl_learns_from_its_titles_but_for_hubs_and_copies() -> None:
    assert ratio(crawled()) > 1.2 * max(ratio(crawled(is_hub=True)), ratio(crawled(is_copy=True)))


def test_a_resumed_crawl_keeps_the_direction_until_its_own_titles_tell_as_much() -> None:
    resumed = LearnedPolicy(WITH_VECTORS)
    resumed.adopt(crawled().state())
    for number in range(EVERY):
        resumed.judge(page(f"http://z{number}.example/", on_topic=False, score=0.0), [])
    assert ratio(resumed) > 1.2
