"""The learned link policy: what it knows before the first page, what it learns, and what stays the same."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.frontier.protocol import End, Entry, is_lost
from topicspider.judging import Judging, view_of
from topicspider.options import Options
from topicspider.page.links import Link
from topicspider.relevance import learned_link_policy, link_features
from topicspider.relevance.interfaces import LinkScore, Parent, PolicyContext
from topicspider.relevance.learned_link_policy import EVERY, EXPLORE_EVERY, LearnedPolicy
from topicspider.topic.url_filter import UrlFilter
from topicspider.url import fingerprint

HOME = "http://www.example.com/"
GOOD = ("古镇旅游", "旅行门票", "travel tips", "景点 guide", "海边旅行")
BAD = ("编译器报错", "服务器内存", "compiler flags", "指针 pointer", "函数返回")


def policy() -> LearnedPolicy:
    return LearnedPolicy(PolicyContext(profile(), SEGMENTER))


def anchored(count: int, folder: str = "a", words: tuple[str, ...] = GOOD) -> list[Link]:
    return [
        Link(f"{HOME}{folder}/{number}.html", words[number % len(words)], position=number, kind="down", group=1)
        for number in range(count)
    ]


def crawl(one: LearnedPolicy, pages: int = 120, seed: int = 0) -> list[LinkScore]:
    """A small site: of each list's five links those in folder ``a`` are hits; anchors say nothing."""
    rng = random.Random(seed)
    scores: list[LinkScore] = []
    for number in range(pages // 6):
        folder = "a" if number % 2 else "b"
        targets = [
            Link(
                f"{HOME}{folder}/{number}-{item}.html", f"第{rng.randrange(99)}篇", kind="down", group=2, position=item
            )
            for item in range(5)
        ]
        scores += one.judge(page(f"{HOME}list/{number}.html", on_topic=False, score=0.0), links(*targets))
        for target in targets:
            scores += one.judge(page(target.url, on_topic=folder == "a", score=0.6 if folder == "a" else 0.0), [])
    return scores


def value(one: LearnedPolicy, link: Link, url: str = HOME, on_topic: bool = False, score: float = 0.0) -> float:
    return one.judge(page(url, on_topic=on_topic, score=score), links(link))[0].value


@pytest.mark.parametrize(("good", "bad"), list(zip(GOOD, BAD, strict=True)))
def test_before_anything_is_learned_topic_words_decide(good: str, bad: str) -> None:
    """Chinese, English and mixed."""
    scores = policy().judge(page(HOME), links(Link(HOME + "1", bad, group=1), Link(HOME + "2", good, group=2)))
    assert scores[1].value > scores[0].value


def test_what_an_address_says_counts() -> None:
    one = policy()
    scores = one.judge(page(HOME), links(Link(HOME + "travel/1", "1"), Link(HOME + "compiler/1", "1")))
    assert scores[0].value > scores[1].value


def test_parts_sum_to_the_value_before_and_after_learning() -> None:
    """Promise R1."""
    one = policy()
    scores = [*one.judge(page(HOME), links(*anchored(20))), *crawl(one)]
    weighed = [score for score in scores if score.parts]
    assert len(weighed) > 100
    for score in weighed:
        assert sum(score.parts.values()) == pytest.approx(score.value, abs=1e-9)


def test_values_lie_in_0_to_1_whatever_the_links() -> None:
    """Empty anchors, addresses of any kind, pages without words."""
    one = policy()
    odd = [
        Link("http://[::1]/"),
        Link("http://www.example.com"),
        Link(HOME + "?" + "x=1&" * 300, "旅" * 300, group=-1),
        Link(HOME + "%E6%97%85%ff", "\ud800", "\x00", block="aside", kind="outward"),
        Link(HOME + "p/2", "下一页", is_pagination=True, kind="frame"),
    ]
    for on_topic, score in ((True, 0.0), (False, 1.0), (True, 1.0)):
        for judged in one.judge(page("http://www.example.com", on_topic, score), links(*odd)):
            assert 0.0 <= judged.value <= 1.0


def test_it_learns_which_folder_has_the_hits() -> None:
    one = policy()
    crawl(one)
    given = (Link(f"{HOME}{folder}/999-1.html", f"新 {folder}", group=2) for folder in "ab")
    good, bad = one.judge(page(HOME + "list/new.html", on_topic=False, score=0.0), links(*given))
    assert good.value > 2 * bad.value


def test_links_that_wait_are_revised_up_and_down() -> None:
    one = policy()
    given = anchored(12, "a", ("第几篇",))
    scores = one.judge(page(HOME), links(*given))
    first = {mark: score.value for (mark, _), score in zip(links(*given), scores, strict=True)}
    one.revised()
    one.judge(page(given[0].url, on_topic=True, score=0.7), [])
    risen = dict(one.revised())
    assert risen
    assert all(value > first[mark] for mark, value in risen.items())
    for link in given[1:6]:
        one.judge(page(link.url, on_topic=False, score=0.0), [])
    fallen = dict(one.revised())
    assert fingerprint(given[11].url) in fallen
    assert fallen[fingerprint(given[11].url)] < risen[fingerprint(given[11].url)]


def test_a_menu_link_counts_once() -> None:
    """The word 旅游 stands in the menu of every page of some sites: the second page changes nothing."""
    one = policy()
    menu = Link(HOME + "travel/", "旅游", block="nav")
    first = value(one, menu, HOME + "1")
    assert [value(one, menu, f"{HOME}{number}", on_topic=True, score=0.9) for number in range(2, 9)] == [first] * 7


@pytest.mark.parametrize("block", ["main", "nav", "footer"])
def test_pagination_inherits_the_worth_of_its_list(block: str) -> None:
    """Wherever a site puts it."""
    one = policy()
    values = []
    for folder, is_good in (("a", True), ("b", False)):
        items = anchored(6, folder, ("第几篇",))
        one.judge(
            page(f"{HOME}list?of={folder}", on_topic=False, score=0.0),
            links(*items, Link(f"{HOME}list?of={folder}&page=2", "下一页", block=block, is_pagination=True)),
        )
        for item in items:
            one.judge(page(item.url, on_topic=is_good, score=0.8 if is_good else 0.0), [])
    for folder in ("a", "b"):
        third = Link(f"{HOME}list?of={folder}&page=3", "3", block=block, is_pagination=True)
        values.append(value(one, third, f"{HOME}list?of={folder}&page=2"))
    assert values[0] > 1.5 * values[1]


def test_a_hub_is_worth_what_it_adds() -> None:
    """Tags that are on topic, of a site whose lists show new pages each, or the same ones again and again."""
    values = []
    for tags_add in (True, False):
        one = policy()
        tags = [Link(f"{HOME}tag/{number}/", f"第{number}组", kind="down", group=1) for number in range(12)]
        one.judge(page(HOME, on_topic=False, score=0.0), links(*tags))
        for number, tag in enumerate(tags[:-1]):
            listed = anchored(8, f"{number if tags_add else 0}", ("第几篇",))
            one.judge(replace(page(tag.url, on_topic=True, score=0.8), is_hub=True), links(*listed))
        values.append(value(one, tags[-1], HOME + "about"))
    assert values[0] > 1.5 * values[1]


def test_a_site_whose_links_lead_nowhere_is_worth_less_than_one_that_nobody_knows() -> None:
    """Thirty hits, then 130 misses whose pages lead on and on; a directory of sites keeps its worth."""
    one = policy()
    for number in range(160):
        more = Link(f"{HOME}a/{number + 1}.html", "第几篇", kind="down")
        on_topic, score = number < 30, 0.6 if number < 30 else 0.0
        one.judge(page(f"{HOME}a/{number}.html", on_topic=on_topic, score=score), links(more))
    directory = "http://www.目录.example/"
    parts = [Link(f"{directory}{number}.html", "分类", kind="level") for number in range(9)]
    one.judge(page(directory, on_topic=False, score=0.0, depth=0), links(*parts))
    for number, part in enumerate(parts[:-1]):
        home = Link(f"http://site{number}.example/", "网站", kind="outward")
        one.judge(page(part.url, on_topic=False, score=0.0), links(home))
    urls = f"{HOME}a/999.html", parts[-1].url, "http://new.example/"
    found = [value(one, Link(url, "网站", kind="outward"), "http://others.example/") for url in urls]
    assert found[0] < found[1] < found[2]


def chain(one: LearnedPolicy, *steps: Link, on_topic: frozenset[str] = frozenset()) -> list[LinkScore]:
    """The scores of links, each found alone on the page of the one before; pages that are no hits, but for those named."""
    scores, url = [], HOME
    for depth, link in enumerate(steps):
        is_hit = url in on_topic
        scores += one.judge(page(url, on_topic=is_hit, score=0.6 * is_hit, depth=depth), links(link))
        url = link.url
    return scores


def test_a_link_is_worth_less_the_farther_its_page_is_from_the_last_hit_or_seed() -> None:
    steps = [Link(f"http://www.站{number}.example/", "网站", kind="outward") for number in range(8)]
    distances = [score.parts.get("distance", 0.0) for score in chain(policy(), *steps)]
    assert distances[0] == 0.0
    assert distances == sorted(distances, reverse=True)
    values = [score.value for score in chain(policy(), *steps)]
    assert values[:5] == sorted(values[:5], reverse=True)
    assert values[4] == pytest.approx(values[7], rel=0.1), "at most four links count"
    assert values[7] > 0.0001, "far links are followed at last"
    after_hit = chain(policy(), *steps, on_topic=frozenset([steps[2].url]))
    assert "distance" not in after_hit[3].parts
    assert "distance" in after_hit[4].parts


def test_the_next_page_of_a_list_is_no_farther_than_the_list() -> None:
    start = Link(f"{HOME}list/1", "列表", kind="down")
    pages = [Link(f"{HOME}list/{number}", "下一页", kind="level", is_pagination=True) for number in range(2, 8)]
    turned = chain(policy(), start, *pages)
    assert [score.parts.get("distance", 0.0) for score in turned] == [0.0] * 7
    article = Link(f"{HOME}a/1", "第几篇", kind="down")
    assert "distance" in policy_after(start, *pages).judge(page(pages[-1].url, False, 0.0), links(article))[0].parts


def policy_after(*steps: Link) -> LearnedPolicy:
    one = policy()
    chain(one, *steps)
    return one


def test_distance_counts_less_the_more_hits_are_known() -> None:
    """Also in another process that takes the state, and from the state of a version that knew no distance."""
    one, new = policy(), policy()
    crawl(one)
    found = Link("http://far.example/", "网站", kind="outward")
    costs = []
    for tried in (new, one):
        chain(tried, Link("http://near.example/", "网站", kind="outward"))
        parts = tried.judge(page("http://near.example/", False, 0.0), links(found))[0].parts
        costs.append(-parts["distance"] / sum(parts.values()))
    assert 0.0 < costs[1] < costs[0]
    other = policy()
    other.adopt(one.state())
    assert other.version == one.version
    assert other.state() == one.state()
    older = json.loads(one.state())
    del older["distance"]
    other.adopt(json.dumps(older).encode())
    assert json.loads(other.state())["distance"] == 0.0


def test_what_comes_of_the_target_of_a_redirect_is_learned_of_the_link() -> None:
    """So of a site whose links all have another scheme, or lack a slash, as much is learned as of any other."""
    plain, moved = policy(), policy()
    found = [Link(f"{HOME}旅行/{number}", "第几篇", kind="down") for number in range(30)]
    for one in (plain, moved):
        one.judge(page(HOME, on_topic=False, score=0.0), links(*found))
        for link in found:
            is_hit, source = link.url.endswith(("1", "4")), fingerprint(link.url)
            url = link.url if one is plain else f"{link.url}/"
            if one is moved:
                one.redirected(source, fingerprint(url))
                one.forget(source)  # as crawls do when an attempt gave no page
            again = one.judge(page(url, on_topic=is_hit, score=0.6 if is_hit else 0.0), links(*found[:1]))
            assert again[0].value == 0.0, "it was followed"
    assert json.loads(moved.state())["examples"] == json.loads(plain.state())["examples"]
    assert len(json.loads(moved.state())["examples"]) == 30


def test_a_redirect_to_a_page_that_is_known_queues_nothing() -> None:
    one = policy()
    old, new, other = (Link(f"{HOME}{name}", "旅行", kind="down") for name in ("old", "new", "other"))
    one.judge(page(HOME), links(old, new, other))
    one.judge(page(new.url), [])
    one.redirected(fingerprint(old.url), fingerprint(new.url))
    one.redirected(fingerprint("http://nobody.example/"), fingerprint(other.url))
    assert [score.value > 0.0 for score in one.judge(page(HOME + "x"), links(old, new, other))] == [False, False, True]


def test_an_explorer_has_arrived_when_the_target_of_its_redirect_has() -> None:
    one, explored = policy(), 0
    homes = [Link(f"http://站{number}.example/", "站", kind="outward") for number in range(100)]
    one.judge(page(HOME), links(*homes))
    waiting: list[int] = []
    for number in range(1, 10 * EXPLORE_EVERY):
        if waiting:
            source = waiting.pop()
            one.redirected(source, source + 1)
            one.judge(Parent(f"http://new{number}.example/", source + 1, 0.0, False, 1), [])
        else:
            one.judge(page(f"{HOME}{number}", on_topic=False, score=0.0), [])
        sent = [target for target, score in one.revised() if score == 1.0]
        waiting += sent
        explored += len(sent)
    assert explored <= 10


def test_between_2_and_5_percent_of_the_pages_explore() -> None:
    assert 0.02 <= 1 / EXPLORE_EVERY <= 0.05
    one = policy()
    one.judge(
        page(HOME), links(*(Link(f"http://site{number}.example/", "站", kind="outward") for number in range(200)))
    )
    sites = {fingerprint(f"http://site{number}.example/"): f"http://site{number}.example/" for number in range(200)}
    explored = 0
    for number in range(400):
        one.judge(page(f"{HOME}{number}", on_topic=True, score=0.9), links(Link(f"{HOME}{number + 1}", "旅游")))
        for mark, value in one.revised():
            if value == 1.0 and mark in sites:
                explored += 1
                one.judge(page(sites[mark], on_topic=False, score=0.0), [])
    assert 8 <= explored <= 20


def test_a_resumed_crawl_fits_with_the_examples_of_the_earlier_one() -> None:
    """Its state carries them: bounded, and each counts once however often it goes round."""
    one = policy()
    crawl(one, 240)
    state = one.state()
    carried = json.loads(state)["examples"]
    assert 100 < len(carried) <= 240
    assert len(state) < 2_000_000
    resumed = policy()
    resumed.adopt(state)
    resumed.adopt(resumed.state())
    for number in range(EVERY + 1):
        resumed.judge(page(f"{HOME}z{number}", on_topic=False, score=0.0), [])
    assert resumed._trust == pytest.approx(len(carried) / (len(carried) + 60), abs=1e-9)
    assert json.loads(resumed.state())["examples"] == carried
    bare = json.loads(state) | {"examples": []}
    other = policy()
    other.adopt(json.dumps(bare).encode())
    for number in range(EVERY + 1):
        other.judge(page(f"{HOME}z{number}", on_topic=False, score=0.0), [])
    assert other._trust != resumed._trust


def test_links_from_further_hits_raise_what_waits_and_those_of_misses_or_menus_do_not() -> None:
    target, menu = Link(HOME + "x.html", "石林"), Link(HOME + "x.html", "石林", block="nav")

    def after(link: Link, *, on_topic: bool) -> tuple[float, list[int]]:
        one = policy()
        first = one.judge(page(HOME), links(target))[0].value
        for number in range(5):
            one.judge(page(f"{HOME}{number}", on_topic=on_topic), links(link))
        one.revised()
        return one.judge(page(f"{HOME}9", on_topic=False), links(link))[0].value - first, list(one._queued)

    assert after(target, on_topic=True)[0] > 0.1
    assert after(target, on_topic=False)[0] <= 0.0
    assert after(menu, on_topic=True)[0] == pytest.approx(0.0, abs=1e-9)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_link_policy, "QUEUED_LINKS", 100)
    monkeypatch.setattr(link_features, "_MOST_RATES", 50)
    one = policy()
    for number in range(60):
        one.judge(page(f"{HOME}{number}"), links(*anchored(10, f"folder{number}")))
    assert 90 <= len(one._queued) <= 100
    assert len(one._rates._patterns) <= 50


def test_the_state_goes_round() -> None:
    one, other = policy(), policy()
    crawl(one)
    other.adopt(one.state())
    assert json.loads(other.state()) == json.loads(one.state())
    assert other.version == one.version != policy().version
    assert other._rates.site("example.com").kept > 0
    given = [Link(HOME + "a/x.html", "新 a", group=2), Link(HOME + "b/x.html", "新 b", group=2)]
    assert [score.value for score in one.judge(page(HOME + "n"), links(*given))] == pytest.approx(
        [score.value for score in other.judge(page(HOME + "n"), links(*given))], abs=1e-6
    )


@pytest.mark.parametrize(
    "state", [b"", b"{", b"[]", b"{}", b'{"weights": {}, "rates": {}}', b'{"weights": 1, "rates": 2}']
)
def test_what_is_no_state_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError, match="state"):
        policy().adopt(state)


def test_examples_of_other_nodes_are_learned() -> None:
    one, other = policy(), policy()
    crawl(one)
    news = one.drain_examples()
    assert news
    assert not one.drain_examples()
    other.add_examples([*news, "{", "[]", "[1, 2, 3]"])
    for number in range(EVERY):
        other.judge(page(f"{HOME}z{number}", on_topic=False, score=0.0), [])
    assert other.version != policy().version


_RUN = """
import sys, json
from tests.relevance.test_learned_links import policy, crawl
one = policy()
scores = crawl(one, 240)
print(json.dumps([[round(s.value, 6) for s in scores], one.version, one.revised()]))
"""


def test_every_process_scores_alike() -> None:
    """Promise R5, whatever the seed of Python's hashes."""
    said = [
        subprocess.run(
            [sys.executable, "-c", _RUN], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "77")
    ]
    assert all(one == other for one, other in pairwise(said))
    assert len(json.loads(said[0])[0]) > 100


def test_a_link_that_ended_without_a_page_waits_no_longer_and_teaches_nothing() -> None:
    one = policy()
    judging = Judging([view_of(profile(), SEGMENTER, Options(), one)], UrlFilter())
    gone, other = links(*anchored(2))
    before = [score.value for score in one.judge(page(HOME), [gone, other])]
    judging.forget_link(gone[0])
    assert list(one._queued) == one._queued.best(9) == [other[0]]
    assert one._value_of(gone[0]) == before[0]
    again = [score.value for score in one.judge(page(HOME + "again"), [gone, other])]
    assert again[0] == 0.0 < again[1]
    assert list(one._queued) == [other[0]]
    judging.forget_link(gone[0])


@pytest.mark.parametrize(
    ("end", "attempts", "lost"),
    [
        (End.NO_PAGE, 0, True),
        (End.FAILED, 1, False),
        (End.FAILED, 2, True),
        (End.RELEASED, 2, False),
        (End.PAGE, 2, False),
    ],
)
def test_what_is_tried_again_has_not_ended(end: End, attempts: int, lost: bool) -> None:
    assert is_lost(Entry(HOME, 1, "www.example.com:80", attempts=attempts), end, 3) is lost
