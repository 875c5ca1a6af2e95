"""Keeps whole topic files in a store, for nodes that have no such file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from topicspider.errors import ConfigError
from topicspider.files import atomic_write
from topicspider.options import Options
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.database import Database, Upsert
from topicspider.store.location import open_store
from topicspider.store.rows import clean
from topicspider.topic.loading import STORED, load_topic, load_topics, parse_inline_topic
from topicspider.topic.profile import Topic

_T = TypeVar("_T")

TOPICS = Upsert("topics", ("name", "content", "stored_at"), ("name",), newest="stored_at")
FILES = "topics.json"  # in the folder of a crawl: topic name to the path of its file
_REPLACED = replace(TOPICS, newest="")  # replaces even a row with a later time, by a clock that was ahead


class StoredTopics:
    """The topics in one store; methods raise StoreUnavailable when it is not available."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self) -> list[str]:
        return sorted(name for (name,) in self._database.read("SELECT name FROM topics"))

    def find(self, name: str) -> Topic | None:
        """The topic of that name, whatever the case, as for files; None when there is none.

        It is checked each time, as others may write there: raises TopicError or ConfigError for an invalid content.
        """
        sql = "SELECT name, content FROM topics WHERE LOWER(name) = LOWER(?) ORDER BY name <> ? LIMIT 1"
        for known, content in self._database.read(sql, (clean(name), clean(name))):
            topic = parse_inline_topic(content.encode(), f"{STORED}{known}", known)
            if topic.name != known:
                raise ConfigError(f"{STORED}{known}: name", topic.name, known, "Store it again")
            return topic
        return None

    def put(self, content: bytes, source: str, name: str) -> tuple[Topic, bool]:
        """Stores a topic under its name, replacing what was there; returns it, and whether the stored text is new or different.

        ``source`` and ``name`` are those of ``parse_inline_topic``, which may raise TopicError or ConfigError; then nothing is stored.
        """
        topic = parse_inline_topic(content, source, name)
        text = content.decode("utf-16" if content[:1] in (b"\xff", b"\xfe") else "utf-8-sig")
        if self._database.read("SELECT 1 FROM topics WHERE name = ? AND content = ?", (topic.name, text)):
            return topic, False
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        self._database.write([(_REPLACED.sql(self._database.dialect), [(topic.name, text, at)])])
        return topic, True

    def remove(self, name: str) -> bool:
        """Deletes a topic; False when there is none of that name."""
        if name not in self.names():
            return False
        self._database.write([("DELETE FROM topics WHERE name = ?", [(name,)])])
        return True


class ConfiguredTopics:
    """The topics of the store that ``options`` name, opened for each call; then the topics of crawls in the data folder."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def names(self) -> list[str]:
        return self._asked(StoredTopics.names) or []

    def find(self, name: str) -> Topic | None:
        return self._asked(lambda shelf: shelf.find(name)) or self._crawled(name)

    def _crawled(self, name: str) -> Topic | None:
        """The topic of a file anywhere, if a crawl in the data folder was started with the file's path."""
        for known in sorted(Path(self._options.data).expanduser().glob(f"*/{FILES}")):
            with suppress(OSError, ValueError):
                if (file := json.loads(known.read_bytes()).get(name)) and Path(file).is_file():
                    return load_topic(file)
        return None

    def _asked(self, question: Callable[[StoredTopics], _T]) -> _T | None:
        if not has_topic_store(self._options):
            return None
        with topic_store(self._options) as shelf:
            return question(shelf)


def remember_files(folder: Path, topics: Iterable[Topic]) -> None:
    """Records in the ``folder`` of a crawl the paths of its topic files, so that their names suffice later; raises no OSError."""
    files = {topic.name: str(Path(topic.source).resolve()) for topic in topics if Path(topic.source).is_file()}
    with suppress(OSError):  # such as a full disk, which the crawl itself reports
        atomic_write(folder / FILES, json.dumps(files).encode())


def has_topic_store(options: Options) -> bool:
    """Whether ``options`` name a store that may contain topics: MySQL, or an existing SQLite file; no single crawl's own store."""
    place = location.parse(options.store, Path())
    return isinstance(place, location.MysqlPlace) or bool(options.store.strip() and place.path and place.path.is_file())


@contextmanager
def topic_store(options: Options, connect_wait: float | None = None) -> Iterator[StoredTopics]:
    """The topics of the store that ``options`` name, created if missing; ConfigError when they name none, or one in memory."""
    place = location.parse(options.store, Path())
    if not options.store.strip() or place == location.SqlitePlace(None):
        allowed = "a store that several crawls share, to have topics in it: sqlite:///PATH or mysql://…"
        raise ConfigError(setting_name("store"), options.store, allowed)
    wait = options.connect_wait if connect_wait is None else connect_wait
    with closing(open_store(options.store, Path(), wait)) as store:
        yield StoredTopics(store.database)


def topic_of(name: str, options: Options) -> Topic:
    """The topic of that name, from a file, else from the store; raises what load_topic raises."""
    return load_topic(name, options.topics_dir, ConfiguredTopics(options))


def topics_of(names: str, options: Options) -> tuple[Topic, ...]:
    """The topics of several names joined by commas, from files, else from the store; raises what load_topics raises."""
    return load_topics(names, options.topics_dir, ConfiguredTopics(options))
