"""(c) Cao's order of the four server policies, by virtual seconds: hosts of very different speed, and too few connections."""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import replace
from functools import cache
from statistics import mean

from tests.rehearsal.small_archives import SmallArchive, page
from tests.rehearsal.test_simulator import NO_REST, TRAVEL, setup, u
from topicspider.frontier.host_ranking import SERVER_RANKS
from topicspider.rehearsal.replay.conditions import HostLatency
from topicspider.rehearsal.simulator.simulator import simulate

HOSTS, PAGES_A_HOST = 60, 8
HEAVY_SKEW = "lognormal:0.3:1.2"  # of the 60 hosts the slowest takes some two hundred times as long as the fastest
SEEDS = range(4)
TENTH = 0.1  # of breadth-first's time: every host has been asked once, and no policy has nearly all


def web_of(seed):
    """A directory of hosts; one host in four is about the topic, which links on it inherit from its home page."""
    rng = random.Random(seed)
    homes = [u("", f"h{host}") for host in range(HOSTS)]
    pages = [page(u("", "start"), *homes, body=TRAVEL)]
    for host in range(HOSTS):
        words = TRAVEL if host % 4 == 0 else ("编译器", "球赛", "股票")
        urls = [u(str(n) if n else "", f"h{host}") for n in range(PAGES_A_HOST)]
        for number, url in enumerate(urls):
            body = (*words * 3, f"词{host}之{number}")
            pages.append(page(url, *(urls[1:] if number == 0 else ()), *rng.sample(homes, 2), body=body))
    return SmallArchive(*pages)


@cache
def run_of(policy, seed):
    options = replace(NO_REST, server_policy=policy, seed=seed)
    latency = HostLatency.read(HEAVY_SKEW, seed)
    seeds = (u("", "start"),)
    given = setup(*seeds, policy="best_first", pages=10_000, options=options, connections=8, latency=latency)
    run = simulate(web_of(seed), given)
    assert len(run.fetched) == HOSTS * PAGES_A_HOST + 1
    return run


def quality_by(policy, seed, seconds):
    """The share of all relevance that was there by then."""
    fetched = sorted(run_of(policy, seed).fetched, key=lambda one: one.ended)
    return sum(one.score for one in fetched if one.ended <= seconds) / sum(one.score for one in fetched)


def pages_by(policy, seed, seconds):
    return bisect_right(sorted(one.ended for one in run_of(policy, seed).fetched), seconds)


def seconds_of(policy, seed):
    return max(one.ended for one in run_of(policy, seed).fetched)


@cache
def shares(share):
    """Of each policy, means over the seeds: quality and pages after that share of breadth-first's time."""
    quality, pages = {}, {}
    for policy in SERVER_RANKS:
        times = [(seed, share * seconds_of("bfs", seed)) for seed in SEEDS]
        quality[policy] = mean(quality_by(policy, seed, seconds) for seed, seconds in times)
        pages[policy] = mean(pages_by(policy, seed, seconds) for seed, seconds in times)
    return quality, pages


def test_most_quality_comes_by_capacity_then_by_quality_and_least_by_breadth_first():
    quality, _ = shares(TENTH)
    assert quality["capacity"] > quality["quality"] > quality["performance"] > quality["bfs"]


def test_most_pages_come_by_performance():
    _, pages = shares(TENTH)
    assert max(pages, key=pages.get) == "performance"
    assert pages["performance"] > 1.2 * pages["bfs"]
