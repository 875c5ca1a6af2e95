"""Runs scrapy as a user does: a process of its own, in a folder of its own, behind a test's proxy."""

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
    """A process that has ended."""

    exit_code: int
    out: str
    err: str
    seconds: float


def environment(proxy: str = "", **more: str) -> dict[str, str]:
    """The environment of a crawl: only what the test says about proxies, locale and settings."""
    kept = {name: value for name, value in without_settings(os.environ).items() if not name.lower().endswith("_proxy")}
    kept.update({"PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topicspider.settings", "LC_ALL": "C.UTF-8"})
    if proxy:
        kept.update({"http_proxy": proxy, "https_proxy": proxy})
    return {**kept, **more}


Process = subprocess.Popen[str]


def obey_ctrl_c() -> None:
    """A shell that starts the tests in the background has them ignore SIGINT, nohup SIGHUP, and their children too."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(arguments: Sequence[str], folder: Path, env: Mapping[str, str], before: Sequence[str] = ()) -> Process:
    """Start ``scrapy ARGUMENTS``, behind the words ``before``, and return at once."""
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
    """Run ``scrapy ARGUMENTS`` to its end."""
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
    """As ``scrapy``, for a command that neither fails nor, unless it is ``wide``, prints lines that are too long for a terminal."""
    ended = scrapy([command, *arguments], folder, env or environment("", COLUMNS="80"))
    assert "Traceback" not in ended.err
    assert wide or [line for line in ended.out.splitlines() if width(line) > 80] == []
    return ended


def order(*arguments: str, seeds: str, **settings: object) -> list[str]:
    """What is typed for a crawl of the tourism topic from ``seeds`` without delays."""
    given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    return ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={seeds}", *NO_DELAYS, *given, *arguments]


def crawl(
    folder: Path, proxy: str, *arguments: str, seeds: str, timeout: float = LONGEST_RUN, **settings: object
) -> Ended:
    """Crawl to the end."""
    return scrapy(order(*arguments, seeds=seeds, **settings), folder, environment(proxy), timeout)


def begin(folder: Path, proxy: str, *arguments: str, seeds: str, **settings: object) -> Process:
    """Begin the same, in a folder that is made."""
    folder.mkdir(exist_ok=True)
    return start(order(*arguments, seeds=seeds, **settings), folder, environment(proxy))


def wait_until(is_so: Callable[[], object], *processes: Process, seconds: float = 150) -> None:
    """Until it is so, while the processes go on."""
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
    """Running, and no zombie that only waits to be looked at."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def items(path: Path) -> list[dict[str, Any]]:
    """The feed, read back."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stored(folder: Path, topic: str = "tourism") -> dict[str, bool]:
    """URL to on-topic, as the SQLite store has it."""
    with sqlite3.connect(folder / "data" / topic / "pages.db") as database:
        return {url: bool(on_topic) for url, on_topic in database.execute("SELECT url, on_topic FROM pages")}
