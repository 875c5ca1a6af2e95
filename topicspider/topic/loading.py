"""Finds and loads topics by name, by path, by title, or by class number of the catalogue."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import ConfigError, TopicError, UnknownTopic
from topicspider.i18n import shell_word
from topicspider.text.normalise import normalise
from topicspider.topic import catalogue
from topicspider.topic.profile import Topic
from topicspider.topic.schema import MAX_WORD, is_name, read_topic
from topicspider.topic.search_path import topic_dirs
from topicspider.topic.yaml_node import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

_SUFFIXES = (".yaml", ".yml")
_SHOWN = 20
STORED = "store:"
"""Before a name: the topic that the store has, whatever files say."""


class TopicStore(Protocol):
    """Topics that lie elsewhere than in files."""

    def names(self) -> list[str]:
        """Of all of them, sorted."""

    def find(self, name: str) -> Topic | None:
        """The topic of that name; None when there is none."""


class EmptyTopicStore:
    def names(self) -> list[str]:
        return []

    def find(self, name: str) -> Topic | None:
        return None


NO_TOPIC_STORE = EmptyTopicStore()


def load_topic(name_or_path_or_class: str, topics_dir: str = "", store: TopicStore = NO_TOPIC_STORE) -> Topic:
    """The topic of that path to a YAML file, name, title (旅游) or class number (F59), in this order; of no file's, that of ``store``.

    With ``store:`` before it the name is looked for on the store alone; the store is not asked for what a file has.
    Raises UnknownTopic when nothing has that name (with the known names and the nearest), TopicError for
    the first error in the file, ConfigError when there is no folder of topics.
    """
    wanted = name_or_path_or_class.strip()
    if not wanted:
        raise UnknownTopic("topic", None, _listed(known_topics(topics_dir)), "Name one.")
    if wanted.startswith(STORED):
        return store.find(wanted.removeprefix(STORED).strip()) or _not_stored(wanted, store)
    if is_path(wanted):
        return _load_file(_existing_path(wanted))
    files = topic_files(topics_dir)
    if is_name(wanted) and wanted.casefold() in files:
        return _load_file(files[wanted.casefold()])
    readable = [topic for topic, errors in map(read_file, files.values()) if not errors]
    return (
        _by_other_name(wanted, readable)
        or _by_class(wanted, readable)
        or (store.find(wanted) if is_name(wanted) else None)
        or _no_class(wanted, readable)
        or _unknown(wanted, readable, [*files, *store.names()])
    )


def load_topics(names: str, topics_dir: str = "", store: TopicStore = NO_TOPIC_STORE) -> tuple[Topic, ...]:
    """The topics of several names, paths or class numbers joined by commas, each once.

    Raises as load_topic does, and ConfigError when two files give topics of the same name.
    """
    parts = [names] if _file(names) else names.replace("，", ",").split(",")
    wanted = [part for part in parts if part.strip()] or [""]
    found: dict[str, Topic] = {}
    for part in wanted:
        topic = load_topic(part, topics_dir, store)
        other = found.setdefault(topic.name, topic)
        if other.source != topic.source:
            raise ConfigError(
                "topic", names, "topics of different names", f"{other.source} and {topic.source} are both {topic.name}."
            )
    return tuple(found.values())


def known_topics(topics_dir: str = "") -> list[str]:
    """The names of all topic files, sorted; nothing is read."""
    return sorted(topic_files(topics_dir))


def check_topic(path: str | Path) -> list[TopicError]:
    """Every error in a topic file, at most one a key; empty when it can be used."""
    return read_file(_existing_path(str(path)))[1]


def topic_files(topics_dir: str = "") -> dict[str, Traversable]:
    """Name to file; of two files of one name, the one in the place that is searched first."""
    files: dict[str, Traversable] = {}
    for folder in topic_dirs(topics_dir):
        for file in _entries(folder):
            stem = _stem(file.name).casefold()
            if file.name.endswith(_SUFFIXES) and is_name(stem) and file.is_file():
                files.setdefault(stem, file)
    return files


def _entries(folder: Traversable) -> list[Traversable]:
    try:
        return sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise ConfigError("topics", str(folder), "a folder that can be read", error.strerror or "") from None


def read_file(file: Traversable) -> tuple[Topic, list[TopicError]]:
    """The topic in ``file`` with every error in it, at most one a key; never raises for what the file holds."""
    name = _stem(file.name)
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        return Topic(name=name), [TopicError(str(file), "file", why, "a file that can be read")]
    return read_topic(content, str(file), name)


def _load_file(file: Traversable) -> Topic:
    topic, errors = read_file(file)
    if errors:
        raise errors[0]
    return topic


def _stem(file_name: str) -> str:
    return file_name.rpartition(".")[0]


def is_path(wanted: str) -> bool:
    """Whether ``wanted`` is read as the path of a file, not as a name or class number."""
    return not wanted.startswith(STORED) and _looks_like_path(wanted)


def _looks_like_path(wanted: str) -> bool:
    return wanted.endswith(_SUFFIXES) or "\\" in wanted or (("/" in wanted) and catalogue.nearest_class(wanted) is None)


def _existing_path(wanted: str) -> Path:
    path = _file(wanted)
    if path is None:
        raise UnknownTopic(
            "topic file",
            wanted,
            "a YAML file that exists",
            "It is a folder." if _is_folder(wanted) else "No such file.",
        )
    return path


def _file(path: str) -> Path | None:
    """The file at ``path``; None when there is none (or no such user, or the path is too long to be one)."""
    try:
        file = Path(path).expanduser()
        return file if file.is_file() else None
    except (OSError, RuntimeError):
        return None


def _is_folder(path: str) -> bool:
    try:
        return Path(path).expanduser().is_dir()
    except (OSError, RuntimeError):
        return False


def _by_other_name(wanted: str, topics: list[Topic]) -> Topic | None:
    """The topic whose title, or whose name inside the file, is ``wanted``."""
    key = _folded(wanted)
    return next((topic for topic in topics if key in map(_folded, _names(topic))), None)


def _by_class(wanted: str, topics: list[Topic]) -> Topic | None:
    number = wanted.upper()
    if catalogue.nearest_class(number) is None:
        return None
    return next((topic for topic in topics if topic.clc == number), None)


def _no_class(wanted: str, topics: list[Topic]) -> Topic | None:
    """None for what is no class number; raises UnknownTopic for one."""
    number = wanted.upper()
    nearest = catalogue.nearest_class(number)
    if nearest is None:
        return None
    raise UnknownTopic("topic", wanted, _listed(_near_classes(number, topics)), _class_hint(number, nearest))


def _class_hint(number: str, nearest: str) -> str:
    inside = "" if nearest == number else f" in {nearest}"
    return f"Class {number}{inside} {catalogue.class_title(number)} has no topic: write one with `class: {number}`."


def _near_classes(number: str, topics: list[Topic]) -> list[str]:
    """``F8 finance``, those with the longest common beginning first, other main classes last."""

    def distance(topic: Topic) -> tuple[int, str]:
        common = next(
            (i for i, (a, b) in enumerate(zip(topic.clc, number, strict=False)) if a != b),
            min(len(topic.clc), len(number)),
        )
        return -common, topic.clc

    return [f"{topic.clc} {topic.name}" for topic in sorted((t for t in topics if t.clc), key=distance)]


def _unknown(wanted: str, topics: list[Topic], files: list[str]) -> Topic:
    if "," in wanted.replace("，", ","):  # whoever takes several has parted them
        raise UnknownTopic(
            "topic", wanted, f"one of {_listed(sorted(files))}", "One at a time here; a crawl takes several."
        )
    nearest = _nearest(wanted, topics, files)
    meant = f"Did you mean {nearest}? " if nearest else ""
    can_be_made = len(wanted) <= MAX_WORD and any(char.isalnum() for char in wanted)
    made = shell_word(wanted) if can_be_made else "NAME"
    raise UnknownTopic("topic", wanted, _listed(sorted(files)), f"{meant}To make it: scrapy topics new {made}")


def _not_stored(wanted: str, store: TopicStore) -> Topic:
    there = _listed([f"{STORED}{name}" for name in store.names()])
    raise UnknownTopic("topic", wanted, there, "`scrapy topics store NAME` puts one there, with TOPICSPIDER_STORE set.")


def _nearest(wanted: str, topics: list[Topic], files: list[str]) -> str:
    names = {_folded(name): topic.name for topic in topics for name in _names(topic)} | {name: name for name in files}
    close = difflib.get_close_matches(_folded(wanted), names, 1, 0.5)
    if close:
        return names[close[0]]
    # two-character titles are too short for difflib: 旅游业 holds 旅游
    return next((names[name] for name in names if len(name) > 1 and (name in wanted or wanted in name)), "")


def _names(topic: Topic) -> Iterator[str]:
    yield topic.name
    yield from topic.title.values()


def _folded(text: str) -> str:
    return normalise(text).strip().replace("_", " ")


def _listed(names: list[str]) -> str:
    if not names:
        return "none is known"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
