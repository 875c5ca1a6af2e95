"""``scrapy nodes``: who crawls on a shared queue, how fast, and asks nodes to end; the words are in the workbench."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from topicspider.cli.command import PlaceCommand, one_line_errors
from topicspider.cli.command import terminal_columns as columns
from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.frontier.beats import DRAIN, STOP
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from topicspider.workbench.queueing.crew import SharedQueue
    from topicspider.workbench.queueing.desk import Told

_FORM = f"scrapy nodes [--topic NAME | FRONTIER-URL] [{DRAIN} NODE … | {STOP} NODE …]"


class Command(PlaceCommand):
    """Finds the queue, and shows or asks."""

    place = "frontier"

    def syntax(self) -> str:
        return "[--topic NAME | FRONTIER-URL] [drain NODE ... | stop NODE ...] [--hosts] [--json]"

    def short_desc(self) -> str:
        return "Show who crawls on a shared queue and how fast, ask nodes to end"

    def long_desc(self) -> str:
        from topicspider.workbench.queueing.crew import ALL

        return (
            "Without an action: every node with its state, hosts, pages, pages/s over its last minute, and when it was heard of last. "
            "`drain` asks nodes to take no new URLs, finish what is in work, and end; `stop` has them break that off. What they have not "
            f"begun goes back to the queue at once. NODE is a name as shown, or {ALL}. The queue is that of a topic "
            "(--topic, else TOPICSPIDER_TOPIC), or the one that FRONTIER-URL names."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--hosts", action="store_true", help="list the hosts that each node holds")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.workbench.queueing.places import parted

        address, rest = parted(args)
        if rest and (rest[0] not in (DRAIN, STOP) or len(rest) == 1 or opts.hosts):
            raise UsageError(f"nodes {' '.join(rest)}: say `{_FORM}`")
        assert self.settings is not None
        with one_line_errors(self):
            self.go_to(opts.topic, address)
            told = self._told(rest, with_hosts=opts.hosts)
            print(json.dumps(told.data, ensure_ascii=False) if opts.json else told.text)

    def _told(self, rest: list[str], *, with_hosts: bool) -> Told:
        from topicspider.frontier.registry import is_in_redis
        from topicspider.plan import crawl_options
        from topicspider.workbench.queueing.crew import CrewDesk
        from topicspider.workbench.queueing.places import QueuePlaces

        assert self.settings is not None
        options = crawl_options(self.settings)
        places = QueuePlaces(options, is_named=bool(options.frontier))
        chinese = speaks_chinese(options.language)
        url, path = places.find("")
        if not is_in_redis(url):
            return _of_file(url, path, places.label(""), rest, chinese=chinese)
        desk = CrewDesk(places.label(""), lambda: _in_redis(url, path), chinese=chinese, columns=columns())
        return desk.ask(rest[0], rest[1:]) if rest else desk.show(with_hosts=with_hosts)


def _of_file(url: str, path: Path, crawl: str, rest: list[str], *, chinese: bool) -> Told:
    from topicspider.frontier.inspecting import open_inspection
    from topicspider.frontier.lock import holder_of
    from topicspider.frontier.registry import file_of
    from topicspider.workbench.queueing.crew import told_of_file

    with closing(open_inspection(url, path)):
        pass  # one that is not there, or is none, is told of
    file = file_of(url, path)
    assert file is not None
    if rest:
        hint = "A queue in a file has one node; Ctrl-C or SIGTERM ends it in order"
        raise ConfigError(setting_name("frontier"), url, "redis://…, for a crawl of several nodes", hint)
    return told_of_file(crawl, holder_of(file), chinese=chinese)


def _in_redis(url: str, path: Path) -> SharedQueue:
    from topicspider.frontier.redis.opening import inspect_in_redis  # loads the driver

    return inspect_in_redis(url, path)
