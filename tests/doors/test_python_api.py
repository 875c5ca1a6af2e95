"""``from topicspider import Topic, crawl, judge, read``: from a script, as often as wanted."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import topicspider
from support.crawling import ROOT, environment
from support.site import SPORT, TRAVEL, page, small_web, travel_web
from topicspider import Topic, crawl, i18n, judge, read
from topicspider.api import topic_text
from topicspider.errors import TopicSpiderError
from topicspider.items import PageItem
from topicspider.topic.profile import Limits
from topicspider.topic.schema import read_topic

QUICK = {"TOPICSPIDER_DELAY_MIN": 0, "TOPICSPIDER_DELAY_FACTOR": 0}
START = "http://w0.example/p0.html"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(i18n, "_is_foreign", False)  # is put back
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.fixture
def web(here, monkeypatch):
    with small_web(travel_web(40), latency=0.02) as served:
        monkeypatch.setenv("http_proxy", served.proxy)
        yield served


def test_each_hit_is_told_as_it_comes_and_the_same_call_goes_on(web, here, capfd):
    told: list[PageItem] = []
    topic = Topic("trip", {"zh": "旅游"}, terms={"旅游": 10, "景点": 5, "古镇": 5}, seeds=(START,))
    first = crawl(topic, told.append, max_pages=5, settings=QUICK)
    assert told == first
    assert START in {hit.url for hit in first}
    assert all(hit.topic == "trip" and hit.relevance > 0 for hit in first)
    second = crawl(topic, max_pages=40, settings=QUICK)
    assert second
    assert not {hit.url for hit in first} & {hit.url for hit in second}
    assert len(web.pages()) == len(set(web.pages()))
    assert (here / "data" / "trip" / "pages.db").exists()
    assert crawl(topic, max_pages=20, settings=QUICK) == []
    assert "trip: has its 40 pages (limit 20)" in capfd.readouterr().err


def test_an_address_keeps_its_commas(here, monkeypatch):
    seed = "http://w0.example/list,1,2.html?at=1,2"
    with small_web({seed: page("旅游攻略", TRAVEL)}) as web:
        monkeypatch.setenv("http_proxy", web.proxy)
        assert [hit.url for hit in crawl("tourism", seeds=[seed], settings=QUICK)] == [seed]


def test_what_the_callback_raises_stops_the_crawl_and_loses_nothing(web):
    def enough(hit: PageItem) -> None:
        raise LookupError(hit.url)

    with pytest.raises(LookupError, match="http://w"):
        crawl("tourism", enough, seeds=[START], settings={**QUICK, "CONCURRENT_REQUESTS": 1})
    seen = len(web.pages())
    assert seen < 40
    crawl("tourism", seeds=[START], settings={**QUICK, "TOPICSPIDER_LINK_THRESHOLD": 0})
    assert sorted(web.pages()) == sorted(travel_web(40))


@pytest.mark.parametrize(
    ("call", "exit_code", "words"),
    [
        (lambda: crawl("turism"), 2, "Did you mean tourism?"),
        (lambda: crawl("tourism", max_pages=-1), 2, "max_pages: '-1'"),
        (
            lambda: crawl("tourism", seeds=["http://127.0.0.1:1/"], settings={"TOPICSPIDER_ALLOW_PRIVATE": 1}),
            3,
            "refused",
        ),
        (lambda: read("http://127.0.0.1:1/"), 3, "could not be read"),
        (lambda: read("nosuch.html"), 2, "nosuch.html"),
        (lambda: read(b""), 3, "it is empty"),
        (lambda: judge("turism", "x"), 2, "Did you mean tourism? To make it: `topicspider topics new turism`"),
    ],
)
def test_what_is_wrong_is_raised_as_one_line(here, call, exit_code, words):
    with pytest.raises(TopicSpiderError, match=re.escape(words)) as error:
        call()
    assert error.value.exit_code == exit_code
    assert "\n" not in str(error.value)


def test_a_page_is_read_from_the_web_from_a_file_and_from_bytes(web, here):
    body = page("旅游日记", TRAVEL).body
    (here / "page.html").write_text(body, encoding="utf-8")
    pages = [read(START, settings=QUICK), read(Path("page.html")), read(body.encode(), url="http://w0.example/x")]
    assert [one["title"] for one in pages] == ["旅游日记第0篇", "旅游日记", "旅游日记"]
    assert [one["url"] for one in pages] == [START, None, "http://w0.example/x"]


@pytest.mark.parametrize("topic", ["tourism", "F59", Topic("旅游"), Topic("trip", {"en": "Travel", "zh": "旅游"})])
def test_a_text_is_judged_by_a_name_or_a_topic(here, topic):
    on, off = judge(topic, TRAVEL * 3, "旅游攻略"), judge(topic, SPORT * 3, "联赛")
    assert on.on_topic
    assert on.value > off.value


def test_a_bare_name_judges_without_a_file(here, capsys):
    assert judge("茶叶", "茶叶按照发酵程度分为绿茶、红茶和乌龙茶。" * 5).on_topic
    assert "茶叶: no topic is called so" in capsys.readouterr().err
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    "topic",
    [
        Topic(
            "茶叶",
            {"zh": '茶"叶\\'},
            "S5",
            "specific",
            ("zh", "en"),
            {"茶叶": 10.0},
            {"茶叶": ("茗茶",)},
            {"茶几": 0.5},
        ),
        Topic(
            "t",
            {"en": "T"},
            near={"a": 0.0},
            texts=("two lines\nof text ❤",),
            seeds=("https://a.example/",),
            page_threshold=0.0,
        ),
        Topic("t", {"en": "T"}, page_thresholds={"vsm": 0.1}, link_threshold=0.2, hubs="hits"),
        Topic("t", {}, terms={"茶": 1.0}),
        Topic(
            "t",
            {"en": "T"},
            limits=Limits(2, 3, 4, ("a.example",), ("b.example",), ("text/html",), 2048, date(2026, 1, 31)),
        ),
    ],
)
def test_a_topic_is_written_and_read_again_as_it_was(topic):
    again, errors = read_topic(topic_text(topic).encode(), "", "")
    assert (again, errors) == (topic, [])


def test_the_package_itself_loads_nothing_and_names_what_it_has():
    program = "import sys, topicspider; print(sorted(n for n in sys.modules if n.startswith(('topicspider', 'scrapy', 'numpy'))))"
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout
    assert said == "['topicspider']\n"
    with pytest.raises(AttributeError, match="no attribute 'crawler'"):
        _ = topicspider.crawler
    manual = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert all(f"{name}(" in manual for name in topicspider.__all__)
