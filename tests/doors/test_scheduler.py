"""The scheduler's side of the promises: nothing lost, nothing twice, no crawl that never ends."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

from scrapy import Request, Spider
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector

from support.crawling import crawl, scrapy
from support.project import ADDON, TOPIC, WITHOUT_DELAYS, make_project, outside
from support.site import TRAVEL, Answer, page, small_web, travel_web
from topicspider.crawl_components import CrawlStats
from topicspider.crawl_config import CrawlConfig
from topicspider.download.cancellation import Downloads
from topicspider.frontier.memory import MemoryFrontier
from topicspider.frontier.protocol import Entry, Work
from topicspider.meta import OUTCOME
from topicspider.options import Options
from topicspider.rehearsal.archive.crawl_log import CrawlLog
from topicspider.scheduler import TopicScheduler
from topicspider.topic.profile import Limits
from topicspider.topic.url_filter import UrlFilter
from topicspider.url import fingerprint

A, B = "http://a.example/旅游", "http://b.example/"


class Engine:
    """As much of Scrapy's engine as a scheduler sees: a slot, and requests that are in progress."""

    def __init__(self):
        self.reason = ""
        self._slot = SimpleNamespace(inprogress=set(), nextcall=SimpleNamespace(schedule=lambda: None), closing=None)

    async def close_spider_async(self, reason):
        self.reason = reason


class Crawler(SimpleNamespace):
    """Equal to itself only, as a crawler is."""

    __hash__ = object.__hash__


class Rig:
    """A scheduler over a real frontier in memory, driven by hand."""

    def __init__(self, frontier, **options):
        self.frontier = frontier
        self.left = []
        self.engine = Engine()
        settings = Settings({"CONCURRENT_REQUESTS": 4})
        crawler = Crawler(settings=settings, engine=self.engine)
        crawler.signals = SignalManager(crawler)
        crawler.stats = MemoryStatsCollector(SimpleNamespace(settings=settings))
        asked = Options(topic="tourism", delay_min=0.0, **options)
        assembly = SimpleNamespace(
            frontier=frontier,
            options=asked,
            tally=CrawlStats(),
            writer=SimpleNamespace(is_full=False, outages=(0, 0.0)),
            log=CrawlLog(Path("unused"), most_pages=0),
            trouble=None,
            leave=self.left.append,
            plan=CrawlConfig(asked, topics=(), seeds=(), limits=Limits(), sites={}, folder=Path("unused")),
            admission=UrlFilter(),
        )
        self.crawler = crawler
        self.scheduler = TopicScheduler(crawler, assembly)
        self.spider = Spider("shop")

    async def next(self, seconds=1.0):
        """The next request, in progress; None when there is none within ``seconds``."""
        deadline = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < deadline:
            request = self.scheduler.next_request()
            if request is not None:
                self.engine._slot.inprogress.add(request)
                return request
            await asyncio.sleep(0.005)
        return None

    async def download(self, host, begun):
        """One from ``host`` that takes a minute."""
        async with Downloads.of(self.crawler).one(host):
            begun()
            await asyncio.sleep(60)

    def end(self, request, outcome="page"):
        """The engine has let go of the request."""
        request.meta[OUTCOME] = outcome
        self.engine._slot.inprogress.discard(request)
        self.scheduler.next_request()

    async def is_over(self, seconds=2.0):
        """Whether the scheduler has nothing pending within ``seconds``; looks as seldom as the engine does."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self.scheduler.has_pending_requests() and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return not self.scheduler.has_pending_requests()


@asynccontextmanager
async def driven(frontier=None, **options):
    rig = Rig(frontier or MemoryFrontier(), **options)
    rig.scheduler.open(rig.spider)
    try:
        yield rig
    finally:
        await rig.scheduler._close("finished")


def entry(url, score=0.5, payload=""):
    host = url.split("/")[2] + ":80"
    return Entry(url, fingerprint(url), host, score, payload=payload)


def test_a_request_lost_with_its_process_is_counted_and_the_crawl_ends():
    """Its callback was in the memory of a process that is gone: nothing else is queued, nobody has news."""

    async def run():
        frontier = MemoryFrontier()
        frontier.apply(Work(entries=[entry(A, payload='{"memory":true}')]))
        async with driven(frontier) as rig:
            assert await rig.next(0.2) is None
            assert await rig.is_over()
            assert frontier.counts().done == 1

    asyncio.run(run())


def test_a_slow_page_is_not_handed_out_twice_however_short_the_lease():
    """F2, F3: this process still has it; F8: its end counts."""

    async def run():
        frontier = MemoryFrontier()
        frontier.apply(Work(entries=[entry(A)]))
        async with driven(frontier, lease_seconds=0.05) as rig:
            slow = await rig.next()
            await asyncio.sleep(0.1)
            rig.scheduler.enqueue_request(Request(B))
            other = await rig.next()
            assert other.url == B
            assert await rig.next(0.2) is None
            rig.end(other)
            rig.end(slow)
            assert await rig.is_over()
            assert frontier.counts().pages == 2

    asyncio.run(run())


def test_a_request_kept_in_memory_keeps_its_first_callback_and_leaves_when_done():
    """A second request for the same page is dropped, as with Scrapy's own filter."""

    async def run():
        async with driven() as rig:
            made = []
            for number in range(3):
                rig.scheduler.enqueue_request(Request(A, callback=lambda r, n=number: made.append(n)))
                await asyncio.sleep(0.05)
            request = await rig.next()
            request.callback(None)
            assert made == [0]
            rig.end(request)
            assert await rig.is_over()
            rig.scheduler.enqueue_request(Request(A, callback=lambda r: None))
            await asyncio.sleep(0.05)
            assert await rig.is_over()
            assert not rig.scheduler._memory_only

    asyncio.run(run())


LIMITED = """name: limited
title: 旅游
terms: {旅游: 1, 攻略: 1}
limits:
  deny_hosts: [denied.example]
"""


def test_a_redirect_leads_nowhere_that_a_link_may_not(tmp_path):
    """Neither by Location nor by meta refresh; the reason is counted as for links."""
    (tmp_path / "limited.yaml").write_text(LIMITED, encoding="utf-8")
    refresh = '<meta http-equiv="refresh" content="0;url=http://denied.example/2">'
    pages = {
        "http://w0.example/": page(
            "旅游", TRAVEL, {"http://w1.example/": "旅游攻略", "http://w2.example/": "旅游攻略"}
        ),
        "http://w1.example/": Answer("", 302, {"Location": "http://www.denied.example/1"}),
        "http://w2.example/": page("旅游", TRAVEL, head=refresh),
    }
    with small_web(pages) as web:
        ended = crawl(tmp_path, web.proxy, "-a", "topic=limited.yaml", seeds="http://w0.example/")
    assert ended.exit_code == 0, ended.err
    assert sorted(web.pages()) == sorted(pages)
    assert "host_denied 2" in ended.err


COUNTING_SPIDER = """
import gc
import scrapy
from scrapy.linkextractors import LinkExtractor
from topicspider.crawled_page import CrawledPage

class ShopSpider(scrapy.Spider):
    name = "shop"
    start_urls = ["http://w0.example/p0.html"]

    def parse(self, response):
        yield {"url": response.url}
        for link in LinkExtractor().extract_links(response):
            yield scrapy.Request(link.url)

    def closed(self, reason):
        gc.collect()
        print("PAGES", sum(isinstance(known, CrawledPage) for known in gc.get_objects()))
"""


def test_no_page_stays_in_memory_with_a_scheduler_that_is_not_ours(tmp_path):
    settings = 'BOT_NAME = "shop"\nSPIDER_MODULES = ["shop.spiders"]\n' + ADDON + TOPIC + WITHOUT_DELAYS
    make_project(tmp_path, settings + 'SCHEDULER = "scrapy.core.scheduler.Scheduler"\n', COUNTING_SPIDER)
    with small_web(travel_web(30)) as web:
        ended = scrapy(["crawl", "shop", "-s", "TOPICSPIDER_LINK_POLICY=bfs"], tmp_path, outside(web.proxy))
    assert ended.exit_code == 0, ended.err
    assert set(web.pages()) == set(travel_web(30))
    pages = int(ended.out.split("PAGES")[1].split()[0])
    assert pages <= 2  # of the last page, which Scrapy still holds
