"""The actions of ``scrapy store``: check, vacuum, migrate, copy, backup."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.errors import ConfigError, CrawlRunning
from topicspider.frontier.lock import holder_of
from topicspider.store import keeping
from topicspider.store.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.store.relational import RelationalStore


@dataclass(frozen=True, slots=True)
class StoreDesk:
    """``open`` a store by its name ("" is the one that was asked for; made when it is not there and ``makes``); ``outbox`` is where its crawl's lies.

    ``quota``: how many pages a topic may have, 0 for all. ``frontiers``: of crawls that may be writing to a store in a file.
    """

    name: str
    chinese: bool
    quota: int
    open: Callable[[str, bool], RelationalStore]
    outbox: Path | None
    frontiers: Sequence[Path] = ()

    def words(self, chinese: str, english: str) -> str:
        """The one that the reader understands."""
        return chinese if self.chinese else english


@dataclass(frozen=True, slots=True)
class Done:
    """What an action has to say, as data and as text; ``is_good`` False: something is wrong with the store."""

    data: Any
    text: str
    is_good: bool = True


@dataclass(frozen=True, slots=True)
class StoreAction:
    """``scrapy store NAME …``, with how many words may follow."""

    name: str
    syntax: str
    about: str
    least: int
    most: int
    run: Callable[[Sequence[str], StoreDesk], Done]


def _check(_args: Sequence[str], desk: StoreDesk) -> Done:
    with closing(desk.open("", False)) as store:
        found = keeping.check(store.database)
    waiting = _in_outbox(desk.outbox)
    data = {
        "store": desk.name,
        "version": found.version,
        "topics": [{"topic": topic, "pages": pages, "hits": hits} for topic, pages, hits in found.topics],
        "findings": list(found.findings),
        "rows_in_outbox": waiting,
    }
    lines = [desk.words(f"{desk.name}：第 {found.version} 版", f"{desk.name}: version {found.version}")]
    for topic, pages, hits in found.topics:
        lines.append(
            desk.words(f"  {topic}：{pages:,} 页，命中 {hits:,}", f"  {topic}: {pages:,} pages, {hits:,} hits")
        )
    if waiting:
        lines.append(
            desk.words(
                f"  {waiting:,} 行在 {desk.outbox} 中等待，下次抓取时首先写入",
                f"  {waiting:,} rows wait in {desk.outbox}: the crawl's next run writes them first",
            )
        )
    lines += [f"  ! {words}" for words in found.findings]
    lines.append(desk.words("一切正常", "all is well") if not found.findings else desk.words("有问题", "damaged"))
    return Done(data, "\n".join(lines), not found.findings)


def _vacuum(_args: Sequence[str], desk: StoreDesk) -> Done:
    dropped = {}
    for path in desk.frontiers:
        if holder := holder_of(path):
            raise CrawlRunning(f"process {holder} crawls into {desk.name}, which VACUUM would lock; wait for its end")
    with closing(desk.open("", False)) as store:
        if desk.quota:
            topics = keeping.topics(store.database)
            dropped = {topic: keeping.trim(store.database, topic, desk.quota) for topic, _, _ in topics}
        keeping.vacuum(store.database)
    count = sum(dropped.values())
    text = desk.words(f"{desk.name}：已整理", f"{desk.name}: made small")
    if desk.quota:
        text += desk.words(f"，超出配额的 {count:,} 页已删除", f", {count:,} pages beyond the quota were dropped")
    return Done({"store": desk.name, "dropped": dropped}, text)


def _migrate(args: Sequence[str], desk: StoreDesk) -> Done:
    wanted = args[0] if args else ""
    if wanted and not (wanted.isascii() and wanted.isdigit()):
        raise ConfigError("version", wanted, "a whole number")
    with closing(desk.open("", False)) as store:  # that brings it to the newest version
        version = keeping.check_version(store.database)
        if wanted and not 1 <= int(wanted) <= version:  # version 0 has no tables, and no pages
            raise ConfigError("version", wanted, f"1 to {version}")
        gone = store.revert(int(wanted)) if wanted else []
    now = int(wanted) if wanted else version
    data = {"store": desk.name, "version": now, "taken_back": gone}
    return Done(data, desk.words(f"{desk.name}：现在是第 {now} 版", f"{desk.name}: version {now} now"))


def _copy(args: Sequence[str], desk: StoreDesk) -> Done:
    source_name, target_name = args
    if source_name == target_name:
        raise ConfigError("copy", target_name, "another store than the first")
    with closing(desk.open(source_name, False)) as source, closing(desk.open(target_name, True)) as target:
        counts = keeping.copy(source.database, target.database)
    shown = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    return Done(counts, desk.words(f"已复制：{shown}", f"copied: {shown}"))


def _backup(args: Sequence[str], desk: StoreDesk) -> Done:
    path = Path(args[0])
    with closing(desk.open("", False)) as store:
        keeping.backup(store.database, path)
    size = path.stat().st_size / 1e6
    return Done({"file": str(path)}, f"{path}: {size:,.1f} MB")


def _in_outbox(path: Path | None) -> int:
    if path is None or not path.exists():
        return 0
    with closing(Outbox(path)) as outbox:
        return outbox.rows


ACTIONS = (
    StoreAction(
        "check",
        "[check]",
        "`check`, or nothing: looks whether every page can be read; exit code 1 when not.",
        0,
        0,
        _check,
    ),
    StoreAction(
        "vacuum",
        "vacuum",
        "`vacuum` drops what is beyond TOPICSPIDER_QUOTA_PAGES, and gives space back to the disk.",
        0,
        0,
        _vacuum,
    ),
    StoreAction(
        "migrate",
        "migrate [VERSION]",
        "`migrate` brings the tables to the newest version, or back to an older one, which drops what only newer ones keep.",
        0,
        1,
        _migrate,
    ),
    StoreAction(
        "copy",
        "copy FROM TO",
        "`copy` writes everything of one store into another (each a store's URL or a topic); done again it doubles nothing.",
        2,
        2,
        _copy,
    ),
    StoreAction(
        "backup",
        "backup FILE",
        "`backup` writes the store into a new SQLite file, also while it is written to.",
        1,
        1,
        _backup,
    ),
)
