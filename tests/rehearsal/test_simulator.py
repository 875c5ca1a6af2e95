"""The simulator crawls as the crawl does: same order, same politeness, nothing but pages costs a page."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tests.rehearsal.small_archives import SmallArchive, page, redirect
from topicspider.judging import view_of
from topicspider.options import Options
from topicspider.rehearsal.replay.conditions import HostLatency
from topicspider.rehearsal.simulator.simulator import Simulation, simulate
from topicspider.steering import stop_rule
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic
from topicspider.topic.profile import Limits

SEGMENTER = make_segmenter()
PROFILE = learn(load_topic("tourism"), SEGMENTER)
NO_REST = Options(delay_min=0.0, delay_factor=0.0, delay_max=0.0)
TRAVEL = ("旅游", "景点", "门票")


def setup(*seeds, policy="bfs", pages=100, options=NO_REST, **more):
    options = replace(options, link_policy=policy)
    return Simulation(
        views=[view_of(PROFILE, SEGMENTER, options)],
        policy=policy,
        seeds=seeds,
        max_pages=pages,
        options=options,
        **more,
    )


def u(name, site="a"):
    return f"http://{site}.example/{name}"


def fetched(run):
    return [one.url for one in run.fetched]


def test_breadth_first_fetches_level_by_level_and_each_page_once():
    web = SmallArchive(
        page(u(""), u("1"), u("2")), page(u("1"), u("3"), u("")), page(u("2"), u("3")), page(u("3"), u("1"))
    )
    run = simulate(web, setup(u("")))
    assert fetched(run) == [u(""), u("1"), u("2"), u("3")]
    assert run.ended == "empty"
    assert [one.depth for one in run.fetched] == [0, 1, 1, 2]


def test_dead_links_and_redirects_cost_no_page():
    web = SmallArchive(
        page(u(""), u("gone"), u("moved"), u("x")), redirect(u("moved"), u("new")), page(u("new")), page(u("x"))
    )
    run = simulate(web, setup(u(""), pages=3))
    assert fetched(run) == [u(""), u("new"), u("x")]
    assert (run.dead, run.redirects) == (1, 1)


def no_page(url, condition):
    answer = page(url, u("behind"), title=TRAVEL, body=TRAVEL)
    return replace(answer, features=replace(answer.features, condition=condition))


@pytest.mark.parametrize("condition", ["soft_not_found", "captcha", "login_wall", "needs_script"])
def test_an_answer_that_is_no_page_costs_none_and_its_links_are_not_followed(condition):
    web = SmallArchive(page(u(""), u("wall"), u("x")), no_page(u("wall"), condition), page(u("x")), page(u("behind")))
    run = simulate(web, setup(u(""), pages=3))
    assert fetched(run) == [u(""), u("x")]


def test_the_host_of_a_captcha_rests_as_after_a_refusal():
    web = SmallArchive(page(u(""), u("1"), u("2")), no_page(u("1"), "captcha"), page(u("2")))
    run = simulate(web, setup(u("")))
    assert fetched(run) == [u(""), u("2")]
    assert run.fetched[1].ended - run.fetched[0].ended >= 2


def test_robots_txt_is_obeyed_and_what_it_forbids_costs_no_page():
    web = SmallArchive(
        page(u(""), u("private/1"), u("open")), page(u("private/1")), page(u("open")),
        robots={"a.example:80": "User-agent: *\nDisallow: /private/"},
    )  # fmt: skip
    run = simulate(web, setup(u("")))
    assert fetched(run) == [u(""), u("open")]
    assert run.forbidden == 1


def test_a_host_rests_by_the_crawls_rule_and_by_its_crawl_delay():
    web = SmallArchive(page(u(""), u("1")), page(u("1")), robots={"a.example:80": "User-agent: *\nCrawl-delay: 7"})
    latency = HostLatency.read("constant:0.2")
    run = simulate(web, setup(u(""), options=Options(delay_factor=10.0, delay_min=1.0), latency=latency))
    gap = run.fetched[1].ended - run.fetched[0].ended
    assert gap == pytest.approx(7 + 0.1 + 0.2)  # rest, connection, answer


def test_with_many_connections_a_host_still_has_one_at_a_time():
    pages = [page(u(""), *(u(str(i)) for i in range(20)))] + [page(u(str(i))) for i in range(20)]
    run = simulate(SmallArchive(*pages), setup(u(""), connections=16))
    ends = [one.ended for one in run.fetched]
    gaps = [later - earlier for earlier, later in itertools.pairwise(ends)]
    assert min(gaps) >= 0.3 - 1e-9


def test_a_lease_of_several_urls_keeps_its_connection():
    pages = [page(u(""), *(u(str(i)) for i in range(9)))] + [page(u(str(i))) for i in range(9)]
    each = [replace(NO_REST, urls_per_host=count) for count in (1, 9)]
    single, kept = (simulate(SmallArchive(*pages), setup(u(""), options=options)).seconds for options in each)
    assert single - kept == pytest.approx(8 * 0.1)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    pages = [page(u(str(i)), *(u(str((i * 7 + j) % 60)) for j in range(8))) for i in range(60)]
    runs = [
        simulate(SmallArchive(*pages), setup(u("0"), policy="random", options=replace(NO_REST, seed=seed), pages=30))
        for seed in (1, 1, 2)
    ]
    assert runs[0].fetched == runs[1].fetched
    assert fetched(runs[0]) != fetched(runs[2])


def test_a_focused_policy_goes_for_the_topic():
    web = SmallArchive(
        page(u(""), u("cars"), u("tour"), anchors={u("cars"): "汽车", u("tour"): "云南旅游攻略"}),
        page(u("cars")), page(u("tour"), title=TRAVEL, body=TRAVEL * 5),
    )  # fmt: skip
    run = simulate(web, setup(u(""), policy="rw"))
    assert fetched(run) == [u(""), u("tour")]
    assert run.pruned == {"low_rw": 1}
    assert run.fetched[1].on_topic


@pytest.mark.parametrize(
    ("rule", "ended", "count"),
    [
        ({"stop_yield": 10.0}, "low_yield", 15),  # the sixth to the fifteenth are the first ten without a hit
        ({"stop_yield": 0.0}, "empty", 60),
    ],
)
def test_the_stop_rule_of_crawls_ends_a_rehearsal_too(monkeypatch, rule, ended, count):
    """Five hits, then none; a page is judged when it comes, so the rule ends the run with that page."""
    monkeypatch.setattr(stop_rule, "LAST_PAGES", 10)
    travel = [page(u(str(n)), u(str(n + 1)), title=TRAVEL, body=(*TRAVEL, f"词{n}") * 5) for n in range(5)]
    others = [page(u(str(n)), u(str(n + 1)), body=("编译器",) * 9) for n in range(5, 60)]
    run = simulate(SmallArchive(*travel, *others), setup(u("0"), options=replace(NO_REST, page_scorer="vsm", **rule)))
    assert run.ended == ended
    assert len(run.fetched) == count


def test_a_crawl_ends_when_nothing_that_waits_is_worth_a_page():
    """Shark values links by their words: what has none stays queued, and is counted."""
    web = SmallArchive(
        page(u(""), u("tour"), u("cars"), anchors={u("tour"): "旅游景点门票", u("cars"): "编译器"}),
        page(u("tour"), title=TRAVEL, body=TRAVEL * 5),
        page(u("cars")),
    )
    run = simulate(web, setup(u(""), policy="shark", least_score=0.1))
    assert fetched(run) == [u(""), u("tour")]
    assert (run.ended, run.pruned) == ("low_score", {"low_chance": 1})
    assert 0 <= run.best_left < 0.1


def test_limits_of_the_topic_hold():
    web = SmallArchive(page(u(""), u("1")), page(u("1"), u("2")), page(u("2")))
    run = simulate(web, setup(u(""), limits=Limits(depth=1)))
    assert fetched(run) == [u(""), u("1")]
    assert sum(run.pruned.values()) == 1


def test_traps_are_refused_and_counted_by_name():
    trap = u("a/b/a/b/a/b")
    web = SmallArchive(page(u(""), u("1"), trap, u("2031/05/")), page(u("1")), page(trap), page(u("2031/05/")))
    run = simulate(web, setup(u("")))
    assert fetched(run) == [u(""), u("1")]
    assert run.pruned == {"trap_repeated": 1, "trap_calendar": 1}
    everything = simulate(web, setup(u(""), options=replace(NO_REST, traps="none")))
    assert len(everything.fetched) == 4


def test_the_performance_policy_is_done_with_fast_hosts_first():
    slow, fast = [u(str(i), "slow") for i in range(10)], [u(str(i), "fast") for i in range(10)]
    pages = [page(u("0", "slow"), *slow, *fast, seconds=5.0)]
    pages += [page(url, seconds=5.0) for url in slow[1:]] + [page(url, seconds=0.01) for url in fast]
    latency = HostLatency.read("recorded")

    def time_of_half(server_policy):
        options = replace(NO_REST, server_policy=server_policy)
        run = simulate(SmallArchive(*pages), setup(slow[0], options=options, latency=latency))
        assert len(run.fetched) == 20
        return run.fetched[10].ended

    assert time_of_half("performance") < time_of_half("bfs") / 2
