"""A round of visits as a frontier: budget, order, what is found on the way, and going on after an interruption."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.reference.frontier_model import FrontierModel
from topicspider.frontier.inspection import HostState
from topicspider.frontier.protocol import Completion, End, Entry, Frontier, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.recrawl.revisit_queue import NEW_SHARE, RevisitQueue, RoundPlan
from topicspider.url import fingerprint

PLAN = RoundPlan("2026-11-22T08:00:00+00:00", 20, 10, 7.0)


def entry(name: str, score: float = 0.5, host: str = "", payload: str = "") -> Entry:
    url = f"http://{host or name}.example/{name}"
    return Entry(url, fingerprint(url), f"{host or name}.example:80", score, 1, "", payload)


def known(count: int) -> list[Entry]:
    return [entry(f"known{number}", payload='{"meta":{"topicspider_revisit":true}}') for number in range(count)]


def opened(
    inner: Any = None,
    crawl: Frontier | None = None,
    stored: frozenset[str] = frozenset(),
    hosts: Sequence[HostState] = (),
    pages_per_host: int | None = None,
) -> RevisitQueue:
    return RevisitQueue(
        inner or SqliteFrontier(max_pages=20),
        crawl or SqliteFrontier(),
        lambda urls: stored & set(urls),
        hosts=hosts,
        pages_per_host=pages_per_host,
    )


def visit(frontier: RevisitQueue, end: End = End.PAGE, reason: str = "", found: tuple[Entry, ...] = ()) -> str:
    """Ask for the best, say how it ended and what it led to; "" when there is nothing more."""
    grant = frontier.acquire("n", 1, 1, 60.0)
    if not grant.leases:
        return ""
    lease = grant.leases[0]
    one = lease.entries[0]
    frontier.apply(Work([Completion(one.fingerprint, lease.host, lease.token, end, reason)], found))
    return one.url.rsplit("/", 1)[1]


def all_visits(frontier: RevisitQueue) -> list[str]:
    names = []
    while True:
        name = visit(frontier)
        if not name:
            return names
        names.append(name)


def test_known_pages_leave_in_the_order_in_which_they_were_chosen():
    frontier = opened()
    frontier.begin(PLAN, known(10))
    assert all_visits(frontier) == [f"known{number}" for number in range(10)]
    assert frontier.plan == PLAN
    assert PLAN.fetches_a_day == pytest.approx(20 / 7)


@pytest.mark.parametrize("reason", ["not_modified", "not_found", "forbidden", "wrong_type"])
def test_every_answer_is_a_visit_and_the_budget_is_exact(reason):
    frontier = opened(SqliteFrontier(max_pages=4))
    frontier.begin(PLAN, known(10))
    for _ in range(4):
        assert visit(frontier, End.NO_PAGE, reason)
    assert visit(frontier) == ""
    assert (frontier.visits, frontier.counts().pages, frontier.outcomes[reason]) == (4, 4, 4)


def test_a_redirect_is_no_visit_of_its_own_and_its_target_takes_its_place():
    frontier = opened(SqliteFrontier(max_pages=3))
    frontier.begin(PLAN, known(3))
    assert (
        visit(frontier, End.NO_PAGE, "redirect", (entry("target", payload='{"meta":{"redirect_times":1}}'),))
        == "known0"
    )
    assert all_visits(frontier) == ["target", "known1", "known2"]


def test_what_was_found_gets_its_share_best_first_and_the_rest_when_nothing_else_is_left():
    frontier = opened(SqliteFrontier(max_pages=100))
    frontier.begin(PLAN, known(12))
    found = tuple(entry(f"new{number}", number / 10) for number in range(10))
    names = [visit(frontier, found=found), *all_visits(frontier)]
    before = names[: names.index("known11") + 1]
    new = [name for name in before if name.startswith("new")]
    assert new[:3] == ["new9", "new8", "new7"]
    assert len(new) <= NEW_SHARE * len(before) <= len(new) + 1
    assert sorted(names[len(before) :], reverse=True) == names[len(before) :]
    assert len(names) == 22


def test_what_the_crawl_has_is_not_found_anew():
    crawl = SqliteFrontier()
    crawl.apply(Work(entries=[entry("queued")]))
    frontier = opened(crawl=crawl, stored=frozenset([entry("stored").url]))
    frontier.begin(PLAN, known(2))
    found = (entry("queued"), entry("stored"), entry("known1"), entry("new"))
    names = [visit(frontier, found=found), visit(frontier, found=found), *all_visits(frontier)]
    assert sorted(names) == ["known0", "known1", "new"]


def test_what_could_not_be_had_is_told_until_it_is_had_after_all():
    frontier = opened(SqliteFrontier(max_pages=20, attempts=3))
    frontier.begin(PLAN, known(2))
    assert visit(frontier, End.FAILED, "read_timeout") == "known0"
    assert [url.rsplit("/", 1)[1] for url in frontier.missed] == ["known0"]
    names = all_visits(frontier)
    assert sorted(names) == ["known0", "known1"]
    assert frontier.missed == {}
    frontier = opened()
    frontier.begin(PLAN, known(1))
    visit(frontier, End.NO_PAGE, "robots")
    assert (list(frontier.missed.values()), frontier.visits) == (["robots"], 0)  # never asked


def test_after_an_interruption_the_round_goes_on_with_what_it_had(tmp_path: Path):
    def start() -> RevisitQueue:
        return opened(SqliteFrontier(tmp_path / "recrawl.db", max_pages=8))

    frontier = start()
    assert not frontier.is_open
    frontier.begin(PLAN, known(6))
    found = tuple(entry(f"new{number}", number / 10) for number in range(5))
    first = [visit(frontier, found=found), visit(frontier, End.NO_PAGE, "not_modified")]
    frontier.set_meta("reason", "shutdown")
    frontier.close()
    frontier = start()
    assert frontier.is_open
    assert frontier.plan == PLAN
    assert (frontier.visits, frontier.outcomes["not_modified"], frontier.outcomes["page"]) == (2, 1, 1)
    rest = all_visits(frontier)
    assert len(first + rest) == len(set(first + rest)) == 8
    assert "new4" in rest
    frontier.set_meta("reason", "max_pages")
    assert not frontier.is_open
    frontier.begin(PLAN, known(6))
    assert (frontier.visits, frontier.outcomes["page"]) == (0, 0)
    assert visit(frontier) == "known0"
    frontier.close()


def test_hosts_that_the_crawl_blocked_are_left_alone_also_when_the_round_goes_on():
    blocked = [HostState("known1.example:80", is_blocked=True), HostState("禁.example:80", is_blocked=True)]
    inner = SqliteFrontier(max_pages=20)
    frontier = opened(inner, hosts=blocked)
    assert frontier.blocked == {"known1.example:80", "禁.example:80"}
    frontier.begin(PLAN, known(1))
    moved = entry("moved", host="禁", payload='{"meta":{"redirect_times":1}}')
    assert visit(frontier, found=(entry("link", host="禁"), moved, entry("new"))) == "known0"
    assert all_visits(frontier) == ["new"]
    inner = SqliteFrontier(max_pages=20)
    opened(inner).begin(PLAN, known(3))
    assert all_visits(opened(inner, hosts=blocked)) == ["known0", "known2"]


def test_delays_and_rests_of_the_crawl_hold():
    now = [1000.0]
    inner = FrontierModel(max_pages=20, clock=lambda: now[0])
    hosts = [
        HostState("known0.example:80", pages=7, rest_seconds=60.0),
        HostState("known1.example:80", pages=7, delay_seconds=30.0),
    ]
    frontier = opened(inner, hosts=hosts)
    frontier.begin(PLAN, known(2))
    assert frontier.visits == 0  # the crawl's pages are none of the round
    assert visit(frontier) == "known1"
    assert visit(frontier) == ""
    now[0] += 61.0
    assert visit(frontier) == "known0"
    assert [one.delay_seconds for one in inner.hosts() if one.host == "known1.example:80"] == [30.0]


def test_a_host_gives_no_more_new_pages_than_its_limit_leaves():
    hosts = [HostState("full.example:80", pages=5), HostState("满.example:80", pages=4)]
    frontier = opened(SqliteFrontier(max_pages=100), hosts=hosts, pages_per_host=5)
    frontier.begin(PLAN, [*known(1), entry("again", host="full", payload="{}")])
    found = (entry("a", host="full"), entry("b", host="满"), entry("c", host="满"), entry("d", host="other"))
    assert visit(frontier, found=found) == "known0"
    assert sorted(all_visits(frontier)) == ["again", "b", "d"]


def test_a_round_goes_on_with_another_budget_and_is_over_when_it_is_used():
    inner = SqliteFrontier(max_pages=20)
    frontier = opened(inner)
    frontier.begin(RoundPlan(PLAN.began_at, 3, 10, 7.0), known(10))
    visit(frontier)
    assert frontier.is_open
    assert frontier.go_on(8).budget == 8
    assert (frontier.plan.budget, frontier.plan.chosen) == (8, 10)
    for _ in range(7):
        visit(frontier)
    assert not frontier.is_open  # though it was killed before it could say so
