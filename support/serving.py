"""Runs ``scrapy serve`` as a user does, and asks it as a browser or a program would."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from support.crawling import environment, start

CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass(frozen=True)
class Got:
    """One answer."""

    status: int
    headers: HTTPMessage
    text: str

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
    """A running page. ``cookies`` are those of the one browser that ``log_in`` makes of the caller."""

    link: str
    token: str
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return urlsplit(self.link).port or 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Got:
        """One request, with the cookies unless ``Cookie`` says otherwise; names of headers have _ for -."""
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body and body.encode(), sent)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        for cookie in answer.headers.get_all("Set-Cookie", ()):
            name, _equals, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return Got(answer.status, answer.headers, text)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Got:
        """A form, as a browser of ours sends it."""
        form = {"Content_Type": "application/x-www-form-urlencoded", "Origin": f"http://{self.address}"}
        return self.ask(path, "POST", urlencode(fields), **{**form, **headers})

    def log_in(self) -> None:
        assert self.post("/login", {"token": self.token}).status == 303

    def json(self, path: str) -> Got:
        """As a program asks."""
        return self.ask(path, Cookie="", Authorization=f"Bearer {self.token}")

    def tell(self, path: str, fields: Mapping[str, Any]) -> Got:
        """As a program tells."""
        headers = {"Content_Type": "application/json", "Authorization": f"Bearer {self.token}", "Cookie": ""}
        return self.ask(path, "POST", json.dumps(fields), **headers)


@contextmanager
def web_server(folder: Path, *arguments: str, proxy: str = "", **env: str) -> Iterator[WebServer]:
    """``scrapy serve`` over ``folder``/data, on a port of its own."""
    process = start(["serve", "--port", "0", *arguments], folder, environment(proxy, **env))
    try:
        assert process.stdout is not None
        link, token = (process.stdout.readline().strip().rpartition(" ")[2] for _line in range(2))
        assert link.startswith("http"), process.communicate()[1][-3000:]
        yield WebServer(link, token)
    finally:
        process.terminate()
        process.communicate(timeout=30)
