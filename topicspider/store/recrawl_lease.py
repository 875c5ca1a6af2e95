"""The lease of a recrawl: one row a topic in the store that says who recrawls it, until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from topicspider.errors import CrawlRunning, one_line
from topicspider.store.rows import NAME_CHARACTERS, clean

if TYPE_CHECKING:
    from topicspider.store.database import Database

_ROW = "INSERT INTO claims (topic, owner, node, since, held_until) VALUES (?, '', '', 0, 0) {conflict} owner = claims.owner"
_TAKE = (
    "UPDATE claims SET owner = ?, node = ?, since = {now}, held_until = {now} + ? "
    "WHERE topic = ? AND (owner = ? OR held_until <= {now})"
)
_RENEW = "UPDATE claims SET held_until = {now} + ? WHERE topic = ? AND owner = ?"
_RELEASE = "UPDATE claims SET held_until = 0 WHERE topic = ? AND owner = ?"
_READ = "SELECT topic, owner, node, since, held_until FROM claims WHERE topic IN ({topics}) {held} ORDER BY topic"


@dataclass(frozen=True, slots=True)
class Lease:
    """``owner`` recrawls the topic, shown as ``node``; times are seconds since 1970. It ends at ``until`` unless it is renewed."""

    topic: str
    owner: str
    node: str
    since: float
    until: float


class RecrawlLeases:
    """The leases of some topics in one store.

    1. A topic has one owner at a time: of two that take it in the same moment one gets it.
    2. Whoever does not renew a lease loses it to the next who asks after its time; its owner may take it again at any time.
    3. Time is that of the database, so that clocks of machines need not agree.
    """

    def __init__(self, database: Database, topics: Sequence[str]) -> None:
        self._database = database
        self._topics = sorted({clean(topic) for topic in topics})

    def take(self, owner: str, node: str, seconds: float) -> list[Lease]:
        """Lease all topics to ``owner``; returns the leases of others that are in the way: then none was taken."""
        row = self._sql(_ROW).replace("{conflict}", self._database.dialect.on_conflict.format(key="topic"))
        taken = [(owner, node[:NAME_CHARACTERS], seconds, topic, owner) for topic in self._topics]
        self._database.write([(row, [(topic,) for topic in self._topics]), (self._sql(_TAKE), taken)])
        others = [lease for lease in self.held() if lease.owner != owner]
        if others:
            self.release(owner)
        return others

    def renew(self, owner: str, seconds: float) -> list[Lease]:
        """Hold them for so much longer; returns those that another took meanwhile, even if it released them again."""
        self._database.write([(self._sql(_RENEW), [(seconds, topic, owner) for topic in self._topics])])
        return [lease for lease in self._read("") if lease.owner != owner]

    def release(self, owner: str) -> None:
        self._database.write([(self._sql(_RELEASE), [(topic, owner) for topic in self._topics])])

    def held(self) -> list[Lease]:
        """The leases that hold now, by topic."""
        return self._read("AND held_until > {now}")

    def _read(self, held: str) -> list[Lease]:
        rows = self._database.read(self._sql(_READ.replace("{held}", held)), self._topics)
        return [Lease(topic, owner, node, float(since), float(until)) for topic, owner, node, since, until in rows]

    def _sql(self, text: str) -> str:
        marks = ", ".join("?" for _ in self._topics)
        return text.replace("{now}", self._database.dialect.now).replace("{topics}", marks)


def check_no_recrawl(leases: RecrawlLeases) -> None:
    """Raise CrawlRunning while somebody recrawls one of the topics."""
    if others := leases.held():
        raise recrawl_running(others)


def recrawl_running(leases: Sequence[Lease]) -> CrawlRunning:
    """The error that says who recrawls what since when, and what to do."""
    lease = max(leases, key=lambda lease: lease.until)
    since = _time(lease.since)
    if not lease.until:
        return CrawlRunning(one_line(f"{lease.topic}: {lease.node} recrawled it since {since}, and has ended"))
    text = f"{lease.topic}: {lease.node} recrawls it since {since}; stop that, or wait for its end. "
    return CrawlRunning(one_line(text + f"If it has died, the topic is free at {_time(lease.until)}"))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(round(seconds), UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
