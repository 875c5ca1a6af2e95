"""Chooses the pages to ask for again by what the store knows of them, and says when each that was is due the next time."""

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
"""What a miss, or a copy of another hit, is worth beside a hit of the same relevance: nobody reads it, but it may become one."""
_LISTS = (HUB, "list", "forum")


@dataclass(slots=True)
class PageHistory:
    """A topic's pages as the store has them now. Holds what visits again and hubs have given, not the pages."""

    store: Store
    topic: str
    _visits: dict[bytes, array[float]] = field(default_factory=dict)
    """Of each page that was visited again: when first, then the last visits; negative where nothing had changed."""
    _stock: Counter[bytes] = field(default_factory=Counter)
    """Hits that a page led to until its second visit."""
    _later: Counter[bytes] = field(default_factory=Counter)
    """Those since."""
    _usual: UsualRates = field(default_factory=UsualRates)
    pages: int = 0
    """How many the topic has."""

    @classmethod
    def of(cls, store: Store, topic: str) -> PageHistory:
        survey = cls(store, topic)
        survey._read_changes(store.change_log(topic))
        survey._usual = UsualRates.of(survey._watched(store.page_meta(topic)))
        return survey

    def level(self, fetches_a_day: float) -> float:
        """The value of a fetch at which all pages of the topic together want ``fetches_a_day``; by those with the smallest hashes, a draw."""
        sample = heapq.nsmallest(2000, self.store.page_meta(self.topic), key=attrgetter("url_hash"))
        share = len(sample) / max(1, self.pages)
        return level_of([self.prospect(page) for page in sample], fetches_a_day * share)

    def prospect(self, page: PageMeta) -> Prospect:
        usual = self._usual.of_group(_group(page))
        weight = page.relevance if page.on_topic and not page.is_copy else page.relevance * OFF_TOPIC
        return Prospect(max(0.0, weight), change_rate(self._visits_of(page), usual), self._hits_a_day(page))

    def days_gone(self, page: PageMeta) -> float:
        """From when ``page`` was last there to the last visit, at least a day."""
        there = max(map(abs, self._visits.get(page.url_hash, ())), default=page.first_seen)
        return max(1.0, (page.collected_at - there) / DAY)

    def _hits_a_day(self, page: PageMeta) -> float:
        stock, later = self._stock[page.url_hash], self._later[page.url_hash]
        watched = max(0.0, page.collected_at - page.first_seen) / DAY
        # of the hits that it led to at first, one in ten is taken to be as new as a week, until its later visits say more
        return (0.1 * stock + later) / (7.0 + watched)

    def _read_changes(self, changes: Iterable[ChangeRow]) -> None:
        """Moments first: the days between two visits are counted when it is known when the first was."""
        for row in changes:
            if row.content_hash:  # else it is gone, which tells nothing of how often it changes
                seen = self._visits.setdefault(row.url_hash, array("d"))
                seen.append(math.copysign(seconds_of(row.seen_at), 1 if row.is_changed else -1))
                if len(seen) > 2 * SEEN_VISITS + 2:
                    ordered = sorted(seen, key=abs)
                    self._visits[row.url_hash] = array("d", [ordered[0], *ordered[-SEEN_VISITS - 1 :]])

    def _watched(self, pages: Iterable[PageMeta]) -> Iterator[tuple[str, Visits]]:
        """Group and visits of those ``pages`` that were visited again; on the way all else is noted."""
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
    """Pages of a site's lists change as each other do, and so do its articles."""
    return f"{page.host} {'list' if page.type in _LISTS else 'page'}"


SLACK = 0.8
"""Cycles are so much shorter than the budget asks for: rather some more pages due than can be fetched, for the best are chosen then."""
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Chosen:
    """A page to ask for again; ``value`` says what that is worth (crawl_value.Prospect)."""

    page: PageMeta
    value: float


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
    what it is worth for the best of them. Those of hosts that are ``blocked`` (as url.host_key names them) are left out.
    """
    due, later = 0, math.inf

    def chosen(survey: PageHistory) -> Iterator[Chosen]:
        nonlocal due, later
        for page in store.page_meta(survey.topic):
            if blocked and host_key(page.url) in blocked:
                continue
            if page.collected_at > now + DAY:  # by a clock that was ahead: it shall not wait until then
                page = replace(page, collected_at=now - LONGEST_CYCLE * DAY)
            # by its cycle; by its age alone when that was asked for, except for a page that is gone
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
    """Give each page that was collected at ``since`` (ISO 8601) or later its next update cycle; returns what those visits brought."""
    findings: Counter[str] = Counter()
    for topic in topics:
        survey = PageHistory.of(store, topic)
        level = survey.level(fetches_a_day / SLACK)
        visited = store.page_meta(topic, seconds_of(since))
        while some := list(islice(visited, _AT_ONCE)):
            # one that is gone waits as long again as it has been: twice as long each time
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
    """Have pages that could not be had wait as long again as they have waited, and no shorter than they would have."""
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
