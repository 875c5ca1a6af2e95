"""Seed sets: drawn by number from the on-topic pages that links lead to, with the start pages."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.rehearsal.example_runs import u, written_labels
from tests.rehearsal.small_archives import SmallArchive, page, redirect
from topicspider.errors import ConfigError
from topicspider.rehearsal.archive.feature_file import Answer
from topicspider.rehearsal.evaluation.reach import checked_starts, seed_sets

NAMES = [f"%E6%B8%B8{i}" for i in range(6)]  # 游
FOUND = [u(name) for name in NAMES]
WEB = SmallArchive(
    page(u(""), u("moved"), u("gone"), FOUND[5]),
    redirect(u("moved"), FOUND[0]),
    *(page(url, after, u("")) for url, after in itertools.pairwise(FOUND[:5])),
    page(FOUND[4]),
    page(FOUND[5]),
    page(u("island"), FOUND[0]),
    page(u("off")),
)
JUDGE = written_labels([*FOUND, u("island")], [u("off")])


def test_set_k_is_drawn_by_the_number_k_from_sorted_reachable_targets_with_the_start_page():
    assert seed_sets(WEB, JUDGE, 3) == tuple((*random.Random(k).sample(sorted(FOUND), 3), u("")) for k in range(3))


NO_PAGES = [u("gone"), u("moved"), u("%E7%A6%81/1"), u("%E7%A6%81/2"), u("away")]  # 禁
ROBOTS = {"a.example:80": "User-agent: topicspider\nDisallow: /禁/\n"}


def partly_closed_web():
    return SmallArchive(
        page(u(""), *FOUND, *NO_PAGES),
        *map(page, FOUND),
        page(NO_PAGES[2]),
        page(NO_PAGES[3]),
        redirect(u("moved"), FOUND[0]),
        redirect(u("away"), u("away")),
        Answer(u("gone"), 404),
        robots=ROBOTS,
    )


def test_seeds_are_pages_and_allowed_ones():
    sets = seed_sets(partly_closed_web(), written_labels([*FOUND, *NO_PAGES]), 40)
    assert sets == tuple((*random.Random(k).sample(sorted(FOUND), 3), u("")) for k in range(40))


def test_start_pages_can_be_given_and_are_never_drawn():
    sets = seed_sets(WEB, JUDGE, 20, 2, ["http://A.example/island#x", u("island"), FOUND[5]])
    assert all(seeds[2:] == (u("island"), FOUND[5]) for seeds in sets)
    assert {seed for seeds in sets for seed in seeds[:2]} == set(FOUND[:5])


@pytest.mark.parametrize("start", ["http://nowhere.example/", "ftp://a.example/", "旅游", u("gone")])
def test_a_seed_outside_the_web_is_one_clear_line(start):
    with pytest.raises(ConfigError, match="a page of 小网"):
        checked_starts(WEB, [start])


@pytest.mark.parametrize(
    ("judge", "starts", "count", "words"),
    [
        (JUDGE, [u("off")], 3, "to none of its 7 on-topic pages"),
        (JUDGE, [u("")], 6, "to 6 of its 7 on-topic pages"),
        (JUDGE, [u("")], 6, "0 to 5"),
        (written_labels([FOUND[0]]), [u("")], 1, "the start pages alone"),
    ],
)
def test_too_few_pages_to_draw_from_is_one_clear_line(judge, starts, count, words):
    with pytest.raises(ConfigError, match="on-topic seeds") as caught:
        seed_sets(WEB, judge, 1, count, starts)
    assert words in str(caught.value)
