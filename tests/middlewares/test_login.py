"""The form of a login page, whatever its server sends: nothing is raised, and it takes no time."""

from __future__ import annotations

import time

import pytest
from scrapy.http import Response

from topicspider.middlewares.login import _form_in

FORM = "<form method=post action='%s'><input name=user><input type=password name=pass></form>"


def form_of(body: str | bytes, content_type: str = "text/html; charset=utf-8"):
    body = body if isinstance(body, bytes) else body.encode()
    return _form_in(Response("http://a.example/in", headers={"Content-Type": content_type}, body=body))


def test_what_a_browser_sends_is_sent():
    found = form_of(
        "<form method=GET action=/search><input name=q></form><form method=POST action='?do=1'><input type=hidden name=csrf value=七>"
        "<input name=用户><input type=password name=pass><input type=checkbox name=no><input type=checkbox name=yes value=1 checked>"
        "<select name=way><option value=a><option value=b selected></select><input type=submit name=go value=ok><input type=submit name=x>"
    )
    assert (found.url, found.is_post, found.user, found.password) == ("http://a.example/in?do=1", True, "用户", "pass")
    assert found.values == {"csrf": "七", "用户": "", "yes": "1", "way": "b", "go": "ok"}


@pytest.mark.parametrize("action", ["http://[::1", "http://a.example:99999/", "javascript:alert(1)", "data:,x"])
def test_a_form_may_lead_nowhere(action):
    assert form_of(FORM % action).url is None


@pytest.mark.parametrize("charset", ["undefined", "base64", "zlib", "utf-16", "\xff"])
def test_a_form_of_any_charset_is_read(charset):
    assert form_of(FORM % "/in", f"text/html; charset={charset}").password == "pass"


@pytest.mark.parametrize(
    "body", [b"", b"\0", b"<form>" * 90_000 + b"<input type=password>", b"<input type=password>", b"<p>members"]
)
def test_a_page_without_one_has_none(body):
    assert form_of(body) is None or body.startswith(b"<form")


@pytest.mark.parametrize(
    "piece", ["<input name=u><select name=s><option>x</select>", "<select name=s><option>", "<form>"]
)
def test_a_form_of_many_fields_is_read_in_little_time(piece):
    began = time.thread_time()
    form_of("<form method=post>" + piece * 60_000 + "<input type=password name=p>")
    assert time.thread_time() - began < 5
