"""``scrapy classify``: names the classes of the catalogue (中图分类法) that texts and pages belong to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.cli.command import CliCommand, print_json, terminal_columns
from topicspider.cli.explain import readable_part
from topicspider.errors import ConfigError, UnavailableError, one_line
from topicspider.i18n import gettext as _
from topicspider.i18n import language
from topicspider.relevance.interfaces import PageWords
from topicspider.text.segment import make_segmenter
from topicspider.text.terminal import fit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from topicspider.relevance.topic_matrix import TopicChance

SYNTAX = "[--json] [--top N] [--level 1|2] FILE|URL|-"
ABOUT = (
    "Name the classes of levels 1 and 2 of the Chinese Library Classification that a text or page belongs to. Takes a page (URL, HTML, PDF, "
    "WARC), a file of lines (.txt, .jsonl, or - for standard input), each a text or a JSON object with title, body, url or anchor."
)
OF_LINES = (".txt", ".jsonl", ".json", ".tsv", ".csv")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each page or line: its classes, the best first")  # fmt: skip
    parser.add_argument("--top", type=int, default=3, metavar="N", help="how many classes (default: 3)")
    parser.add_argument("--level", type=int, choices=(1, 2), default=2, help="classes of level 1 (letters) or 2 (default)")  # fmt: skip


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    if len(args) != 1:
        raise ConfigError("FILE", " ".join(args), "one URL, file or -, as in `scrapy classify page.html`")
    if opts.top < 1:
        raise ConfigError("--top", opts.top, "a whole number, 1 or more")
    command.settings.set("TOPICSPIDER_TOPIC", "", priority="cmdline")
    classifier = Classifier(opts.level)
    is_of_lines = args[0] == "-" or Path(args[0]).suffix.lower() in OF_LINES
    records = _lines(args[0], classifier) if is_of_lines else _pages(command, args[0], classifier)
    for name, words, error in records:
        found = classifier.classes(words, opts.top) if words else []
        if opts.json:
            print_json({"classes": found} | ({"error": error} if error else {}))
        else:
            print("\n".join(fit(line, terminal_columns()) for line in _shown(name, found, error)))
        sys.stdout.flush()


class Classifier:
    """Finds the classes of a text on level 1 or 2; the chance of a level-1 class is the sum of the chances of its level-2 classes."""

    def __init__(self, level: int = 2) -> None:
        from topicspider.relevance.topic_matrix import TopicMatrix
        from topicspider.topic.class_topics import class_topics

        self.segmenter = make_segmenter()
        self._topics = class_topics(2)
        self._matrix = TopicMatrix(self._topics, self.segmenter)
        self._level = level

    def classes(self, words: PageWords, top: int) -> list[dict[str, Any]]:
        """The ``top`` most likely classes, best first: number, title, chance and parts."""
        from topicspider.topic.catalogue import title_of

        if self._level == 2:
            found = [(self._topics[one.place].clc, one) for one in self._matrix.best(words, top)]
        else:
            found = self._letters(words)[:top]
        records = []
        for number, one in found:
            parts = {name: round(part, 4) for name, part in one.parts.items()}
            record = {"number": number, "title": title_of(number), "chance": round(one.chance, 4), "parts": parts}
            records.append(record)
        return records

    def _letters(self, words: PageWords) -> list[tuple[str, TopicChance]]:
        """Level-1 classes, best first: the sum of the chances of their level-2 classes, and the parts of the likeliest of these."""
        letters: dict[str, TopicChance] = {}
        for one in self._matrix.best(words, len(self._topics)):
            letter = self._topics[one.place].clc[0]
            before = letters.get(letter)
            letters[letter] = one if before is None else before._replace(chance=before.chance + one.chance)
        return sorted(letters.items(), key=lambda pair: -pair[1].chance)


def _lines(source: str, classifier: Classifier) -> Iterator[tuple[str, PageWords | None, str]]:
    from topicspider.cli.topics_score import opened, read_record, record_words

    with opened(source) as stream:
        for record in map(read_record, stream):
            words = None if record.error else record_words(record, classifier.segmenter.words)
            yield record.title or record.body or record.anchor or record.url, words, record.error


def _pages(command: CliCommand, source: str, classifier: Classifier) -> Iterator[tuple[str, PageWords | None, str]]:
    from topicspider.cli.pages import PageReader
    from topicspider.cli.read import pages_named

    options = command.options()
    reader = PageReader(options, classifier.segmenter)
    for local in pages_named(command, [source]):
        page, trouble = reader.page(local)
        if page is None and not local.file:
            raise UnavailableError(local.url, _("could not be read: {trouble}", trouble=trouble))
        words = PageWords.of(page) if page else None
        yield (page.title if page else "") or local.url or local.file, words, trouble


def _shown(name: str, found: Sequence[Mapping[str, Any]], error: str) -> Iterator[str]:
    from topicspider.topic.catalogue import title_of

    is_unsure = bool(found) and found[0]["chance"] < 0.5  # the text may belong to none of them, or to several
    doubt = error or (_("unsure: no class has half of the chance") if is_unsure else "")
    yield one_line(name + (f"  ({doubt})" if doubt else ""), 300)  # a line of a file may contain any characters
    for one in found:
        shown = list(one["parts"].items())[:4]
        parts = _(", ").join(f"{readable_part(part)} {value:.2f}" for part, value in shown)
        yield f"  {one['chance']:>4.0%}  {one['number']:<7}{title_of(one['number'], language())}  {parts}"
