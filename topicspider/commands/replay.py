"""``scrapy replay``: serves a recorded or simulated web on this machine, to be crawled offline."""

from __future__ import annotations

import argparse

from topicspider.cli.command import PlainCommand, one_line_errors
from topicspider.i18n import gettext as _


class Command(PlainCommand):
    """A loopback proxy under which recorded sites have their own names again."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[options] FILE.warc[.gz]|made:SPEC"

    def short_desc(self) -> str:
        return _("Serve a recorded (WARC) or simulated web as a local proxy, to crawl it offline")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from topicspider.rehearsal.replay.server import add_arguments

        super().add_options(parser)
        add_arguments(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.rehearsal.replay.server import serve

        with one_line_errors(self):
            serve(opts)
