"""``scrapy demo``: crawls a made web for a topic, focused and breadth-first, and compares the two against the truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from topicspider.cli.command import INTERRUPTED, one_line_errors
from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse

PAGES = 300


class Command(ScrapyCommand):
    """Needs no network: the web is made up by this program, which therefore knows what every page is about."""

    requires_project = False
    requires_crawler_process = False

    def short_desc(self) -> str:
        return "Watch a topic crawl over a made web, compared with breadth-first; needs no network"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--pages", default=str(PAGES), help=f"how many pages each crawl fetches (default: {PAGES})")
        parser.add_argument(
            "--made",
            default="",
            metavar="SPEC",
            help="the made web: pages=N,hosts=N,seed=N,topic=NAME,topic_hosts=N (default: 80000 pages of 800 hosts)",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl twice, then compare."""
        from topicspider.rehearsal.synthetic.web import SyntheticWeb
        from topicspider.workbench.demonstrating import RUNS, closing, comparison, crawl, judge, make_folder, opening

        assert self.settings is not None
        with one_line_errors(self):
            pages = _pages(opts.pages)
            web = SyntheticWeb.read(opts.made)
            folder = Path(str(self.settings.get(setting_name("data"), "data"))).expanduser().absolute() / "demo"
            chinese = speaks_chinese(str(self.settings.get(setting_name("language"), "auto")))
            make_folder(folder)
            harvests = []
            for run in RUNS:
                print(opening(run, pages, len(web), chinese=chinese), flush=True)
                code = crawl(run, folder, f"made:{opts.made}", pages, opts.set)
                if code == INTERRUPTED:
                    self.exitcode = INTERRUPTED
                    return
                harvests.append(judge(folder / run.name, web))
            print(comparison(harvests, chinese=chinese))
            print(closing(folder / RUNS[0].name, chinese=chinese))


def _pages(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 10**6):
        raise ConfigError("--pages", text, "a whole number from 1 to 1000000")
    return int(text)
