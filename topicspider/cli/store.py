"""``scrapy store``: checks, shrinks, migrates, copies and backs up the store of pages."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.cli.command import ActionParser, add_format_options, add_topic_option, print_json
from topicspider.errors import ConfigError, CrawlRunning, NotCrawled
from topicspider.i18n import gettext as _

if TYPE_CHECKING:
    from topicspider.cli.command import CliCommand
    from topicspider.options import Options
    from topicspider.store.store import Store

SYNTAX = "[STORE-URL] [check | vacuum | migrate | copy FROM TO | backup FILE] [--topic NAME] [--json]"
ABOUT = "Keep a store of pages in order. `scrapy store ACTION --help` tells of each action."
WHICH = "The store is that of a topic (--topic, else TOPICSPIDER_TOPIC), or the one that STORE-URL in front of the action names, as TOPICSPIDER_STORE does."  # fmt: skip
FORMS = ("sqlite:", "mysql:")


@dataclass(frozen=True, slots=True)
class Result:
    """What an action has to say, as data and as text; ``is_good`` False: something is wrong with the store."""

    data: Any
    text: str
    is_good: bool = True


def actions() -> argparse.ArgumentParser:
    """The parser of what stands behind `scrapy store`."""
    parser = ActionParser(prog="scrapy store", epilog=WHICH)
    add_topic_option(parser)
    add_format_options(parser)
    parser.set_defaults(action=check)
    subparsers = parser.add_subparsers(metavar="ACTION")

    def add(name: str, action: object, about: str) -> argparse.ArgumentParser:
        own = subparsers.add_parser(name, help=about, description=about)
        add_topic_option(own)
        add_format_options(own)
        for option in own._actions:  # what stands in front of the action holds unless it is said again
            option.default = argparse.SUPPRESS
        own.set_defaults(action=action)
        return own

    add("check", check, "look whether every page can be read; exit code 1 when not; what is done without an action")
    add("vacuum", vacuum, "drop what is beyond TOPICSPIDER_QUOTA_PAGES, and give space back to the disk")
    add("migrate", migrate, "bring the tables to the newest version")  # fmt: skip
    copy_parser = add("copy", copy, "write everything of one store into another (each a store's URL or a topic); done again it doubles nothing")  # fmt: skip
    copy_parser.add_argument("source", metavar="FROM")
    copy_parser.add_argument("target", metavar="TO")
    backup_parser = add("backup", backup, "write the store into a new SQLite file, also while it is written to")
    backup_parser.add_argument("file", metavar="FILE")
    return parser


def run(command: CliCommand, args: list[str], _opts: argparse.Namespace) -> int:
    """Find the store, and do the action that was asked for."""
    from topicspider.cli.crawl_data import split_address

    address, rest = split_address(args, FORMS)
    opts = actions().parse_args(rest)
    command.set_option("store", address)
    context = StoreContext(command.options(topic=opts.topic), is_named=bool(address) or "target" in opts)
    result: Result = opts.action(context, opts)
    if opts.json:
        print_json(result.data)
    else:
        print(result.text)
    return 0 if result.is_good else 1


class StoreContext:
    """The store that was asked for, and others by their names."""

    def __init__(self, options: Options, *, is_named: bool) -> None:
        from topicspider.cli.crawl_data import FRONTIER, STORE, data_folder, folder_of
        from topicspider.store import location
        from topicspider.url import masked

        self._options = options
        self._data = data_folder(options)
        topic = folder_of(options.topic, options) if options.topic else ""
        if not (topic or options.store or is_named):
            there = ", ".join(sorted(path.parent.name for path in self._data.glob(f"*/{STORE}"))) or "none"
            hint = f"Say --topic NAME. Stores here: {there}"
            raise ConfigError("topic", None, "a topic's name or a store's URL", hint)
        self._folder = self._data / topic
        place = location.parse(options.store, self._folder / STORE)
        file = place.path if isinstance(place, location.SqlitePlace) else None
        self.name = masked(options.store) or str(self._folder / STORE)
        self.quota = options.quota_pages
        self.outbox = self._folder / "outbox.db" if topic else None
        self.frontiers = sorted(folder / FRONTIER for folder in {self._folder, file.parent}) if file else []

    def open(self, name: str = "", *, makes: bool = False) -> Store:
        """A store by its name: a URL, a topic, "" for the one that was asked for; made when it is not there and ``makes``."""
        from topicspider.cli.crawl_data import STORE, folder_of
        from topicspider.store import location
        from topicspider.store.location import open_store
        from topicspider.url import masked

        url = name if name.startswith(FORMS) else "" if name else self._options.store
        folder = self._data / folder_of(name, self._options) if name and not url else self._folder
        place = location.parse(url, folder / STORE)
        if isinstance(place, location.SqlitePlace) and not makes and not (place.path and place.path.exists()):
            if url:
                raise ConfigError("store", masked(url), "a store that exists")
            raise NotCrawled(name or self._options.topic, folder)
        return open_store(
            url, folder / STORE, self._options.connect_wait, 3600.0
        )  # s for an answer: a large table takes its time


def check(context: StoreContext, _opts: argparse.Namespace) -> Result:
    """Whether every page can be read."""
    from topicspider.store import maintenance

    with closing(context.open()) as store:
        found = maintenance.check(store.database)
    waiting = _rows_in(context.outbox)
    data = {
        "store": context.name,
        "version": found.version,
        "topics": [{"topic": topic, "pages": pages, "hits": hits} for topic, pages, hits in found.topics],
        "findings": list(found.findings),
        "rows_in_outbox": waiting,
    }
    lines = [_("{store}: version {version}", store=context.name, version=found.version)]
    lines += [
        _("  {topic}: {pages:,} pages, {hits:,} hits", topic=topic, pages=pages, hits=hits)
        for topic, pages, hits in found.topics
    ]
    if waiting:
        text = _(
            "  {count:,} rows wait in {file}: the crawl's next run writes them first",
            count=waiting,
            file=context.outbox,
        )
        lines.append(text)
    lines += [f"  ! {words}" for words in found.findings]
    lines.append(_("damaged") if found.findings else _("all is well"))
    return Result(data, "\n".join(lines), not found.findings)


def _rows_in(path: Path | None) -> int:
    from topicspider.store.outbox import Outbox

    if path is None or not path.exists():
        return 0
    with closing(Outbox(path)) as outbox:
        return outbox.rows


def vacuum(context: StoreContext, _opts: argparse.Namespace) -> Result:
    """Drop what is beyond the quota, and give space back to the disk."""
    from topicspider.frontier.sqlite.file import holder_of
    from topicspider.store import maintenance

    dropped = {}
    for path in context.frontiers:
        if holder := holder_of(path):
            raise CrawlRunning(
                f"process {holder} crawls into {context.name}, which VACUUM would lock; wait for its end"
            )
    with closing(context.open()) as store:
        if context.quota:
            topics = maintenance.topics(store.database)
            dropped = {topic: maintenance.trim(store.database, topic, context.quota) for topic, __, __ in topics}
        maintenance.vacuum(store.database)
    text = _("{store}: made small", store=context.name)
    if context.quota:
        text += _(", {count:,} pages beyond the quota were dropped", count=sum(dropped.values()))
    return Result({"store": context.name, "dropped": dropped}, text)


def migrate(context: StoreContext, _opts: argparse.Namespace) -> Result:
    """Bring the tables to the newest version."""
    from topicspider.store import maintenance

    with closing(context.open()) as store:  # opening a store migrates it
        version = maintenance.check_version(store.database)
    data = {"store": context.name, "version": version}
    return Result(data, _("{store}: version {version} now", store=context.name, version=version))


def copy(context: StoreContext, opts: argparse.Namespace) -> Result:
    """Write everything of one store into another."""
    from topicspider.store import maintenance

    if opts.source == opts.target:
        raise ConfigError("copy", opts.target, "another store than the first")
    with closing(context.open(opts.source)) as source, closing(context.open(opts.target, makes=True)) as target:
        counts = maintenance.copy(source.database, target.database)
    return Result(
        counts, _("copied: {counts}", counts=", ".join(f"{name} {count:,}" for name, count in counts.items()))
    )


def backup(context: StoreContext, opts: argparse.Namespace) -> Result:
    """Write the store into a new SQLite file."""
    from topicspider.store import maintenance

    path = Path(opts.file)
    with closing(context.open()) as store:
        maintenance.backup(store.database, path)
    return Result({"file": str(path)}, f"{path}: {path.stat().st_size / 1e6:,.1f} MB")
