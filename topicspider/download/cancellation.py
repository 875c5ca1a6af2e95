"""All running downloads of a crawl, so that they can be cancelled: all of them, or those from some hosts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Self
from weakref import WeakKeyDictionary

_OF_CRAWLERS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


class DownloadCancelled(Exception):
    """The download was cancelled or not started: the crawl is ending, or another node may have its host by now."""


class Downloads:
    """``is_over``: all were cancelled, and no new one may start. ``is_lost``: whether no download from a host may start."""

    def __init__(self) -> None:
        self._limits: dict[asyncio.Timeout, str] = {}  # and the host of each
        self.is_over = False
        self.let_all_begin()

    @classmethod
    def of(cls, crawler: Any) -> Self:
        """The Downloads object of ``crawler``, one for all callers."""
        found: Self = _OF_CRAWLERS.setdefault(crawler, cls())
        return found

    def let_all_begin(self) -> None:
        """Treat no host as lost."""
        self.is_lost: Callable[[str], bool] = lambda _host: False

    def may_begin(self, host: str) -> bool:
        return not (self.is_over or self.is_lost(host))

    @asynccontextmanager
    async def one(self, host: str = "") -> AsyncIterator[None]:
        """A download from ``host``, within a task; raises DownloadCancelled when it is cancelled or may not start."""
        if not self.may_begin(host):
            raise DownloadCancelled
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._limits[limit] = host
                yield
        except TimeoutError:
            if limit.expired():
                raise DownloadCancelled from None
            raise
        finally:
            self._limits.pop(limit, None)

    def cancel_all(self) -> int:
        """Cancel all running downloads and allow no new ones; returns how many. Their connections are closed."""
        self.is_over = True
        return self.cancel_hosts(lambda _host: True)

    def cancel_hosts(self, is_lost: Callable[[str], bool]) -> int:
        """Cancel the running downloads from lost hosts only; returns how many."""
        now = asyncio.get_running_loop().time()
        lost = [limit for limit, host in self._limits.items() if is_lost(host)]
        for limit in lost:
            del self._limits[limit]  # a second reschedule would be an error
            limit.reschedule(now)
        return len(lost)
