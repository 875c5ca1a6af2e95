"""``scrapy frontier`` for those who carry: export, import, and move a queue into another frontier."""

from __future__ import annotations

import sys
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from topicspider.errors import ConfigError, CrawlRunning, TopicSpiderError, one_line
from topicspider.frontier.inspection import Fact
from topicspider.frontier.record_lines import lines_of, read_lines
from topicspider.url.display import masked
from topicspider.workbench.queueing.desk import QueueAction, QueueDesk, Told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from topicspider.frontier.inspection import Inspection, Record
    from topicspider.frontier.protocol import Counts

TAKEN_AT_ONCE = 5_000
MOVED_FROM = "moved_from"
STANDARD = "-"


def _export(args: Sequence[str], desk: QueueDesk) -> Told:
    if args[0] == STANDARD:
        return Told(lines=_exported(desk))
    path = Path(args[0])
    count = 0
    with _in_place_of(path) as file:
        for line in _exported(desk):
            file.write(f"{line}\n")
            count += 1
    data = {"file": str(path), "records": count - 2}
    return Told(data, desk.words(f"{path}：{count - 2:,} 条记录", f"{path}: {count - 2:,} records"))


def _exported(desk: QueueDesk) -> Iterator[str]:
    with closing(desk.look()) as inspection:
        yield from lines_of(inspection.records(), desk.crawl)


def _import(args: Sequence[str], desk: QueueDesk) -> Told:
    with _lines(args[0]) as lines, closing(desk.own("")) as inspection:
        records, new = _take_in(read_lines(lines, args[0]), inspection)
    text = desk.words(f"{records:,} 条记录，{new:,} 个新网址", f"{records:,} records, {new:,} new URLs")
    return Told({"records": records, "new": new}, text)


def _move(args: Sequence[str], desk: QueueDesk) -> Told:
    """Source after target is told of it, so that at every moment one of them has everything."""
    source_name, target_name = map(masked, args)
    with closing(desk.look_at(args[0])):
        pass  # one that is not there is not made
    with closing(desk.own(args[0])) as source:
        _check_rest(source_name, source)
        before = source.counts()
        with closing(desk.own(args[1])) as target:
            _check_target(source_name, target_name, target, merges=desk.merges)
            target.take_in([Fact(MOVED_FROM, source_name)])
            records, new = _take_in(source.records(), target)
            after = target.counts()
        if _urls(after) < _urls(before):
            raise TopicSpiderError(f"{target_name} has {_urls(after)} of {_urls(before)} URLs; {source_name} is kept")
        source.clear()  # now that the other is closed, and on its disk
    text = desk.words(
        f"{records:,} 条记录，{new:,} 个新网址；{source_name} 已清空",
        f"{records:,} records, {new:,} new URLs; {source_name} is empty now",
    )
    return Told({"records": records, "new": new}, text)


def _check_rest(source_name: str, source: Inspection) -> None:
    """What is moved away under the hands of nodes would be lost for them."""
    nodes = sorted({lease.node for lease in source.leases() if lease.seconds_left > 0})
    if nodes:
        raise CrawlRunning(f"{source_name}: {', '.join(nodes)} crawls on it; stop that first, or wait for its leases")


def _check_target(source_name: str, target_name: str, target: Inspection, *, merges: bool) -> None:
    """A target that has URLs is another crawl's, unless they came from this source before."""
    counts = target.counts()
    was_begun = any(one == Fact(MOVED_FROM, source_name) for one in target.records() if isinstance(one, Fact))
    if _urls(counts) and not (merges or was_begun):
        raise ConfigError(
            "move", target_name, "an empty frontier", f"It has {_urls(counts):,} URLs; --merge adds to them"
        )


def _urls(counts: Counts) -> int:
    return counts.queued + counts.leased + counts.done + counts.dead


def _take_in(records: Iterable[Record], inspection: Inspection) -> tuple[int, int]:
    """How many records, and how many new URLs."""
    count = new = 0
    left = iter(records)
    while some := list(islice(left, TAKEN_AT_ONCE)):
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
        raise ConfigError(
            "file", str(path), "a file that can be written", one_line(error.strerror or str(error))
        ) from None
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


def _one_file(name: str, args: Sequence[str]) -> str:
    return "" if len(args) == 1 else f"{name} takes a file, or -"


def _two_places(args: Sequence[str]) -> str:
    if len(args) != 2:
        return "move takes two frontiers"
    return "move takes two frontiers that are not the same" if args[0] == args[1] else ""


ACTIONS = (
    QueueAction(
        "export",
        "export FILE.jsonl|-",
        "`export` writes everything, a JSON object a line; also while the crawl runs.",
        lambda args: _one_file("export", args),
        _export,
    ),
    QueueAction(
        "import",
        "import FILE.jsonl|-",
        '`import` adds what such a file has and the queue does not; lines like {"url": "https://…"} will do.',
        lambda args: _one_file("import", args),
        _import,
    ),
    QueueAction(
        "move",
        "move FROM TO [--merge]",
        "`move` puts everything into another frontier (each is a frontier's URL or a topic) and empties the first; when it was interrupted, "
        "run it again.",
        _two_places,
        _move,
    ),
)
