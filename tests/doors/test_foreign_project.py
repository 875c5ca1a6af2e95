"""Any Scrapy project gets topic focus and politeness with the add-on, and keeps its own ways."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest

from support.crawling import ROOT, items, scrapy, start, stop_after
from support.project import BASE, TOPIC, WITHOUT_DELAYS, make_project, outside
from support.site import SPORT, TRAVEL, Answer, page, small_web, travel_web

START = "http://w0.example/p0.html"

CRAWL_SPIDER = f"""
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class ShopSpider(CrawlSpider):
    name = "shop"
    start_urls = ["{START}"]
    rules = [Rule(LinkExtractor(), callback="parse_offer", follow=True)]

    def parse_offer(self, response):
        yield {{"网址": response.url, "标题": response.css("h1::text").get()}}
"""

OWN_PIPELINE = """
class OwnPipeline:
    def process_item(self, item):
        return {**item, "经手": "own"}
"""
USES_OWN_PIPELINE = 'ITEM_PIPELINES = {"shop.pipelines.OwnPipeline": 150}\n'


def portal(links):
    """A page off topic, whose heading lends its links no relevance."""
    return page("联赛", SPORT, links)


FOCUS_WEB = {
    START: portal({"/weak": "联赛战报", "/strong": "旅游攻略", "http://cars.example/": "二手车报价"}),
    "http://w0.example/weak": page("联赛战报", SPORT),
    "http://w0.example/strong": page("旅游攻略", TRAVEL),
    "http://cars.example/": page("二手车", SPORT),
}

RESUMES = "TOPICSPIDER_RESUME = True\n"
PRUNES = 'TOPICSPIDER_LINK_POLICY = "ipagerank"\n'


@pytest.fixture(scope="module")
def focused(tmp_path_factory):
    """A CrawlSpider of a foreign project on a small web, crawled to its end."""
    folder = tmp_path_factory.mktemp("foreign")
    settings = BASE + TOPIC + USES_OWN_PIPELINE + WITHOUT_DELAYS + PRUNES
    make_project(folder, settings, CRAWL_SPIDER, OWN_PIPELINE)
    with small_web(FOCUS_WEB) as web:
        ended = scrapy(["crawl", "shop", "-O", "offers.jsonl"], folder, outside(web.proxy))
    return folder, web, ended


def test_links_off_topic_are_pruned_and_better_ones_come_first_without_a_warning(focused):
    _folder, web, ended = focused
    assert ended.exit_code == 0, ended.err
    assert web.pages() == [START, "http://w0.example/strong", "http://w0.example/weak"]
    assert re.search(r"pruned links +low_rw ×1", ended.err)
    assert not re.search("WARNING|ERROR|Traceback|Deprecat", ended.err)


def test_own_items_and_pipeline_are_untouched(focused):
    folder, _web, _ended = focused
    assert items(folder / "offers.jsonl") == [
        {"网址": "http://w0.example/strong", "标题": "旅游攻略", "经手": "own"},
        {"网址": "http://w0.example/weak", "标题": "联赛战报", "经手": "own"},
    ]


def test_the_closing_table_names_the_projects_own_command(focused):
    _folder, _web, ended = focused
    assert "-a topic=" not in ended.err
    assert re.search(r"next +scrapy crawl shop -O offers.jsonl$", ended.err, re.MULTILINE)
    assert not re.search(r"INFO: results ", ended.err)  # no page was stored, items are the project's own


def test_the_commands_agree_on_a_spider_that_stores_no_page(focused):
    folder, _web, _ended = focused
    named = ["--topic", "tourism.shop"]
    hits, named_hits, doctor, store, crawls = (
        subprocess.run(
            [sys.executable, "-m", "topicspider", *words], cwd=folder, env=outside(), capture_output=True, text=True
        )
        for words in (["hits"], ["hits", *named], ["doctor"], ["store", *named], ["crawls"])
    )
    assert "the spider shop crawled for it and stored no page" in hits.stderr == named_hits.stderr
    assert re.search("ok +frontier +0 queued, 3 pages", doctor.stdout)
    assert store.stdout.endswith("0 pages, 0 hits\nall is well\n")
    assert re.search("tourism.shop +ended", crawls.stdout)


def test_a_crawl_of_private_addresses_alone_says_what_they_need_and_that_helps(tmp_path):
    with small_web(FOCUS_WEB) as web:
        here = web.proxy.removeprefix("http://")
        make_project(tmp_path, BASE + TOPIC, CRAWL_SPIDER.replace("w0.example/p0.html", here))
        refused = scrapy(["crawl", "shop"], tmp_path, outside())
        allowed = scrapy(["crawl", "shop"], tmp_path, {**outside(), "TOPICSPIDER_ALLOW_PRIVATE": "1"})
    assert "Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1" in refused.err
    assert "Private addresses" not in allowed.err
    assert web.pages()


def test_scrapys_parse_shows_what_a_callback_makes_of_a_page_beside_the_crawl(tmp_path):
    make_project(tmp_path, BASE + TOPIC + WITHOUT_DELAYS, CRAWL_SPIDER)
    with small_web(FOCUS_WEB) as web:
        ended = scrapy(["parse", "--spider=shop", "-c", "parse_offer", START], tmp_path, outside(web.proxy))
    assert f"'网址': '{START}'" in ended.out
    assert not (tmp_path / "data").exists()


def test_advice_names_commands_that_there_are(tmp_path):
    """`scrapy doctor` is a command of our own project only."""
    make_project(tmp_path, BASE + WITHOUT_DELAYS, "")
    ended = scrapy(["crawl", "topic", "-a", "topic=turism"], tmp_path, outside())
    assert ended.err.endswith("Did you mean tourism? To make it: `topicspider topics new turism`\n")
    with small_web({START: page("旅游", TRAVEL)}) as web:
        crawled = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={START}"]
        ended = scrapy(crawled, tmp_path, outside(web.proxy))
        limited = scrapy([*crawled, "-a", "max_pages=1", "-a", "fresh=1"], tmp_path, outside(web.proxy))
    assert re.search(r"next +topicspider hits --topic tourism$", ended.err, re.MULTILINE)
    assert f"next          scrapy crawl topic -a topic=tourism -a max_pages=2 -a seeds={START}\n" in limited.err


def test_a_second_crawl_starts_anew_unless_resume_is_asked_for(tmp_path):
    make_project(tmp_path, BASE + TOPIC + WITHOUT_DELAYS + PRUNES, CRAWL_SPIDER)
    pages = {START: 1, "http://w0.example/strong": 1, "http://w0.example/weak": 1}
    with small_web(FOCUS_WEB) as web:
        for times in (1, 2):
            ended = scrapy(["crawl", "shop"], tmp_path, outside(web.proxy))
            assert ended.exit_code == 0, ended.err
            assert Counter(web.pages()) == dict.fromkeys(pages, times)
        for asked in ("TOPICSPIDER_RESUME=1", "JOBDIR=job"):
            again = scrapy(["crawl", "shop", "-s", asked], tmp_path, outside(web.proxy))
            assert "finished before" in again.err
            assert len(web.pages()) == 6


def test_politeness_holds_whatever_the_project_sets(tmp_path):
    """Promise F2: one connection a host, robots.txt included, and rests of DELAY_MIN at least."""
    delay = 0.25
    settings = BASE + TOPIC + f"CONCURRENT_REQUESTS_PER_DOMAIN = 8\nTOPICSPIDER_DELAY_MIN = {delay}\n"
    make_project(tmp_path, settings + "TOPICSPIDER_DELAY_FACTOR = 0\n", CRAWL_SPIDER)
    pages = {**travel_web(12, hosts=2), "http://w1.example/robots.txt": Answer("User-agent: *\nDisallow: /p5", 200)}
    with small_web(pages, latency=0.05) as web:
        ended = scrapy(["crawl", "shop"], tmp_path, outside(web.proxy))
    assert ended.exit_code == 0, ended.err
    assert set(web.pages()) == set(travel_web(12, hosts=2)) - {"http://w1.example/p5.html"}
    for host in ("w0.example", "w1.example"):
        visits = sorted((one for one in web.asked if one.host == host), key=lambda one: one.start)
        assert visits[0].url.endswith("/robots.txt")
        assert all(later.start - earlier.end > delay - 0.02 for earlier, later in pairwise(visits))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("DOWNLOAD_DELAY = 1\n", "DOWNLOAD_DELAY=1 .*TOPICSPIDER_DELAY_MIN"),
        ("CONCURRENT_REQUESTS_PER_DOMAIN = 8\n", "CONCURRENT_REQUESTS_PER_DOMAIN=8 .*one request at a time"),
        ('JOBDIR = "job"\n', "JOBDIR='job' .*TOPICSPIDER_DATA"),
    ],
)
def test_settings_that_topicspider_replaces_are_named(tmp_path, given, words):
    make_project(tmp_path, BASE + TOPIC + WITHOUT_DELAYS + given, CRAWL_SPIDER)
    with small_web({START: portal({})}) as web:
        ended = scrapy(["crawl", "shop"], tmp_path, outside(web.proxy))
    assert ended.exit_code == 0, ended.err
    (warning,) = [line for line in ended.err.splitlines() if "WARNING" in line]
    assert re.search(words, warning)


def test_a_killed_foreign_crawl_goes_on_with_its_callbacks(tmp_path):
    """Promises F1, F3."""
    connections = 4
    settings = BASE + TOPIC + WITHOUT_DELAYS + RESUMES
    make_project(tmp_path, settings + f"CONCURRENT_REQUESTS = {connections}\n", CRAWL_SPIDER)
    command = ["crawl", "shop", "-o", "offers.jsonl"]
    with small_web(travel_web(40), latency=0.03) as web:
        process = start(command, tmp_path, outside(web.proxy))
        stop_after(process, lambda: len(web.pages()) >= 12, signal.SIGKILL)
        last = scrapy(command, tmp_path, outside(web.proxy))
    assert last.exit_code == 0, last.err
    assert set(web.pages()) == set(travel_web(40))
    assert len(web.pages()) <= 40 + connections
    later = [json.loads(line)["网址"] for line in (tmp_path / "offers.jsonl").read_text("utf-8").splitlines()]
    assert len(later) >= 40 - 12 - connections


PLAIN_SPIDER = f"""
import scrapy


class ShopSpider(scrapy.Spider):
    name = "shop"

    async def start(self):
        yield scrapy.Request("{START}", cb_kwargs={{"page": 1}}, meta={{"类别": ["旅游"]}})

    def parse(self, response, page):
        yield {{"what": "start", "page": page, "meta": response.meta["类别"]}}
        yield scrapy.FormRequest("http://api.example/find", formdata={{"q": "1"}}, callback=self.parse_api)
        for n in range(2):
            yield scrapy.Request("http://api.example/now", dont_filter=True, callback=self.parse_now, cb_kwargs={{"n": n}})
        yield scrapy.Request("http://api.example/kept", callback=lambda response: None)
        yield scrapy.Request("http://api.example/head", headers={{"X-Token": "secret"}})
        yield scrapy.Request("http://api.example/gone", callback=self.parse_now, errback=self.failed, cb_kwargs={{"n": 9}})
        yield response.follow("/next", self.parse_next, meta=response.meta)

    def parse_api(self, response):
        yield {{"what": "api", "method": response.request.method, "n": response.json()["n"]}}

    def parse_now(self, response, n):
        yield {{"what": "now", "n": n}}

    def parse_next(self, response):
        yield {{"what": "next", "meta": response.meta["类别"], "depth": response.meta["depth"]}}

    def failed(self, failure):
        yield {{"what": "failed", "status": failure.value.response.status}}
"""
JSON = {"Content-Type": "application/json"}


def test_plain_requests_keep_callbacks_meta_and_bodies_and_what_cannot_be_written_down_is_refused(tmp_path):
    make_project(tmp_path, BASE + TOPIC + WITHOUT_DELAYS, PLAIN_SPIDER)
    pages = {
        START: portal({"http://w0.example/next": "旅游下一页"}),
        "http://w0.example/next": page("旅游", TRAVEL),
        "http://api.example/find#POST q=1": Answer('{"n": 7}', 200, JSON),
        "http://api.example/now": Answer("{}", 200, JSON),
    }
    with small_web(pages) as web:
        ended = scrapy(["crawl", "shop", "-O", "all.jsonl"], tmp_path, outside(web.proxy))
    assert ended.exit_code == 0, ended.err
    refused = re.findall(r"ERROR: (\S+) cannot be queued, for it cannot be written down", ended.err)
    assert refused == ["http://api.example/kept", "http://api.example/head"] == re.findall("ERROR: (\\S+)", ended.err)
    found = {json.dumps(item, ensure_ascii=False, sort_keys=True) for item in items(tmp_path / "all.jsonl")}
    expected = [
        {"what": "start", "page": 1, "meta": ["旅游"]},
        {"what": "api", "method": "POST", "n": 7},
        {"what": "now", "n": 0},
        {"what": "now", "n": 1},
        {"what": "failed", "status": 404},
        {"what": "next", "meta": ["旅游"], "depth": 1},
    ]
    assert found == {json.dumps(item, ensure_ascii=False, sort_keys=True) for item in expected}
    assert b"secret" not in b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())


STUMBLING_SPIDER = f"""
import scrapy


class ShopSpider(scrapy.Spider):
    name = "shop"
    start_urls = ["{START}"]

    def parse(self, response):
        yield response.follow("/before", self.parse_leaf)
        if response.url.endswith("p0.html"):
            raise RuntimeError("in the middle")
        yield response.follow("/after", self.parse_leaf)

    def parse_leaf(self, response):
        yield {{"url": response.url}}
"""


@pytest.mark.parametrize(("resumes", "times"), [("", 1), (RESUMES, 2)], ids=["as in Scrapy", "asked for"])
def test_a_callback_that_raises_keeps_its_links_and_is_called_again_only_when_asked(tmp_path, resumes, times):
    """Promise F1: up to TOPICSPIDER_ATTEMPTS times, then given up."""
    settings = BASE + TOPIC + WITHOUT_DELAYS + "TOPICSPIDER_ATTEMPTS = 2\n" + resumes
    make_project(tmp_path, settings, STUMBLING_SPIDER)
    pages = {
        START: portal({"http://w0.example/before": "旅游攻略", "http://w0.example/after": "旅游景点"}),
        "http://w0.example/before": page("旅游", TRAVEL),
    }
    with small_web(pages) as web:
        ended = scrapy(["crawl", "shop", "-O", "all.jsonl"], tmp_path, outside(web.proxy))
    assert ended.exit_code == 0, ended.err
    assert sorted(web.pages()) == ["http://w0.example/before", *[START] * times]
    assert items(tmp_path / "all.jsonl") == [{"url": "http://w0.example/before"}]
    assert "in the middle" in ended.err
    assert f"callback_error ×{times}" in ended.err


def test_without_a_topic_a_crawl_is_as_if_the_add_on_were_not_there(tmp_path):
    """The same components and settings, the same requests; JOBDIR and retries go on as ever."""
    plain = 'BOT_NAME = "shop"\nSPIDER_MODULES = ["shop.spiders"]\nRETRY_TIMES = 1\nTOPICSPIDER_DELAY_MIN = 9\n'
    pages = {
        START: portal({"http://w0.example/a": "二手车", "http://w0.example/broken": "坏"}),
        "http://w0.example/a": portal({}),
    }
    pages["http://w0.example/broken"] = Answer("", 500)
    seen = []
    for name, more in (("plain", ""), ("added", BASE)):
        make_project(tmp_path / name, plain + more, CRAWL_SPIDER)
        with small_web(pages) as web:
            ended = scrapy(
                ["crawl", "shop", "-O", "all.jsonl", "-s", "JOBDIR=job"], tmp_path / name, outside(web.proxy)
            )
        assert ended.exit_code == 0, ended.err
        log = re.sub(
            r"^\S+ \S+ |0x\w+",
            "",
            ended.err.split("Enabled extensions:")[1].split("Spider opened")[0],
            flags=re.MULTILINE,
        )
        agents = {one.headers["User-Agent"] for one in web.asked}
        seen.append(
            (
                log.replace(", 'topicspider.spiders'", ""),
                sorted(web.pages()),
                agents,
                items(tmp_path / name / "all.jsonl"),
            )
        )
        assert not (tmp_path / name / "data").exists()
    assert seen[0][1].count("http://w0.example/broken") == 2
    assert re.sub(r"\s", "", seen[0][0]) == re.sub(r"\s", "", seen[1][0])
    assert seen[0][1:] == seen[1][1:]


PROXY_SPIDER = """
import scrapy


class ShopSpider(scrapy.Spider):
    name = "shop"

    async def start(self):
        for host in ("seed", "secret"):
            proxy = self.settings["OWN_PROXY"].replace("//", "//me:geheim7@" if host == "secret" else "//")
            yield scrapy.Request(f"http://{host}.example/", meta={"proxy": proxy})

    def parse(self, response):
        yield {"url": response.url}
        yield response.follow("/own", self.parse_leaf, meta={"proxy": response.meta["proxy"]})
        yield response.follow("/copied", self.parse_leaf, meta=response.meta)
        yield response.follow("/none", self.parse_leaf)

    def parse_leaf(self, response):
        yield {"url": response.url}
"""


def test_a_proxy_that_a_spider_gives_is_used_for_seeds_and_links_and_their_robots_txt(tmp_path):
    make_project(tmp_path, BASE + TOPIC + WITHOUT_DELAYS, PROXY_SPIDER)
    with small_web(lambda _url: page("旅游", TRAVEL)) as own, small_web(lambda _url: page("旅游", TRAVEL)) as usual:
        ended = scrapy(["crawl", "shop", "-s", f"OWN_PROXY={own.proxy}"], tmp_path, outside(usual.proxy))
    assert ended.exit_code == 0, ended.err
    assert {one.url for one in own.asked} == {
        f"http://seed.example/{path}" for path in ("", "robots.txt", "own", "copied")
    }
    assert usual.pages() == ["http://seed.example/none"]
    assert "ERROR: http://secret.example/ cannot be queued" in ended.err
    assert b"geheim7" not in b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert "geheim7" not in ended.err


def test_the_example_of_a_project_of_somebody_reads_scores_and_filters_by_them(tmp_path):
    shutil.copytree(ROOT / "examples" / "own_project", tmp_path, dirs_exist_ok=True)
    with small_web(FOCUS_WEB) as web:
        command = [
            "crawl",
            "shop",
            "-O",
            "offers.jsonl",
            "-s",
            "TOPICSPIDER_DELAY_MIN=0",
            "-s",
            "TOPICSPIDER_DELAY_FACTOR=0",
        ]
        ended = scrapy([*command, "-a", f"start={START}"], tmp_path, outside(web.proxy))
    assert ended.exit_code == 0, ended.err
    (item,) = items(tmp_path / "offers.jsonl")
    assert (item["url"], item["title"]) == ("http://w0.example/strong", "旅游攻略")
    assert item["score"] > 0.5


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
    settings = BASE + TOPIC + WITHOUT_DELAYS
    make_project(tmp_path, settings + 'SCHEDULER = "scrapy.core.scheduler.Scheduler"\n', COUNTING_SPIDER)
    with small_web(travel_web(30)) as web:
        ended = scrapy(["crawl", "shop", "-s", "TOPICSPIDER_LINK_POLICY=bfs"], tmp_path, outside(web.proxy))
    assert ended.exit_code == 0, ended.err
    assert set(web.pages()) == set(travel_web(30))
    pages = int(ended.out.split("PAGES")[1].split()[0])
    assert pages <= 2  # of the last page, which Scrapy still holds
