"""The replay server: a loopback HTTP proxy that answers from a web at rest, also in a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import topicspider
from topicspider.errors import ConfigError, RecordingError, TopicSpiderError, UnavailableError
from topicspider.rehearsal.archive.feature_file import Answer
from topicspider.rehearsal.archive.warc import open_web
from topicspider.rehearsal.replay.conditions import Faults, HostLatency
from topicspider.rehearsal.replay.connection import ReplayConnection, not_there, self_signed
from topicspider.rehearsal.replay.request_log import LoggedRequest
from topicspider.rehearsal.response import Headers, RecordedResponse, RecordedWeb

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator, Sequence


ADDRESS = "127.0.0.1"
_TEXT: Headers = (("Content-Type", "text/plain; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What ``replay`` was asked for; see add_arguments()."""

    web: str
    port: int
    latency: HostLatency
    errors: float
    robots: Path | None
    log: Path | None
    seed: int

    @classmethod
    def read(cls, arguments: argparse.Namespace) -> ReplayOptions:
        """From parsed arguments; raises ConfigError."""
        seed = _number("--seed", arguments.seed, 2**63)
        return cls(
            web=arguments.web,
            port=_number("--port", arguments.port, 65535),
            latency=HostLatency.read(arguments.latency, seed),
            errors=_share(arguments.errors),
            robots=Path(arguments.robots) if arguments.robots else None,
            log=Path(arguments.log) if arguments.log else None,
            seed=seed,
        )


class ReplayServer:
    """Answers the requests of all connections from one web."""

    def __init__(self, web: RecordedWeb, options: ReplayOptions) -> None:
        self._web = web
        self._latency = options.latency
        self._faults = Faults(options.errors, options.seed)
        self._robots = _robots_text(options.robots)
        self._log = _opened_log(options.log)
        self._tls = self_signed()
        self.connections: set[ReplayConnection] = set()
        self.numbers = count(1)  # of connections
        self._server: asyncio.Server | None = None

    async def start(self, port: int) -> int:
        """Listen on 127.0.0.1; returns the port. Raises ConfigError when it is taken."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: ReplayConnection(self), ADDRESS, port, backlog=1024)
        except OSError as error:
            raise ConfigError("--port", port, f"a port that is free ({error.strerror})", "0 takes any") from None
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Close everything."""
        if self._server is not None:
            self._server.close()
        for connection in list(self.connections):
            connection.close()
        await asyncio.sleep(0.02)  # requests that were cut off are logged
        if self._log is not None:
            self._log.close()
            self._log = None

    def answer(self, request: LoggedRequest, url: str) -> tuple[RecordedResponse, float, str]:
        """The response to a request, after how many seconds it is sent, and a fault (``reset``) or empty."""
        delay_seconds = self._latency.response_seconds(request.host, Answer(url))
        fault = self._faults.draw(url)
        if fault == "reset":
            return not_there(url), delay_seconds, fault
        if fault:
            return RecordedResponse(url, 503, "Service Unavailable", _TEXT, b"503 on purpose\n"), delay_seconds, fault
        response = self._respond(request, url)
        return response, delay_seconds + response.delay_seconds, ""

    def _respond(self, request: LoggedRequest, url: str) -> RecordedResponse:
        if request.method not in ("GET", "HEAD"):
            return RecordedResponse(url, 405, "Method Not Allowed", (*_TEXT, ("Allow", "GET, HEAD")), b"405\n")
        if self._robots is not None and request.path == "/robots.txt":
            return RecordedResponse(url, 200, "OK", _TEXT, self._robots)
        try:
            return self._web.find(url) or not_there(url)
        except RecordingError as error:
            return RecordedResponse(url, 502, "Bad Gateway", _TEXT, f"{error}\n".encode())

    def tunnel_context(self, host: str) -> ssl.SSLContext | None:
        """TLS for ``host``; None when no such host is in the web."""
        return self._tls if self._web.knows(host) else None

    def log(self, request: LoggedRequest) -> None:
        """A request is over."""
        request.end = time.monotonic()
        if self._log is not None:
            self._log.write(json.dumps(asdict(request), ensure_ascii=False) + "\n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``replay``."""
    parser.add_argument(
        "web",
        metavar="FILE|made:SPEC",
        help="a WARC (.warc, .warc.gz), or made:SPEC for a made web (made:pages=50000,seed=7,hosts=200)",
    )
    parser.add_argument("--port", default="0", help="the port on 127.0.0.1; 0 takes any (default)")
    parser.add_argument(
        "--latency",
        default="0",
        help="before each answer, SECONDS, or lognormal:MEDIAN[:SIGMA], by which hosts differ (default 0)",
    )
    parser.add_argument(
        "--errors", default="0", help="the share of requests that fail, by 503 or a reset connection (default 0)"
    )
    parser.add_argument(
        "--robots", metavar="FILE", help="served as robots.txt of every host (default as recorded, else 404)"
    )
    parser.add_argument(
        "--log", metavar="FILE", help="one JSON line a request (start, end, connection, host, path, status)"
    )
    parser.add_argument("--seed", default="0", help="of latencies and errors (default 0)")


def serve(options: ReplayOptions) -> None:
    """Open the web, say where it is served, and serve it until Ctrl-C or SIGTERM."""
    began = time.monotonic()
    with suppress(KeyboardInterrupt):
        web = open_web(options.web)
        server = ReplayServer(web, options)
        asyncio.run(_serve(server, options.port, f"({len(web)} pages of {sum(1 for _ in web.hosts())} hosts)", began))


async def _serve(server: ReplayServer, port: int, words: str, began: float) -> None:
    taken = await server.start(port)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, over.set)
    ready = f"Ready after {time.monotonic() - began:.1f} s."
    own = f"http://{ADDRESS}:{taken}"
    usage = f"Use it with http_proxy={own} https_proxy={own} scrapy crawl topic …; Ctrl-C ends it."
    print(f"replay: {own} {words}\n{usage} {ready}", flush=True)
    await over.wait()
    await server.stop()


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m topicspider.rehearsal``: the same as ``scrapy replay``, without Scrapy's start-up."""
    parser = argparse.ArgumentParser(prog="replay", description="Serve a recorded or made web on this machine.")
    add_arguments(parser)
    try:
        serve(ReplayOptions.read(parser.parse_args(arguments)))
    except TopicSpiderError as error:
        print(f"replay: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _robots_text(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()[: 1 << 20]
    except OSError as error:
        raise ConfigError("--robots", str(path), f"a file that can be read ({error.strerror})") from None


def _opened_log(path: Path | None) -> TextIO | None:
    """Each line is there as soon as its request is over."""
    try:
        return None if path is None else path.open("w", encoding="utf-8", buffering=1)
    except OSError as error:
        raise ConfigError("--log", str(path), f"a file that can be written ({error.strerror})") from None


def _number(name: str, text: str, highest: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= highest):
        raise ConfigError(name, text, f"a whole number from 0 to {highest}")
    return int(text)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ConfigError("--errors", text, "a share of all requests, from 0 to 1")
    return share


_READY = "replay: http://"
_END_SECONDS = 10.0


@contextmanager
def replay_process(web: str, *options: str) -> Iterator[str]:
    """Serve ``web`` with the options of ``replay``; yields the proxy's URL. Raises UnavailableError if it does not start."""
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "topicspider.rehearsal", web, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env=package_environment(),
        start_new_session=True,  # Ctrl-C is for the crawl; the server ends with the block
    )
    try:
        yield _proxy_url(process, options)
    finally:
        _end(process)


def package_environment() -> dict[str, str]:
    """The environment in which a child process finds this package, from whatever folder it is started."""
    folder = str(Path(topicspider.__file__).parent.parent)
    paths = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _proxy_url(process: subprocess.Popen[str], options: Sequence[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith(_READY):
        _rest, errors = process.communicate(timeout=_END_SECONDS)
        raise UnavailableError(
            "the replay server did not start", (line + errors).strip() or "it said nothing", " ".join(options)
        )
    return line.split()[1]


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
