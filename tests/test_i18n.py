"""Messages in Chinese and English, and the catalogues that they come from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from topicspider import i18n
from topicspider.i18n import shell_word


def test_the_catalogues_have_every_message_of_the_code_translated_and_compiled() -> None:
    check = Path(__file__).parents[1] / ".ci" / "catalogue.py"
    done = subprocess.run([sys.executable, str(check), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_reader_of_chinese_is_addressed_in_one_way() -> None:
    catalogue = Path(i18n.__file__).with_name("locale") / "zh/LC_MESSAGES/topicspider.po"
    assert "您" not in catalogue.read_text("utf-8")


@pytest.mark.parametrize(
    ("language", "count", "words"),
    [
        ("en", 1, ["Redis away once, 2.5 s"]),
        ("en", 3, ["Redis away 3 times, 2.5 s"]),
        ("zh", 1, ["Redis 中断 1 次，共 2.5 秒"]),
        ("zh", 3, ["Redis 中断 3 次，共 2.5 秒"]),
        ("zh", 0, []),
    ],
)
def test_a_message_has_the_form_for_its_number(language: str, count: int, words: list[str]) -> None:
    i18n.use_language(language)
    assert i18n.outage_words("Redis", count, 2.5, 0) == words


def test_a_value_with_braces_is_shown_as_it_is() -> None:
    assert "{0} {x}" in i18n.gettext("{left} left", left="{0} {x}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("茶叶", "茶叶"),
        ("tea/a.yaml", "tea/a.yaml"),
        ("AI 芯片", "'AI 芯片'"),
        ("-x", "-x"),
        ("", "''"),
        ("a;b", "'a;b'"),
    ],
)
def test_a_word_of_a_command_line(text, shown):
    assert shell_word(text) == shown
