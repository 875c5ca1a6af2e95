"""``scrapy frontier export``, ``import`` and ``move``: carries a queue to a file, from a file, and into another frontier."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import IO, Any

from topicspider.cli.command import Action, CommandResult
from topicspider.cli.crawl_data import Places, topics_in
from topicspider.cli.frontier import looked_at
from topicspider.errors import ConfigError, CrawlRunning, TopicSpiderError, one_line
from topicspider.frontier.factory import own_inspection
from topicspider.frontier.foreign_requests import entries_of
from topicspider.frontier.inspection import DoneUrls, Fact, HostState, Inspection, Record
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.record_lines import lines_of, read_lines
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.store.location import store_of_crawl
from topicspider.store.store import Store
from topicspider.topic.profile import crawl_name
from topicspider.url import fingerprint, host_key, masked

AT_ONCE = 5_000  # records
MOVED_FROM = "moved_from"
STANDARD = "-"


def owned(places: Places, name: str = "") -> closing[Inspection]:
    """A queue for whoever must be alone with it; one that is not there is made."""
    return closing(own_inspection(*places.find(name), seed=places.options.seed))


def export(places: Places, opts: argparse.Namespace) -> CommandResult | None:
    count = -2  # the first line and the last are no records
    with looked_at(places) as inspection, _written(opts.file) as file:
        for line in lines_of(inspection.records(), places.label()):
            file.write(f"{line}\n")
            count += 1
    if opts.file == STANDARD:
        return None
    text = _("{path}: {count:,} records", path=opts.file, count=count)
    return CommandResult({"file": opts.file, "records": count}, text)


def import_records(places: Places, opts: argparse.Namespace) -> CommandResult:
    if opts.from_scrapy_redis:
        return _import_foreign(places, opts.from_scrapy_redis, opts.file)
    with _lines(opts.file) as lines, owned(places) as inspection:
        taken = _take_in(read_lines(lines, opts.file), inspection)
    return CommandResult(taken, _("{records:,} records, {new:,} new URLs", **taken))


def _import_foreign(places: Places, url: str, key: str) -> CommandResult:
    """Add what a queue of scrapy-redis holds, and leave it there. Its dupefilter has digests alone: what it knows cannot be told."""
    from scrapy.settings import BaseSettings

    from topicspider.redis_seeds import connect

    refused: Counter[str] = Counter()
    server, where = connect(BaseSettings({"REDIS_URL": url}))
    with closing(server), owned(places) as inspection:
        members = _members(server, key, where)
        taken = _take_in(entries_of(members, lambda why: refused.update([why])), inspection)
    left_out = [f"{one_line(why, 200)} ×{count:,}" for why, count in refused.most_common(5)]
    text = _("{records:,} records, {new:,} new URLs", **taken)
    if refused:
        text += "\n" + _("left out, {count:,}: {why}", count=refused.total(), why="; ".join(left_out))
    return CommandResult({**taken, "refused": refused.total()}, text)


def _members(server: Any, key: str, where: str) -> list[tuple[bytes, float]]:
    """The members of a PriorityQueue, a FifoQueue or a LifoQueue with their priorities (a list's are 0); raises ConfigError, FrontierUnavailable."""
    from topicspider.frontier.redis.server import patiently  # loads the driver

    kind = patiently(lambda: server.type(key).decode(), where, 0.0)
    if kind == "zset":  # scrapy-redis keeps the negative priority
        pairs = patiently(lambda: server.zrange(key, 0, -1, withscores=True), where, 0.0)
        return [(member, -score) for member, score in pairs]
    if kind == "list":
        return [(member, 0.0) for member in patiently(lambda: server.lrange(key, 0, -1), where, 0.0)]
    raise ConfigError("import", key, "the key of a queue of scrapy-redis, SPIDER:requests", f"It is there as: {kind}")


def rebuild(places: Places, _opts: argparse.Namespace) -> CommandResult:
    path = places.find()[1]
    with (
        store_of_crawl(places.options, path.parent) as store,
        owned(places) as queue,
    ):
        topics = topics_in(path.parent)
        taken = {**_take_in(_as_records(store, topics), queue), "pages": queue.counts().pages}
    words = N_("{queue}: knows {pages:,} pages of the store, {new:,} URLs in all")
    return CommandResult(taken, _(words, queue=places.label(), **taken))


def _as_records(store: Store, topics: Sequence[str]) -> Iterator[Record]:
    urls = {url for topic in topics for url in store.urls(topic)}
    yield from (HostState(host, pages=pages) for host, pages in Counter(map(host_key, urls)).items())
    yield DoneUrls(tuple(map(fingerprint, urls)))
    for page, url, score in store.kept_links(crawl_name(*topics)):
        if url not in urls:  # of those in one transaction the queue would keep it as not done
            yield Entry(url, fingerprint(url), host_key(url), score, depth=1, referrer=page)


def move(places: Places, opts: argparse.Namespace) -> CommandResult:
    """Source after target is told of it, so that at every moment one of them has everything."""
    if opts.source == opts.target:
        raise ConfigError("move", masked(opts.target), "another frontier than the first")
    source_name, target_name = masked(opts.source), masked(opts.target)
    with looked_at(places, opts.source):
        pass  # one that is not there is not made
    with owned(places, opts.source) as source:
        _check_idle(source_name, source)
        before = source.counts()
        with owned(places, opts.target) as target:
            _check_target(source_name, target_name, target)
            target.take_in([Fact(MOVED_FROM, source_name)])
            taken = _take_in(source.records(), target)
            after = target.counts()
        if _urls(after) < _urls(before):
            words = N_("{target_name} has {after} of {before} URLs; {source_name} is kept")
            names = {"target_name": target_name, "source_name": source_name}
            raise TopicSpiderError(_(words, after=_urls(after), before=_urls(before), **names))
        source.clear()  # now that the other is closed, and on its disk
    text = _("{records:,} records, {new:,} new URLs; {source} is empty now", source=source_name, **taken)
    return CommandResult(taken, text)


FILE = {"file": {"metavar": "FILE.jsonl|-"}}
IMPORT = {
    "file": {"metavar": "FILE.jsonl|-|KEY"},
    "--from-scrapy-redis": {"metavar": "REDIS-URL", "default": "", "help": "add the requests of scrapy-redis' queue KEY (SPIDER:requests), JSON or pickled; no pickle is run"},
}  # fmt: skip
ACTIONS: tuple[Action, ...] = (
    ("export", export, "write everything, a JSON object a line; of a file also while the crawl runs", FILE),
    ("import", import_records, 'add what such a file has and the queue does not; lines like {"url": "https://…"} will do', IMPORT),
    ("rebuild", rebuild, "make a lost queue again from the store: its pages are done, the links that it has of them are queued", {}),
    (
        "move",
        move,
        "put everything into another frontier that has no URLs (each is a frontier's URL or a topic) and empty the first; when it was interrupted, run it again",
        {"source": {"metavar": "FROM"}, "target": {"metavar": "TO"}},
    ),
)  # fmt: skip


def _check_idle(source_name: str, source: Inspection) -> None:
    """What is moved away under the hands of nodes would be lost for them."""
    nodes = sorted({lease.node for lease in source.leases() if lease.seconds_left > 0})
    if nodes:
        words = N_("{source_name}: {names} crawls on it; stop that first, or wait for its leases")
        raise CrawlRunning(_(words, source_name=source_name, names=", ".join(nodes)))


def _check_target(source_name: str, target_name: str, target: Inspection) -> None:
    """A target that has URLs is another crawl's, unless they came from this source before."""
    counts = target.counts()
    if _urls(counts) and Fact(MOVED_FROM, source_name) not in target.records():
        hint = _("It has {count:,} URLs; `export` and `import` add to them", count=_urls(counts))
        raise ConfigError("move", target_name, "an empty frontier", hint)


def _urls(counts: Counts) -> int:
    return counts.queued + counts.leased + counts.done + counts.dead


def _take_in(records: Iterable[Record], inspection: Inspection) -> dict[str, int]:
    """How many ``records`` there were, and how many ``new`` URLs."""
    count = new = 0
    left = iter(records)
    while some := list(islice(left, AT_ONCE)):
        new += inspection.take_in(some)
        count += len(some)
    return {"records": count, "new": new}


@contextmanager
def _written(name: str) -> Iterator[IO[str]]:
    """A file that takes its name when it is whole; "-" is what is printed."""
    if name == STANDARD:
        yield sys.stdout
        return
    path = Path(name)
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise ConfigError("file", name, "a file that can be written", one_line(str(error))) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _lines(name: str) -> Iterator[Iterator[str]]:
    try:
        with nullcontext(sys.stdin) if name == STANDARD else Path(name).open(encoding="utf-8-sig") as file:
            yield file
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("file", name, "a file in UTF-8 that can be read", one_line(str(error))) from None
