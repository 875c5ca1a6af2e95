"""Says who recrawls a topic: a claim in its store that ends by itself, so that a process that died keeps nobody out for long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from topicspider.errors import CrawlRunning, one_line
from topicspider.store import records

if TYPE_CHECKING:
    from topicspider.store.relational import Database

_LONGEST = 250  # characters: a column for names has 255
_ROW = "INSERT INTO claims (topic, owner, node, since, held_until) VALUES (?, '', '', 0, 0) {conflict} owner = claims.owner"
# all or none; MySQL reads the table that it changes only as a table made before, which the COUNT makes it
_TAKE = (
    "UPDATE claims SET owner = ?, node = ?, since = {now}, held_until = {now} + ? WHERE topic IN ({topics}) AND 0 = "
    "(SELECT others FROM (SELECT COUNT(*) AS others FROM claims WHERE topic IN ({topics}) AND owner <> ? AND held_until > {now}) AS counted)"
)
_RENEW = "UPDATE claims SET held_until = {now} + ? WHERE topic = ? AND owner = ?"
_RELEASE = "UPDATE claims SET held_until = 0 WHERE topic = ? AND owner = ?"
_GIVE_BACK = "UPDATE claims SET held_until = 0, owner = ? WHERE topic = ? AND owner = ?"
_ALL = "SELECT topic, owner, node, since, held_until FROM claims WHERE topic IN ({topics}) ORDER BY topic"
_HELD = "SELECT topic, owner, node, since, held_until FROM claims WHERE topic IN ({topics}) AND held_until > {now} ORDER BY topic"


@dataclass(frozen=True, slots=True)
class Claim:
    """``owner`` recrawls the topic, as ``node`` for readers; times are seconds since 1970. It ends at ``until`` unless it is renewed.

    ``until`` 0: it was given back; no ``owner``: nobody ever had it, or what the store knew of it is gone.
    """

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
        taken = (owner, node[:_LONGEST], seconds, *self._topics, *self._topics, owner)
        self._database.write([(row, [(topic,) for topic in self._topics]), (self._sql(_TAKE), [taken])])
        return self._lost(owner)

    def renew(self, owner: str, seconds: float) -> list[Claim]:
        """Hold them for so much longer; those that somebody else has, or had meanwhile: that one may have come to its end by now."""
        self._database.write([(self._sql(_RENEW), [(seconds, topic, owner) for topic in self._topics])])
        return self._lost(owner)

    def release(self, owner: str) -> None:
        """Let the next one in at once."""
        self._database.write([(self._sql(_RELEASE), [(topic, owner) for topic in self._topics])])

    def give_back(self, owner: str, before: Mapping[str, str]) -> None:
        """Let the next one in at once, as if ``owner`` had never had them: ``before`` says who had."""
        rows = [(before.get(topic, ""), topic, owner) for topic in self._topics]
        self._database.write([(self._sql(_GIVE_BACK), rows)])

    def held(self) -> list[Claim]:
        """The claims that hold now, by topic."""
        return self._read(_HELD)

    def last_owners(self) -> dict[str, str]:
        """Who had each topic last, or has it now; those that somebody ever had."""
        return {claim.topic: claim.owner for claim in self._read(_ALL) if claim.owner}

    def _lost(self, owner: str) -> list[Claim]:
        """What is not the ``owner``'s, by topic, what holds now first."""
        held = {claim.topic for claim in self.held()}
        found = {claim.topic: claim for claim in self._read(_ALL)}
        claims = [found.get(topic) or Claim(topic, "", "", 0.0, 0.0) for topic in self._topics]
        lost = [claim for claim in claims if claim.owner != owner]
        return [claim for claim in lost if claim.topic in held] or lost

    def _read(self, sql: str) -> list[Claim]:
        text = sql.format(topics=self._markers, now=self._database.dialect.now)
        rows = self._database.read(text, self._topics)
        return [Claim(topic, owner, node, float(since), float(until)) for topic, owner, node, since, until in rows]

    @property
    def _markers(self) -> str:
        return ", ".join("?" for _ in self._topics)

    def _sql(self, text: str) -> str:
        filled = text.replace("{now}", self._database.dialect.now).replace("{topics}", self._markers)
        return filled.replace("?", self._database.dialect.marker)


def check_unclaimed(claims: Claims) -> None:
    """Raise CrawlRunning while somebody recrawls one of the topics."""
    if others := claims.held():
        raise in_the_way(others)


def in_the_way(claims: Sequence[Claim]) -> CrawlRunning:
    """The error that says who has what since when, and what to do."""
    return CrawlRunning(one_line(_said_of(claims[0])))


def _said_of(claim: Claim) -> str:
    if not claim.owner:
        return f"{claim.topic}: who recrawls it is in the store no more; the same command goes on"
    if not claim.until:
        return f"{claim.topic}: {claim.node} recrawled it since {_time(claim.since)}, and has ended; the same command chooses anew"
    return (
        f"{claim.topic}: {claim.node} recrawls it since {_time(claim.since)}; stop that, or wait for its end. "
        f"If it has died, the topic is free at {_time(claim.until)}"
    )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(round(seconds), UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
