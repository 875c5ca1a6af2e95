"""Chooses the pages to revisit by their history in the store, and computes when each revisited page is due again."""

from __future__ import annotations

import heapq
import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from itertools import islice
from operator import attrgetter

from topicspider.items import HUB
from topicspider.recrawl.crawl_value import (
    LONGEST_CYCLE,
    SEEN_VISITS,
    SHORTEST_CYCLE,
    Prospect,
    UsualRates,
    Visits,
    change_rate,
    level_of,
)
from topicspider.store.rows import GONE, Batch, ChangeRow, PageMeta, RecrawlSchedule, seconds_of, url_hash
from topicspider.store.store import Store
from topicspider.url import host_key

DAY = 86400.0
OFF_TOPIC = 0.1
"""Value of a miss, or a copy of a hit, relative to a hit of the same relevance: nobody reads it, but it may become a hit."""
_LISTS = (HUB, "list", "forum")


@dataclass(slots=True)
class PageHistory:
    """The history of a topic's pages in the store: results of revisits, and hits found through each page. Does not hold the pages."""

    store: Store
    topic: str
    _visits: dict[bytes, array[float]] = field(default_factory=dict)
    """URL hash of each revisited page to times (seconds since 1970) of its first and last revisits; negative if nothing had changed."""
    _stock: Counter[bytes] = field(default_factory=Counter)
    """Number of hits that a page (by URL hash) led to before its first revisit."""
    _later: Counter[bytes] = field(default_factory=Counter)
    """Number of hits that it led to since then."""
    _usual: UsualRates = field(default_factory=UsualRates)
    pages: int = 0
    """Number of the topic's pages."""

    @classmethod
    def of(cls, store: Store, topic: str) -> PageHistory:
        survey = cls(store, topic)
        survey._read_changes(store.change_log(topic))
        survey._usual = UsualRates.of(survey._watched(store.page_meta(topic)))
        return survey

    def level(self, fetches_a_day: float) -> float:
        """The value of a fetch at which all pages of the topic together need ``fetches_a_day``; by a sample, the smallest URL hashes."""
        sample = heapq.nsmallest(2000, self.store.page_meta(self.topic), key=attrgetter("url_hash"))
        share = len(sample) / max(1, self.pages)
        return level_of([self.prospect(page) for page in sample], fetches_a_day * share)

    def prospect(self, page: PageMeta) -> Prospect:
        usual = self._usual.of_group(_group(page))
        weight = page.relevance if page.on_topic and not page.is_copy else page.relevance * OFF_TOPIC
        return Prospect(max(0.0, weight), change_rate(self._visits_of(page), usual), self._hits_a_day(page))

    def days_gone(self, page: PageMeta) -> float:
        """Days from the last time ``page`` existed to the last visit; at least 1."""
        there = max(map(abs, self._visits.get(page.url_hash, ())), default=page.first_seen)
        return max(1.0, (page.collected_at - there) / DAY)

    def _hits_a_day(self, page: PageMeta) -> float:
        stock, later = self._stock[page.url_hash], self._later[page.url_hash]
        watched = max(0.0, page.collected_at - page.first_seen) / DAY
        # a prior of one tenth of the first hits in a week, until later visits show more
        return (0.1 * stock + later) / (7.0 + watched)

    def _read_changes(self, changes: Iterable[ChangeRow]) -> None:
        """Records the times of revisits; intervals are computed later, when the time of the first visit is known."""
        for row in changes:
            if row.content_hash:  # 0 for a page that is gone, which does not tell how often it changes
                seen = self._visits.setdefault(row.url_hash, array("d"))
                seen.append(math.copysign(seconds_of(row.seen_at), 1 if row.is_changed else -1))
                if len(seen) > 2 * SEEN_VISITS + 2:
                    ordered = sorted(seen, key=abs)
                    self._visits[row.url_hash] = array("d", [ordered[0], *ordered[-SEEN_VISITS - 1 :]])

    def _watched(self, pages: Iterable[PageMeta]) -> Iterator[tuple[str, Visits]]:
        """(group, visits) of the revisited ``pages``; also counts all pages and the hits they led to."""
        for page in pages:
            self.pages += 1
            self._note_lead(page)
            if page.url_hash in self._visits:
                yield _group(page), self._visits_of(page)

    def _note_lead(self, page: PageMeta) -> None:
        if not page.on_topic or page.is_copy or not page.referrer:
            return
        mark = url_hash(page.referrer)
        again = self._visits.get(mark)
        is_later = again and page.first_seen >= min(map(abs, again))
        (self._later if is_later else self._stock)[mark] += 1

    def _visits_of(self, page: PageMeta) -> list[tuple[float, bool]]:
        visits, before = [], page.first_seen
        with suppress(ValueError, TypeError, OverflowError):
            modified = parsedate_to_datetime(page.last_modified).timestamp()
            if 0 < modified < before:
                visits.append((min((before - modified) / DAY, 365.0), False))  # Last-Modified is believed for a year
        for moment in sorted(self._visits.get(page.url_hash, ()), key=abs):
            visits.append(((abs(moment) - before) / DAY, moment > 0))
            before = abs(moment)
        return visits[-SEEN_VISITS:]


def _group(page: PageMeta) -> str:
    """The group of pages with similar change rates: a host's lists, or its other pages."""
    return f"{page.host} {'list' if page.type in _LISTS else 'page'}"


SLACK = 0.8
"""Cycles are computed for a budget divided by this, so that somewhat more pages are due than can be fetched, and the best are chosen."""
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Chosen:
    """A page to revisit, and the ``value`` of that (crawl_value.Prospect)."""

    page: PageMeta
    value: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The pages of one round, most valuable first. ``due``: how many were due; ``next_due``: when the next one is (0: never)."""

    pages: Sequence[Chosen]
    due: int
    next_due: float = 0.0


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of revisits, as numbers of pages; a page that is gone does not count as changed."""

    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    new_pages: int = 0
    new_hits: int = 0


def choose(
    store: Store,
    topics: Sequence[str],
    now: float,
    budget: int,
    older_than: float | None = None,
    blocked: Collection[str] = (),
) -> Choice:
    """The ``budget`` most valuable of the pages whose update cycle is over at ``now`` (seconds since 1970).

    With ``older_than`` (seconds): of the pages collected longer ago than that, whatever their cycle. A page of several topics has its
    highest value among them. Pages of ``blocked`` hosts (host:port, see url.host_key) are left out.
    """
    due, later = 0, math.inf

    def chosen(survey: PageHistory) -> Iterator[Chosen]:
        nonlocal due, later
        for page in store.page_meta(survey.topic):
            if blocked and host_key(page.url) in blocked:
                continue
            if page.collected_at > now + DAY:  # by a clock that was ahead: do not wait until then
                page = replace(page, collected_at=now - LONGEST_CYCLE * DAY)
            # its cycle; or older_than if given, except for a page that is gone
            wait = page.update_cycle if older_than is None or page.status in GONE else older_than
            due_at = page.collected_at + wait if page.is_checked else 0.0
            if due_at <= now:
                due += 1
                days = max(0.0, now - page.collected_at) / DAY
                yield Chosen(page, survey.prospect(page).value(days))
            else:
                later = min(later, due_at)

    best: dict[str, Chosen] = {}
    for topic in topics:
        for one in heapq.nsmallest(budget, chosen(PageHistory.of(store, topic)), key=_order):
            if one.page.url not in best or _order(one) < _order(best[one.page.url]):
                best[one.page.url] = one
    pages = heapq.nsmallest(budget, best.values(), key=_order)
    return Choice(pages, due, later if later < math.inf else 0.0)


def _order(one: Chosen) -> tuple[bool, float, str]:
    return one.page.is_checked, -one.value, one.page.url


def settle(store: Store, topics: Sequence[str], since: str, fetches_a_day: float) -> Findings:
    """Sets the next update cycle of each page collected at ``since`` (ISO 8601) or later; returns the results of these visits."""
    findings: Counter[str] = Counter()
    for topic in topics:
        survey = PageHistory.of(store, topic)
        level = survey.level(fetches_a_day / SLACK)
        visited = store.page_meta(topic, seconds_of(since))
        while some := list(islice(visited, _AT_ONCE)):
            # a page that is gone waits as long as it has been gone: twice as long each time
            days = [
                survey.days_gone(page) if page.status in GONE else survey.prospect(page).cycle(level) for page in some
            ]
            store.write(Batch(checks=[_check_after(page, DAY * wait) for page, wait in zip(some, days, strict=True)]))
        findings.update(_findings(store, topic, since))
    return Findings(**findings)


def _findings(store: Store, topic: str, since: str) -> Iterator[str]:
    for row in store.change_log(topic, since):
        yield "gone" if not row.content_hash else "changed" if row.is_changed else "unchanged"
    for page in store.page_meta(topic, seconds_of(since)):
        if page.first_seen >= seconds_of(since):
            yield "new_pages"
            if page.on_topic and not page.is_copy:
                yield "new_hits"


def back_off(store: Store, topics: Sequence[str], urls: Iterable[str], now: float) -> None:
    """Doubles the time that pages which could not be fetched have waited; they wait at least their update cycle."""
    wanted = iter(sorted(set(urls)))
    while some := list(islice(wanted, _AT_ONCE)):
        for topic in topics:
            pages = store.page_meta_of(topic, some)
            # a round may ask early (--older-than)
            waits = [(page, max(2 * (now - page.collected_at), page.update_cycle)) for page in pages]
            store.write(Batch(checks=[_check_after(page, seconds) for page, seconds in waits]))


def _check_after(page: PageMeta, seconds: float) -> RecrawlSchedule:
    cycle = min(max(seconds, SHORTEST_CYCLE * DAY), LONGEST_CYCLE * DAY)
    return RecrawlSchedule(page.topic, page.url, round(cycle, 3))
