"""``scrapy doctor``: can a crawl work here; what is looked at is in the workbench."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from scrapy.commands import BaseRunSpiderCommand

from topicspider.cli.command import one_line_errors

if TYPE_CHECKING:
    import argparse


class Command(BaseRunSpiderCommand):
    """Changes nothing, and may be run beside a crawl."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012

    def syntax(self) -> str:
        return "[-a topic=NAME] [-a seeds=URL,URL]"

    def short_desc(self) -> str:
        return "Check seeds, network, store, frontier and disk before or during a crawl"

    def long_desc(self) -> str:
        return (
            "For each seed: name resolution, connection, robots.txt and time to the first byte; then the store, the frontier and "
            "the free disk. Exit code 0 when all is well, 1 when something is not."
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.addon import user_agent
        from topicspider.plan import CrawlPlan
        from topicspider.spiders.arguments import with_arguments
        from topicspider.workbench.examining import BAD, examined, laid_out

        assert self.settings is not None
        with one_line_errors(self):
            settings = with_arguments(self.settings, opts.spargs)
            plan = CrawlPlan.read(settings)
            rows = examined(plan, user_agent(settings, plan.options))
            print("\n".join(laid_out(rows, shutil.get_terminal_size().columns)))
            if any(mark == BAD for mark, _what, _how in rows):
                self.exitcode = 1
