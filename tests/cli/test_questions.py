"""Yes or no, by single keys."""

from __future__ import annotations

import io
import sys

import pytest

from topicspider.cli.questions import ask
from topicspider.i18n import use_language

CARDS = ["古镇", "战报", "攻略"]


@pytest.fixture
def answered(monkeypatch):
    def answered(*lines: str) -> list[bool | None]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return ask(CARDS)

    return answered


@pytest.mark.parametrize(
    ("keys", "answers"),
    [
        ("yny", [True, False, True]),
        ("是否y", [True, False, True]),
        ("YxN?1", [True, False, None]),
        ("ysn", [True, None, False]),
        ("yuny", [False, True, None]),
        ("uuuyyy", [True, True, True]),
        ("ynq", [True, False, None]),
        ("", [None, None, None]),
        (("yes", "", "no"), [True, False, None]),
    ],
)
def test_keys_are_answers_undo_goes_back_and_stop_keeps_what_there_is(answered, keys, answers):
    assert answered(*keys) == answers


def test_it_speaks_chinese(answered, capsys):
    use_language("zh")
    answered(*"yuq")
    out = capsys.readouterr().out
    assert [word in out for word in ("(1/3)\n古镇\n[y] 是  [n] 否", "撤销", "停止")] == [True] * 3
