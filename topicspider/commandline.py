"""What commands share: that an error is one line on stderr and an exit code, and what several of them are asked for."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scrapy.commands import ScrapyCommand

from topicspider import json_log
from topicspider.defaults import setting_name
from topicspider.errors import TopicSpiderError

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
PIPE_CLOSED = 141  # 128 + SIGPIPE


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


@contextmanager
def one_line_errors(command: ScrapyCommand) -> Iterator[None]:
    """Print a TopicSpiderError as one line, and make its exit code the command's."""
    try:
        yield
        sys.stdout.flush()
    except TopicSpiderError as error:
        is_json = command.settings is not None and json_log.is_wanted(command.settings)
        line = json_log.error_line(str(error)) if is_json else f"topicspider: {error}"
        print(line, file=sys.stderr)
        _log(command, f"{line}\n")
        command.exitcode = error.exit_code
    except BrokenPipeError:  # `… | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing left to complain at exit
        command.exitcode = PIPE_CLOSED
    except KeyboardInterrupt:
        print("topicspider: interrupted", file=sys.stderr)
        command.exitcode = INTERRUPTED


def _log(command: ScrapyCommand, line: str) -> None:
    """Say it in LOG_FILE, too: of a job's output that is all that its sender can read."""
    path = command.settings.get("LOG_FILE") if command.settings is not None else None
    if path:
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(line)
