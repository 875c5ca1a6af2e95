"""Notices that a topic was edited while its crawl runs: its file, or what the store has of it."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import ConfigError, StoreUnavailable
from topicspider.topic.loading import STORED, read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.store.topics import StoredTopic, TopicShelf
    from topicspider.topic.profile import Topic

_Stamp = tuple[int, int, int]

LOOKS_A_QUESTION = 5
"""The store is asked at one of so many looks."""


class _Source(Protocol):
    """Where one topic comes from."""

    def is_edited(self) -> bool:
        """Whether its content is another than when that was asked last."""

    def read(self) -> Topic:
        """The topic as it is there now; raises ConfigError for one that cannot be used."""


class TopicWatch:
    """The files of a crawl's topics, and those that ``shelf`` has; files inside a package are not looked at.

    An edit of a file counts once two looks in a row have seen the same: editors write in several steps.
    """

    def __init__(self, topics: Sequence[Topic], shelf: TopicShelf | None = None) -> None:
        self._topics = {topic.source: topic for topic in topics}
        self._sources = {topic.source: _source_of(topic, shelf) for topic in topics}
        self._unsaid: list[ConfigError] = []  # of edits that cannot be used, seen in one look with others

    def look(self) -> tuple[Topic, ...] | None:
        """The topics as they are now, None while no content has changed; it blocks on the files and the store.

        Raises ConfigError, once for each edit, for a text that cannot be used: its topic stays as it was, and does not hold up the
        others. Those come first, and at each of the next looks one error.
        """
        if self._unsaid:
            raise self._unsaid.pop(0)
        edited = [name for name, source in self._sources.items() if source.is_edited()]
        for name in edited:
            try:
                self._topics[name] = self._read(name)
            except ConfigError as error:
                self._unsaid.append(error)
        if len(self._unsaid) < len(edited):
            return tuple(self._topics.values())
        if self._unsaid:
            raise self._unsaid.pop(0)
        return None

    def _read(self, name: str) -> Topic:
        topic = self._sources[name].read()
        before = self._topics[name]
        if topic.name != before.name:
            raise ConfigError(name, topic.name, before.name, "The name of a topic stays while its crawl runs")
        return topic


def _source_of(topic: Topic, shelf: TopicShelf | None) -> _Source:
    if shelf is not None and topic.source.startswith(STORED):
        return _OnShelf(topic.name, shelf)
    return _File(topic.source)


class _OnShelf:
    """A topic of the store. It is written at once; a store that is away says nothing, nor does one that has it no more."""

    def __init__(self, name: str, shelf: TopicShelf) -> None:
        self._name, self._shelf = name, shelf
        self._looks = 0
        self._stored = self._asked()

    def is_edited(self) -> bool:
        self._looks += 1
        if self._looks % LOOKS_A_QUESTION:
            return False
        before, self._stored = self._stored, self._asked() or self._stored
        return before != self._stored

    def read(self) -> Topic:
        assert self._stored is not None  # else nothing was edited
        return self._stored.topic()

    def _asked(self) -> StoredTopic | None:
        try:
            return self._shelf.get(self._name)
        except StoreUnavailable:
            return None


class _File:
    """A topic file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._stamp = self._read_at = _stamp(path)  # read_at: as it was when its content was looked at last
        self._content = _digest(path)

    def is_edited(self) -> bool:
        stamp = _stamp(self._path)
        is_settled, self._stamp = stamp == self._stamp, stamp
        if not is_settled or stamp in (_NOTHING, self._read_at):
            return False
        self._read_at = stamp
        before, self._content = self._content, _digest(self._path) or self._content
        return self._content != before

    def read(self) -> Topic:
        topic, errors = read_file(Path(self._path))
        if errors:
            raise errors[0]
        return topic


_NOTHING: _Stamp = (0, 0, 0)


def _stamp(source: str) -> _Stamp:
    """When the file was written, its size and number; nothing when it is not there (in this moment)."""
    try:
        found = Path(source).stat()
    except (OSError, ValueError):
        return _NOTHING
    return found.st_mtime_ns, found.st_size, found.st_ino


def _digest(source: str) -> bytes:
    try:
        return blake2b(Path(source).read_bytes(), digest_size=16).digest()
    except (OSError, ValueError):
        return b""
