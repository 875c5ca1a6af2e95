"""What is fuzzed, by name: a function of bytes that may raise nothing, and a few inputs to begin with."""

from __future__ import annotations

import math
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.fuzz.inputs import page_of
from tests.page.asking import ask, check
from topicspider.errors import RecordingError, TopicSpiderError
from topicspider.frontier.heartbeat import Heartbeat
from topicspider.frontier.record_lines import read_lines
from topicspider.frontier.redis.packing import dead_of, pack, unpack
from topicspider.page.sitemaps import may_be_listing, read_listing
from topicspider.politeness.robots import read_rules
from topicspider.redis_seeds import _entry
from topicspider.rehearsal.archive.warc import WarcWeb
from topicspider.search.query import kind_asked, read_query
from topicspider.search.words import expression, words_asked
from topicspider.text.segment import Segmenter
from topicspider.topic.drafting import topic_text
from topicspider.topic.schema import read_topic
from topicspider.url import canonicalize, fingerprint, host_key, masked, readable_url, words_in_url

LONGEST_URL = 2_083
BASE = "http://www.example.cn/旅游/list.html?a=1"


@dataclass(frozen=True, slots=True)
class Target:
    """``seeds``: what to begin with, beside a corpus."""

    run: Callable[[bytes], object]
    seeds: Sequence[bytes]


def page(data: bytes) -> None:
    """Promise P1: every field of any page is there, and bounded."""
    made = page_of(data)
    ask(made)
    check(made)


def url(data: bytes) -> None:
    """The canonical form is its own, is bounded, and has a host."""
    text = data.decode("utf-8", "surrogateescape")
    for base in ("", BASE):
        found = canonicalize(text, base)
        if found is not None:
            assert canonicalize(found) == found, found
            assert len(found) <= LONGEST_URL
            assert found.isascii()
            host, port = host_key(found).rsplit(":", 1)
            assert host, found
            assert 0 < int(port) < 65_536, found
            assert -(1 << 63) <= fingerprint(found) < 1 << 63
            words_in_url(found)
            readable_url(found).encode()
    masked(text)


def robots(data: bytes) -> None:
    rules = read_rules(data, "topicspider/0.1 (+https://topicspider.example/)")
    assert math.isfinite(rules.crawl_delay)
    assert rules.crawl_delay >= 0
    for one in (BASE, "http://a.example/%41?b=c;d*$", "http://a.example/"):
        rules.allow(one)


def sitemap(data: bytes) -> None:
    kind = ("", "text/xml", "application/rss+xml; charset=gbk", "application/gzip")[data[0] & 3 if data else 0]
    may_be_listing(data[1:], kind)
    found = read_listing(BASE, data[1:], kind)
    for link in found.links if found else ():
        assert canonicalize(link.url) == link.url


def warc(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".warc") as file, suppress(RecordingError):
        Path(file.name).write_bytes(data)
        web = WarcWeb(Path(file.name))
        for one in web.urls():
            web.find(one)


def topic(data: bytes) -> None:
    """What is read without an error is read again as the same from the text that we write."""
    found, errors = read_topic(data, "x.yaml", "x")
    for error in errors:
        str(error).encode()
    if not errors:
        again, errors = read_topic(topic_text(found).encode(), "x.yaml", "x")
        assert (again, errors) == (found, [])


def records(data: bytes) -> None:
    """What anybody may write into Redis, or into a file of records."""
    text = data[1:].decode("utf-8", "replace")
    match data[0] % 6 if data else 0:
        case 0:
            with suppress(ValueError, IndexError):
                entry = unpack(data[1:], "a.example:80", 1, 0.5, 0)
                pack(entry, b"a.example:80")
        case 1:
            dead_of(data[1:], 1)
        case 2:
            Heartbeat.read(text, "node").text()
        case 3:
            with suppress(TopicSpiderError):
                list(read_lines(text.splitlines(), "records"))
        case 4 | 5:
            _entry(text)


def query(data: bytes) -> None:
    """Whatever is typed is an expression that SQLite takes."""
    segmenter, index = _index()
    asked = read_query(data.decode("utf-8", "surrogateescape"))
    kind_asked(asked.text)
    for joined_by in ("AND", "OR"):
        if words := expression(segmenter, words_asked(segmenter, asked.terms), joined_by, ("de",)):
            index.execute("SELECT count(*) FROM pages WHERE pages MATCH ?", (words,)).fetchall()


@cache
def _index() -> tuple[Segmenter, sqlite3.Connection]:
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE pages USING fts5(title, body, other)")
    index.execute("INSERT INTO pages VALUES ('旅游', '云台山 旅游', 'x')")
    return Segmenter(), index


_WARC = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
_HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n1\r\na\r\n0\r\n\r\n"
_TOPIC = "title: {zh: 旅游, en: Tourism}\nterms: {旅游: 1.0, travel: 0.5}\nseeds: [http://a.example/]\nlimits: {depth: 3, pages: 10}\nnegative: {茶: 0.5}\nsynonyms: {旅游: [旅行]}\ntexts: [海边旅游]\nlanguage: [zh, en]\nnear: {海边: 0.4}\nthresholds: {page: 0.5}\n".encode()
TARGETS = {
    "page": Target(page, ()),
    "url": Target(url, (BASE.encode(), b"//a:80/../b?c#d", b"http://[::1]:8/%zz", "http://旅.cn/\\".encode(), b"http://u:p@1.2.0x3/")),
    "robots": Target(robots, (b"User-agent: *\nDisallow: /a*b$\nCrawl-delay: 1\nSitemap: http://a/\n", b"\xef\xbb\xbfuser agent topicspider\nallow /%E6")),
    "sitemap": Target(sitemap, (b"\1<urlset><url><loc>http://a.example/</loc><lastmod>2024-01-01</lastmod></url></urlset>", b"\2<rss><channel><item><link>/a</link><pubDate>Mon, 1 Jan 2024 00:00:00 GMT</pubDate></item></channel></rss>", b"\1<feed><entry><link href='/a'/></entry></feed>")),
    "warc": Target(warc, (_WARC % (len(_HTTP), _HTTP),)),
    "topic": Target(topic, (_TOPIC,)),
    "records": Target(records, (b"\0" + b"0a\xff0\xff1\xff2\xff", b"\1" + bytes(24), b'\2{"pages": 3}', b'\3{"kind": "queued", "url": "http://a.example/", "score": 1}', b"\4\x80\4}(X\3\0\0\0urlX\x11\0\0\0http://a.example/u.", b'\5{"url": "http://a.example/"}')),
    "query": Target(query, ('桂林 "海边 旅游" -酒店 site:a.cn after:2024-1-1 min:0.5'.encode(), b'a AND b OR NEAR(c d) "*" ^x')),
}  # fmt: skip
