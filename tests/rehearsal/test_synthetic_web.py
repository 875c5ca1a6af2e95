"""The made web: the same everywhere, true to its labels, and with everything that makes crawling hard."""

from __future__ import annotations

import hashlib
import html
import re
from collections import Counter
from urllib.parse import unquote, urljoin

import pytest

from topicspider.errors import ConfigError
from topicspider.rehearsal.response import RecordedResponse
from topicspider.rehearsal.synthetic.text import MISLEADING
from topicspider.rehearsal.synthetic.web import BIG_PAGE_BYTES, SyntheticWeb
from topicspider.topic.class_topics import class_of, class_topic

SMALL = "pages=4000,hosts=40,seed=5"
CHOSEN = "pages=6000,hosts=80,topic=tourism,topic_hosts=20"
START = "http://start.made.example/"


@pytest.fixture(scope="module")
def web() -> SyntheticWeb:
    return SyntheticWeb.read(SMALL)


def text_of(response: RecordedResponse | None) -> str:
    """Of UTF-8 or GBK, and of nothing else; "" of a page that is none or has megabytes."""
    if response is None or response.chunked:
        return ""
    try:
        return response.body.decode()
    except UnicodeDecodeError:
        return response.body.decode("gbk")


def links_of(url: str, response: RecordedResponse | None) -> list[str]:
    text, headers = text_of(response), dict(response.headers) if response else {}
    found = re.findall(r'(?:href="|http-equiv="refresh" content="0; url=)([^"]*)"', text)
    return [headers["Location"]] if "Location" in headers else [urljoin(url, html.unescape(link)) for link in found]


def everything_linked(web: SyntheticWeb) -> dict[str, RecordedResponse | None]:
    todo, answers = [START], {}
    while todo:
        if (url := todo.pop()) not in answers:
            answers[url] = web.find(url)
            todo += links_of(url, answers[url])
    return answers


DIGESTS = {
    "": "b07dee716c184ebc",
    "pages=216,hosts=3": "d16f0a7dcf73a5df",
    SMALL: "92ae267e3a0a4e89",
    "pages=1000000,hosts=1000,seed=9": "74f696e372b5abdd",
}


@pytest.mark.parametrize("spec", DIGESTS)
def test_published_webs_keep_their_bytes(spec: str) -> None:
    """Figures measured on a made web stay comparable only while its bytes are the same in every process."""
    web, digest = SyntheticWeb.read(spec), hashlib.sha256()
    for number, (url, truth) in enumerate(web.labels(3000)):
        digest.update(f"{url} {truth.kind} {truth.topics}\n".encode())
        if number % 7 == 0 and (response := web.find(url)):
            digest.update(response.body)
    assert digest.hexdigest()[:16] == DIGESTS[spec]


@pytest.mark.parametrize(
    ("topic", "spec"),
    [
        ("tourism", CHOSEN),
        ("food", "pages=24000,hosts=80,topic=food,topic_hosts=20,seed=7"),
        ("sport", "hosts=20,topic=sport,topic_hosts=1"),
        ("tourism", "topic_hosts=30,pages=3000,topic=tourism,hosts=30"),
        ("health", "hosts=300,topic=health,topic_hosts=150"),
    ],
)
def test_as_many_sites_as_asked_for_are_mainly_on_the_topic(topic: str, spec: str) -> None:
    web = SyntheticWeb.read(spec)
    shares = {
        site.host: sum(one.articles for one in site.sections if one.topic == topic)
        / sum(one.articles for one in site.sections)
        for site in map(web._sites.site, range(web.scale.hosts))
    }
    assert sum(share > 0.6 for share in shares.values()) == web.scale.topic_hosts


def test_a_web_of_classes_is_about_each_of_them_alike_and_in_its_own_words() -> None:
    web = SyntheticWeb.read("hosts=80,classes=40")
    assert len(set(web.scale.topics)) == 40
    sites = Counter(web._sites.site(number).topic for number in range(80))
    assert set(sites.values()) == {2}
    url, topic = next((url, truth.topics[0]) for url, truth in web.labels(400) if truth.kind == "page" and truth.topics)
    answer = web.find(url)
    assert answer is not None
    body = answer.body.decode("utf-8", "replace")
    terms = {name: sum(body.count(term) for term in class_topic(class_of(name)).terms) for name in web.scale.topics}
    assert max(terms, key=terms.__getitem__) == topic


@pytest.mark.parametrize(
    ("spec", "value", "allowed"),
    [
        ("topic=旅游,topic_hosts=3", "旅游", "tourism"),
        ("topic=,topic_hosts=3", "3", "both or neither"),
        ("topic=tourism", "tourism", "both or neither"),
        ("topic_hosts=3", "3", "both or neither"),
        ("topic=tourism,topic_hosts=0", "0", "from 1"),
        ("hosts=10,topic=tourism,topic_hosts=11", "11", "the number of hosts"),
        ("topic=tourism,topic_hosts=-1", "-1", "from 1"),
        ("topic=tourism,topic_hosts=二", "二", "from 1"),
        ("topic=food,topic=food,topic_hosts=2", "topic=food", "each once"),
        ("hosts=30,classes=31", "31", "at most the number of hosts"),
        ("topic=food,topic_hosts=2,classes=30", "30", "without them"),
    ],
)
def test_a_wrong_choice_of_topic_sites_is_one_clear_line(spec: str, value: str, allowed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SyntheticWeb.read(spec)
    line = str(caught.value)
    assert "made web" in line
    assert value in line
    assert allowed in line
    assert "\n" not in line


HARD = {
    "dead links on living hosts": lambda url, status, text: not status and ".s" in url,
    "dead hosts": lambda url, status, text: not status and "gone" in url,
    "redirects": lambda url, status, text: status == 302 and "/go/" in url,
    "redirects in a circle": lambda url, status, text: status and "/loop/" in url,
    "meta refresh": lambda url, status, text: 'http-equiv="refresh"' in text,
    "Chinese paths": lambda url, status, text: status and "%E" in url,
    "queries": lambda url, status, text: status and "show.asp?id=" in url,
    "a misleading word in menus": lambda url, status, text: any(f">{word}</a>" in text for word in MISLEADING),
    "pages in English": lambda url, status, text: '<html lang="en">' in text,
    "copied pages": lambda url, status, text: "（原文刊于" in text,
    "pages that robots.txt forbids": lambda url, status, text: status and "/private/" in url,
    "hubs": lambda url, status, text: "/zhuanti/" in url and text.count("<li>") > 25,
}
ENCODINGS = {  # header, <meta>, truth
    ("gbk", "gbk", "gbk"), ("", "gb2312", "gbk"), ("utf-8", "", "gbk"), ("", "gb2312", "utf-8"), ("utf-8", "utf-8", "utf-8"),
}  # fmt: skip


def test_everything_is_linked_and_what_makes_crawling_hard_is_there(web: SyntheticWeb) -> None:
    answers = everything_linked(web)
    labels = dict(web.labels())
    assert len(labels) == len(web) == 4000 + 13
    assert [url for url in labels if not answers.get(url)] == []
    hard, encodings = Counter[str](), Counter[tuple[str, str, str]]()
    for url, one in answers.items():
        status, text = one.status if one else 0, text_of(one)
        hard.update(name for name, holds in HARD.items() if holds(url, status, text))
        if status == 200 and not one.chunked:
            meta = re.search(r'<meta charset="([^"]*)"', text)
            truth = "utf-8" if text.encode() == one.body else "gbk"
            encodings[dict(one.headers)["Content-Type"].partition("charset=")[2], meta[1] if meta else "", truth] += 1
    assert min(hard[name] for name in HARD) > 1, hard
    assert {kind for kind, count in encodings.items() if count > 20} == ENCODINGS
    assert [len(one.body) for one in answers.values() if one and one.chunked] == [BIG_PAGE_BYTES]
    robots = [web.find(f"http://{host}/robots.txt") for host in web.hosts()]
    assert {one and b"Crawl-delay: 1" in one.body for one in robots} == {None, False, True}


@pytest.mark.parametrize(
    "url",
    [
        "http://www.s001.example/nothing.html",
        "http://www.s1.example/",
        "http://www.s999.example/",
        "http://www.s001.example/zhuanti/99999.html",
        "http://start.made.example/dir/weather.html",
        "http://start.made.example/robots.txt",
        "http://gone.example/",
        "ftp://www.s001.example/",
        "旅游",
        "",
    ],
)
def test_what_it_does_not_have_is_none(web: SyntheticWeb, url: str) -> None:
    assert web.find(url) is None
    assert web.truth(url) is None


def test_https_and_other_spellings_find_the_same_page(web: SyntheticWeb) -> None:
    url = next(url for url, _truth in web.labels() if "%E" in url)
    spellings = [url.replace("http:", "https:"), unquote(url), url.lower()]
    pages = [web.find(spelling) for spelling in spellings]
    original = web.find(url)
    assert original is not None
    assert [page.body for page in pages if page is not None] == [original.body] * 3
