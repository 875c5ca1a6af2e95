"""The lease of a recrawl: one row per topic in the store that tells which process recrawls it, and until when."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from topicspider.errors import CrawlRunning, TopicSpiderError, UnavailableError, one_line
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.store.database import Database
from topicspider.store.rows import NAME_CHARACTERS, clean

_ROW = "INSERT INTO claims (topic, owner, node, since, held_until) VALUES (?, '', '', 0, 0) {conflict} owner = claims.owner"
_TAKE = (
    "UPDATE claims SET owner = ?, node = ?, since = {now}, held_until = {now} + ? "
    "WHERE topic = ? AND (owner = ? OR held_until <= {now})"
)
_RENEW = "UPDATE claims SET held_until = {now} + ? WHERE topic = ? AND owner = ?"
_RELEASE = "UPDATE claims SET held_until = 0 WHERE topic = ? AND owner = ?"
_READ = "SELECT topic, owner, node, since, held_until, held_until > {now} FROM claims WHERE topic IN ({topics}) ORDER BY topic"

logger = logging.getLogger(__name__)


class _Row(NamedTuple):
    """A row of the table ``claims``: ``owner`` (displayed as ``node``) recrawls the topic; times are seconds since 1970."""

    topic: str
    owner: str
    node: str
    since: float
    until: float
    is_held: int


class RecrawlLease:
    """The lease of one process on the topics of its recrawl, from ``take`` until ``release``.

    1. A topic has one owner at a time: of two processes that take it at the same moment at most one gets it.
    2. A thread renews it, on a separate connection ``database``, which ``release`` closes. An owner that has not renewed it for
       ``seconds`` loses it to the next process that takes it, and must end; the owner itself may take it again at any time.
    3. Time is that of the database, so that the machines' clocks need not agree.
    """

    def __init__(self, database: Database, topics: Sequence[str], owner: str, node: str, seconds: float) -> None:
        self._database = database
        self._topics = sorted({clean(topic) for topic in topics})
        self._owner = owner
        self._node = node[:NAME_CHARACTERS]
        self._seconds = seconds
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="recrawl-lease", daemon=True)
        self._renewed_at = 0.0  # when the last renewal that succeeded began
        self.trouble: TopicSpiderError | None = None
        """Why this recrawl must not go on."""

    def take(self) -> None:
        """Takes the lease and starts renewing it; raises CrawlRunning, and takes nothing, when another process holds one of the topics."""
        self._renewed_at = time.monotonic()
        row = _ROW.format(conflict=self._database.dialect.on_conflict.format(key="topic"))
        self._database.write([(row, [(topic,) for topic in self._topics])])
        self._write(_TAKE, self._owner, self._node, self._seconds, None, self._owner)
        others = [row for row in _rows(self._database, self._topics) if row.is_held and row.owner != self._owner]
        if others:
            self._write(_RELEASE, None, self._owner)
            raise _running(others)
        self._thread.start()

    def release(self) -> None:
        """Gives the lease up, if the store answers; calling it again does nothing."""
        if self._ends.is_set():
            return
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join(10.0)
        with suppress(UnavailableError):
            self._write(_RELEASE, None, self._owner)
        self._database.close()

    def _keep(self) -> None:
        # three renewals may fail before another process can take the lease
        while self.trouble is None and not self._ends.wait(self._seconds / 4):
            try:
                self.trouble = self._renewed()
            except Exception as error:  # would go unnoticed in a thread
                logger.exception("the lease could not be kept")
                self.trouble = TopicSpiderError(
                    one_line(_("the lease of the recrawl: {name}: {error}", name=type(error).__name__, error=error))
                )

    def _renewed(self) -> TopicSpiderError | None:
        """Renews the lease; returns the error that must end the recrawl, or None. Another owner ends it even after its release."""
        began = time.monotonic()
        try:
            self._write(_RENEW, self._seconds, None, self._owner)
            others = [row for row in _rows(self._database, self._topics) if row.owner != self._owner]
        except UnavailableError as error:  # the store's writer logs the outage
            if began - self._renewed_at < self._seconds:
                return None
            why = f"{error.why}; the lease was not renewed for {self._seconds:.0f} s, so another may recrawl by now"
            return type(error)(error.what, why, "Once it answers, the same command goes on")
        self._renewed_at = began
        return _running(others) if others else None

    def _write(self, sql: str, *values: Any) -> None:
        """Runs ``sql`` for each topic; a value of None stands for the topic."""
        rows = [tuple(topic if value is None else value for value in values) for topic in self._topics]
        self._database.write([(sql.format(now=self._database.dialect.now), rows)])


def check_no_recrawl(database: Database, topics: Sequence[str]) -> None:
    """Raises CrawlRunning while a process recrawls one of the topics."""
    if others := [row for row in _rows(database, sorted(map(clean, topics))) if row.is_held]:
        raise _running(others)


def _rows(database: Database, topics: Sequence[str]) -> list[_Row]:
    sql = _READ.format(now=database.dialect.now, topics=", ".join("?" for _ in topics))
    return [_Row(*row) for row in database.read(sql, topics)]


def _running(rows: Sequence[_Row]) -> CrawlRunning:
    """The error that tells which node recrawls which topic since when, and what to do."""
    row = max(rows, key=lambda row: row.until)
    since = _time(row.since)
    if not row.until:
        words = N_("{topic}: {node} recrawled it since {since}, and has ended")
        return CrawlRunning(one_line(_(words, topic=row.topic, node=row.node, since=since)))
    text = f"{row.topic}: {row.node} recrawls it since {since}; stop that, or wait for its end. "
    return CrawlRunning(one_line(text + _("If it has died, the topic is free at {until}", until=_time(row.until))))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(round(seconds), UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
