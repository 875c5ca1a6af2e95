"""Chooses between Chinese and English for what people read in a terminal."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def speaks_chinese(language: str = "auto", environ: Mapping[str, str] = os.environ) -> bool:
    """True for ``zh``, or for ``auto`` when the locale (LC_ALL, LC_MESSAGES, LANG) is Chinese."""
    if language != "auto":
        return language == "zh"
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return value.lower().startswith("zh")
    return False


def clock(seconds: float) -> str:
    """90 is 1:30; hours where there are some, days where there are many."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 100:
        return f"{hours // 24} d"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def outage_words(server: str, times: int, seconds: float, restarts: int, *, chinese: bool) -> list[str]:
    """That a server was away so often, for so long in all, and came back anew so often; what did not happen is not said."""
    words = []
    if times:
        zh, en = (
            f"{server} 中断 {times} 次，共 {seconds:.1f} 秒",
            f"{server} away {_times(times)}, {seconds:.1f} s",
        )
        words.append(zh if chinese else en)
    if restarts:
        words.append(f"{server} 重启 {restarts} 次" if chinese else f"{server} restarted {_times(restarts)}")
    return words


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def shell_word(text: str) -> str:
    """``text`` as one word of a command line, in quotes only when it needs them (shlex.quote quotes 茶叶)."""
    return text if re.fullmatch(r"[\w./:+-]+", text) and not text.startswith("-") else shlex.quote(text)
