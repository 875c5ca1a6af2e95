"""Shark-search against its paper: what is handed down, the anchor, the words around it."""

from __future__ import annotations

import random

import pytest

from tests.reference import shark as paper
from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links import Link
from topicspider.relevance import published_link_policies
from topicspider.relevance.interfaces import PolicyContext
from topicspider.relevance.published_link_policies import SharkPolicy
from topicspider.relevance.published_page_scorers import TextRelevance

A, B, C, D = (f"http://www.example.com/{number}" for number in (1, 2, 3, 4))
SIM = TextRelevance(profile(), SEGMENTER).of


def policy() -> SharkPolicy:
    return SharkPolicy(PolicyContext(profile(), SEGMENTER))


def value(one: SharkPolicy, url: str, score: float, link: Link) -> float:
    return one.judge(page(url, score=score), links(link))[0].value


def test_worked_example() -> None:
    """A page of .6; an anchor without a word of the topic; nothing around it: .5 · (.5 · .6) = .15."""
    assert value(policy(), A, 0.6, Link(B, "编译器")) == pytest.approx(0.15)


def test_context_of_a_matching_anchor_counts_in_full() -> None:
    """.5 · (.5 · .6) + .5 · (.8 · sim + .2 · 1), whatever stands around it."""
    expected = 0.15 + 0.4 * SIM("旅游") + 0.1
    assert value(policy(), A, 0.6, Link(B, "旅游")) == pytest.approx(expected)
    assert value(policy(), A, 0.6, Link(B, "旅游", before="编译器")) == pytest.approx(expected)


def test_score_is_handed_down_through_pages_without_relevance_and_halves_each_time() -> None:
    """The tunnel: a page of .8, then three pages that say nothing of the topic."""
    one = policy()
    assert value(one, A, 0.8, Link(B, "下一页")) == pytest.approx(0.5 * 0.4)
    assert value(one, B, 0.0, Link(C, "下一页")) == pytest.approx(0.5 * 0.2)
    assert value(one, C, 0.0, Link(D, "下一页")) == pytest.approx(0.5 * 0.1)
    assert value(one, D, 0.4, Link(A, "首页")) == pytest.approx(0.5 * 0.2)


def test_a_seed_without_relevance_hands_nothing_down() -> None:
    assert value(policy(), A, 0.0, Link(B, "编译器")) == 0


@pytest.mark.parametrize("seed", range(3))
def test_equals_the_paper_on_random_sites(seed: int) -> None:
    rng = random.Random(seed)
    texts = ["旅游", "宾馆", "编译器", "门票和景点", "山", "", "古镇旅行"]
    urls = [f"http://site.example/{number}" for number in range(30)]
    one, inherited = policy(), {}
    for url in rng.choices(urls, k=60):
        score = rng.choice([0.0, 0.0, 0.3, 0.7])
        handed = paper.inherited_score(score, inherited.get(url, 0.0))
        given = [Link(rng.choice(urls), *rng.choices(texts, k=4)) for _ in range(rng.randrange(6))]
        for link, judged in zip(given, one.judge(page(url, score=score), links(*given)), strict=True):
            anchor = link.anchor if link.title in ("", link.anchor) else f"{link.anchor} {link.title}"
            expected = paper.potential_score(handed, SIM(anchor), SIM(f"{link.before} {link.after}".strip()))
            assert judged.value == pytest.approx(expected)
            inherited[link.url] = max(handed, inherited.get(link.url, 0.0))


def test_parts_sum_to_the_value() -> None:
    """Promise R1."""
    given = links(Link(A, "旅游"), Link(B, "编译器", before="门票"), Link(C, ""))
    for score in policy().judge(page(D, score=0.37), given):
        assert set(score.parts) == {"inherited", "anchor", "context"}
        assert sum(score.parts.values()) == pytest.approx(score.value)
        assert 0 < score.value <= 1
        assert score.pruned == ""


def test_memory_is_bounded_and_keeps_the_newest(monkeypatch) -> None:
    monkeypatch.setattr(published_link_policies, "MAX_EDGES", 10)
    one = policy()
    for number in range(100):
        value(one, A, 0.8, Link(f"http://www.example.com/p{number}"))
    assert value(one, "http://www.example.com/p99", 0.0, Link(B)) == pytest.approx(0.1)
    assert value(one, "http://www.example.com/p0", 0.0, Link(B)) == 0
