"""The experiment of (c) Cao: the crawl in virtual time keeps the paper's rules, on made domains and on ones done by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.papers import figures
from benchmarks.papers.domain import DomainSpec, make_domain, page_ranks, server_sizes
from benchmarks.papers.progress import Progress, progress_of
from benchmarks.papers.servers import ServedWeb, Server, crawl
from topicspider.frontier.policies import SERVER_RANKS

POLICIES = list(SERVER_RANKS)
SMALL = DomainSpec(servers=40, pages=1500, longest=16)
CONNECTIONS = 8


@pytest.fixture(scope="module")
def webs():
    return {quality: make_domain(SMALL, quality, seed=3) for quality in ("pagerank", "zipf")}


@pytest.fixture(scope="module")
def runs(webs):
    return {
        (quality, policy): crawl(web, policy, connections=CONNECTIONS, seed=3)
        for quality, web in webs.items()
        for policy in POLICIES
    }


@pytest.mark.parametrize("quality", ["pagerank", "zipf"])
@pytest.mark.parametrize("policy", POLICIES)
class TestEveryPolicy:
    def test_fetches_every_page_once(self, webs, runs, quality, policy):
        pages = sorted(download.page for download in runs[quality, policy].downloads)
        assert pages == list(range(SMALL.pages))

    def test_never_has_two_connections_to_a_server(self, runs, quality, policy):
        opened = sorted((one.server, one.opened, one.closed) for one in runs[quality, policy].connections)
        for (server, _, closed), (next_server, next_opened, _) in pairwise(opened):
            assert server != next_server or next_opened >= closed

    def test_never_has_more_connections_than_it_may(self, runs, quality, policy):
        connections = runs[quality, policy].connections
        changes = sorted([(one.closed, -1) for one in connections] + [(one.opened, 1) for one in connections])
        open_now = np.cumsum([change for _, change in changes])
        assert open_now.max() == CONNECTIONS

    def test_obeys_the_requests_a_connection_allows(self, webs, runs, quality, policy):
        for (_, server), pages in Counter((d.connection, d.server) for d in runs[quality, policy].downloads).items():
            assert pages <= webs[quality].servers[server].requests_per_connection

    def test_uses_a_connection_for_its_task_and_nothing_else(self, webs, runs, quality, policy):
        crawled = runs[quality, policy]
        fetched: dict[tuple[int, float], list[int]] = {}
        start = {d.connection: d.started for d in sorted(crawled.downloads, key=lambda d: d.started, reverse=True)}
        for download in sorted(crawled.downloads, key=lambda d: d.started):
            fetched.setdefault((download.server, start[download.connection]), []).append(download.page)
        for one in crawled.connections:
            server = webs[quality].servers[one.server]
            allowed = server.requests_per_connection
            assert fetched.pop((one.server, one.opened + server.connect_seconds)) == list(one.planned[:allowed])
        assert not fetched

    def test_asks_for_a_page_only_when_a_page_that_links_to_it_is_there(self, webs, runs, quality, policy):
        web, known = webs[quality], {webs[quality].start: 0.0}
        for download in runs[quality, policy].downloads:
            for target in web.links[download.page]:
                known.setdefault(target, download.ended)
        assert all(download.started >= known[download.page] for download in runs[quality, policy].downloads)

    def test_is_the_same_with_the_same_seed(self, webs, runs, quality, policy):
        again = crawl(make_domain(SMALL, quality, seed=3), policy, connections=CONNECTIONS, seed=3)
        assert again == runs[quality, policy]


@pytest.mark.parametrize("quality", ["pagerank", "zipf"])
def test_capacity_has_more_quality_than_breadth_first_at_every_time_that_counts(webs, runs, quality):
    capacity, bfs = (progress_of(webs[quality], runs[quality, policy]) for policy in ("capacity", "bfs"))
    for share in (0.1, 0.2, 0.3, 0.5):
        seconds = share * bfs.full_seconds
        assert capacity.quality_by(seconds) > bfs.quality_by(seconds)


def test_performance_has_more_pages_than_breadth_first_when_that_has_half(webs, runs):
    performance, bfs = (progress_of(webs["zipf"], runs["zipf", policy]) for policy in ("performance", "bfs"))
    assert performance.pages_by(bfs.seconds_of(0.5)) > 1.05 * bfs.pages_by(bfs.seconds_of(0.5))


def test_without_keep_alive_every_page_has_a_connection_of_its_own(webs):
    crawled = crawl(webs["zipf"], "capacity", connections=CONNECTIONS, keep_alive=False)
    assert len(crawled.connections) == len(crawled.downloads) == SMALL.pages
    assert all(len(one.planned) == 1 for one in crawled.connections)


def _web(servers, server_of, seconds, quality, links):
    return ServedWeb(servers, server_of, seconds, [one + 0.5 for one in seconds], quality, links, start=0)


def test_seconds_are_those_worked_out_by_hand():
    """Page 0 on server 0 links to 1 and 2 there: opened 0-1, asked 1-2.5 (new), closed 3.5; opened 4.5, …"""
    web = _web([Server(1.0, 100)], [0, 0, 0], [1.0, 2.0, 3.0], [0.1, 0.2, 0.7], [[1, 2], [], []])
    by_quality = crawl(web, "quality")
    assert [(d.page, d.connection, d.started, d.ended) for d in by_quality.downloads] == [
        (0, 0, 1.0, 2.5),
        (2, 1, 4.5, 8.0),
        (1, 1, 8.0, 10.0),
    ]
    assert [(one.opened, one.closed) for one in by_quality.connections] == [(0.0, 3.5), (3.5, 11.0)]
    assert [d.page for d in crawl(web, "bfs").downloads] == [0, 1, 2]


def test_what_a_server_closed_on_goes_back_and_is_not_asked_for_again_in_one_task():
    """The first task plans 50 requests; the first answer says one a connection."""
    links = [[1, 2, 3], [], [], []]
    web = _web([Server(0.0, 1), Server(0.0, 1)], [0, 1, 1, 1], [1.0] * 4, [0.1, 0.2, 0.3, 0.4], links)
    crawled = crawl(web, "quality")
    assert [one.planned for one in crawled.connections] == [(0,), (3, 2, 1), (2,), (1,)]
    assert [d.page for d in crawled.downloads] == [0, 3, 2, 1]


def test_a_task_is_not_preempted_by_a_better_server():
    """Page 1 of server 1 leads to the best page of all, on server 2, while server 1 has one more to give."""
    links = [[1, 2], [3], [], []]
    web = _web([Server(0.1, 9)] * 3, [0, 1, 1, 2], [1.0] * 4, [0.1, 0.3, 0.2, 0.9], links)
    assert [d.page for d in crawl(web, "quality", connections=1).downloads] == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_domain_has_the_shares_of_the_paper(seed):
    web = make_domain(DomainSpec(pages=5000), "zipf", seed)
    allowed = Counter(server.requests_per_connection for server in web.servers)
    assert (allowed[1], allowed[100], len(web.servers)) == (120, 330, 500)
    assert sum(number for requests, number in allowed.items() if 1 < requests < 100) == 50
    assert sum(web.quality) == pytest.approx(1.0)


def test_no_server_has_more_than_its_share_of_the_time():
    seconds = np.linspace(0.1, 20.0, 200)
    spec = DomainSpec(servers=200, pages=20_000, longest=50)
    free, bound = (
        server_sizes(one, seconds, np.random.default_rng(1))
        for one in (DomainSpec(servers=200, pages=20_000, longest=None), spec)
    )
    assert free.sum() == bound.sum() == 20_000
    assert free.min() >= 1 <= bound.min()
    assert (free * seconds).max() > 2 * (free * seconds).sum() / 50
    assert (bound * seconds).max() < 1.1 * (bound * seconds).sum() / 50


def test_page_rank_is_that_of_the_formula_solved_by_hand():
    """0 ⇄ 1, and 2 → 0: r2 = .15, r0 = .15 + .85(r1 + r2), r1 = .15 + .85 r0."""
    home = (0.15 + 0.85 * 0.15 + 0.85 * 0.15) / (1 - 0.85**2)
    expected = np.array([home, 0.15 + 0.85 * home, 0.15])
    ranks = page_ranks([np.array([1]), np.array([0]), np.array([0])], rounds=200)
    assert ranks == pytest.approx(expected / expected.sum())


def test_progress_counts_what_is_there_by_then():
    progress = Progress(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.5, 0.7, 0.9, 1.0]))
    assert progress.full_seconds == 8.0
    assert [progress.pages_by(seconds) for seconds in (0.5, 1.0, 3.9, 9.0)] == [0.0, 0.25, 0.5, 1.0]
    assert [progress.quality_by(seconds) for seconds in (0.5, 1.0, 3.9, 9.0)] == [0.0, 0.5, 0.7, 1.0]
    assert (progress.quality_after(0.5), progress.seconds_of(0.5), progress.quality_after(0.0)) == (0.7, 2.0, 0.0)


def test_the_same_figure_is_the_same_bytes(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        figure, (chart,) = figures.begin(1)
        chart.plot([0, 1], [0, 1], color=figures.STYLES[0][0])
        figures.save(figure, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert b"<text" in (tmp_path / "one.svg").read_bytes()
    assert b"dc:date" not in (tmp_path / "one.svg").read_bytes()
