"""``scrapy export QUERY -o FILE``: writes exactly the hits of a query to a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from topicspider.cli.command import CliCommand, one_of
from topicspider.cli.crawl_data import crawl_of, find_crawl, search_in
from topicspider.cli.hits import QUERY_SYNTAX, add_query_options, check_query
from topicspider.errors import ConfigError
from topicspider.export.formats import Sheet, check_target, write_export
from topicspider.i18n import ngettext
from topicspider.search import SORTS
from topicspider.search.query import kind_asked
from topicspider.search.search import SearchRequest
from topicspider.store.snapshots import read_snapshot

SYNTAX = "[--topic NAME] [--sort WAY] [--copies] [--force] [QUERY] -o FILE.{jsonl,csv,parquet,xlsx,warc.gz,html,rss}"
ABOUT = (
    f"Write every hit that has all that QUERY asks for ({QUERY_SYNTAX}), without QUERY all of them, in the order of `scrapy hits`. "
    "A table of one kind (type:news, book, company, product or document) has that kind's fields as columns. The format is that of the file's ending; .parquet and .xlsx need the extra `export`. The file is there whole or not at all."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_query_options(parser)
    parser.add_argument("-o", "--output", default="", metavar="FILE", help="where to write")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    if not opts.output:
        raise ConfigError("-o", None, "a file to write, as in -o hits.csv")
    options = command.options(topic=opts.topic)
    path, query = Path(opts.output).expanduser(), " ".join(args)
    check_query(query)
    check_target(path, force=opts.force)
    request = SearchRequest(query, one_of("--sort", opts.sort, SORTS), copies=opts.copies)
    folder, topics = find_crawl(options)
    with search_in(folder, topics, options) as search:
        title = " · ".join(filter(None, (crawl_of(folder), query)))
        sheet = Sheet(title, lambda snapshot: read_snapshot(folder, snapshot), kind_asked(query))
        count = write_export(path, search.rows(request), sheet, force=opts.force)
    print(ngettext("{path}: {count:,} hit", "{path}: {count:,} hits", count, path=path))
