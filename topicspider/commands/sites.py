"""``scrapy sites [TOPIC]``: what each site of a crawl has given, and whether to keep it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from topicspider.commandline import PlainCommand, columns, one_line_errors
from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.text.wording import speaks_chinese
from topicspider.workbench.sites.sorting import SORTS, in_order

if TYPE_CHECKING:
    import argparse

SHOWN = 20


class Command(PlainCommand):
    """Has the cards made, and prints them."""

    def syntax(self) -> str:
        return "[--sort WAY] [--limit N] [--json | --csv] [TOPIC]"

    def short_desc(self) -> str:
        return "What each site of a crawl has given, and whether to keep it"

    def long_desc(self) -> str:
        return (
            "One line a site, also while the crawl runs: pages, hits without near-duplicates, hits a fetch, mean score of its pages, median "
            "seconds of a download, capacity (score a second that its queued URLs promise) and what to do with it. raise: its hit rate is surely "
            "above the crawl's; drop: surely below it, and less than a quarter, also with the hits of other sites that it led to; keep: all others."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--topic", default="", metavar="NAME", help="the same as TOPIC (default: TOPICSPIDER_TOPIC, else the only crawl)")  # fmt: skip
        parser.add_argument("--sort", default=SORTS[0], metavar="WAY", help=f"{', '.join(SORTS)} (default: {SORTS[0]})")
        parser.add_argument("--limit", default="", metavar="N", help=f"how many sites of a topic (default: {SHOWN}; with --json and --csv all)")  # fmt: skip
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
        parser.add_argument("--csv", action="store_true", help="print a table as CSV instead")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) > 1 or (args and opts.topic):
            raise UsageError("say one topic: `scrapy sites TOPIC`; of several join the names by commas")
        assert self.settings is not None
        with one_line_errors(self):
            if opts.sort not in SORTS:
                raise ConfigError("--sort", opts.sort, ", ".join(SORTS))
            limit = _limit(opts.limit, None if opts.json or opts.csv else SHOWN)
            if topic := opts.topic or (args[0] if args else ""):
                self.settings.set(setting_name("topic"), topic, priority="cmdline")
            self._print(opts, limit)

    def _print(self, opts: argparse.Namespace, limit: int | None) -> None:
        from topicspider.plan import crawl_options
        from topicspider.workbench.sites.account import COLUMNS, account, rows
        from topicspider.workbench.sites.gathering import sites_of
        from topicspider.workbench.sites.layout import laid_out

        assert self.settings is not None
        options = crawl_options(self.settings)
        chosen = [(one, in_order(one.cards.cards, opts.sort)[:limit]) for one in sites_of(options)]
        if opts.json or opts.csv:
            told = [account(one, cards) for one, cards in chosen]
            if opts.json:
                print(json.dumps(told, ensure_ascii=False))
                return
            from topicspider.export.csv_file import print_table

            print_table(rows(told), sys.stdout, COLUMNS)
            return
        chinese = speaks_chinese(options.language)
        print("\n\n".join(laid_out(one, cards, columns(), chinese=chinese) for one, cards in chosen))


def _limit(text: str, default: int | None) -> int | None:
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise ConfigError("--limit", text, "a whole number above 0")
    return int(text[:9])
