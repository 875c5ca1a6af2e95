"""The node's side of the protocol with its frontier: when to call, how many hosts to lease, what to do during an outage."""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.heartbeat import DRAINING, ENDED, SILENT_SECONDS, WORKING, Heartbeat, RateMeter, node_name
from topicspider.frontier.protocol import Counts, Frontier, Grant, Work

if TYPE_CHECKING:
    from topicspider.frontier.redis.frontier import RedisFrontier

logger = logging.getLogger(__name__)

EMBEDDED = "local"
POLL_SECONDS = 1.0  # meanwhile other nodes may find links and complete hosts, or an operator may block a host
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0
REMINDER_SECONDS = 60.0
HEARTBEAT_SECONDS = 2.0  # a call carries a heartbeat when the last one is this old
LONGEST_SILENCE = 5.0  # a call is made for the heartbeat alone when the last one is this old
Progress = Callable[[], tuple[int, int, int, float]]
"""Returns (pages so far, hits so far, number of store outages, their total seconds)."""


RULES, LOSS = "rules", "loss"
"""Keys of two facts of a frontier: the rules of the node that joined last; and what the server lost of the crawl, until it begins anew."""
EMPTIED, DROPPED = "emptied", "dropped keys"


def differing(text: str, rules: Mapping[str, str]) -> list[str]:
    """The sorted names of the rules that differ between ``text`` (the rules of another node, as JSON) and ``rules``."""
    try:
        told = dict(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        told = {}
    return sorted(name for name in {*rules, *map(str, told)} if told.get(name) != rules.get(name))


class FrontierNode:
    """One process of a crawl. ``sync`` and ``leave`` do I/O: call them in a worker thread. Everything else only reads memory.

    ``label``: the node's name for people. ``name``: the unique name in its leases. ``ahead``: how many hosts are leased beyond the number
    of connections, so that no connection waits for a call. ``urls_per_host``: URLs leased with each host. ``rules``: the crawl's settings
    by name; a warning is logged when another node's differ. ``is_draining``: the node leases no more URLs and finishes those it has.
    """

    def __init__(
        self,
        frontier: Frontier,
        lease_seconds: float,
        concurrency: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        label: str = "",
        urls_per_host: int = 1,
        rules: Mapping[str, str] | None = None,
    ) -> None:
        self._frontier = frontier
        self._shared = cast("RedisFrontier", frontier) if hasattr(frontier, "sync") else None
        self._lease_seconds = lease_seconds
        self._urls_per_host = urls_per_host
        self._clock = clock
        self._renewed_at = clock()
        self._away_since: float | None = None
        self._pause = FIRST_PAUSE
        self._reminded_at = -REMINDER_SECONDS
        self._evicted = 0
        self._rules = dict(rules or {}) if self._shared is not None else {}
        self._rules_known, self._compare_at = "", 0.0
        self._before: tuple[str, dict[bytes, bytes]] = ("", {})  # rules and heartbeats at this node's start
        self.loss = ""  # EMPTIED or DROPPED; set when this node ends
        self._outages = 0
        self._away_seconds = 0.0
        self.progress: Progress = lambda: (0, 0, 0, 0.0)
        self._pace = RateMeter(clock)
        self._began_at = clock()
        self._heartbeat_at: float | None = None
        self.check_seconds = min(0.2, 0.02 * lease_seconds)
        """Seconds between two checks of ``may_continue``: 2 % of a lease, at most 0.2 s, so well within the lease's last tenth."""
        self.is_shared = self._shared is not None
        self.is_draining = False
        self.label = node_name(label) if self.is_shared else EMBEDDED
        self.name = f"{self.label}-{secrets.token_hex(4)}" if self.is_shared else EMBEDDED
        self.batch_seconds = 0.05 if self.is_shared else 0.0  # events within this time are reported in one call
        self.ahead = max(1, concurrency // 4) if self.is_shared else 0
        self.calls = 0

    def sync(self, work: Work, room: int) -> tuple[Grant, Counts]:
        """Report ``work`` and lease up to ``room`` hosts (0: none)."""
        began = self._clock()
        if self._rules and began >= self._compare_at:
            self._compare_rules(began)
        if self._shared is None:
            answer = self._sync_with_file(work, room)
        else:
            heartbeat = self._heartbeat() if self._is_silent_for(HEARTBEAT_SECONDS) else ""
            answer = self._shared.sync(work, self.name, room or -1, self._urls_per_host, self._lease_seconds, heartbeat)
            self._heartbeat_at = began if heartbeat else self._heartbeat_at
        self.calls += 1
        evicted = answer[1].evicted
        if evicted and not self._evicted:
            words = "The frontier's memory is nearly full: queued URLs with the lowest scores are given up, %s by now"
            logger.warning(words, evicted)
        self._evicted = evicted
        self._renewed_at = began
        self._note_answer(began)
        return answer

    def must_sync(self, work: Work, room: int) -> bool:
        """Whether a call is due: there is work to report, room for leases, a lease to renew, or a heartbeat to send."""
        if not self.is_shared or work or room > 0 or self._is_silent_for(LONGEST_SILENCE):
            return True
        return self._clock() - self._renewed_at > self._lease_seconds / 3

    def sleep_seconds(self, grant: Grant, room: int, holds: int) -> float | None:
        """How long to sleep before the next call; None: until woken. ``holds``: how many URLs are leased to this node."""
        if not self.is_shared:
            return POLL_SECONDS if grant.wait_seconds is None else min(grant.wait_seconds, POLL_SECONDS)
        longest = min(self._lease_seconds / 3, LONGEST_SILENCE) if holds else POLL_SECONDS
        if room <= 0:
            return longest
        return min(longest, POLL_SECONDS, POLL_SECONDS if grant.wait_seconds is None else grant.wait_seconds)

    def may_start(self, host: str) -> bool:
        """Whether a fetch from ``host`` may start: not when half of its lease has passed without a renewal (promise F2)."""
        return self._seconds_since_renewal(host) < self._lease_seconds / 2

    def may_continue(self, host: str) -> bool:
        """Whether a running fetch from ``host`` may go on: not in the last tenth of a lease that could not be renewed (promise F2)."""
        # the last tenth is a margin for inexact clocks and for a process that is busy
        return self._seconds_since_renewal(host) < 0.9 * self._lease_seconds

    def _seconds_since_renewal(self, host: str) -> float:
        """Seconds since the last certain renewal of the lease of ``host``; 0 if it has no lease, or the frontier is embedded."""
        if self._shared is None or not self._shared.holds_host(host):
            return 0.0
        return self._clock() - self._renewed_at

    def holds(self, host: str, token: int) -> bool:
        return self._shared is None or self._shared.holds(host, token)

    @property
    def restarts(self) -> int:
        """A count that rises whenever the frontier's server was restarted and may have forgotten what it had confirmed."""
        return 0 if self._shared is None else self._shared.restarts

    @property
    def emptied(self) -> int:
        """How often the frontier's server had lost the crawl; these are included in ``restarts``."""
        return 0 if self._shared is None else self._shared.emptied

    @property
    def asked(self) -> str:
        """The request to this node (heartbeat.DRAIN or STOP); "" for none."""
        return "" if self._shared is None else self._shared.asked

    @property
    def outages(self) -> tuple[int, float]:
        """(how often the frontier did not answer, for how many seconds in total), an outage under way included."""
        since = 0.0 if self._away_since is None else self._clock() - self._away_since
        return self._outages, self._away_seconds + since

    def drain(self) -> None:
        """Stop leasing URLs; the next call reports it in a heartbeat."""
        self.is_draining, self._heartbeat_at = True, None

    def leave(self, work: Work, reason: str) -> None:
        """Report the last work and the end of this node, then close the frontier. URLs that cannot be reported will be fetched again."""
        trouble: FrontierUnavailable | None = None
        for attempt in range(3 if self._away_since is None else 1):
            try:
                self._frontier.apply(work)
                self._frontier.set_meta("reason", reason)
                if self._shared is not None:
                    with suppress(FrontierUnavailable):  # then the node is shown as gone
                        self._shared.sync(Work(), self.name, -1, 0, self._lease_seconds, self._heartbeat(reason))
                    self.loss = self._note_loss(self._shared)
                break
            except FrontierUnavailable as error:
                trouble = error
                time.sleep(0.2 * attempt)
        else:
            logger.error("%s", trouble)
        self._frontier.close()

    def seconds_after_failure(self, error: FrontierUnavailable) -> float:
        """Seconds to wait before the next try: an exponential back-off. Logs the outage when it begins, and then once a minute."""
        now = self._clock()
        if self._away_since is None:
            self._away_since, self._pause = now, FIRST_PAUSE
            self._outages += 1
            self._reminded_at = now - REMINDER_SECONDS
        if now - self._reminded_at >= REMINDER_SECONDS:
            self._reminded_at = now
            logger.warning("%s; the crawl goes on with what it holds, and waits", error)
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        return pause

    def _note_loss(self, shared: RedisFrontier) -> str:
        """Store and return what the server lost of the crawl: EMPTIED or DROPPED in this run, else what an earlier run stored."""
        loss = EMPTIED if self.emptied else DROPPED if shared.evicted_keys() else shared.meta(LOSS)
        if loss:
            shared.set_meta(LOSS, loss)
        return loss

    def _compare_rules(self, now: float) -> None:
        """Warn when the node that joined last has other rules. On its first call, a node writes its own rules.

        It warns of differing rules from before it joined only after one of the nodes then present has sent another heartbeat: a killed node
        never reported its end.
        """
        told, own = self._frontier.meta(RULES), json.dumps(self._rules, ensure_ascii=False, sort_keys=True)
        if not self._rules_known:
            self._before = (told or own, self._last_words())
            if told != own:
                self._frontier.set_meta(RULES, own)
            self._rules_known, self._compare_at = own, now + SILENT_SECONDS
            return
        rules, words = self._before
        if rules != own and any(words.get(name, text) != text for name, text in self._last_words().items()):
            self._warn_of_rules(rules, "before")
        if told not in ("", own, self._rules_known):
            self._warn_of_rules(told, "now")
        self._before = (own, {})
        self._rules_known, self._compare_at = told or own, now + REMINDER_SECONDS

    def _last_words(self) -> dict[bytes, bytes]:
        """The last heartbeat of each node that has not reported its end."""
        heartbeats = self._shared.run("HGETALL", "nodes") if self._shared is not None else {}
        return {name: text for name, text in heartbeats.items() if Heartbeat.read(text, "").state != ENDED}

    def _warn_of_rules(self, rules: str, when: str) -> None:
        names = ", ".join(differing(rules, self._rules))
        logger.warning("%s crawls by other rules than the node that joined %s: %s", self.label, when, names)

    def _note_answer(self, asked_at: float) -> None:
        now = self._clock()
        if self._away_since is not None:
            logger.warning("The frontier answers again after %.1f s", now - self._away_since)
            self._away_seconds += now - self._away_since
            self._away_since = None
        elif now - asked_at > HEARTBEAT_SECONDS and now - self._reminded_at >= REMINDER_SECONDS:
            self._reminded_at = now
            words = "A call to the frontier took %.1f s: it, or this process, stood still; nothing is lost by that"
            logger.warning(words, now - asked_at)

    def _is_silent_for(self, seconds: float) -> bool:
        return self.is_shared and (self._heartbeat_at is None or self._clock() - self._heartbeat_at >= seconds)

    def _heartbeat(self, reason: str = "") -> str:
        pages, hits, store_outages, store_away = self.progress()
        outages, away = self.outages
        heartbeat = Heartbeat(
            name=self.label,
            state=ENDED if reason else DRAINING if self.is_draining else WORKING,
            seconds=round(self._clock() - self._began_at, 1),
            pages=pages,
            hits=hits,
            rate=0.0 if reason else round(self._pace.look(pages), 3),
            lease=self._lease_seconds,
            outages=outages,
            away=round(away, 1),
            restarts=self.restarts,
            reason=reason,
            store_outages=store_outages,
            store_away=round(store_away, 1),
        )
        return heartbeat.text()

    def _sync_with_file(self, work: Work, room: int) -> tuple[Grant, Counts]:
        if work:
            self._frontier.apply(work)
        counts = self._frontier.counts()
        self._frontier.renew(self.name, self._lease_seconds)  # URLs in flight stay leased, however slow the page
        if not room:
            return Grant((), None), counts
        return self._frontier.acquire(self.name, room, self._urls_per_host, self._lease_seconds), counts
