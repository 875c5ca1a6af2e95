"""The download handler against real servers with odd manners: limits, sizes, times, kept connections."""

from __future__ import annotations

import asyncio
import itertools
import resource
import socket
import ssl
from contextlib import ExitStack
from typing import TYPE_CHECKING

import aiohttp
import brotli
import pytest

from support.certificates import make_certificate
from tests.download.crawling import Crawl, crawl
from tests.download.odd_server import Exchange, OddServer, odd_server, page
from topicspider.download.handler import FILES, BoundedResponse, files_to_open

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIMITS = {
    "TOPICSPIDER_CONNECT_TIMEOUT": 0.5,
    "TOPICSPIDER_READ_TIMEOUT": 0.6,
    "TOPICSPIDER_PAGE_TIMEOUT": 1.5,
    "DOWNLOAD_MAXSIZE": 1_000_000,
}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"


async def silent(exchange: Exchange) -> None:
    await exchange.stall()


async def silent_body(exchange: Exchange) -> None:
    await exchange.send(HEAD + b"content-length: 100\r\n\r\nhalf")
    await exchange.stall()


async def drip(exchange: Exchange) -> None:
    await exchange.send(HEAD + b"content-length: 1000\r\n\r\n")
    while True:
        await exchange.send(b"x")
        await asyncio.sleep(0.1)


async def header_flood(exchange: Exchange) -> None:
    await exchange.send(HEAD)
    for number in itertools.count():
        await exchange.send(f"x-{number}: {'y' * 8000}\r\n".encode())


async def header_line(exchange: Exchange) -> None:
    await exchange.send(HEAD + b"x: ")
    while True:
        await exchange.send(b"y" * 65536)


async def header_heap(exchange: Exchange) -> None:
    await exchange.send(
        HEAD + b"".join(b"x-%d: %s\r\n" % (n, b"y" * 1000) for n in range(80)) + b"content-length: 0\r\n\r\n"
    )


async def endless(exchange: Exchange) -> None:
    await exchange.send(HEAD + b"\r\n")
    for _ in range(1600):
        await exchange.send(b"x" * 65536)


async def cut_off(exchange: Exchange) -> None:
    await exchange.send(HEAD + b"content-length: 1000\r\n\r\nshort")
    exchange.writer.close()


async def hang_up(exchange: Exchange) -> None:
    exchange.writer.transport.abort()


async def no_http(exchange: Exchange) -> None:
    await exchange.send(b"SSH-2.0-OpenSSH_9.2\r\n")
    exchange.writer.close()


async def gbk_location(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 302 Found\r\nlocation: /" + "旅游".encode("gbk") + b"\r\ncontent-length: 0\r\n\r\n")


# by path: what the server does, and the outcome
ENDS = {
    "ok": (page(200, "旅游".encode()), "page"),
    "silent": (silent, "read_timeout"),
    "silent_body": (silent_body, "read_timeout"),
    "drip": (drip, "page_timeout"),
    "header_flood": (header_flood, "too_large"),
    "header_line": (header_line, "too_large"),
    "header_heap": (header_heap, "too_large"),
    "endless": (endless, "too_large"),
    "announced": (page(200, b"x" * 2_000_000), "too_large"),
    "bomb": (page(200, brotli.compress(b"\0" * 200_000_000, quality=5), content_encoding="br"), "too_large"),
    "cut_off": (cut_off, "reset"),
    "hang_up": (hang_up, "reset"),
    "no_http": (no_http, "bad_response"),
    "missing": (page(404, "没有".encode()), "not_found"),
    "busy": (page(429), "too_many_requests"),
    "gbk": (gbk_location, "redirect"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[OddServer]:
    with odd_server(**{path: manner for path, (manner, _) in ENDS.items()}) as running:
        yield running


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """URLs that no connection leads to, and the outcome each should have."""
    with ExitStack() as stack:
        taken, deaf = (stack.enter_context(socket.socket()) for _ in range(2))
        for one in (taken, deaf):
            one.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for _ in range(4):  # its backlog is full then: further connections are not even refused
            stack.enter_context(_half_open(deaf.getsockname()))
        unknown = stack.enter_context(odd_server(_self_signed(tmp_path_factory.mktemp("tls"))))
        yield {
            "refused": f"http://127.0.0.1:{taken.getsockname()[1]}/",
            "connect_timeout": f"http://127.0.0.1:{deaf.getsockname()[1]}/",
            "tls": unknown.url().replace("http:", "https:"),
        }


@pytest.fixture(scope="module")
def odd(server: OddServer, elsewhere: dict[str, str]) -> Crawl:
    urls = [*map(server.url, ENDS), *elsewhere.values()]
    return crawl(urls, REDIRECT_ENABLED=False, DOWNLOAD_VERIFY_CERTIFICATES=True, CONCURRENT_REQUESTS=32, **LIMITS)


@pytest.mark.parametrize("path", ENDS)
def test_every_odd_manner_ends_in_time_with_its_name(server: OddServer, odd: Crawl, path: str) -> None:
    assert odd.outcome(server.url(path)) == ENDS[path][1]


@pytest.mark.parametrize("outcome", ["refused", "connect_timeout", "tls"])
def test_no_connection_ends_with_its_name(odd: Crawl, elsewhere: dict[str, str], outcome: str) -> None:
    assert odd.outcome(elsewhere[outcome]) == outcome


def test_no_end_takes_longer_than_the_limits(odd: Crawl) -> None:
    assert max(end["topicspider_download_seconds"] for end in odd.ends) < 2.5


def test_nothing_is_asked_twice(server: OddServer, odd: Crawl) -> None:
    assert {path: len(server.of(path)) for path in ENDS} == dict.fromkeys(ENDS, 1)


def test_memory_stays_bounded_whatever_comes(odd: Crawl) -> None:
    """Promise G2: a 100 MB body without a length, 200 MB unpacked, and endless headers, in one process."""
    assert odd.peak_mib < 200


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, [None, None, None]),
        ({"connection": "Keep-Alive, close"}, [1, 1, 1]),
        ({"keep_alive": "timeout=5, max=99"}, [100, 101, 102]),  # of a server that never counts down
    ],
)
def test_how_many_requests_a_connection_gives_is_told_by_the_answers(
    headers: dict[str, str], told: list[int | None]
) -> None:
    """(c) Cao's RequestsPerConnection; an error that closes tells nothing of it."""
    answer = page(200, "旅游".encode(), **headers)
    with odd_server(**{"*": answer, "error": page(404, **headers)}) as server:
        urls = [server.url(f"页{number}") for number in range(3)]
        done = crawl([*urls, server.url("error")], CONCURRENT_REQUESTS=1)
    assert [end["requests_per_connection"] for end in done.ends] == [*told, None]


def test_the_address_that_is_sent_is_the_one_that_was_looked_at() -> None:
    path = "go%3Fa/%40?to=%2Fadmin%3A%26%2C%3B%3F&q=%C2%C3+%2B"
    with odd_server() as server:
        done = crawl([server.url(path), server.url(f"{path} 旅#top")])
        assert {hit.target for hit in server.hits} == {f"/{path}", f"/{path}%20%E6%97%85"}
    assert {end["outcome"] for end in done.ends} == {"page"}


def test_a_connection_is_kept_and_measured_once() -> None:
    with odd_server() as server:
        urls = [server.url(f"页{number}") for number in range(4)]
        done = crawl(urls)
        assert {hit.connection for hit in server.hits} == {1}
    assert [end["connect_seconds"] is not None for end in done.ends] == [True, False, False, False]
    assert all(0 < end["response_seconds"] <= end["topicspider_download_seconds"] for end in done.ends)


def _half_open(address: tuple[str, int]) -> socket.socket:
    filler = socket.socket()
    filler.setblocking(False)
    filler.connect_ex(address)
    return filler


def _self_signed(folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*make_certificate(folder))
    return context


def test_a_connection_that_we_wish_closed_is_not_kept_whatever_the_server_does():
    async def idle(url, wish):
        async with aiohttp.ClientSession(response_class=BoundedResponse) as session:
            await (await session.get(url, headers=wish)).read()
            return len(session.connector._conns)

    with odd_server() as server:
        assert [asyncio.run(idle(server.url("a"), wish)) for wish in ({}, {"Connection": "close"})] == [1, 0]


def test_as_many_files_may_be_opened_as_the_system_lets_us(monkeypatch):
    limits = {FILES: (200, 300)}
    monkeypatch.setattr(resource, "getrlimit", limits.get)
    monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)
    assert (files_to_open(), limits) == (300, {FILES: (300, 300)})
