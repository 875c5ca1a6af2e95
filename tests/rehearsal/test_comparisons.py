"""From runs to results: means over seed sets, pairs, notes."""

from __future__ import annotations

import pytest

from tests.rehearsal.example_runs import run_of, setting_of, u, written_labels
from tests.rehearsal.small_archives import SmallArchive, page, redirect
from topicspider.rehearsal.evaluation.measures import results_of

HITS = [u("%E9%BB%84%E5%B1%B1"), u("h2"), u("h3", "b"), u("h4", "b")]
MISSES = [u("m1"), u("m2", "c"), u("m3", "c"), u("m4", "c"), u("m5", "c")]
JUDGE = written_labels(HITS, MISSES)
WEB = SmallArchive(
    page(HITS[0], *HITS[1:], *MISSES, title=("黄山", "旅游")), *map(page, HITS[1:]), *map(page, MISSES), page(u("hub"))
)


def results(*runs, judge=JUDGE, web=WEB, **more):
    return results_of(setting_of(**more), runs, judge, web)


GOOD = [HITS[0], HITS[1], HITS[2], MISSES[0]]
FAIR = [HITS[0], MISSES[0], HITS[1], MISSES[1]]
POOR = [MISSES[0], MISSES[1], MISSES[2], HITS[3]]
# areas to 4 pages, of the perfect 10: good 1+2+3+3 = 9, fair 1+1+2+2 = 6, poor 0+0+0+1 = 1


def test_a_policys_figures_are_means_over_its_seed_sets():
    (policy,) = results(run_of(GOOD), run_of(POOR, repeat=1), repeats=2).policies
    assert [run.repeat for run in policy.runs] == [0, 1]
    assert policy.auc_perfect.value == pytest.approx(0.5)
    assert policy.precision[2].value == 0.5
    assert policy.precision[4].value == pytest.approx((0.75 + 0.25) / 2)
    # two values .8 apart: standard deviation .8/sqrt(2), t(1) = 12.706
    assert policy.auc_perfect.half_width == pytest.approx(12.706205 * 0.4, abs=1e-5)
    assert policy.hits[4].value == 2
    assert policy.seconds[4].value == 8.0
    assert policy.auc_oracle is None


def test_the_oracle_of_the_same_seeds_is_the_measure():
    found = results(
        run_of(FAIR), run_of(POOR, repeat=1), run_of(GOOD, policy="oracle"), run_of(FAIR, policy="oracle", repeat=1)
    )
    assert found.policies[0].auc_oracle.value == pytest.approx((6 / 9 + 1 / 6) / 2, abs=1e-6)
    assert found.policies[1].auc_oracle.value == 1.0


def test_pairs_are_compared_seed_set_by_seed_set():
    pairs = [(GOOD, FAIR), (FAIR, POOR), (POOR, FAIR), (FAIR, FAIR)]
    runs = [run_of(one, policy="ipagerank", repeat=k) for k, (one, _) in enumerate(pairs)]
    runs += [run_of(other, repeat=k) for k, (_, other) in enumerate(pairs)]
    (pair,) = results(*runs).comparisons
    assert (pair.winner, pair.loser, pair.wins, pair.ties, pair.count) == ("ipagerank", "bfs", 2, 1, 4)
    assert pair.difference.value == pytest.approx((0.3 + 0.5 - 0.5 + 0.0) / 4)


def test_every_policy_but_the_oracle_is_compared_with_both_baselines_once():
    names = ["bfs", "shark", "ipagerank", "oracle"]
    found = results(*(run_of(one, policy=name) for name, one in zip(names, [POOR, FAIR, GOOD, GOOD], strict=True)))
    pairs = [(pair.winner, pair.loser) for pair in found.comparisons]
    assert sorted(pairs) == [("ipagerank", "bfs"), ("ipagerank", "shark"), ("shark", "bfs")]


def test_notes_say_what_limits_the_figures():
    web = SmallArchive(
        page(u("s"), HITS[0]), page(HITS[0], simhash=5), page(HITS[1], simhash=5), page(HITS[2]), page(HITS[3])
    )
    found = results(run_of([u("s"), HITS[0]], seeds=(u("s"),)), web=web, is_evidence=False, judged_by="bm25")
    told = "\n".join(note.en for note in found.notes)
    assert found.notes[0].en.startswith("self-judged, not evidence: ")
    assert "by hand" in found.notes[0].en
    assert "4 on-topic pages are 3 different ones" in told
    assert "2 of 3 targets cannot be reached" in told
    assert "1 of 1 runs ended before the last checkpoint" in told


def test_notes_count_targets_that_robots_txt_forbids_and_those_behind_seeds_that_redirect_as_given():
    web = SmallArchive(
        page(u("s"), *HITS),
        *map(page, HITS),
        redirect(u("old"), HITS[1]),
        robots={"a.example:80": "User-agent: *\nDisallow: /黄山\n"},
    )
    told = "\n".join(note.en for note in results(run_of([u("s")], seeds=(u("s"),)), web=web).notes)
    assert "1 of 4 targets cannot be reached by links from the first seed set or are forbidden by robots.txt" in told
    given = "\n".join(note.en for note in results(run_of([u("s")], seeds=(u("s"), u("old"))), web=web).notes)
    assert "1 of 3 targets cannot be reached" in given


def test_notes_count_labels_that_match_no_page():
    judge = written_labels(HITS, MISSES, labelled=19, unmatched=7)
    (note,) = [note for note in results(run_of(GOOD), judge=judge).notes if "labels" in note.en]
    assert note == ("7 of 19 labels match no page of the web", "19 条标注中有 7 条对不上任何页面")
    assert not any("labels match" in note.en for note in results(run_of(GOOD)).notes)


def test_every_note_has_its_chinese_with_the_same_numbers():
    web = SmallArchive(*(page(url, simhash=5) for url in HITS), page(u("s")))
    notes = results(run_of([u("s")], seeds=(u("s"),)), web=web, is_evidence=False, judged_by="vsm").notes
    assert len(notes) == 4
    for english, chinese in notes:
        assert {part for part in english if part.isdigit()} == {part for part in chinese if part.isdigit()}
    assert notes[0].zh.startswith("自评，不可作为证据")
