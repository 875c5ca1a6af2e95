"""``scrapy topics classes``: the catalogue as a tree, a class with those around it, or the classes that a word leads to."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from topicspider.cli.command import Action, CliCommand, terminal_columns
from topicspider.errors import UnknownTopic
from topicspider.i18n import as_typed, language
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.text.terminal import fit, wrap
from topicspider.topic import catalogue
from topicspider.topic.class_topics import class_of, class_topic, level_of, search_classes, topic_name


def show_classes(_command: CliCommand, opts: argparse.Namespace, _options: Options) -> None:
    columns, number = terminal_columns(), class_of(opts.word)
    if not opts.word:
        lines: Iterable[str] = map(_line, catalogue.classes())
    elif number and number.casefold() == opts.word.strip().casefold():
        lines = _card(number, columns)
    else:
        found = list(search_classes(opts.word))
        if not found:
            raise _nothing_found(opts.word)
        lines = map(_line, found)
    for line in lines:
        print(fit(line, columns))


def _line(number: str) -> str:
    titles = dict(class_topic(number).title)
    return f"{'  ' * (level_of(number) - 1)}{number:<8}{titles.pop(language())}  {' '.join(titles.values())}"


def _card(number: str, columns: int) -> Iterator[str]:
    """A class: where it stands, what is below it, its terms, and how to crawl it."""
    parent = catalogue.parent_of(number)
    yield from map(_line, filter(None, [parent, number]))
    yield from (_line(below) for below in catalogue.classes() if catalogue.parent_of(below) == number)
    yield ""
    yield from wrap(", ".join(class_topic(number).terms), columns)
    yield ""
    yield as_typed(_("to crawl it: scrapy crawl topic -a topic={name}", name=topic_name(number)))


def _nothing_found(word: str) -> UnknownTopic:
    near = catalogue.neighbour(word)
    hint = _("The nearest is {number} {title}", number=near, title=catalogue.title_of(near, language())) if near else ""
    return UnknownTopic("class", word, _("a number, a part of a title, its initials, or a term"), hint)


ACTION: Action = (
    "classes",
    show_classes,
    "show the classes of the catalogue (中图分类法), one with its words, or those that a word or initials (xlx: 心理学) lead to",
    {"word": {"nargs": "?", "default": "", "metavar": "WORD|NUMBER"}},
)
