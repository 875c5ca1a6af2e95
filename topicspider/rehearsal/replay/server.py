"""The replay server: a loopback HTTP proxy that answers from a web at rest, also in a process of its own."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory
from twisted.internet.ssl import CertificateOptions

from topicspider.errors import ConfigError, RecordingError, TopicSpiderError, UnavailableError
from topicspider.i18n import as_typed
from topicspider.i18n import gettext as _
from topicspider.rehearsal.archive.feature_file import Answer
from topicspider.rehearsal.archive.warc import RecordedWeb, open_web
from topicspider.rehearsal.replay.conditions import Faults, HostLatency
from topicspider.rehearsal.replay.connection import ReplayChannel, not_there, self_signed
from topicspider.rehearsal.replay.request_log import LoggedRequest
from topicspider.rehearsal.response import Headers, RecordedResponse
from topicspider.setting_names import package_environment

_ADDRESS = "127.0.0.1"
_TEXT: Headers = (("Content-Type", "text/plain; charset=utf-8"),)


class ReplayServer(Factory):
    """Answers the requests of all connections from one web."""

    protocol = ReplayChannel

    def __init__(self, web: RecordedWeb, arguments: argparse.Namespace) -> None:
        """``arguments``: see add_arguments(); raises ConfigError."""
        seed = _number("--seed", arguments.seed, 2**63)
        self._web = web
        self._latency = HostLatency.read(arguments.latency, seed)
        self._faults = Faults.read(arguments.errors, seed)
        self._robots = _opened("--robots", arguments.robots, "rb").read() if arguments.robots else None
        # each line is there as soon as its request is over
        self._log = _opened("--log", arguments.log, "w", encoding="utf-8", buffering=1) if arguments.log else None
        self._tls = self_signed()

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

    def tunnel_context(self, host: str) -> CertificateOptions | None:
        """TLS for ``host``; None when no such host is in the web."""
        return self._tls if self._web.knows(host) else None

    def log_request(self, request: LoggedRequest) -> None:
        """A request is over."""
        request.end = time.monotonic()
        if self._log is not None:
            self._log.write(json.dumps(asdict(request), ensure_ascii=False) + "\n")

    def log(self, request: object) -> None:
        """Twisted's own log of requests: none."""


_OPTIONS = {
    "--port": ("0", "N", "the port on 127.0.0.1; 0 takes any (default)"),
    "--latency": (
        "0",
        "S",
        "before each answer, SECONDS, or lognormal:MEDIAN[:SIGMA], by which hosts differ (default 0)",
    ),
    "--errors": ("0", "SHARE", "the share of requests that fail, by 503 or a reset connection (default 0)"),
    "--robots": (None, "FILE", "served as robots.txt of every host (default as recorded, else 404)"),
    "--log": (None, "FILE", "one JSON line a request (start, end, connection, host, path, status)"),
    "--seed": ("0", "N", "of latencies and errors (default 0)"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    web = "a WARC (.warc, .warc.gz), or made:SPEC for a simulated web (made:pages=50000,seed=7,hosts=200)"
    parser.add_argument("web", metavar="FILE|made:SPEC", help=web)
    for name, (default, kind, words) in _OPTIONS.items():
        parser.add_argument(name, default=default, metavar=kind, help=words)


def serve(arguments: argparse.Namespace) -> None:
    """Open the web, say where it is served, and serve it until Ctrl-C or SIGTERM; raises ConfigError, RecordingError."""
    reactor: Any = import_module("twisted.internet.reactor")  # a crawl installs another one
    began, port = time.monotonic(), _number("--port", arguments.port, 65535)
    with suppress(KeyboardInterrupt):
        web = open_web(arguments.web)
        server = ReplayServer(web, arguments)
        try:
            taken = reactor.listenTCP(port, server, backlog=1024, interface=_ADDRESS).getHost().port
        except CannotListenError as error:
            reason = error.socketError.strerror
            allowed = _("a port that is free ({reason})", reason=reason)
            raise ConfigError("--port", port, allowed, "0 takes any") from None
        own, words = f"http://{_ADDRESS}:{taken}", f"({len(web)} pages of {sum(1 for _ in web.hosts())} hosts)"
        ready = _("Ready after {seconds:.1f} s; Ctrl-C ends it. To crawl it:", seconds=time.monotonic() - began)
        typed = f"http_proxy={own} https_proxy={own} scrapy crawl topic -a topic=tourism -a seeds=http://{next(web.hosts(), '')}/"
        reactor.callWhenRunning(print, f"replay: {own} {words}\n{ready}\n  {as_typed(typed)}", flush=True)
        reactor.run()


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m topicspider.rehearsal``: the same as ``scrapy replay``, without Scrapy's start-up."""
    parser = argparse.ArgumentParser(prog="replay", description="Serve a recorded or simulated web on this machine.")
    add_arguments(parser)
    try:
        serve(parser.parse_args(arguments))
    except TopicSpiderError as error:
        print(f"replay: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _opened(name: str, path: str, mode: str, **options: Any) -> IO[Any]:
    """The file of an option."""
    try:
        return Path(path).open(mode, **options)
    except OSError as error:
        purpose = "read" if mode == "rb" else "written"
        allowed = _("a file that can be {purpose} ({why})", purpose=purpose, why=error.strerror)
        raise ConfigError(name, path, allowed) from None


def _number(name: str, text: str, highest: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= highest):
        raise ConfigError(name, text, _("a whole number from 0 to {highest}", highest=highest))
    return int(text)


_READY = "replay: http://"


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
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith(_READY):
            _rest, errors = process.communicate(timeout=10)
            told = (line + errors).strip() or "it said nothing"
            raise UnavailableError("the replay server did not start", told, " ".join(options))
        yield line.split()[1]
    finally:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
