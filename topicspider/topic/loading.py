"""Finds and loads topics by name, path, title, or class number of the catalogue; checks and saves a topic sent as text."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources.abc import Traversable
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

from topicspider.errors import ConfigError, TopicError, UnknownTopic
from topicspider.files import write_result
from topicspider.i18n import N_, language, shell_word
from topicspider.i18n import gettext as _
from topicspider.topic import catalogue
from topicspider.topic.class_topics import class_of, class_topic, folded, search_classes, topic_name
from topicspider.topic.profile import Topic
from topicspider.topic.schema import is_name, read_topic, sound
from topicspider.topic.search_path import shipped_dirs, topic_dirs
from topicspider.topic.spelling import other_number
from topicspider.topic.yaml_node import MAX_BYTES

_SUFFIXES = (".yaml", ".yml")
SHIPPED = (
    "agriculture", "cars", "culture", "education", "environment", "finance", "food", "health", "real_estate", "sport",
    "technology", "tourism",
)  # fmt: skip
SEED_SOURCES = "seed_sources.yaml"  # lies beside topic files, but is none
STORED = "store:"
"""Prefix of a name: the topic is taken from the store, even if there is a file of that name."""


class TopicStore(Protocol):
    """A source of topics besides files."""

    def names(self) -> list[str]:
        """The names of all topics, sorted."""

    def find(self, name: str) -> Topic | None:
        """The topic of that name, or None."""


def load_topic(name_or_path_or_class: str, topics_dir: str = "", store: TopicStore | None = None) -> Topic:
    """The topic that is found first by: path of a YAML file, name of a file, class number of the catalogue (G8), a file's title (旅游) or
    its ``class`` (F59), a class title of the catalogue, name in ``store``. After ``store:`` the name is only looked up in the store.

    Raises UnknownTopic (with the known names and the nearest one), TopicError for the first error in the file, ConfigError when there is
    no folder of topics.
    """
    wanted = name_or_path_or_class.strip()
    if is_path(wanted):
        return sound(read_file(_existing_path(wanted)))
    if wanted.startswith(STORED):
        found = store.find(wanted.removeprefix(STORED).strip()) if store is not None else None
        if found is None:
            hint = "`scrapy topics store NAME` puts one there, with TOPICSPIDER_STORE set."
            stored = [f"{STORED}{name}" for name in store.names()] if store is not None else []
            raise UnknownTopic("topic", wanted, _listed(stored), hint)
        return found
    files = topic_files(topics_dir)
    if wanted.casefold() in files:
        return sound(read_file(files[wanted.casefold()]))
    number = class_of(wanted)
    if number and wanted.casefold() in (number.casefold(), topic_name(number).casefold()):
        return class_topic(number)
    topics = [topic for topic, errors in map(read_file, files.values()) if not errors]
    ways = {
        name: topic
        for topic in reversed(topics)
        for name in (topic.clc, *map(folded, (topic.name, *topic.title.values())))
    }
    found = (ways.get(folded(wanted)) or ways.get(wanted.upper())) if wanted else None
    if found is None and number:
        return class_topic(number)
    if found is None and store is not None and is_name(wanted):
        found = store.find(wanted)
    if found is None:
        raise _unknown(wanted, ways, [*files, *(store.names() if store is not None else ())])
    return found


def load_topics(names: str, topics_dir: str = "", store: TopicStore | None = None) -> tuple[Topic, ...]:
    """The topics of several names, paths or class numbers joined by commas, each once; ``T*`` is a branch of classes, ``clc`` all classes.

    Raises what load_topic raises, and ConfigError when two files contain topics of the same name.
    """
    parts = [names] if _file(names) else names.replace("，", ",").split(",")
    found = [_topics_of_part(part, topics_dir, store) for part in parts if part.strip()]
    topics: dict[str, Topic] = {}
    for topic in chain.from_iterable(found or [[load_topic("", topics_dir, store)]]):
        other = topics.setdefault(topic.name, topic)
        if other.source != topic.source:
            both = _("{one} and {other} are both {name}.", one=other.source, other=topic.source, name=topic.name)
            raise ConfigError("topic", names, "topics of different names", both)
    return tuple(topics.values())


def _topics_of_part(part: str, topics_dir: str, store: TopicStore | None) -> list[Topic]:
    """The topics of a branch of the catalogue (T*), unless a file has that name; else the one topic."""
    is_file = part.strip().casefold() in topic_files(topics_dir)
    numbers = [] if is_file else catalogue.branch(part)
    return [class_topic(number) for number in numbers] or [load_topic(part, topics_dir, store)]


def known_topics(topics_dir: str = "") -> list[str]:
    """The names of all topic files, sorted; the files are not read."""
    return sorted(topic_files(topics_dir))


def check_topic(path: str | Path) -> list[TopicError]:
    """All errors in a topic file; [] when it can be used."""
    return read_file(_existing_path(str(path)))[1]


def topic_files(topics_dir: str = "") -> dict[str, Traversable]:
    """Name (in lower case) to file; of two files of one name, the one in the folder that is searched first."""
    files: dict[str, Traversable] = {}
    for folder in topic_dirs(topics_dir):
        try:
            entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
        except OSError as error:
            raise ConfigError("topics", str(folder), "a folder that can be read", error.strerror or "") from None
        for file in entries:
            stem = file.name.rpartition(".")[0].casefold()
            if file.name.endswith(_SUFFIXES) and file.name != SEED_SOURCES and is_name(stem) and file.is_file():
                files.setdefault(stem, file)
    return files


def read_file(file: Traversable) -> tuple[Topic, list[TopicError]]:
    """(the topic in ``file``, all errors in it); never raises, whatever the file contains."""
    name = file.name.rpartition(".")[0]
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        return Topic(name=name), [TopicError(str(file), "file", why, "a file that can be read")]
    return read_topic(content, str(file), name)


@cache
def shipped_topics() -> tuple[Topic, ...]:
    """The topics that come with topicspider, by the names in SHIPPED: every node must have the same ones for contrast."""
    found = [read_file(folder.joinpath(f"{name}.yaml")) for folder in shipped_dirs()[:1] for name in SHIPPED]
    return tuple(topic for topic, errors in found if not errors)


def is_path(wanted: str) -> bool:
    """Whether ``wanted`` is taken for the path of a file rather than a name or class number."""
    looks_like_path = "/" in wanted and catalogue.nearest_class(wanted) is None
    return not wanted.startswith(STORED) and (wanted.endswith(_SUFFIXES) or "\\" in wanted or looks_like_path)


def _existing_path(wanted: str) -> Path:
    path = _file(wanted)
    if path is None:
        is_folder = os.path.isdir(os.path.expanduser(wanted))  # noqa: PTH111, PTH112  (never raise)
        hint = "It is a folder; say which file in it." if is_folder else "No such file."
        raise UnknownTopic("topic file", wanted, "a YAML file that exists", hint)
    return path


def _file(path: str) -> Path | None:
    expanded = os.path.expanduser(path)  # noqa: PTH111  (never raises)
    return Path(expanded) if os.path.isfile(expanded) else None  # noqa: PTH113


def _unknown(wanted: str, ways: Mapping[str, Topic], known: list[str]) -> UnknownTopic:
    """The error for an unknown name, with the nearest known one and how to make a topic of that name."""
    if not wanted:
        return UnknownTopic("topic", None, _listed(known), "Name one.")
    key, names = folded(wanted), {name: name for name in known} | {way: topic.name for way, topic in ways.items()}
    # two-character titles are too short for difflib: 旅游业 contains 旅游
    near = difflib.get_close_matches(key, names, 1, 0.5) or [name for name in names if len(name) > 1 and name in key]
    hints = [_("Did you mean {near}?", near=names[near[0]])] if near else []
    if number := catalogue.neighbour(wanted.rstrip("*")):
        text = N_("No class of levels 1 and 2 has that number; the nearest is {number} {title}: -a topic={name}.")
        hints = [_(text, number=number, title=catalogue.title_of(number, language()), name=topic_name(number))]
    elif classes := [] if any(_is_slip(key, name) or name in key for name in near) else classes_about(wanted):
        hints = [_("The catalogue has it in {classes}.", classes=", ".join(classes))]
    name = shell_word(wanted) if any(map(str.isalnum, wanted)) else "NAME"
    said = (
        N_("{near} To make it: `scrapy topics new {name}`") if hints else N_("To make it: `scrapy topics new {name}`")
    )
    there = _("the name of one that there is: {names}", names=_listed(known))
    error = UnknownTopic("topic", wanted, there, _(said, near="".join(hints), name=name))
    error.title = "" if number or any(_is_slip(key, name) for name in near) else wanted
    error.near = topic_name(number) if number else names[near[0]] if near else ""
    return error


def classes_about(word: str) -> list[str]:
    """At most three classes of the catalogue with the word, in singular or plural, in a title or among their terms."""
    found = (number for form in (word, *other_number(word.casefold())) for number in search_classes(form))
    return [f"{topic_name(number)} ({catalogue.title_of(number, language())})" for number in islice(found, 3)]


def _is_slip(typed: str, known: str) -> bool:
    """Whether ``typed`` is ``known`` with one or two typing errors. Not for Chinese: 茶艺 is another name than 茶叶, no typing error."""
    same = sum(block.size for block in difflib.SequenceMatcher(None, typed, known).get_matching_blocks())
    return typed.isascii() and max(len(typed), len(known)) - same <= (1 if len(typed) < 6 else 2)


def _listed(names: Iterable[str]) -> str:
    found = sorted(names)
    more = _(" and {count} more", count=len(found) - 20) if len(found) > 20 else ""
    return ", ".join(found[:20]) + more or _("none is known")


def save_inline_topic(content: str, name: str, data: str) -> Path:
    """Writes ``content``, a whole topic file, to ``data``/topics/NAME.yaml and returns that path.

    NAME is the name in the content, else ``name``. A file with the same content is not rewritten, so that a running crawl of it sees no
    change. Raises TopicError for the first error in the content, ConfigError if the names differ or the folder cannot be written.
    """
    given = content.encode("utf-8", "replace")
    topic = parse_inline_topic(given, "topic_yaml", name)
    if name and name != topic.name:
        raise ConfigError("topic", name, _("{name}, as topic_yaml says, or nothing", name=topic.name))
    path = Path(data).expanduser() / "topics" / f"{topic.name}.yaml"
    with suppress(OSError):
        if path.read_bytes() == given:
            return path.resolve()
    return write_result(path, given).resolve()


def parse_inline_topic(content: bytes, source: str, name: str) -> Topic:
    """The topic that ``read_topic`` reads; raises TopicError for the first error."""
    return sound(read_topic(content, source, name))
