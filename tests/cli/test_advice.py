"""Advice that is printed names commands that there are, with options that they have."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from scrapy.cmdline import ScrapyArgumentParser, _get_commands_from_module
from scrapy.settings import Settings

from topicspider import i18n
from topicspider.spiders.arguments import refuse_unknown

COMMANDS = _get_commands_from_module("topicspider.commands", inproject=True)
CATALOGUE = i18n.LOCALE / "zh" / "LC_MESSAGES" / "topicspider.po"
DOCS = [*Path(__file__).parents[2].glob("README*.md"), *Path(__file__).parents[2].glob("docs/**/*.md")]
ADVICE = re.compile(rf"(?:scrapy|\./run) ((?:{'|'.join(COMMANDS)})\b[^`\n;,，；。|\[\])）\\'\">]*)")


def advised() -> list[str]:
    """Every line of advice in the messages, in both languages, and in the documents."""
    with CATALOGUE.open("rb") as file:
        texts = [
            text
            for message in read_po(file)
            for one in (message.id, message.string)
            for text in ((one,) if isinstance(one, str) else one)
        ]
    texts += [path.read_text(encoding="utf-8") for path in DOCS]
    return sorted({line for text in texts for line in ADVICE.findall(text) if " " in line.strip()})


@pytest.mark.parametrize("line", advised())
def test_advice_can_be_followed(line: str) -> None:
    name, *words = shlex.split(re.sub(r"\{[^{}]*\}|…", "1", line.removesuffix(" 2")))  # 2>&1
    command = COMMANDS[name]
    command.settings = Settings()
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    options, rest = parser.parse_known_args(words)
    if not hasattr(getattr(command, "module", None), "actions"):
        command.check_arguments(rest)
    refuse_unknown(dict(pair.split("=", 1) for pair in getattr(options, "spargs", ())))
