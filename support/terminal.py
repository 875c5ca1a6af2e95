"""Runs a command on a pseudo-terminal, and reads what a person would see there."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.text.terminal import width

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

MOVES = re.compile(r"\x1b\[(\d*)([AJK])|(\r)|(\n)|([^\x1b\r\n]+|\x1b)")


@dataclass
class Screen:
    """What a command has drawn. ``raw``: every character; ``lines``: the lines as they were in the end, from top to bottom."""

    raw: str = ""
    exit_code: int | None = None

    @property
    def lines(self) -> list[str]:
        """The visible lines, without what was overwritten or erased."""
        lines, row, column = [""], 0, 0
        for number, letter, to_begin, to_next, text in MOVES.findall(self.raw):
            if letter == "A":
                row = max(0, row - int(number or 1))
            elif letter:
                lines[row] = lines[row][:column]
                del lines[row + 1 if letter == "J" else len(lines) :]
            elif to_next:
                row += 1
                lines += [""] * (row - len(lines) + 1)
            column = 0 if to_begin else column + len(text)
            if text:
                lines[row] = lines[row][: column - len(text)] + text + lines[row][column:]
        return lines

    @property
    def live_lines(self) -> list[str]:
        """Every state of the lines that were redrawn in place."""
        return [text for text in re.findall(r"(?:\x1b\[\d+A)?([^\r\n\x1b]*)\x1b\[K", self.raw) if text]

    @property
    def printed(self) -> str:
        """``raw`` without the control sequences that move the cursor or erase."""
        return re.sub(r"\x1b\[\d*[AJK]|\r", "", self.raw)


def run_on_terminal(
    arguments: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    *,
    columns: int = 80,
    press_ctrl_c: Callable[[], bool] | None = None,
    timeout: float = 60,
) -> Screen:
    """Run ``scrapy ARGUMENTS`` with all three streams on a terminal; Ctrl-C is pressed once ``press_ctrl_c()`` is true."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=folder,
        env={**env, "TERM": "xterm"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    try:
        return _read(master, process, press_ctrl_c, time.monotonic() + timeout)
    finally:
        process.kill()
        process.wait()
        os.close(master)


def _read(
    master: int, process: subprocess.Popen[bytes], press_ctrl_c: Callable[[], bool] | None, deadline: float
) -> Screen:
    screen, decoder = Screen(), codecs.getincrementaldecoder("utf-8")()
    while time.monotonic() < deadline:
        if press_ctrl_c is not None and press_ctrl_c():
            os.write(master, b"\x03")
            press_ctrl_c = None
        if select.select([master], [], [], 0.05)[0]:
            try:
                screen.raw += decoder.decode(os.read(master, 65536))
            except OSError:  # the other end was closed
                break
    screen.exit_code = process.wait(timeout=10)
    return screen


def widest(lines: Sequence[str]) -> int:
    """The columns of the widest line."""
    return max(map(width, lines))
