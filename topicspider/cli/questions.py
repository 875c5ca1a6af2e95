"""Asks a person yes-or-no questions, one after the other: by single keys on a terminal, else by lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import unquote

from topicspider.cli.command import terminal_columns
from topicspider.errors import one_line
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, wrap

YES, NO, SKIP, UNDO, STOP = "y", "n", "s", "u", "q"
_OTHER_KEYS = {"是": YES, "否": NO, "\x7f": UNDO, "\b": UNDO, "\x04": STOP}
_ECHO = {YES: N_("yes"), NO: N_("no"), SKIP: N_("skipped"), UNDO: N_("undone"), STOP: N_("stopped")}


def card(title: str, url: str, text: str) -> str:
    """What is asked about: its title, its URL and the beginning of its text."""
    columns = terminal_columns()
    lines = [fit(one_line(title) or _("(no title)"), columns), fit(f"  {one_line(unquote(url))}", columns)]
    return "\n".join(lines + [f"  {line}" for line in wrap(one_line(text, 400), columns - 2)[:3] if line])


def ask(cards: Sequence[str]) -> list[bool | None]:
    """The answer to each card, None if there is none; STOP keeps the answers before it, UNDO goes back by one."""
    answers: list[bool | None] = []
    prompt = _("[y] yes  [n] no  [s] skip  [u] undo the last  [q] stop and keep: ")
    with _typed_keys() as next_key:
        while len(answers) < len(cards):
            number = len(answers)
            print(f"\n({number + 1}/{len(cards)})\n{cards[number]}\n{prompt}", end="", flush=True)
            key = ""
            while key not in _ECHO:  # other keys are ignored
                key = next_key().lower()
                key = _OTHER_KEYS.get(key, key)
            print(_(_ECHO[key]), flush=True)
            if key == STOP:
                break
            if key == UNDO:
                answers = answers[:-1]
            else:
                answers.append({YES: True, NO: False}.get(key))
    return answers + [None] * (len(cards) - len(answers))


@contextmanager
def _typed_keys() -> Iterator[Callable[[], str]]:
    """A function that returns the next key, STOP at the end: single keys on a terminal, else the first character of each line."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield _next_line
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin.fileno())
    try:
        tty.setcbreak(sys.stdin.fileno())  # Ctrl-C still interrupts
        yield lambda: sys.stdin.read(1) or STOP
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)


def _next_line() -> str:
    line = sys.stdin.readline() if sys.stdin is not None else ""
    return line.strip()[:1] if line else STOP
