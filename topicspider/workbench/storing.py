"""``scrapy topics store`` and ``unstore``: puts topic files into the store that all nodes share, and takes them out of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError, UnknownTopic
from topicspider.store.topics import opened_shelf
from topicspider.topic.loading import STORED, load_topic
from topicspider.workbench.action import Action, Desk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def _store(names: Sequence[str], _opts: argparse.Namespace, desk: Desk) -> int:
    from topicspider.text.segment import make_segmenter
    from topicspider.topic.learning import learn

    files = [load_topic(name, desk.options.topics_dir) for name in names]
    segmenter = make_segmenter(desk.options.segmenter)
    with opened_shelf(desk.options) as shelf:
        for file in files:
            topic, is_changed = shelf.put(_content(file.source), file.source, file.name)
            said = (
                ("已存入" if is_changed else "已在其中")
                if desk.chinese
                else "stored"
                if is_changed
                else "there already"
            )
            print(f"{topic.name}: {said} ({learn(file, segmenter).digest})")
    return 0


def _unstore(names: Sequence[str], _opts: argparse.Namespace, desk: Desk) -> int:
    with opened_shelf(desk.options) as shelf:
        for name in names:
            if not shelf.remove(name.removeprefix(STORED)):
                there = ", ".join(shelf.names()) or "none is there"
                raise UnknownTopic("topic", name, there, "Files are not touched by this")
            print(f"{name}: {'已取出' if desk.chinese else 'taken out'}")
    return 0


def _content(source: str) -> bytes:
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise ConfigError("topic file", source, "a file that can be read", error.strerror or "") from None


STORE = Action(
    "store",
    "store NAME|FILE ...",
    "`store` puts topic files into the store that TOPICSPIDER_STORE names, where nodes without a file of that name find them; crawls of "
    "them take up what is put there anew.",
    lambda names: "" if names else "store takes a topic",
    _store,
)
UNSTORE = Action(
    "unstore",
    "unstore NAME ...",
    "`unstore` takes topics out of the store again.",
    lambda names: "" if names else "unstore takes a topic of the store",
    _unstore,
)
