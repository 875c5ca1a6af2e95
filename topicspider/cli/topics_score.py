"""``scrapy topics score``: lines of text or JSON in, one line of JSON with a score out for each; no crawl needed."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from topicspider.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from topicspider.cli.command import CliCommand
    from topicspider.cli.judge import CrawlModel, OfflineJudge
    from topicspider.options import Options
    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import PageScore, PageWords

LEARNED = "learned"  # the scorer, and the link policy, that learn from a crawl
ALLOWED = "a file of lines, or - for standard input"
MAX_LINE = 4 << 20
"""Bytes; no page that a crawl stores is longer."""
CHUNK_LINES, CHUNK_BYTES = 20_000, 32 << 20
"""What is read together ends at whichever comes first, so that memory is bounded."""
KEYS = ("title", "body", "url", "anchor")
ABOUT = (
    "score each line of a file (or of standard input): a text, or a JSON object with title, body, url or anchor. It "
    "prints one JSON line for each, in the same order, with score (0 to 1), on_topic, threshold and parts; a line that cannot be scored "
    "has score 0 and an error."
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("score", help="score lines of text or JSON, without a crawl", description=ABOUT)
    parser.set_defaults(action=score)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help=ALLOWED)
    parser.add_argument("--alone", action="store_true", help=f"score each line by itself at once; otherwise {CHUNK_LINES:,} lines are read together, and may be learned from")  # fmt: skip
    parser.add_argument("--crawl", action="store_true", help="score by what the crawl of the topic has learned so far, each line by itself")  # fmt: skip
    parser.add_argument(
        "--scorer", default="", metavar="NAME", help="the page scorer (default TOPICSPIDER_PAGE_SCORER)"
    )


def score(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    """Score the lines chunk by chunk."""
    from topicspider.cli.judge import load_judge, with_scorer

    with _opened(opts.file) as stream:
        judge = load_judge(opts.name, with_scorer(options, opts.scorer))
        if opts.crawl:
            print(_load_model(judge, options).words(), file=sys.stderr)
        out = sys.stdout.buffer  # UTF-8 whatever the locale
        for chunk in chunks(stream, 1 if opts.alone else CHUNK_LINES):
            lines = scored_lines(chunk, judge, alone=opts.alone or opts.crawl)
            out.write("".join(f"{line}\n" for line in lines).encode())
            out.flush()


def _load_model(judge: OfflineJudge, options: Options) -> CrawlModel:
    from topicspider.cli.crawl_data import data_folder
    from topicspider.cli.judge import load_model
    from topicspider.topic.profile import folder_name

    scorer, topic = judge.view.judge.scorer_name, judge.profile.topic.name
    if scorer != LEARNED:
        raise ConfigError("--crawl", scorer, f"the page scorer {LEARNED}", "Others do not learn from a crawl")
    return load_model([judge.view], options, data_folder(options) / folder_name(topic), topic)


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
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
    """One line. ``error`` says in words why it cannot be scored, and is "" when it can."""

    title: str = ""
    body: str = ""
    url: str = ""
    anchor: str = ""
    error: str = ""

    @property
    def is_link(self) -> bool:
        """Nothing of the page itself is known, only how it is pointed at."""
        return not (self.title or self.body or self.error)


def chunks(stream: BinaryIO, lines: int = CHUNK_LINES) -> Iterator[list[Record]]:
    """The records of ``stream`` in order, up to ``lines`` at once; every line is one, the last without an end too."""
    chunk: list[Record] = []
    size = 0
    for raw in _lines(stream):
        chunk.append(read_record(raw))
        size += len(raw)
        if len(chunk) >= lines or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    r"""Lines at b"\n" only; of one that is too long no more than its beginning is kept."""
    while raw := stream.readline(MAX_LINE + 2):
        is_cut = len(raw) > MAX_LINE and not raw.endswith(b"\n")
        while is_cut and (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
            pass
        yield raw.removesuffix(b"\n").removesuffix(b"\r") if not is_cut else raw


def read_record(raw: bytes) -> Record:
    """The record in one line, without its end; never raises."""
    if len(raw) > MAX_LINE:
        return Record(error=f"longer than {MAX_LINE >> 20} MB")
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        return Record(error=f"not UTF-8 (byte {error.start + 1} of the line)")
    if "\0" in text:
        return Record(error="a NUL character")
    if not text:
        return Record(error="empty")
    if text.startswith("{"):
        return _record_of_json(text)
    # Chinese news titles have 10 to 40 characters, sentences of English 60 to 120
    return Record(title=text) if len(text) <= 100 else Record(body=text)


def _record_of_json(text: str) -> Record:
    try:
        data = json.loads(text)
    except RecursionError:
        return Record(error="JSON nested too deeply")
    except ValueError as error:
        return Record(error=f"broken JSON: {str(error).partition(':')[0]}")
    assert isinstance(data, dict)  # it begins with {
    if not any(key in data for key in KEYS):
        return Record(error=f"none of {', '.join(KEYS)}")
    values = {key: _text(data.get(key)) for key in KEYS}
    wrong = next((key for key, value in values.items() if value is None), "")
    if wrong:
        return Record(error=f"{wrong} is not text")
    record = Record(**{key: value for key, value in values.items() if value})
    return record if record != Record() else Record(error="empty")


def _text(value: Any) -> str | None:
    """Text as it is, nothing for null, numbers as written; None for the rest. What UTF-8 cannot hold is replaced."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip()


def scored_lines(records: Sequence[Record], judge: OfflineJudge, *, alone: bool) -> list[str]:
    """A line of JSON for each of ``records``; ``alone``: none of them is learned from."""
    good = [record for record in records if not record.error]
    links = [record for record in good if record.is_link]
    link_scores = judge_links(links, judge) if links else []
    texts = good if link_scores is None else [record for record in good if not record.is_link]
    pages = [words_of(record, judge) for record in texts]
    scores = iter([judge.judge(words) for words in pages] if alone else judge.judge_all(pages))
    of_links = iter(link_scores or ())
    threshold = judge.view.judge.threshold

    def as_json(record: Record) -> dict[str, Any]:
        if record.error:
            no_score = {"score": 0.0, "on_topic": False, "threshold": round(threshold, 6), "parts": {}}
            return {**no_score, "error": record.error}
        return _score_as_json(next(of_links if record.is_link and link_scores is not None else scores))

    return [json.dumps(as_json(record), ensure_ascii=False) for record in records]


def words_of(record: Record, judge: OfflineJudge) -> PageWords:
    """The words of a record; of a link that no policy judges those of its anchor and its URL, which are as short as a title."""
    from topicspider.relevance.interfaces import PageWords
    from topicspider.url import words_in_url

    if not record.is_link:
        return judge.words(record.title, record.body)
    of_url = [word for piece in words_in_url(record.url) for word in judge.segmenter.words(piece)]
    return PageWords(title=(*judge.segmenter.words(record.anchor), *of_url))


def judge_links(records: Sequence[Record], judge: OfflineJudge) -> list[PageScore] | None:
    """A score for each of ``records``; None when the policy in use says nothing of a link by itself (most rank it among others).

    The score is a probability, so it is on topic from the threshold of pages on, unless a threshold of links is given.
    """
    from topicspider.relevance.default_thresholds import page_threshold
    from topicspider.relevance.interfaces import PageScore
    from topicspider.relevance.online import LearnedPolicy

    policy = judge.view.policy
    if not isinstance(policy, LearnedPolicy):
        return None
    topic, option = judge.profile.topic, judge.options.link_threshold
    given = option if option >= 0.0 else topic.link_thresholds.get(LEARNED, topic.link_threshold)
    threshold = page_threshold(topic, LEARNED, None) if given is None else given
    scores = policy.judge_alone([_link(record) for record in records])
    return [PageScore(link.value, link.value >= threshold, threshold, link.parts) for link in scores]


def _link(record: Record) -> Link:
    """What is no address may still have words."""
    from topicspider.page.links import Link
    from topicspider.url import canonicalize

    url = canonicalize(record.url) or ""
    return Link(url, record.anchor or ("" if url else record.url))


def _score_as_json(page: PageScore) -> dict[str, Any]:
    return {
        "score": round(page.value, 6),
        "on_topic": page.on_topic,
        "threshold": round(page.threshold, 6),
        "parts": {name: round(float(part), 6) for name, part in page.parts.items()},
    }
