"""Runs a command on a terminal of its own, and reads back what a person would see."""

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

CLEAR = "\x1b[2K"


@dataclass
class Screen:
    """What was drawn: ``lines`` from top to bottom as they were in the end, ``raw`` every character."""

    raw: str = ""
    exit_code: int | None = None

    @property
    def lines(self) -> list[str]:
        """Each line after the last time it was drawn over."""
        return [_overdrawn(line) for line in self.raw.replace("\r\n", "\n").split("\n")]

    @property
    def live_lines(self) -> list[str]:
        """Every state of the line that is drawn in place."""
        return [text for text in re.findall(r"\r\x1b\[2K([^\r\n\x1b]*)", self.raw) if text]


def run_on_terminal(
    arguments: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    *,
    columns: int = 80,
    press_ctrl_c: Callable[[], bool] | None = None,
    timeout: float = 60,
) -> Screen:
    """Run ``scrapy ARGUMENTS`` with all three streams on a terminal; Ctrl-C once ``press_ctrl_c()`` is true."""
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
    """Columns of the widest line."""
    return max(map(width, lines))


def _overdrawn(line: str) -> str:
    return line.rpartition(CLEAR)[2].rpartition("\r")[2]
