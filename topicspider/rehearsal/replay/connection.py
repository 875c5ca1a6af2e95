"""Speaks HTTP/1.1 as a proxy on one connection: absolute requests, and tunnels that end here with a self-signed certificate."""

from __future__ import annotations

import asyncio
import datetime
import socket
import ssl
import struct
import tempfile
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from topicspider.rehearsal.replay.request_log import LoggedRequest
from topicspider.rehearsal.response import RecordedResponse

if TYPE_CHECKING:
    from topicspider.rehearsal.replay.server import ReplayServer


def self_signed() -> ssl.SSLContext:
    """TLS for any host, with a certificate made here whose key is gone with the process."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "replay")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    valid = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
        now + datetime.timedelta(days=365)
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + valid.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    with tempfile.NamedTemporaryFile(
        prefix="topicspider-"
    ) as file:  # the ssl module reads certificates from files only
        file.write(pem)
        file.flush()
        context.load_cert_chain(file.name)
    return context


_RESET = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 seconds: closing sends RST
_PORTS = {"http": ":80", "https": ":443"}


class ReplayConnection(asyncio.Protocol):
    """One client connection, or the inside of a tunnel on it (``origin`` says to where)."""

    def __init__(self, server: ReplayServer, number: int = 0, origin: tuple[str, str] | None = None) -> None:
        self._server = server
        self._number = number or next(server.numbers)
        self._origin = origin
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._request: LoggedRequest | None = None
        self._keeps = True
        self._body_left = 0
        self._sending: asyncio.Handle | asyncio.Task[None] | None = None

    # from the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections.add(self)
        self._resume()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._server.connections.discard(self)
        if self._sending is not None:
            self._sending.cancel()
        if self._request is not None:
            self._request.fault = self._request.fault or "gone"
            self._finish(self._request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._resume()  # in a tunnel, the first request may come before connection_made

    def close(self) -> None:
        """Close at once, whatever is being sent."""
        if self._transport is not None:
            self._transport.abort()

    # requests

    def _next_request(self) -> None:
        """Begin the next request that is complete in the buffer; bodies of requests are read and dropped."""
        if self._body_left:
            dropped = min(self._body_left, len(self._buffer))
            del self._buffer[:dropped]
            self._body_left -= dropped
        end = self._buffer.find(b"\r\n\r\n") if not self._body_left else -1
        if end >= 0:
            head = bytes(self._buffer[:end]).decode("latin-1")
            del self._buffer[: end + 4]
            self._begin(head.lstrip("\r\n"))
        elif len(self._buffer) > 65536:
            self._refuse(431, "Request Header Fields Too Large")

    def _begin(self, head: str) -> None:
        line, _, rest = head.partition("\r\n")
        parts = line.split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            self._refuse(400, "Bad Request")
            return
        method, target, version = parts
        named = _fields(rest)
        wishes = f"{named.get('connection', '')},{named.get('proxy-connection', '')}".lower()
        self._keeps = "close" not in wishes and (version != "HTTP/1.0" or "keep-alive" in wishes)
        length = named.get("content-length", "0")
        if "transfer-encoding" in named or not (length.isascii() and length.isdigit()):
            self._refuse(411, "Length Required")
            return
        self._body_left = int(length)
        if method == "CONNECT":
            self._connect(target)
            return
        scheme, host, path = self._split(target, named.get("host", ""))
        self._request = LoggedRequest(self._number, method, scheme, host, path)
        self._answer(self._request, f"{scheme}://{host}{path}")

    def _split(self, target: str, host: str) -> tuple[str, str, str]:
        """Scheme, host (lower case, without the usual port) and path of a request's target."""
        scheme, authority = self._origin or ("http", host)
        if target.startswith("/"):
            path = target
        else:
            scheme, _, rest = target.partition("://")
            scheme = scheme.lower()
            cut = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
            authority, path = rest[:cut], rest[cut:].partition("#")[0]
            path = path if path.startswith("/") else "/" + path
        authority = authority.rpartition("@")[2].lower().removesuffix(_PORTS.get(scheme, ""))
        return scheme, authority, path

    def _answer(self, request: LoggedRequest, url: str) -> None:
        response, delay_seconds, fault = self._server.answer(request, url)
        request.fault = fault
        if delay_seconds > 0:
            loop = asyncio.get_running_loop()
            self._sending = loop.call_later(delay_seconds, self._send, request, response)
        else:
            self._send(request, response)

    # answers

    def _send(self, request: LoggedRequest, response: RecordedResponse) -> None:
        self._sending = None
        if self._transport is None:
            return
        if request.fault == "reset":
            self._reset()
            return
        request.status = response.status
        body = b"" if request.method == "HEAD" or response.status in (204, 304) else response.body
        request.bytes = len(body)
        if response.chunked and body:
            body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        self._transport.write(self._head(request, response) + body)
        self._finish(request)

    def _head(self, request: LoggedRequest, response: RecordedResponse) -> bytes:
        lines = [f"HTTP/1.1 {response.status} {response.reason}"]
        lines += [f"{name}: {value}" for name, value in response.headers]
        if response.chunked and request.method != "HEAD":
            lines.append("Transfer-Encoding: chunked")
        elif response.status not in (204, 304):
            lines.append(f"Content-Length: {len(response.body)}")
        lines.append("Connection: keep-alive" if self._keeps else "Connection: close")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")

    def _finish(self, request: LoggedRequest) -> None:
        self._request, self._sending = None, None
        self._server.log(request)
        if self._transport is None:
            return
        if not self._keeps:
            self._transport.close()
        elif self._buffer:
            asyncio.get_running_loop().call_soon(self._resume)

    def _resume(self) -> None:
        if self._request is None and self._transport is not None:
            self._next_request()

    def _refuse(self, status: int, reason: str) -> None:
        """Answer something that is no request, and close."""
        if self._transport is not None:
            self._transport.write(
                f"HTTP/1.1 {status} {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
            )
            self._transport.close()

    def _reset(self) -> None:
        assert self._transport is not None
        connection = self._transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._transport.abort()

    # tunnels

    def _connect(self, target: str) -> None:
        """Open a tunnel into the web: TLS for every port but 80; a host that is not there is 404 at once."""
        assert self._transport is not None
        authority = target.lower()
        scheme = "http" if authority.endswith(":80") else "https"
        host = authority.removesuffix(_PORTS[scheme])
        context = self._server.tunnel_context(host)
        if context is None:
            self._request = LoggedRequest(self._number, "CONNECT", scheme, host, "")
            self._send(self._request, not_there(f"{scheme}://{host}/"))
            return
        self._transport.pause_reading()  # what comes next belongs to the tunnel
        self._transport.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        if scheme == "http":
            self._origin = (scheme, host)
            self._transport.resume_reading()
            self._resume()
        elif self._buffer:
            self._transport.close()  # nobody may begin TLS before the tunnel is there
        else:
            self._sending = asyncio.create_task(
                self._start_tls(context, ReplayConnection(self._server, self._number, (scheme, host)))
            )

    async def _start_tls(self, context: ssl.SSLContext, inside: ReplayConnection) -> None:
        outer = self._transport
        assert outer is not None
        loop = asyncio.get_running_loop()
        self._server.connections.discard(self)  # from here on the inside speaks for this connection
        try:
            transport = await loop.start_tls(outer, inside, context, server_side=True, ssl_handshake_timeout=30)
        except OSError:
            outer.abort()  # the client does not take our certificate, or went away
            return
        if transport is not None:
            inside.connection_made(transport)


def not_there(url: str) -> RecordedResponse:
    """The answer for whatever is not in the web."""
    body = f"404 not in this recording: {url}\n".encode()
    return RecordedResponse(url, 404, "Not Found", (("Content-Type", "text/plain; charset=utf-8"),), body)


def _fields(text: str) -> dict[str, str]:
    fields = {}
    for line in text.split("\r\n"):
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    return fields
