"""A crawl past soft 404s, captchas, login walls and empty shells: each is named, counted and left, none is a hit."""

from __future__ import annotations

import sqlite3

import pytest

from support.crawling import crawl, items, stored
from support.replaying import replay_server, write_warc
from support.site import TRAVEL, Answer, page, small_web

SEED = "http://w0.example/"
GOOD = "http://w0.example/good.html"
FORM = "<form>密码 <input type='password'> <button>登录</button></form>"
NONE = {
    "http://w0.example/gone.html": (
        "soft_not_found",
        "旅游攻略",
        "<h2>抱歉，您访问的页面不存在或已被删除</h2><p>旅游</p>",
    ),
    "http://w1.example/captcha.html": ("captcha", "安全验证", "<p>请输入验证码后继续访问旅游频道</p>"),
    "http://w2.example/wall.html": ("login_wall", "用户登录", f"<p>您需要登录后才可以查看旅游攻略</p>{FORM}"),
    "http://w3.example/app.html": ("needs_script", "旅游", "<div id='app'></div><script src='/app.js'></script>"),
}
MISSING = "http://w4.example/missing.html"
LINK = "<a href='http://w9.example/behind.html'>旅游</a>"


def shell(title: str, body: str) -> str:
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title></head><body>{body}{LINK}</body></html>"
    )


def web() -> dict[str, tuple[str, bytes]]:
    pages = {
        SEED: page("旅游日记", TRAVEL, dict.fromkeys([GOOD, MISSING, *NONE], "旅游攻略")),
        GOOD: page("旅游日记二", TRAVEL),
    }
    answers = {url: answer.payload for url, answer in pages.items()}
    answers |= {url: shell(title, body).encode() for url, (_name, title, body) in NONE.items()}
    answers["http://w9.example/behind.html"] = page("旅游", TRAVEL).payload
    return {url: ("text/html; charset=utf-8", body) for url, body in answers.items()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("none")
    with replay_server(write_warc(folder / "web.warc", web())) as replay:
        ended = crawl(folder, replay.proxy_url, "-O", "hits.jsonl", "-s", "TOPICSPIDER_ATTEMPTS=2", seeds=SEED)
        yield folder, ended, [f"{line['scheme']}://{line['host']}{line['path']}" for line in replay.log()]


def test_only_pages_are_hits_and_only_pages_are_stored(finished):
    folder, ended, _log = finished
    assert ended.exit_code == 0, ended.err
    assert {item["url"] for item in items(folder / "hits.jsonl")} == {SEED, GOOD}
    assert set(stored(folder)) == {SEED, GOOD}


def test_the_closing_table_and_the_totals_count_each_by_its_name(finished):
    folder, ended, _log = finished
    for name in ("soft_not_found ×1", "captcha ×2", "login_wall ×1", "needs_script ×1", " not_found ×1"):
        assert name in ended.err
    assert "Ignoring response" not in ended.err  # what the table counts has no line of its own
    assert "pages         2" in ended.err
    with sqlite3.connect(folder / "data" / "tourism" / "pages.db") as database:
        (totals,) = database.execute("SELECT totals FROM crawls").fetchone()
    for part in ('"soft_not_found": 1', '"captcha": 2', '"login_wall": 1', '"needs_script": 1'):
        assert part in totals


def test_a_captcha_is_tried_again_and_the_others_are_not(finished):
    _folder, _ended, log = finished
    assert {url: log.count(url) for url in NONE} == {url: 2 if "captcha" in url else 1 for url in NONE}


def test_their_links_are_not_followed(finished):
    _folder, _ended, log = finished
    assert not [url for url in log if "behind" in url]


def test_the_host_of_a_captcha_rests_longer_each_time(tmp_path):
    """The first back-off is 2 s, with all delays set to nothing; the second 4 s."""
    wall = Answer(shell("安全验证", "<p>请完成安全验证</p>"))
    with small_web({"http://w1.example/": wall}) as web:
        crawl(tmp_path, web.proxy, seeds="http://w1.example/")
        asked = [one for one in web.asked if not one.url.endswith("robots.txt")]
    assert len(asked) == 3
    assert asked[1].start - asked[0].end >= 2
    assert asked[2].start - asked[1].end >= 4
