"""Hostile pages keep three budgets each: CPU time, memory, and how long an event loop waits (P1)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.page.hostile import PAGES

SECONDS = 0.25
MEBIBYTES = 150
"""A body of 4 MiB is a text of up to 16 MiB; rewriting, tree, words and fields stand beside it."""
STALL_SECONDS = 0.3

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
    assert cost["seconds"] < SECONDS
    assert cost["mib"] < MEBIBYTES
    assert cost["stall"] < STALL_SECONDS
