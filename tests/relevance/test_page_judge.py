"""PageJudge: the stored parts, and whose threshold wins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reference import page_scorers as paper
from tests.relevance.topics import CHINESE, NOTHING, OFF_TOPIC, profile
from topicspider.relevance.default_thresholds import (
    LINK_THRESHOLDS,
    PAGE_THRESHOLDS,
    link_threshold,
    page_threshold,
    page_threshold_doubt,
)
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PAGE_SCORERS, PageJudge, make_page_scorer
from topicspider.topic.profile import Topic, TopicProfile

EACH = pytest.mark.parametrize("name", sorted(PAGE_SCORERS))


@EACH
@pytest.mark.parametrize("words", [CHINESE, OFF_TOPIC, NOTHING], ids=["on topic", "off topic", "empty"])
def test_parts_always_hold_boolean_vsm_a_b_c(name: str, words: PageWords) -> None:
    score = PageJudge(profile(), name).judge(words)
    assert {"boolean", "vsm", "A", "B", "C", name} - {"a4bc"} <= set(score.parts)
    assert score.parts["A"] == pytest.approx(4 * score.parts["B"] + score.parts["C"])
    assert (score.parts["A"], score.parts["B"], score.parts["C"]) == pytest.approx(paper.a4bc(words, profile()))


@EACH
def test_verdict_is_the_scorers_own_score(name: str) -> None:
    judge, scorer = PageJudge(profile(), name), make_page_scorer(name, profile())
    assert judge.judge(CHINESE).value == pytest.approx(scorer.score(CHINESE))
    assert judge.explain(CHINESE) == scorer.explain(CHINESE)


@EACH
def test_default_threshold_keeps_a_page_on_topic_and_drops_others(name: str) -> None:
    for scope in ("broad", "specific"):
        judge = PageJudge(profile(scope), name)
        assert judge.judge(CHINESE).on_topic
        assert not judge.judge(OFF_TOPIC).on_topic


@EACH
def test_threshold_of_option_wins_over_topic_over_default(name: str) -> None:
    assert PageJudge(profile(page=0.33), name, 0.9).threshold == 0.9
    assert PageJudge(profile(page=0.33), name, 0.0).threshold == 0.0
    assert PageJudge(profile(page=0.33), name, None).threshold == 0.33
    assert PageJudge(profile(page=0.33), name, -1.0).threshold == 0.33
    assert PageJudge(profile(), name).threshold == PAGE_THRESHOLDS[name].broad


@pytest.mark.parametrize("thresholds", [*PAGE_THRESHOLDS.values(), *LINK_THRESHOLDS.values()])
def test_specific_topics_take_higher_thresholds_than_broad_ones(thresholds) -> None:  # type: ignore[no-untyped-def]
    """(a): broad topics take low thresholds, specific ones high ones."""
    assert 0 < thresholds.broad <= thresholds.specific < 1  # equal: a chance, which means the same for both


def test_thresholds_by_scorer_and_policy_are_theirs_alone() -> None:
    topic = Topic("茶叶", page_thresholds={"vsm": 0.05}, link_thresholds={"rw": 0.4})
    assert page_threshold(topic, "vsm", None) == 0.05
    assert page_threshold(topic, "vsm", 0.2) == 0.2
    assert page_threshold(topic, "learned", None) == PAGE_THRESHOLDS["learned"].broad
    assert link_threshold(topic, "rw", None) == 0.4
    assert link_threshold(topic, "ipagerank", None) == LINK_THRESHOLDS["ipagerank"].broad


@pytest.mark.parametrize(
    ("topic", "scorer", "used", "is_doubtful"),
    [
        (Topic("茶叶", page_threshold=0.05), "learned", 0.05, True),  # set for vsm
        (Topic("茶叶", page_threshold=0.05), "vsm", 0.05, False),
        (Topic("茶叶", page_threshold=0.5), "vsm", 0.5, True),
        (Topic("茶叶", page_threshold=0.2), "learned", 0.2, False),
        (Topic("茶叶", page_threshold=0.05), "learned", 0.4, False),  # an option, or labels, had the last word
        (Topic("茶叶", page_thresholds={"learned": 0.05}), "learned", 0.05, False),  # said to be meant
        (Topic("茶叶"), "learned", 0.35, False),
    ],
)
def test_a_plain_threshold_that_fits_another_scorer_is_doubted(
    topic: Topic, scorer: str, used: float, is_doubtful: bool
) -> None:
    doubt = page_threshold_doubt(topic, scorer, used)
    assert bool(doubt) is is_doubtful
    assert not doubt or all(word in doubt for word in ("茶叶", "thresholds.page", f"{used:g}", scorer, "0 to 1"))


@pytest.mark.parametrize(
    ("words", "on_topic"),
    [(PageWords(("旅游", "旅行"), ("旅游", "景点")), True), (PageWords(("酒店",), ("酒店",)), False)],
)
def test_thesis_rule_a_above_2_is_a_threshold_of_two_fifths(words: PageWords, on_topic: bool) -> None:
    """(b): on topic when A > 2."""
    score = PageJudge(profile(), "a4bc", 0.4).judge(words)
    assert score.on_topic is on_topic is (score.parts["A"] > 2)


HALF = TopicProfile(Topic("茶"), {"茶": 0.5, "壶": 0.5, "杯": 0.5, "泉": 0.5}, {}, {"招聘": 1.0}, {}, "digest")


@pytest.mark.parametrize(
    ("words", "a", "on_topic"),
    [
        (PageWords(("茶",), ()), 2.0, False),  # B = 1 / sqrt(4), C = 0
        (PageWords(("茶",), ("茶",)), 2.5, True),
        (PageWords((), ("茶", "壶", "杯", "泉")), 1.0, False),
    ],
)
def test_as_published_a_must_be_more_than_2_not_as_much(words: PageWords, a: float, on_topic: bool) -> None:
    """(b): on topic when A > 2, by the thesis's own example of weights; our default takes as much for enough."""
    score = PageJudge(HALF, "a4bc", faithful=True).judge(words)
    assert (score.parts["A"], score.threshold) == (pytest.approx(a), 0.4)
    assert score.on_topic is on_topic
    assert PageJudge(HALF, "a4bc", 0.4).judge(PageWords(("茶",), ())).on_topic


def test_as_published_boolean_is_an_intersection_with_the_words_that_the_user_gave() -> None:
    given = replace(HALF, topic=Topic("茶", terms={"茶": 1.0}))
    judge = PageJudge(given, "boolean", faithful=True)
    assert judge.judge(PageWords(body=("茶", "雨"))).on_topic
    assert not judge.judge(PageWords(body=("壶", "雨"))).on_topic  # learned, not given
    assert not PageJudge(given, "boolean").judge(PageWords(body=("茶", "雨"))).on_topic


def test_as_published_vsm_weighs_words_by_frequency_and_cuts_the_page_to_the_topics_words() -> None:
    """(a) formula 4: topic (.5, .5, .5, .5), page (4 + 2, 1, 0, 0) is 3.5 / (1 · sqrt(37))."""
    words = PageWords(("茶",), ("茶", "茶", "壶", *("雨",) * 500))
    score = PageJudge(HALF, "vsm", faithful=True).judge(words)
    assert score.value == score.parts["vsm"] == pytest.approx(3.5 / 37**0.5)
    assert PageJudge(HALF, "vsm").judge(words).value < score.value


@EACH
def test_as_published_no_negative_words_are_known_and_parts_sum_to_the_value(name: str) -> None:
    judge, words = PageJudge(HALF, name, faithful=True), PageWords(("茶",), ("壶", "招聘"))
    parts = judge.explain(words)
    assert sum(value for _, value in parts) == pytest.approx(judge.judge(words).value)
    assert any(part == "-招聘" for part, _ in parts) is (name in ("bm25", "learned"))


def test_page_without_any_topic_word_is_off_topic_even_at_threshold_0() -> None:
    assert not PageJudge(profile(), "vsm", 0.0).judge(OFF_TOPIC).on_topic
