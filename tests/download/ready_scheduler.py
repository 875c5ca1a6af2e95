"""A small scheduler that hands out only hosts that are ready, as the frontier's does, in memory."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

from scrapy.core.scheduler import BaseScheduler

from topicspider.url import host_key

if TYPE_CHECKING:
    from scrapy import Request


class ReadyScheduler(BaseScheduler):
    """One request of a host at a time; a postponed one comes back after its host's rest."""

    hands_out_ready_hosts = True

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._queue: deque[Request] = deque()
        self._flying: dict[str, Request] = {}
        self._ready_at: dict[str, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Any) -> ReadyScheduler:
        return cls(crawler)

    def has_pending_requests(self) -> bool:
        self._collect()
        return bool(self._queue or self._flying)

    def enqueue_request(self, request: Request) -> bool:
        self._queue.append(request)
        return True

    def next_request(self) -> Request | None:
        self._collect()
        now = time.monotonic()
        for request in list(self._queue):
            host = host_key(request.url)
            if host not in self._flying and self._ready_at.get(host, 0.0) <= now:
                self._queue.remove(request)
                self._flying[host] = request
                return request
        if self._queue:
            self._crawler.engine._slot.nextcall.schedule(0.01)
        return None

    def _collect(self) -> None:
        for host, request in list(self._flying.items()):
            if request in self._crawler.engine._slot.inprogress or request in self._queue:
                continue
            del self._flying[host]
            self._ready_at[host] = time.monotonic() + float(request.meta.get("topicspider_rest_seconds") or 0.0)
            if request.meta.get("topicspider_outcome") == "postponed":
                del request.meta["topicspider_outcome"]
                self._queue.append(request)
