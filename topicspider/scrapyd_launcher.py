"""scrapyd's launcher, but a node that is stopped has its crawls stop first, and waits until they have given back what they hold."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from scrapyd.launcher import Launcher, ScrapyProcessProtocol
from twisted.internet.defer import DeferredList
from twisted.internet.error import ProcessExitedAlready
from twisted.logger import Logger

log = Logger()

LONGEST = 100_000  # bytes of one line


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

    def _spawn_process(self, message: dict[str, Any], slot: int) -> None:
        super()._spawn_process(message, slot)
        self.processes[slot].__class__ = PlainOutput

    def _get_message(self, slot: int) -> Any:
        """No new crawl begins in the place of one that was stopped."""
        return None if self._is_stopping else super()._get_message(slot)


class PlainOutput(ScrapyProcessProtocol):  # type: ignore[misc] # scrapyd has no types
    """What a crawl says on stdout and stderr is passed on as it is, line by line: scrapyd takes it for a format, and stumbles over the braces of JSON."""

    _begun: dict[str, bytes] | None = None  # by stream, a line without its end yet; the constructor is scrapyd's

    def outReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """To the node's log, as information."""
        self._say("stdout", data)

    def errReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """To the node's log, as an error."""
        self._say("stderr", data)

    def processEnded(self, status: Any) -> None:  # noqa: N802 - Twisted's name
        """What was said last may have no line end."""
        for stream in tuple(self._begun or ()):
            self._say(stream, b"\n")
        super().processEnded(status)

    def _say(self, stream: str, data: bytes) -> None:
        """The lines that are whole by now; one without an end is let go at LONGEST bytes."""
        self._begun = self._begun or {}
        text = self._begun.pop(stream, b"") + data
        whole, _, begun = (text, b"", b"") if len(text) > LONGEST else text.rpartition(b"\n")
        if begun:
            self._begun[stream] = begun
        if whole:
            say = log.error if stream == "stderr" else log.info
            say("{said}", said=whole.decode("utf-8", "replace"), log_system=f"Launcher,{self.pid}/{stream}")
