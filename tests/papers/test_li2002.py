"""The tourism experiment of (a) Li 2002 runs from seeds to figure, and counts checkpoints as it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.papers import li2002
from topicspider.defaults import Options
from topicspider.rehearsal.evaluation.results import Mean

SCRIPT = Path(li2002.__file__)


def run(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "TOPICSPIDER_CORPORA": str(cache)}
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The topic is compiled once; no recorded sites lie here."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> tuple[str, Path]:
    out = tmp_path_factory.mktemp("out")
    ended = run(cache, "--quick", "--out", str(out))
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, out


def test_it_prints_the_papers_claim_beside_ours_for_every_method(quick: tuple[str, Path]) -> None:
    printed, _out = quick
    assert "The paper: IPageRank is better than the others" in printed
    assert all(f"\n{method.label} " in printed for method in li2002.methods())
    for label in (li2002.PUBLISHED, li2002.NEAR_WORDS, li2002.OURS):
        assert all(f"{label} above {rival}: at " in printed for rival in ("pagerank", "bfs"))
    assert "10 connections" in printed


def test_rates_are_rates_and_discovery_never_falls(quick: tuple[str, Path]) -> None:
    numbers = json.loads((quick[1] / "li2002.json").read_text(encoding="utf-8"))["quick"]
    for label in (method.label for method in li2002.methods()):
        precision, discovery = (
            [value for value, _half in numbers["rates"][rate][label].values()] for rate in ("precision", "discovery")
        )
        assert len(precision) == len(discovery) == 8
        assert all(0 < value <= 1 for value in precision + discovery)
        assert discovery == sorted(discovery)


def test_every_method_costs_time_and_memory(quick: tuple[str, Path]) -> None:
    costs = json.loads((quick[1] / "li2002.json").read_text(encoding="utf-8"))["quick"]["costs"]
    assert [cost["label"] for cost in costs] == [method.label for method in li2002.methods()]
    assert all(cost["peak_mb"] > 20 and cost["cpu_seconds"] > 0 and cost["virtual_seconds"] > 0 for cost in costs)


def test_the_figure_names_every_method(quick: tuple[str, Path]) -> None:
    drawn = (quick[1] / "li2002.svg").read_text(encoding="utf-8")
    assert all(f">{method.label}<" in drawn for method in li2002.methods())
    assert "Precision" in drawn
    assert "Resource discovery rate" in drawn


def test_ours_is_the_default_of_a_crawl_and_ipagerank_stands_as_published() -> None:
    compared = {method.label: method for method in li2002.methods()}
    assert compared[li2002.OURS].policy == Options().link_policy
    assert not compared[li2002.OURS].faithful
    assert compared[li2002.PUBLISHED].faithful
    assert {"bfs", "pagerank", "ipagerank"} <= {method.policy for method in compared.values()}


def test_a_checkpoint_counts_only_where_the_mean_is_higher() -> None:
    rates = {
        "one": {500: Mean(0.5, 0.1, 3), 1000: Mean(0.4, 0.1, 3), 1500: Mean(0.3, 0.1, 3)},
        "other": {500: Mean(0.4, 0.2, 3), 1000: Mean(0.4, 0.0, 3), 1500: Mean(0.31, 0.1, 3)},
    }
    assert li2002.beaten(rates, "one", "other") == 1
    assert li2002.beaten(rates, "other", "one") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--web", "旅游.warc"], "made, sites-dev or made:SPEC"),
        (["--seed-sets", "0"], "1 or more"),
        (["--web", "made:pages=10"], "216"),
        (["--web", "sites-dev"], "skipped: no sites-dev.warc"),
    ],
)
def test_wrong_arguments_are_a_clear_line(cache: Path, arguments: list[str], said: str) -> None:
    ended = run(cache, *arguments)
    assert ended.returncode != 0
    assert said in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
