"""Says who recrawls a topic: a claim in its store that ends by itself, so that a process that died keeps nobody out for long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from topicspider.errors import CrawlRunning
from topicspider.store import records

if TYPE_CHECKING:
    from topicspider.store.relational import Database, Rows

_LONGEST = 250  # characters: a column for names has 255
_ROW = "INSERT INTO claims (topic, owner, node, since, held_until) VALUES (?, '', '', 0, 0) {conflict} owner = claims.owner"
# MySQL assigns from left to right; the condition sees the row as it was
_TAKE = "UPDATE claims SET owner = ?, node = ?, since = {now}, held_until = {now} + ? WHERE topic = ? AND (owner = ? OR held_until <= {now})"
_RENEW = "UPDATE claims SET held_until = {now} + ? WHERE topic = ? AND owner = ?"
_RELEASE = "UPDATE claims SET held_until = 0 WHERE topic = ? AND owner = ?"
_OWNERS = "SELECT topic, owner FROM claims WHERE topic IN ({topics}) AND owner <> ''"
_HELD = "SELECT topic, owner, node, since, held_until FROM claims WHERE topic IN ({topics}) AND held_until > {now} ORDER BY topic"


@dataclass(frozen=True, slots=True)
class Claim:
    """``owner`` recrawls the topic, as ``node`` for readers; times are seconds since 1970. It ends at ``until`` unless it is renewed."""

    topic: str
    owner: str
    node: str
    since: float
    until: float


class Claims:
    """The claims of some topics in one store.

    1. A topic has one owner at a time: of two that take it in the same moment one gets it.
    2. Whoever does not renew a claim loses it to the next who asks after its time; its owner may take it again at any time.
    3. Time is that of the database, so that clocks of machines need not agree.
    """

    def __init__(self, database: Database, topics: Sequence[str]) -> None:
        self._database = database
        self._topics = sorted({records.clean(topic) for topic in topics})

    def take(self, owner: str, node: str, seconds: float) -> list[Claim]:
        """Claim all topics for ``owner``; those of others that are in the way, and then none was taken."""
        row = self._sql(_ROW).replace("{conflict}", self._database.dialect.on_conflict.format(key="topic"))
        taken = [(owner, node[:_LONGEST], seconds, topic, owner) for topic in self._topics]
        self._database.write([(row, [(topic,) for topic in self._topics]), (self._sql(_TAKE), taken)])
        others = [claim for claim in self.held() if claim.owner != owner]
        if others:
            self.release(owner)
        return others

    def renew(self, owner: str, seconds: float) -> list[Claim]:
        """Hold them for so much longer; those that somebody else has by now."""
        self._database.write([(self._sql(_RENEW), [(seconds, topic, owner) for topic in self._topics])])
        return [claim for claim in self.held() if claim.owner != owner]

    def release(self, owner: str) -> None:
        """Let the next one in at once."""
        self._database.write([(self._sql(_RELEASE), [(topic, owner) for topic in self._topics])])

    def held(self) -> list[Claim]:
        """The claims that hold now, by topic."""
        rows = self._read(_HELD)
        return [Claim(topic, owner, node, float(since), float(until)) for topic, owner, node, since, until in rows]

    def was_another(self, owner: str) -> bool:
        """Whether somebody else had a topic last."""
        return any(last != owner for _, last in self._read(_OWNERS))

    def _read(self, sql: str) -> Rows:
        markers = ", ".join("?" for _ in self._topics)
        return self._database.read(sql.format(topics=markers, now=self._database.dialect.now), self._topics)

    def _sql(self, text: str) -> str:
        return text.replace("{now}", self._database.dialect.now).replace("?", self._database.dialect.marker)


def check_unclaimed(claims: Claims) -> None:
    """Raise CrawlRunning while somebody recrawls one of the topics."""
    if others := claims.held():
        raise in_the_way(others)


def in_the_way(claims: Sequence[Claim]) -> CrawlRunning:
    """The error that says who has what since when, and what to do."""
    first = claims[0]
    return CrawlRunning(
        f"{first.topic}: {first.node} recrawls it since {_time(first.since)}; stop that, or wait for its end. "
        f"If it has died, the topic is free at {_time(first.until)}"
    )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(round(seconds), UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
