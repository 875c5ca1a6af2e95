"""One request to the proxy, over Twisted's HTTP server: absolute URLs, and tunnels that end here with a self-signed certificate."""

# mypy: allow-untyped-calls
from __future__ import annotations

import datetime
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from OpenSSL.crypto import X509, PKey
from twisted.internet.ssl import CertificateOptions
from twisted.web.http import HTTPChannel, Request

from topicspider.rehearsal.replay.request_log import LoggedRequest
from topicspider.rehearsal.response import RecordedResponse

if TYPE_CHECKING:
    from topicspider.rehearsal.replay.server import ReplayServer

_PORTS = {"http": ":80", "https": ":443"}


def self_signed() -> CertificateOptions:
    """TLS for any host, with a certificate made here whose key is gone with the process."""
    key = ec.generate_private_key(ec.SECP256R1())
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "replay")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    signed = builder.not_valid_before(now - day).not_valid_after(now + 365 * day).sign(key, hashes.SHA256())
    return CertificateOptions(PKey.from_cryptography_key(key), X509.from_cryptography(signed))


class ReplayRequest(Request):
    """Is answered by the server after the latency of its host, and logged when it is over."""

    channel: Any
    _logged: LoggedRequest | None = None
    _sending: Any = None

    def process(self) -> None:
        """Answer, or open a tunnel; the request has been read to its end."""
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
        """The client has gone, or the connection was reset."""
        if self._sending is not None and self._sending.active():
            self._sending.cancel()
        if self._logged is not None:
            self._logged.fault = self._logged.fault or "gone"
            self._server.log_request(self._logged)
        super().connectionLost(reason)

    @property
    def _server(self) -> ReplayServer:
        server: ReplayServer = self.channel.factory
        return server

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
        """Open a tunnel into the web; a host that is not there is 404 at once."""
        assert self._logged is not None
        channel, context = self.channel, self._server.tunnel_context(host)
        if context is None:
            self._send(self._logged, not_there(f"{scheme}://{host}/"))
            return
        self._logged = None  # what is asked inside is logged
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
    """The answer for whatever is not in the web."""
    body = f"404 not in this recording: {url}\n".encode()
    return RecordedResponse(url, 404, "Not Found", (("Content-Type", "text/plain; charset=utf-8"),), body)
