"""What a crawl shows: one live line in place, a closing table that fits, and nothing that a page could inject."""

from __future__ import annotations

import re
from collections import Counter
from itertools import count
from types import SimpleNamespace

import pytest

from support.crawling import NO_DELAYS, environment, scrapy
from support.site import TRAVEL, Answer, page, small_web, travel_web
from support.terminal import run_on_terminal, widest
from topicspider.crawl_stats import CrawlStats
from topicspider.extensions.live import _counted, _hits, _nearest, _next, _rows, live_view, progress_line
from topicspider.i18n import use_language

SEED = "http://w0.example/p0.html"
COMMAND = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={SEED}", *NO_DELAYS]
LANGUAGES = {
    "zh by locale": ({"LC_ALL": "zh_CN.UTF-8"}, [], "zh"),
    "en by locale": ({"LC_ALL": "C.UTF-8"}, [], "en"),
    "zh by setting": ({"LC_ALL": "C.UTF-8"}, ["-s", "TOPICSPIDER_LANGUAGE=zh"], "zh"),
}
LIVE = {
    "en": (r"\d+ pages .* hits .*\d+ queued .*% pruned .*\d+ resting .*/s", r"harvest \d+% \(last 100: \d+%\)  [▁-█]"),
    "zh": (r"页 \d+.*命中 \d+.*排队 \d+.*剪枝 \d+%.*休息 \d+.*/秒", r"收获 \d+%（最近 100 页 \d+%）  [▁-█]"),
}
FIRST = {
    "en": "reading topic tourism, 1 seed, store data/tourism/pages.db",
    "zh": "正在读取主题 tourism，种子 1 个，存储 data/tourism/pages.db",
}
A_HIT = r"  [01]\.\d\d  旅游.+ w\d\.example"
BEST = r"http://w\d\.example/p\d+\.html$"
ROWS = {
    "en": ["pages", "hits", "harvest rate", "hosts", "time", "links kept", "pruned links", "errors", "results", "next"],
    "zh": ["网页", "命中", "收获率", "主机", "用时", "保留链接", "剪掉的链接", "错误", "结果在", "接下来"],
}


@pytest.mark.parametrize("given", LANGUAGES, ids=str)
def test_the_live_line_stays_in_place_and_the_table_fits_80_columns(tmp_path, given):
    variables, settings, language = LANGUAGES[given]
    with small_web(travel_web(40), latency=0.1) as web:
        screen = run_on_terminal([*COMMAND, *settings], tmp_path, environment(web.proxy, **variables))
    assert screen.exit_code == 0, screen.raw
    assert len(screen.live_lines) >= 2
    assert widest(screen.live_lines) <= 79
    assert screen.lines[0] == FIRST[language]
    for live in (*LIVE[language], A_HIT):
        assert any(re.match(live, line) for line in screen.live_lines), screen.live_lines
        assert not any(re.match(live + "$", line) for line in screen.lines)  # it was wiped, not left behind
    assert any(re.match(BEST, line) for line in screen.lines), screen.lines
    # but the command, to be copied
    assert widest([line for line in screen.lines if not line.startswith(ROWS[language][-1])]) <= 80
    named = [name for name in ROWS[language] if any(line.startswith(name + "  ") for line in screen.lines)]
    assert named == ROWS[language]


def test_log_lines_do_not_tear_the_live_line(tmp_path):
    with small_web(travel_web(24), latency=0.1) as web:
        screen = run_on_terminal([*COMMAND, "-s", "LOG_LEVEL=DEBUG"], tmp_path, environment(web.proxy))
    crawled = [line for line in screen.lines if "Crawled (200)" in line]
    assert len(crawled) >= 24
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[", line) for line in crawled)
    assert len(screen.live_lines) >= 2


def test_a_page_that_is_too_large_is_one_count_and_no_traceback(tmp_path):
    huge = "http://w1.example/all.html"
    web_pages = {SEED: page("旅游", TRAVEL, {huge: "旅游大全"}), huge: Answer("<p>旅游</p>" * 10_000)}
    with small_web(web_pages) as web:
        screen = run_on_terminal(
            [*COMMAND, "-s", "DOWNLOAD_MAXSIZE=50000"], tmp_path, environment(web.proxy, LC_ALL="C.UTF-8")
        )
    assert screen.exit_code == 0, screen.raw
    assert any(re.fullmatch(r"errors +too_large ×1", line) for line in screen.lines), screen.raw
    assert [line for line in screen.lines if "Traceback" in line or "ERROR" in line] == []


def test_ctrl_c_ends_gracefully_with_the_table(tmp_path):
    with small_web(travel_web(60), latency=0.1) as web:
        screen = run_on_terminal(COMMAND, tmp_path, environment(web.proxy), press_ctrl_c=lambda: len(web.pages()) >= 6)
    assert screen.exit_code == 130, screen.raw
    assert "stopped: the same command goes on from here" in screen.raw
    assert any(line.startswith("harvest rate") for line in screen.lines)
    assert 6 <= len(web.pages()) < 60


EVIL = "\x1b[31m旅游\x07\x1b]0;owned\x07"


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_control_characters_of_pages_never_reach_the_terminal(tmp_path, level):
    pages = {
        SEED: page(EVIL, EVIL + TRAVEL, {"http://w0.example/\x1b[2Ja": EVIL, "http://w0.example/moved": "旅游"}, EVIL),
        "http://w0.example/moved": Answer("", 302, {"Location": "http://w0.example/\x1b[31mred"}),
        "http://w0.example/robots.txt": Answer(f"User-agent: *\nCrawl-delay: {EVIL}\nDisallow: /{EVIL}"),
    }
    with small_web(pages) as web:
        screen = run_on_terminal([*COMMAND, "-s", f"LOG_LEVEL={level}"], tmp_path, environment(web.proxy))
    assert screen.exit_code == 0, screen.raw
    assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", screen.printed) == []


def busy_tally():
    """Numbers as large as they come."""
    stats = CrawlStats(clock=count(0, 0.05).__next__, earlier_pages=7_654_321, max_pages=90_000_000)
    stats.queued, stats.links, stats.kept_links = 98_765_432, 10**9, 10**7
    stats.pruned = Counter({f"reason_{n}": 10 ** (n % 9) for n in range(20)})
    stats.errors = Counter({"connect_timeout": 12_345, "server_error": 1_234, "robots_unreachable": 77_777})
    for number in range(150):
        stats.page(f"h{number}.example", number % 2 == 0)
    stats.pages, stats.hits = 2_345_678, 1_234_567
    return stats


@pytest.mark.parametrize("chinese", [True, False])
def test_the_live_line_shows_every_number_in_80_columns(chinese):
    use_language("zh" if chinese else "en")
    line = " ".join(live_view(busy_tally(), 79)[:2])
    assert widest(live_view(busy_tally(), 79)) <= 79
    assert "…" not in line
    for number in ("2.35M", "1.23M", "98.8M", "53%", "50%"):
        assert number in line


def test_the_next_command_is_the_one_it_was_started_with(tmp_path):
    env = environment(TOPICSPIDER_COMMAND="./run", TOPICSPIDER_DATA="my results")
    with small_web(travel_web(3)) as web:
        env |= {"http_proxy": web.proxy, "https_proxy": web.proxy}
        ended = scrapy(COMMAND, tmp_path, env)
    settings = " ".join(NO_DELAYS) + " -s 'TOPICSPIDER_DATA=my results'"
    assert re.search(rf"INFO: next +\./run hits --topic tourism {settings}$", ended.err, re.MULTILINE)


TYPED = [("-a", "topic=food"), ("-a", "seeds=http://a.example/?q=1,2"), ("-a", "fresh=1"), ("-O", "我的 hits.csv"), ("-s", "TOPICSPIDER_STORE=mysql://me:secret@h/d")]  # fmt: skip
AGAIN = "-a 'seeds=http://a.example/?q=1,2' -O '我的 hits.csv' -s 'TOPICSPIDER_STORE=mysql://me:***@h/d'"


@pytest.mark.parametrize(
    ("reason", "best_left", "line"),
    [
        ("shutdown", None, f"scrapy crawl topic -a topic=food {AGAIN}"),
        ("max_pages", None, f"scrapy crawl topic -a topic=food -a max_pages=10 {AGAIN}"),
        ("finished", 0.1, f"scrapy crawl topic -a topic=food -s TOPICSPIDER_LINK_THRESHOLD=0 {AGAIN}"),
        ("low_yield", 0.1, f"scrapy crawl topic -a topic=food -s TOPICSPIDER_STOP_YIELD=0 {AGAIN}"),
        ("finished", None, "scrapy hits --topic food -s 'TOPICSPIDER_STORE=mysql://me:***@h/d'"),
    ],
)
def test_the_next_line_has_what_this_run_was_asked_for(monkeypatch, reason, best_left, line):
    monkeypatch.delenv("TOPICSPIDER_COMMAND", raising=False)
    run = SimpleNamespace(
        options=SimpleNamespace(topic="food"),
        config=SimpleNamespace(limits=SimpleNamespace(pages=5)),
        stats=CrawlStats(best_left=best_left),
        typed=TYPED,
    )
    assert _next(run, "topic", reason) == line
    run.stats.near(0.2, 0.4, "http://a.example/miss")
    run.stats.pages = 100
    # without a hit there is none to be searched, and more pages are no help
    if (reason, best_left) in (("finished", None), ("max_pages", None)):
        assert _next(run, "topic", reason).startswith("scrapy explain --topic food http://a.example/miss ")


@pytest.mark.parametrize(
    ("hits", "copies", "hubs", "words"),
    [(2, 17, 0, "19 on topic (2 new, 17 copies)"), (1, 1, 1, "3 on topic (1 new, 1 copy, 1 list)"), (5, 0, 0, "5")],
)
def test_new_pages_and_copies_on_topic_are_told_apart(hits, copies, hubs, words):
    use_language("en")
    assert _hits(CrawlStats(hits=hits, copies=copies, hubs=hubs)) == words


def test_a_crawl_without_a_hit_says_what_its_best_page_scored():
    use_language("en")
    stats = CrawlStats()
    for score in (0.1, 0.3582, 0.2):
        stats.near(score, 0.4, f"http://a.example/{score}")
    said = "no page was on topic: the best score was 0.358, and a hit needs 0.400: http://a.example/0.3582"
    assert _nearest(stats, 400) == [said, ""]
    stats.page("a.example", is_hit=True)
    assert _nearest(stats, 400) == []


@pytest.fixture
def stats():
    now = [0.0]
    stats = CrawlStats(clock=lambda: now[0], max_pages=300, earlier_pages=40)
    for number in range(160):
        now[0] += 0.5
        stats.page(f"h{number % 7}.example", is_hit=number >= 100)
    stats.judged(kept=30, pruned=Counter({"low_rw": 60, "depth": 10}))
    stats.queued = 1234
    return stats


def test_after_a_resume_the_live_line_counts_this_run_alone(stats):
    use_language("en")
    assert progress_line(stats, 120).startswith("160 pages · 60 hits · harvest 38% (last 100: 60%)")
    assert len(_rows(stats)) == 9
    assert [name for name, _words in _rows(CrawlStats(earlier_pages=60))] == ["earlier runs"]  # nothing was left to do


def test_harvest_rates_overall_and_of_the_last_hundred_differ(stats):
    assert stats.harvest_rate == pytest.approx(60 / 160)
    assert stats.recent_harvest_rate == pytest.approx(0.6)


def test_time_left_follows_the_limit_and_the_present_pace(stats):
    assert stats.pages_left == 300 - 40 - 160
    assert stats.seconds_left == pytest.approx(100 / 2, rel=0.05)


def test_without_a_limit_no_time_is_told(stats):
    use_language("en")
    assert progress_line(stats, 120).endswith("/s · 0:49 left")
    stats.max_pages = None
    assert progress_line(stats, 120).endswith("/s")


def test_links_that_were_not_worth_a_page_are_pruned_in_the_end(stats):
    stats.queued = 40  # ten of them of earlier runs
    stats.leave_queued(0.012, "low_chance")
    assert stats.pruned == {"low_rw": 60, "depth": 10, "low_chance": 40}
    assert (stats.links, stats.kept_links) == (110, 0)


def test_reasons_are_told_in_the_readers_language():
    use_language("zh")
    assert _counted({"not_found": 3, "low_chance": 12, "of another": 1}) == "希望太小 ×12, 未找到 ×3, of another ×1"
    use_language("en")
    assert _counted({"bad_response": 301}) == "bad_response ×301"
