"""The parts of a name: which names have some, and what they are good for when pages are judged."""

from __future__ import annotations

import pytest

from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.text.segment import make_segmenter
from topicspider.text.vectors import word_vectors
from topicspider.topic.compiling import compile_topic, protect_words
from topicspider.topic.expansion import part_vectors
from topicspider.topic.learning import learn
from topicspider.topic.profile import Topic

ALONE, TOGETHER = "semantic of one part alone", "semantic of every part"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("新能源汽车", 2),
        ("乡村旅游", 2),
        ("農村金融", 2),  # as simplified characters
        ("machine learning", 2),
        ("AI芯片", 2),
        ("茶叶", 0),  # a word
        ("互联网", 0),  # 网 is no word
        ("社会主义", 0),  # means something else than 社会 and 主义
        ("茶叶行业", 0),  # 行业 says next to nothing
        ("xyzzy 茶叶", 0),
        ("", 0),
    ],
)
def test_names_of_several_words_have_parts(name: str, parts: int) -> None:
    assert len(part_vectors(Topic(name="t", title={"zh": name}), word_vectors())) == parts


@pytest.mark.parametrize("keys", [{"terms": {"电动车": 5.0}}, {"texts": ("充电桩进了小区",)}])
def test_a_topic_that_is_more_than_a_name_has_none(keys: dict[str, object]) -> None:
    topic = Topic(name="t", title={"zh": "新能源汽车"}, **keys)  # type: ignore[arg-type]
    assert part_vectors(topic, word_vectors()) == []
    assert compile_topic(learn(topic, make_segmenter("rjieba"))).parts == ()


BOTH_AND_HALF = [
    ("乡村旅游", ("山村民宿住满游客", "古村的农家乐让村民吃上旅游饭，游客来摘杨梅。"), ("巴黎铁塔门票涨价", "游客登顶要先预约，酒店旺季涨价。")),
    ("儿童文学", ("写给小学生的童话", "作家为孩子写的小说和童话，孩子爱读。"), ("儿童安全座椅怎么装", "孩子坐车要系好，冬天脱掉外套。")),
    ("machine learning", ("Learning algorithms for machines", "Computers learn from training data."), ("Learning Spanish", "The teacher speaks slowly, pupils learn words.")),
    ("AI芯片", ("AI 芯片算力翻倍", "GPU 和 AI 芯片一起训练神经网络，算力翻倍。"), ("Chips and dips", "Potato snacks with 番茄 sauce")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "both", "half"), BOTH_AND_HALF)
def test_a_page_on_one_part_alone_stands_back(name: str, both: tuple[str, str], half: tuple[str, str]) -> None:
    judge, pages = judged(name, both, half)
    scores = [judge.judge(page).value for page in pages]
    assert scores[0] > scores[1]
    parts = [dict(judge.explain(page)) for page in pages]
    assert parts[0].get(TOGETHER, 0.0) > max(parts[1].get(TOGETHER, 0.0), 0.0)


@pytest.mark.parametrize(("name", "both", "half"), BOTH_AND_HALF)
def test_r1_parts_sum_to_the_score_of_a_name(name: str, both: tuple[str, str], half: tuple[str, str]) -> None:
    judge, pages = judged(name, both, half, ("", "xyzzy"), ("", ""))
    for page in pages:
        assert sum(part for _, part in judge.explain(page)) == pytest.approx(judge.judge(page).value, abs=1e-9)
    assert judge.judge(pages[-1]).value == 0.0


def judged(name: str, *texts: tuple[str, str]) -> tuple[PageJudge, list[PageWords]]:
    segmenter = make_segmenter("rjieba")
    profile = learn(Topic(name="t", title={"zh": name}), segmenter)
    model = compile_topic(profile)
    protect_words(model, segmenter)
    pages = [PageWords(tuple(segmenter.words(title)), tuple(segmenter.words(body))) for title, body in texts]
    return PageJudge(profile, "learned", model=model), pages
