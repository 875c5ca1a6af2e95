"""Page scorers: the papers' formulas, and what every scorer promises (promise R1), in every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import page_scorers as paper
from tests.relevance.texts import OTHERS, TOURISM
from tests.relevance.topics import CHINESE, NEGATIVE, NOTHING, OFF_TOPIC, SYNONYMS, WEIGHTS, profile
from topicspider.errors import ConfigError
from topicspider.options import PAGE_SCORERS as PROMISED
from topicspider.relevance import published_page_scorers as scorers
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PAGE_SCORERS, make_page_scorer
from topicspider.relevance.published_page_scorers import PAGE_WORDS, TITLE_WEIGHT, count_words

EACH = pytest.mark.parametrize("name", sorted(PAGE_SCORERS))
COMMON = ["桥", "古镇", "船", "春天", "河边", "指针", *(f"词{number}" for number in range(70))]
WORD = st.sampled_from([*WEIGHTS, *SYNONYMS, *COMMON])
PAGE = st.builds(PageWords, st.lists(WORD, max_size=12).map(tuple), st.lists(WORD, max_size=200).map(tuple))
ANY_WORD = st.sampled_from([*WEIGHTS, *SYNONYMS, *NEGATIVE, *COMMON])
ANY_PAGE = st.builds(PageWords, st.lists(ANY_WORD, max_size=12).map(tuple), st.lists(ANY_WORD, max_size=99).map(tuple))


def test_registry_has_every_promised_scorer() -> None:
    assert set(PAGE_SCORERS) == set(PROMISED)


def test_unknown_scorer_is_one_clear_line() -> None:
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_PAGE_SCORER.*'bayes'.*vsm"):
        make_page_scorer("bayes", profile())


@EACH
def test_r1_chinese_page_scores_above_zero(name: str) -> None:
    assert 0 < make_page_scorer(name, profile()).score(CHINESE) <= 1


@EACH
def test_r1_one_chinese_word_in_title_or_body_is_enough(name: str) -> None:
    scorer = make_page_scorer(name, profile())
    assert scorer.score(PageWords(title=("旅游",))) > 0
    assert scorer.score(PageWords(body=("游玩",))) > 0


@EACH
@given(words=ANY_PAGE)
def test_r1_parts_sum_to_the_score(name: str, words: PageWords) -> None:
    scorer = make_page_scorer(name, profile())
    parts = scorer.explain(words)
    assert sum(value for _, value in parts) == pytest.approx(scorer.score(words), abs=1e-9)
    assert [value for _, value in parts] == sorted((value for _, value in parts), reverse=True)


@EACH
@given(words=ANY_PAGE)
def test_score_stays_between_0_and_1(name: str, words: PageWords) -> None:
    assert 0 <= make_page_scorer(name, profile()).score(words) <= 1


@EACH
@pytest.mark.parametrize("words", [OFF_TOPIC, NOTHING], ids=["off topic", "empty"])
def test_page_without_topic_words_scores_zero(name: str, words: PageWords) -> None:
    scorer = make_page_scorer(name, profile())
    assert scorer.score(words) == 0
    assert not scorer.explain(words)


@EACH
def test_negative_word_reduces_the_score_in_proportion_and_is_named(name: str) -> None:
    scorer = make_page_scorer(name, profile())
    plain, spoiled = PageWords(body=("旅游", "旅游", "桥")), PageWords(body=("旅游", "旅游", "桥", "招聘", "招聘"))
    parts = dict(scorer.explain(spoiled))
    positive = sum(value for part, value in parts.items() if not part.startswith("-"))
    assert scorer.score(spoiled) < scorer.score(plain)
    assert parts["-招聘"] == pytest.approx(-positive / 2)


@EACH
def test_title_says_more_than_body(name: str) -> None:
    scorer = make_page_scorer(name, profile())
    in_title = scorer.score(PageWords(("旅游", "桥"), ("桥", "船", "春天", "景点")))
    in_body = scorer.score(PageWords(("船", "桥"), ("桥", "旅游", "春天", "景点")))
    assert in_title == in_body if name == "boolean" else in_title > in_body


@EACH
def test_synonym_counts_as_its_word(name: str) -> None:
    scorer = make_page_scorer(name, profile())
    assert scorer.score(PageWords(("游玩",), ("胜地", "桥"))) == pytest.approx(
        scorer.score(PageWords(("旅游",), ("景点", "桥")))
    )


@given(words=PAGE)
def test_boolean_is_the_size_of_the_intersection(words: PageWords) -> None:
    """(b): the score is n / (n + 3), n the size of the intersection."""
    n = paper.boolean(words, profile())
    assert make_page_scorer("boolean", profile()).score(words) == pytest.approx(n / (n + 3))


@given(words=PAGE)
def test_vsm_is_formula_4(words: PageWords) -> None:
    expected = paper.vsm(words, profile(), TITLE_WEIGHT, PAGE_WORDS)
    assert make_page_scorer("vsm", profile()).score(words) == pytest.approx(expected, abs=1e-12)


@given(words=PAGE)
def test_a4bc_is_the_thesis_measure(words: PageWords) -> None:
    """(b): A = 4·B + C; the score is A / 5."""
    a, b, c = paper.a4bc(words, profile())
    scorer = make_page_scorer("a4bc", profile())
    assert scorer.score(words) == pytest.approx(a / 5, abs=1e-12)
    assert scorer.measures(count_words(words, profile())) == pytest.approx((a, b, c), abs=1e-12)  # type: ignore[attr-defined]


@given(words=PAGE)
def test_bm25_is_the_textbook_formula(words: PageWords) -> None:
    expected = paper.bm25(words, profile(), TITLE_WEIGHT, scorers.MEAN_LENGTH, scorers.HALF_WORDS)
    assert make_page_scorer("bm25", profile()).score(words) == pytest.approx(expected, abs=1e-12)


def test_vsm_does_not_forget_what_else_a_page_says() -> None:
    """The reason for a norm over the page's own words: one mention among many words is no page on the topic."""
    scorer = make_page_scorer("vsm", profile())
    assert scorer.score(PageWords(body=("旅游",))) > 5 * scorer.score(PageWords(body=("旅游", *COMMON)))


@EACH
@pytest.mark.parametrize("text", TOURISM, ids=lambda text: text.name)
def test_a_text_on_tourism_scores_above_every_other(name, text):
    scorer = make_page_scorer(name, profile())
    assert scorer.score(text.words()) > max(scorer.score(other.words()) for other in OTHERS)
