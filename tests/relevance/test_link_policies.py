"""Link policies: orders, pruning, the formulas of (a) Li 2002 end to end, and what is added to them."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.reference import ranks as paper
from tests.relevance.topics import NEGATIVE, SEGMENTER, SYNONYMS, WEIGHTS, links, page, profile
from topicspider.errors import ConfigError
from topicspider.options import LINK_POLICIES as PROMISED
from topicspider.page.links import Link
from topicspider.relevance.default_thresholds import LINK_THRESHOLDS, least_score, link_threshold
from topicspider.relevance.ipagerank import topic_words
from topicspider.relevance.published_link_policies import LINK_POLICIES, make_link_policy
from topicspider.text.similarity import WordSimilarity
from topicspider.url import fingerprint, words_in_url

if TYPE_CHECKING:
    from topicspider.relevance.interfaces import LinkPolicy, LinkScore

EACH = pytest.mark.parametrize("name", sorted(LINK_POLICIES))
RW_POLICIES = pytest.mark.parametrize("name", ["rw", "ipagerank"])
A, B, C = (f"http://www.example.com/{number}" for number in (1, 2, 3))
FROM = page("http://www.example.com/")


def policy(name: str, threshold: float | None = None, seed: int = 0, faithful: bool = False) -> LinkPolicy:
    return make_link_policy(name, profile(), SEGMENTER, threshold=threshold, seed=seed, faithful=faithful)


def values(scores: list[LinkScore]) -> list[float]:
    return [score.value for score in scores]


def test_registry_has_every_promised_policy() -> None:
    assert set(LINK_POLICIES) == set(PROMISED)


def test_unknown_policy_is_one_clear_line() -> None:
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_LINK_POLICY.*'widest'.*ipagerank"):
        policy("widest")


@EACH
def test_one_score_a_link_in_order(name: str) -> None:
    given = links(Link(A, "旅游"), Link(B, "编译"), Link(A, "旅行"), Link(C, ""))
    judged = policy(name).judge(FROM, given)
    assert len(judged) == 4
    assert all(score.value > 0 for score in judged if not score.pruned)
    assert policy(name).judge(FROM, []) == []
    assert policy(name).name == name


@EACH
def test_r5_same_pages_and_seed_give_the_same_values(name: str) -> None:
    runs = []
    for _ in range(2):
        one = policy(name, seed=7)
        runs.append(
            [one.judge(page(A), links(Link(B, "旅游"), Link(C, "景点"))), one.judge(page(B), links(Link(C, "门票")))]
        )
    assert runs[0] == runs[1]


@pytest.mark.parametrize("name", ["bfs", "dfs", "random", "best_first", "shark", "pagerank"])
def test_baselines_prune_nothing(name: str) -> None:
    given = links(Link(A, "编译器"), Link(B), Link(C, "旅游"))
    judged = policy(name).judge(page("http://www.example.com/", on_topic=False, score=0.0), given)
    assert [score.pruned for score in judged] == ["", "", ""]


def test_bfs_goes_by_depth_then_arrival() -> None:
    one = policy("bfs")
    deep = values(one.judge(page(A, depth=5), links(Link(A), Link(B))))
    near = values(one.judge(page(B, depth=0), links(Link(B), Link(C))))
    assert sorted([*deep, *near], reverse=True) == [*near, *deep]


def test_dfs_goes_by_depth_then_newest() -> None:
    one = policy("dfs")
    near = values(one.judge(page(B, depth=0), links(Link(B), Link(C))))
    deep = values(one.judge(page(A, depth=5), links(Link(A), Link(B))))
    assert sorted([*deep, *near]) == [*near, *deep]


@pytest.mark.parametrize("name", ["bfs", "dfs"])
def test_neighbours_in_order_differ_by_more_than_the_frontier_rounds(name: str) -> None:
    """Frontier promise 3: scores are compared after rounding to 1e-6."""
    one = policy(name)
    judged = values(one.judge(page(A, depth=10_000), links(Link(A), Link(B), Link(C))))
    assert len({round(value, 6) for value in judged}) == 3


def test_random_depends_on_seed_and_target_not_on_arrival() -> None:
    given = links(Link(A), Link(B), Link(C))
    forward, backward = (
        policy("random", seed=1).judge(FROM, given),
        policy("random", seed=1).judge(page(C), given[::-1]),
    )
    assert values(forward) == values(backward)[::-1]
    assert values(forward) != values(policy("random", seed=2).judge(FROM, given))
    assert all(0 <= value < 1 for value in values(forward))


def test_hard_focus_follows_links_of_on_topic_pages_only() -> None:
    """(b) thesis 2011."""
    given = links(Link(A, "旅游"), Link(B, "下一页", is_pagination=True))
    assert [s.pruned for s in policy("hard_focus").judge(page(A, on_topic=False), given)] == ["off_topic_parent"] * 2
    assert [s.pruned for s in policy("hard_focus").judge(page(A, on_topic=True), given)] == ["", ""]


def test_best_first_gives_the_page_score_and_prunes_only_below_a_threshold() -> None:
    given = links(Link(A, "编译器"))
    assert values(policy("best_first").judge(page(A, score=0.37), given)) == [0.37]
    assert policy("best_first", threshold=0.5).judge(page(A, score=0.37), given)[0].pruned == "low_parent"
    assert policy("best_first", threshold=0.3).judge(page(A, score=0.37), given)[0].pruned == ""


FIELDS = [
    ({"anchor": "旅游大全"}, 1.0),
    ({"title": "订酒店"}, 1.0),
    ({"before": "门票：", "anchor": "点这里"}, 1.0),
    ({"after": "的景点", "anchor": "点这里"}, 1.0),
    ({"heading": "旅行", "anchor": "第一天"}, 1.0),
    ({"anchor": "游玩"}, 1.0),
    ({"anchor": "宾馆"}, WordSimilarity().similarity("宾馆", "酒店")),
    ({"anchor": "编译器"}, 0.0),
    ({}, 0.0),
]


@RW_POLICIES
@pytest.mark.parametrize(("fields", "expected"), FIELDS)
def test_rw_is_the_best_word_of_any_field(name: str, fields: dict[str, str], expected: float) -> None:
    """(a) formula 1: RW = max(M(url)) over all words of the extended metadata."""
    score = policy(name).judge(FROM, links(Link(A, **fields)))[0]
    assert score.parts["rw"] == pytest.approx(expected)
    assert score.pruned == ("" if expected else "low_rw")


@RW_POLICIES
@pytest.mark.parametrize("path", ["travel/9", "%E6%97%85%E6%B8%B8/9", "%C2%C3%D3%CE/9"])
def test_rw_reads_the_words_of_the_url_in_utf8_and_gbk(name: str, path: str) -> None:
    assert policy(name).judge(FROM, links(Link(f"http://www.example.com/{path}")))[0].parts["rw"] == 1


@RW_POLICIES
@pytest.mark.parametrize(("threshold", "pruned"), [(0.8, ""), (0.81, "low_rw")])
def test_rw_at_the_threshold_is_kept_and_below_it_pruned(name: str, threshold: float, pruned: str) -> None:
    """(a) formula 1: 宾馆 and 酒店 are near words, .8."""
    score = policy(name, threshold).judge(FROM, links(Link(A, "宾馆")))[0]
    assert score.pruned == pruned
    assert score.parts["rw"] == (0.0 if pruned else 0.8)
    assert score.parts["anchor"] == 0.8


def test_rw_equals_the_plain_formula_for_random_links() -> None:
    rng = random.Random(5)
    words = [*WEIGHTS, *SYNONYMS, *NEGATIVE, "宾馆", "火车", "苹果", "编译器", "足球", "山", "旅馆", "风景"]
    similarity, wanted = WordSimilarity(SYNONYMS), topic_words(profile())
    one = policy("rw", threshold=0.5)
    for _ in range(200):
        texts = ["".join(rng.sample(words, rng.randrange(3))) for _ in range(5)]
        link = Link(f"http://www.example.com/{rng.choice(words)}", *texts)
        all_words = [w for text in (*texts, *words_in_url(link.url)) for w in SEGMENTER.words(text)]
        best = max((similarity.similarity(w, t) for w in all_words for t in wanted), default=0.0)
        assert one.judge(FROM, links(link))[0].value == pytest.approx(best if best >= 0.5 else 0.0)


@RW_POLICIES
def test_pagination_of_an_on_topic_page_is_kept(name: str) -> None:
    """FACTS: lists and pagination are the tunnels."""
    given = links(Link(A, "下一页", is_pagination=True))
    assert policy(name).judge(page(B, on_topic=True), given)[0].pruned == ""
    assert policy(name, faithful=True).judge(page(B, on_topic=True), given)[0].pruned == "low_rw"


@RW_POLICIES
def test_pagination_of_a_hub_is_kept_though_the_hub_is_off_topic(name: str) -> None:
    hub = links(Link(A, "旅游"), Link(B, "景点"), Link("http://www.example.com/?p=2", "下一页", is_pagination=True))
    judged = policy(name).judge(page(C, on_topic=False), hub)
    assert judged[2].pruned == ""
    assert judged[2].parts["pagination"] == 1


def random_site(seed: int) -> list[tuple[str, list[Link]]]:
    rng = random.Random(seed)
    anchors = ["旅游", "宾馆", "编译器", "门票", "火车", "山", ""]
    urls = [f"http://site{number % 3}.example/p{number}" for number in range(60)]
    return [(url, [Link(rng.choice(urls), rng.choice(anchors)) for _ in range(rng.randrange(9))]) for url in urls[:40]]


@pytest.mark.parametrize("seed", range(3))
def test_faithful_ipagerank_is_formula_3(seed: int) -> None:
    one, weigher = policy("ipagerank", faithful=True), policy("rw", faithful=True)
    web: dict[int, dict[int, float]] = {}
    newest: dict[int, float] = {}
    for url, given in random_site(seed):
        marks = links(*given)
        targets = web.setdefault(fingerprint(url), {})
        for (target, _), score in zip(marks, weigher.judge(page(url), marks), strict=True):
            if target != fingerprint(url):
                targets[target] = max(score.value, targets.get(target, 0.0))
        judged = one.judge(page(url), marks)
        newest |= {target: s.value for (target, _), s in zip(marks, judged, strict=True) if not s.pruned}
        newest |= dict(one.promotions())
    expected = paper.ipagerank(web)
    unfetched = [target for target in newest if target not in web]
    assert unfetched
    for target in unfetched:
        assert newest[target] == pytest.approx(expected[target], rel=0.021)
    assert {mark: one.rank(mark) for mark in web} == pytest.approx({mark: expected[mark] for mark in web}, rel=0.021)


@pytest.mark.parametrize("seed", range(3))
def test_pagerank_is_formula_2(seed: int) -> None:
    one = policy("pagerank")
    web: dict[int, set[int]] = {}
    newest: dict[int, float] = {}
    for url, given in random_site(seed):
        marks = links(*given)
        web[fingerprint(url)] = {target for target, _ in marks} - {fingerprint(url)}
        newest |= {target: s.value for (target, _), s in zip(marks, one.judge(page(url), marks), strict=True)}
        newest |= dict(one.promotions())
    expected = paper.pagerank(web)
    for target in set(newest) - set(web):
        assert newest[target] == pytest.approx(expected[target], rel=0.021)


def test_r2_ipagerank_with_equal_rw_is_pagerank() -> None:
    by_rank, by_interest = policy("pagerank"), policy("ipagerank", faithful=True)
    for url, given in random_site(4):
        same = links(*(Link(link.url, "旅游") for link in given))
        ranks, interests = by_rank.judge(page(url), same), by_interest.judge(page(url), same)
        assert values(ranks) == pytest.approx(values(interests))


def test_promotions_carry_rank_times_rw() -> None:
    one = policy("ipagerank")
    first = one.judge(page("http://a.example/"), links(Link(A, "宾馆")))[0]
    one.judge(page("http://b.example/"), links(Link("http://a.example/", "旅行")))
    risen = dict(one.promotions())[fingerprint(A)]
    faithful = policy("ipagerank", faithful=True)
    faithful.judge(page("http://a.example/"), links(Link(A, "宾馆")))
    faithful.judge(page("http://b.example/"), links(Link("http://a.example/", "旅行")))
    assert risen == pytest.approx(dict(faithful.promotions())[fingerprint(A)] * first.parts["rw"])


@RW_POLICIES
def test_two_links_to_one_target_count_once_with_the_better_rw(name: str) -> None:
    twice = policy(name).judge(FROM, links(Link(A, "旅游"), Link(A, "宾馆"), Link(B, "旅游")))
    once = policy(name).judge(FROM, links(Link(A, "旅游"), Link(B, "旅游")))
    assert twice[0].value == pytest.approx(once[0].value)
    assert twice[2].value == pytest.approx(once[1].value)


@pytest.mark.parametrize("name", ["pagerank", "ipagerank"])
def test_target_found_on_a_second_page_is_promoted(name: str) -> None:
    one = policy(name)
    first = one.judge(page("http://a.example/"), links(Link(A, "旅游"), Link(B, "景点")))
    assert one.promotions() == []
    one.judge(page("http://b.example/"), links(Link(C, "旅游"), Link("http://a.example/", "旅行")))
    risen = dict(one.promotions())
    assert risen.keys() == {fingerprint(A), fingerprint(B)}
    assert risen[fingerprint(A)] > first[0].value


def test_link_threshold_of_option_wins_over_topic_over_default() -> None:
    own = profile(link=0.44).topic
    assert link_threshold(own, "rw", 0.9) == 0.9
    assert link_threshold(own, "rw", 0.0) == 0.0
    assert link_threshold(own, "rw", None) == 0.44
    assert link_threshold(profile().topic, "rw", None) == LINK_THRESHOLDS["rw"].broad
    assert link_threshold(profile("specific").topic, "ipagerank", -1.0) == LINK_THRESHOLDS["ipagerank"].specific
    assert link_threshold(profile().topic, "bfs", None) == 0.0


def test_only_learned_values_are_measured_when_a_link_leaves_the_queue() -> None:
    """Of several topics the one that takes most decides."""
    topics = [profile().topic, replace(profile().topic, link_threshold=0.00005)]
    assert least_score(topics, "learned", -1.0) == 0.00005
    assert least_score(topics, "learned", 0.0) == 0.0
    assert {least_score(topics, policy, 0.5) for policy in ("bfs", "rw", "ipagerank", "best_first")} == {-math.inf}


@RW_POLICIES
@pytest.mark.parametrize(
    ("kind", "url", "kept"),
    [
        ("up", "http://www.example.com/", True),
        ("outward", "http://b.example.com/", False),
        ("up", "http://www.example.com/a/", False),
    ],
)
def test_the_home_of_a_site_inherits_as_pagination_does(name: str, kind: str, url: str, kept: bool) -> None:
    """(a) Li 2002, site topics: a site has one or a few topics."""
    given = links(Link(url, "返回首页", kind=kind))
    verdict = policy(name).judge(page(B, on_topic=True), given)[0]
    assert (not verdict.pruned) is kept
    assert verdict.parts.get("home", 0) == (1 if kept else 0)
