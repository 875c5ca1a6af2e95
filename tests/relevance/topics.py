"""A small topic and pages to judge with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.interfaces import PageWords, Parent
from topicspider.text.segment import make_segmenter
from topicspider.topic.profile import Topic, TopicProfile
from topicspider.url import fingerprint

if TYPE_CHECKING:
    from topicspider.page.links import Link

WEIGHTS = {"旅游": 1.0, "旅行": 0.8, "景点": 0.8, "酒店": 0.3, "门票": 0.5, "travel": 0.6, "朋友": 0.1}
SYNONYMS = {"游玩": "旅游", "胜地": "景点"}
NEGATIVE = {"旅游鞋": 0.5, "招聘": 1.0}


def profile(scope: str = "broad", page: float | None = None, link: float | None = None) -> TopicProfile:
    topic = Topic("tourism", scope=scope, terms=WEIGHTS, page_threshold=page, link_threshold=link)
    idf = {word: 5.0 + position for position, word in enumerate(WEIGHTS)}
    return TopicProfile(topic, WEIGHTS, SYNONYMS, NEGATIVE, idf, "digest")


SEGMENTER = make_segmenter([*WEIGHTS, *SYNONYMS, *NEGATIVE])

CHINESE = PageWords(
    title=tuple(SEGMENTER.words("江南古镇旅游攻略：三日旅行")),
    body=tuple(
        SEGMENTER.words(
            "古镇的景点在河边，门票很便宜，酒店临水。春天去游玩的人多，旅行社也多，旅游的旺季在三月。和朋友坐船看桥。"
        )
    ),
)
OFF_TOPIC = PageWords(title=("编译器", "报错"), body=("指针", "数组", "内存", "函数", "返回", "类型"))
NOTHING = PageWords()


def page(url: str, on_topic: bool = True, score: float = 0.5, depth: int = 1) -> Parent:
    return Parent(url, fingerprint(url), score, on_topic, depth)


def links(*given: Link) -> list[tuple[int, Link]]:
    return [(fingerprint(link.url), link) for link in given]
