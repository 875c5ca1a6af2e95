"""RankGraph against power iteration: formulas 2 and 3 of (a) Li 2002, promise R2, promotions, bounds."""

from __future__ import annotations

import random

import pytest

from tests.reference import ranks as paper
from topicspider.relevance import rank_graph
from topicspider.relevance.rank_graph import DAMPING, RankGraph

BASE = 1 - DAMPING


def grown(links: dict[int, dict[int, float]]) -> RankGraph:
    graph = RankGraph()
    for page, targets in links.items():
        graph.expand(page, targets)
    return graph


def random_web(seed: int, pages: int = 150, equal: bool = False) -> dict[int, dict[int, float]]:
    """Pages of 0 to 12 links, a tenth of them all of RW 0, with hubs, cycles and links to unfetched pages."""
    rng = random.Random(seed)
    web = {}
    for page in rng.sample(range(pages), pages):
        targets = [int(pages * 1.5 * rng.random() ** 2) for _ in range(rng.randrange(13))]
        weights = [1.0 if equal else rng.choice([0.0, 0.3, 0.6, 1.0]) * (rng.random() > 0.1) for _ in targets]
        web[page] = {target: weight for target, weight in zip(targets, weights, strict=True) if target != page}
    return web


@pytest.mark.parametrize("seed", range(5))
def test_ipagerank_is_within_1_percent_of_power_iteration(seed: int) -> None:
    web = random_web(seed)
    graph = grown(web)
    for node, rank in paper.ipagerank(web).items():
        assert graph.rank(node) == pytest.approx(rank, rel=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_r2_ipagerank_with_equal_rw_is_pagerank(seed: int) -> None:
    web = {page: dict.fromkeys(targets, 0.6) for page, targets in random_web(seed, equal=True).items()}
    graph = grown(web)
    for node, rank in paper.pagerank(web).items():
        assert graph.rank(node) == pytest.approx(rank, rel=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_r2_total_and_held_mass_are_conserved(seed: int) -> None:
    """What all nodes have is what each is given, and what those that hold nothing back pass on."""
    web = random_web(seed)
    graph = grown(web)
    nodes = {*web, *(target for targets in web.values() for target, rw in targets.items() if rw > 0)}
    held = {node for node in nodes if not any(web.get(node, {}).values())}
    total = sum(graph.rank(node) for node in nodes)
    assert (1 - DAMPING) * total + DAMPING * sum(graph.rank(node) for node in held) == pytest.approx(
        BASE * len(nodes), rel=0.01
    )


def test_page_read_anew_takes_back_what_its_former_links_got() -> None:
    web = random_web(3)
    graph = grown(web)
    web[5] = {1: 1.0, 400: 0.5}
    graph.expand(5, web[5])
    expected = paper.ipagerank(web)
    for node in web:
        assert graph.rank(node) == pytest.approx(expected[node], rel=0.02)


def test_unfetched_page_that_rises_is_promoted_once() -> None:
    graph = RankGraph()
    graph.expand(1, {9: 1.0, 8: 1.0})
    first = graph.tell(9)
    graph.expand(2, {9: 1.0})
    assert graph.risen() == [(8, graph.rank(8)), (9, graph.rank(9))]
    assert graph.rank(9) > first
    assert graph.risen() == []


def test_fetched_pages_are_not_promoted() -> None:
    graph = grown({1: {2: 1.0}, 2: {3: 1.0}})
    graph.risen()
    graph.expand(4, {1: 1.0, 2: 1.0})
    assert {node for node, _ in graph.risen()} == {3}


def test_graph_is_bounded_by_links_too(monkeypatch) -> None:
    monkeypatch.setattr(rank_graph, "MAX_EDGES", 500)
    graph = RankGraph()
    for page in range(300):
        graph.expand(page, {(page * 7 + number) % 1000 + 1000: 1.0 for number in range(20)})
    assert len(graph) <= 525
