"""Answers of servers that want to harm a crawler: families of small cases (name, answer), each on a host of its own."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import product
from pathlib import Path

from support.hostile_pages import PAGES
from support.site import TRAVEL, Answer, SmallWeb, Tunnel, page, small_web
from support.tls_cases import tls

HTML = f"<title>旅游日记</title><p>{TRAVEL * 2}</p>"
CODECS = ["undefined", "base64", "base64_codec", "quopri", "quoted-printable", "uu", "uu_codec", "zlib", "zip", "bz2", "hex", "rot13", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "mbcs", "oem", "string_escape", "utf-7", "utf_32", "ÿ", "''", "a/b", "utf-8\x00"]  # fmt: skip
LOCATIONS = ["javascript:alert(1)", "http://h.example:99999/", "http://h.example:-1/", "http://[::1/", "http://", "//", "mailto:a@b", "data:text/html,x", "http://a b/", "http://h.example:port/", "\xff\xfe", "http://xn--a/", "http://" + "a" * 300 + ".example/", "file:///etc/passwd", "ftp://h.example/", "about:blank"]  # fmt: skip


def answers() -> Iterator[tuple[str, Answer]]:
    """Bad charsets, redirects, content codings, content types, statuses."""
    for number, codec in enumerate(CODECS):
        plain = codec.replace("\0", "")  # a header cannot contain NUL
        yield f"header{number}", Answer(HTML, headers={"Content-Type": f"text/html; charset={plain}"})
        meta = f'<meta charset="{codec}"><meta http-equiv="refresh" content="0;url=/x">{HTML}'
        yield f"meta{number}", Answer(meta, headers={"Content-Type": "text/html"})
    for number, location in enumerate(LOCATIONS):
        yield f"location{number}", Answer("", 302, {"Location": location})
        refresh = f'<meta http-equiv="refresh" content="0;url={location}"><title>x</title>'
        yield f"refresh{number}", Answer(refresh)
        yield f"base{number}", Answer(f'<base href="{location}">{HTML}<a href="x.html">旅游</a>')
    for number, encoding in enumerate(
        ["gzip", "deflate", "br", "zstd", "gzip, gzip, br", "compress", "\xff", "identity, x"]
    ):
        for end, body in (("junk", b"\x1f\x8b\x08junk"), ("text", HTML), ("none", b"")):
            headers = {"Content-Encoding": encoding, "Content-Type": "text/html"}
            yield f"coding{number}{end}", Answer(body, headers=headers)
    for number, kind in enumerate(["text/html;;;", "\xff/\xfe", "", "text/html; charset", "a" * 5000, "application/xhtml+xml; charset=undefined", "text/xml; charset=uu", "text/plain; charset=base64"]):  # fmt: skip
        yield f"type{number}", Answer(HTML, headers={"Content-Type": kind})
    for status in (100, 199, 204, 206, 226, 299, 300, 301, 304, 307, 308, 399, 401, 407, 418, 451, 499, 511, 599, 600, 999):  # fmt: skip
        yield f"status{status}", Answer(HTML, status)
    for number, after in enumerate(["-1", "9" * 400, "Wed, 99 Foo", "\xff", "1e9", "nan"]):
        yield f"after{number}", Answer("", 503, {"Retry-After": after})
    for number, robots in enumerate(
        [b"\xff" * 1000, b"User-agent: *\nCrawl-delay: nan", b"User-agent: *\nCrawl-delay: 1e400"]
    ):
        yield f"robots{number}", Answer(robots, headers={"Content-Type": "text/plain; charset=undefined"})


HEADS = [b"", b"\r\n", b"HTTP/1.1", b"HTTP/9.9 200 OK\r\n\r\nx", b"HTTP/1.1 abc OK\r\n\r\nx", b"HTTP/1.1 99999 X\r\n\r\n", b"HTTP/1.1 -1 X\r\n\r\n", b"ICY 200 OK\r\n\r\nx", b"\0" * 100, b"\xff" * 5000, b"HTTP/1.1 200 " + b"x" * 100_000, b"HTTP/0.9 200 OK\n\nx", b"HTTP/1.1 200 OK\n", b"<html>x", b"220 ftp ready\r\n", b"SSH-2.0-x\r\n", b"\x16\x03\x01\x02\x00", b"HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 100 Go\r\n\r\n" * 2000, b"HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"]  # fmt: skip
FIELDS = [b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 5\r\nContent-Length: 6", b"Content-Length: abc", b"Content-Length: 2", b"Content-Length: 999999", b"Transfer-Encoding: chunked\r\nContent-Length: 3", b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: xxx", b": empty", b"no colon", b"A" * 70_000 + b": x", b"X: y\r\n" * 20_000 + b"X: y", b"X: " + b"y" * 200_000, b" folded: x", b"X: a\r\n b\r\n\tc", b"X: \0", b"Set-Cookie: " + b"a=b; " * 3000, b"Connection: upgrade", b"Content-Range: bytes 0-1/0", b"Location:", b"Content-Encoding: " + b"gzip, " * 50 + b"gzip", b"X-Robots-Tag: " + b"noindex, " * 5000, b"Refresh: 0;url=javascript:alert(1)", b"Content-Disposition: attachment; filename=../../etc/passwd", b"Content-Type: text/html\r\nContent-Type: image/png", b"Date: \xff\xfe", b"Last-Modified: 9999-99-99", b"ETag: " + b'"' * 5000, b"Keep-Alive: max=-1, timeout=nan", b"Retry-After: -5"]  # fmt: skip
CHUNKS = [b"ffffffffffffffff\r\n", b"-1\r\nx", b"zz\r\n", b"5\r\nab", b"0\r\n", b"", b"1;" + b"x" * 100_000 + b"\r\na\r\n0\r\n\r\n", b"1\r\na\r\n" * 50_000, b"1\r\na\r\n0\r\nX: y\r\n\r\n", b"1\r\nab\r\n0\r\n\r\n", b"1\na\n0\n\n"]  # fmt: skip


def transport() -> Iterator[tuple[str, Answer]]:
    """Bytes that are not HTTP, or broken HTTP."""
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    raws = [*HEADS, *(ok + line + b"\r\n\r\n" + HTML.encode() for line in FIELDS)]
    raws += [ok + b"Transfer-Encoding: chunked\r\n\r\n" + chunk for chunk in CHUNKS]
    for number, raw in enumerate(raws):
        yield f"raw{number}", Answer(raw=raw)


def redirects() -> Iterator[tuple[str, Answer]]:
    """Loops and dead ends."""
    targets = ["a.html", "/a.html#x", "?", "a.html?a=1", "http://b.example/a.html", "//", "\\\\good.example", "/%", "/..%2f..", "https://good.example:1/"]  # fmt: skip
    for number, (status, target) in enumerate(product((300, 301, 302, 303, 305, 307, 308), targets)):
        yield f"redirect{number}", Answer(HTML, status, {"Location": target, "Content-Type": "text/html"})


def bombs() -> Iterator[tuple[str, Answer]]:
    """Small bodies that decompress to large ones."""
    big = gzip.compress(bytes(40_000_000))
    bodies = {"gzip": big, "deflate": zlib.compress(bytes(40_000_000)), "gzip, gzip": gzip.compress(big)}
    for number, (coding, body) in enumerate(bodies.items()):
        for end in (len(body), len(body) // 2):
            yield (
                f"bomb{number}-{end}",
                Answer(body[:end], headers={"Content-Encoding": coding, "Content-Type": "text/html"}),
            )


def html() -> Iterator[tuple[str, Answer]]:
    """Pages that take a parser long."""
    for number, build in enumerate(PAGES.values()):
        yield f"html{number}", Answer(lambda build=build: build())


def robots() -> Iterator[tuple[str, Answer]]:
    """Bad robots.txt files; the page of their host is good."""
    texts = [b"User-agent: *\n" * 50_000, b"\xef\xbb\xbf" * 1000, b"Disallow: /" + b"*" * 100_000 + b"x", b"User-agent: *\nDisallow: " + b"/*a" * 30_000, b"User-agent: *\nAllow: /\nCrawl-delay: -5", b"Crawl-delay: 1" * 9000, b"\0" * 500_000, b"<html>" * 90_000, b"Sitemap: http://[::1/\n" * 9000, b"User-agent: *\n" + b"Disallow: /x\n" * 60_000, "User-agent: *\nDisallow: /旅".encode("gbk"), b"\r" * 500_000, b" " * 500_000, b"User-agent: " + b"a" * 500_000]  # fmt: skip
    for number, text in enumerate(texts):
        yield f"robots-{number}", Answer(text, headers={"Content-Type": "text/plain"})
    for number, place in enumerate(["http://[::1", "http://a%E2%84%80/", "//", "javascript:1"]):
        yield f"robots-to-{number}", Answer(b"", 302, headers={"Location": place})


def listings() -> Iterator[tuple[str, Answer]]:
    """Bad feeds and sitemaps."""
    head, loc = b'<?xml version="1.0"?>', b"<url><loc>http://good.example/p1.html</loc></url>"
    entity = (
        b'<!DOCTYPE x [<!ENTITY a "'
        + b"x" * 1000
        + b'"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset>&b;</urlset>'
    )
    bodies = [head + b"<urlset>" + loc * 60_000 + b"</urlset>", head + entity, head + b"<rss>" * 50_000, b"<urlset>" + b"<url><loc>javascript:1</loc></url>" * 900, head + b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><urlset/>', gzip.compress(head + b"<urlset>" + loc * 200_000), b"<feed><entry><link href='" + b"a" * 500_000 + b"'/></entry></feed>", b"<sitemapindex>" + b"<sitemap><loc>http://good.example/s.xml</loc></sitemap>" * 3000 + b"</sitemapindex>", b"<urlset><url><loc>" * 20_000, b"\xff\xfe<\0u\0r\0l\0"]  # fmt: skip
    for number, (body, kind) in enumerate(product(bodies, ("text/xml", "application/rss+xml"))):
        yield f"listing{number}", Answer(body, headers={"Content-Type": kind})


def output() -> Iterator[tuple[str, Answer]]:
    """Titles and texts that try to run something in a terminal, a spreadsheet or a browser."""
    strings = json.loads((Path(__file__).parents[1] / "tests/data/naughty-strings/blns.json").read_text("utf-8"))
    strings += [
        "\x1b]0;x\x07",
        "\x1b[2J",
        "\x9b31m",
        "=1+1|' /C calc'!A0",
        "@SUM(1)",
        "\u202egnp.exe",
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        "a\rb",
    ]
    for number, text in enumerate(strings):
        yield f"output{number}", page(f"{text} 旅游", f"{text} {TRAVEL} {number}")


Case = tuple[str, Answer | Tunnel]
FAMILIES: dict[str, Callable[[], Iterator[Case]]] = {
    "answers": answers, "transport": transport, "redirects": redirects, "bombs": bombs, "html": html, "robots": robots,
    "listings": listings, "output": output, "tls": tls,
}  # fmt: skip

GOOD = 6
SETTINGS = {
    "TOPICSPIDER_LINK_THRESHOLD": 0, "TOPICSPIDER_ATTEMPTS": 1, "TOPICSPIDER_READ_TIMEOUT": 3, "TOPICSPIDER_DELAY_MAX": 0, "TOPICSPIDER_DISCOVERY": "all",
}  # fmt: skip


def hostile_web(cases: list[Case]) -> AbstractContextManager[SmallWeb]:
    """Serve each case on a host of its own, and a good host that links to all of them."""
    web, links, tunnels = {}, {}, {}
    for name, case in cases:
        host = f"http://{name}.example"
        if not isinstance(case, Answer):
            tunnels[f"{name}.example"] = case
            links[f"https://{name}.example/a.html"] = "旅游攻略"
            continue
        web[f"{host}/robots.txt" if name.startswith("robots") else f"{host}/a.html"] = case
        web.setdefault(f"{host}/a.html", page("旅游日记", TRAVEL))
        links[f"{host}/a.html"] = "旅游攻略"
    for number in range(GOOD):
        more = {f"http://good.example/p{number + 1}.html": "旅游攻略"} if number + 1 < GOOD else {}
        web[f"http://good.example/p{number}.html"] = page(
            f"旅游日记{number}", TRAVEL, {**(links if not number else {}), **more}
        )
    return small_web(web, tunnels=tunnels)
