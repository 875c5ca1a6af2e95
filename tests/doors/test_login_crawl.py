"""A crawl logs in to a site, by its form or by HTTP Basic; a wrong password is one clear line."""

from __future__ import annotations

import base64
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote

import pytest

from support.crawling import crawl, items
from support.site import TRAVEL, Answer, page, small_web

HOME = "http://w0.example/"
NEXT = f"{HOME}guilin.html"
USER, PASSWORD = "张三", "p@ss:漓江"
FORM = (
    "<form action=/enter method=post><input type=hidden name=csrf value=7><input name=user><input type=password name=pass>"
    "<input type=submit name=go value=ok></form>"
)


@contextmanager
def members_only(by):
    """A site, behind a proxy, that shows its pages to whoever has logged in ``by`` form or basic; yields the proxy and what was asked."""
    asked = []
    basic = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status, body="", *headers):
            payload = body.encode()
            self.send_response(status)
            for name, value in (
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", len(payload)),
                *headers,
            ):
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(payload)

        def do_GET(self):
            asked.append(self.path)
            is_in = (
                "sid=1" in self.headers.get("Cookie", "")
                if by == "form"
                else self.headers.get("Authorization") == basic
            )
            if self.path.endswith("/robots.txt"):
                self.answer(200, "User-agent: *\nDisallow: /login")
            elif self.path.endswith("/login") and by == "form":
                self.answer(200, FORM, ("Set-Cookie", "first=1; Path=/"))
            elif not is_in:
                self.answer(403 if by == "form" else 401, "members only", ("WWW-Authenticate", 'Basic realm="x"'))
            else:
                links = {NEXT: "旅游攻略"} if self.path == HOME else {}
                self.answer(200, page(f"旅游{self.path}", f"{TRAVEL}{self.path}", links).body)

        def do_POST(self):
            sent = {
                name: values[0]
                for name, values in parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()).items()
            }
            asked.append(f"POST {self.path}")
            is_right = sent == {"csrf": "7", "user": USER, "pass": PASSWORD, "go": "ok"}
            if is_right and "first=1" in self.headers.get("Cookie", ""):
                self.answer(302, "", ("Location", "/"), ("Set-Cookie", "sid=1; Path=/; HttpOnly"))
            else:
                self.answer(200, FORM)

        def log_message(self, *_arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def login(password):
    return f"http://{quote(USER)}:{quote(password)}@w0.example/login"


@pytest.mark.parametrize("by", ["form", "basic"])
def test_pages_are_read_as_who_has_logged_in(tmp_path, by):
    with members_only(by) as (proxy, asked):
        ended = crawl(tmp_path, proxy, "-O", "hits.jsonl", seeds=HOME, TOPICSPIDER_LOGIN=login(PASSWORD))
    assert ended.exit_code == 0, ended.err
    assert {item["url"] for item in items(tmp_path / "hits.jsonl")} == {HOME, NEXT}
    assert asked.count("POST http://w0.example/enter") == (by == "form")
    assert "login at http://w0.example/login: done" in ended.err
    assert quoted_nowhere(tmp_path, ended)


def quoted_nowhere(folder, ended):
    """Neither in what the crawl says nor in a file of it."""
    texts = [
        ended.out.encode(),
        ended.err.encode(),
        *(file.read_bytes() for file in folder.rglob("*") if file.is_file()),
    ]
    return not any(word.encode() in text for text in texts for word in (PASSWORD, login(PASSWORD), "sid=1"))


@pytest.mark.parametrize("by", ["form", "basic"])
def test_a_wrong_password_is_one_line_and_asked_once(tmp_path, by):
    with members_only(by) as (proxy, asked):
        ended = crawl(tmp_path, proxy, seeds=HOME, TOPICSPIDER_LOGIN=login("other"))
    lines = [line for line in (ended.out + ended.err).splitlines() if "login at" in line]
    assert len(lines) == 1
    assert "ERROR: login at http://w0.example/login: the password is refused" in lines[0]
    assert asked.count("POST http://w0.example/enter") == (by == "form")


@pytest.mark.parametrize("value", ["w0.example", "http://w0.example/login", "ftp://a:b@w0.example/", "http://a:b@["])
def test_a_login_that_is_none_is_one_line(tmp_path, value):
    with small_web({HOME: page("旅游", TRAVEL)}) as web:
        ended = crawl(tmp_path, web.proxy, seeds=HOME, TOPICSPIDER_LOGIN=value)
    assert (ended.exit_code, web.asked) == (2, [])
    assert "topicspider: TOPICSPIDER_LOGIN: '…' is not valid; allowed: https://USER:PASSWORD@HOST/PAGE" in ended.err


@pytest.mark.parametrize("other", ["action=http://thief.example/enter method=post", "action=/thief method=get"])
def test_a_form_that_leads_to_another_host_or_into_an_address_gets_no_password(tmp_path, other):
    form = FORM.replace("action=/enter method=post", other)
    pages = {HOME: page("旅游", TRAVEL), f"{HOME}login": Answer(f"<p>{form}")}
    with small_web(pages) as web:
        ended = crawl(tmp_path, web.proxy, seeds=HOME, TOPICSPIDER_LOGIN=login(PASSWORD))
    assert "sends the password to another host" in ended.err
    assert [one.url for one in web.asked if "thief" in one.url] == []
