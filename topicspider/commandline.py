"""What commands share: that an error is one line on stderr and an exit code, and what several of them are asked for.

Scrapy imports every module of commands/ for each command that is typed. So at their top they import what their help and options
need, small modules that import next to nothing; what a command works with is imported when it runs.
"""

from __future__ import annotations

import argparse
import codecs
import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.settings import SETTINGS_PRIORITIES

from topicspider import json_log
from topicspider.defaults import setting_name
from topicspider.errors import TopicSpiderError
from topicspider.i18n import use_language
from topicspider.setting_names import check_names

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
PIPE_CLOSED = 141  # 128 + SIGPIPE
WIDEST = 120


class PlainCommand(ScrapyCommand):
    """A command that needs no project and crawls nothing."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012


class PlaceCommand(PlainCommand):
    """A command about one crawl's ``place``, its "frontier" or its "store", which a topic or a URL names."""

    place = ""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--topic", default="", metavar="NAME", help="of which crawl (default: TOPICSPIDER_TOPIC)")
        parser.add_argument("--json", action="store_true", help="print JSON instead of text")

    def go_to(self, topic: str, address: str) -> None:
        """Set what was named, "" for nothing."""
        assert self.settings is not None
        for option, value in (("topic", topic), (self.place, address)):
            if value:
                self.settings.set(setting_name(option), value, priority="cmdline")


def begin_log(settings: BaseSettings) -> None:
    """With a live line on the terminal only warnings are logged, unless a log level was asked for; in JSON if that was."""
    from topicspider.extensions.live import draws_live_line

    wanted = str(settings.get(setting_name("live"), "auto"))
    if draws_live_line(wanted) and (settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
        settings.set("LOG_LEVEL", "WARNING", priority="cmdline")
    if json_log.is_wanted(settings):
        json_log.install(settings)


@contextmanager
def one_line_errors(command: ScrapyCommand) -> Iterator[None]:
    """Print a TopicSpiderError as one line, and make its exit code the command's; a mistyped setting ends it before it begins."""
    print_anything(sys.stdout)
    if command.settings is not None:
        use_language(str(command.settings.get(setting_name("language")) or "auto"))
    _check_settings(command)
    try:
        yield
        sys.stdout.flush()
    except TopicSpiderError as error:
        _tell(command, error)
    except BrokenPipeError:  # `… | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing left to complain at exit
        command.exitcode = PIPE_CLOSED
    except KeyboardInterrupt:
        print("topicspider: interrupted", file=sys.stderr)
        command.exitcode = INTERRUPTED


def _check_settings(command: ScrapyCommand) -> None:
    """What goes on in ``one_line_errors`` cannot be left out by it: the process ends here."""
    try:
        check_names(command.settings or (), os.environ)
    except TopicSpiderError as error:
        _tell(command, error)
        sys.exit(error.exit_code)


def _tell(command: ScrapyCommand, error: TopicSpiderError) -> None:
    is_json = command.settings is not None and json_log.is_wanted(command.settings)
    line = json_log.error_line(str(error)) if is_json else f"topicspider: {error}"
    print(line, file=sys.stderr)
    _log(command, f"{line}\n")
    command.exitcode = error.exit_code


def print_anything(stream: IO[str]) -> None:
    """Have ``stream`` print what its encoding lacks (an emoji on a terminal in GBK) as \\uXXXX, as JSON has it, where it would raise."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors=_ESCAPED)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError), "it is used for printing only"
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)), error.end


_ESCAPED = "topicspider.escaped"
codecs.register_error(_ESCAPED, _escaped)


def columns() -> int:
    """How wide what is printed may be."""
    return min(WIDEST, shutil.get_terminal_size((80, 24)).columns)


def _log(command: ScrapyCommand, line: str) -> None:
    """Say it in LOG_FILE, too: of a job's output that is all that its sender can read."""
    path = command.settings.get("LOG_FILE") if command.settings is not None else None
    if path:
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(line)
