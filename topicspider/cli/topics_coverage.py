"""``scrapy topics coverage``: a crawl of several topics as a map: pages, hits and harvest of each."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from topicspider.cli.command import print_json, terminal_columns
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, table

if TYPE_CHECKING:
    import argparse

    from topicspider.cli.command import Action, CliCommand
    from topicspider.options import Options
    from topicspider.topic.profile import Topic

HEADS = (N_("topic"), N_("title"), N_("pages"), N_("hits"), N_("harvest"), "")
BAR = 16  # columns


def coverage(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    """One line a topic, in the order of the catalogue, and how many have hits."""
    from topicspider.cli.crawl_data import STORE, find_crawl
    from topicspider.store.location import open_store
    from topicspider.store.maintenance import topics
    from topicspider.store.topics import topics_of

    options = replace(options, topic=opts.name)
    folder, _names = find_crawl(options)
    with closing(open_store(options.store, folder / STORE, options.connect_wait)) as store:
        counts = {name: (pages, hits) for name, pages, hits in topics(store.database)}
    found = [(topic, *counts.get(topic.name, (0, 0))) for topic in topics_of(opts.name, options)]
    if opts.json:
        for topic, pages, hits in found:
            print_json({"topic": topic.name, "title": topic.title, "pages": pages, "hits": hits})
        return
    print(map_text(found, terminal_columns()))


def map_text(found: list[tuple[Topic, int, int]], columns: int) -> str:
    """The map: a line for each topic that has a page, with a bar as long as its share of the hits of the richest."""
    from topicspider.cli.topics import title_of

    most = max((hits for _topic, _pages, hits in found), default=0) or 1
    rows = [[_(head) if head else "" for head in HEADS]]
    for topic, pages, hits in found:
        if pages:
            bar = "█" * -(-BAR * hits // most)
            rows.append([topic.name, fit(title_of(topic), 24), f"{pages:,}", f"{hits:,}", f"{hits / pages:.0%}", bar])
    reached = sum(hits > 0 for _topic, _pages, hits in found)
    last = _("{reached} of {count} topics have hits", reached=reached, count=len(found))
    return f"{table(rows, right=(2, 3, 4), columns=columns)}\n\n{last}"


ACTION: Action = (
    "coverage",
    coverage,
    "show what a crawl of several topics, or of a branch of the catalogue (T*, clc), has of each: pages, hits, harvest",
    {"name": {"metavar": "NAME"}, "--json": {"action": "store_true", "help": "print one line of JSON for each topic"}},
)
