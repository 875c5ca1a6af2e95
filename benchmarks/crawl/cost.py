"""CPU time a page and peak memory of a topic crawl beside plain Scrapy on the same recorded web.

    python benchmarks/crawl/cost.py [--pages 1500] [--repeat 3] [--policy NAME] [--scorer NAME]

Plain Scrapy is a CrawlSpider with a LinkExtractor that follows every link and analyses nothing. Both
stop at the same number of HTML pages; ours by the default scorer and link policy, or those given.
Both use the same seeds, one connection a host, no delays, no log.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from replayed import NO_DELAYS, START_PAGE, Run, corpora, replay, run_crawl, scratch

from topicspider.defaults import Options

PLAIN_SETTINGS = """
BOT_NAME = "plain"
SPIDER_MODULES = ["plain"]
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "ERROR"
"""
PLAIN_SPIDER = """
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Plain(CrawlSpider):
    name = "plain"
    rules = (Rule(LinkExtractor(), callback="page", follow=True),)
    seen = 0

    def __init__(self, start="", pages="500", **kwargs):
        super().__init__(**kwargs)
        self.start_urls, self.pages = [start], int(pages)

    def page(self, response):
        self.seen += isinstance(response, HtmlResponse)
        if self.seen >= self.pages:
            raise CloseSpider("enough")
"""


def main() -> None:
    """Alternate the two, print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--policy", default=Options().link_policy)
    parser.add_argument("--scorer", default=Options().page_scorer)
    options = parser.parse_args()
    folder = corpora()
    runs: dict[str, list[Run]] = {"plain scrapy": [], "topicspider": []}
    with scratch() as work, replay(folder / "sites-dev.warc", work / "replay.log") as proxy:
        _write_plain_project(work)
        for number in range(options.repeat):
            runs["plain scrapy"].append(_plain(proxy, work, options.pages))
            runs["topicspider"].append(_ours(proxy, work, options, number))
    print(f"{'':14}{'CPU ms/page':>12}{'peak MB':>9}{'pages':>7}")
    for name, each in runs.items():
        print(f"{name:14}{_cpu(each):12.1f}{median(run.memory_mb for run in each):9.0f}{len(each[0].fetched):7}")
    print(
        f"topicspider (scorer {options.scorer}, policy {options.policy}) / plain scrapy: {_cpu(runs['topicspider']) / _cpu(runs['plain scrapy']):.2f} x the CPU a page"
    )


def _cpu(runs: list[Run]) -> float:
    return median(1000 * run.cpu_seconds / len(run.fetched) for run in runs)


def _write_plain_project(folder: Path) -> None:
    (folder / "plain.py").write_text(PLAIN_SPIDER, encoding="utf-8")
    (folder / "plain_settings.py").write_text(PLAIN_SETTINGS, encoding="utf-8")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = plain_settings\n", encoding="utf-8")


def _plain(proxy: str, work: Path, pages: int) -> Run:
    return run_crawl(
        proxy, work / "replay.log", ["crawl", "plain", "-a", f"start={START_PAGE}", "-a", f"pages={pages}"], cwd=work
    )


def _ours(proxy: str, work: Path, options: argparse.Namespace, number: int) -> Run:
    crawl = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={START_PAGE}", "-a", f"max_pages={options.pages}"]
    settings = ["-s", f"TOPICSPIDER_DATA={work / f'data-{number}'}", "-s", "LOG_LEVEL=ERROR"]
    judges = ["-s", f"TOPICSPIDER_LINK_POLICY={options.policy}", "-s", f"TOPICSPIDER_PAGE_SCORER={options.scorer}"]
    return run_crawl(proxy, work / "replay.log", [*crawl, *NO_DELAYS, *settings, *judges])


if __name__ == "__main__":
    main()
