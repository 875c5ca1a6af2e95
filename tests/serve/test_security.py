"""The page over a real socket: who is let in, what is refused, what every answer says. Routes are those of the router itself."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from support.found import judged, put
from support.serving import web_server
from topicspider.serve.access import Access
from topicspider.serve.app import CHANGES, DOWNLOADS, HEADERS, LOGIN, VIEWS, WebPage

ROUTES = {
    (route.method, route.resource.canonical) for route in WebPage(None, Access(), "127.0.0.1", 1).app.router.routes()
}
GOT, POSTED = (sorted(path.replace("{name}", "style.css") for known, path in ROUTES if known == method and not path.startswith(LOGIN)) for method in ("GET", "POST"))  # fmt: skip
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with web_server(tmp_path_factory.mktemp("serve")) as server:
        server.log_in()
        yield server


def test_the_router_has_every_view_change_and_download():
    ours = {path for one in (*VIEWS, *CHANGES) for path in (one.path, f"{one.path}.json")}
    assert ours | {download.path for download in DOWNLOADS} <= {path for _method, path in ROUTES}
    assert {method for method, _path in ROUTES} == {"GET", "HEAD", "POST"}


@pytest.mark.parametrize("path", [*GOT, "/static/nothing", "/nothing"])
def test_without_a_session_nothing_is_shown(server, path):
    for cookie in ("", f"topicspider-{server.port}=guessed"):
        for method in ("GET", "HEAD"):
            got = server.ask(path, method, Cookie=cookie)
            assert (got.status, got.headers["WWW-Authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("path", POSTED)
def test_nothing_is_changed_without_a_session_by_get_or_by_a_form_or_a_page_of_another(server, path):
    assert server.post(path, {}, Cookie="").status == 401
    assert path in GOT or server.ask(path).status == 405
    assert server.post(path, {"csrf": "guessed"}).status == server.post(path, {}).status == 403
    assert server.post(path, {}, X_CSRF_Token="\xff\xfe").status == 403
    csrf = server.ask("/crawls").csrf
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}):
        assert server.post(path, {"csrf": csrf, "language": "zh"}, **headers).status == 403


def test_no_route_that_is_got_writes_a_file_of_a_crawl(tmp_path):
    """Whatever stands behind the ? of it; the index of a search is none."""
    put(tmp_path / "data", [judged(place) for place in range(9)])
    files = lambda: {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith(("search", "pages.db-"))}  # noqa: E731  # fmt: skip
    asked = "crawl=tourism&do=stop&topic=tourism&url=http://judged.example/8&answer=yes&host=judged.example&max_pages=9&web=made:pages%3D2000&format=.csv"
    with web_server(tmp_path) as server:
        server.log_in()
        before = files()
        assert 500 not in {server.ask(f"{path}?{asked}").status for path in GOT if not path.endswith("/events")}
        assert files() == before


@pytest.mark.parametrize("path", [*GOT, *POSTED, "/login", "/nothing"])
def test_a_name_that_is_led_here_is_not_answered(server, path):
    for method in ("GET", "POST"):
        assert server.ask(path, method, Host=f"evil.example:{server.port}").status == 421


@pytest.mark.parametrize("page", ["web-page.md", "zh/web-page.md"])
def test_the_manual_names_every_view_change_and_download(page):
    told = (DOCS / page).read_text(encoding="utf-8")
    named = [("GET", one.path) for one in (*VIEWS, *DOWNLOADS)] + [("POST", one.path) for one in CHANGES]
    assert [one for one in named if not re.search(rf"`({one[0]} )?{re.escape(one[1])}[?`]", told)] == []


@pytest.mark.parametrize("path", ["/login", "/login/style.css", "/crawls", "/crawls.json", "/nothing"])
def test_every_answer_is_fenced_in(server, path):
    headers = server.ask(path).headers
    for name, value in HEADERS.items():
        assert headers[name] == value or name == "Cache-Control"
    assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_a_program_sends_the_token_to_the_json_twins_alone(server):
    assert server.json("/crawls.json").data["crawls"] == []
    assert server.json("/crawls").status == 401


def test_the_language_is_that_of_the_switch_else_of_the_browser(server):
    cookies = dict(server.cookies)
    server.cookies.pop("topicspider-language", None)
    assert 'lang="zh-CN"' in server.ask("/crawls", Accept_Language="fr, zh-TW;q=0.8, en").text
    assert 'lang="en"' in server.ask("/crawls", Accept_Language="fr, de").text
    server.cookies.update(cookies)
    server.post("/language", {"csrf": server.ask("/crawls").csrf, "language": "zh"})
    assert "抓取" in server.ask("/crawls", Accept_Language="en").text


def test_a_path_out_of_the_package_is_none(server):
    for name in ("..%2faccess.py", "%2e%2e%2fapp.py", "__init__.py", "nothing.css"):
        assert server.ask(f"/static/{name}").status == 404


def test_a_body_that_is_no_object_and_one_that_is_too_large_are_refused(server):
    headers = {"Content_Type": "application/json", "Authorization": f"Bearer {server.token}"}
    assert server.ask("/language", "POST", "[1", X_CSRF_Token=server.ask("/crawls").csrf, **headers).status == 400
    assert server.ask("/language", "POST", "x" * (1 << 21), **headers).status == 413


@pytest.mark.slow
def test_half_a_body_is_waited_for_ten_seconds(server):
    form = "application/x-www-form-urlencoded"
    assert server.ask("/language", "POST", "csrf=", Content_Type=form, Content_Length="50").status == 408


def test_what_is_no_http_is_refused_without_a_word_in_the_log(server):
    """Of that ``web_server`` looks."""
    assert server.ask(f"/{'a' * 10_000}").status == 400


@pytest.mark.parametrize("topic", ["/etc/passwd", "../../topics/../secret.yaml", "旅游，C:\\secret"])
def test_no_file_is_read_for_who_names_one_as_a_topic(server, topic):
    shown = server.json(f"/start.json?topic={quote(topic)}").data
    assert (shown["preview"], "not valid; allowed: a topic's name" in shown["error"]) == (None, True)


@pytest.mark.parametrize("wrong", ["\0", "\ud800"])
def test_what_no_process_can_be_given_is_left_out(server, wrong):
    got = server.tell(
        "/start.json", {"topic": f"{wrong}tourism", "seeds": f"http://a.example/,{wrong}ftp://b.example/"}
    )
    assert got.status == 400
    assert server.json(f"/start.json?topic={quote(wrong, errors='surrogatepass')}tourism").status == 200


def test_the_link_works_once_and_guessing_is_slowed_down(tmp_path):
    with web_server(tmp_path) as server:
        token = server.link.partition("token=")[2]
        page = server.ask(f"/login?token={token}")
        assert (page.status, token in page.text) == (200, True)
        let_in = server.post("/login", {"token": token}).headers
        assert let_in["Location"] == "/crawls"
        assert all(part in let_in["Set-Cookie"] for part in ("HttpOnly", "SameSite=Strict"))
        assert server.ask("/crawls").status == 200
        assert [server.post("/login", {"token": token}, Cookie="").status for _try in range(6)] == [401] * 5 + [429]
        refused = server.json("/crawls.json")
        assert (refused.status, 0 < int(refused.headers["Retry-After"]) <= 61) == (429, True)
        assert server.ask("/crawls").status == 200
        assert server.post("/logout", {"csrf": server.ask("/crawls").csrf}).status == 303
        assert server.ask("/crawls").status == 401


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("kind", "body", "coding"),
    [
        ("application/json", "[" * 100_000, ""),
        ("application/json; charset=undefined", "{}", ""),
        (f"{FORM}; charset=undefined", "token=x", ""),
        ("multipart/form-data", "x", ""),
        ("multipart/form-data; boundary=a", "--a\r\nContent-Disposition: form-data; name=token\r\n\r\nx", ""),
        (FORM, "token=x", "gzip"),
    ],
)
def test_a_body_that_cannot_be_read_is_said_to_be_none_and_fails_nothing(server, kind, body, coding):
    """Whoever has no token may send it."""
    headers = {"Content_Type": kind, "Cookie": "", **({"Content_Encoding": coding} if coding else {})}
    assert server.ask("/login", "POST", body, **headers).status == 400


@pytest.mark.parametrize(
    "back",
    ["//evil.example", "http://evil.example/", "javascript:1", "", "/\t/evil.example", "/a\r\nX-Evil: 1", "//[", "/\\evil.example"],
)  # fmt: skip
def test_who_chooses_a_language_goes_back_to_a_page_of_this_server(server, back):
    got = server.post("/language", {"csrf": server.ask("/crawls").csrf, "language": "en", "back": back})
    assert (got.status, got.headers["Location"], got.headers["X-Evil"]) == (303, "/crawls", None)
