"""Which queue a command is about: a frontier's URL, or a topic with the file that its crawl has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicspider.errors import ConfigError
from topicspider.frontier.registry import is_in_redis
from topicspider.store.topics import topics_of
from topicspider.topic.profile import folder_name
from topicspider.url.display import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.defaults import Options

FORMS = ("sqlite:", "redis:", "rediss:", "unix:", "memory:")
_FILE = "frontier.db"


def parted(args: Sequence[str]) -> tuple[str, list[str]]:
    """A frontier's URL in front, "" when there is none, and the rest."""
    address = args[0] if args and args[0].startswith(FORMS) else ""
    return address, list(args[1:] if address else args)


class QueuePlaces:
    """Where queues lie: a frontier's URL with the file that it would have for the topic."""

    def __init__(self, options: Options, *, is_named: bool) -> None:
        self._options = options
        self._data = Path(options.data).expanduser()
        self._topic = self._folder(options.topic) if options.topic else ""
        if not (self._topic or is_named):
            raise ConfigError(
                "topic", None, "a topic's name or a frontier's URL", f"Say --topic NAME. Queues here: {self._there()}"
            )

    def find(self, name: str) -> tuple[str, Path]:
        """The frontier called ``name``: a URL, a topic, "" for the one of the topic that was asked for.

        A Redis keeps several crawls: when no topic says which, it is the only one there.
        """
        if name and not name.startswith(FORMS):
            self._topic = self._topic or self._folder(name)
            return "", self._file(self._folder(name))
        url = name or self._options.frontier
        if is_in_redis(url) and not self._topic:
            self._topic = _only_crawl(url)
        return url, self._file(self._topic)

    def label(self, name: str) -> str:
        """What to call it."""
        url, path = self.find(name)
        if is_in_redis(url):
            return f"{masked(url)} {unquote(path.parent.name)}"
        return masked(url) if url else str(path)

    def _file(self, folder: str) -> Path:
        return self._data / folder / _FILE

    def _folder(self, topic: str) -> str:
        topics = topics_of(topic, self._options)
        return folder_name(*(one.name for one in topics))

    def _there(self) -> str:
        return ", ".join(sorted(path.parent.name for path in self._data.glob(f"*/{_FILE}"))) or "none"


def _only_crawl(url: str) -> str:
    """The folder that the only crawl in this Redis would have."""
    from topicspider.frontier.redis.opening import crawls_in  # loads the driver

    names = crawls_in(url)
    if len(names) != 1:
        there = ", ".join(names) or "none"
        raise ConfigError(
            "topic", None, "the topic of a crawl in this Redis", f"Say --topic NAME. Crawls there: {there}"
        )
    return folder_name(names[0])
