"""Where the figures are asked for, and who may: the settings, checked."""

from __future__ import annotations

import errno
import hmac
import ipaddress
import re
import socket
from dataclasses import dataclass, field
from typing import Self

from topicspider.defaults import Options, setting_name
from topicspider.errors import ConfigError

SHORTEST_TOKEN = 16
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+", re.ASCII)  # what a Bearer token may be (RFC 6750)
_PORTS = "0 to 65535"
_ANY = ("0.0.0.0", "::")  # noqa: S104 - only compared with


@dataclass(frozen=True, slots=True)
class Place:
    """An address to listen on; ``token`` "" lets everybody ask who can reach it."""

    host: str
    port: int
    token: str = field(default="", repr=False)

    @classmethod
    def read(cls, options: Options) -> Self | None:
        """The place that the settings name, None when they name none; raises ConfigError."""
        if not options.metrics:
            return None
        host, port = _address(options.metrics)
        token = options.metrics_token
        if token and (len(token) < SHORTEST_TOKEN or not _TOKEN.fullmatch(token)):
            raise _wrong_token("***", "The one that is set is shorter, or has others")
        if not token and not is_loopback(host):
            why = f"{setting_name('metrics')} names {host}, which others can reach"
            raise _wrong_token("", f"{why}: leave it at PORT alone, or set a token")
        return cls(host, port, token)

    def check(self) -> None:
        """Raise ConfigError when nobody can listen there now."""
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
        except (OSError, UnicodeError):
            raise ConfigError(setting_name("metrics"), self.host, "an address of this machine") from None
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except OSError as error:
                raise self._cannot_listen(error) from None

    def admits(self, authorization: str) -> bool:
        """Whether whoever sent that header may see the figures; takes as long for a nearly right token as for any other."""
        if not self.token:
            return True
        scheme, _, given = authorization.partition(" ")
        sent = given.strip().encode("utf-8", "replace")
        return scheme.lower() == "bearer" and hmac.compare_digest(sent, self.token.encode())

    def told_as(self, port: int) -> str:
        """``host:port`` as others would ask for it."""
        host = socket.gethostname() if self.host in _ANY else self.host
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def _cannot_listen(self, error: OSError) -> ConfigError:
        if error.errno == errno.EADDRNOTAVAIL:
            return ConfigError(setting_name("metrics"), self.host, "an address of this machine")
        return ConfigError(
            setting_name("metrics"),
            self.port,
            f"a port that is free, {_PORTS}",
            f"{error.strerror}; 0 finds a free one",
        )


def _address(text: str) -> tuple[str, int]:
    """Host and port of ``PORT``, ``HOST:PORT`` or ``[IPv6]:PORT``; raises ConfigError."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise ConfigError(setting_name("metrics"), text, f"PORT or HOST:PORT, the port {_PORTS}")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``; a name other than localhost may lead anywhere."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong_token(shown: str, hint: str) -> ConfigError:
    return ConfigError(
        setting_name("metrics_token"), shown, f"{SHORTEST_TOKEN} or more letters, digits and -._~+/=", hint
    )
