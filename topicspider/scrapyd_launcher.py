"""scrapyd's launcher, except that a node that is stopped first stops its crawls, and waits until they have given back what they hold."""

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

    scrapyd's own launcher ends without ending its crawls: whoever started it then kills them, and their hosts wait until the leases expire.
    How long this one may take is set in the program that starts it (systemd's TimeoutStopSec, compose's stop_grace_period).
    """

    _is_stopping = False

    def stopService(self) -> Any:  # noqa: N802 - Twisted's name
        """Send SIGTERM to each crawl; returns a Deferred that fires when the last one has ended."""
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
        """Returns nothing when stopping, so that no new crawl takes the place of one that has ended."""
        return None if self._is_stopping else super()._get_message(slot)


class PlainOutput(ScrapyProcessProtocol):  # type: ignore[misc] # scrapyd has no types
    """Logs a crawl's stdout and stderr unchanged, line by line. scrapyd's own class uses them as a format, and fails at braces of JSON."""

    _begun: dict[str, bytes] | None = None  # unfinished lines by stream; not set in the constructor, which is scrapyd's

    def outReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        self._say("stdout", data)

    def errReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        self._say("stderr", data)

    def processEnded(self, status: Any) -> None:  # noqa: N802 - Twisted's name
        """The last line may have no line end."""
        for stream in tuple(self._begun or ()):
            self._say(stream, b"\n")
        super().processEnded(status)

    def _say(self, stream: str, data: bytes) -> None:
        """Log the lines that are complete; an incomplete one is logged when it is longer than LONGEST bytes."""
        self._begun = self._begun or {}
        text = self._begun.pop(stream, b"") + data
        whole, _, begun = (text, b"", b"") if len(text) > LONGEST else text.rpartition(b"\n")
        if begun:
            self._begun[stream] = begun
        if whole:
            say = log.error if stream == "stderr" else log.info
            say("{said}", said=whole.decode("utf-8", "replace"), log_system=f"Launcher,{self.pid}/{stream}")
