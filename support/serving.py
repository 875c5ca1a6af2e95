"""Runs ``scrapy serve`` as a user does, and sends it requests as a browser or a program does."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from support.crawling import environment, start
from support.site import SPORT, TRAVEL, Answer, page

FAILED = re.compile(r"^[A-Z]+ /\S* failed$|^Traceback ", re.MULTILINE)
"""What the web page, or a library on which it is built, prints when a request has failed."""
CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass(frozen=True)
class Got:
    """One response."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def data(self) -> Any:
        return json.loads(self.text)

    @property
    def csrf(self) -> str:
        found = CSRF.search(self.text)
        assert found, self.text[:500]
        return found.group(1)


@dataclass
class WebServer:
    """A running web page. ``cookies``: as a browser has them; log_in() gets that of a session."""

    link: str
    token: str
    process: int = 0
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return urlsplit(self.link).port or 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Got:
        """Send one request, with the cookies unless ``Cookie`` is given; names of headers have _ for -."""
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body and body.encode(), sent)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        for cookie in answer.headers.get_all("Set-Cookie", ()):
            name, _equals, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return Got(answer.status, answer.headers, content)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Got:
        """Send a form, as a browser on the page does."""
        form = {"Content_Type": "application/x-www-form-urlencoded", "Origin": f"http://{self.address}"}
        return self.ask(path, "POST", urlencode(fields), **{**form, **headers})

    def log_in(self) -> None:
        assert self.post("/login", {"token": self.token}).status == 303

    def events(self, path: str) -> Iterator[str]:
        """Yield the data of each event (text/event-stream) that the server sends for ``path`` to a browser that is logged in."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request("GET", path, headers={"Cookie": cookies})
        with closing(connection), connection.getresponse() as answer:
            assert answer.status == 200
            lines: list[str] = []
            while line := answer.readline().decode():
                if line.strip():
                    lines.append(line.removeprefix("data: "))
                elif lines:
                    yield "".join(lines)
                    lines = []

    def json(self, path: str) -> Got:
        """Send a GET request as a program does, with the token."""
        return self.ask(path, Cookie="", Authorization=f"Bearer {self.token}")

    def tell(self, path: str, fields: Mapping[str, Any]) -> Got:
        """Send ``fields`` as JSON in a POST request, as a program does, with the token."""
        headers = {"Content_Type": "application/json", "Authorization": f"Bearer {self.token}", "Cookie": ""}
        return self.ask(path, "POST", json.dumps(fields), **headers)


@contextmanager
def web_server(folder: Path, *arguments: str, proxy: str = "", **env: str) -> Iterator[WebServer]:
    """Run ``scrapy serve`` on ``folder``/data and a free port; at the end, check that no request has failed."""
    process = start(["serve", "--port", "0", *arguments], folder, environment(proxy, **env))
    try:
        assert process.stdout is not None
        _head, link, token = (process.stdout.readline().strip().rpartition(" ")[2] for _line in range(3))
        assert link.startswith("http"), process.communicate()[1][-3000:]
        yield WebServer(link, token, process.pid)
    finally:
        process.terminate()
        said = process.communicate(timeout=30)[1]
    assert not FAILED.search(said), said[-3000:]


def wait(look: Callable[[], Any], is_so: Callable[[Any], object], seconds: float = 60) -> Any:
    """Call ``look`` until ``is_so`` of its result is true, for at most ``seconds``; returns that result."""
    deadline = time.monotonic() + seconds
    while not is_so(found := look()):
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    return found


def endless_web(url: str) -> Answer | None:
    """The answers of an endless web of ten hosts: two of three pages are about travel; each page links to four more."""
    host, _slash, path = url.removeprefix("http://").partition("/")
    if not host.endswith(".example") or not path.removesuffix(".html").isdigit():
        return None
    number = int(path.removesuffix(".html"))
    children = [4 * number + place for place in (1, 2, 3, 4)]
    links = {
        f"http://e{child % 10}.example/{child}.html": f"{'比赛' if child % 3 else '自由行旅游攻略'}{child}"
        for child in children
    }
    is_sport = number % 3 == 1
    body = "".join(chr(0x4E00 + (number * 7919 + place * 104_729) % 20_000) for place in range(200))
    return page(
        f"{'联赛战报' if is_sport else '自由行旅游日记'}{number}",
        (SPORT if is_sport else TRAVEL + "自由行攻略：自由行的路线，自由行的花费。") + body,
        links,
    )


ENDLESS_SEED = "http://e0.example/0.html"
QUICK = ("-s", "TOPICSPIDER_DELAY_MIN=0.05", "-s", "TOPICSPIDER_DELAY_FACTOR=0")


def opened(browser: Any, server: WebServer, complaints: list[str], **options: Any) -> Any:
    """A tab of ``browser``, logged in by the token, in a context of its own; errors and warnings of the tab go to ``complaints``."""
    context = browser.new_context(**options)
    context.set_default_timeout(60_000)
    page = context.new_page()
    kinds = ("error", "warning")
    page.on("console", lambda message: complaints.append(message.text) if message.type in kinds else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"http://{server.address}/login")
    page.fill("#token", server.token)
    page.click("button")
    page.wait_for_url("**/crawls")
    return page
