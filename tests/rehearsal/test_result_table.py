"""Results in a terminal: at most 80 columns, in Chinese and English, with what matters on them."""

from __future__ import annotations

import pytest

from tests.rehearsal.example_runs import run_of, setting_of, u, written_labels
from tests.rehearsal.small_archives import SmallArchive, page
from topicspider.rehearsal.evaluation.measures import Comparison, Mean, results_of
from topicspider.rehearsal.evaluation.result_files import comparison_line, result_table
from topicspider.rehearsal.phrase import Phrase
from topicspider.text.terminal import width

PAGES = [u(f"{i}", site) for i in range(50) for site in "ab"]
JUDGE = written_labels(PAGES[::3], PAGES[1::3])
WEB = SmallArchive(*map(page, PAGES))
POINTS = tuple(range(10, 90, 10))


def results(names=("bfs", "ipagerank", "oracle"), repeats=1, judge=JUDGE, web=WEB, **more):
    runs = [
        run_of([*PAGES[i * 7 + repeat :], *PAGES[: i * 7 + repeat]], policy=name, repeat=repeat)
        for i, name in enumerate(names)
        for repeat in range(repeats)
    ]
    more = {"checkpoints": POINTS, "repeats": repeats} | more
    return results_of(setting_of(**more), runs, judge, web)


@pytest.mark.parametrize("chinese", [True, False])
@pytest.mark.parametrize("repeats", [1, 10])
@pytest.mark.parametrize("points", [(50,), POINTS, tuple(range(500_000, 4_500_000, 500_000))])
def test_no_line_is_wider_than_eighty_columns(chinese, repeats, points):
    found = results(("bfs", "hard_focus", "oracle"), repeats, checkpoints=points, web_digest="x")
    text = Phrase.of(lambda: result_table(found))[chinese]
    assert max(map(width, text.splitlines())) <= 80
    assert "…" not in text, "nothing is cut off"


@pytest.mark.parametrize("chinese", [True, False])
def test_the_table_shows_the_figures_of_every_policy(chinese):
    found = results()
    text = Phrase.of(lambda: result_table(found))[chinese]
    for policy in found.policies:
        assert f"\n{policy.policy} " in text
        assert f"{100 * policy.precision[80].value:.1f}" in text
        assert f"{100 * policy.discovery[80].value:.1f}" in text
        assert f"{100 * policy.auc_perfect.value:.1f}" in text
    assert "12,345" in text
    assert ("旅游" if chinese else "Tourism") in text


@pytest.mark.parametrize("chinese", [True, False])
def test_intervals_are_shown_from_three_seed_sets_on(chinese):
    assert "±" in Phrase.of(lambda: result_table(results(repeats=3)))[chinese]
    assert "±" not in Phrase.of(lambda: result_table(results(repeats=2)))[chinese], "of two values it says nothing"
    assert "±" not in Phrase.of(lambda: result_table(results()))[chinese]
    assert results(repeats=2).policies[0].precision[10].half_width > 0


CLEAR, UNCLEAR = Mean(0.21, 0.04, 10), Mean(0.01, 0.02, 10)
SENTENCES = [  # wins, ties, pairs, difference
    ((9, 0, 10, CLEAR), False, "rw beats bfs on 9 of 10 seed sets, +0.210 ± 0.040"),
    ((8, 1, 10, CLEAR), True, "rw 胜 bfs：10 组种子中胜 8 组，1 组持平，面积 +0.210 ± 0.040"),
    ((6, 0, 10, UNCLEAR), False, "rw is ahead of bfs on 6 of 10 seed sets, +0.010 ± 0.020: no clear difference"),
    ((6, 0, 10, UNCLEAR), True, "rw 对 bfs：10 组种子中胜 6 组，面积 +0.010 ± 0.020，差别不明显"),
    ((1, 0, 1, Mean(0.0004, 0.0, 1)), False, "rw is ahead of bfs on 1 of 1 seed set, +0.000: no clear difference"),
    ((1, 0, 1, Mean(0.1, 0.0, 1)), False, "rw beats bfs on 1 of 1 seed set, +0.100"),
    ((0, 2, 2, Mean(0.0, 0.0, 2)), True, "rw 与 bfs 持平"),
]


@pytest.mark.parametrize(("outcome", "chinese", "line"), SENTENCES)
def test_pairs_are_sentences(outcome, chinese, line):
    assert Phrase.of(lambda: comparison_line(Comparison("rw", "bfs", *outcome)))[chinese] == line


@pytest.mark.parametrize(("chinese", "words"), [(True, "自评，不可作为证据"), (False, "self-judged, not evidence")])
def test_what_is_self_judged_says_so(chinese, words):
    assert words in Phrase.of(lambda: result_table(results(is_evidence=False)))[chinese]
    assert words not in Phrase.of(lambda: result_table(results()))[chinese]
