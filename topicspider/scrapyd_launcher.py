"""scrapyd's launcher, but a node that is stopped has its crawls stop first, and waits until they have given back what they hold."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from scrapyd.launcher import Launcher
from twisted.internet.defer import DeferredList
from twisted.internet.error import ProcessExitedAlready


class DrainingLauncher(Launcher):  # type: ignore[misc] # scrapyd has no types
    """``launcher = topicspider.scrapyd_launcher.DrainingLauncher`` in scrapyd's configuration.

    scrapyd's own leaves its crawls alone when it ends: whoever started it then kills them, and their hosts wait until the leases are
    over. How long to wait is for that one to say (systemd's TimeoutStopSec, compose's stop_grace_period).
    """

    _is_stopping = False

    def stopService(self) -> Any:  # noqa: N802 - Twisted's name
        """Send each crawl SIGTERM; ends when the last has."""
        super().stopService()
        self._is_stopping = True
        crawls = list(self.processes.values())
        for crawl in crawls:
            with suppress(ProcessExitedAlready):
                crawl.transport.signalProcess("TERM")
        return DeferredList([crawl.deferred for crawl in crawls])

    def _get_message(self, slot: int) -> Any:
        """No new crawl begins in the place of one that was stopped."""
        return None if self._is_stopping else super()._get_message(slot)
