"""``scrapy topics score``: reads lines of text or JSON, and prints a line of JSON with a score for each; it needs no crawl."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from topicspider.cli.crawl_data import data_folder
from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.relevance.interfaces import PageScore, PageWords
from topicspider.relevance.link_features import site_name
from topicspider.store.topics import topics_of
from topicspider.topic.profile import crawl_name, folder_name
from topicspider.url import canonicalize, words_in_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from topicspider.cli.command import Action, CliCommand
    from topicspider.cli.judge import CrawlModel, OfflineJudge
    from topicspider.options import Options

LEARNED = "learned"  # the scorer that learns from a crawl
ALLOWED = "a file of lines, or - for standard input"
MAX_LINE = 4 << 20
"""In bytes; no page that a crawl stores is longer."""
KEYS = ("title", "body", "url", "anchor")


def score(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    from topicspider.cli.judge import judges_of

    with opened(opts.file) as stream:
        judges = list(judges_of(topics_of(opts.name, options), options).values())
        if opts.crawl:
            print(_load_model(judges, options).words(), file=sys.stderr)
        out = sys.stdout.buffer  # always UTF-8, whatever the locale
        records = map(read_record, stream)
        while chunk := list(islice(records, 1 if opts.crawl else 20_000 // len(judges))):
            lines = scored_lines(chunk, judges, alone=opts.crawl)
            out.write("".join(f"{line}\n" for line in lines).encode())
            out.flush()


def _load_model(judges: Sequence[OfflineJudge], options: Options) -> CrawlModel:
    from topicspider.cli.judge import load_model

    if options.page_scorer != LEARNED:
        allowed = _("the page scorer {learned}", learned=LEARNED)
        raise ConfigError("--crawl", options.page_scorer, allowed, "Others do not learn from a crawl")
    views = [judge.view for judge in judges]
    topics = [view.topic for view in views]
    return load_model(views, options, data_folder(options) / folder_name(*topics), crawl_name(*topics))


@contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
    """The lines of a file, or of standard input for -; raises ConfigError if there is nothing to read."""
    if source == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise ConfigError("FILE", source, ALLOWED, "Nothing is piped in: name a file, or pipe lines in")
        yield sys.stdin.buffer
        return
    try:
        stream = open(source, "rb")  # noqa: PTH123, SIM115 - Path() strips what names may end in
    except (OSError, ValueError) as error:
        raise ConfigError("FILE", source, ALLOWED, getattr(error, "strerror", "") or str(error)) from None
    with stream:
        yield stream


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the input. ``error`` says in words why it cannot be scored; "" if it can."""

    title: str = ""
    body: str = ""
    url: str = ""
    anchor: str = ""
    error: str = ""


def read_record(raw: bytes) -> Record:
    """The record in one line; never raises."""
    if len(raw) > MAX_LINE:
        return Record(error=f"longer than {MAX_LINE >> 20} MB")
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        return Record(error=f"not UTF-8 (byte {error.start + 1} of the line)")
    if text.startswith("{"):
        return _record_of_json(text)
    if not text or "\0" in text:
        return Record(error="a NUL character" if text else "empty")
    # Chinese news titles have 10 to 40 characters, sentences of English 60 to 120
    return Record(title=text) if len(text) <= 100 else Record(body=text)


def _record_of_json(text: str) -> Record:
    try:
        data = json.loads(text)
        record = Record(**{key: _text(key, data[key]) for key in KEYS if key in data})
    except RecursionError:
        return Record(error="JSON nested too deeply")
    except json.JSONDecodeError as error:
        return Record(error=f"broken JSON: {error.msg}")
    except ValueError as error:
        return Record(error=str(error))
    return record if record != Record() else Record(error=f"empty: none of {', '.join(KEYS)}")


def _text(key: str, value: Any) -> str:
    """Text as it is, "" for null, numbers as written; raises ValueError for other types. Characters that UTF-8 cannot hold are replaced."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise ValueError(f"{key} is not text")
    text = "" if value is None else str(value)
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip()


def scored_lines(records: Sequence[Record], judges: Sequence[OfflineJudge], *, alone: bool) -> list[str]:
    """A line of JSON for each of ``records``, with the scores of all judges. ``alone``: score each record without learning from others."""
    names = [judge.view.topic for judge in judges]
    rows = zip(records, *(_scores(records, judge, alone=alone) for judge in judges), strict=True)
    lines = []
    for record, *scores in rows:
        line = scores[0] if len(scores) == 1 else {"topics": dict(zip(names, scores, strict=True))}
        lines.append(json.dumps(line | ({"error": record.error} if record.error else {}), ensure_ascii=False))
    return lines


def _scores(records: Sequence[Record], judge: OfflineJudge, *, alone: bool) -> Iterator[dict[str, Any]]:
    """One topic's score of each record; 0 for a record that cannot be read."""
    pages = [record_words(record, judge.cut) for record in records if not record.error]
    scores = iter([judge.judge(words) for words in pages] if alone else judge.judge_all(pages))
    for record in records:
        page = PageScore(0.0, False, judge.view.judge.threshold) if record.error else next(scores)
        parts = {name: round(float(part), 6) for name, part in page.parts.items()}
        shown = {"score": round(page.value, 6), "on_topic": page.on_topic, "threshold": round(page.threshold, 6)}
        yield shown | {"parts": parts}


def record_words(record: Record, cut: Callable[[str], Sequence[str]]) -> PageWords:
    """The words of a record. For a link, those of its anchor and URL are used as a title, since they are as short as one."""
    if record.title or record.body:
        url = canonicalize(record.url)
        return PageWords(tuple(cut(record.title)), tuple(cut(record.body)), site=site_name(url) if url else "")
    return PageWords(title=tuple(cut(" ".join([record.anchor, *words_in_url(record.url)]))))


ACTION: Action = ("score", score, "score each line, a text or a JSON object with title, body, url or anchor; a JSON line comes out for each; of several topics it has the score of each", {
    "name": {"metavar": "NAME[,NAME …]"},
    "file": {"nargs": "?", "default": "-", "metavar": "FILE", "help": ALLOWED},
    "--crawl": {"action": "store_true", "help": "score by what the crawl has learned so far, each line by itself"},
})  # fmt: skip
