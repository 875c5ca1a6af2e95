"""The scorer that needs no labels: what counts, in every language, what it is made of, what it learns of words and of meaning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.relevance.topics import CHINESE, OFF_TOPIC, profile
from topicspider.cli.judge import CrawlModel
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.learned_page_model import (
    FIRST_FIT,
    WATERSHED,
    PageLearner,
    PageModel,
    RememberedPage,
    site_gains,
)
from topicspider.relevance.page_judge import LearnedScorer, PageJudge
from topicspider.relevance.page_prior import USUAL, Evidence
from topicspider.text.segment import make_segmenter
from topicspider.topic.compiling import compile_topic
from topicspider.topic.learning import learn
from topicspider.topic.profile import Topic, TopicModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.relevance.interfaces import FitExecutor

COMPILED = {"words alone": TopicModel(profile()), "with vectors": compile_topic(profile())}
EACH = pytest.mark.parametrize("kind", sorted(COMPILED))


def scorer(kind: str = "with vectors") -> LearnedScorer:
    return LearnedScorer(COMPILED[kind])


@EACH
@pytest.mark.parametrize(
    "words",
    [CHINESE, OFF_TOPIC, PageWords(("travel", "guide"), ("hotel", "beach", "旅游")), PageWords(body=("招聘", "旅游"))],
    ids=["chinese", "off topic", "mixed", "negative"],
)
def test_r1_parts_sum_to_the_score(kind: str, words: PageWords) -> None:
    judge = scorer(kind)
    assert sum(part for _, part in judge.explain(words)) == pytest.approx(judge.score(words), abs=1e-9)


def test_words_of_like_meaning_count_without_being_named() -> None:
    unnamed = PageWords(("海滩", "度假村"), ("温泉", "山庄", "海岛", "度假", "观光"))
    assert scorer("words alone").score(unnamed) == 0.0
    assert scorer().score(unnamed) > 0.5
    assert dict(scorer().explain(unnamed))["semantic title"] > 0


def test_an_english_name_tells_what_a_title_is_about_and_nothing_of_a_body() -> None:
    titled, within = (
        scorer().explain(PageWords(*words)) for words in ((("phuket",),), (("旅游",), ("phuket", "phuket")))
    )
    assert dict(titled)["semantic title"] > 0
    assert "semantic body" not in dict(within)


def test_a_page_in_a_language_without_vectors_is_judged_by_words_alone() -> None:
    """Of Korean the table knows 축구 (football) and small words such as 다음, which were all that the page meant."""
    topic = Topic("t", terms={"축구": 10.0, "공격수": 8.0, "골키퍼": 8.0}, languages=("ko",))
    judge = LearnedScorer(compile_topic(learn(topic, make_segmenter())))
    body = ("다음", "시즌에도", "공격수", "팀은", "골키퍼", "선수들을", "칭찬했다", "축구", "경기장에서", "축하했다")
    on_topic = PageWords(("공격수",), body)
    assert judge.score(on_topic) > 0.6
    assert not any(name.startswith("semantic") for name, _ in judge.explain(on_topic))
    assert judge.score(PageWords(("메모리",), tuple(word for word in body if word not in topic.terms))) < 0.05


def test_words_of_a_page_count_in_full_in_a_language_of_which_the_vectors_know_small_words() -> None:
    topic = Topic("t", terms={"hiking": 9.0, "trail": 7.0, "Wanderung": 9.0, "Wanderweg": 7.0}, languages=("en", "de"))
    judge = LearnedScorer(compile_topic(learn(topic, make_segmenter())))
    other = ("nach", "einer", "stunde", "haben", "wir", "wieder", "wasser", "gefunden", "jetzt", "schnell") * 3
    on_topic = PageWords(("wanderung", "husum"), (*other, "wanderung", "wanderweg", "wanderung"))
    assert judge.score(on_topic) > 0.5
    assert judge.score(PageWords(("nach", "husum"), other)) < 0.1


def test_a_name_alone_finds_pages_that_repeat_it_in_a_language_without_vectors() -> None:
    judge = LearnedScorer(compile_topic(learn(Topic("t", title={"ko": "스프레드시트"}), make_segmenter())))
    once = (*(f"단어{number}" for number in range(200)), "스프레드시트")
    assert judge.score(PageWords(("단어",), once)) < 0.35 < judge.score(PageWords(("단어",), (*once, *once[-1:] * 2)))


def test_words_of_other_meaning_count_against() -> None:
    judge = scorer()
    alone, among = PageWords(body=("旅游",)), PageWords(body=("旅游", "编译器", "函数", "内存", "指针", "线程"))
    assert judge.score(among) < judge.score(alone)


@EACH
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
def test_anything_has_a_score_and_parts_that_add_up(kind: str, words: PageWords) -> None:
    judge = scorer(kind)
    assert 0.0 <= judge.score(words) <= 1.0
    assert sum(part for _, part in judge.explain(words)) == pytest.approx(judge.score(words), abs=1e-9)


def test_stored_parts_name_prior_words_and_meaning() -> None:
    parts = PageJudge(profile(), "learned", model=compile_topic(profile())).judge(CHINESE).parts
    assert {"boolean", "vsm", "A", "B", "C", "learned", "prior", "bm25", "semantic"} == set(parts)
    assert all(0.0 <= parts[name] <= 1.0 for name in ("learned", "prior", "bm25", "semantic"))


PHOTOS = PageWords(("照片", "旅游"), ("夕阳", "同学") * 30, ("旅游",))


FILINGS = (
    (("生活", "旅游"), "filed:旅游", 1),
    (("tourism",), "filed:tourism", 1),
    (("旅游 随笔",), "", 0),
    (("股票",), "filed elsewhere:股票", -1),
)


@pytest.mark.parametrize(("filed", "part", "sign"), FILINGS)
def test_what_its_site_files_a_page_under_counts(filed: tuple[str, ...], part: str, sign: int) -> None:
    words, bare = replace(PHOTOS, filed=filed), replace(PHOTOS, filed=())
    more = dict(scorer().explain(words)).keys() - dict(scorer().explain(bare)).keys()
    assert more == ({part} if part else set())
    assert np.sign(round(scorer().score(words) - scorer().score(bare), 1)) == sign
    assert sum(part for _, part in scorer().explain(words)) == pytest.approx(scorer().score(words), abs=1e-9)


@pytest.mark.parametrize(("sections", "part"), [(("国内", "旅游"), {"section:旅游"}), (("股票",), set())])
def test_the_section_that_a_page_lies_in_counts_and_never_against_it(sections: tuple[str, ...], part: set[str]) -> None:
    bare = replace(PHOTOS, filed=())
    words = replace(bare, sections=sections)
    assert dict(scorer().explain(words)).keys() - dict(scorer().explain(bare)).keys() == part
    assert np.sign(round(scorer().score(words) - scorer().score(bare), 1)) == len(part)


def test_a_filing_is_in_the_stored_parts_and_teaches_nothing() -> None:
    assert PageJudge(profile(), "learned").judge(PHOTOS).parts["filed:旅游"] == pytest.approx(4.0)
    with_filing, without = (PageJudge(profile(), "learned") for _ in range(2))
    for words in stream():
        with_filing.observe(replace(words, filed=("旅游",)))
        without.observe(words)
    assert with_filing.state() == without.state()


def stream(pages: int = 120) -> list[PageWords]:
    """Every third page is on topic; those speak of 民宿, which the topic does not name, and the others of something else."""
    others = (("编译", "函数", "指针"), ("编译", "股票", "基金"))
    chosen = [("民宿", "旅行", "旅游", "景点") if n % 3 == 0 else others[n % 2] for n in range(pages)]
    return [PageWords(words[:2], words * 12 + (f"词{n % 50}",)) for n, words in enumerate(chosen)]


def taught(
    pages: int = 120,
    fits: FitExecutor | None = None,
    model: TopicModel | None = None,
    labels: Sequence[tuple[PageWords, bool]] = (),
) -> PageJudge:
    judge = PageJudge(profile(), "learned", fits=fits, model=model, labels=labels)
    for words in stream(pages):
        judge.observe(words)
    return judge


UNNAMED = PageWords(("民宿",), ("民宿", "院子") * 20)


def test_r4_nothing_is_learned_before_the_first_refit() -> None:
    assert taught(FIRST_FIT - 1).judge(UNNAMED).value == PageJudge(profile(), "learned").judge(UNNAMED).value == 0.0


def test_a_word_of_the_pages_on_topic_becomes_a_sign_of_it() -> None:
    judge = taught()
    assert judge.judge(UNNAMED).value > judge.judge(PageWords(("股票",), ("股票", "院子") * 20)).value
    assert dict(judge.explain(UNNAMED))["learned:民宿"] > 0


@pytest.mark.parametrize("words", [UNNAMED, CHINESE, OFF_TOPIC, PageWords(body=("招聘", "旅游", "民宿"))])
def test_r1_parts_sum_to_the_score_after_learning(words: PageWords) -> None:
    judge = taught()
    assert sum(part for _, part in judge.explain(words)) == pytest.approx(judge.judge(words).value, abs=1e-9)


def test_state_makes_another_judge_score_alike() -> None:
    judge, other = taught(), PageJudge(profile(), "learned")
    assert judge.version != other.version
    other.adopt(judge.state())
    assert other.judge(UNNAMED) == judge.judge(UNNAMED)
    assert other.version == judge.version


TOO_FEW_NUMBERS = json.dumps({**json.loads(PageModel().state()), "background": USUAL[:2]}).encode()


@pytest.mark.parametrize("state", [b"", b"{}", b"[1]", b'[1, 2, 0, 0, {"a": 1}]', b'{"fits": 1}', TOO_FEW_NUMBERS])
def test_anything_else_is_no_state(state: bytes) -> None:
    judge = PageJudge(profile(), "learned")
    with pytest.raises(ValueError, match="state of this version"):
        judge.adopt(state)


def test_r5_the_same_pages_give_the_same_scores_in_every_process() -> None:
    code = "from tests.relevance.test_learned_pages import *; j = taught(); print(j.version, j.judge(UNNAMED).value)"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {f"{taught().version} {taught().judge(UNNAMED).value}\n"}


OFF, ON = PageWords(("旅游",), ("旅游", "银行", "理财") * 20), PageWords(("民宿",), ("民宿", "管家", "布草") * 20)
LABELS = [(OFF, False)] * 10 + [(ON, True)] * 10


def test_labels_hold_when_a_state_that_knew_nothing_of_them_is_adopted() -> None:
    model = COMPILED["with vectors"]
    state = taught(model=model).state()
    without, told = (
        PageJudge(profile(), "learned", model=model),
        PageJudge(profile(), "learned", model=model, labels=LABELS),
    )
    for judge in (without, told):
        judge.adopt(state)
    assert told.judge(OFF).value < 0.5 * without.judge(OFF).value
    assert told.judge(ON).value > without.judge(ON).value
    assert told.judge(UNNAMED).value > 0.0  # what the crawl has learned is not lost
    assert sum(part for _, part in told.explain(ON)) == pytest.approx(told.judge(ON).value, abs=1e-9)


def test_pages_that_are_there_together_teach_each_other_and_nothing_else() -> None:
    judge = PageJudge(profile(), "learned")
    scores = judge.judge_all([*stream(), UNNAMED])
    assert scores[-1].value > 0.0 == judge.judge(UNNAMED).value
    assert len(scores) == 121


def test_a_fit_that_takes_its_time_changes_nothing_until_it_is_adopted() -> None:
    class Later:
        def __init__(self) -> None:
            self.waiting: list[Callable[[], None]] = []

        def run(self, fit: Callable[[], Any], adopt: Callable[[Any], None]) -> None:
            self.waiting.append(lambda: adopt(fit()))

    fits = Later()
    judge = taught(fits=fits)
    assert judge.judge(UNNAMED).value == 0.0
    assert len(fits.waiting) > 1  # the first may come to nothing: it is asked for again
    fits.waiting[-1]()
    assert judge.judge(UNNAMED).value > 0.0


def test_a_topic_that_no_page_is_on_teaches_nothing() -> None:
    judge = PageJudge(profile(), "learned")
    for words in [PageWords(("编译",), ("函数", "指针", f"词{n % 9}") * 9) for n in range(100)]:
        judge.observe(words)
    assert judge.judge(UNNAMED).value == 0.0


TOPICAL = ("旅游", "景点", "酒店", "度假", "海滩", "travel", "hotel")
OTHER = ("编译器", "函数", "股票", "基金", "利率", "compiler", "memory")


def pages_of_meaning(pages: int = 120) -> list[PageWords]:
    """Every third page is on topic, in Chinese and in English."""
    chosen = [TOPICAL if n % 3 == 0 else OTHER for n in range(pages)]
    return [PageWords(words[n % 5 : n % 5 + 2], tuple(np.roll(words, n)) * 6) for n, words in enumerate(chosen)]


def taught_meaning() -> PageJudge:
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    for words in pages_of_meaning():
        judge.observe(words)
    return judge


UNSEEN = PageWords(("温泉", "山庄"), ("游客", "客栈", "沙滩") * 10)


@pytest.mark.parametrize(
    "words", [UNSEEN, PageWords(("旅游",)), PageWords(body=("travel", "招聘")), PageWords(("函数",), OTHER * 9)]
)
def test_r1_parts_sum_to_the_score_with_meaning(words: PageWords) -> None:
    judge = taught_meaning()
    assert "learned meaning" in dict(judge.explain(words))
    assert sum(part for _, part in judge.explain(words)) == pytest.approx(judge.judge(words).value, abs=1e-9)


def test_pages_of_like_meaning_stand_out_though_no_word_of_theirs_was_read() -> None:
    judge = taught_meaning()
    parts, others = dict(judge.explain(UNSEEN)), dict(judge.explain(PageWords(("程序",), ("变量", "接口") * 10)))
    assert parts["learned meaning"] > others["learned meaning"]


def test_a_state_carries_meaning() -> None:
    judge, other = taught_meaning(), PageJudge(profile(), "learned", model=compile_topic(profile()))
    other.adopt(judge.state())
    assert other.judge(UNSEEN) == judge.judge(UNSEEN)


def test_a_state_with_meaning_is_of_use_without_word_vectors() -> None:
    lite = PageJudge(profile(), "learned")
    lite.adopt(taught_meaning().state())
    assert "learned meaning" not in dict(lite.explain(UNSEEN))


def test_labels_correct_what_meaning_says() -> None:
    """The user wants beaches, not hotels."""
    beach = [PageWords(("海滩",), ("沙滩", "海岛", "海边", f"词{n}") * 5) for n in range(8)]
    hotel = [PageWords(("酒店",), ("客房", "宾馆", "入住", f"词{n}") * 5) for n in range(8)]
    labels = [*((page, True) for page in beach), *((page, False) for page in hotel)]
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()), labels=labels)
    for words in pages_of_meaning():
        judge.observe(words)
    told = [dict(judge.explain(page[0]))["labels"] for page in (beach, hotel)]
    assert told[0] > 0.0 > told[1]
    assert sum(part for _, part in judge.explain(beach[0])) == pytest.approx(judge.judge(beach[0]).value, abs=1e-9)


@pytest.mark.parametrize("wanted", [("海滩",), ("海滩", "酒店"), ()])
def test_labels_say_how_many_pages_are_hits(wanted: tuple[str, ...]) -> None:
    """Beaches and hotels are hits before; one label in sixteen is of the other kind where all say the same."""
    said = {"海滩": ("沙滩", "海岛", "海边"), "酒店": ("客房", "宾馆", "入住")}
    pages = {kind: [PageWords((kind,), (*words, f"词{n}") * 5) for n in range(40)] for kind, words in said.items()}
    labels = [(page, kind in wanted) for kind in said for page in pages[kind][:8]]
    if len(wanted) != 1:
        labels[0] = (labels[0][0], not wanted)
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()), labels=labels)
    scores = judge.judge_all([*pages["海滩"][8:], *pages["酒店"][8:], *pages_of_meaning()])
    assert [score.on_topic for score in scores[:64]] == [kind in wanted for kind in said for _ in range(32)]


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


NEAR_MISSES = {"zh": ("风景", "古镇", "海滩", "度假", "游览"), "en": ("resort", "holiday", "vacation", "sightseeing", "cruise")}  # fmt: skip


def taught_near_misses(language: str, pages: int = 200) -> PageJudge:
    """A crawl of pages that all speak of something near the topic, and not one is on it."""
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    for n in range(pages):
        judge.observe(PageWords((f"第{n}章",), tuple(np.roll(NEAR_MISSES[language], n)) * 30))
    return judge


@pytest.mark.parametrize("language", sorted(NEAR_MISSES))
def test_what_all_pages_of_a_crawl_share_says_less_of_the_topic(language: str) -> None:
    page = PageWords(("书",), NEAR_MISSES[language] * 30)
    judge = taught_near_misses(language)
    background = PageModel.read(judge.state()).background
    assert background.mean > USUAL.mean
    assert judge.judge(page).value < scorer().score(page)
    assert sum(part for _, part in judge.explain(page)) == pytest.approx(judge.judge(page).value, abs=1e-9)


def test_pages_that_are_far_off_teach_of_the_background_only_that_they_lack_the_words() -> None:
    """So that of meanings is the same on a whole web and in a crawl that keeps near its topic."""
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    for n in range(200):
        judge.observe(PageWords((f"第{n}章",), tuple(np.roll(OTHER, n)) * 30))
    background = PageModel.read(judge.state()).background
    assert background == USUAL._replace(words=background.words)
    assert 0.0 < background.words < USUAL.words


@pytest.mark.parametrize("words", [("旅游", "酒店"), ("travel", "hotel")])
def test_words_that_every_page_of_a_crawl_has_count_less(words: tuple[str, ...]) -> None:
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    pages = [PageWords((f"第{n}章",), (*tuple(np.roll(OTHER, n)) * 20, *words)) for n in range(300)]
    for page in pages:
        judge.observe(page)
    assert PageModel.read(judge.state()).background.words > 1.5 * USUAL.words
    taken = [dict(one.explain(pages[0]))["usual words"] for one in (scorer(), judge)]
    assert taken[1] < taken[0] < 0.0


def test_a_crawl_of_hits_does_not_take_them_for_the_background() -> None:
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    hit = PageWords(TOPICAL[:2], TOPICAL * 30)
    for n in range(400):
        judge.observe(PageWords(TOPICAL[n % 5 : n % 5 + 2], tuple(np.roll(TOPICAL, n)) * 30))
    assert PageModel.read(judge.state()).background.mean <= 0.04
    assert judge.judge(hit).on_topic


def test_a_title_tells_less_of_a_long_text_than_of_a_short_one() -> None:
    note, article = (PageWords(("旅游", "攻略"), ("院子", "石头") * n) for n in (20, 400))
    parts = [dict(scorer().prior(page).shares) for page in (note, article)]
    assert parts[0]["title:旅游"] > 2 * parts[1]["title:旅游"] > 0.0
    assert parts[0]["semantic title"] > 2 * parts[1]["semantic title"]


def test_short_bodies_teach_nothing_of_the_background() -> None:
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    for n in range(200):
        judge.observe(PageWords((f"第{n}章",), tuple(np.roll(NEAR_MISSES["zh"], n)) * 4))
    assert PageModel.read(judge.state()).background == USUAL


MOVED = {"semantic title": "title_mean", "semantic body": "mean", "usual words": "words"}


@pytest.mark.parametrize("part", MOVED)
def test_a_background_moves_its_part_alone(part: str) -> None:
    before = scorer().prior(CHINESE)
    after = before.against(USUAL._replace(**{MOVED[part]: 0.7}))
    assert after.shares[part] < before.shares[part]
    assert {**after.shares, part: 0.0} == {**before.shares, part: 0.0}
    assert before.against(USUAL) is before


def test_pages_told_to_other_processes_carry_what_is_taken_against_a_background() -> None:
    page = RememberedPage.of({"旅游": 1.0}, scorer().prior(CHINESE), site="旅游.example")
    told = RememberedPage.read(page.line())
    assert told is not None
    assert (told.site, told.filed) == (page.site, page.filed)
    assert told.measured == pytest.approx(page.measured, abs=1e-5)
    assert RememberedPage.read('[{"a": 1.0}, 0.5, 99.0, "a.example", 0.0]') is None
    assert RememberedPage.read('[{"a": 1.0}, 0.5]') is None


@pytest.mark.parametrize("words", [("旅游", "景点"), ("travel", "hotel")])
def test_where_everything_shares_words_with_the_topic_only_what_is_about_it_is_a_hit(words: tuple[str, ...]) -> None:
    """Every page names the topic; every tenth is about it, the others are about programs and money."""
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    pages = [
        PageWords((f"第{n}章",), words * 3 + (tuple(np.roll(TOPICAL if n % 10 == 0 else OTHER, n)) * 12))
        for n in range(300)
    ]
    for page in pages:
        judge.observe(page)
    assert [n for n, page in enumerate(pages) if judge.judge(page).on_topic] == list(range(0, 300, 10))


def test_what_contradicts_the_topic_is_left_out_and_said(caplog: pytest.LogCaptureFixture) -> None:
    """Pages of the same words, every third of which the topic likes: what they teach puts others first."""
    likes = iter(range(1_000))
    learner = PageLearner(lambda _words: Evidence(-4.0, {"body:": 8.0 * (next(likes) % 3 == 2)}), topic="旅行")
    for _ in range(FIRST_FIT):
        learner.observe(PageWords(("书",), ("编译", "函数") * 20))
    assert learner.model.has_run_away
    assert learner.model.share == 0.0
    assert "旅行: what its pages taught contradicts the topic" in caplog.text
    assert PageModel.read(learner.model.state()) == learner.model
    assert "topic alone: 旅行" in CrawlModel(3, run_away=("旅行",)).words()


def taught_by_sites() -> PageJudge:
    """Nine of ten pages of one site are on topic, three of ten of another, none of the third."""
    judge = PageJudge(profile(), "learned", model=compile_topic(profile()))
    for n in range(300):
        site, share = (("travel.example", 9), ("portal.example", 3), ("code.example", 0))[n % 3]
        text = TOPICAL if n // 3 % 10 < share else OTHER
        judge.observe(PageWords((f"第{n}章",), tuple(np.roll(text, n)) * 12, site=site))
    return judge


def test_pages_of_a_site_that_is_about_the_topic_need_to_say_less_of_it() -> None:
    judge = taught_by_sites()
    sites = ("travel.example", "portal.example", "code.example")
    pages = [PageWords(("行程",), ("游客", "函数") * 10, site=site) for site in sites]
    scores = [judge.judge(page).value for page in pages]
    assert scores == sorted(set(scores), reverse=True)
    assert sum(part for _, part in judge.explain(pages[0])) == pytest.approx(scores[0], abs=1e-9)
    assert dict(judge.explain(pages[2]))["site"] < -0.01
    assert "site" not in dict(judge.explain(replace(pages[0], site="")))
    assert not judge.judge(PageWords(site="travel.example")).on_topic  # a page without text


def test_a_site_changes_which_pages_are_hits_and_not_how_many() -> None:
    pages = [RememberedPage((), array("d"), 0.0, site=f"{n % 4}.example") for n in range(200)]
    odds = np.array([(n * 37 % 200) / 50.0 - 3.0 - n % 4 / 2 for n in range(200)])
    gains = site_gains(pages, odds)
    moved = np.array([one + gains[page.site] for page, one in zip(pages, odds, strict=True)])
    assert (moved > WATERSHED).sum() == (odds > WATERSHED).sum()
    assert (moved > WATERSHED).tolist() != (odds > WATERSHED).tolist()
    assert gains["0.example"] > gains["3.example"]
    assert site_gains(pages[::4], odds[::4]) == {}  # of a single site there is nothing to compare


def test_what_labels_say_of_pages_counts_for_their_site() -> None:
    def lead(labels: Sequence[tuple[PageWords, bool]]) -> float:
        judge = PageJudge(profile(), "learned", model=COMPILED["with vectors"], labels=labels)
        for n in range(200):
            site, page = (
                ("inn.example", ON),
                ("bank.example", OFF),
                ("code.example", PageWords(("函数",), OTHER * 9)),
            )[n % 3]
            judge.observe(replace(page, body=tuple(np.roll(page.body, n)), site=site))
        sites = PageModel.read(judge.state()).sites
        return sites["inn.example"] - sites["bank.example"]

    assert lead(LABELS) > lead(()) + 0.5
