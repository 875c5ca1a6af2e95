"""``scrapy frontier``: looks at the queue of a crawl and steers it; the actions are in the workbench."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from topicspider.cli.command import PlaceCommand, one_line_errors
from topicspider.cli.command import terminal_columns as columns
from topicspider.defaults import setting_name
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.steering.rejudging import Judging
    from topicspider.workbench.queueing.desk import QueueAction, QueueDesk, Told

_NO_SEED = "http://seed.invalid/"


class Command(PlaceCommand):
    """Finds the action that was asked for, and the queue."""

    place = "frontier"

    def syntax(self) -> str:
        return "[--topic NAME | FRONTIER-URL] [ACTION ...] [--json]"

    def short_desc(self) -> str:
        return "Look at the queue of a crawl and steer it, also while it runs"

    def long_desc(self) -> str:
        which = (
            "The queue is that of a topic (--topic, else TOPICSPIDER_TOPIC), or the one that FRONTIER-URL names, as "
            "TOPICSPIDER_FRONTIER does. A HOST is host:port as `hosts` shows it, a host with all its ports, or a URL."
        )
        forms = " | ".join(action.syntax for action in _actions())
        return " ".join([*(action.about for action in _actions()), which, f"Actions: {forms}."])

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--revive", action="store_true", help="with `dead`: queue them again")
        parser.add_argument("--merge", action="store_true", help="with `move`: into a frontier that has URLs")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.workbench.queueing.places import parted

        address, rest = parted(args)
        name, rest = (rest[0], rest[1:]) if rest else ("sizes", [])
        action = next((action for action in _actions() if action.name == name), None)
        wrong = f"frontier {name}" if action is None else action.wanted(rest)
        if action is not None and not wrong:
            misplaced = [
                option for option, of in (("revive", "dead"), ("merge", "move")) if getattr(opts, option) and of != name
            ]
            wrong = f"--{misplaced[0]} is no option of {name}" if misplaced else ""
        if action is None or wrong:
            usage = " | ".join(one.syntax for one in _actions()) if action is None else action.syntax
            raise UsageError(f"{wrong}: say `scrapy frontier {usage}`")
        assert self.settings is not None
        with one_line_errors(self):
            self.go_to(opts.topic, address)
            desk = self._desk(opts, is_named=bool(address), is_move=name == "move")
            _print(action.run(rest, desk), as_json=opts.json)

    def _desk(self, opts: argparse.Namespace, *, is_named: bool, is_move: bool) -> QueueDesk:
        from topicspider.frontier.inspecting import open_inspection, own_inspection
        from topicspider.frontier.registry import is_in_redis
        from topicspider.plan import crawl_options
        from topicspider.politeness.planning import Delays
        from topicspider.workbench.queueing.desk import QueueDesk
        from topicspider.workbench.queueing.places import QueuePlaces

        assert self.settings is not None
        options = crawl_options(self.settings)
        places = QueuePlaces(options, is_named=is_named or is_move or is_in_redis(options.frontier))
        chinese = speaks_chinese(options.language)
        return QueueDesk(
            crawl="" if is_move else places.label(""),
            chinese=chinese,
            columns=columns(),
            revives=opts.revive,
            merges=opts.merge,
            look_at=lambda name: open_inspection(*places.find(name)),
            own=lambda name: own_inspection(*places.find(name), seed=options.seed),
            judging=lambda: self._judging(chinese=chinese),
            delays=Delays(options.delay_factor, options.delay_min, options.delay_max),
        )

    def _judging(self, *, chinese: bool) -> tuple[Judging, str]:
        from topicspider.plan import CrawlPlan
        from topicspider.workbench.queueing.judging import judging_of

        assert self.settings is not None
        settings = self.settings.copy()
        settings.set(setting_name("seeds"), _NO_SEED, priority="cmdline")  # none is asked for anything
        return judging_of(CrawlPlan.read(settings), chinese=chinese)


def _actions() -> Sequence[QueueAction]:
    from topicspider.workbench.queueing.actions import ACTIONS

    return ACTIONS


def _print(told: Told, *, as_json: bool) -> None:
    if told.lines is not None:
        for line in told.lines:
            sys.stdout.write(f"{line}\n")
    elif as_json:
        print(json.dumps(told.data, ensure_ascii=False))
    else:
        print(told.text)
