"""Asks a person yes or no about one thing after the other, by single keys on a terminal, by lines elsewhere."""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

YES, NO, SKIP, UNDO, STOP = "y", "n", "s", "u", "q"
_MEANING = {"是": YES, "1": YES, "否": NO, "0": NO, "\x7f": UNDO, "\b": UNDO, "\x04": STOP}
_SAID = {
    True: {YES: "是", NO: "否", SKIP: "跳过", UNDO: "撤销", STOP: "停止"},
    False: {YES: "yes", NO: "no", SKIP: "skipped", UNDO: "undone", STOP: "stopped"},
}
PROMPT = {
    True: "[y] 是  [n] 否  [s] 跳过  [u] 撤销上一个  [q] 停止并保存：",
    False: "[y] yes  [n] no  [s] skip  [u] undo the last  [q] stop and keep: ",
}


class Keys(Protocol):
    """Where answers come from."""

    def next(self) -> str:
        """The next key; STOP when there is none any more."""


def ask(cards: Sequence[str], keys: Keys, *, chinese: bool) -> list[bool | None]:
    """The answer to each card, None where there is none; STOP keeps the answers before it, UNDO goes back by one."""
    answers: list[bool | None] = []
    while len(answers) < len(cards):
        place = len(answers)
        print(f"\n({place + 1}/{len(cards)})\n{cards[place]}\n{PROMPT[chinese]}", end="", flush=True)
        key = _meant(keys)
        print(_SAID[chinese][key], flush=True)
        if key == STOP:
            break
        if key == UNDO:
            answers = answers[:-1]
        else:
            answers.append({YES: True, NO: False}.get(key))
    return answers + [None] * (len(cards) - len(answers))


def _meant(keys: Keys) -> str:
    """The next key that means something; others are passed over."""
    while True:
        key = keys.next().lower()
        key = _MEANING.get(key, key)
        if key in (YES, NO, SKIP, UNDO, STOP):
            return key


@contextmanager
def typed_keys() -> Iterator[Keys]:
    """Single keys when a person sits at a terminal, else the first character of each line; the terminal is left as it was."""
    try:
        import termios
        import tty

        before = termios.tcgetattr(sys.stdin.fileno())
    except (ImportError, OSError, ValueError, AttributeError):
        yield _LineKeys()
        return
    except termios.error:  # standard input is no terminal
        yield _LineKeys()
        return
    try:
        tty.setcbreak(sys.stdin.fileno())  # Ctrl-C still interrupts
        yield _TerminalKeys(sys.stdin.fileno())
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)


class _LineKeys:
    def next(self) -> str:
        line = sys.stdin.readline() if sys.stdin is not None else ""
        return line.strip()[:1] if line else STOP


class _TerminalKeys:
    """A character may come in several bytes (是); what the arrow keys send is no answer."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def next(self) -> str:
        while True:
            raw = os.read(self._descriptor, 1)
            if not raw:
                return STOP
            if raw == b"\x1b":
                self._pass_over()
            elif text := self._decoder.decode(raw):
                return text

    def _pass_over(self) -> None:
        """The rest of an escape sequence: ESC [ parameters letter, or ESC and one more."""
        is_inside = False
        while select.select([self._descriptor], [], [], 0.02)[0]:
            raw = os.read(self._descriptor, 1)
            if raw in (b"[", b"O") and not is_inside:
                is_inside = True
            elif not is_inside or not raw or b"@" <= raw <= b"~":
                return
