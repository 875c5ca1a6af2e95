"""What the page judge learns of meaning: places among the word vectors, from the crawl's own pages and from labels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.relevance.topics import profile
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import LearnedScorer, PageJudge
from topicspider.relevance.prior import Prior
from topicspider.topic.compiling import compile_topic

TOPICAL = ("旅游", "景点", "酒店", "度假", "海滩", "travel", "hotel")
OTHER = ("编译器", "函数", "股票", "基金", "利率", "compiler", "memory")


def stream(pages: int = 120) -> list[PageWords]:
    """Every third page is on topic, in Chinese and in English."""
    chosen = [TOPICAL if n % 3 == 0 else OTHER for n in range(pages)]
    return [PageWords(words[n % 5 : n % 5 + 2], tuple(np.roll(words, n)) * 6) for n, words in enumerate(chosen)]


def taught() -> PageJudge:
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    for words in stream():
        judge.observe(words)
    return judge


UNSEEN = PageWords(("温泉", "山庄"), ("游客", "客栈", "沙滩") * 10)


@pytest.mark.parametrize(
    "words", [UNSEEN, PageWords(("旅游",)), PageWords(body=("travel", "招聘")), PageWords(("函数",), OTHER * 9)]
)
def test_r1_parts_sum_to_the_score_with_meaning(words: PageWords) -> None:
    judge = taught()
    assert "learned meaning" in dict(judge.explain(words))
    assert sum(part for _, part in judge.explain(words)) == pytest.approx(judge.judge(words).value, abs=1e-9)


def test_pages_of_like_meaning_stand_out_though_no_word_of_theirs_was_read() -> None:
    judge = taught()
    parts, others = dict(judge.explain(UNSEEN)), dict(judge.explain(PageWords(("程序",), ("变量", "接口") * 10)))
    assert parts["learned meaning"] > others["learned meaning"]


def test_a_state_carries_meaning() -> None:
    judge, other = taught(), PageJudge(profile(), "learned", model=compile_topic(profile()))
    other.adopt(judge.state())
    assert other.judge(UNSEEN) == judge.judge(UNSEEN)


def test_a_state_with_meaning_is_of_use_without_word_vectors() -> None:
    lite = PageJudge(profile(), "learned")
    lite.adopt(taught().state())
    assert "learned meaning" not in dict(lite.explain(UNSEEN))


def test_labels_correct_what_meaning_says() -> None:
    """The user wants beaches, not hotels."""
    beach = [PageWords(("海滩",), ("沙滩", "海岛", "海边", f"词{n}") * 5) for n in range(8)]
    hotel = [PageWords(("酒店",), ("客房", "宾馆", "入住", f"词{n}") * 5) for n in range(8)]
    labels = [*((page, True) for page in beach), *((page, False) for page in hotel)]
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()), labels=labels)
    for words in stream():
        judge.observe(words)
    told = [dict(judge.explain(page[0]))["labels"] for page in (beach, hotel)]
    assert told[0] > 0.0 > told[1]
    assert sum(part for _, part in judge.explain(beach[0])) == pytest.approx(judge.judge(beach[0]).value, abs=1e-9)


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (("旅行", "假期"), ("红烧肉", "酱油", "烹饪", "食谱")),
        (("journey", "holiday"), ("recipe", "sauce", "cooking", "chef")),
        (("旅行", "holiday"), ("烹饪", "recipe", "酱油", "chef")),
    ],
)
def test_a_page_nearer_to_another_topic_loses_by_it(own: tuple[str, ...], other: tuple[str, ...]) -> None:
    prior, part = LearnedScorer(compile_topic(profile())).prior, "semantic of other topics"
    taken = prior(PageWords(other, other * 10 + own)).shares[part]
    assert taken < -1.0
    assert taken < 2.0 * prior(PageWords(own, own * 10)).shares.get(part, 0.0)
    assert prior(PageWords(other)).shares[part] < -1.0  # a title alone, too
    assert taken < prior(PageWords((), own * 10)).shares.get(part, 0.0)


def test_the_evidence_of_pages_judged_together_is_found_once_and_then_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge, found = PageJudge(profile(), "learned", model=compile_topic(profile())), []
    evidence = Prior.evidence
    monkeypatch.setattr(Prior, "evidence", lambda self, words: found.append(words) or evidence(self, words))
    pages = stream()
    judge.judge_all(pages)
    assert found == pages
    judge.judge(pages[0])
    assert found == [*pages, pages[0]]
