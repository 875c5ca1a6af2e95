"""The oracle in a simulated crawl: with redirects, forbidden pages, many hosts and many connections."""

from __future__ import annotations

import random

import pytest

from tests.rehearsal.small_archives import SmallArchive, page, redirect
from tests.rehearsal.test_simulator import NO_REST, PROFILE, SEGMENTER, fetched, setup, u
from topicspider.judging import view_of
from topicspider.rehearsal.simulator.oracle import OraclePolicy
from topicspider.rehearsal.simulator.simulator import Simulation, simulate
from topicspider.url import fingerprint


def oracle_setup(web, targets, seed, **more):
    policy = OraclePolicy([fingerprint(url) for url in targets], web.graph())
    view = view_of(PROFILE, SEGMENTER, NO_REST, policy)
    return Simulation(views=[view], policy="oracle", seeds=(seed,), options=NO_REST, **{"max_pages": 10_000, **more})


def random_sites(seed):
    """20 sites of 30 pages; the targets stand together on few of them."""
    rng = random.Random(seed)
    sites = [[u(f"%E9%A1%B5{i}", f"s{s}") for i in range(30)] for s in range(20)]
    everything = [url for site in sites for url in site]
    pages = []
    for site in sites:
        for place, url in enumerate(site):
            near = [site[(place + step) % 30] for step in rng.sample(range(1, 6), 3)]
            pages.append(page(url, *near, *rng.sample(everything, rng.random() < 0.3)))
    targets = {url for site in rng.sample(sites, 3) for url in site[5:25]}
    return SmallArchive(*pages), targets, sites[0][0]


def area(run, targets):
    """Σ of hits so far over all pages fetched."""
    hits = total = 0
    for url in fetched(run):
        hits += url in targets
        total += hits
    return total


def test_goes_straight_through_a_tunnel_with_a_redirect_on_the_way():
    web = SmallArchive(
        page(u(""), u("1"), u("moved"), u("2"), u("gone")),
        page(u("1"), u("3")), page(u("2"), u("4")), page(u("3")), page(u("4")),
        redirect(u("moved"), u("hall", "b")), page(u("hall", "b"), u("list", "b")),
        page(u("list", "b"), u("goal", "b")), page(u("goal", "b")),
    )  # fmt: skip
    run = simulate(web, oracle_setup(web, [u("goal", "b")], u("")))
    assert fetched(run)[:4] == [u(""), u("hall", "b"), u("list", "b"), u("goal", "b")]
    assert len(run.fetched) == 8


def test_a_forbidden_target_costs_no_page_and_does_not_stop_the_way_to_another():
    web = SmallArchive(
        page(u(""), u("private/1"), u("2"), u("3")), page(u("private/1")), page(u("2"), u("goal")), page(u("3")), page(u("goal")),
        robots={"a.example:80": "User-agent: *\nDisallow: /private/"},
    )  # fmt: skip
    run = simulate(web, oracle_setup(web, [u("private/1"), u("goal")], u("")))
    assert fetched(run)[:3] == [u(""), u("2"), u("goal")]
    assert run.forbidden == 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("connections", [1, 16, 64])
def test_finds_targets_sooner_than_breadth_first(seed, connections):
    web, targets, start = random_sites(seed)
    known = simulate(web, oracle_setup(web, targets, start, connections=connections))
    blind = simulate(web, setup(start, policy="bfs", pages=10_000, connections=connections))
    assert set(fetched(known)) == set(fetched(blind))
    assert area(known, targets) > area(blind, targets)
