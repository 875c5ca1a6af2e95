"""``scrapy frontier export``, ``import`` and ``move``: carries a queue to a file, from a file, and into another frontier."""

from __future__ import annotations

import sys
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from topicspider.cli.frontier import CommandResult
from topicspider.errors import ConfigError, CrawlRunning, TopicSpiderError, one_line
from topicspider.i18n import gettext as _
from topicspider.url import masked

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from topicspider.cli.frontier import FrontierContext
    from topicspider.frontier.inspection import Inspection, Record
    from topicspider.frontier.protocol import Counts

AT_ONCE = 5_000  # records
MOVED_FROM = "moved_from"
STANDARD = "-"


def add_parsers(add: Any) -> None:
    """``add(name, action, about)`` makes a sub-parser."""
    parser = add("export", export, "write everything, a JSON object a line; also while the crawl runs")
    parser.add_argument("file", metavar="FILE.jsonl|-")
    about = 'add what such a file has and the queue does not; lines like {"url": "https://…"} will do'
    add("import", import_records, about).add_argument("file", metavar="FILE.jsonl|-")
    about = "put everything into another frontier (each is a frontier's URL or a topic) and empty the first; when it was interrupted, run it again"  # fmt: skip
    parser = add("move", move, about)
    parser.add_argument("source", metavar="FROM")
    parser.add_argument("target", metavar="TO")
    parser.add_argument("--merge", action="store_true", help="into a frontier that has URLs")


def export(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """Every record, a line of JSON each."""
    if opts.file == STANDARD:
        return CommandResult(lines=_exported(context))
    path = Path(opts.file)
    count = 0
    with _in_place_of(path) as file:
        for line in _exported(context):
            file.write(f"{line}\n")
            count += 1
    records = count - 2  # without the first line and the last
    return CommandResult(
        {"file": str(path), "records": records}, _("{path}: {count:,} records", path=path, count=records)
    )


def _exported(context: FrontierContext) -> Iterator[str]:
    from topicspider.frontier.record_lines import lines_of

    with closing(context.look()) as inspection:
        yield from lines_of(inspection.records(), context.crawl)


def import_records(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """Add what a file has and the queue does not."""
    from topicspider.frontier.record_lines import read_lines

    with _lines(opts.file) as lines, closing(context.own("")) as inspection:
        records, new = _take_in(read_lines(lines, opts.file), inspection)
    text = _("{records:,} records, {new:,} new URLs", records=records, new=new)
    return CommandResult({"records": records, "new": new}, text)


def move(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """Source after target is told of it, so that at every moment one of them has everything."""
    from topicspider.frontier.inspection import Fact

    if opts.source == opts.target:
        raise ConfigError("move", masked(opts.target), "another frontier than the first")
    source_name, target_name = masked(opts.source), masked(opts.target)
    with closing(context.look_at(opts.source)):
        pass  # one that is not there is not made
    with closing(context.own(opts.source)) as source:
        _check_idle(source_name, source)
        before = source.counts()
        with closing(context.own(opts.target)) as target:
            _check_target(source_name, target_name, target, merges=opts.merge)
            target.take_in([Fact(MOVED_FROM, source_name)])
            records, new = _take_in(source.records(), target)
            after = target.counts()
        if _urls(after) < _urls(before):
            raise TopicSpiderError(f"{target_name} has {_urls(after)} of {_urls(before)} URLs; {source_name} is kept")
        source.clear()  # now that the other is closed, and on its disk
    text = _(
        "{records:,} records, {new:,} new URLs; {source} is empty now", records=records, new=new, source=source_name
    )
    return CommandResult({"records": records, "new": new}, text)


def _check_idle(source_name: str, source: Inspection) -> None:
    """What is moved away under the hands of nodes would be lost for them."""
    nodes = sorted({lease.node for lease in source.leases() if lease.seconds_left > 0})
    if nodes:
        raise CrawlRunning(f"{source_name}: {', '.join(nodes)} crawls on it; stop that first, or wait for its leases")


def _check_target(source_name: str, target_name: str, target: Inspection, *, merges: bool) -> None:
    """A target that has URLs is another crawl's, unless they came from this source before."""
    from topicspider.frontier.inspection import Fact

    counts = target.counts()
    was_begun = any(record == Fact(MOVED_FROM, source_name) for record in target.records() if isinstance(record, Fact))
    if _urls(counts) and not (merges or was_begun):
        hint = f"It has {_urls(counts):,} URLs; --merge adds to them"
        raise ConfigError("move", target_name, "an empty frontier", hint)


def _urls(counts: Counts) -> int:
    return counts.queued + counts.leased + counts.done + counts.dead


def _take_in(records: Iterable[Record], inspection: Inspection) -> tuple[int, int]:
    """How many records, and how many new URLs."""
    count = new = 0
    left = iter(records)
    while some := list(islice(left, AT_ONCE)):
        new += inspection.take_in(some)
        count += len(some)
    return count, new


@contextmanager
def _in_place_of(path: Path) -> Iterator[IO[str]]:
    """A file that takes its name when it is whole."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        part.replace(path)
    except OSError as error:
        why = one_line(error.strerror or str(error))
        raise ConfigError("file", str(path), "a file that can be written", why) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _lines(name: str) -> Iterator[Iterator[str]]:
    try:
        if name == STANDARD:
            yield iter(sys.stdin)
            return
        with Path(name).open(encoding="utf-8-sig") as file:
            yield iter(file)
    except OSError as error:
        raise ConfigError("file", name, "a file that can be read", one_line(error.strerror or str(error))) from None
    except UnicodeDecodeError:
        raise ConfigError("file", name, "text in UTF-8") from None
