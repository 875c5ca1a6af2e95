"""The master of a Redis Cluster that has a slot: looked for when it is not known, has moved, or does not answer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from topicspider.errors import UnavailableError
from topicspider.frontier.redis_server import RedisServer

_MOVED = re.compile(r"^(?:MOVED )?\d+ (\S*):(\d+)$")
_MOST_MOVES = 5
_SEARCH_SECONDS, _SHORTEST_SECONDS = 5.0, 0.5  # for all nodes together, and for one: other parts wait meanwhile


class ClusterMaster(RedisServer):
    """As a RedisServer; ``url`` is that of any node. A Redis that is in no cluster has every slot itself."""

    def __init__(self, url: str, setting: str, slot: int) -> None:
        super().__init__(url, setting, is_patient=False)
        self._url, self._slot = url, slot
        self._known = [url]  # nodes of the cluster, the one named first
        self._is_found = False

    def _plainly(self, call: Callable[[], Any]) -> Any:
        for _ in range(_MOST_MOVES):
            if not self._is_found:
                self._find()
            try:
                return super()._plainly(call)
            except UnavailableError as error:
                self._is_found = False
                moved = _MOVED.match(error.why)
                if moved is None:
                    raise
                self._go_to(self._url_of(*moved.groups()))
                self._is_found = True
        raise UnavailableError(self.label, f"slot {self._slot} of its cluster is moved again and again")

    def _find(self) -> None:
        """Ask the nodes that are known who has the slot; those that do not answer are asked last the next time."""
        trouble: UnavailableError | None = None
        deadline = time.monotonic() + _SEARCH_SECONDS
        for url in list(self._known):
            if trouble is not None and time.monotonic() >= deadline:
                break
            self._go_to(url, max(_SHORTEST_SECONDS, _SEARCH_SECONDS / len(self._known)))
            try:
                ranges = super()._plainly(lambda: self._client.execute_command("CLUSTER SLOTS"))
            except UnavailableError as error:
                if "cluster support disabled" in error.why:
                    self._go_to(url)
                    self._is_found = True
                    return
                trouble = error
                self._known = [*(one for one in self._known if one != url), url]
                continue
            master = self._master_in(ranges)
            if master:
                self._go_to(master)
                self._is_found = True
                return
        raise trouble or UnavailableError(self.label, f"nobody in its cluster has slot {self._slot}")

    def _master_in(self, ranges: Any) -> str:
        """The master of our slot; takes note of all nodes."""
        found, nodes = "", [self._url]
        for first, last, *members in ranges:
            urls = [self._url_of(_text(member[0]), str(member[1])) for member in members]
            nodes += [url for url in urls if url not in nodes]
            if int(first) <= self._slot <= int(last):
                found = urls[0]
        self._known = nodes
        return found

    def _url_of(self, host: str, port: str) -> str:
        """The URL of another node: with our user, password and options. A node that has no name for itself is the one we ask."""
        place = urlsplit(self._url)
        login, at, _ = place.netloc.rpartition("@")
        name = host or place.hostname or "localhost"
        return urlunsplit(place._replace(netloc=f"{login}{at}{f'[{name}]' if ':' in name else name}:{port}"))

    def _go_to(self, url: str, answer_seconds: float | None = None) -> None:
        self._client.close()
        self._connect(url, answer_seconds)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value or "")
