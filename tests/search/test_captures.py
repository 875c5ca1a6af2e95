"""What docs/search.md shows of searches is what they print."""

from __future__ import annotations

from tests.search.captures import COLUMNS, PAGE, commands, renewed
from topicspider.text.terminal import width


def test_the_captures_are_what_the_searches_print() -> None:
    """When this fails because the output has changed for the better: python -m tests.search.captures"""
    text = PAGE.read_text("utf-8")
    assert len(commands(text)) >= 3
    assert renewed(text).splitlines() == text.splitlines()


def test_a_capture_fits_a_terminal_and_finds_something() -> None:
    blocks = [block.split("```")[0] for block in PAGE.read_text("utf-8").split("```console\n")[1:]]
    assert [line for block in blocks for line in block.splitlines() if width(line) > COLUMNS] == []
    assert all(len(block.splitlines()) > 2 for block in blocks)
