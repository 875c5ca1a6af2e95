"""A small web of many hosts for tests: a real HTTP server that is the proxy of all these hosts and answers for them."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    """The response of a URL. ``body``: text is sent in UTF-8; a function is called for each request. ``raw``: sent instead of all else."""

    body: str | bytes | Callable[[], str | bytes] = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    raw: bytes | None = None

    @property
    def payload(self) -> bytes:
        body = self.body() if callable(self.body) else self.body
        return body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it; times are seconds of the monotonic clock. ``connection``: the client's port."""

    url: str
    host: str
    start: float
    end: float
    headers: Mapping[str, str]
    connection: int = 0


@dataclass
class SmallWeb:
    """The running server: ``proxy`` is its URL for http_proxy; ``asked`` has the requests in the order in which they ended."""

    proxy: str
    asked: list[Asked]

    def pages(self) -> list[str]:
        """The requested URLs, without robots.txt."""
        return [one.url for one in list(self.asked) if not one.url.endswith("/robots.txt")]


Finder = Callable[[str], Answer | None]
Tunnel = Callable[[socket.socket, str], None]
"""A function (connection, host) that answers a client inside a CONNECT tunnel; an exception in it ends the connection."""


def _if_changed(answer: Answer, asked: Mapping[str, str]) -> Answer:
    """As servers with ETag and Last-Modified do: 304 without a body when the client has this version already."""
    for condition, name in (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")):
        if answer.status == 200 and asked.get(condition) and name in answer.headers:
            return Answer("", 304, answer.headers) if asked[condition] == answer.headers[name] else answer
    return answer


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_arguments: object) -> None:
        """Print nothing: a crawler that is killed breaks its connections."""


@contextmanager
def small_web(
    pages: Mapping[str, Answer] | Finder, latency: float = 0.0, tunnels: Mapping[str, Tunnel] | None = None
) -> Iterator[SmallWeb]:
    """Serve ``pages`` (by URL, or a function of it; else 404) on a free port of 127.0.0.1. ``latency``: seconds; ``tunnels``: by host."""
    find: Finder = pages if callable(pages) else pages.get
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            start = time.monotonic()
            time.sleep(latency)
            answer = _if_changed(find(self.path) or Answer("nothing here", 404), self.headers)
            if answer.raw is not None:
                self.wfile.write(answer.raw)
                self.close_connection = True
                return
            payload = answer.payload
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)
            host = self.path.split("/", 3)[2] if "://" in self.path else self.headers.get("Host", "")
            port = self.client_address[1]
            asked.append(Asked(self.path, host, start, time.monotonic(), dict(self.headers), port))

        def do_CONNECT(self) -> None:
            start, host = time.monotonic(), self.path.rpartition(":")[0]
            tunnel = (tunnels or {}).get(host)
            self.send_response(200 if tunnel else 502)
            self.end_headers()
            self.close_connection = True
            if tunnel:
                with suppress(Exception):  # the client may close the connection or refuse what it gets
                    tunnel(self.connection, host)
            asked.append(Asked(f"https://{host}/", host, start, time.monotonic(), {}))

        def do_POST(self) -> None:
            """Look up a form as its URL, followed by ``#POST``, a space and the body."""
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.path += f"#POST {body.decode()}"
            self.do_GET()

        def log_message(self, *_arguments: object) -> None:
            """Print nothing; tests read ``asked``."""

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield SmallWeb(f"http://127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


TRAVEL = (
    "我们去海边旅游，看了古镇和雪山，住的酒店干净，景点门票不贵，导游讲得仔细。清晨出发，沿着石板路慢慢走，"
    "攻略里推荐的观景台果然值得一去，傍晚回到客栈，和别的游客交换行程。这条路线适合自由行，交通也方便。"
)
SPORT = (
    "昨晚的比赛很精彩，主队在加时赛里打进制胜一球，守门员几次扑救都引来掌声。教练赛后说，球员们的体能保持得很好，"
    "下一轮联赛还要轮换阵容。球迷在看台上唱了一夜的歌，记者挤满了发布厅。"
)


def page(title: str, text: str, links: Mapping[str, str] | None = None, head: str = "") -> Answer:
    """A Chinese page with a title, text and links (URL to anchor)."""
    anchors = "\n".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in (links or {}).items())
    return Answer(
        f'<!DOCTYPE html><html lang="zh"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body><h1>{title}</h1><p>{text * 3}</p><ul>{anchors}</ul></body></html>"
    )


def travel_web(pages: int = 40, hosts: int = 4) -> dict[str, Answer]:
    """By URL, ``pages`` pages on ``hosts`` hosts; they form a tree from the first page, and every third is about travel."""

    def url(number: int) -> str:
        return f"http://w{number % hosts}.example/p{number}.html"

    web = {}
    for number in range(pages):
        children = [child for child in (3 * number + 1, 3 * number + 2, 3 * number + 3) if child < pages]
        links = {
            url(child): f"{'旅游攻略' if child % 3 == 0 else '旅游路上的球赛'}{child}"
            for child in [*children, number // 3]
        }
        text = TRAVEL if number % 3 == 0 else SPORT
        web[url(number)] = page(f"{'旅游日记' if number % 3 == 0 else '联赛战报'}第{number}篇", text, links)
    return web
