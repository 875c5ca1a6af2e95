"""The experiment of (e) Broder 2003: traces are what a crawl asks, miss rates are the rules', claims come out on a made web."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.papers import broder
from benchmarks.papers.link_trace import LinkedWeb, crawl
from benchmarks.papers.miss_rates import BOUNDED, EXPONENTS, critical_exponent, miss_rate, miss_rates
from topicspider.errors import ConfigError
from topicspider.rehearsal.response import RecordedResponse

SCRIPT = Path(broder.__file__)
WEB = "made:pages=2000,hosts=20"


class SmallWeb:
    """Pages by URL, each given as the HTML it has, or as (status, location)."""

    def __init__(self, **sites: dict[str, str | tuple[int, str]]) -> None:
        self._pages = {
            f"http://{host}.cn{path}": answer for host, site in sites.items() for path, answer in site.items()
        }

    def find(self, url: str) -> RecordedResponse | None:
        answer = self._pages.get(url)
        if answer is None:
            return None
        if isinstance(answer, tuple):
            return RecordedResponse(url, answer[0], "", (("Location", answer[1]),), b"")
        return RecordedResponse(url, 200, "OK", (("Content-Type", "text/html; charset=gbk"),), answer.encode("gbk"))


def anchors(*targets: str) -> str:
    return "".join(f"<a href='{target}'>旅游</a>" for target in targets)


@pytest.fixture
def web() -> LinkedWeb:
    return LinkedWeb(
        SmallWeb(
            a={
                "/": anchors("/1", "http://b.cn/", "/2", "/1", "#top", "mailto:x@a.cn"),
                "/1": anchors("/"),
                "/2": (302, "/3"),
                "/3": "",
            },
            b={"/": anchors("http://a.cn/", "/景点")},
        )
    )


def urls(web: LinkedWeb, numbers: list[int]) -> list[str]:
    return [web.urls[number].removeprefix("http://") for number in numbers]


def test_every_link_of_every_page_is_asked_breadth_first_repeats_too(web):
    trace = crawl(web, "http://a.cn/", 100)

    assert urls(web, trace.full) == [
        *("a.cn/1", "b.cn/", "a.cn/2", "a.cn/1"),  # of a.cn/
        "a.cn/",  # of a.cn/1
        *("a.cn/", "b.cn/%E6%99%AF%E7%82%B9"),  # of b.cn/
        "a.cn/3",  # where a.cn/2 leads
    ]
    assert urls(web, trace.cross) == ["b.cn/", "a.cn/"]
    assert (trace.pages, trace.repeats) == (4, 1)


@pytest.mark.parametrize(
    ("threads", "order"),
    [
        (1, ["b.cn/y", "c.cn/x", "a.cn/3", "a.cn/4"]),  # breadth-first: b.cn/, c.cn/, then a.cn/1 and a.cn/2
        (2, ["a.cn/3", "b.cn/y", "a.cn/4", "c.cn/x"]),  # a.cn and b.cn by turns; c.cn waits till one has no more
    ],
)
def test_with_threads_each_reads_one_host_until_it_has_no_more(threads, order):
    sites = {
        "a": {"/": anchors("http://b.cn/", "http://c.cn/", "/1", "/2"), "/1": anchors("/3"), "/2": anchors("/4")},
        "b": {"/": anchors("/y")},
        "c": {"/": anchors("/x")},
    }
    web = LinkedWeb(SmallWeb(**sites))

    assert urls(web, crawl(web, "http://a.cn/", 100, threads).full)[4:] == order


def test_a_crawl_ends_after_the_most_pages(web):
    assert crawl(web, "http://a.cn/", 2).pages == 2


def test_a_page_is_read_once_however_many_crawls_ask():
    asked = []

    class Counting(SmallWeb):
        def find(self, url):
            asked.append(url)
            return super().find(url)

    web = LinkedWeb(Counting(a={"/": anchors("/1", "/2"), "/1": anchors("/")}))
    for threads in (1, 2, 1):
        crawl(web, "http://a.cn/", 100, threads)

    assert sorted(asked) == ["http://a.cn/", "http://a.cn/1", "http://a.cn/2"]


@pytest.mark.parametrize("name", BOUNDED)
def test_sizes_that_hold_all_urls_need_no_run_of_their_own(name):
    trace = [1, 2, 3, 1, 4, 2, 5, 1, 1, 3] * 3

    assert miss_rates(name, trace) == [miss_rate(name, 2**exponent, trace) for exponent in EXPONENTS]


def test_the_critical_point_is_where_the_best_doubling_ends():
    assert critical_exponent([1.0, 0.9, 0.8, 0.3, 0.25]) == 3


@pytest.fixture(scope="module")
def numbers() -> broder.Numbers:
    return broder.measure(WEB, "", 5000, [1, 10])


@pytest.mark.parametrize("trace", ["full", "cross"])
class TestClaimsOnAMadeWeb:
    def test_min_is_the_lower_limit_of_caches_that_begin_empty(self, numbers, trace):
        rates = getattr(numbers, trace).rates
        for name in ("lru", "clock", "random"):
            assert all(least <= rate for least, rate in zip(rates["min"], rates[name], strict=True))

    def test_clock_is_like_lru(self, numbers, trace):
        rates = getattr(numbers, trace).rates
        assert rates["clock"] == pytest.approx(rates["lru"], abs=0.06)

    def test_random_is_slightly_worse_than_lru_behind_the_critical_point(self, numbers, trace):
        curves = getattr(numbers, trace)
        behind = range(curves.critical + 1, curves.whole)
        assert all(
            curves.rates["lru"][at] <= curves.rates["random"][at] <= curves.rates["lru"][at] + 0.12 for at in behind
        )

    def test_a_cache_of_all_urls_misses_each_once(self, numbers, trace):
        curves = getattr(numbers, trace)
        for name in ("min", "lru", "clock", "random"):
            assert curves.rates[name][-1] == curves.infinite == curves.distinct / curves.links


def test_static_is_much_worse_on_the_full_trace(numbers):
    rates, at = numbers.full.rates, numbers.full.critical + 1

    assert rates["static"][at] > rates["lru"][at] + 0.1
    assert rates["static"][at] > rates["random"][at]


def test_500_entries_a_thread_are_enough(numbers):
    assert all(threaded.many > 0.8 for threaded in numbers.threads.values())


def test_it_writes_numbers_and_figures_alike_each_time(numbers, tmp_path):
    for folder in (tmp_path / "1", tmp_path / "2"):
        folder.mkdir()
        broder._write(folder, numbers)

    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert names == ["broder-min.svg", "broder-threads.svg", "broder.json", "broder.svg"]
    assert all((tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes() for name in names)
    assert json.loads((tmp_path / "1" / "broder.json").read_text())["full"]["rates"]["lru"] == numbers.full.rates["lru"]


def test_a_start_page_without_links_is_one_clear_line():
    with pytest.raises(ConfigError, match=r"start page.*no-such\.example"):
        broder.measure("made:pages=216,hosts=3", "http://no-such.example/", 100, [1])


@pytest.mark.parametrize(
    "arguments",
    [["--web", "no-such.warc"], ["--start", "mailto:x"], ["--threads", "many"], ["--threads", "0"], ["--pages", "0"]],
)
def test_bad_arguments_are_one_clear_line(arguments):
    ended = subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)

    assert ended.returncode != 0
    assert "Traceback" not in ended.stderr
    assert arguments[0].strip("-") in ended.stderr.replace("start page", "start")


def test_without_the_recorded_sites_it_says_that_it_is_skipped(tmp_path):
    ended = subprocess.run(
        [sys.executable, str(SCRIPT), "--web", "sites-dev"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TOPICSPIDER_CORPORA": str(tmp_path)},
    )

    assert ended.stderr.startswith("skipped: no sites-dev.warc")
    assert ended.stderr.count("\n") == 1
