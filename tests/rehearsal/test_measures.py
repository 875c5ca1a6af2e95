"""How well a run did: figures worked by hand, and what holds for every run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rehearsal.example_runs import run_of, u, written_labels
from tests.rehearsal.small_archives import SmallArchive, page, redirect
from topicspider.rehearsal.evaluation.labels import Verdict
from topicspider.rehearsal.evaluation.measures import JudgedRun, Mean, Targets, figures_of

HITS = [u(f"h{i}") for i in range(1, 5)]
MISSES = [u(f"m{i}", "b") for i in range(1, 4)]
HUB, SEED = u("hub"), u("seed")
JUDGE = written_labels(HITS, MISSES)
WEB = SmallArchive(*map(page, [*HITS, *MISSES, HUB, SEED]))


def judged(urls, judge=JUDGE, web=WEB, **more):
    return JudgedRun.of(run_of(urls, **more), judge, Targets.of(judge, web), web)


def figures(urls, checkpoints=(2, 4), **more):
    return figures_of(judged(urls, **more), checkpoints)


def test_a_run_worked_by_hand():
    # hits after 1 … 6 pages: 0 1 1 2 2 2; four targets
    found = figures([HUB, HITS[0], MISSES[0], HITS[1], u("?", "c"), MISSES[1]], (2, 6))
    two, six = found.checkpoints
    assert (two.pages, two.reached, two.hits, two.misses, two.precision, two.discovery) == (2, True, 1, 0, 1.0, 0.25)
    assert two.seconds == 4.0
    assert (six.hits, six.misses, six.precision, six.discovery) == (2, 2, 0.5, 0.5)
    assert six.seconds == 12.0
    assert (found.hits, found.pages, found.targets) == (2, 6, 4)
    assert found.auc_perfect == 8 / (1 + 2 + 3 + 4 + 4 + 4)
    assert found.auc_oracle is None
    assert found.curve == ((0, 0, 0.0), (1, 0, 2.0), (2, 1, 4.0), (3, 1, 6.0), (4, 2, 8.0), (5, 2, 10.0), (6, 2, 12.0))


def test_a_run_that_ended_early_keeps_its_standing():
    found = figures([HITS[0], MISSES[0]], (1, 4), ended="empty")
    assert [one.reached for one in found.checkpoints] == [True, False]
    assert (found.checkpoints[1].pages, found.checkpoints[1].hits, found.checkpoints[1].seconds) == (4, 1, 4.0)
    assert found.auc_perfect == 4 / (1 + 2 + 3 + 4)


def test_a_run_that_fetched_nothing_is_no_division_by_zero():
    found = figures([], (1, 4), ended="empty")
    assert [(one.precision, one.discovery, one.seconds) for one in found.checkpoints] == [(0.0, 0.0, 0.0)] * 2
    assert (found.auc_perfect, found.curve, found.hits) == (0.0, ((0, 0, 0.0),), 0)


def test_seeds_are_neither_hits_nor_targets():
    found = figures([HITS[3], MISSES[0], HITS[0]], (3,), seeds=(HITS[3], MISSES[0]))
    assert (found.checkpoints[0].hits, found.checkpoints[0].misses, found.targets) == (1, 0, 3)


def test_the_oracle_is_the_measure_of_what_could_be_reached():
    oracle = judged([HUB, HITS[0], HITS[1], HITS[2]], policy="oracle")
    run = judged([HUB, MISSES[0], HITS[0], HITS[1]])
    assert figures_of(run, (4,), oracle).auc_oracle == 3 / 6
    assert figures_of(oracle, (4,), oracle).auc_oracle == 1.0
    assert figures_of(run, (4,), judged([HUB], policy="oracle")).auc_oracle is None


COPY, FAR = 0b111 << 20, 0b11111111 << 10  # in how many bits a page differs


def copied_web(*extra):
    pages = [
        page(HITS[0], simhash=1 << 40),
        page(HITS[1], simhash=1 << 40 | COPY),
        page(HITS[2], simhash=1 << 40 ^ FAR),
    ]
    return SmallArchive(*pages, page(HITS[3]), *map(page, MISSES), *extra)


def test_near_duplicates_count_once_and_the_second_is_neither():
    run = judged([HITS[1], HITS[0], HITS[2], HITS[3]], web=copied_web())
    assert run.verdicts == (Verdict.HIT, Verdict.NEITHER, Verdict.HIT, Verdict.HIT)
    assert run.targets == 3
    assert figures_of(run, (4,)).checkpoints[0].discovery == 1.0


def test_misses_that_are_copies_of_an_earlier_miss_count_in_neither():
    web = SmallArchive(*map(page, [*HITS, *MISSES]))
    run = judged([MISSES[0], MISSES[1], MISSES[2], HITS[0]], web=web, simhashes=(1 << 40, 1 << 40 | COPY, FAR, 1 << 40))
    assert run.verdicts == (Verdict.MISS, Verdict.NEITHER, Verdict.MISS, Verdict.HIT)
    assert figures_of(run, (4,)).checkpoints[0].precision == pytest.approx(1 / 3)


def test_what_a_seed_redirects_to_is_no_hit_and_no_target():
    web = SmallArchive(*map(page, [*HITS, *MISSES]), redirect(u("old"), u("older")), redirect(u("older"), HITS[0]))
    run = judged([HITS[0], HITS[1]], web=web, seeds=(u("old"),))
    assert (run.verdicts, run.targets) == ((Verdict.NEITHER, Verdict.HIT), 3)


def test_when_the_seeds_were_all_there_is_to_find_nothing_is_divided_by_zero():
    found = figures([*HITS, MISSES[0]], (3,), seeds=HITS)
    assert (found.auc_perfect, found.targets, found.checkpoints[0].discovery) == (0.0, 0, 0.0)


@given(st.permutations([*HITS, *MISSES, HUB, SEED]), st.integers(0, 9), st.integers(0, 3))
def test_what_holds_for_every_run(order, length, seeds):
    found = figures(order[:length], (1, 3, 9), seeds=order[:seeds])
    for one in found.checkpoints:
        assert one.precision * (one.hits + one.misses) == pytest.approx(one.hits)
        assert 0 <= one.precision <= 1
        assert 0 <= one.discovery <= 1
    assert 0 <= found.auc_perfect <= 1
    hits = [one.hits for one in found.checkpoints]
    assert hits == sorted(hits)
    assert found.curve[-1] == (found.pages, found.hits, found.checkpoints[-1].seconds)


@given(st.permutations(HITS), st.permutations([*MISSES, HUB]), st.integers(1, 12))
def test_a_perfect_run_has_the_whole_area(hits, rest, last):
    assert figures([*hits, *rest], (last,)).auc_perfect == 1.0


def test_a_mean_has_the_interval_of_students_t():
    # mean 3, standard deviation sqrt(2.5), t(4) = 2.776
    mean = Mean.of([1, 2, 3, 4, 5])
    assert (mean.value, mean.count) == (3.0, 5)
    assert mean.half_width == pytest.approx(2.776445 * (2.5 / 5) ** 0.5)
