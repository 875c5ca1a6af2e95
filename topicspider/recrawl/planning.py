"""Chooses the pages to ask for again, and says when each that was is due the next time."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from topicspider.recrawl.crawl_value import LONGEST_CYCLE
from topicspider.recrawl.page_history import DAY, PageHistory, seconds_of
from topicspider.store.contract import GONE, Batch, RecrawlSchedule
from topicspider.url.host import host_key

if TYPE_CHECKING:
    from topicspider.store.contract import PageMeta, Store

SLACK = 0.8
"""Cycles are so much shorter than the budget asks for: rather some more pages due than can be fetched, for the best are chosen then."""
_CHECKS_AT_ONCE = 500
_ASKED_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Chosen:
    """A page to ask for again; ``value`` says what that is worth (crawl_value.Prospect)."""

    page: PageMeta
    value: float

    @property
    def url(self) -> str:
        """Its address."""
        return self.page.check.url


@dataclass(frozen=True, slots=True)
class Choice:
    """The pages of one round, most valuable first. ``due``: how many were to be chosen from; ``next_due``: when another will be, 0 for never."""

    pages: Sequence[Chosen]
    due: int
    next_due: float = 0.0


@dataclass(frozen=True, slots=True)
class Findings:
    """What visits have brought; a page that is gone has not changed."""

    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    new_pages: int = 0
    new_hits: int = 0

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.gone + other.gone,
            self.new_pages + other.new_pages,
            self.new_hits + other.new_hits,
        )


class _Due:
    """The pages of a topic that are due, with what a fetch of each is worth now; counts them as they go by."""

    def __init__(self, survey: PageHistory, now: float, older_than: float | None, blocked: Collection[str]) -> None:
        self._survey = survey
        self._now = now
        self._older_than = older_than
        self._blocked = blocked
        self.count = 0
        self.next_due = 0.0

    def __iter__(self) -> Iterator[Chosen]:
        for page in self._survey.store.page_meta(self._survey.topic):
            if self._blocked and host_key(page.check.url) in self._blocked:
                continue
            due_at = self._due_at(page)
            if due_at <= self._now:
                self.count += 1
                days = max(0.0, self._now - page.collected_at) / DAY
                yield Chosen(page, self._survey.prospect(page).value(days))
            elif not self.next_due or due_at < self.next_due:
                self.next_due = due_at

    def _due_at(self, page: PageMeta) -> float:
        """By the page's cycle; by its age alone when that was asked for, except for a page that is gone."""
        if not page.check.is_checked:
            return 0.0
        has_cycle = self._older_than is None or page.status in GONE
        return page.collected_at + (page.check.update_cycle if has_cycle else self._older_than or 0.0)


def choose(
    store: Store,
    topics: Sequence[str],
    now: float,
    budget: int,
    older_than: float | None = None,
    blocked: Collection[str] = (),
) -> Choice:
    """The ``budget`` most valuable of the pages whose update cycle is over at ``now`` (seconds since 1970).

    With ``older_than`` (seconds): of those collected longer ago than that, whatever their cycle. A page of several topics is worth
    what it is worth for the best of them. Those of hosts that are ``blocked`` (as url.host.host_key names them) are left out.
    """
    found = [_Due(PageHistory.of(store, topic), now, older_than, blocked) for topic in topics]
    best: dict[str, Chosen] = {}
    for due in found:
        for one in heapq.nsmallest(budget, due, key=_order):
            if one.url not in best or _order(one) < _order(best[one.url]):
                best[one.url] = one
    later = [due.next_due for due in found if due.next_due]
    chosen = heapq.nsmallest(budget, best.values(), key=_order)
    return Choice(chosen, sum(due.count for due in found), min(later, default=0.0))


def _order(one: Chosen) -> tuple[bool, float, str]:
    return one.page.check.is_checked, -one.value, one.url


def settle(store: Store, topics: Sequence[str], since: str, fetches_a_day: float) -> Findings:
    """Give each page that was collected at ``since`` (ISO 8601) or later its next update cycle; returns what those visits brought."""
    findings = Findings()
    for topic in topics:
        survey = PageHistory.of(store, topic)
        level = survey.level(fetches_a_day / SLACK)
        visited = store.page_meta(topic, seconds_of(since))
        _write(store, (_next_check(survey, page, level) for page in visited))
        findings += _findings(store, topic, since)
    return findings


def _next_check(survey: PageHistory, page: PageMeta, level: float) -> RecrawlSchedule:
    """One that is gone waits as long again as it has been: twice as long each time."""
    days = survey.days_gone(page) if page.status in GONE else survey.prospect(page).cycle(level)
    return RecrawlSchedule(page.check.topic, page.check.url, round(min(days, LONGEST_CYCLE) * DAY, 3))


def _findings(store: Store, topic: str, since: str) -> Findings:
    changed = unchanged = gone = pages = hits = 0
    for row in store.change_log(topic, since):
        gone += not row.content_hash
        changed += row.is_changed and row.content_hash != 0
        unchanged += not row.is_changed and row.content_hash != 0
    for page in store.page_meta(topic, seconds_of(since)):
        if page.first_seen >= seconds_of(since):
            pages += 1
            hits += page.on_topic and not page.is_copy
    return Findings(changed, unchanged, gone, pages, hits)


def back_off(store: Store, topics: Sequence[str], urls: Iterable[str], now: float) -> None:
    """Have pages that could not be had wait as long again as they have waited."""
    wanted = iter(sorted(set(urls)))
    while some := list(islice(wanted, _ASKED_AT_ONCE)):
        for topic in topics:
            _write(store, (_later_check(page, now) for page in store.page_meta_of(topic, some)))


def _later_check(page: PageMeta, now: float) -> RecrawlSchedule:
    return RecrawlSchedule(page.check.topic, page.check.url, round(min(2 * _waited(page, now), LONGEST_CYCLE * DAY), 3))


def _waited(page: PageMeta, now: float) -> float:
    """Seconds since ``page`` was collected; an older version only noted when it was seen first."""
    return max(0.0, now - max(page.collected_at, page.first_seen))


def _write(store: Store, checks: Iterator[RecrawlSchedule]) -> None:
    while some := list(islice(checks, _CHECKS_AT_ONCE)):
        store.write(Batch(checks=some))
