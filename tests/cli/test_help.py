"""``--help`` of every command: each option on a line of its own, with its text."""

from __future__ import annotations

import argparse

import pytest
from scrapy.cmdline import ScrapyArgumentParser, _get_commands_from_module
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

from topicspider.text.terminal import width

COMMANDS = _get_commands_from_module("topicspider.commands", inproject=True)


def _squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(("columns", "locale"), [(80, "C.UTF-8"), (80, "zh_CN.UTF-8"), (120, "C.UTF-8")])
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_option_has_its_line_and_its_text(monkeypatch, name, columns, locale):
    """Scrapy takes a line that ends in a colon for a heading, capitalises it and draws a line below."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LC_ALL", locale)
    command = COMMANDS[name]
    command.settings = Settings()
    parser = ScrapyArgumentParser(
        prog=f"scrapy {name}",
        formatter_class=ScrapyHelpFormatter,
        conflict_handler="resolve",
        description=command.long_desc(),
        usage=f"scrapy {name} {command.syntax()}",
    )
    command.add_options(parser)
    text = parser.format_help()
    formatter = parser._get_formatter()
    for action in parser._actions:
        option = formatter._format_action_invocation(action)
        assert any(line.startswith(f"  {option}") for line in text.splitlines()), option
        if action.help:
            assert _squeezed(option + formatter._expand_help(action)) in _squeezed(text)
    module = getattr(command, "module", None)
    helps = (
        [text, *(one.format_help() for one in parsers_of(module.actions()))] if hasattr(module, "actions") else [text]
    )
    assert [line for one in helps for line in one.splitlines() if width(line) > columns] == []


def parsers_of(parser):
    """It, and those of its actions."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [parser, *(one for action in nested for one in action.choices.values())]
