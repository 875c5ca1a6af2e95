"""Runs scrapy as a user does: in a process and a folder of its own, through the proxy of a test."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topicspider.setting_names import without_settings
from topicspider.text.terminal import width

ROOT = Path(__file__).resolve().parents[1]
NO_DELAYS = ("-s", "TOPICSPIDER_DELAY_MIN=0", "-s", "TOPICSPIDER_DELAY_FACTOR=0")
LONGEST_RUN = 90  # seconds


@dataclass(frozen=True)
class Ended:
    """A process that has ended, and what it printed."""

    exit_code: int
    out: str
    err: str
    seconds: float


def environment(proxy: str = "", **more: str) -> dict[str, str]:
    """The environment of a crawl, in which only the test decides about proxies, locale and settings."""
    kept = {name: value for name, value in without_settings(os.environ).items() if not name.lower().endswith("_proxy")}
    kept.update({"PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topicspider.settings", "LC_ALL": "C.UTF-8"})
    if proxy:
        kept.update({"http_proxy": proxy, "https_proxy": proxy})
    return {**kept, **more}


Process = subprocess.Popen[str]


def obey_ctrl_c() -> None:
    """Undo that this process ignores SIGINT and SIGHUP: tests started in the background or by nohup do, and so do their children."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(arguments: Sequence[str], folder: Path, env: Mapping[str, str], before: Sequence[str] = ()) -> Process:
    """Start ``scrapy ARGUMENTS`` (``before``: words before the command, such as a wrapper) and return at once."""
    command = [*before, sys.executable, "-m", "scrapy", *arguments]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        preexec_fn=obey_ctrl_c,
    )


def scrapy(
    arguments: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = LONGEST_RUN,
    before: Sequence[str] = (),
) -> Ended:
    """Run ``scrapy ARGUMENTS`` to its end; raises AssertionError after ``timeout`` seconds."""
    began = time.monotonic()
    process = start(arguments, folder, environment() if env is None else env, before)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"scrapy {' '.join(arguments)} did not end in {timeout} s:\n{err[-4000:]}") from None
    return Ended(process.returncode, out, err, time.monotonic() - began)


def in_80_columns(
    command: str, folder: Path, *arguments: str, env: Mapping[str, str] | None = None, wide: bool = False
) -> Ended:
    """As ``scrapy``, and check that there is no traceback and, unless ``wide``, no line of more than 80 columns."""
    ended = scrapy([command, *arguments], folder, env or environment("", COLUMNS="80"))
    assert "Traceback" not in ended.err
    assert wide or [line for line in ended.out.splitlines() if width(line) > 80] == []
    return ended


def order(*arguments: str, seeds: str, **settings: object) -> list[str]:
    """The arguments of scrapy for a crawl of the topic tourism from ``seeds``, without delays."""
    given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    return ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={seeds}", *NO_DELAYS, *given, *arguments]


def crawl(
    folder: Path, proxy: str, *arguments: str, seeds: str, timeout: float = LONGEST_RUN, **settings: object
) -> Ended:
    """Run the crawl of order() to its end."""
    return scrapy(order(*arguments, seeds=seeds, **settings), folder, environment(proxy), timeout)


def begin(folder: Path, proxy: str, *arguments: str, seeds: str, **settings: object) -> Process:
    """Start the crawl of order() in ``folder``, which is made when it is missing."""
    folder.mkdir(exist_ok=True)
    return start(order(*arguments, seeds=seeds, **settings), folder, environment(proxy))


def wait_until(is_so: Callable[[], object], *processes: Process, seconds: float = 150) -> None:
    """Wait until ``is_so()``; fails after ``seconds``, or when one of the processes ends before."""
    deadline = time.monotonic() + seconds
    while not is_so():
        for process in processes:
            assert process.poll() is None, f"ended too early: {process.communicate()[1][-3000:]}"
        assert time.monotonic() < deadline, "never"
        time.sleep(0.02)


def stop_after(process: Process, ready: Callable[[], object], how: signal.Signals, timeout: float = 60) -> Ended:
    """Send ``how`` to the process once ``ready()``; returns when it has ended."""
    began = time.monotonic()
    wait_until(ready, process, seconds=timeout)
    process.send_signal(how)
    out, err = process.communicate(timeout=timeout)
    return Ended(process.returncode, out, err, time.monotonic() - began)


def children_of(pid: int) -> list[int]:
    """The processes that ``pid`` has started and that have not been waited for."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie, whose parent has not waited for it, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def items(path: Path) -> list[dict[str, Any]]:
    """The items of a JSON-lines feed."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stored(folder: Path, topic: str = "tourism") -> dict[str, bool]:
    """By URL: whether the page is on topic, as the SQLite store has it."""
    with sqlite3.connect(folder / "data" / topic / "pages.db") as database:
        return {url: bool(on_topic) for url, on_topic in database.execute("SELECT url, on_topic FROM pages")}
