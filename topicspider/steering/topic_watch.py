"""Notices that the file of a topic was edited while its crawl runs."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.topic.loading import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.topic.profile import Topic

_Stamp = tuple[int, int, int]


class TopicWatch:
    """The files of a crawl's topics; those inside a package are not looked at.

    An edit counts once two looks in a row have seen the same file: editors write in several steps.
    """

    def __init__(self, topics: Sequence[Topic]) -> None:
        self._topics = {topic.source: topic for topic in topics}
        self._stamps: dict[str, _Stamp] = {}
        self._contents: dict[str, bytes] = {}
        self._read_at: dict[str, _Stamp] = {}  # as the file was when its content was looked at last
        for source in self._topics:
            self._stamps[source] = self._read_at[source] = _stamp(source)
            self._contents[source] = _digest(source)

    def look(self) -> tuple[Topic, ...] | None:
        """The topics as their files have them now, None while no content has changed; it blocks on the files.

        Raises ConfigError, once for each edit, for a file that cannot be used: its topic stays as it was.
        """
        edited = [source for source in self._topics if self._is_edited(source)]
        if not edited:
            return None
        read = {source: self._read(source) for source in edited}
        self._topics.update(read)
        return tuple(self._topics.values())

    def _is_edited(self, source: str) -> bool:
        stamp = _stamp(source)
        is_settled, self._stamps[source] = stamp == self._stamps[source], stamp
        if not is_settled or stamp in (_NOTHING, self._read_at[source]):
            return False
        self._read_at[source] = stamp
        before, self._contents[source] = self._contents[source], _digest(source) or self._contents[source]
        return self._contents[source] != before

    def _read(self, source: str) -> Topic:
        topic, errors = read_file(Path(source))
        if errors:
            raise errors[0]
        before = self._topics[source]
        if topic.name != before.name:
            raise ConfigError(source, topic.name, before.name, "The name of a topic stays while its crawl runs")
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
