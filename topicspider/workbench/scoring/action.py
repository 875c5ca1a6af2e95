"""``scrapy topics score``: lines of text or JSON in, one line of JSON with a score out for each; no crawl needed."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from topicspider.errors import ConfigError
from topicspider.topic.profile import folder_name
from topicspider.workbench.action import Action, Desk
from topicspider.workbench.scoring.records import CHUNK_LINES, chunks

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from topicspider.defaults import Options
    from topicspider.workbench.bench import Bench
    from topicspider.workbench.kept_model import KeptModel

STANDARD_INPUT = "-"
LEARNS = "learned"
_ALLOWED = "a file of lines, or - for standard input"


def _run(args: Sequence[str], opts: argparse.Namespace, desk: Desk) -> int:
    from topicspider.workbench.bench import open_bench, with_scorer
    from topicspider.workbench.scoring.lines import scored_lines

    name, source = args[0], args[1] if len(args) > 1 else STANDARD_INPUT
    with _opened(source) as stream:
        bench = open_bench(name, with_scorer(desk.options, opts.scorer))
        alone = opts.alone or opts.crawl
        if opts.crawl:
            print(_taken_over(bench, desk.options).words(chinese=desk.chinese), file=sys.stderr)
        out = sys.stdout.buffer  # UTF-8 whatever the locale
        for chunk in chunks(stream, 1 if opts.alone else CHUNK_LINES):
            out.write("".join(f"{line}\n" for line in scored_lines(chunk, bench, alone=alone)).encode())
            out.flush()
    return 0


def _taken_over(bench: Bench, options: Options) -> KeptModel:
    from topicspider.workbench.kept_model import take_over

    if bench.view.judge.scorer_name != LEARNS:
        raise ConfigError(
            "--crawl", bench.view.judge.scorer_name, f"the page scorer {LEARNS}", "Others do not learn from a crawl"
        )
    name = bench.profile.topic.name
    return take_over([bench.view], options, Path(options.data).expanduser() / folder_name(name), name)


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    if source == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.isatty():
            raise ConfigError("FILE", source, _ALLOWED, "Nothing is piped in: name a file, or pipe lines in")
        yield sys.stdin.buffer
        return
    try:
        stream = open(source, "rb")  # noqa: PTH123, SIM115 - Path() strips what names may end in
    except (OSError, ValueError) as error:
        raise ConfigError("FILE", source, _ALLOWED, getattr(error, "strerror", "") or str(error)) from None
    with stream:
        yield stream


def _options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--alone",
        action="store_true",
        help=f"score each line by itself at once; otherwise {CHUNK_LINES:,} lines are read together, and may be learned from",
    )
    group.add_argument(
        "--crawl",
        action="store_true",
        help="score by what the crawl of the topic has learned so far, each line by itself",
    )
    group.add_argument(
        "--scorer", default="", metavar="NAME", help="the page scorer (default: TOPICSPIDER_PAGE_SCORER)"
    )


ACTION = Action(
    "score",
    "score NAME [FILE|-] [--alone] [--crawl] [--scorer NAME]",
    "`score NAME [FILE|-]` scores each line of a file (or of standard input): a text, or a JSON object with title, body, url or anchor. It "
    "prints one JSON line for each, in the same order, with score (0 to 1), on_topic, threshold and parts; a line that cannot be scored has "
    "score 0 and an error. With --crawl it scores by what the crawl of the topic has learned.",
    lambda args: "" if len(args) in (1, 2) else "score takes a topic and a file",
    _run,
    _options,
)
