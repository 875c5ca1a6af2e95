"""The gate passes what holds, names what does not, and a policy in inverted order does not get through."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benchmarks.quality import gate
from benchmarks.quality.floors import Floors, Measured, Section
from benchmarks.quality.floors_file import read_floors, write_floors
from benchmarks.quality.gate import main, table
from topicspider.relevance.ipagerank import IPageRankPolicy
from topicspider.relevance.policies import LINK_POLICIES

DIGEST = {"web": "aa", "labels": "bb"}
FIGURES = {"bfs": {"auc": 0.2, "discovery": 0.1}, "ipagerank": {"auc": 0.6, "discovery": 0.5}}
MADE = Section(
    "made", {"kind": "rehearsal", "web": "made:pages=216"}, {"auc": 0.01, "discovery": 0.01}, DIGEST, FIGURES
)
RECORDED = replace(MADE, name="sites-dev/food", plan={"kind": "rehearsal", "web": "sites-dev.warc"})


@pytest.fixture
def floors(tmp_path, monkeypatch):
    """A floors file whose recorded corpus is not there."""
    monkeypatch.setenv("TOPICSPIDER_CORPORA", str(tmp_path / "none"))
    path = tmp_path / "floors.json"
    write_floors(Floors([MADE, RECORDED]), path)
    return path


@pytest.fixture
def given(monkeypatch):
    """Lets the test say what is measured."""

    def give(digest=DIGEST, **figures):
        monkeypatch.setattr(gate, "measure", lambda _section, _bench, _say: Measured(digest, {**FIGURES, **figures}))

    return give


def run(floors, *arguments):
    return main(["--floors", str(floors), "--processes", "1", *arguments])


def test_figures_that_hold_pass_with_a_table_and_missing_corpora_are_counted(floors, given, capsys):
    given()
    assert run(floors) == 0
    shown = capsys.readouterr().out
    assert "skipped 1 of 2 sections" in shown
    assert "sites-dev/food" in shown
    assert "4 figures of 1 sections; nothing failed" in shown


def test_a_figure_below_its_floor_fails_in_one_line_that_names_all(floors, given, capsys):
    given(ipagerank={"auc": 0.5, "discovery": 0.4})
    assert run(floors) == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "FAILED" in line]
    assert all(part in line for part in ("made", "ipagerank", "auc 0.5000", "0.6000", "discovery 0.4000", "0.5000"))


def test_a_changed_corpus_fails_and_says_to_measure_again(floors, given, capsys):
    given(digest={"web": "other", "labels": "bb"})
    assert run(floors) == 1
    assert "made: web changed since the floors were measured: ./run gate --raise" in capsys.readouterr().out


def test_a_policy_without_a_floor_fails_and_says_what_to_run(floors, given, capsys):
    given(opic={"auc": 0.4, "discovery": 0.3})
    assert run(floors) == 1
    assert (
        "made: opic: no floor yet for auc 0.4000, discovery 0.3000; run ./run gate --raise" in capsys.readouterr().out
    )
    assert run(floors, "--raise") == 0
    assert run(floors) == 0


def test_raising_writes_the_higher_refuses_the_lower_and_leaves_the_skipped(floors, given, capsys):
    given(bfs={"auc": 0.3, "discovery": 0.1}, ipagerank={"auc": 0.4, "discovery": 0.5})
    assert run(floors, "--raise") == 1
    assert "allow-regression" in capsys.readouterr().out
    made, recorded = read_floors(floors).sections
    assert made.floors == {"bfs": {"auc": 0.3, "discovery": 0.1}, "ipagerank": {"auc": 0.6, "discovery": 0.5}}
    assert recorded.floors == FIGURES


def test_lowering_is_written_with_its_reason(floors, given):
    given(ipagerank={"auc": 0.4, "discovery": 0.5})
    assert run(floors, "--raise", "--allow-regression", "修正了种子") == 0
    found = json.loads(floors.read_text(encoding="utf-8"))
    assert found["sections"]["made"]["floors"]["ipagerank"]["auc"] == 0.4
    assert found["regressions"] == [
        {"corpus": "made", "policy": "ipagerank", "figure": "auc", "from": 0.6, "to": 0.4, "reason": "修正了种子"}
    ]
    assert run(floors) == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--raise", "--allow-regression", ""], "needs a reason"),
        (["--raise", "--allow-regression", "  "], "needs a reason"),
        (["--allow-regression", "why"], "goes with --raise"),
        (["--processes", "0"], "at least 1"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_measured(floors, arguments, why, capsys):
    before = floors.read_bytes()
    with pytest.raises(SystemExit) as ended:
        run(floors, *arguments)
    assert ended.value.code == 2
    assert why in capsys.readouterr().err
    assert floors.read_bytes() == before


def test_an_unknown_corpus_is_answered_with_those_there_are(floors, capsys):
    assert run(floors, "--only", "sites") == 2
    assert "made, sites-dev, sites-dev/food" in capsys.readouterr().err


@pytest.mark.parametrize(("only", "names"), [("made", ["made"]), ("sites-dev", ["sites-dev/food"])])
def test_the_list_says_what_would_be_measured_and_measures_nothing(floors, only, names, capsys):
    assert run(floors, "--list", "--only", only) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == names


def test_the_table_fits_80_columns(floors):
    section = replace(MADE, name="sites-dev/real_estate", floors={"capacity_first_of_all": {"discovery": 0.5}})
    rows = gate.compare(section, Measured(DIGEST, {"capacity_first_of_all": {"discovery": 0.25}}))
    assert max(map(len, table(rows).splitlines())) <= 80
    assert "-0.2500" in table(rows)


# --- a planted regression, measured for real -------------------------------------------------------


class Inverted(IPageRankPolicy):
    """IPageRank with its order turned round: the link it thinks least of comes first."""

    def judge(self, parent, links):
        return [replace(score, value=-score.value) for score in super().judge(parent, links)]

    def promotions(self):
        super().promotions()
        return ()


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Floors of the smallest made web, measured here and now with what the code does today; read once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("benchmarks.quality.measuring.JUDGED_BY", {"vsm": ("bfs", "ipagerank")})
    plan = {
        "kind": "rehearsal",
        "web": "made:pages=216,hosts=3",
        "topic": "tourism",
        "checkpoints": [20, 60],
        "repeats": 2,
        "seed": 0,
    }
    path = tmp_path / "floors.json"
    write_floors(Floors([Section("made", plan, {"auc": 0.02, "discovery": 0.02}, {}, {})]), path)
    assert run(path, "--cached", "--raise") == 0
    return path


def test_a_planted_regression_makes_the_gate_fail_and_without_it_the_gate_passes(tiny, monkeypatch, capsys):
    before = tiny.read_bytes()
    assert run(tiny, "--cached") == 0
    assert "nothing failed" in capsys.readouterr().out
    monkeypatch.setitem(LINK_POLICIES, "ipagerank", Inverted)
    assert run(tiny, "--cached") == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if "FAILED" in line]
    assert len(failed) == 1
    assert "made: ipagerank: auc" in failed[0]
    assert run(tiny, "--cached", "--raise") == 1
    assert tiny.read_bytes() == before


def test_a_plan_that_lacks_something_gives_one_line(tmp_path, capsys):
    path = tmp_path / "floors.json"
    for plan, lack in (({"kind": "rehearsal", "web": "made:pages=216"}, "topic"), ({"kind": "none"}, "none")):
        write_floors(Floors([Section("made", plan, {}, {}, {})]), path)
        assert run(path) == 2
        shown = capsys.readouterr().err
        assert lack in shown
        assert shown.count("\n") == 1
