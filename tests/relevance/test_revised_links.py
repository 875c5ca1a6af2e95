"""What judging hands on of a policy that learns: links that it values otherwise now, by one topic or several."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.relevance.topics import CHINESE, SEGMENTER, profile
from topicspider.judging import Judging, PageEvaluation, view_of
from topicspider.options import Options
from topicspider.page.links import Link
from topicspider.page.near_duplicate import CopyMemory
from topicspider.relevance.interfaces import LinkScore
from topicspider.topic.profile import Topic
from topicspider.topic.url_filter import UrlFilter
from topicspider.url import fingerprint

MENU, ROUTE = Link("http://甲.example/菜谱", anchor="川菜菜谱"), Link("http://甲.example/路线", anchor="旅游路线")
MENU_MARK, ROUTE_MARK = fingerprint(MENU.url), fingerprint(ROUTE.url)


@dataclass
class FakeLearner:
    """Values are given from outside."""

    values: dict[int, float]
    news: list[tuple[int, float]] = field(default_factory=list)
    name: str = "fake"
    version: str = "0"

    def judge(self, parent, links):
        return [LinkScore(self.values.get(mark, 0.0), "" if mark in self.values else "low") for mark, _ in links]

    def promotions(self):
        return ()

    def revised(self):
        news, self.news = self.news, []
        return news

    def state(self):
        return b"{}"

    def adopt(self, state):
        pass


@dataclass(frozen=True)
class ReadPage:
    links: tuple[Link, ...] = (MENU, ROUTE)
    subject_words: tuple[str, ...] = CHINESE.title
    body_words: tuple[str, ...] = CHINESE.body
    filed_under: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    published: str = ""
    robots: frozenset[str] = frozenset()
    condition: str = ""
    simhash: int = 0
    is_hub: bool = False


def shared(policies):
    topics = [replace(profile(), topic=Topic(f"题{number}")) for number in range(len(policies))]
    views = [view_of(topic, SEGMENTER, Options(), policy) for topic, policy in zip(topics, policies, strict=True)]
    return Judging(views, UrlFilter())


def judge(policies, judging=None):
    return PageEvaluation("http://甲.example/", 0, ReadPage(), judging or shared(policies)).judge_links()


def test_one_topic_revises_as_it_likes():
    policy = FakeLearner({ROUTE_MARK: 0.8}, [(MENU_MARK, 0.1), (ROUTE_MARK, 0.9)])
    assert judge([policy]).revisions == [(MENU_MARK, 0.1), (ROUTE_MARK, 0.9)]
    assert judge([policy]).revisions == []


def test_a_link_that_one_topic_pruned_is_kept_for_the_other_which_alone_can_lower_it():
    tourism, food = FakeLearner({ROUTE_MARK: 0.8}), FakeLearner({MENU_MARK: 0.7, ROUTE_MARK: 0.3})
    values = shared([tourism, food])
    kept = {one.fingerprint: one.score.value for one in judge([tourism, food], values).kept}
    assert kept == {ROUTE_MARK: 0.8, MENU_MARK: 0.7}
    tourism.values, food.values = {}, {}
    tourism.news, food.news = [(ROUTE_MARK, 0.05)], [(MENU_MARK, 0.2)]
    assert sorted(judge([tourism, food], values).revisions) == sorted([(ROUTE_MARK, 0.3), (MENU_MARK, 0.2)])


def test_policies_are_told_that_a_hit_is_a_copy_of_another():
    copies, told = CopyMemory(), []
    for url, simhash in (("http://甲.example/1", 77), ("http://乙.example/1", 77), ("http://甲.example/1", 77)):
        policy = FakeLearner({})
        policy.judge = lambda parent, links: told.append(parent.is_copy) or [LinkScore(0.5)] * len(links)
        views = [view_of(profile(), SEGMENTER, Options(), policy)]
        judgement = PageEvaluation(url, 0, ReadPage(simhash=simhash), Judging(views, UrlFilter(), copies))
        judgement.judge_links()
        assert (judgement.is_hit, judgement.is_new_hit) == (True, not told[-1])
    assert told == [False, True, False]


def test_a_hub_is_one_only_to_the_topics_that_it_is_on():
    told, views = [], []
    for number, threshold in enumerate((0.0, 1.0)):
        policy = FakeLearner({})
        policy.judge = lambda parent, links: told.append((parent.on_topic, parent.is_hub)) or [LinkScore(0.5)] * 2
        topic = replace(profile(), topic=Topic(f"题{number}"))
        views.append(view_of(topic, SEGMENTER, Options(page_threshold=threshold), policy))
    PageEvaluation("http://甲.example/标签", 0, ReadPage(is_hub=True), Judging(views, UrlFilter())).judge_links()
    assert told == [(True, True), (False, False)]
