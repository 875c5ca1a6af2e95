"""The changes that one call makes in a SqliteFrontier's file, within the caller's transaction: work, steering, imports."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from topicspider.frontier.host_ranking import Rules, clean_text, from_micros, to_micros
from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState, Record, clean_dead
from topicspider.frontier.protocol import Completion, End, Entry, Work
from topicspider.frontier.sqlite.hosts import HostRow, TouchedHosts

_Place = tuple[int, int, int]  # a URL's id, its host's id, its score in millionths


@dataclass(slots=True)
class Totals:
    """Counters of a whole crawl. ``waiting``: queued + leased. ``flushes``: calls that changed the frontier."""

    waiting: int = 0
    done: int = 0
    dead: int = 0
    pages: int = 0
    hosts: int = 0
    flushes: int = 0

    @classmethod
    def read(cls, database: sqlite3.Connection) -> Self:
        return cls(*database.execute("SELECT waiting, done, dead, pages, hosts, flushes FROM totals").fetchone())

    @property
    def added(self) -> int:
        """How many URLs were ever added; each of them waits, is done, or is dead (promise F1)."""
        return self.waiting + self.done + self.dead


def known_ids(database: sqlite3.Connection, fingerprints: Iterable[int]) -> dict[int, int]:
    """Those of ``fingerprints`` that were ever added, each with its ID in the table urls."""
    query = "SELECT fingerprint, url_id FROM seen WHERE fingerprint IN (SELECT value FROM json_each(?))"
    return dict(database.execute(query, (json.dumps(list(fingerprints)),)))


class Flush:
    """Changes the database within the caller's transaction."""

    def __init__(self, database: sqlite3.Connection, rules: Rules, now: float) -> None:
        self.totals = Totals.read(database)
        self.totals.flushes += 1
        self._database = database
        self._rules = rules
        self._now = now
        self._hosts = TouchedHosts(database, rules, self.totals.hosts)
        self._ids: dict[int, int] = {}  # fingerprint to ID in the table urls, of every URL named in the work

    def run(self, work: Work, accepted: Sequence[tuple[Completion, Entry]] = ()) -> int:
        """Apply ``work`` with its ``accepted`` completions; returns how many entries were new."""
        entries = with_best_scores(work.entries)
        named = [fingerprint for fingerprint, _ in [*work.promotions, *work.revisions]]
        ended = [entry.fingerprint for _, entry in accepted]
        self._ids = known_ids(self._database, [*entries, *named, *ended])
        new = [entry for fingerprint, entry in entries.items() if fingerprint not in self._ids]
        again = [(one.fingerprint, one.score) for one in entries.values() if one.fingerprint in self._ids]
        timings = {clean_text(name): timing for name, timing in (work.timings or {}).items()}
        self._hosts.load_names([*timings, *(entry.host for entry in new), *(entry.host for _, entry in accepted)])
        for name, timing in timings.items():
            self._hosts[name].learn(timing, self._now)
        self._revise(work.revisions)
        self._insert(new)
        self._promote([*again, *work.promotions])
        for completion, entry in accepted:
            self._complete(completion, entry)
        self._finish()
        return len(new)

    def _finish(self) -> None:
        self._hosts.save(self._now)
        self.totals.hosts = self._hosts.known
        names = [field.name for field in fields(Totals)]
        settings = ", ".join(f"{name} = ?" for name in names)
        self._database.execute(f"UPDATE totals SET {settings}", [getattr(self.totals, name) for name in names])  # noqa: S608

    def _insert(self, entries: Sequence[Entry]) -> None:
        self._note_seen([entry.fingerprint for entry in entries])
        self._put(entries, self._ids)

    def _note_seen(self, fingerprints: Sequence[int]) -> None:
        """Give new URLs their IDs. IDs rise and are never reused, so that new rows lie side by side at the end of a table."""
        ids = {fingerprint: url_id for url_id, fingerprint in enumerate(fingerprints, self.totals.added + 1)}
        self._database.executemany("INSERT INTO seen VALUES (?, ?)", ids.items())
        self._ids.update(ids)

    def _put(self, entries: Sequence[Entry], ids: Mapping[int, int]) -> None:
        rows = []
        for entry in entries:
            host, micros = self._hosts[entry.host], to_micros(entry.score)
            if not host.ahead:
                host.entered, host.ahead = self.totals.flushes, 1
            place = (ids[entry.fingerprint], entry.fingerprint, host.id, micros, self._rules.url_tie(entry.fingerprint))
            texts = (clean_text(entry.url), clean_text(entry.referrer), clean_text(entry.payload))
            rows.append((*place, entry.depth, entry.attempts, *texts, entry.model))
        self._database.executemany("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self.totals.waiting += len(rows)

    def _promote(self, scores: Sequence[tuple[int, float]]) -> None:
        best: dict[int, int] = {}
        for fingerprint, score in scores:
            url_id, micros = self._ids.get(fingerprint), to_micros(score)
            if url_id is not None:
                best[url_id] = max(micros, best.get(url_id, micros))
        self._rescore(best, [row for row in self._waiting(best) if best[row[0]] > row[2]])

    def _revise(self, scores: Sequence[tuple[int, float]]) -> None:
        """Apply revisions. They come before all other changes: URLs that this work adds have no ID yet and are not touched."""
        ids = ((self._ids.get(fingerprint), score) for fingerprint, score in scores)
        revised = {url_id: to_micros(score) for url_id, score in ids if url_id is not None}
        self._rescore(revised, [row for row in self._waiting(revised) if revised[row[0]] != row[2]])

    def _waiting(self, ids: Iterable[int]) -> list[_Place]:
        """Those of ``ids`` that are queued or leased, with host and score."""
        wanted = list(ids)
        if not wanted:
            return []
        query = "SELECT id, host, micros FROM urls WHERE id IN (SELECT value FROM json_each(?))"
        return self._database.execute(query, (json.dumps(wanted),)).fetchall()

    def _rescore(self, scores: Mapping[int, int], places: Sequence[_Place]) -> None:
        """Give the URLs at ``places`` their new scores."""
        self._hosts.load("id", {host for _, host, _ in places})
        changed = [(scores[url_id], url_id) for url_id, _, _ in places]
        self._database.executemany("UPDATE urls SET micros = ? WHERE id = ?", changed)

    def _complete(self, completion: Completion, entry: Entry) -> None:
        if completion.end is End.RELEASED:
            return
        host = self._hosts[entry.host]
        host.entered = self.totals.flushes
        url_id, attempts = self._ids[entry.fingerprint], entry.attempts + 1
        if completion.end is End.FAILED and attempts < self._rules.attempts:
            self._database.execute("UPDATE urls SET attempts = ? WHERE id = ?", (attempts, url_id))
            return
        self.totals.waiting -= 1
        if completion.end is End.FAILED:  # its score may have risen since it was leased
            (micros,) = self._database.execute("SELECT micros FROM urls WHERE id = ?", (url_id,)).fetchone()
            dead = replace(entry, score=from_micros(micros), attempts=attempts)
            self._insert_dead(dead, clean_text(completion.reason))
        else:
            self.totals.done += 1
        if completion.end is End.PAGE:
            host.pages += 1
            self.totals.pages += 1
        self._database.execute("DELETE FROM urls WHERE id = ?", (url_id,))

    def _insert_dead(self, entry: Entry, reason: str) -> None:
        texts = (entry.url, entry.host, entry.referrer, entry.payload, reason)
        numbers = (entry.fingerprint, to_micros(entry.score), entry.depth, entry.attempts, entry.model)
        self._database.execute(
            "INSERT INTO dead (url, host, referrer, payload, reason, fingerprint, micros, depth, attempts, model)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*texts, *numbers),
        )
        self.totals.dead += 1


def with_best_scores(entries: Iterable[Entry]) -> dict[int, Entry]:
    """By fingerprint: the first entry of each, with the best score of all its entries."""
    best: dict[int, Entry] = {}
    for entry in entries:
        first = best.get(entry.fingerprint)
        if first is None:
            best[entry.fingerprint] = entry if entry.host.isascii() else replace(entry, host=clean_text(entry.host))
        elif to_micros(entry.score) > to_micros(first.score):
            best[entry.fingerprint] = replace(first, score=entry.score)
    return best


DEAD_COLUMNS = "url, fingerprint, host, micros, depth, referrer, payload, attempts, model, reason"


class Steering(Flush):
    """Changes from outside the crawl. Call one method of an object, and only once."""

    def set_blocked(self, hosts: Collection[str], *, is_blocked: bool) -> int:
        """Block or unblock hosts; returns how many changed."""
        changed = [host for host in self._called(hosts) if bool(host.is_blocked) != is_blocked]
        for host in changed:
            host.is_blocked = int(is_blocked)
        self._finish()
        return len(changed)

    def delay(self, hosts: Collection[str], seconds: float) -> None:
        for host in self._called(hosts):
            host.delay_seconds = seconds
        self._finish()

    def revive(self, fingerprints: Collection[int]) -> int:
        """Queue dead URLs again, under their old IDs."""
        wanted, given = "WHERE fingerprint IN (SELECT value FROM json_each(?))", (json.dumps(list(fingerprints)),)
        query = f"SELECT {DEAD_COLUMNS} FROM dead {wanted} ORDER BY id"  # noqa: S608
        entries = [replace(dead_of(row).entry, attempts=0) for row in self._database.execute(query, given)]
        self._database.execute(f"DELETE FROM dead {wanted}", given)  # noqa: S608
        self._hosts.load_names(entry.host for entry in entries)
        self._put(entries, known_ids(self._database, [entry.fingerprint for entry in entries]))
        self.totals.dead -= len(entries)
        self._finish()
        return len(entries)

    def take_in(self, records: Sequence[Record]) -> int:
        added = self.totals.added
        states = [one for one in records if isinstance(one, HostState)]
        queued = with_best_scores([one for one in records if isinstance(one, Entry)])
        # Of two dead URLs with one fingerprint the first counts, as if they were imported one by one.
        dead: dict[int, DeadUrl] = {}
        for one in records:
            if isinstance(one, DeadUrl):
                dead.setdefault(one.entry.fingerprint, one)
        done = {fingerprint for one in records if isinstance(one, DoneUrls) for fingerprint in one.fingerprints}
        self._ids = known_ids(self._database, {*queued, *dead, *done})
        again = [(entry.fingerprint, entry.score) for entry in queued.values() if entry.fingerprint in self._ids]
        new = [entry for entry in queued.values() if entry.fingerprint not in self._ids]
        given_up = [
            one for fingerprint, one in dead.items() if fingerprint not in self._ids and fingerprint not in queued
        ]
        named = [*(one.host for one in states), *(one.host for one in new), *(one.entry.host for one in given_up)]
        self._hosts.load_names(map(clean_text, named))
        for state in states:
            self._take_in_host(state)
        self._insert(new)
        self._promote(again)
        self._note_seen([one.entry.fingerprint for one in given_up])
        for one in map(clean_dead, given_up):
            self._insert_dead(one.entry, one.reason)
        others = sorted(done - self._ids.keys())
        self._note_seen(others)
        self.totals.done += len(others)
        facts = [(clean_text(one.key), clean_text(one.value)) for one in records if isinstance(one, Fact)]
        self._database.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", facts)
        self._finish()
        return self.totals.added - added

    def _called(self, names: Collection[str]) -> list[HostRow]:
        """The rows of these hosts, each once; unknown hosts are created."""
        cleaned = list(dict.fromkeys(map(clean_text, names)))
        self._hosts.load_names(cleaned)
        return [self._hosts[name] for name in cleaned]

    def _take_in_host(self, state: HostState) -> None:
        host = self._hosts[clean_text(state.host)]
        self.totals.pages += max(0, state.pages - host.pages)
        host.pages = max(host.pages, state.pages)
        host.delay_seconds = max(host.delay_seconds, state.delay_seconds)
        host.is_blocked |= int(state.is_blocked)
        host.rest(state.rest_seconds, self._now)


def dead_of(row: Sequence[Any]) -> DeadUrl:
    """The DeadUrl in a row of DEAD_COLUMNS."""
    url, fingerprint, host, micros, *rest, reason = row
    return DeadUrl(Entry(url, fingerprint, host, from_micros(micros), *rest), reason)
