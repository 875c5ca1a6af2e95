"""Whatever a server answers: no traceback, one counted outcome a URL, and the good pages are all there."""

from __future__ import annotations

import pytest

from support.crawling import crawl, stored
from support.site import TRAVEL, Answer, page, small_web

GOOD = 6
HTML = f"<title>旅游日记</title><p>{TRAVEL * 2}</p>"
CODECS = ["undefined", "base64", "base64_codec", "quopri", "quoted-printable", "uu", "uu_codec", "zlib", "zip", "bz2", "hex", "rot13", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "mbcs", "oem", "string_escape", "utf-7", "utf_32", "ÿ", "''", "a/b", "utf-8\x00"]  # fmt: skip
LOCATIONS = ["javascript:alert(1)", "http://h.example:99999/", "http://h.example:-1/", "http://[::1/", "http://", "//", "mailto:a@b", "data:text/html,x", "http://a b/", "http://h.example:port/", "\xff\xfe", "http://xn--a/", "http://" + "a" * 300 + ".example/", "file:///etc/passwd", "ftp://h.example/", "about:blank"]  # fmt: skip


def cases():
    """(name, answer)."""
    for number, codec in enumerate(CODECS):
        plain = codec.replace("\0", "")  # no header may have one
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
    for status in (
        100,
        199,
        204,
        206,
        226,
        299,
        300,
        301,
        304,
        307,
        308,
        399,
        401,
        407,
        418,
        451,
        499,
        511,
        599,
        600,
        999,
    ):
        yield f"status{status}", Answer(HTML, status)
    for number, after in enumerate(["-1", "9" * 400, "Wed, 99 Foo", "\xff", "1e9", "nan"]):
        yield f"after{number}", Answer("", 503, {"Retry-After": after})
    for number, robots in enumerate(
        [b"\xff" * 1000, b"User-agent: *\nCrawl-delay: nan", b"User-agent: *\nCrawl-delay: 1e400"]
    ):
        yield f"robots{number}", Answer(robots, headers={"Content-Type": "text/plain; charset=undefined"})


@pytest.fixture(scope="module")
def hostile_web():
    """Each case on a host of its own, and a good host that leads to all of them."""
    web = {}
    links = {}
    for name, answer in cases():
        host = f"http://{name}.example"
        web[f"{host}/robots.txt" if name.startswith("robots") else f"{host}/a.html"] = answer
        web.setdefault(f"{host}/a.html", page("旅游日记", TRAVEL))
        links[f"{host}/a.html"] = "旅游攻略"
    for number in range(GOOD):
        more = {f"http://good.example/p{number + 1}.html": "旅游攻略"} if number + 1 < GOOD else {}
        web[f"http://good.example/p{number}.html"] = page(
            f"旅游日记{number}", TRAVEL, {**(links if not number else {}), **more}
        )
    return web


def test_no_answer_ends_in_a_traceback_and_every_good_page_is_stored(tmp_path, hostile_web):
    with small_web(hostile_web) as web:
        ended = crawl(
            tmp_path, web.proxy, "-s", "TOPICSPIDER_LINK_THRESHOLD=0", "-s", "TOPICSPIDER_ATTEMPTS=1", "-s", "LOG_LEVEL=INFO",
            "-s", "TOPICSPIDER_READ_TIMEOUT=3", seeds="http://good.example/p0.html",
        )  # fmt: skip
    assert ended.exit_code == 0, ended.err[-3000:]
    assert "Traceback" not in ended.err, ended.err[ended.err.index("Traceback") - 600 :][:3000]
    there = stored(tmp_path)
    assert {f"http://good.example/p{number}.html" for number in range(GOOD)} <= set(there)
    lost = [f"header{at}" for at in range(len(CODECS)) if f"http://header{at}.example/a.html" not in there]
    assert lost == []
