"""A recorded response is read exactly as a crawl would read it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.options import MAX_PAGE_BYTES
from topicspider.rehearsal.archive.page_reader import location_of, read_answers
from topicspider.rehearsal.response import RecordedResponse
from topicspider.text.segment import make_segmenter

URL = "http://www.huangshan.example/youji/1.html"
HTML = '<html><head><title>黄山游记</title></head><body><p>清晨出发去看云海。</p><a href="/2.html">下一篇</a></body></html>'
UTF8 = ("Content-Type", "text/html; charset=utf-8")


@pytest.fixture(scope="module")
def reader():
    segmenters = [make_segmenter()]
    return lambda url, response: read_answers(url, response, segmenters)[0]


def response(body=HTML, status=200, *headers, delay=0.0):
    data = body.encode() if isinstance(body, str) else body
    return RecordedResponse(URL, status, "", headers or (UTF8,), data, delay_seconds=delay)


def test_a_page_has_features(reader):
    answer = reader(URL, response())
    assert (answer.url, answer.status, answer.target, answer.seconds) == (URL, 200, "", None)
    assert answer.features.title == "黄山游记"
    assert "云海" in answer.features.body_words
    assert [(link.url, link.anchor) for link in answer.features.links] == [
        ("http://www.huangshan.example/2.html", "下一篇")
    ]


def test_gbk_is_decoded_whatever_the_header_says(reader):
    for charset in ("gbk", "utf-8"):
        features = reader(
            URL, response(HTML.encode("gbk"), 200, ("Content-Type", f"text/html; charset={charset}"))
        ).features
        assert features.title == "黄山游记"


def test_a_page_larger_than_a_crawl_takes_is_none(reader):
    answer = reader(URL, response(HTML + " " * MAX_PAGE_BYTES))
    assert (answer.status, answer.features, answer.target) == (200, None, "")


@pytest.mark.parametrize("status", [204, 304, 400, 403, 404, 410, 429, 500, 503])
def test_other_statuses_are_neither_page_nor_redirect(reader, status):
    answer = reader(URL, response(HTML, status))
    assert (answer.status, answer.features, answer.target) == (status, None, "")


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "application/json", "text/css"])
def test_what_is_no_markup_is_no_page(reader, kind):
    assert reader(URL, response(HTML, 200, ("Content-Type", kind))).features is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_lead_to_their_location(reader, status):
    answer = reader(URL, response("", status, ("Location", "/a/../b.html?utm_source=x#top")))
    assert (answer.status, answer.features, answer.target) == (status, None, "http://www.huangshan.example/b.html")


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://WWW.Other.example:443/", "https://www.other.example/"),
        ("//other.example/x", "http://other.example/x"),
        ("2.html", "http://www.huangshan.example/youji/2.html"),
        ("?p=2", "http://www.huangshan.example/youji/1.html?p=2"),
        ("/游".encode().decode("latin-1"), "http://www.huangshan.example/%E6%B8%B8"),
        ("/游".encode("gbk").decode("latin-1"), "http://www.huangshan.example/%D3%CE"),
        ("mailto:a@b.example", ""),
        ("http://[", ""),
        ("", ""),
    ],
)
def test_locations_are_completed_as_a_crawl_does(location, target):
    assert location_of(URL, location) == target


@pytest.mark.parametrize(
    ("head", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=/new.html">', "http://www.huangshan.example/new.html"),
        ('<META HTTP-EQUIV=Refresh CONTENT="3;URL=http://new.example/">', "http://new.example/"),
        ('<meta http-equiv="refresh" content="99; url=/new.html">', "http://www.huangshan.example/new.html"),
        ('<meta http-equiv="refresh" content="100; url=/new.html">', ""),
        ('<meta http-equiv="refresh" content="300">', ""),
        ('<noscript><meta http-equiv="refresh" content="0; url=/new.html"></noscript>', ""),
        ("<style>" + "x" * 4096 + '</style><meta http-equiv="refresh" content="0; url=/new.html">', ""),
        ('<meta http-equiv="refresh" content="0; url=javascript:x">', ""),
        ('<base href="http://base.example/d/"><meta http-equiv="refresh" content="0; url=n.html">', "http://base.example/d/n.html"),
    ],
)  # fmt: skip
def test_a_meta_refresh_is_followed_where_scrapy_follows_it(reader, head, target):
    answer = reader(URL, response(HTML.replace("<head>", f"<head>{head}")))
    assert answer.target == target
    assert (answer.features is None) == bool(target)
    assert answer.target == _scrapys_target(response(HTML.replace("<head>", f"<head>{head}")))


def _scrapys_target(recorded: RecordedResponse) -> str:
    """Where Scrapy's own middleware goes."""
    from scrapy.http import HtmlResponse
    from scrapy.utils.response import get_meta_refresh

    from topicspider.url import canonicalize

    seconds, url = get_meta_refresh(
        HtmlResponse(URL, body=recorded.body, headers={"Content-Type": UTF8[1]}), ["noscript"]
    )
    return canonicalize(url) or "" if url and seconds < 100 else ""


@given(
    body=st.binary(max_size=400),
    status=st.sampled_from([200, 203, 301, 404]),
    kind=st.sampled_from(["text/html", "text/html; charset=utf-16", "", "text/plain", "x"]),
    location=st.text(st.characters(max_codepoint=255), max_size=40),
)
def test_no_answer_raises(body, status, kind, location):
    headers = (("Content-Type", kind), ("Location", location))
    answer = read_answers(URL, RecordedResponse(URL, status, "", headers, b"<html>" + body), _SEGMENTERS)[0]
    assert answer.status == status


_SEGMENTERS = [make_segmenter()]
