"""``scrapy store``: keeps a store of pages in order; the actions are in the workbench."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from topicspider.cli.command import PlaceCommand, one_line_errors
from topicspider.defaults import Options
from topicspider.errors import ConfigError, NotCrawled
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.store.relational import RelationalStore
    from topicspider.workbench.storekeeping import StoreAction, StoreDesk

_OUTBOX, _FRONTIER = "outbox.db", "frontier.db"
_FORMS = ("sqlite:", "mysql:")
_ANSWER_SECONDS = 3600.0  # a large table takes its time


class Command(PlaceCommand):
    """Finds the action that was asked for, and the store."""

    place = "store"

    def syntax(self) -> str:
        return "[--topic NAME | STORE-URL] [ACTION ...] [--json]"

    def short_desc(self) -> str:
        return "Check, shrink, migrate, copy or back up the store of pages"

    def long_desc(self) -> str:
        which = (
            "The store is that of a topic (--topic, else TOPICSPIDER_TOPIC), or the one that STORE-URL names, as "
            "TOPICSPIDER_STORE does."
        )
        forms = " | ".join(action.syntax for action in _actions())
        return " ".join([*(action.about for action in _actions()), which, f"Actions: {forms}."])

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.url.display import masked

        address = args[0] if args and args[0].startswith(_FORMS) else ""
        words = args[1:] if address else args
        name, rest = (words[0], words[1:]) if words else ("check", [])
        action = next((action for action in _actions() if action.name == name), None)
        if action is None or not action.least <= len(rest) <= action.most:
            usage = " | ".join(one.syntax for one in _actions()) if action is None else action.syntax
            raise UsageError(f"store {' '.join(map(masked, [name, *rest]))}: say `scrapy store {usage}`")
        assert self.settings is not None
        with one_line_errors(self):
            self.go_to(opts.topic, address)
            done = action.run(rest, _desk(Options.read(self.settings), is_named=bool(address) or name == "copy"))
            print(json.dumps(done.data, ensure_ascii=False) if opts.json else done.text)
            if not done.is_good:
                self.exitcode = 1


def _actions() -> Sequence[StoreAction]:
    from topicspider.workbench.storekeeping import ACTIONS

    return ACTIONS


def _desk(options: Options, *, is_named: bool) -> StoreDesk:
    from topicspider.store import location
    from topicspider.store.open import open_store
    from topicspider.url.display import masked
    from topicspider.workbench.storekeeping import StoreDesk

    data = Path(options.data).expanduser()
    topic = _folder(options, options.topic) if options.topic else ""
    if not (topic or options.store or is_named):
        there = ", ".join(sorted(path.parent.name for path in data.glob(f"*/{location.FILE}"))) or "none"
        raise ConfigError("topic", None, "a topic's name or a store's URL", f"Say --topic NAME. Stores here: {there}")

    def opened(name: str, makes: bool) -> RelationalStore:
        url = name if name.startswith(_FORMS) else "" if name else options.store
        is_topic = bool(name) and not url
        path = data / (_folder(options, name) if is_topic else topic) / location.FILE
        place = location.parse(url, path)
        file = place.path if isinstance(place, location.SqlitePlace) else None
        if isinstance(place, location.SqlitePlace) and not makes and (file is None or not file.exists()):
            if url:
                raise ConfigError("store", masked(url), "a store that exists")
            raise NotCrawled(name or options.topic, path.parent)
        return open_store(url, path, options.connect_wait, _ANSWER_SECONDS)

    place = location.parse(options.store, data / topic / location.FILE)
    file = place.path if isinstance(place, location.SqlitePlace) else None
    folders = {data / topic, file.parent} if file else ()
    return StoreDesk(
        name=masked(options.store) or str(data / topic / location.FILE),
        chinese=speaks_chinese(options.language),
        quota=options.quota_pages,
        open=opened,
        outbox=data / topic / _OUTBOX if topic else None,
        frontiers=sorted(folder / _FRONTIER for folder in folders),
    )


def _folder(options: Options, topic: str) -> str:
    from topicspider.store.topics import topics_of
    from topicspider.topic.profile import folder_name

    return folder_name(*(one.name for one in topics_of(topic, options)))
