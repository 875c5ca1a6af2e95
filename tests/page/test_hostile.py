"""Hostile pages keep three budgets each: CPU time beside an ordinary page's, memory, and how long an event loop waits (promise P1)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.hostile_pages import PAGES, PAGES_OF_100_KB

MEBIBYTES = 150
"""A body of 4 MiB is a text of up to 16 MiB; rewriting, tree, words and fields stand beside it."""

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def costs() -> dict[str, dict[str, float]]:
    """What every page cost, read in a process of its own."""
    command = [sys.executable, "-m", "tests.page.hostile_reading"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=900, check=False)
    assert not done.returncode, done.stderr.decode()[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line.pop("name"): line for line in lines}


@pytest.mark.parametrize("name", PAGES)
def test_p1_a_hostile_page_keeps_its_budgets(name, costs):
    cost = costs[name]
    assert "error" not in cost, cost["error"]
    assert cost["pages"] < PAGES_OF_100_KB
    assert cost["mib"] < MEBIBYTES
    assert cost["stall"] < PAGES_OF_100_KB
