"""``--help`` of every command: each option on a line of its own, with its text."""

from __future__ import annotations

import pytest
from scrapy.cmdline import ScrapyArgumentParser, _get_commands_from_module
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

COMMANDS = _get_commands_from_module("topicspider.commands", inproject=True)


def _squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("columns", [80, 100, 120])
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_option_has_its_line_and_its_text(monkeypatch, name, columns):
    """Scrapy takes a line that ends in a colon for a heading, capitalises it and draws a line below."""
    monkeypatch.setenv("COLUMNS", str(columns))
    command = COMMANDS[name]
    command.settings = Settings()
    parser = ScrapyArgumentParser(
        prog=f"scrapy {name}",
        formatter_class=ScrapyHelpFormatter,
        conflict_handler="resolve",
        description=command.long_desc(),
    )
    command.add_options(parser)
    text = parser.format_help()
    formatter = parser._get_formatter()
    for action in parser._actions:
        option = formatter._format_action_invocation(action)
        assert any(line.startswith(f"  {option}") for line in text.splitlines()), option
        if action.help:
            assert _squeezed(option + formatter._expand_help(action)) in _squeezed(text)
