"""A real HTTP server on 127.0.0.1 with odd manners, which notes every request from its first byte to the last."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

Manner = Callable[["Exchange"], Coroutine[Any, Any, None]]


@dataclass
class Hit:
    """One request as the server saw it; times are time.monotonic(), ``end`` 0 while it is open, then when its last bytes were sent.

    Taken just before, for a busy server may come to itself long after the client has them.
    """

    target: str
    connection: int
    headers: dict[str, str]
    start: float
    end: float = 0.0

    @property
    def path(self) -> str:
        return (
            self.target.split("://")[-1].partition("/")[2].partition("?")[0]
            if "://" in self.target
            else self.target[1:].partition("?")[0]
        )


@dataclass
class Exchange:
    """What a manner has to answer with."""

    hit: Hit
    writer: asyncio.StreamWriter
    sent_at: float = 0.0

    async def send(self, data: bytes) -> None:
        self.sent_at = time.monotonic()
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        fields = {
            "content-type": "text/html",
            "content-length": str(len(body)),
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        await self.send(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode("utf-8", "surrogateescape") + body)

    def hang_up(self) -> None:
        self.sent_at = time.monotonic()
        self.writer.transport.abort()

    async def stall(self) -> None:
        await asyncio.sleep(60)


@dataclass
class OddServer:
    """``manners`` maps a path (without the slash) to what it does; other paths are small pages."""

    manners: dict[str, Manner]
    port: int = 0
    hits: list[Hit] = field(default_factory=list)
    _connections: int = 0

    def url(self, path: str = "", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{path}"

    def of(self, path: str) -> list[Hit]:
        return [hit for hit in self.hits if hit.path == path]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        number = self._connections
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._exchange(head.decode("latin-1"), number, writer)
        writer.close()

    async def _exchange(self, head: str, number: int, writer: asyncio.StreamWriter) -> None:
        request, *lines = head.rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        hit = Hit(request.split(" ")[1], number, headers, time.monotonic())
        self.hits.append(hit)
        exchange = Exchange(hit, writer)
        try:
            await self.manners.get(hit.path, self.manners.get("*", small_page))(exchange)
        finally:
            hit.end = exchange.sent_at or time.monotonic()


async def small_page(exchange: Exchange) -> None:
    await exchange.answer(200, "<html><title>旅游</title>旅游</html>".encode())


def page(status: int = 200, body: bytes = b"", **headers: str) -> Manner:
    """Always the same answer."""

    async def answer(exchange: Exchange) -> None:
        await exchange.answer(status, body, **headers)

    return answer


def in_turn(*manners: Manner) -> Manner:
    """One after the other, the last one for ever."""
    queue = list(manners)

    async def answer(exchange: Exchange) -> None:
        await (queue.pop(0) if len(queue) > 1 else queue[0])(exchange)

    return answer


@contextmanager
def odd_server(tls: ssl.SSLContext | None = None, /, **manners: Manner) -> Iterator[OddServer]:
    """Serve in a thread until the block ends. ``robots_txt`` stands for the path robots.txt."""
    server = OddServer({name.replace("_txt", ".txt"): manner for name, manner in manners.items()})
    loop = asyncio.new_event_loop()
    started = threading.Event()

    async def main() -> None:
        listener = await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=2**20, ssl=tls)
        server.port = listener.sockets[0].getsockname()[1]
        started.set()
        async with _closing(listener):
            await asyncio.get_running_loop().create_future()

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError, RuntimeError):
            loop.run_until_complete(main())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(_cancel_all, loop)
        thread.join(10)
        loop.close()


@contextlib.asynccontextmanager
async def _closing(listener: asyncio.Server) -> AsyncIterator[None]:
    try:
        yield
    finally:
        listener.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
