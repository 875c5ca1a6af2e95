"""The frontier of one recrawl round: known pages by value, and a limited share of newly found links."""

from __future__ import annotations

import heapq
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice

from topicspider.frontier.inspection import HostState
from topicspider.frontier.protocol import Completion, End, Entry, Frontier, Grant, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier

NEW_SHARE = 0.25
"""Largest share of visits to pages never seen before, as long as known pages that are due are left."""
POOL = 10_000
"""Most found links that are ranked at a time; further ones are visited when nothing else is left."""
GONE_REASON, SAME_REASON = "not_found", "not_modified"
_ANSWERED = frozenset({GONE_REASON, SAME_REASON, "soft_not_found"})
MOVED_REASON = "redirect"
_NEVER_ASKED = frozenset(
    {MOVED_REASON, "filtered", "lost_request", "robots", "do_not_crawl", "private_address", "scheme", "bad_url", "host_down"}
)  # fmt: skip
_PLAN, _COUNTS, _OWNER = "recrawl.plan", "recrawl.counts", "recrawl.owner"
_APART = 10.0  # subtracted from found links' scores: after all known pages; added to them when it is their turn: before those
_OVER = ("finished", "max_pages")

Stored = Callable[[Sequence[str]], set[str]]
"""Returns those of some hundred URLs of which the store has a page."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The start of a round: when (ISO 8601), its budget of visits, the number of known pages chosen, and the days since the last round."""

    began_at: str
    budget: int
    chosen: int
    days: float

    @property
    def fetches_a_day(self) -> float:
        """The visits per day to expect if the rounds go on as before."""
        return self.budget / self.days


class RevisitQueue:
    """A Frontier on top of another, ``inner``, which keeps the round over restarts; see Frontier for the promises.

    Entries added by ``apply`` are links found on the way: those that the crawl already knows are left out, the others wait behind the known
    pages, and the best are promoted up to NEW_SHARE of the visits. A response without a page (not modified, gone) counts as a visit, and so
    does, once, a page that has failed ``attempts`` times: so ``max_pages`` of the inner frontier is the budget. Scores are not revised from
    outside: a learner's values of links do not tell what a revisit is worth.
    """

    def __init__(
        self,
        inner: SqliteFrontier,
        crawl: Frontier,
        stored: Stored,
        *,
        hosts: Iterable[HostState] = (),
        pages_per_host: int | None = None,
        attempts: int = 3,
    ) -> None:
        """``crawl``: the frontier of the crawl, which knows what was fetched or queued; it is closed with this one.

        ``hosts``: the crawl's current host states; their rests, delays and blocks apply here, too. ``pages_per_host`` (None: no limit)
        applies to new pages. ``attempts``: the same as for ``inner``.
        """
        self._inner = inner
        self._crawl = crawl
        self._stored = stored
        self._pages_per_host = pages_per_host
        self._pages: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()  # host to new pages in this round
        self._steering: list[HostState] = []
        for state in hosts:
            if pages_per_host is not None:
                self._pages[state.host] = state.pages
            rules = {name: getattr(state, name) for name in ("rest_seconds", "delay_seconds", "is_blocked")}
            if any(rules.values()):  # without its page count: those were no visits of this round
                self._steering.append(HostState(state.host, **rules))
        self._attempts = attempts
        self._applies = 0
        self._asked: dict[int, Entry] = {}
        counts = json.loads(inner.meta(_COUNTS) or "{}")
        self.outcomes: Counter[str] = Counter(counts.get("outcomes", {}))
        self.missed: dict[str, str] = {}
        """URL to reason, of the pages that could not be fetched in this run."""
        self._forward = int(counts.get("forward", 0))
        self.visits = inner.counts().pages
        """Number of visits made in this round, as of the last flush."""
        self.blocked = frozenset(state.host for state in self._steering if state.is_blocked)
        """Hosts to which no requests are sent."""
        # all other methods are those of the inner frontier; its ``pages`` count visits
        self.renew, self.known, self.counts, self.peek = inner.renew, inner.known, inner.counts, inner.peek
        self.meta, self.set_meta, self.clear = inner.meta, inner.set_meta, inner.clear
        inner.take_in(self._steering)
        # after a restart: the best of the found links that were not promoted yet
        found = (entry for entry in inner.peek(POOL) if entry.score < 0.0)
        self._pool = [(-entry.score, entry.fingerprint) for entry in found]
        heapq.heapify(self._pool)

    @property
    def plan(self) -> RoundPlan | None:
        """The plan of the latest round; None before the first."""
        text = self._inner.meta(_PLAN)
        return RoundPlan(**json.loads(text)) if text else None

    def owner_on(self, machine: str) -> str:
        """A unique owner name of this queue on ``machine``: the same after a restart, but different for a copy on another machine."""
        if not self._inner.meta(_OWNER):
            self._inner.set_meta(_OWNER, secrets.token_hex(8))
        return f"{self._inner.meta(_OWNER).partition('@')[0]}@{machine}"

    @property
    def is_open(self) -> bool:
        """Whether a round was begun and not completed: visits are left, and it was interrupted or killed."""
        plan = self.plan
        is_left = plan is not None and self.visits < plan.budget and self._inner.counts().queued > 0
        return is_left and self._inner.meta("reason") not in _OVER

    def begin(self, plan: RoundPlan, entries: Sequence[Entry]) -> None:
        """Discards the last round and begins one with these known pages, most valuable first."""
        owner = self._inner.meta(_OWNER)
        self._inner.clear()
        self._inner.set_meta(_OWNER, owner)
        self.outcomes.clear()
        self._pool.clear()
        self._forward = self.visits = 0
        self._taken.clear()
        self._inner.take_in(self._steering)
        count = len(entries)
        self._inner.apply(
            Work(entries=[replace(entry, score=1.0 - place / count) for place, entry in enumerate(entries)])
        )
        self._note_counts()
        self._inner.set_meta(_PLAN, json.dumps(asdict(plan)))

    def go_on(self, budget: int) -> RoundPlan:
        """Continues the open round with ``budget`` visits in all; returns its plan. The inner frontier must already have that limit."""
        assert self.plan is not None
        plan = replace(self.plan, budget=budget)
        self._inner.set_meta(_PLAN, json.dumps(asdict(plan)))
        return plan

    def _note_counts(self) -> None:
        self._inner.set_meta(_COUNTS, json.dumps({"outcomes": dict(self.outcomes), "forward": self._forward}))

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        grant = self._inner.acquire(node, hosts, urls_per_host, lease_seconds)
        self._asked.update((entry.fingerprint, entry) for lease in grant.leases for entry in lease.entries)
        return grant

    def apply(self, work: Work) -> int:
        found = self._new(work.entries)
        completions = [self._counted(one) for one in work.completions]
        new = self._inner.apply(replace(work, completions=completions, entries=found, promotions=(), revisions=()))
        ranked = (entry for entry in found if entry.score < 0.0)
        for entry in islice(ranked, max(0, POOL - len(self._pool))):
            heapq.heappush(self._pool, (-entry.score, entry.fingerprint))
        self.visits = self._inner.counts().pages
        if promotions := self._next_found():
            self._inner.apply(Work(promotions=promotions))
        self._applies += 1
        if self._applies % 20 == 0:  # a killed round loses at most so many counts
            self._note_counts()
        return new

    def _new(self, entries: Sequence[Entry]) -> list[Entry]:
        """The entries not known yet: redirect targets and sitemaps go before the known pages, other links behind them."""
        fingerprints = [entry.fingerprint for entry in entries]
        known = self._crawl.known(fingerprints) | self._inner.known(fingerprints) if entries else set()
        unknown = [entry for entry in entries if entry.fingerprint not in known]
        stored: set[str] = set()
        for at in range(0, len(unknown), 200):
            stored |= self._stored([entry.url for entry in unknown[at : at + 200]])
        return [
            replace(entry, score=_APART if entry.payload else -_APART + _squeezed(entry.score))
            for entry in unknown
            if entry.url not in stored
            and entry.host not in self.blocked
            and (entry.payload or self._has_room(entry.host))
        ]

    def _has_room(self, host: str) -> bool:
        """Whether one more new page of ``host`` may be queued; each call counts one."""
        if self._pages_per_host is None:
            return True
        self._taken[host] += 1
        return self._pages[host] + self._taken[host] <= self._pages_per_host

    def _counted(self, completion: Completion) -> Completion:
        """The completion as the inner frontier is to count it; also records its outcome."""
        if completion.end is End.RELEASED:
            return completion
        entry = self._asked.pop(completion.fingerprint, None)
        is_last = completion.end is End.FAILED and entry is not None and entry.attempts + 1 >= self._attempts
        if completion.end is not End.FAILED or is_last:
            self.outcomes["page" if completion.end is End.PAGE else completion.reason] += 1
        if entry is not None and completion.end is not End.PAGE and completion.reason not in _ANSWERED:
            self.missed[entry.url] = completion.reason
        elif entry is not None:
            self.missed.pop(entry.url, None)
        if (completion.end is End.NO_PAGE or is_last) and completion.reason not in _NEVER_ASKED:
            return replace(completion, end=End.PAGE)
        return completion

    def _next_found(self) -> list[tuple[int, float]]:
        """(fingerprint, score) of the best found links to promote, as far as NEW_SHARE allows."""
        allowed = int(NEW_SHARE / (1.0 - NEW_SHARE) * max(0, self.visits - self._forward))
        promotions = []
        while self._pool and self._forward < allowed:
            score, fingerprint = heapq.heappop(self._pool)
            promotions.append((fingerprint, _APART - score))
            self._forward += 1
        return promotions

    def close(self) -> None:
        """As Frontier.close; the counts are saved for the next run."""
        self._note_counts()
        self._inner.close()
        self._crawl.close()


def _squeezed(score: float) -> float:
    """``score`` mapped monotonically to (-1, 1), whatever the link policy's scale."""
    return score / (1.0 + abs(score))
