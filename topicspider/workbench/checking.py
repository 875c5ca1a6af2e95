"""``scrapy topics check``: reads topic files, and says of each whether it is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError, TopicError, UnknownTopic
from topicspider.store.topics import topic_of
from topicspider.topic.loading import check_topic, read_file, topic_files
from topicspider.workbench.action import Action, Desk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from topicspider.defaults import Options


def _run(names: Sequence[str], _opts: argparse.Namespace, desk: Desk) -> int:
    is_bad = False
    for shown, errors in _checked(names, desk.options):
        for error in errors:
            print(error)
        if errors:
            is_bad = True
        else:
            print(f"{shown}: ok")
    return int(is_bad)


def _checked(names: Sequence[str], options: Options) -> Iterator[tuple[str, Sequence[ConfigError]]]:
    """What to call each file, with its errors: those named, else all."""
    files = topic_files(options.topics_dir)
    for name in names or sorted(files):
        try:
            if name in files:
                yield name, read_file(files[name])[1]
            elif Path(name).suffix in (".yaml", ".yml"):
                yield name, check_topic(name)
            else:
                yield topic_of(name, options).name, ()
        except (TopicError, UnknownTopic) as error:
            yield name, [error]


ACTION = Action(
    "check",
    "check [NAME|FILE ...]",
    "`check` reads topic files (all, or those named), prints one line for each and every error with its file and line; exit code 1 when one "
    "is bad.",
    lambda _names: "",
    _run,
)
