"""The scorer that needs no labels: what counts, in every language, what it is made of, and what it does with anything."""

from __future__ import annotations

import pytest

from tests.relevance.texts import OTHERS, TOURISM
from tests.relevance.topics import CHINESE, OFF_TOPIC, profile
from topicspider.relevance.judgement import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.relevance.pages.learned import LearnedScorer, shares_of, sigmoid
from topicspider.topic.compiling import compile_topic
from topicspider.topic.model import NearWord, TopicModel

TIERS = pytest.mark.parametrize("tier", ["lite", "standard"])


def scorer(tier: str) -> LearnedScorer:
    return LearnedScorer(compile_topic(profile(), tier))


@TIERS
@pytest.mark.parametrize("text", TOURISM, ids=lambda text: text.name)
def test_a_text_on_the_topic_scores_above_every_other_in_every_script(tier: str, text) -> None:  # type: ignore[no-untyped-def]
    judge = scorer(tier)
    assert judge.score(text.words()) > max(judge.score(other.words()) for other in OTHERS)


@TIERS
@pytest.mark.parametrize(
    "words",
    [CHINESE, OFF_TOPIC, PageWords(("travel", "guide"), ("hotel", "beach", "旅游")), PageWords(body=("招聘", "旅游"))],
    ids=["chinese", "off topic", "mixed", "negative"],
)
def test_r1_parts_sum_to_the_score(tier: str, words: PageWords) -> None:
    judge = scorer(tier)
    assert sum(part for _, part in judge.explain(words)) == pytest.approx(judge.score(words), abs=1e-9)


def test_words_of_like_meaning_count_without_being_named() -> None:
    unnamed = PageWords(("海滩", "度假村"), ("温泉", "山庄", "海岛", "度假", "观光"))
    assert scorer("lite").score(unnamed) == 0.0
    assert scorer("standard").score(unnamed) > 0.5
    assert dict(scorer("standard").explain(unnamed))["semantic title"] > 0


def test_words_of_other_meaning_count_against() -> None:
    judge = scorer("standard")
    alone, among = PageWords(body=("旅游",)), PageWords(body=("旅游", "编译器", "函数", "内存", "指针", "线程"))
    assert judge.score(among) < judge.score(alone)


def test_near_words_count_less_than_the_words_they_are_near_to() -> None:
    judge = LearnedScorer(TopicModel(profile(), {"山庄": NearWord(0.3, "旅游")}))
    near, own = judge.score(PageWords(("山庄",))), judge.score(PageWords(("旅游",)))
    assert 0.0 < near < own


@TIERS
@pytest.mark.parametrize(
    "words",
    [
        PageWords(),
        PageWords(("旅游",) * 100_000, ()),
        PageWords((), ("旅游",) * 100_000),
        PageWords((), tuple(f"词{number}" for number in range(100_000))),
        PageWords(("\ud800", "", " "), ("\x00", "😀" * 50, "a" * 10_000)),
    ],
    ids=["empty", "one title word", "one body word", "many words", "no words at all"],
)
def test_anything_has_a_score_and_parts_that_add_up(tier: str, words: PageWords) -> None:
    judge = scorer(tier)
    assert 0.0 <= judge.score(words) <= 1.0
    assert sum(part for _, part in judge.explain(words)) == pytest.approx(judge.score(words), abs=1e-9)


def test_stored_parts_name_prior_words_and_meaning() -> None:
    parts = PageJudge(profile(), "learned", model=compile_topic(profile())).judge(CHINESE).parts
    assert {"boolean", "vsm", "A", "B", "C", "learned", "prior", "bm25", "semantic"} == set(parts)
    assert all(0.0 <= parts[name] <= 1.0 for name in ("learned", "prior", "bm25", "semantic"))


@pytest.mark.parametrize("terms", [{}, {"a": 0.0}, {"a": 2.0, "b": -5.0}, {"a": 800.0}, {"a": -800.0}, {"a": 1e-9}])
def test_shares_lead_from_the_start_to_the_end(terms: dict[str, float]) -> None:
    assert sum(shares_of(-3.0, terms).values()) == pytest.approx(sigmoid(-3.0 + sum(terms.values())) - sigmoid(-3.0))
