"""The recrawl simulation, small: the command's own scheduler keeps relevance fresher than visits that are all alike."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from benchmarks.quality.recrawl import SCHEDULERS, MadePage, MadeWeb, made_pages, simulate

SEEDS, PAGES, DAYS, SHARE = range(3), 100, 60, 0.1


def mean(name: str) -> float:
    return fmean(simulate(SCHEDULERS[name], seed, SHARE, PAGES, DAYS) for seed in SEEDS)


def test_relevance_is_kept_fresher_than_by_uniform_visits_and_not_beyond_what_the_truth_allows():
    ours, uniform = mean("topicspider"), mean("uniform")
    assert ours >= uniform + 0.03
    assert mean("proportional") < ours < mean("oracle")


def test_a_simulation_repeats_itself():
    assert simulate(SCHEDULERS["topicspider"], 1, SHARE, 50, 20) == simulate(
        SCHEDULERS["topicspider"], 1, SHARE, 50, 20
    )
    assert [page.rate for page in made_pages(1, 10, 20)] != [page.rate for page in made_pages(2, 10, 20)]


def test_freshness_is_the_weighted_share_of_time_in_which_the_copy_is_as_the_page_is():
    pages = [MadePage(0, True, 0.9, 0.1, np.array([2.0, 6.0])), MadePage(0, True, 0.3, 0.1, np.array([]))]
    web = MadeWeb(pages)
    web.visit(0, 5.0)  # stale from 2 to 5, and from 6 on
    assert web.freshness(10.0) == pytest.approx((0.9 * 0.3 + 0.3 * 1.0) / 1.2)
    assert [row.is_changed for row in web.change_log("made")] == [True]
    again = MadeWeb(pages)
    again.visit(0, 1.0)
    assert [row.is_changed for row in again.change_log("made")] == [False]
