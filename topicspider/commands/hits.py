"""``scrapy hits QUERY``: searches what was found."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from topicspider.commandline import PlainCommand, columns, one_line_errors
from topicspider.defaults import Options, setting_name
from topicspider.errors import ConfigError
from topicspider.search.ranking import SORTS
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse

MOST = 10_000
SYNTAX = 'words, "phrases", -not, site:a.com, topic:tea, type:article, after:2026-05, before:2026, min:0.7'


class Command(PlainCommand):
    """Opens the hits, asks, and prints the answer."""

    def syntax(self) -> str:
        return "[--topic NAME] [--sort WAY] [--limit N] [--facets] [--json | --csv] [QUERY]"

    def short_desc(self) -> str:
        return "Search the hits of a crawl"

    def long_desc(self) -> str:
        return (
            f"Search title and body of the hits, also while they are being crawled. A query is made of {SYNTAX}. Simplified and traditional "
            "characters, full and half width, case and plurals make no difference. Without a QUERY: the best hits, or with --sort date the newest. "
            "A query that begins with - goes behind --: `scrapy hits -- -tea`."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        add_query_options(parser)
        parser.add_argument("--limit", default="20", metavar="N", help="how many hits are shown (default: 20)")
        parser.add_argument("--facets", action="store_true", help="count the hits by topic, site, year and type")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead")
        parser.add_argument("--csv", action="store_true", help="print a table as CSV instead")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.search.search import Asked
        from topicspider.workbench.searching.account import COLUMNS, account
        from topicspider.workbench.searching.layout import laid_out
        from topicspider.workbench.searching.place import opened_search

        assert self.settings is not None
        with one_line_errors(self):
            if opts.topic:
                self.settings.set(setting_name("topic"), opts.topic, priority="cmdline")
            options = Options.read(self.settings)
            asked = Asked(
                " ".join(args), sort_named(opts.sort), _limit(opts.limit), copies=opts.copies, facets=opts.facets
            )
            with opened_search(options, anew=opts.reindex) as (search, _):
                answer = search.answer(asked)
            if opts.json:
                print(json.dumps(account(answer), ensure_ascii=False))
            elif opts.csv:
                from topicspider.export.csv_file import print_table

                print_table(account(answer)["hits"], sys.stdout, COLUMNS)
            else:
                print(
                    laid_out(answer, columns(), chinese=speaks_chinese(options.language), is_bold=sys.stdout.isatty())
                )


def add_query_options(parser: argparse.ArgumentParser) -> None:
    """What `hits` and `export` both take."""
    parser.add_argument(
        "--topic", default="", metavar="NAME", help="whose hits (default: TOPICSPIDER_TOPIC, else the only crawl)"
    )
    parser.add_argument("--sort", default=SORTS[0], metavar="WAY", help=f"{', '.join(SORTS)} (default: {SORTS[0]})")
    parser.add_argument("--copies", action="store_true", help="near-duplicates too, each as a hit of its own")
    parser.add_argument("--reindex", action="store_true", help="make the search index anew first")


def sort_named(name: str) -> str:
    """``name`` if it is a way to sort; raises ConfigError."""
    if name not in SORTS:
        raise ConfigError("--sort", name, ", ".join(SORTS))
    return name


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= MOST):
        raise ConfigError("--limit", text, f"1 to {MOST}", "`scrapy export` writes them all")
    return int(text)
