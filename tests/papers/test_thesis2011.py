"""The claim of (b), thesis 2011: what hard focus saves is read off right, and the experiment runs to its figure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.papers import thesis2011
from topicspider.rehearsal.evaluation.results import Checkpoint, RunFigures

SCRIPT = Path(thesis2011.__file__)


def crawled(*standings: tuple[int, int], ended: str = "max_pages", reached: int = 100) -> RunFigures:
    """A crawl with a standing of (hits, misses) after 10, 20, … pages, of which the first ``reached`` were reached."""
    checkpoints = tuple(
        Checkpoint(10 * number, number <= reached, hits, misses, 0.0, 0.0, 1, 1, 0.0)
        for number, (hits, misses) in enumerate(standings, 1)
    )
    last = checkpoints[-1]
    return RunFigures(
        policy="bfs", server_policy="quality", repeat=0, seeds=(), pages=last.pages, hits=last.hits, ended=ended, targets=100,
        checkpoints=checkpoints, curve=(), auc_perfect=0.0, auc_oracle=None, pages_for={}, seconds_for={}, dead=0,
        redirects=0, forbidden=0, links=0, pruned={}, seconds=0.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("hits", "misses"), [(0, 0.0), (2, 4.0), (4, 8.0), (5, 10.0), (6, 12.0), (8, 21.0), (10, 30.0)]
)
def test_misses_until_a_number_of_hits_lie_between_standings(hits: int, misses: float) -> None:
    assert thesis2011.misses_until(crawled((4, 8), (6, 12), (10, 30)), hits) == pytest.approx(misses)


def test_hits_that_were_never_found_have_no_cost() -> None:
    with pytest.raises(ValueError, match="11 hits"):
        thesis2011.misses_until(crawled((4, 8), (10, 30)), 11)


def test_both_crawls_are_compared_at_the_hits_of_the_one_that_found_fewer() -> None:
    pair = thesis2011.pair_of(crawled((5, 5), (8, 12)), crawled((8, 2), (16, 4)))
    assert (pair.at_hits, pair.misses_wide, pair.misses_focused) == (8, 12, 2)
    assert pair.saved == pytest.approx(1 - 2 / 12)
    assert pair.at_pages == {10: pytest.approx(0.6), 20: pytest.approx(1 - 4 / 12)}
    assert not pair.ended_early


def test_checkpoints_that_a_crawl_never_reached_are_not_compared() -> None:
    pair = thesis2011.pair_of(crawled((5, 5), (8, 12)), crawled((6, 2), (6, 2), ended="empty", reached=1))
    assert set(pair.at_pages) == {10}
    assert pair.ended_early


@pytest.mark.parametrize(("misses", "within"), [(71, 0), (70, 1), (40, 1), (10, 1), (9, 0), (120, 0)])
def test_a_saving_of_30_to_90_percent_is_within_the_claim(misses: int, within: int) -> None:
    pair = thesis2011.pair_of(crawled((50, 100)), crawled((50, misses)))
    assert thesis2011.within_claim([pair]) == within


def test_it_runs_from_seeds_to_figure(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, str(SCRIPT), "--quick", "--out", str(tmp_path / "out")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 0, ended.stderr
    assert "The thesis: 30-90 % fewer irrelevant pages. Ours: " in ended.stdout
    numbers = json.loads((tmp_path / "out" / "thesis2011.json").read_text(encoding="utf-8"))["quick"]
    assert len(numbers["pairs"]) == 2
    assert all(pair["at_hits"] > 5 and pair["misses_wide"] > 0 for pair in numbers["pairs"])
    drawn = (tmp_path / "out" / "thesis2011.svg").read_text(encoding="utf-8")
    assert drawn.count(">hard focus<") == drawn.count(">breadth-first<") == 1
