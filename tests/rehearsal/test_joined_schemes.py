"""A WARC as rehearsal reads it: http and https are one site, and no page is there twice."""

from __future__ import annotations

from support.replaying import write_warc
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.evaluation.reach import reachable
from topicspider.url import fingerprint

HTML = "text/html; charset=utf-8"
HOME, PAGE = "http://a.example/", "http://a.example/旅游.html"
CANONICAL = "http://a.example/%E6%97%85%E6%B8%B8.html"
SECURE = CANONICAL.replace("http:", "https:")


def web_of(tmp_path, pages):
    return open_archived_web(str(write_warc(tmp_path / "a.warc", pages)), cache=tmp_path / "cache")


def test_a_link_to_the_other_scheme_leads_to_what_was_recorded(tmp_path):
    home = f'<html><body><a href="{SECURE}">云南旅游</a></body></html>'.encode()
    web = web_of(tmp_path, {HOME: (HTML, home), PAGE: (HTML, "<html><body>云南旅游攻略".encode())})
    assert web.answer(SECURE).target == CANONICAL
    assert web.answer(CANONICAL).features is not None
    assert fingerprint(CANONICAL) in reachable(web.graph(), [HOME])
    assert sorted(web.urls()) == sorted([HOME, CANONICAL])


def test_what_was_recorded_under_both_schemes_stays_two_pages(tmp_path):
    page = (HTML, "<html><body>云南旅游攻略".encode())
    web = web_of(tmp_path, {HOME: page, CANONICAL: page, SECURE: page})
    assert web.answer(SECURE).features is not None
    assert web.answer(CANONICAL).features is not None


def test_a_redirect_to_the_other_scheme_that_was_not_recorded_is_no_circle(tmp_path):
    web = web_of(tmp_path, {HOME: (HTML, b"<html><body>x"), CANONICAL: (301, {"Location": SECURE}, b"")})
    assert web.answer(CANONICAL).target == SECURE
    assert web.answer(SECURE).status == 0
