"""Serves http://HOST:PORT/metrics from the event loop of the crawl, and tells Prometheus the address."""

from __future__ import annotations

import fcntl
import hmac
import ipaddress
import json
import os
import re
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.setting_rules import setting_name

if TYPE_CHECKING:
    from aiohttp import web

    from topicspider.metrics.exposition import Exposition


SHORTEST_TOKEN = 16
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+", re.ASCII)  # what a Bearer token may be (RFC 6750)
_ANY = ("0.0.0.0", "::")  # noqa: S104 - only compared with


@dataclass(frozen=True, slots=True)
class Place:
    """An address to listen on; with ``token`` "" everybody who can reach it may read the figures."""

    host: str
    port: int
    token: str = field(default="", repr=False)

    @classmethod
    def read(cls, options: Options) -> Self | None:
        """The place that the settings name, None if they name none; raises ConfigError."""
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

    def admits(self, authorization: str) -> bool:
        """Whether a request with this Authorization header may read the figures; takes constant time, so that timing tells nothing."""
        if not self.token:
            return True
        scheme, _, given = authorization.partition(" ")
        sent = given.strip().encode("utf-8", "replace")
        return scheme.lower() == "bearer" and hmac.compare_digest(sent, self.token.encode())

    def told_as(self, port: int) -> str:
        """``host:port`` as other machines reach it."""
        host = socket.gethostname() if self.host in _ANY else self.host
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _address(text: str) -> tuple[str, int]:
    """Host and port of ``PORT``, ``HOST:PORT`` or ``[IPv6]:PORT``; raises ConfigError."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise ConfigError(setting_name("metrics"), text, "PORT or HOST:PORT, the port 0 to 65535")
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
    allowed = _("{shortest_token} or more letters, digits and -._~+/=", shortest_token=SHORTEST_TOKEN)
    return ConfigError(setting_name("metrics_token"), shown, allowed, hint)


class TargetFile:
    """One file for each running crawl, in a folder that Prometheus watches (``file_sd_configs``).

    It is locked while its process lives. The file of a killed process stays until the next crawl, so that Prometheus sees the crawl as
    down.
    """

    def __init__(self, folder: str, address: str) -> None:
        place = Path(folder).expanduser()
        place.mkdir(parents=True, exist_ok=True)
        _sweep(place)
        self._path = place / f"{address.replace(':', '-').strip('[]')}.json"
        self._file: IO[str] | None = self._written(address)

    def remove(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
            self._file.close()
            self._file = None

    def _written(self, address: str) -> IO[str]:
        part = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        file = part.open("w", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            json.dump([{"targets": [address]}], file)
            file.flush()
            part.replace(self._path)  # Prometheus never sees half of it
        except BaseException:
            file.close()
            part.unlink(missing_ok=True)
            raise
        return file


def _sweep(folder: Path) -> None:
    """Remove the files of processes that have ended: nobody holds their lock."""
    for path in folder.glob("*.json"):
        with suppress(OSError), path.open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


PATH = "/metrics"


class MetricsEndpoint:
    """Made, opened and closed on the event loop; an answer takes some milliseconds there."""

    def __init__(self, place: Place, exposition: Exposition) -> None:
        self._place = place
        self._exposition = exposition
        self._runner: web.AppRunner | None = None

    async def open(self) -> int:
        """Listen; returns the port. Raises OSError if this is not possible."""
        from aiohttp import web  # not needed without an endpoint

        app = web.Application(client_max_size=1024)
        app.router.add_get(PATH, self._answer)
        # longer than the usual minute between two requests of Prometheus, so that one connection serves all
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0, keepalive_timeout=90.0)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._place.host, self._place.port).start()
        except BaseException:
            await self.close()
            raise
        port: int = self._runner.addresses[0][1]
        return port

    async def close(self) -> None:
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        from aiohttp import web

        if not self._place.admits(request.headers.get("Authorization", "")):
            return web.Response(status=401, text="a token is needed\n", headers={"WWW-Authenticate": "Bearer"})
        text, content_type = self._exposition.text(request.headers.get("Accept", ""))
        return web.Response(body=text, headers={"Content-Type": content_type})
