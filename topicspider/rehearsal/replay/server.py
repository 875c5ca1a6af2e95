"""The replay server: an HTTP proxy on 127.0.0.1 that answers from a recorded or synthetic web, also in a process of its own.

It takes requests with absolute URLs, and CONNECT; it answers inside the tunnels itself, for https with a self-signed certificate.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import IO, Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from OpenSSL.crypto import X509, PKey
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory
from twisted.internet.ssl import CertificateOptions
from twisted.web.http import HTTPChannel, Request

from topicspider.errors import ConfigError, RecordingError, UnavailableError
from topicspider.i18n import as_typed
from topicspider.i18n import gettext as _
from topicspider.rehearsal.archive.feature_file import Answer
from topicspider.rehearsal.archive.warc import RecordedWeb, open_web
from topicspider.rehearsal.replay.conditions import Faults, HostLatency
from topicspider.rehearsal.replay.request_log import LoggedRequest
from topicspider.rehearsal.response import Headers, RecordedResponse
from topicspider.setting_names import package_environment

_ADDRESS = "127.0.0.1"
_TEXT: Headers = (("Content-Type", "text/plain; charset=utf-8"),)


_PORTS = {"http": ":80", "https": ":443"}


def self_signed() -> CertificateOptions:
    """TLS for any host, with a certificate made here; its key is in memory only."""
    key = ec.generate_private_key(ec.SECP256R1())
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "replay")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    signed = builder.not_valid_before(now - day).not_valid_after(now + 365 * day).sign(key, hashes.SHA256())
    return CertificateOptions(PKey.from_cryptography_key(key), X509.from_cryptography(signed))


class ReplayRequest(Request):
    """A request, which the server answers after the latency of its host, and logs when it is over."""

    channel: Any
    _logged: LoggedRequest | None = None
    _sending: Any = None

    def process(self) -> None:
        """Answer, or open a tunnel; Twisted calls this when the request has been read."""
        scheme, authority, path = self._address()
        host = authority.rpartition("@")[2].lower().removesuffix(_PORTS.get(scheme, ""))
        method = self.method.decode("latin-1")
        self._logged = LoggedRequest(self.channel.number, method, scheme, host, path)
        if method == "CONNECT":
            self._connect(scheme, host)
            return
        response, delay_seconds, self._logged.fault = self._server.answer(self._logged, f"{scheme}://{host}{path}")
        self._sending = self.channel.callLater(delay_seconds, partial(self._send, self._logged, response))

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 - Twisted's name
        if self._sending is not None and self._sending.active():
            self._sending.cancel()
        if self._logged is not None:
            self._logged.fault = self._logged.fault or "gone"
            self._server.log_request(self._logged)
        super().connectionLost(reason)

    @property
    def _server(self) -> ReplayServer:
        return self.channel.factory  # type: ignore[no-any-return]

    def _address(self) -> tuple[str, str, str]:
        """Scheme, authority and path of the request's target."""
        target = self.uri.decode("latin-1")
        if self.method == b"CONNECT":  # TLS on every port but 80
            return "http" if target.endswith(":80") else "https", target, ""
        if target.startswith("/"):
            return *(self.channel.origin or ("http", (self.getHeader("host") or ""))), target
        scheme, _, rest = target.partition("://")
        cut = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
        path = rest[cut:].partition("#")[0]
        return scheme.lower(), rest[:cut], path if path.startswith("/") else f"/{path}"

    def _send(self, logged: LoggedRequest, response: RecordedResponse) -> None:
        if logged.fault == "reset":
            self.channel.transport.abortConnection()
            return
        logged.status = response.status
        self.setResponseCode(response.status, response.reason.encode("latin-1", "replace"))
        for name, value in response.headers:
            self.responseHeaders.addRawHeader(name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        if not response.chunked:
            self.responseHeaders.setRawHeaders(b"content-length", [b"%d" % len(response.body)])
        self.write(response.body)
        logged.bytes = 0 if logged.method == "HEAD" else len(response.body)
        self._logged = None
        self._server.log_request(logged)
        self.finish()

    def _connect(self, scheme: str, host: str) -> None:
        """Open a tunnel to ``host``; answers 404 when the web does not have that host."""
        assert self._logged is not None
        channel, context = self.channel, self._server.tunnel_context(host)
        if context is None:
            self._send(self._logged, not_there(f"{scheme}://{host}/"))
            return
        self._logged = None  # requests inside are logged
        channel.origin, channel.persistent = (scheme, host), True
        self.responseHeaders.setRawHeaders(b"content-length", [b"0"])
        self.setResponseCode(200, b"Connection established")
        self.finish()
        if scheme == "https":
            channel.transport.startTLS(context)


class ReplayChannel(HTTPChannel):
    """One client connection; ``origin``: the scheme and host to which a tunnel on it leads."""

    requestFactory = ReplayRequest  # noqa: N815 - Twisted's name
    _numbers = count(1)

    def __init__(self) -> None:
        super().__init__()
        self.number = next(self._numbers)
        self.origin: tuple[str, str] | None = None


def not_there(url: str) -> RecordedResponse:
    """The answer for a URL that is not in the web."""
    body = f"404 not in this recording: {url}\n".encode()
    return RecordedResponse(url, 404, "Not Found", (("Content-Type", "text/plain; charset=utf-8"),), body)


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
        # buffering=1: each line is in the file as soon as its request is over
        self._log = _opened("--log", arguments.log, "w", encoding="utf-8", buffering=1) if arguments.log else None
        self._tls = self_signed()

    def answer(self, request: LoggedRequest, url: str) -> tuple[RecordedResponse, float, str]:
        """The response to a request, the seconds after which it is sent, and its fault: ``503``, ``reset``, or ""."""
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
        """Note the end of a request, and write its line."""
        request.end = time.monotonic()
        if self._log is not None:
            self._log.write(json.dumps(asdict(request), ensure_ascii=False) + "\n")

    def log(self, request: object) -> None:
        """Twisted calls this to log a request; we have our own log."""


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
    reactor: Any = import_module("twisted.internet.reactor")  # imported here: a crawl installs another
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


def _opened(name: str, path: str, mode: str, **options: Any) -> IO[Any]:
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
