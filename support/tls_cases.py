"""Servers with faulty TLS, as cases (name, function for the tunnel), each for a host. Certificates are made when they are needed."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from OpenSSL import SSL

from support.site import TRAVEL, Tunnel, page

NAME, DAY = "tls.example", timedelta(days=1)
STALL = 12.0  # seconds, longer than any limit of the crawls
PAGE = page("旅游日记", TRAVEL).payload
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
WHOLE = ANSWER + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(PAGE) + PAGE
_NAMES = ["\x1b]0;x\x07", "a\r\nSet-Cookie: b", "=1+1|' /C calc'!A0", "\u202egnp.exe", "<script>alert(1)</script>", "*", "*.*", "旅游.example", "/" * 64]  # fmt: skip
_RECORDS = {
    "nothing": b"",
    "HTTP": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "a page": WHOLE,
    "SSH": b"SSH-2.0-x\r\n",
    "zeros": bytes(50_000),
    "noise": bytes(range(256)) * 200,
    "a record of 65,535": b"\x16\x03\x03\xff\xff" + bytes(70_000),
    "empty records": b"\x16\x03\x03\0\0" * 20_000,
    "a ServerHello cut off": b"\x16\x03\x03\0\x7a\x02\0\0\x76\x03\x03" + bytes(40),
    "a ServerHello of 16 MB": b"\x16\x03\x03\x40\0\x02\xff\xff\xff" + bytes(16_380) + (b"\x16\x03\x03\x40\0" + bytes(16_384)) * 1000,
    "warnings": b"\x15\x03\x03\0\2\1\x64" * 20_000,
    "HelloRequests": b"\x16\x03\x03\0\4\0\0\0\0" * 20_000,
    "version 9.9": b"\x16\x09\x09\0\x05\x02\0\0\x01\0",
    "heartbeat": b"\x18\x03\x03\0\x03\x01\xff\xff" * 500,
}  # fmt: skip
_ALERTS = (0, 10, 20, 22, 40, 42, 47, 48, 70, 71, 80, 86, 90, 112, 115, 116, 120, 255)


def tls() -> Iterator[tuple[str, Tunnel]]:
    """Bad certificates, versions, handshakes, records, and ends of connections."""
    now = datetime.now(UTC)
    spans = {"expired": (now - 9 * DAY, now - DAY), "not yet valid": (now + DAY, now + 9 * DAY), "of 1950": (datetime(1950, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC))}  # fmt: skip
    cases: list[Tunnel] = [_served(), _served(names=("other.example",)), _served(names=())]
    cases += [_served(span=span) for span in spans.values()]
    cases += [_served(title=name) for name in _NAMES]
    cases += [_served(names=tuple(f"{n}.{'a' * 50}.example" for n in range(size))) for size in (10, 300, 1_000)]
    cases += [
        _served(bits=1024),
        _served(bits=2048),
        _served(chain=8),
        _served(chain=30),
        _served(digest=hashes.SHA224),
    ]
    cases += [_served(newest=version) for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2)]  # fmt: skip
    cases += [_served(ciphers=ciphers, newest=ssl.TLSVersion.TLSv1_2) for ciphers in ("PSK", "aNULL:@SECLEVEL=0", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0", "AES256-SHA:@SECLEVEL=0")]  # fmt: skip
    cases += [_served(asks_back=True), _served(tickets=255), _served(alpn=("h2",))]
    cases += [_raw(record, end) for record in _RECORDS.values() for end in ("close", "reset", "stall")]
    cases += [_raw(b"\x15\x03\x03\0\2\2" + bytes([code]), "close") for code in _ALERTS]
    cases += [_raw(b"\x16", "drip"), _raw(b"", "drip")]
    answers = [WHOLE[: len(WHOLE) // 2], ANSWER, ANSWER + b"\r\n" + PAGE, b"", ANSWER + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"]  # fmt: skip
    cases += [_served(answer=answer, end=end) for answer in answers for end in ("close", "reset", "notify", "stall")]
    cases += [_renegotiated(times) for times in (1, 50)]
    yield from ((f"tls{number}", case) for number, case in enumerate(cases))


def _end(plain: socket.socket, how: str) -> None:
    """End a connection: ``close`` or ``reset`` it, ``stall`` for STALL seconds, or ``drip`` a byte each half second so long."""
    if how == "reset":
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    until = time.monotonic() + STALL
    while how in ("stall", "drip") and time.monotonic() < until:
        if how == "drip":
            plain.sendall(b"\x03")
        plain.settimeout(0.5)
        with suppress(TimeoutError):
            if not plain.recv(65_536):
                return


def _raw(record: bytes, end: str) -> Tunnel:
    """A server without TLS, which sends ``record`` after the client's first bytes."""

    def serve(plain: socket.socket, _host: str) -> None:
        plain.recv(65_536)
        plain.sendall(record)
        _end(plain, end)

    return serve


def _served(
    *, answer: bytes = WHOLE, end: str = "notify", newest: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED, ciphers: str = "",
    asks_back: bool = False, tickets: int = 2, alpn: tuple[str, ...] = (), **certified: object,
) -> Tunnel:  # fmt: skip
    """A server with TLS that sends one answer. ``asks_back``: it demands a certificate of the client."""

    def serve(plain: socket.socket, _host: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.maximum_version = newest
        context.set_ciphers(ciphers or "ALL:@SECLEVEL=0")
        context.num_tickets = tickets
        if alpn:
            context.set_alpn_protocols(list(alpn))
        with TemporaryDirectory() as folder:
            at = Path(folder, "both.pem")
            at.write_bytes(_certificate(**certified))  # type: ignore[arg-type]
            context.load_cert_chain(at)
            if asks_back:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(at)
        with context.wrap_socket(plain, server_side=True, suppress_ragged_eofs=True) as safe:
            safe.recv(65_536)
            safe.sendall(answer)
            if end == "notify":
                safe.unwrap()
            else:
                _end(safe, end)

    return serve


def _renegotiated(times: int) -> Tunnel:
    """A server with TLS 1.2 that renegotiates so many times before it answers."""

    def serve(plain: socket.socket, _host: str) -> None:
        context = SSL.Context(SSL.TLS_SERVER_METHOD)
        context.set_max_proto_version(SSL.TLS1_2_VERSION)
        key, _, chain = _certificate().partition(b"-----BEGIN CERTIFICATE")
        context.use_privatekey(serialization.load_pem_private_key(key, None))  # type: ignore[arg-type]
        context.use_certificate(x509.load_pem_x509_certificate(b"-----BEGIN CERTIFICATE" + chain))
        plain.settimeout(None)
        safe = SSL.Connection(context, plain)
        safe.set_accept_state()
        safe.recv(65_536)
        for _ in range(times):
            safe.renegotiate()
            safe.do_handshake()
        safe.sendall(WHOLE)
        safe.shutdown()

    return serve


@cache
def _certificate(
    *, title: str = NAME, names: tuple[str, ...] = (NAME,), span: tuple[datetime, datetime] | None = None, bits: int = 0, chain: int = 1,
    digest: Callable[[], hashes.HashAlgorithm] = hashes.SHA256,
) -> bytes:  # fmt: skip
    """A key and ``chain`` self-signed certificates, as PEM. ``bits``: the size of an RSA key; 0: an elliptic curve."""
    begins, ends = span or (datetime.now(UTC) - DAY, datetime.now(UTC) + DAY)
    key = rsa.generate_private_key(65_537, bits) if bits else ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    for _ in range(chain):
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, title, _validate=False)])
        made = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number(), begins, ends)
        if names:
            made = made.add_extension(
                x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False
            )
        pem += made.sign(key, digest()).public_bytes(serialization.Encoding.PEM)
    return pem
