"""``scrapy topics coverage``: shows a crawl of several topics as a map: pages, hits, harvest and queue of each."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from topicspider.cli.command import Action, CliCommand, print_json, terminal_columns
from topicspider.cli.crawl_data import FRONTIER, find_crawl
from topicspider.cli.topics import title_of
from topicspider.frontier.factory import is_in_redis, open_inspection
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.store.location import store_of_crawl
from topicspider.store.maintenance import topics
from topicspider.store.topics import topics_of
from topicspider.text.terminal import fit, table
from topicspider.topic.profile import Topic


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a crawl has of a topic; ``queued``: waiting links that were found on its pages."""

    topic: Topic
    pages: int = 0
    hits: int = 0
    queued: int = 0


def coverage(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    options = replace(options, topic=opts.name)
    found = coverage_of(topics_of(opts.name, options), find_crawl(options)[0], options)
    if not opts.json:
        print(map_text(found, terminal_columns()))
        return
    for one in found:
        said = {"pages": one.pages, "hits": one.hits, "queued": one.queued}
        print_json({"topic": one.topic.name, "title": one.topic.title, **said})


def coverage_of(wanted: Sequence[Topic], folder: Path, options: Options) -> list[Coverage]:
    """What the crawl in ``folder`` has of each topic; raises StoreUnavailable."""
    with store_of_crawl(options, folder) as store:
        counts = {name: (pages, hits) for name, pages, hits in topics(store.database)}
        waiting = _referrers(folder / FRONTIER, options)
        queued = {name: sum(waiting[url] for url in store.urls(name)) for name in counts} if waiting else {}
    return [Coverage(topic, *counts.get(topic.name, (0, 0)), queued.get(topic.name, 0)) for topic in wanted]


def _referrers(path: Path, options: Options) -> Counter[str]:
    """How many links wait, by the page they were found on; empty if the queue was in memory or is gone."""
    if not is_in_redis(options.frontier) and not path.is_file():
        return Counter()
    with closing(open_inspection(options.frontier, path)) as inspection:
        return Counter(entry.referrer for entry in inspection.top(inspection.counts().queued))


def map_text(found: Sequence[Coverage], columns: int) -> str:
    """The map: a line for each topic that has pages; the bar shows its hits relative to the topic with the most hits."""
    most = max((one.hits for one in found), default=0) or 1
    rows = [[_("topic"), _("title"), _("pages"), _("hits"), _("harvest"), _("queued"), ""]]
    for one in found:
        if one.pages:
            counts = [f"{one.pages:,}", f"{one.hits:,}", f"{one.hits / one.pages:.0%}", f"{one.queued:,}"]
            rows.append([one.topic.name, fit(title_of(one.topic), 24), *counts, "█" * -(-16 * one.hits // most)])
    reached = sum(one.hits > 0 for one in found)
    last = _("{reached} of {count} topics have hits", reached=reached, count=len(found))
    return f"{table(rows, right=(2, 3, 4, 5), columns=columns)}\n\n{last}"


ACTION: Action = (
    "coverage",
    coverage,
    "show what a crawl of several topics, or of a branch of the catalogue (T*, clc), has of each: pages, hits, harvest, links that wait",
    {"name": {"metavar": "NAME"}, "--json": {"action": "store_true", "help": "print one line of JSON for each topic"}},
)
