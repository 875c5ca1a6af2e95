"""A figure holds or fails by its floor and the tolerance; floors rise by themselves and fall only for a reason."""

from __future__ import annotations

import pytest

from benchmarks.quality.floors import Measured, Regression, Section, changed, compare, raised

DIGEST = {"web": "aa", "labels": "bb"}
SECTION = Section(
    name="sites-dev/food",
    plan={"kind": "rehearsal"},
    tolerance={"auc": 0.01, "discovery": 0.02},
    digest=DIGEST,
    floors={"ipagerank": {"auc": 0.6, "discovery": 0.5}, "bfs": {"auc": 0.2, "discovery": 0.1}},
)
SAME = {"ipagerank": {"auc": 0.6, "discovery": 0.5}, "bfs": {"auc": 0.2, "discovery": 0.1}}


def measured(digest=DIGEST, **figures):
    """The floors as they stand, with other figures for some policies; None: the policy is gone."""
    merged = {policy: named for policy, named in {**SAME, **figures}.items() if named is not None}
    return Measured(digest, merged)


def failing(section, found):
    """(policy, figure) of the rows that fail."""
    return [(row.subject, row.figure) for row in compare(section, found) if row.fails]


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({}, []),
        ({"bfs": {"auc": 0.9, "discovery": 0.9}}, []),
        ({"bfs": {"auc": 0.19, "discovery": 0.08}}, []),  # exactly the tolerance
        ({"bfs": {"auc": 0.1899, "discovery": 0.1}}, [("bfs", "auc")]),
        ({"bfs": {"auc": 0.2, "discovery": 0.0799}}, [("bfs", "discovery")]),
        ({"ipagerank": {"auc": 0.0, "discovery": 0.0}}, [("ipagerank", "auc"), ("ipagerank", "discovery")]),
        ({"opic": {"auc": 0.9, "discovery": 0.9}}, [("opic", "auc"), ("opic", "discovery")]),  # has no floor
        ({"bfs": None}, [("bfs", "auc"), ("bfs", "discovery")]),  # is no more
    ],
)
def test_a_figure_fails_below_the_tolerance_without_a_floor_or_without_a_policy(figures, expected):
    assert failing(SECTION, measured(**figures)) == expected


def test_a_corpus_that_changed_is_named_by_its_parts():
    assert changed(SECTION, measured()) == []
    assert changed(SECTION, measured(digest={"web": "aa", "labels": "other"})) == ["labels"]
    assert changed(SECTION, measured(digest={"web": "x", "labels": "y"})) == ["labels", "web"]


def test_raising_takes_the_higher_and_the_new_and_never_lowers():
    found = measured(
        ipagerank={"auc": 0.7, "discovery": 0.49},
        bfs={"auc": 0.1, "discovery": 0.3},
        opic={"auc": 0.4, "discovery": 0.3},
    )
    after, lowered, left = raised(SECTION, found)
    assert after.floors == {
        "ipagerank": {"auc": 0.7, "discovery": 0.5},
        "bfs": {"auc": 0.2, "discovery": 0.3},
        "opic": {"auc": 0.4, "discovery": 0.3},
    }
    assert lowered == []
    assert [(row.subject, row.figure) for row in left] == [("bfs", "auc")]


def test_lowering_takes_a_reason_and_keeps_it():
    after, lowered, left = raised(SECTION, measured(bfs={"auc": 0.1, "discovery": 0.1}), "链接更少")
    assert after.floors["bfs"] == {"auc": 0.1, "discovery": 0.1}
    assert lowered == [Regression("sites-dev/food", "bfs", "auc", 0.2, 0.1, "链接更少")]
    assert left == []


def test_a_reason_lowers_nothing_that_holds():
    after, lowered, _left = raised(SECTION, measured(bfs={"auc": 0.195, "discovery": 0.1}), "any")
    assert after.floors["bfs"]["auc"] == 0.2
    assert lowered == []


def test_a_policy_that_is_no_more_keeps_its_floor_until_there_is_a_reason():
    kept, _lowered, left = raised(SECTION, measured(bfs=None))
    assert "bfs" in kept.floors
    assert len(left) == 2
    after, lowered, left = raised(SECTION, measured(bfs=None), "removed")
    assert "bfs" not in after.floors
    assert [one.to for one in lowered] == [None, None]
    assert left == []


def test_a_changed_corpus_becomes_the_sections_own_only_when_all_floors_hold_on_it():
    other = {"web": "new", "labels": "bb"}
    held, _lowered, _left = raised(SECTION, measured(digest=other))
    assert held.digest == other
    worse = measured(digest=other, bfs={"auc": 0.0, "discovery": 0.0})
    refused, _lowered, _left = raised(SECTION, worse)
    assert refused.digest == DIGEST
    forced, _lowered, _left = raised(SECTION, worse, "another web")
    assert forced.digest == other


def test_what_was_raised_holds_at_once():
    found = measured(bfs={"auc": 0.0, "discovery": 0.9}, opic={"auc": 0.4, "discovery": 0.3}, ipagerank=None)
    after, _lowered, _left = raised(SECTION, found, "why")
    assert failing(after, found) == []
    assert changed(after, found) == []
