"""A crawl of the whole catalogue: a page is kept by the classes that stand out on it, and the map shows them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from fnmatch import fnmatch
from random import Random

import pytest

from support.crawling import NO_DELAYS, Ended, crawl, environment, scrapy
from support.replaying import replay_server, write_warc
from topicspider.topic.catalogue import classes
from topicspider.topic.class_topics import class_topic, class_topics
from topicspider.topic.seed_sources import source_addresses
from topicspider.url import canonicalize

NUMBERS = ["G8", "F8", "J9", "U4", "R5", "K87", "P1", "S6", "TP", "B84", "TS", "V4"]


def web() -> dict[str, tuple[str, bytes]]:
    """A page of three sentences for each class, in a ring of links, and a hub that links to the first three."""
    pages = {}
    rng = Random(7)
    for place, number in enumerate(NUMBERS):
        topic = class_topic(number)
        after = [NUMBERS[(place + step) % len(NUMBERS)] for step in (1, 2, 3)]
        words = list(topic.terms)
        body = "".join(f"<p>{text}{'，'.join(rng.sample(words, 5))}。</p>" for text in topic.texts)
        links = "".join(f"<a href='http://c{one.lower()}.example/'>{class_topic(one).title['zh']}</a>" for one in after)
        html = f"<html lang='zh'><head><meta charset='utf-8'><title>{topic.title['zh']}：{words[1]}与{words[2]}</title></head><body><article>{body}</article><p>{links}</p></body></html>"
        pages[f"http://c{number.lower()}.example/"] = "text/html; charset=utf-8", html.encode()
    return pages


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The web's proxy, and a folder with a crawl of all classes of it."""
    folder = tmp_path_factory.mktemp("clc")
    with replay_server(write_warc(folder / "web.warc", web())) as server:
        ended = crawl(folder, server.proxy_url, "-a", "topic=clc", "-a", "balance=even", seeds="http://cg8.example/")
        assert ended.exit_code == 0, ended.err
        yield server.proxy_url, folder


def asked(served, *arguments: str) -> Ended:
    proxy, folder = served
    ended = scrapy(arguments, folder, environment(proxy))
    assert (ended.exit_code, ended.err) == (0, "")
    return ended


def test_a_crawl_of_all_classes_keeps_each_page_under_its_class_and_shows_the_map(served):
    with closing(sqlite3.connect(served[1] / "data" / "clc" / "pages.db")) as database:
        rows = database.execute("SELECT topic, url FROM pages WHERE on_topic = 1").fetchall()
        stored = database.execute("SELECT COUNT(DISTINCT url), COUNT(*) FROM pages").fetchone()
    kept = {topic for topic, url in rows if url == f"http://c{topic.lower()}.example/"}
    assert kept == set(NUMBERS)
    assert stored[0] == len(NUMBERS)
    assert stored[1] <= 3 * len(NUMBERS)
    shown = asked(served, "topics", "coverage", "clc", "--json")
    counts = {one["topic"]: one["hits"] for one in map(json.loads, shown.out.splitlines())}
    assert len(counts) == len(class_topics())
    assert {number for number in NUMBERS if counts[number]} == set(NUMBERS)
    assert not any(one["queued"] for one in map(json.loads, shown.out.splitlines()))
    table = asked(served, "topics", "coverage", "clc")
    assert f"of {len(counts)} topics have hits" in table.out
    assert "天文学" in table.out or "Astronomy" in table.out


def test_links_that_wait_are_counted_with_the_class_of_the_page_they_are_on(served, tmp_path):
    order = ("-a", "topic=clc", "-a", "max_pages=1")
    assert crawl(tmp_path, served[0], *order, seeds="http://cg8.example/").exit_code == 0
    ended = scrapy(["topics", "coverage", "clc", "--json"], tmp_path, environment(served[0]))
    queued = {one["topic"]: one["queued"] for one in map(json.loads, ended.out.splitlines())}
    assert queued["G8"] == 3
    assert not queued["F8"]


def test_a_class_of_which_nothing_was_found_gets_its_own_starting_points_when_classes_are_to_find_alike(tmp_path):
    sources = tmp_path / "topics"
    sources.mkdir()
    (sources / "seed_sources.yaml").write_text("zh:\n  search:\n    - http://seek.example/{query}\n", encoding="utf-8")
    branch = [class_topic(number) for number in classes() if number.startswith("T")]
    addresses = {topic.name: {point.url for point in source_addresses(topic, str(sources))} for topic in branch}
    text = "".join(class_topic("TP").texts)
    pages = {
        f"http://a.example/{number}": (
            "text/html; charset=utf-8",
            f"<title>计算机{number}</title><p>{text}</p><a href='/{number + 1}'>软件{number}</a>".encode(),
        )
        for number in range(2 * len(branch))
    }
    pages[addresses["T"].pop()] = (
        "text/html; charset=utf-8",
        f"<p>{text}</p><a href='http://a.example/0'>计算机</a>".encode(),
    )
    settings = [*NO_DELAYS, "-s", f"TOPICSPIDER_TOPICS_DIR={sources}"]
    with replay_server(write_warc(tmp_path / "web.warc", pages)) as server:
        arguments = ["crawl", "topic", "-a", "topic=T*", "-a", "balance=even", *settings]
        ended = scrapy(arguments, tmp_path, environment(server.proxy_url))
        asked_for = {canonicalize(f"http://{one['host']}{one['path']}") for one in server.log()}
    assert ended.exit_code == 0, ended.err
    found = {name for name, urls in addresses.items() if urls & asked_for}
    assert len(found) == 2  # one each time that as many pages were read as there are classes
    assert "TP" not in found


@pytest.mark.parametrize("topic", ["clc", "T*", "TS"])
def test_hits_sites_and_files_are_of_the_whole_crawl_a_branch_or_a_class_of_it(served, tmp_path, topic):
    wanted = [number for number in NUMBERS if fnmatch(number, "*" if topic == "clc" else topic)]
    urls = {f"http://c{number.lower()}.example/" for number in wanted}
    hits = json.loads(asked(served, "hits", "--topic", topic, "--json").out)
    assert {one["url"] for one in hits["hits"]} == urls
    file = tmp_path / "hits.jsonl"
    asked(served, "export", "--topic", topic, "-o", str(file))
    assert {json.loads(line)["url"] for line in file.read_text(encoding="utf-8").splitlines()} == urls
    sites = json.loads(asked(served, "sites", "--topic", topic, "--json").out)
    assert {one["topic"] for one in sites} == set(wanted)


@pytest.mark.parametrize("topic", ["clc", "P1", "K87"])  # K87 does not stand out on it
def test_a_page_of_a_crawl_of_all_classes_is_explained_by_its_classes_and_as_it_was_judged(served, topic):
    shown = json.loads(asked(served, "explain", "--topic", topic, "--json", "http://cp1.example/").out)
    (page,) = shown["pages"]
    assert (page["topic"], page["on_topic"]) == ("P1", True)
    assert page["score"] == pytest.approx(page["stored"]["score"], abs=1e-4)
    assert {link["url"] for link in shown["links"]} == {
        "http://cs6.example/",
        "http://ctp.example/",
        "http://cb84.example/",
    }


def test_a_crawl_of_all_classes_is_visited_again(served):
    ended = asked(served, "recrawl", "--topic", "clc", "--older-than", "0m", "-L", "ERROR", *NO_DELAYS)
    assert "12 / " in ended.out
