"""Yes or no, by single keys."""

from __future__ import annotations

import io
import sys

import pytest

from topicspider.cli.questions import NextKey, ask, typed_keys
from topicspider.i18n import use_language

CARDS = ["古镇", "战报", "攻略"]


def typed(keys: str) -> NextKey:
    left = iter(keys)
    return lambda: next(left, "q")


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
        ("q", [None, None, None]),
        ("", [None, None, None]),
    ],
)
def test_keys_are_answers_undo_goes_back_and_stop_keeps_what_there_is(keys, answers):
    assert ask(CARDS, typed(keys)) == answers


def test_it_speaks_chinese(capsys):
    use_language("zh")
    ask(CARDS, typed("yuq"))
    out = capsys.readouterr().out
    assert [word in out for word in ("(1/3)\n古镇\n[y] 是  [n] 否", "撤销", "停止")] == [True] * 3


def test_where_no_terminal_is_lines_are_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n\nno\n"))
    with typed_keys() as keys:
        assert ask(CARDS, keys) == [True, False, None]
