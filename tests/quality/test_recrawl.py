"""The recrawl simulation, small: the command's own scheduler keeps relevance fresher than visits that are all alike."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from benchmarks.quality import recrawl_hubs
from benchmarks.quality.recrawl import SCHEDULERS, MadePage, SyntheticWeb, made_pages, simulate

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
    web = SyntheticWeb(pages)
    web.visit(0, 5.0)  # stale from 2 to 5, and from 6 on
    assert web.freshness(10.0) == pytest.approx((0.9 * 0.3 + 0.3 * 1.0) / 1.2)
    assert [row.is_changed for row in web.change_log("made")] == [True]
    again = SyntheticWeb(pages)
    again.visit(0, 1.0)
    assert [row.is_changed for row in again.change_log("made")] == [False]


def test_hubs_are_found_by_what_they_gave_and_cost_little_freshness():
    def found(name):
        return recrawl_hubs.measured(recrawl_hubs.SCHEDULERS[name], 2, SHARE, PAGES, DAYS)

    ours, blind, uniform = found("topicspider"), found("without hubs"), found("uniform")
    assert ours.share > max(uniform.share, blind.share)
    assert ours.days < min(uniform.days, blind.days)
    assert uniform.freshness < ours.freshness <= blind.freshness + 0.02


def test_new_pages_take_a_quarter_of_the_fetches_while_known_ones_are_left():
    web = recrawl_hubs.HubWeb(1, 50, 40)
    for hub in web.hubs:
        web.visit(hub, 30.0)
    known = len(web.made)
    recrawl_hubs.make_round(web, 30.0, 16, [*web.hubs, *range(1, 40)])
    assert len(web.made) - known == 4
    assert all(0.0 <= days <= 30.0 for days in web.waited.values())
    recrawl_hubs.make_round(web, 30.5, 100, [])  # nothing is shown where nobody looked
    assert len(web.made) - known == 4
    recrawl_hubs.make_round(web, 31.0, 12, list(web.hubs))
    assert len(web.made) - known == 4 + 12 - len(web.hubs)
