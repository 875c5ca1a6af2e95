"""The oracle: always the nearest unfetched target, over links it has seen, in a frontier where values only rise."""

from __future__ import annotations

import random
from array import array
from typing import TYPE_CHECKING

import pytest

from tests.reference import oracle as plain
from topicspider.page.links import Link
from topicspider.rehearsal.simulator import oracle
from topicspider.rehearsal.simulator.oracle import OraclePolicy
from topicspider.relevance.interfaces import Parent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

SEED_SCORE = 1e9
LINK = Link("http://旅游.example/", "下一页")
Web = dict[int, list[int]]


class Queue:
    """The frontier's promises 1 and 2: added once, values only rise, the best leaves first."""

    def __init__(self, seed: int) -> None:
        self.values = {seed: SEED_SCORE}
        self.left: set[int] = set()

    def tell(self, scores: Sequence[tuple[int, float]]) -> None:
        for name, value in scores:
            if name not in self.left:
                self.values[name] = max(value, self.values.get(name, value))

    def promote(self, rises: Sequence[tuple[int, float]]) -> None:
        self.tell([(name, value) for name, value in rises if name in self.values])

    def pop(self) -> int:
        best = max(self.values, key=lambda name: (self.values[name], name))
        del self.values[best]
        self.left.add(best)
        return best


def crawl(
    web: Web, targets: Collection[int], seed: int, *, forbidden: Collection[int] = ()
) -> Iterator[tuple[int, Queue]]:
    """The pages in the order in which the oracle takes them, with the queue as it was before; dead links cost none."""
    policy = OraclePolicy(targets, as_graph(web))
    queue = Queue(seed)
    while queue.values:
        best = max(queue.values, key=lambda name: (queue.values[name], name))
        if best in web and best not in forbidden:
            yield best, queue
        queue.pop()
        if best in web and best not in forbidden:
            links = [(target, LINK) for target in web[best]]
            judged = policy.judge(Parent("", best, 0.0, False, 0), links)
            queue.tell([(target, score.value) for target, score in zip(web[best], judged, strict=True)])
            queue.promote(policy.promotions())


def as_graph(web: Web) -> Mapping[int, array[int]]:
    return {name: array("q", links) for name, links in web.items()}


def order(web: Web, targets: Collection[int], seed: int, **more: bool) -> list[int]:
    return [name for name, _ in crawl(web, targets, seed, **more)]


def random_web(seed: int, pages: int = 120) -> tuple[Web, set[int]]:
    """Chains with jumps and dead links; few targets, in clusters."""
    rng = random.Random(seed)
    web = {
        n: [n + 1, rng.randrange(2 * pages), max(0, n - rng.randrange(1, 9))][: rng.randrange(1, 4)]
        for n in range(pages)
    }
    starts = rng.sample(range(pages), 6)
    return web, {start + step for start in starts for step in range(3)}


TUNNEL = {0: [10, 20, 30], 10: [11], 11: [12], 12: [13], 13: [1], 20: [21], 21: [2], 30: [31, 32], 31: [], 32: []}


@pytest.mark.parametrize("seed", range(6))
def test_every_page_taken_is_the_nearest_to_an_unfetched_target(seed: int) -> None:
    """Against a plain search from every link that waits, before every page."""
    web, targets = random_web(seed)
    wanted = targets & set(web)
    for name, queue in crawl(web, targets, 0):
        if name == 0:
            continue
        far = {n: plain.distance(n, web, wanted, queue.left) for n in queue.values if n in web}
        reachable = [d for d in far.values() if d is not None]
        if reachable:
            assert far[name] == min(reachable)


def test_promotions_only_raise_and_never_reach_the_seeds() -> None:
    web, targets = random_web(2, pages=600)
    policy, told = OraclePolicy(targets, as_graph(web)), dict.fromkeys(web, 0.0)
    for name in random.Random(1).sample(sorted(web), 500):
        judged = policy.judge(Parent("", name, 0.0, False, 0), [(target, LINK) for target in web[name]])
        for target, score in zip(web[name], judged, strict=True):
            assert 0 <= score.value <= 1
            told[target] = max(told.get(target, 0.0), score.value)
        for target, value in policy.promotions():
            assert value > told[target]
            told[target] = value
    assert max(told.values()) < SEED_SCORE / 1000


def test_64_connections_all_have_targets_to_fetch() -> None:
    """A list page of 40 articles and 40 lists; each list has 5 articles more: hubs wait while articles do."""
    articles, lists = list(range(100, 140)), list(range(200, 240))
    web: Web = {0: articles + lists} | {n: [] for n in articles}
    web |= {n: list(range(n * 1000, n * 1000 + 5)) for n in lists} | {n * 1000 + k: [] for n in lists for k in range(5)}
    targets = {n for n, links in web.items() if not links}
    policy = OraclePolicy(targets, as_graph(web))
    judged = policy.judge(Parent("", 0, 0.0, False, 0), [(target, LINK) for target in web[0]])
    values = dict(zip(web[0], (score.value for score in judged), strict=True)) | dict(policy.promotions())
    best = sorted(values, key=lambda name: -values[name])
    assert set(best[:40]) == set(articles)
    assert set(best[40:80]) == set(lists)


def test_targets_that_never_come_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbidden targets beside a long chain must not hold the oracle there for ever: 2 to 5 lead to one that comes."""
    monkeypatch.setattr(oracle, "PATIENCE", 3)
    trap = list(range(100, 130))
    web: Web = {0: [1, 2], 2: [3], 3: [4], 4: [5], 5: []} | {n: [] for n in trap}
    web |= {1: [500, *trap]} | {n: [n + 1, *trap] for n in range(500, 520)} | {520: trap}
    taken = [name for name, _ in crawl(web, {5, *trap}, 0, forbidden=set(trap))]
    assert taken[:3] == [0, 1, 500]
    assert taken.index(5) < taken.index(510)


def test_ways_over_links_that_were_refused_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """2 leads to target 4 over 3 only; 3 came, but its link was not let in (nofollow, limits): 5 is nearer now."""
    monkeypatch.setattr(oracle, "UPDATE_PAGES", 2)
    web = {0: [2, 3, 5], 2: [3], 3: [4], 4: [], 5: [6], 6: [7], 7: [8], 8: []}
    policy = OraclePolicy({4, 8}, as_graph(web))
    judged = policy.judge(Parent("", 0, 0.0, False, 0), [(n, LINK) for n in web[0]])
    values = dict(zip(web[0], (score.value for score in judged), strict=True)) | dict(policy.promotions())
    assert values[3] > values[2] > values[5]
    policy.judge(Parent("", 3, 0.0, False, 0), [])
    values |= dict(policy.promotions())
    assert values[5] > values[2]
