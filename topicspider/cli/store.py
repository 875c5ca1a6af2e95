"""``scrapy store``: checks, shrinks, migrates, copies and backs up the store of pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from topicspider.cli.command import (
    ActionParser,
    CliCommand,
    CommandResult,
    action_parser,
    add_format_options,
    add_topic_option,
)
from topicspider.cli.crawl_data import FRONTIER, STORE, Places, spider_of, split_address
from topicspider.errors import ConfigError, CrawlRunning, FrontierUnavailable, NotCrawled
from topicspider.frontier.inspection import Fact
from topicspider.frontier.sqlite.file import holder_of
from topicspider.frontier.sqlite.inspection import SqliteInspection
from topicspider.i18n import N_, labelled, pages_and_hits
from topicspider.i18n import gettext as _
from topicspider.store import location, maintenance
from topicspider.store.database import VERSION
from topicspider.store.location import open_store
from topicspider.store.maintenance import ACCEPTED_LOSS, is_too_few
from topicspider.store.outbox import Outbox
from topicspider.store.store import Store
from topicspider.topic.profile import folder_name
from topicspider.url import masked

SYNTAX = "[STORE-URL] [check | vacuum | migrate | copy FROM TO | backup FILE] [--topic NAME] [--json]"
ABOUT = "Keep a store of pages in order. `scrapy store ACTION --help` tells of each action."
WHICH = (
    "The store is that of a topic (--topic, else TOPICSPIDER_TOPIC), or the one that STORE-URL in front of the action names, as "
    "TOPICSPIDER_STORE does. --json prints JSON."
)
FORMS = ("sqlite:", "mysql:")


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser)
    add_format_options(parser)


def actions() -> ActionParser:
    two = {"source": {"metavar": "FROM"}, "target": {"metavar": "TO"}}
    return action_parser("store", WHICH, (
        ("check", check, "look whether every page can be read; exit code 1 when not; what is done without an action", {}),
        ("vacuum", vacuum, "drop what is beyond TOPICSPIDER_QUOTA_PAGES, and give space back to the disk", {}),
        ("migrate", migrate, "bring the tables to the newest version", {}),
        ("copy", copy, "write everything of one store into another (each a store's URL or a topic); done again it doubles nothing", two),
        ("backup", backup, "write the store into a new SQLite file, also while it is written to", {"file": {"metavar": "FILE"}}),
    ))  # fmt: skip


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> int:
    address, rest = split_address(args, FORMS)
    wanted = actions().parse_args(rest)
    command.set_option("store", address)
    options = command.options(topic=opts.topic)
    result: CommandResult = wanted.action(Places(options, options.store, STORE, FORMS), wanted)
    return result.show(as_json=opts.json)


def _open(places: Places, name: str = "", *, makes: bool = False) -> closing[Store]:
    """The store called ``name``; one that does not exist is created if ``makes``, else ConfigError or NotCrawled is raised."""
    url, path = places.find(name)
    place = location.parse(url, path)
    if isinstance(place, location.SqlitePlace) and not makes and not (place.path and place.path.exists()):
        if url:
            raise ConfigError("store", masked(url), "a store that exists")
        raise NotCrawled(name or places.options.topic, path.parent)
    # seconds to wait for an answer: reading a large table takes long
    return closing(open_store(url, path, places.options.connect_wait, 3600.0))


def check(places: Places, _opts: argparse.Namespace) -> CommandResult:
    with _open(places) as store:
        found = maintenance.check(store.database)
    findings = [*found.findings, *_lost_pages(places, found.topics)]
    waiting = _rows_in(places.find()[1].with_name("outbox.db"))
    data = {
        "store": places.label(),
        "version": VERSION,
        "topics": [{"topic": topic, "pages": pages, "hits": hits} for topic, pages, hits in found.topics],
        "findings": findings,
        "rows_in_outbox": waiting,
    }
    lines = [_("{store}: version {version}", store=places.label(), version=VERSION)]
    lines += [f"  {labelled(topic, pages_and_hits(pages, hits))}" for topic, pages, hits in found.topics]
    lines += [] if found.topics else [f"  {pages_and_hits(0, 0)}"]
    if waiting:
        lines.append(_("  {count:,} rows wait in the outbox: the crawl's next run writes them first", count=waiting))
    lines += [f"  ! {words}" for words in findings]
    lines.append(_("damaged") if findings else _("all is well"))
    return CommandResult(data, "\n".join(lines), not findings)


def _lost_pages(places: Places, topics: Sequence[tuple[str, int, int]]) -> Iterator[str]:
    """A finding if the store has clearly fewer pages than the queue beside it counts."""
    path = places.find()[1].with_name(FRONTIER)
    if not path.exists() or spider_of(path.parent) or places.options.quota_pages:
        return
    if _rows_in(path.with_name("outbox.db")):
        return
    try:
        with closing(SqliteInspection(path)) as queue:
            counted = queue.counts().pages
            facts = {one.key: one.value for one in queue.records() if isinstance(one, Fact)}
    except FrontierUnavailable:  # commands that need the queue report this
        return
    pages = {folder_name(topic): count for topic, count, _hits in topics}
    stored = min(pages.get(name, 0) for name in path.parent.name.split("+"))
    if is_too_few(counted - int(facts.get(ACCEPTED_LOSS, 0)), stored):
        yield _("it has {stored:,} pages, but {counted:,} were fetched into it", stored=stored, counted=counted)


def _rows_in(path: Path) -> int:
    if not path.exists():
        return 0
    with closing(Outbox(path)) as outbox:
        return outbox.rows


def vacuum(places: Places, _opts: argparse.Namespace) -> CommandResult:
    name, quota = places.label(), places.options.quota_pages
    place = location.parse(*places.find())
    if isinstance(place, location.SqlitePlace) and place.path:
        for folder in {place.path.parent, places.find()[1].parent}:
            if holder := holder_of(folder / FRONTIER):
                words = N_("process {process} crawls into {name}, which VACUUM would lock; wait for its end")
                raise CrawlRunning(_(words, process=holder, name=name))
    with _open(places) as store:
        topics = [topic for topic, __, __ in maintenance.topics(store.database)] if quota else []
        dropped = {topic: maintenance.trim(store.database, topic, quota) for topic in topics}
        maintenance.vacuum(store.database)
    text = _("{store}: made small", store=name)
    if quota:
        text += _(", {count:,} pages beyond the quota were dropped", count=sum(dropped.values()))
    return CommandResult({"store": name, "dropped": dropped}, text)


def migrate(places: Places, _opts: argparse.Namespace) -> CommandResult:
    with _open(places):  # opening it creates missing tables
        data = {"store": places.label(), "version": VERSION}
    return CommandResult(data, _("{store}: version {version} now", store=places.label(), version=VERSION))


def copy(places: Places, opts: argparse.Namespace) -> CommandResult:
    if opts.source == opts.target:
        raise ConfigError("copy", opts.target, "another store than the first")
    with _open(places, opts.source) as source, _open(places, opts.target, makes=True) as target:
        counts = maintenance.copy(source.database, target.database)
    words = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    return CommandResult(counts, _("copied: {counts}", counts=words))


def backup(places: Places, opts: argparse.Namespace) -> CommandResult:
    path = Path(opts.file)
    with _open(places) as store:
        maintenance.backup(store.database, path)
    return CommandResult({"file": str(path)}, f"{path}: {path.stat().st_size / 1e6:,.1f} MB")
