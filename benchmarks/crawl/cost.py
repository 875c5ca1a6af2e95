"""Measures CPU time a judged page and peak memory of a topic crawl, beside the usual alternatives, on recorded webs.

    python -m benchmarks.crawl.cost [--pages 500] [--repeat 3] [--only WEB] [--redis redis://127.0.0.1:6379/9] [--profile FOLDER]
                                    [--policy NAME] [--scorer NAME]

The alternatives, in the same run: plain Scrapy (a CrawlSpider with a LinkExtractor that follows every link and analyses nothing); Scrapy
with trafilatura (body and title of every page, all links, a score by the topic's words), where it is installed; and with --redis (an empty
database) stock scrapy-redis, which cuts each page's text with jieba. All begin at the same seeds, with one connection a host, no delays and
no log, and stop at the same number of HTML pages. CPU time is that of the whole process tree, minus that of a crawl of the first few pages
(the start), divided by the judged HTML pages. --profile writes a cProfile of our crawl, a file for each web.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import pstats
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.crawl.replayed import START_PAGE, Run, corpora, read_labels, run_crawl
from benchmarks.quality.labelled_pages import OWN_TOPICS
from support.crawling import NO_DELAYS
from support.replaying import replay_server
from topicspider.options import Options

OURS, PLAIN, CUTTING, READING = "topicspider", "plain scrapy", "scrapy-redis + jieba", "scrapy + trafilatura"
SPIDERS = {PLAIN: "plain", CUTTING: "cutting", READING: "reading"}
FIRST_PAGES = 20
"""The cost of a crawl of so many pages is subtracted as that of the start, because most is loaded with the first pages."""
SETTINGS = """
BOT_NAME = "plain"
SPIDER_MODULES = ["spiders"]
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "CRITICAL"
"""
REDIS_SETTINGS = """
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_FLUSH_ON_START = True
REDIS_URL = {url!r}
"""
PLAIN_SPIDER = """
from pathlib import Path

from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Plain(CrawlSpider):
    name = "plain"
    rules = (Rule(LinkExtractor(), callback="page", follow=True),)
    seen = 0

    def __init__(self, start="", pages="500", words="", **kwargs):
        super().__init__(**kwargs)
        self.start_urls, self.pages, self.words = start.split(","), int(pages), words.split(",")

    def page(self, response):
        self.seen += isinstance(response, HtmlResponse)
        if self.seen >= self.pages:
            raise CloseSpider("enough")

    def closed(self, reason):
        Path("pages").write_text(str(self.seen))
"""
CUTTING_SPIDER = """
import logging

import jieba

from spiders.plain import Plain as _Plain

jieba.setLogLevel(logging.ERROR)


class Cutting(_Plain):
    name = "cutting"

    def page(self, response):
        super().page(response)
        if hasattr(response, "xpath"):
            jieba.lcut(" ".join(response.xpath("//body//text()[not(parent::script or parent::style)]").getall()))
"""
READING_SPIDER = """
import trafilatura

from spiders.plain import Plain as _Plain


class Reading(_Plain):
    name = "reading"

    def page(self, response):
        super().page(response)
        if hasattr(response, "xpath"):
            found = trafilatura.bare_extraction(response.body, url=response.url)
            text = f"{found.title or ''} {found.text or ''}" if found else ""
            return {"url": response.url, "score": sum(map(text.count, self.words)) / (len(text) + 1)}
"""


@dataclass(frozen=True)
class Web:
    """A recorded web and how to crawl it: the topic, its seeds, and words for crawls that score by words."""

    name: str
    topic: str
    seeds: str
    words: str


@dataclass
class Cost:
    """The cost of one crawl: a page, without its start, and at its peak."""

    cpu_ms: float
    memory_mb: float
    pages: int


def main() -> None:
    """Measure all crawls in turn on every web; print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="one web, as sites-dev")
    parser.add_argument("--policy", default=Options().link_policy)
    parser.add_argument("--scorer", default=Options().page_scorer)
    parser.add_argument("--profile", type=Path, help="a folder for what takes the time of ours")
    parser.add_argument("--redis", default="", help="measure scrapy-redis with jieba, too, in this empty database")
    options = parser.parse_args()
    rivals = [PLAIN, *[CUTTING] * bool(options.redis), *[READING] * bool(importlib.util.find_spec("trafilatura"))]
    for web in webs():
        if options.only in ("", web.name):
            with tempfile.TemporaryDirectory() as work, replay_server(corpora() / f"{web.name}.warc") as served:
                _write_spiders(Path(work), options.redis, rivals)
                crawls = _Crawls(web, served.proxy_url, Path(work), options)
                if options.profile:
                    crawls.profile(options.profile)
                else:
                    _report(web, {name: [crawls.cost(name) for _ in range(options.repeat)] for name in [*rivals, OURS]})


def webs() -> list[Web]:
    """The webs of recorded sites, and the encyclopedia, which has no directory: its crawl begins at three pages on topic."""
    labels = read_labels(corpora() / "encyclopedia-dev.labels.jsonl", "chemistry")
    topic = str(OWN_TOPICS / "chemistry.yaml")
    return [
        Web("sites-dev", "tourism", START_PAGE, "旅游,景区,门票,酒店"),
        Web("sites-dev2", "tourism", START_PAGE, "旅游,景区,门票,酒店"),
        Web("encyclopedia-dev", topic, ",".join(sorted(labels.targets)[:3]), "chemistry,chemical,acid,element"),
    ]


class _Crawls:
    """Crawls of one web, each in a process of its own."""

    def __init__(self, web: Web, proxy: str, work: Path, options: argparse.Namespace) -> None:
        self._web, self._proxy, self._work, self._options = web, proxy, work, options
        self._number = 0

    def cost(self, name: str) -> Cost:
        """The cost of a whole crawl, without that of the first pages."""
        begun, begun_with = self._run(name, FIRST_PAGES)
        run, pages = self._run(name, self._options.pages)
        return Cost(1000 * (run.cpu_seconds - begun.cpu_seconds) / (pages - begun_with), run.memory_mb, pages)

    def profile(self, folder: Path) -> None:
        """Write a cProfile of our crawl as text: the functions by their own time, then by their time with all that they call."""
        folder.mkdir(parents=True, exist_ok=True)
        found = self._work / "profile"
        self._run(OURS, self._options.pages, "--profile", str(found))
        text = io.StringIO()
        for order in ("tottime", "cumtime"):
            pstats.Stats(str(found), stream=text).sort_stats(order).print_stats(120)
        (folder / f"{self._web.name}.txt").write_text(text.getvalue(), encoding="utf-8")

    def _run(self, name: str, pages: int, *more: str) -> tuple[Run, int]:
        """Run a crawl; returns it and how many HTML pages it judged."""
        web, work = self._web, self._work
        if name == OURS:
            self._number += 1
            data = work / f"data-{self._number}"
            crawl = ["crawl", *more, "topic", "-a", f"topic={web.topic}", "-a", f"seeds={web.seeds}"]
            settings = ["-a", f"max_pages={pages}", "-s", f"TOPICSPIDER_DATA={data}", "-s", "LOG_LEVEL=ERROR"]
            settings += ["-s", "TOPICSPIDER_PACE=fast", "-s", f"TOPICSPIDER_LINK_POLICY={self._options.policy}"]
            settings += ["-s", f"TOPICSPIDER_PAGE_SCORER={self._options.scorer}"]
            run = run_crawl(self._proxy, [*crawl, *settings, *NO_DELAYS])
            with closing(sqlite3.connect(next(data.glob("*/pages.db")))) as store:
                return run, store.execute("SELECT COUNT(*) FROM pages").fetchone()[0]
        module = "redis_settings" if name == CUTTING else "plain_settings"
        (work / "scrapy.cfg").write_text(f"[settings]\ndefault = {module}\n", encoding="utf-8")
        arguments = {"start": web.seeds, "pages": pages, "words": web.words}
        crawl = [
            "crawl",
            SPIDERS[name],
            *(part for pair in arguments.items() for part in ("-a", "=".join(map(str, pair)))),
        ]
        run = run_crawl(self._proxy, crawl, cwd=work)
        return run, int((work / "pages").read_text())


def _report(web: Web, costs: dict[str, list[Cost]]) -> None:
    print(f"{web.name:22}{'CPU ms/page':>12}{'peak MB':>9}{'pages':>7}{'ours: pages a CPU second':>26}")
    ours = _cpu(costs[OURS])
    for name, each in costs.items():
        ratio = "" if name == OURS else f"{_cpu(each) / ours:.2f} x"
        print(f"{name:22}{_cpu(each):12.1f}{median(c.memory_mb for c in each):9.0f}{each[0].pages:7}{ratio:>26}")
    print(flush=True)


def _cpu(costs: list[Cost]) -> float:
    return median(cost.cpu_ms for cost in costs)


def _write_spiders(folder: Path, redis: str, rivals: list[str]) -> None:
    spiders = folder / "spiders"
    spiders.mkdir()
    sources = {PLAIN: PLAIN_SPIDER, CUTTING: CUTTING_SPIDER, READING: READING_SPIDER}
    for name in rivals:
        (spiders / f"{SPIDERS[name]}.py").write_text(sources[name], encoding="utf-8")
    (spiders / "__init__.py").touch()
    (folder / "plain_settings.py").write_text(SETTINGS, encoding="utf-8")
    (folder / "redis_settings.py").write_text(SETTINGS + REDIS_SETTINGS.format(url=redis), encoding="utf-8")


if __name__ == "__main__":
    main()
