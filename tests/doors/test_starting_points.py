"""A bare name crawls: where it begins is found among the sources of a file and the results of a search engine."""

from __future__ import annotations

import json
import re
from random import Random
from urllib.parse import quote

import pytest
from scrapy.settings import BaseSettings

from support.crawling import NO_DELAYS, environment, items, scrapy
from support.site import Answer, page, small_web
from topicspider.cli.judge import load_judge
from topicspider.cli.starting_points import _search, results_in
from topicspider.options import Options
from topicspider.topic.catalogue import classes
from topicspider.topic.class_topics import class_topic, topic_name
from topicspider.topic.loading import load_topic
from topicspider.topic.seed_sources import titles_of

TEA = "茶叶按照发酵程度分为绿茶、红茶和乌龙茶。泡茶的水温不同，茶汤的滋味也不同。茶农春天采茶，茶园在山上。"
SOURCES = """zh:
  encyclopedia: http://wiki.example/wiki/{name}
  category: http://wiki.example/cat/{name}
  portal: [http://shut.example/, "http://gone.example/{pinyin}"]
"""
ARTICLE, SEARCH = (
    f"http://wiki.example/wiki/{quote('茶叶')}",
    f"http://search.example/search?q={quote('茶叶')}&format=json&pageno=",
)
RESULTS = [
    {"url": "http://tea.example/", "title": "茶叶 绿茶 红茶", "content": "茶叶的分类"},
    {"url": "http://cars.example/", "title": "二手车报价", "content": "汽车"},
    {"url": "http://192.168.0.1/", "title": "茶叶", "content": "茶叶"},
    {"url": "no address", "title": "茶叶"},
]
WEB = {
    ARTICLE: page("茶叶", TEA, {"http://tea.example/green": "绿茶 茶叶"}),
    "http://tea.example/": page("茶叶网", TEA),
    "http://tea.example/green": page("绿茶", TEA + "绿茶不发酵。"),
    "http://shut.example/": page("茶叶", TEA),
    "http://shut.example/robots.txt": Answer("User-agent: *\nDisallow: /"),
    f"{SEARCH}1": Answer(json.dumps({"results": RESULTS})),
}
STORED = "data/茶叶/seeds.jsonl"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "seed_sources.yaml").write_text(SOURCES, encoding="utf-8")
    return tmp_path


def run(folder, proxy, *arguments, command=("crawl", "topic"), **env):
    env = environment(proxy, TOPICSPIDER_TOPICS_DIR=str(folder / "topics"), **env)
    ended = scrapy([*command, *arguments, *NO_DELAYS, "-s", "LOG_LEVEL=WARNING"], folder, env)
    assert "Traceback" not in ended.err
    return ended


def test_a_name_alone_finds_its_seeds_shows_and_keeps_what_was_tried_and_goes_on_with_them(folder):
    with small_web(WEB) as web:
        ended = run(
            folder, web.proxy, "-a", "topic=茶叶", "-O", "hits.jsonl", TOPICSPIDER_SEARCH_URL="http://search.example/"
        )
        asked = web.pages()
        assert ended.exit_code == 0, ended.err
        tried = {one["url"]: one for one in items(folder / STORED)}
        taken = [url for url, one in tried.items() if not one["left_out"]]
        assert set(taken) == {ARTICLE, "http://tea.example/", "http://cars.example/"}
        assert taken[-1] == "http://cars.example/"  # the best come first
        assert {url: one["left_out"] for url, one in tried.items() if one["left_out"]} == {
            "http://shut.example/": "robots",
            "http://gone.example/chaye": "the server answered 404",
            f"http://wiki.example/cat/{quote('茶叶')}": "the server answered 404",
            "http://192.168.0.1/": "refused: private_address",
        }
        assert "茶叶: 7 addresses tried, 3 taken as seeds" in ended.err
        assert all(f"{one['score']:.3f}" in ended.err for one in tried.values() if not one["left_out"])
        assert "http://shut.example/" not in asked
        assert f"{SEARCH}2" in asked  # the first page of results had fewer than 50
        assert (folder / "topics" / "茶叶.yaml").exists()
        assert re.search("^near words: .*(绿茶|茶农|茶园)", ended.err, re.MULTILINE)
        assert {item["url"] for item in items(folder / "hits.jsonl")} >= {ARTICLE, "http://tea.example/green"}
        again = run(folder, web.proxy, "-a", "topic=茶叶")
    assert (again.exit_code, again.err) == (0, "")
    assert "finished before" in again.out
    assert web.pages() == asked


def test_a_name_that_classes_have_tells_which(folder):
    with small_web(WEB) as web:
        ended = run(folder, web.proxy, "-a", "topic=medicine", "-a", "seeds=http://tea.example/")
    assert ended.exit_code == 0
    assert "\nThe catalogue has it in R (Medicine and Health), R-0 (Theory of Medicine), R-1" in ended.err


@pytest.mark.parametrize("more", [(), ("-a", "seeds=http://tea.example/")], ids=["bare", "with seeds"])
def test_without_a_network_it_is_one_line_and_nothing_is_left_behind(folder, more):
    before = sorted(folder.rglob("*"))
    ended = run(folder, "http://127.0.0.1:1", "-a", "topic=茶叶", *more)
    (line,) = ended.err.splitlines()
    assert ended.exit_code == 3
    assert sorted(folder.rglob("*")) == before
    assert line.startswith("topicspider: proxy http://127.0.0.1:1: Connection refused")


def test_sources_that_do_not_answer_are_counted_in_one_line_that_says_what_to_do(folder):
    with small_web({}) as nothing:
        ended = run(folder, nothing.proxy, "-a", "topic=茶叶")
    assert ended.exit_code == 3
    line = ended.err.splitlines()[-1]
    for words in ("none of 4 addresses", "the server answered 404 4", "-a seeds=", "TOPICSPIDER_SEARCH_URL"):
        assert words in line
    assert len(items(folder / STORED)) == 4


def crawled_class(folder, number):
    """A crawl of one page of the class, whose titles the web knows as articles with a text of its own."""
    topic = class_topic(number.upper())
    names = titles_of(topic, "zh")
    articles = {f"http://wiki.example/wiki/{quote(name)}": page(name, topic.texts[0] * 5) for name in names}
    with small_web(articles) as web:
        ended = run(folder, web.proxy, "-a", f"topic={number}", "-a", "max_pages=1", "-O", f"{topic.name}.jsonl")
    return ended, items(folder / f"{topic.name}.jsonl")


def test_a_class_number_crawls_by_the_words_of_its_class_and_no_file_is_written(folder):
    ended, hits = crawled_class(folder, "B9")
    _, again = crawled_class(folder, "b9")
    assert ended.exit_code == 0, ended.err
    assert [hit["topic"] for hit in hits] == ["B9"]
    assert again == hits  # it goes on, and has what it wanted
    assert not list((folder / "topics").glob("*宗教*"))


@pytest.mark.slow
@pytest.mark.parametrize("number", Random(24).sample(list(classes()), 20))
def test_any_class_crawls_from_its_number_alone(folder, number):
    ended, hits = crawled_class(folder, number)
    assert ended.exit_code == 0, ended.err
    assert [hit["topic"] for hit in hits] == [topic_name(number)]


def test_a_search_that_fails_is_listed_without_its_key_and_the_sources_are_taken(folder):
    with small_web(WEB) as web:
        url = "http://search.example/none?key=geheim7&q={searchTerms}"
        ended = run(folder, web.proxy, "-a", "topic=茶叶", "-a", "max_pages=1", TOPICSPIDER_SEARCH_URL=url)
    assert ended.exit_code == 0, ended.err
    (search,) = [one for one in items(folder / STORED) if one["kind"] == "search"]
    assert (search["url"], search["left_out"]) == ("http://search.example/", "Not Found")
    assert "geheim7" not in ended.err + (folder / STORED).read_text(encoding="utf-8")


def test_topics_seeds_offers_the_same_addresses(folder):
    (folder / "topics" / "tea.yaml").write_text("title: 茶叶\n", encoding="utf-8")
    with small_web(WEB) as web:
        ended = run(folder, web.proxy, "--top", "9", "--write", command=("topics", "seeds", "tea"))
    assert (ended.exit_code, ended.err) == (0, "")
    assert f"- {ARTICLE}\n" in (folder / "topics" / "tea.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (
            {"results": [{"url": "http://a.example", "title": "A", "content": "x"}, {"title": "no url"}, 7]},
            [("http://a.example/", "A", "x")],
        ),
        (["茶", ["A", "B"], ["x", ""], ["http://a.example/", "mailto:b"]], [("http://a.example/", "A", "x")]),
        ({"results": None}, []),
        (["茶"], []),
        ("x", []),
    ],
)
def test_results_of_searxng_and_of_opensearch_are_read(answer, found):
    assert [(one.url, one.title, one.snippet) for one in results_in(answer)] == found


@pytest.mark.parametrize("raw", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000, b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000])  # fmt: skip
def test_a_search_engine_that_answers_anything_gives_no_starting_point_and_says_why(raw):
    with small_web(lambda _url: Answer(raw=raw)) as web:
        options = Options.read(BaseSettings({"TOPICSPIDER_SEARCH_URL": f"{web.proxy}/s?q={{searchTerms}}"}))
        (point,) = _search(load_topic("tourism"), options, "x", load_judge("tourism", options))
    assert point.left_out
