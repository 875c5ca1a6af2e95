"""``scrapy crawls``: lists the crawls, stops one that runs, or follows the log of one in the background."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from topicspider.cli.command import CliCommand, CommandResult, add_format_options, terminal_columns
from topicspider.cli.crawl_data import DEMO, FRONTIER, STORE, crawl_folders, crawl_of, data_folder, folder_of, is_demo
from topicspider.errors import ConfigError
from topicspider.frontier.sqlite.file import holder_of, running_already
from topicspider.i18n import as_typed
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.setting_names import package_environment
from topicspider.steering.control import ENDED, RUNNING, Status, read_status
from topicspider.store.sqlite import has_pages
from topicspider.text.terminal import table

LOG_FILE = "crawl.log"
"""In the crawl's folder: the output of a crawl in the background."""
BACKGROUND = "--background"
STARTING, BROKEN_OFF, FAILED = "starting", "broken off", "did not begin"
SYNTAX = "[stop TOPIC | follow TOPIC] [--json]"
ABOUT = (
    "Without an action: every crawl of the data folder, whether it runs, in which process, and the last line of its log. `crawl topic … --background` "
    "starts one that goes on when the terminal is closed. `stop` ends a crawl in order: what it has in work is finished. `follow` shows the log "
    "of one that was started in the background until it ends; Ctrl-C ends only the looking."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_format_options(parser)


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> int:
    actions = {"stop": stop, "follow": follow}
    options = command.options()
    if not args:
        return listed(options).show(as_json=opts.json)
    if args[0] not in actions or len(args) != 2:
        raise UsageError(_("crawls {names}: say `scrapy crawls {syntax}`", names=" ".join(args), syntax=SYNTAX))
    folder = data_folder(options) / folder_of(args[1], options)
    return actions[args[0]](args[1], folder).show(as_json=opts.json)


def listed(options: Options) -> CommandResult:
    """All crawls that have a queue, a store or a log."""
    found = {path.parent for name in (FRONTIER, STORE, LOG_FILE) for path in data_folder(options).glob(f"*/{name}")}
    found |= {folder for folder in crawl_folders(options) if is_demo(folder)}  # only if nothing else was crawled
    crawls: list[dict[str, Any]] = [_crawl_record(folder) for folder in sorted(found)]
    rows = [[_("crawl"), _("state"), _("process"), _("log")]]
    rows += [[one["crawl"], _(one["state"]), one["process"] or "-", one["log"] or "-"] for one in crawls]
    shown = table(rows, columns=terminal_columns()) if crawls else _("none")
    return CommandResult({"crawls": crawls}, shown)


def _crawl_record(folder: Path) -> dict[str, Any]:
    holder = holder_of(folder / FRONTIER)
    name = crawl_of(folder) + "".join(folder.name.partition(".")[1:]) + (f" ({DEMO})" if is_demo(folder) else "")
    return {
        "crawl": name,
        "state": crawl_state(folder, read_status(folder)),
        "process": holder,
        "log": last_line(folder / LOG_FILE),
    }


def crawl_state(folder: Path, status: Status) -> str:
    """The present state of the crawl in ``folder``; the status file is not trusted, since the crawl may have been killed."""
    holder = holder_of(folder / FRONTIER)
    is_killed = not holder and status.get("is_locked")
    if status.get("state") != ENDED and not is_killed and (holder == str(status.get("process")) or _is_fresh(status)):
        return str(status.get("state", STARTING))
    if holder:
        return STARTING if not status or _is_fresh(status) else RUNNING
    if not status:
        return ENDED if (folder / STORE).exists() and has_pages(folder / STORE) else FAILED
    return ENDED if status.get("state") == ENDED else BROKEN_OFF


def _is_fresh(status: Status) -> bool:
    """Whether the status, which a crawl writes every second, is less than 15 s old; else a crawl with its queue on a server was killed."""
    try:
        age = (datetime.now(UTC) - datetime.fromisoformat(str(status.get("at")))).total_seconds()
    except (ValueError, TypeError):
        return False
    return age < 15.0


def stop(topic: str, folder: Path) -> CommandResult:
    holder = holder_of(folder / FRONTIER)
    if not holder.isdigit():
        hint = "Nodes on a shared queue are ended by `scrapy nodes stop`"
        raise ConfigError("crawls stop", topic, "a crawl that runs on this machine; `scrapy crawls` lists them", hint)
    with suppress(ProcessLookupError):  # the process has just ended
        os.kill(int(holder), signal.SIGTERM)
    text = _("{topic}: process {process} was asked to end; what is in work is finished", topic=topic, process=holder)
    return CommandResult({"crawl": topic, "process": holder}, text)


def follow(topic: str, folder: Path) -> CommandResult:
    path = folder / LOG_FILE
    if not path.is_file():
        raise ConfigError("crawls follow", topic, _("a crawl that was started with {option}", option=BACKGROUND))
    with path.open(encoding="utf-8", errors="replace") as log:
        is_over = False
        while not is_over:
            is_over = not holder_of(folder / FRONTIER)  # before the last read: nothing is written after it
            print(log.read(), end="", flush=True)
            time.sleep(0 if is_over else 0.3)
    return CommandResult({"crawl": topic}, _("{topic}: not running", topic=topic))


def last_line(path: Path) -> str:
    """The last line of a log that is not blank; "" if there is none."""
    return next((line for line in reversed(last_lines(path)) if line.strip()), "")


def last_lines(path: Path) -> list[str]:
    """The lines in the last 64 KiB of a log; [] if there is no log."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 64 * 1024))
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def begin(folder: Path, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start ``topicspider ARGUMENTS`` so that it outlives the terminal, with output to the log in ``folder``; ConfigError if unwritable."""
    command = [sys.executable, "-m", "topicspider", *arguments]
    environment = {**package_environment(), "TOPICSPIDER_COMMAND": os.environ.get("TOPICSPIDER_COMMAND") or "scrapy"}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOG_FILE).open("ab") as log:
            return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)  # noqa: S603  # fmt: skip
    except OSError as error:
        why = error.strerror or ""
        raise ConfigError("TOPICSPIDER_DATA", str(folder), "a folder that can be written", why) from None


def begin_in_background(topic: str, folder: Path, typed: Sequence[str]) -> int:
    """Start the typed command again without --background, as a new process, and print how to follow it. Returns the exit code."""
    if holder := holder_of(folder / FRONTIER):
        raise running_already(holder, folder / FRONTIER)
    process = begin(folder, [word for word in typed if word != BACKGROUND])
    if code := _failure(process, folder):
        print(last_line(folder / LOG_FILE), file=sys.stderr)
        return code
    values = {"topic": topic, "process": process.pid, "path": folder / LOG_FILE}
    print(as_typed(_("{topic}: in the background, process {process}; log: {path}", **values)))
    print(as_typed(_("  see it: scrapy crawls follow {topic}; end it: scrapy crawls stop {topic}", topic=topic)))
    return 0


def _failure(process: subprocess.Popen[bytes], folder: Path) -> int:
    """The exit code of a process that fails to begin its crawl; 0 for one that has begun, or needs longer than 15 s."""
    deadline = time.monotonic() + 15.0
    while time.monotonic() < deadline and process.poll() is None and not holder_of(folder / FRONTIER):
        time.sleep(0.1)
    with suppress(subprocess.TimeoutExpired):
        return process.wait(1.0)  # a process that cannot begin its crawl has usually ended by then
    return 0
