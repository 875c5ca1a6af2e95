"""``scrapy export QUERY -o FILE``: writes exactly the hits of a query to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from topicspider.commandline import PlainCommand, one_line_errors
from topicspider.commands.hits import SYNTAX, add_query_options, sort_named
from topicspider.defaults import Options, setting_name
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse


class Command(PlainCommand):
    """Checks the file, opens the hits, and writes them."""

    def syntax(self) -> str:
        from topicspider.export.formats import FORMATS

        endings = ",".join(ending.removeprefix(".") for ending in FORMATS)
        return f"[--topic NAME] [--sort WAY] [--force] [QUERY] -o FILE.{{{endings}}}"

    def short_desc(self) -> str:
        return "Write the hits of a query to a file"

    def long_desc(self) -> str:
        return (
            f"Write every hit that has all that QUERY asks for ({SYNTAX}), without QUERY all of them, in the order of `scrapy hits`. The format "
            "is that of the file's ending; .parquet and .xlsx need the extra `export`. The file is there whole or not at all."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        add_query_options(parser)
        parser.add_argument("-o", "--output", default="", metavar="FILE", help="where to write")
        parser.add_argument("--force", action="store_true", help="write over a file that is there")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.export.formats import Sheet
        from topicspider.export.writing import check_target, write_export
        from topicspider.search.search import Asked
        from topicspider.store.snapshots import read_snapshot
        from topicspider.workbench.searching.place import opened_search

        if not opts.output:
            raise UsageError("say where to write: -o hits.csv")
        assert self.settings is not None
        with one_line_errors(self):
            if opts.topic:
                self.settings.set(setting_name("topic"), opts.topic, priority="cmdline")
            options = Options.read(self.settings)
            path, query = Path(opts.output).expanduser(), " ".join(args)
            check_target(path, force=opts.force)
            asked = Asked(query, sort_named(opts.sort), copies=opts.copies)
            with opened_search(options, anew=opts.reindex) as (search, place):
                title = " · ".join(filter(None, ("+".join(place.topics) or place.folder.name, query)))
                sheet = Sheet(title, lambda snapshot: read_snapshot(place.folder, snapshot))
                count = write_export(path, search.rows(asked), sheet, force=opts.force)
            chinese = speaks_chinese(options.language)
            print(f"{path}：{count:,} 条" if chinese else f"{path}: {count:,} hit{'' if count == 1 else 's'}")
