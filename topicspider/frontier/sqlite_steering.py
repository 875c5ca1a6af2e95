"""Steering a SqliteFrontier: what an Order or a whole import changes, inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState, Record, clean_dead
from topicspider.frontier.ordering import clean_text, from_micros
from topicspider.frontier.orders import BLOCK, DELAY, RESCORE, REVIVE, UNBLOCK, Order
from topicspider.frontier.policies import requests_told
from topicspider.frontier.protocol import Entry, Work
from topicspider.frontier.seen_set import SeenSet
from topicspider.frontier.sqlite_flush import Flush, with_best_scores
from topicspider.url.host import host_key

DEAD_COLUMNS = "url, fingerprint, host, micros, depth, referrer, payload, attempts, model, reason"


class Steering(Flush):
    """One of its methods is called, once; ``totals`` is what the counters will be after it."""

    def obey(self, order: Order, seen: SeenSet) -> int:
        """Do it; returns to how many it was done. ValueError for what is not known."""
        if order.do in (BLOCK, UNBLOCK):
            return self.mark(order.hosts, is_blocked=order.do == BLOCK)
        if order.do == DELAY:
            return self.delay(order.hosts, order.seconds)
        if order.do == RESCORE:
            return self.rescore(order.scores, seen)
        if order.do == REVIVE:
            return self.revive(order.fingerprints, seen)
        raise ValueError(order.do)

    def mark(self, hosts: Collection[str], *, is_blocked: bool) -> int:
        """Block or unblock; returns how many changed."""
        names = list(dict.fromkeys(map(clean_text, hosts)))
        self._hosts.load_names(names)
        changed = [self._hosts[name] for name in names if bool(self._hosts[name].is_blocked) != is_blocked]
        for host in changed:
            host.is_blocked = int(is_blocked)
        self._finish()
        return len(changed)

    def delay(self, hosts: Collection[str], seconds: float) -> int:
        """Have them rest at least so long after each fetch."""
        names = list(dict.fromkeys(map(clean_text, hosts)))
        self._hosts.load_names(names)
        for name in names:
            self._hosts[name].delay_seconds = seconds
        self._finish()
        return len(names)

    def rescore(self, scores: Sequence[tuple[int, float]], seen: SeenSet) -> int:
        """Revise scores; returns how many were given."""
        self.run(Work(revisions=scores), (), seen)
        return len(scores)

    def revive(self, fingerprints: Collection[int] | None, seen: SeenSet) -> int:
        """Queue dead URLs again, under the ids that the seen-set has for them."""
        wanted = "" if fingerprints is None else " WHERE fingerprint IN (SELECT value FROM json_each(?))"
        given = () if fingerprints is None else (json.dumps(list(fingerprints)),)
        query = f"SELECT {DEAD_COLUMNS} FROM dead{wanted} ORDER BY id"  # noqa: S608
        entries = [replace(dead_of(row).entry, attempts=0) for row in self._database.execute(query, given)]
        self._database.execute(f"DELETE FROM dead{wanted}", given)  # noqa: S608
        self._hosts.load_names(entry.host for entry in entries)
        self._put(entries, seen.among(self._database, [entry.fingerprint for entry in entries]))
        self._count(dead=-len(entries))
        self._finish()
        return len(entries)

    def take_in(self, records: Sequence[Record], seen: SeenSet) -> int:
        """Add what is not known; returns how many URLs were new."""
        added = self.totals.added
        states = [one for one in records if isinstance(one, HostState)]
        queued = with_best_scores([one for one in records if isinstance(one, Entry)])
        dead: dict[int, DeadUrl] = {}
        # Of two with one fingerprint the first counts, as when each is taken in by itself.
        for one in records:
            if isinstance(one, DeadUrl):
                dead.setdefault(one.entry.fingerprint, one)
        done = {mark for one in records if isinstance(one, DoneUrls) for mark in one.fingerprints}
        self._ids = seen.among(self._database, {*queued, *dead, *done})
        again = [(entry.fingerprint, entry.score) for entry in queued.values() if entry.fingerprint in self._ids]
        new = [entry for entry in queued.values() if entry.fingerprint not in self._ids]
        given_up = [one for mark, one in dead.items() if mark not in self._ids]
        named = [*(one.host for one in states), *(one.host for one in new), *(one.entry.host for one in given_up)]
        self._hosts.load_names(map(clean_text, named))
        for state in states:
            self._take_in_host(state)
        ids = self._insert(new)
        self._promote(again)
        ids |= self._take_in_dead([one for one in given_up if one.entry.fingerprint not in self._ids])
        ids |= self._take_in_done(sorted(done - self._ids.keys()))
        seen.add(self._database, ids)
        facts = [(clean_text(one.key), clean_text(one.value)) for one in records if isinstance(one, Fact)]
        self._database.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", facts)
        self._finish()
        return self.totals.added - added

    def _take_in_host(self, state: HostState) -> None:
        host = self._hosts[clean_text(state.host)]
        self._count(pages=max(0, state.pages - host.pages))
        host.pages = max(host.pages, state.pages)
        host.delay_seconds = max(host.delay_seconds, state.delay_seconds)
        host.is_blocked |= int(state.is_blocked)
        host.connect_seconds = state.connect_seconds if host.connect_seconds is None else host.connect_seconds
        host.response_seconds = state.response_seconds if host.response_seconds is None else host.response_seconds
        requests = host.requests_per_connection or requests_told(None, state.requests_per_connection)
        self._hosts.set_requests(host, requests)
        host.rest(state.rest_seconds, self._now)

    def _take_in_dead(self, dead: Sequence[DeadUrl]) -> dict[int, int]:
        ids = {one.entry.fingerprint: url_id for url_id, one in enumerate(dead, self.totals.added + 1)}
        for one in map(clean_dead, dead):
            self._insert_dead(one.entry, one.reason)
        self._count(dead=len(ids))
        self._ids.update(ids)
        return ids

    def _take_in_done(self, fingerprints: Sequence[int]) -> dict[int, int]:
        ids = {mark: url_id for url_id, mark in enumerate(fingerprints, self.totals.added + 1)}
        self._count(done=len(ids))
        return ids


def dead_of(row: Sequence[Any]) -> DeadUrl:
    """A row of DEAD_COLUMNS; one of the layouts before had no host."""
    url, fingerprint, host, micros, *rest, reason = row
    return DeadUrl(Entry(url, fingerprint, host or host_key(url), from_micros(micros), *rest), reason)
