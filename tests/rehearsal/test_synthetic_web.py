"""The made web: the same everywhere, true to its labels, and with everything that makes crawling hard."""

from __future__ import annotations

import hashlib
import html
import re
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from topicspider.errors import ConfigError
from topicspider.rehearsal.response import RecordedResponse
from topicspider.rehearsal.synthetic.text import MISLEADING
from topicspider.rehearsal.synthetic.web import BIG_PAGE_BYTES, SyntheticWeb

SMALL = "pages=4000,hosts=40,seed=5"
CHOSEN = "pages=6000,hosts=80,topic=tourism,topic_hosts=20"
START = "http://start.made.example/"


@dataclass(slots=True)
class Crawled:
    """Everything that links lead to, from the directory on."""

    responses: dict[str, RecordedResponse | None]
    links: dict[str, list[str]]

    def answered(self) -> Iterator[tuple[str, RecordedResponse]]:
        return ((url, one) for url, one in self.responses.items() if one is not None)


def text_of(response: RecordedResponse) -> str:
    for encoding in ("utf-8", "gbk"):
        try:
            return response.body.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError(f"{response.url} is neither UTF-8 nor GBK")


def links_of(url: str, response: RecordedResponse | None) -> list[str]:
    if response is None or response.chunked:
        return []
    headers = dict(response.headers)
    if "Location" in headers:
        return [headers["Location"]]
    text = text_of(response)
    found = re.findall(r'href="([^"]*)"', text) + re.findall(r'http-equiv="refresh" content="0; url=([^"]*)"', text)
    return list(dict.fromkeys(urljoin(url, html.unescape(link)) for link in found))


@pytest.fixture(scope="module")
def web() -> SyntheticWeb:
    return SyntheticWeb.read(SMALL)


@pytest.fixture(scope="module")
def crawled(web: SyntheticWeb) -> Crawled:
    return everything_linked(web)


def everything_linked(web: SyntheticWeb) -> Crawled:
    todo, crawl = [START], Crawled({}, {})
    while todo:
        url = todo.pop()
        if url not in crawl.responses:
            crawl.responses[url] = web.find(url)
            crawl.links[url] = links_of(url, crawl.responses[url])
            todo += crawl.links[url]
    return crawl


def is_tourism(web: SyntheticWeb, url: str) -> bool:
    truth = web.truth(url)
    return truth is not None and "tourism" in truth.topics


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
        ("pages=100000000,topic=food,topic_hosts=2", "1000000", "at most 100000"),
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


def test_every_labelled_page_answers_and_there_are_as_many_as_it_says(web: SyntheticWeb) -> None:
    labels = dict(web.labels())
    assert len(labels) == len(web) == 4000 + 13
    for url, truth in labels.items():
        response = web.find(url)
        assert response is not None, url
        assert response.status == 200
        assert truth == web.truth(url)
    assert {urlsplit(url).netloc for url in labels} == set(web.hosts())
    assert len(list(web.hosts())) == 41


@pytest.mark.parametrize("seed", range(1, 6))
def test_four_to_eight_percent_of_the_default_web_are_tourism(seed: int) -> None:
    labels = [truth for _url, truth in SyntheticWeb.read(f"seed={seed}").labels(40_000)]
    share = sum("tourism" in truth.topics for truth in labels) / len(labels)
    assert 0.035 < share < 0.08


FEATURES = {
    "dead links on living hosts": lambda url, one, text: one is None and ".s" in url,
    "dead hosts": lambda url, one, text: one is None and "gone" in url,
    "redirects on a host": lambda url, one, text: (
        one and one.status == 302 and target(one) == urlsplit(url).netloc and "/go/" in url
    ),
    "redirects to other hosts": lambda url, one, text: (
        one and one.status == 302 and target(one) != urlsplit(url).netloc
    ),
    "redirects in a circle": lambda url, one, text: one and "/loop/" in url,
    "meta refresh": lambda url, one, text: 'http-equiv="refresh"' in text,
    "Chinese paths": lambda url, one, text: one and "%E" in url,
    "queries": lambda url, one, text: one and "show.asp?id=" in url,
    "a misleading word in menus": lambda url, one, text: any(f">{word}</a>" in text for word in MISLEADING),
    "pages in English": lambda url, one, text: '<html lang="en">' in text,
    "copied pages": lambda url, one, text: "（原文刊于" in text,
    "pages that robots.txt forbids": lambda url, one, text: one and "/private/" in url,
    "slow hosts": lambda url, one, text: one and one.delay_seconds > 0.2,
    "hubs": lambda url, one, text: "/zhuanti/" in url and text.count("<li>") > 25,
}


def target(response: RecordedResponse) -> str:
    return urlsplit(dict(response.headers)["Location"]).netloc


@pytest.mark.parametrize("name", FEATURES)
def test_what_makes_crawling_hard_is_there(crawled: Crawled, name: str) -> None:
    holds = FEATURES[name]
    assert (
        sum(
            bool(holds(url, one, text_of(one) if one is not None and not one.chunked else ""))
            for url, one in crawled.responses.items()
        )
        > 1
    )


def test_encodings_are_declared_rightly_and_wrongly(crawled: Crawled) -> None:
    seen: Counter[tuple[str, str, str]] = Counter()
    for _url, response in crawled.answered():
        if response.status == 200 and not response.chunked:
            header = dict(response.headers)["Content-Type"].partition("charset=")[2]
            meta = re.search(rb'<meta charset="([^"]*)"', response.body)
            truth = "utf-8" if is_utf8(response.body) else "gbk"
            seen[header, meta[1].decode() if meta else "", truth] += 1
    expected = {
        ("gbk", "gbk", "gbk"),
        ("", "gb2312", "gbk"),
        ("utf-8", "", "gbk"),
        ("", "gb2312", "utf-8"),
        ("utf-8", "utf-8", "utf-8"),
    }
    assert {kind for kind, count in seen.items() if count > 20} == expected


def is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_one_page_has_fifteen_megabytes_in_chunks(crawled: Crawled) -> None:
    (big,) = [response for _url, response in crawled.answered() if response.chunked]
    assert len(big.body) == BIG_PAGE_BYTES


def test_some_hosts_have_a_robots_file(web: SyntheticWeb) -> None:
    found = [web.find(f"http://{host}/robots.txt") for host in web.hosts()]
    texts = [response.body.decode() for response in found if response is not None]
    assert 1 < len(texts) < len(list(web.hosts()))
    assert all("Disallow: /private/" in text for text in texts)
    assert any("Crawl-delay: 1" in text for text in texts)
    assert any("Crawl-delay" not in text for text in texts)


def test_a_billion_pages_open_at_once_and_answer(web: SyntheticWeb) -> None:
    tracemalloc.start()
    began = time.perf_counter()
    huge = SyntheticWeb.read("pages=1000000000000,hosts=1000000000")
    opened_seconds = time.perf_counter() - began
    found = huge.find("http://www.s999999999.example/")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert opened_seconds < 0.1
    assert len(huge) == 10**12 + 13
    assert found is not None
    assert all(
        huge.find(link) is not None for link in links_of(found.url, found) if "gone" not in link and "/old/" not in link
    )
    assert peak < 5_000_000


@pytest.mark.parametrize("spec", ["pages=216,hosts=3", "hosts=3", "pages=500", "pages=1000,hosts=13,seed=9", ""])
def test_webs_of_every_size_have_tourism_and_hold_together(spec: str) -> None:
    web = SyntheticWeb.read(spec)
    labels = list(web.labels(1500))
    assert any(is_tourism(web, url) for url, _truth in labels)
    for url, _truth in labels[:: max(1, len(labels) // 60)]:
        response = web.find(url)
        assert response is not None
        for link in links_of(url, response):
            assert web.find(link) is not None or "gone" in link or "/old/" in link or web.truth(link), (url, link)


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


@pytest.mark.parametrize(
    "spec",
    [
        SMALL,
        "pages=2400,hosts=30,topic=tourism,topic_hosts=8",
        "pages=1500,hosts=20,seed=2,topic=sport,topic_hosts=1",
    ],
)
def test_every_page_is_reached_by_links(spec: str) -> None:
    web = SyntheticWeb.read(spec)
    reached = everything_linked(web).responses
    assert [url for url, _truth in web.labels() if url not in reached] == []
