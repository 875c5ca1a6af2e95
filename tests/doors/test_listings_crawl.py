"""Sitemaps and feeds as sources of links, in real crawls."""

from __future__ import annotations

import gzip
import re
from itertools import pairwise

import pytest

from support.crawling import crawl, stored
from support.site import TRAVEL, Answer, page, small_web

HOST = "http://w0.example"
SEED = f"{HOST}/"
SITEMAPS = ("-s", "TOPICSPIDER_DISCOVERY=sitemaps")
FEEDS = ("-s", "TOPICSPIDER_DISCOVERY=feeds")
BFS = ("-s", "TOPICSPIDER_LINK_POLICY=bfs")
XML = {"Content-Type": "application/xml"}
RSS = {"Content-Type": "application/rss+xml"}


def urlset(*paths):
    entries = "".join(f"<url><loc>{HOST}{path}</loc></url>" for path in paths)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def rss(items, encoding="utf-8", title="旅游"):
    listed = "".join(f"<item><title>{title}</title><link>{HOST}{path}</link></item>" for path, title in items.items())
    text = f'<?xml version="1.0" encoding="{encoding}"?><rss version="2.0"><channel><title>{title}</title>{listed}</channel></rss>'
    return text.encode(encoding)


def travel(*paths):
    return {f"{HOST}{path}": page(f"旅游攻略{path}", TRAVEL) for path in paths}


WITH_SITEMAP = {
    SEED: page("旅游攻略", TRAVEL),
    f"{HOST}/robots.txt": Answer(f"User-agent: *\nDisallow: /secret\nSITEMAP: {HOST}/index.xml\nSitemap: http://denied.invalid/s.xml"),
    f"{HOST}/index.xml": Answer(
        "<sitemapindex><sitemap><loc>/a.xml.gz</loc></sitemap><sitemap><loc>/moved.xml</loc></sitemap>"
        "<sitemap><loc>/secret.xml</loc></sitemap></sitemapindex>", headers=XML
    ),
    f"{HOST}/a.xml.gz": Answer(gzip.compress(urlset("/one", "/two").encode()), headers={"Content-Type": "application/octet-stream"}),
    f"{HOST}/moved.xml": Answer("", 302, {"Location": "/b.xml"}),
    f"{HOST}/b.xml": Answer(urlset("/three"), headers=XML),
    **travel("/one", "/two", "/three"),
}  # fmt: skip


def test_sitemaps_of_robots_txt_lead_to_pages_that_no_link_leads_to(tmp_path):
    """An index, a packed part, a part that moved, one that robots.txt forbids; promise F2: requests for them rest, too."""
    with small_web(WITH_SITEMAP) as web:
        ended = crawl(tmp_path, web.proxy, *SITEMAPS, *BFS, "-s", "TOPICSPIDER_DELAY_MIN=0.4", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert set(stored(tmp_path)) == {SEED, *(f"{HOST}{path}" for path in ("/one", "/two", "/three"))}
    assert f"{HOST}/secret.xml" not in web.pages()
    assert "'topicspider/listings/sitemap': 3" in ended.err
    times = sorted((one.start, one.end) for one in web.asked if one.host == "w0.example")
    assert len(times) >= 8
    assert min(later[0] - earlier[1] for earlier, later in pairwise(times)) >= 0.3


def test_who_reads_none_is_told_at_the_end_of_those_that_are_there(tmp_path):
    with small_web({**WITH_SITEMAP, SEED: page("旅游攻略", TRAVEL, head=FEED_HEAD)}) as web:
        ended = crawl(tmp_path, web.proxy, *BFS, "-s", "LOG_LEVEL=INFO", seeds=SEED)
        one = crawl(tmp_path, web.proxy, *BFS, *SITEMAPS, "-a", "fresh=1", "-s", "LOG_LEVEL=INFO", seeds=SEED)
    assert set(stored(tmp_path)) >= {SEED}
    for kind in ("sitemaps", "feeds"):
        assert re.search(f"{kind} +that of 1 host was not read: -s TOPICSPIDER_DISCOVERY=all", ended.err)
    assert re.findall("([a-z]+) +that of 1 host was not read", one.err) == ["feeds"]


FEED_HEAD = '<link rel="alternate" type="application/rss+xml" href="/feed"><link rel="alternate" type="application/json" href="/json">'


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_a_feed_that_a_hit_declares_leads_to_its_items(tmp_path, encoding):
    web_pages = {
        SEED: page("旅游攻略", TRAVEL, head=FEED_HEAD),
        f"{HOST}/feed": Answer(rss({"/one": "桂林旅游攻略", "/two": "大理旅游攻略"}, encoding), headers=RSS),
        **travel("/one", "/two"),
    }
    with small_web(web_pages) as web:
        ended = crawl(tmp_path, web.proxy, *FEEDS, seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert set(stored(tmp_path)) == {SEED, f"{HOST}/one", f"{HOST}/two"}
    assert f"{HOST}/json" not in web.pages()


def test_items_are_judged_like_links_and_pruned_by_reason(tmp_path):
    web_pages = {
        SEED: page("旅游攻略", TRAVEL, head=FEED_HEAD),
        f"{HOST}/feed": Answer(rss({"/one": "桂林旅游攻略景点", "/two": "联赛战报比分"}, title="首页"), headers=RSS),
        **travel("/one", "/two"),
    }
    policy = ("-s", "TOPICSPIDER_LINK_POLICY=rw", "-s", "TOPICSPIDER_LINK_THRESHOLD=0.5")
    with small_web(web_pages) as web:
        ended = crawl(tmp_path, web.proxy, *FEEDS, *policy, seeds=SEED)
    assert set(stored(tmp_path)) == {SEED, f"{HOST}/one"}
    assert "'topicspider/pruned/low_rw': 1" in ended.err


def test_the_file_of_a_topic_keeps_old_entries_and_denied_hosts_out(tmp_path):
    (tmp_path / "fresh.yaml").write_text(
        "name: fresh\ntitle: 旅游\nterms: {旅游: 1, 攻略: 1}\nlimits: {newer_than: 2026-01-01, deny_hosts: [denied.example]}\n",
        encoding="utf-8",
    )
    days = {f"{HOST}/one": "2026-02-01", f"{HOST}/old": "2019-02-01", "http://denied.example/": "2026-02-01"}
    entries = "".join(f"<url><loc>{url}</loc><lastmod>{day}</lastmod></url>" for url, day in days.items())
    web_pages = {
        SEED: page("旅游攻略", TRAVEL),
        f"{HOST}/robots.txt": Answer(f"Sitemap: {HOST}/s.xml\nSitemap: http://denied.example/s.xml"),
        f"{HOST}/s.xml": Answer(f"<urlset>{entries}</urlset>", headers={"Content-Type": "text/xml"}),
        **travel("/one", "/old"),
    }
    with small_web(web_pages) as web:
        ended = crawl(tmp_path, web.proxy, "-a", "topic=fresh.yaml", *SITEMAPS, *BFS, seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert sorted(web.pages()) == sorted([SEED, f"{HOST}/s.xml", f"{HOST}/one"])
    assert "'topicspider/pruned/too_old': 1" in ended.err
    assert "'topicspider/pruned/host_denied': 2" in ended.err


def test_a_sitemap_may_be_the_seed(tmp_path):
    with small_web(WITH_SITEMAP) as web:
        ended = crawl(tmp_path, web.proxy, *SITEMAPS, *BFS, seeds=f"{HOST}/index.xml")
    assert ended.exit_code == 0, ended.err
    assert set(stored(tmp_path)) == {f"{HOST}{path}" for path in ("/one", "/two", "/three")}
