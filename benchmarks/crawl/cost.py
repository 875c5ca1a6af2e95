"""CPU time a page and peak memory of a topic crawl beside plain Scrapy on the same recorded web.

    python benchmarks/crawl/cost.py [--pages 1500] [--repeat 3] [--policy NAME] [--scorer NAME] [--redis redis://127.0.0.1:6379/9]

Plain Scrapy is a CrawlSpider with a LinkExtractor that follows every link and analyses nothing. With --redis, an
empty database, there is a third: the same on stock scrapy-redis, cutting each page's text with jieba. All
stop at the same number of HTML pages; ours by the default scorer and link policy, or those given.
All use the same seeds, one connection a host, no delays, no log.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from replayed import NO_DELAYS, START_PAGE, Run, corpora, replay, run_crawl, scratch

from topicspider.options import Options

CUTTING = "scrapy-redis + jieba"
PLAIN_SETTINGS = """
BOT_NAME = "plain"
SPIDER_MODULES = ["plain"]
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "CRITICAL"
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

REDIS_SETTINGS = """
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_FLUSH_ON_START = True
REDIS_URL = {url!r}
"""
CUTTING_SPIDER = """
import logging

import jieba
from plain import Plain

jieba.setLogLevel(logging.ERROR)


class Cutting(Plain):
    name = "cutting"

    def page(self, response):
        super().page(response)
        if hasattr(response, "xpath"):
            jieba.lcut(" ".join(response.xpath("//body//text()[not(parent::script or parent::style)]").getall()))
"""


def main() -> None:
    """Alternate them, print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--policy", default=Options().link_policy)
    parser.add_argument("--scorer", default=Options().page_scorer)
    parser.add_argument(
        "--redis", default="", help="measure stock scrapy-redis with jieba, too, in this empty database"
    )
    options = parser.parse_args()
    folder = corpora()
    runs: dict[str, list[Run]] = {"plain scrapy": [], "topicspider": []}
    if options.redis:
        runs[CUTTING] = []
    with scratch() as work, replay(folder / "sites-dev.warc", work / "replay.log") as proxy:
        _write_plain_project(work, options.redis)
        for number in range(options.repeat):
            runs["plain scrapy"].append(_plain(proxy, work, options.pages))
            runs["topicspider"].append(_ours(proxy, work, options, number))
            if options.redis:
                runs[CUTTING].append(_plain(proxy, work, options.pages, "cutting"))
    print(f"{'':22}{'CPU ms/page':>12}{'peak MB':>9}{'pages':>7}")
    for name, each in runs.items():
        print(f"{name:22}{_cpu(each):12.1f}{median(run.memory_mb for run in each):9.0f}{len(each[0].fetched):7}")
    for rival, each in runs.items():
        if rival != "topicspider":
            ratio = _cpu(each) / _cpu(runs["topicspider"])
            print(
                f"topicspider (scorer {options.scorer}, policy {options.policy}): {ratio:.2f} x the pages a CPU second of {rival}"
            )


def _cpu(runs: list[Run]) -> float:
    return median(1000 * run.cpu_seconds / len(run.fetched) for run in runs)


def _write_plain_project(folder: Path, redis: str) -> None:
    (folder / "plain.py").write_text(PLAIN_SPIDER, encoding="utf-8")
    (folder / "plain_settings.py").write_text(PLAIN_SETTINGS, encoding="utf-8")
    if redis:
        (folder / "cutting.py").write_text(CUTTING_SPIDER, encoding="utf-8")
        settings = PLAIN_SETTINGS.replace('["plain"]', '["plain", "cutting"]') + REDIS_SETTINGS.format(url=redis)
        (folder / "redis_settings.py").write_text(settings, encoding="utf-8")


def _plain(proxy: str, work: Path, pages: int, spider: str = "plain") -> Run:
    settings = "redis_settings" if spider == "cutting" else "plain_settings"
    (work / "scrapy.cfg").write_text(f"[settings]\ndefault = {settings}\n", encoding="utf-8")
    crawl = ["crawl", spider, "-a", f"start={START_PAGE}", "-a", f"pages={pages}"]
    return run_crawl(proxy, work / "replay.log", crawl, cwd=work)


def _ours(proxy: str, work: Path, options: argparse.Namespace, number: int) -> Run:
    crawl = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={START_PAGE}", "-a", f"max_pages={options.pages}"]
    settings = ["-s", f"TOPICSPIDER_DATA={work / f'data-{number}'}", "-s", "LOG_LEVEL=ERROR"]
    judges = ["-s", f"TOPICSPIDER_LINK_POLICY={options.policy}", "-s", f"TOPICSPIDER_PAGE_SCORER={options.scorer}"]
    return run_crawl(
        proxy, work / "replay.log", [*crawl, *NO_DELAYS, "-s", "TOPICSPIDER_PACE=fast", *settings, *judges]
    )


if __name__ == "__main__":
    main()
