"""The log of a replay server, a JSON line for each request, and the harvest of a crawl counted from it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class LoggedRequest:
    """One request. ``start``, ``end``: when it had been read, and when it was over, in seconds of the machine's monotonic clock.

    ``connection``: the number of its TCP connection. ``path`` includes the query. ``status`` 0: no answer was sent
    (``fault``: reset, or gone when the client closed the connection before).
    """

    connection: int
    method: str
    scheme: str
    host: str
    path: str
    status: int = 0
    fault: str = ""
    bytes: int = 0
    start: float = field(default_factory=time.monotonic)
    end: float = 0.0


LAST = 100


@dataclass(frozen=True, slots=True)
class Harvest:
    """How many pages and hosts were fetched and on topic; ``last``: on-topic pages of the last 100; ``seconds``: from start to end."""

    pages: int
    on_topic: int
    hosts: int
    hosts_on_topic: int
    last: int
    seconds: float

    @property
    def rate(self) -> float:
        """The harvest rate: the share of fetched pages that are on topic."""
        return self.on_topic / self.pages if self.pages else 0.0

    @property
    def last_rate(self) -> float:
        """The harvest rate of the last 100 pages."""
        return self.last / min(self.pages, LAST) if self.pages else 0.0


def count_harvest(requests: Iterable[dict[str, Any]], is_on_topic: Callable[[str], bool | None]) -> Harvest:
    """The harvest of a log's requests (fields of LoggedRequest), in the order in which they ended.

    A page counts once, when it was answered with 200; robots.txt and URLs of which ``is_on_topic`` says None are no pages.
    """
    judged: dict[str, bool] = {}
    hosts: dict[str, bool] = {}
    begun, ended = float("inf"), 0.0
    for request in requests:
        begun, ended = min(begun, request["start"]), max(ended, request["end"])
        url = f"{request['scheme']}://{request['host']}{request['path']}"
        if request["status"] != 200 or request["path"] == "/robots.txt" or url in judged:
            continue
        verdict = is_on_topic(url)
        if verdict is None:
            continue
        judged[url] = verdict
        hosts[request["host"]] = hosts.get(request["host"], False) or verdict
    verdicts = list(judged.values())
    return Harvest(
        len(verdicts), sum(verdicts), len(hosts), sum(hosts.values()), sum(verdicts[-LAST:]), max(0.0, ended - begun)
    )


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
