"""Pages that only a script fills: rendered in a browser when a setting allows it, within the crawl's own limits."""

from __future__ import annotations

import json
import signal
import sqlite3
from itertools import pairwise

import pytest

from support.crawling import begin, crawl, stop_after, stored
from support.replaying import replay_server, write_warc
from support.site import TRAVEL, Answer, page, small_web
from topicspider import browser
from topicspider.errors import ConfigError
from topicspider.options import Options

SEED = "http://w0.example/"
APP = "http://w1.example/app.html"
BEHIND = "http://w1.example/behind.html"
SHELL = (
    "<!DOCTYPE html><html><head><meta charset='utf-8'><title>山水网</title><script src='/app.js' defer></script></head>"
    "<body><div id='app'></div><noscript>请开启JavaScript后查看</noscript></body></html>"
)
SCRIPT = """
fetch('/api/article.json').then(answer => answer.json()).then(article => {
  document.title = article.title;
  document.getElementById('app').innerHTML =
    '<h1>' + article.title + '</h1><p>' + article.text + '</p><a href="/behind.html">旅游攻略</a>';
});
"""
ARTICLE = {"title": "海边旅游攻略", "text": TRAVEL * 2}


def web(script: str = SCRIPT) -> dict[str, Answer]:
    return {
        SEED: page("旅游日记", TRAVEL, {APP: "旅游攻略"}),
        APP: Answer(SHELL),
        "http://w1.example/app.js": Answer(script, 200, {"Content-Type": "text/javascript; charset=utf-8"}),
        "http://w1.example/api/article.json": Answer(
            json.dumps(ARTICLE, ensure_ascii=False), 200, {"Content-Type": "application/json; charset=utf-8"}
        ),
        BEHIND: page("旅游日记二", TRAVEL),
    }


@pytest.fixture(scope="module")
def rendered(chromium, tmp_path_factory):
    """One crawl of a web with a page that a script fills from JSON, through the replay server."""
    folder = tmp_path_factory.mktemp("browser")
    pages = {url: (answer.status, answer.headers, answer.payload) for url, answer in web().items()}
    with replay_server(write_warc(folder / "web.warc", pages)) as replay:
        ended = crawl(folder, replay.proxy_url, seeds=SEED, TOPICSPIDER_BROWSER=chromium)
        yield folder, ended, replay.log()


def test_a_page_that_a_script_fills_is_stored_with_its_text_and_its_links_are_followed(rendered):
    folder, ended, _log = rendered
    assert ended.exit_code == 0, ended.err
    with sqlite3.connect(folder / "data" / "tourism" / "pages.db") as database:
        (found,) = database.execute("SELECT title, body, on_topic FROM pages WHERE url = ?", (APP,))
    title, body, on_topic = found
    assert (title, TRAVEL in body, on_topic) == ("海边旅游攻略", True, 1)
    assert "needs_script" not in ended.err
    assert "'topicspider/rendered/pages': 1" in ended.err
    assert set(stored(folder)) == {SEED, APP, BEHIND}


def test_the_page_itself_is_fetched_once_and_its_host_is_asked_for_one_thing_at_a_time(rendered):
    _folder, _ended, log = rendered
    visits = sorted((one for one in log if one["host"] == "w1.example"), key=lambda one: one["start"])
    asked = ["/robots.txt", "/app.html", "/app.js", "/api/article.json", "/behind.html"]
    assert [one["path"] for one in visits] == asked
    assert all(before["end"] <= after["start"] for before, after in pairwise(visits))


def test_without_the_setting_it_is_counted_and_not_stored(tmp_path):
    with small_web(web()) as served:
        ended = crawl(tmp_path, served.proxy, seeds=SEED)
    assert "needs_script ×1" in ended.err
    assert set(stored(tmp_path)) == {SEED}


def test_a_script_that_only_leads_elsewhere_is_a_redirect(chromium, tmp_path):
    with small_web(web("location.href = '/behind.html'")) as served:
        ended = crawl(tmp_path, served.proxy, seeds=SEED, TOPICSPIDER_BROWSER=chromium)
    assert ended.exit_code == 0, ended.err
    assert set(stored(tmp_path)) == {SEED, BEHIND}


ESCAPES = (
    "fetch('http://127.0.0.1:{port}/secret')",
    "fetch('http://localhost:{port}/secret')",
    "fetch('http://10.0.0.1/secret')",
    "fetch('file:///etc/passwd')",
    "fetch('http://w5.example/secret-post', {method: 'POST', body: 'x', mode: 'no-cors'})",
    "new Image().src = 'http://w5.example/secret.png'",
    "document.body.append(Object.assign(document.createElement('iframe'), {src: 'http://w5.example/secret-frame'}))",
    "new WebSocket('ws://w5.example/secret-socket')",
    "navigator.sendBeacon('http://w5.example/secret-beacon', 'x')",
    "document.head.innerHTML += '<link rel=prefetch href=http://w5.example/secret-hint>'",
    "window.open('http://w5.example/secret-window')",
    "document.body.append(Object.assign(document.createElement('video'), {src: 'http://w5.example/secret.mp4'}))",
)
LAST = """
const form = Object.assign(document.createElement('form'), {method: 'post', action: 'http://w5.example/secret-form'});
fetch('http://w5.example/allowed').then(() => { document.body.append(form); form.submit(); });
"""


def test_a_page_in_the_browser_reaches_nothing_that_the_crawl_may_not(chromium, tmp_path):
    """Promise G1: no private address, no file, nothing but scripts and data, nothing but GET."""

    def answer(url: str) -> Answer | None:
        return Answer("x") if "w5.example" in url or "10.0.0.1" in url else pages.get(url)

    with small_web({}) as secret:
        port = secret.proxy.rpartition(":")[2]
        tries = "".join(f"try {{ {script.replace('{port}', port)} }} catch (error) {{ }}\n" for script in ESCAPES)
        pages = web(f"addEventListener('DOMContentLoaded', () => {{ {tries} {LAST} {SCRIPT} }});")
        with small_web(answer) as served:
            limit = ("-a", "max_pages=2")  # a frame is a link to a page as well
            ended = crawl(tmp_path, served.proxy, *limit, seeds=SEED, TOPICSPIDER_BROWSER=chromium)
        assert secret.asked == []
        asked = [one.url for one in served.asked]
    assert "http://w5.example/allowed" in asked
    assert not [url for url in asked if "secret" in url]
    assert "Traceback" not in ended.err


def test_a_script_that_never_ends_costs_its_time_and_no_more(chromium, tmp_path):
    with small_web(web("while (true) { }")) as served:
        ended = crawl(tmp_path, served.proxy, seeds=SEED, TOPICSPIDER_BROWSER=chromium)
    assert ended.exit_code == 0, ended.err
    assert "needs_script ×1" in ended.err
    assert set(stored(tmp_path)) == {SEED}


def test_a_page_that_brings_the_browser_down_costs_the_next_ones_nothing(chromium, tmp_path):
    """A hundred and fifty million characters are more than what drives the browser can hold."""
    next_app, next_script = APP.replace("app", "next"), "http://w1.example/next.js"
    pages = web("document.documentElement.append(new Comment('x'.repeat(150e6)))")
    pages |= {next_app: Answer(SHELL.replace("app.js", "next.js")), next_script: web()["http://w1.example/app.js"]}
    with small_web(pages) as served:
        seeds = f"{APP},{next_app}"
        ended = crawl(tmp_path, served.proxy, seeds=seeds, TOPICSPIDER_BROWSER=chromium)
    assert "needs_script ×1" in ended.err
    assert stored(tmp_path) == {next_app: True, BEHIND: True}


def test_robots_txt_holds_for_what_a_page_asks_for(chromium, tmp_path):
    pages = {
        **web(),
        "http://w1.example/robots.txt": Answer("User-agent: *\nDisallow: /api/", 200, {"Content-Type": "text/plain"}),
    }
    with small_web(pages) as served:
        crawl(tmp_path, served.proxy, seeds=SEED, TOPICSPIDER_BROWSER=chromium)
        assert not [one for one in served.asked if "/api/" in one.url]


def test_ctrl_c_does_not_wait_for_a_page_that_never_rests_and_its_page_is_fetched_again(chromium, tmp_path):
    pages = web("setInterval(() => { document.title = Math.random() }, 50)")
    with small_web(pages) as served:
        process = begin(tmp_path, served.proxy, seeds=SEED, TOPICSPIDER_BROWSER=chromium)
        ended = stop_after(process, lambda: any("app.js" in one.url for one in served.asked), signal.SIGINT, 50)
        assert ended.exit_code == 130, ended.err
        again = crawl(tmp_path, served.proxy, seeds=SEED)
    assert again.exit_code == 0, again.err
    assert served.pages().count(APP) == 2


def test_a_browser_that_cannot_be_had_is_said_before_the_crawl(tmp_path):
    with small_web(web()) as served:
        ended = crawl(tmp_path, served.proxy, seeds=SEED, TOPICSPIDER_BROWSER="/nowhere/chromium")
        assert served.asked == []
    assert ended.exit_code == 2
    assert "TOPICSPIDER_BROWSER" in ended.err
    assert "Traceback" not in ended.err


def test_without_the_extra_the_error_names_the_command(monkeypatch):
    monkeypatch.setattr(browser.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_BROWSER.*pip install -r requirements-browser\.txt"):
        browser.check(Options(browser="auto"))
