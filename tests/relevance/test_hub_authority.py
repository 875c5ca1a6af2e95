"""Hub and authority scores: those of the fixed point, also when they are found while the graph grows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links import Link
from topicspider.relevance.hub_authority import HitsPolicy, hub_authority
from topicspider.relevance.interfaces import PolicyContext
from topicspider.url import fingerprint


def by_eigenvector(edges):
    """Authority is the principal eigenvector of W'W, hub that of WW'."""
    names = sorted({*edges, *(target for found in edges.values() for target in found)})
    weights = np.zeros((len(names), len(names)))
    for source, found in edges.items():
        for target, weight in found.items():
            weights[names.index(source), names.index(target)] = weight
    vectors = []
    for matrix in (weights @ weights.T, weights.T @ weights):
        vector = np.abs(np.linalg.eigh(matrix)[1][:, -1])
        vectors.append(dict(zip(names, vector / vector.max(), strict=True)))
    return vectors


def test_scores_are_those_of_the_principal_eigenvectors():
    rng = random.Random(5)
    edges = {n: {rng.randrange(20, 40): rng.uniform(0.3, 1.0) for _ in range(6)} for n in range(20)}
    hubs, authorities = hub_authority(edges)
    expected_hubs, expected = by_eigenvector(edges)
    assert all(hubs[name] == pytest.approx(expected_hubs[name], abs=0.02) for name in hubs)
    assert all(authorities[name] == pytest.approx(expected[name], abs=0.02) for name in authorities)


def test_what_good_hubs_link_to_comes_first_and_rises_while_it_waits():
    policy = HitsPolicy(PolicyContext(profile(), SEGMENTER))
    good, lone = "http://a.example/旅游", "http://b.example/x"
    values = {}
    for number in range(30):
        found = links(
            Link(good, "旅游景点"), Link(f"http://c{number}.example/", "门票"), *[Link(lone, "旅行")] * (number == 3)
        )
        scores = policy.judge(page(f"http://hub.example/{number}"), found)
        values |= {target: score.value for (target, _), score in zip(found, scores, strict=True)}
        values |= dict(policy.promotions())
    assert values[fingerprint(good)] == 1.0
    assert 0 < values[fingerprint(lone)] < 0.2


def test_a_page_without_links_and_an_empty_graph_are_nothing():
    assert hub_authority({}) == ({}, {})
    policy = HitsPolicy(PolicyContext(profile(), SEGMENTER))
    assert policy.judge(page("http://a.example/"), []) == []
    assert policy.promotions() == []
