"""``scrapy replay``: serves a recorded or made web on this machine, to be crawled offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from topicspider.cli.command import check_arguments, one_line_errors

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCommand):
    """A loopback proxy under which recorded sites have their own names again."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[options] FILE.warc[.gz]|made:SPEC"

    def short_desc(self) -> str:
        return "Serve a recorded (WARC) or made web as a local proxy, to crawl it offline"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from topicspider.rehearsal.replay.server import add_arguments

        super().add_options(parser)
        add_arguments(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve until Ctrl-C."""
        from topicspider.rehearsal.replay.server import serve

        with one_line_errors(self):
            check_arguments("replay", args)
            serve(opts)
