"""Reads from the store what is known of a topic's pages, and says what another look at each may bring."""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from topicspider.recrawl.crawl_value import SEEN_VISITS, Prospect, UsualRates, Visits, change_rate, level_of
from topicspider.store.records import url_hash

if TYPE_CHECKING:
    from topicspider.store.contract import ChangeRow, PageMeta, Store

DAY = 86400.0
SAMPLED_PAGES = 2000
"""By which the level is found; those with the smallest hashes of their URLs, which is a draw."""
OFF_TOPIC = 0.1
"""What a miss, or a copy of another hit, is worth beside a hit of the same relevance: nobody reads it, but it may become one."""
STOCK_SHARE = 0.1
STOCK_DAYS = 7.0
"""Of the hits that a page led to at first, one in ten is taken to be as new as a week, until its later visits say more."""
LONGEST_CALM = 365.0
"""Days before the first visit in which a page did not change, by its Last-Modified, that are believed."""
_LISTS = ("list", "forum")


@dataclass(slots=True)
class _Leads:
    """Hits that a page led to first: ``stock`` until its second visit, ``later`` since."""

    stock: int = 0
    later: int = 0


@dataclass(slots=True)
class PageHistory:
    """A topic's pages as the store has them now. Reads them twice, and holds what visits again and hubs have given, not the pages."""

    store: Store
    topic: str
    _visits: dict[bytes, array[float]] = field(default_factory=dict)
    """Of each page that was visited again: when first, then the last visits; negative where nothing had changed."""
    _leads: dict[bytes, _Leads] = field(default_factory=dict)
    _usual: UsualRates = field(default_factory=UsualRates)
    _sample: list[PageMeta] = field(default_factory=list)
    pages: int = 0
    """How many the topic has."""

    @classmethod
    def of(cls, store: Store, topic: str) -> PageHistory:
        """The survey of ``topic``."""
        survey = cls(store, topic)
        survey._read_changes(store.change_log(topic))
        survey._read_pages(store.page_meta(topic))
        return survey

    def level(self, fetches_a_day: float) -> float:
        """The value of a fetch at which all pages of the topic together want ``fetches_a_day``."""
        share = len(self._sample) / max(1, self.pages)
        return level_of([self.prospect(page) for page in self._sample], fetches_a_day * share)

    def prospect(self, page: PageMeta) -> Prospect:
        """What a fetch of ``page`` may bring."""
        usual = self._usual.of_group(_group(page))
        weight = page.relevance if page.on_topic and not page.is_copy else page.relevance * OFF_TOPIC
        return Prospect(max(0.0, weight), change_rate(self._visits_of(page), usual), self._hits_a_day(page))

    def days_gone(self, page: PageMeta) -> float:
        """From when ``page`` was last there to the last visit, at least a day."""
        there = max(map(abs, self._visits.get(page.url_hash, ())), default=page.first_seen)
        return max(1.0, (page.collected_at - there) / DAY)

    def _hits_a_day(self, page: PageMeta) -> float:
        leads = self._leads.get(page.url_hash)
        if leads is None:
            return 0.0
        watched = max(0.0, page.collected_at - page.first_seen) / DAY
        return (STOCK_SHARE * leads.stock + leads.later) / (STOCK_DAYS + watched)

    def _read_changes(self, changes: Iterable[ChangeRow]) -> None:
        """Moments first: the days between two visits are counted when it is known when the first was."""
        for row in changes:
            if row.content_hash:  # else it is gone, which tells nothing of how often it changes
                seen = self._visits.setdefault(row.url_hash, array("d"))
                seen.append(math.copysign(seconds_of(row.seen_at), 1 if row.is_changed else -1))
                if len(seen) > 2 * SEEN_VISITS + 2:
                    ordered = sorted(seen, key=abs)
                    self._visits[row.url_hash] = array("d", [ordered[0], *ordered[-SEEN_VISITS - 1 :]])

    def _read_pages(self, pages: Iterable[PageMeta]) -> None:
        sample: list[tuple[int, int, PageMeta]] = []
        self._usual = UsualRates.of(self._watched(pages, sample))
        self._sample = [page for _, _, page in sorted(sample, key=lambda entry: entry[:2])]

    def _watched(
        self, pages: Iterable[PageMeta], sample: list[tuple[int, int, PageMeta]]
    ) -> Iterator[tuple[str, Visits]]:
        """Group and visits of those ``pages`` that were visited again; on the way all else is noted."""
        for page in pages:
            self.pages += 1
            self._note_lead(page)
            # the heap's head is the one with the largest hash, which leaves when there is a smaller one
            entry = (-int.from_bytes(page.url_hash, "big"), self.pages, page)
            if len(sample) < SAMPLED_PAGES:
                heapq.heappush(sample, entry)
            elif entry > sample[0]:
                heapq.heapreplace(sample, entry)
            if page.url_hash in self._visits:
                yield _group(page), self._visits_of(page)

    def _note_lead(self, page: PageMeta) -> None:
        if not page.on_topic or page.is_copy or not page.referrer:
            return
        mark = url_hash(page.referrer)
        leads = self._leads.setdefault(mark, _Leads())
        again = self._visits.get(mark)
        if again and page.first_seen >= min(map(abs, again)):
            leads.later += 1
        else:
            leads.stock += 1

    def _visits_of(self, page: PageMeta) -> list[tuple[float, bool]]:
        visits, before = [], page.first_seen
        modified = _http_seconds(page.last_modified)
        if modified and modified < before:
            visits.append((min((before - modified) / DAY, LONGEST_CALM), False))
        for moment in sorted(self._visits.get(page.url_hash, ()), key=abs):
            visits.append(((abs(moment) - before) / DAY, moment > 0))
            before = abs(moment)
        return visits[-SEEN_VISITS:]


def _group(page: PageMeta) -> str:
    """Pages of a site's lists change as each other do, and so do its articles."""
    return f"{page.host} {'list' if page.type in _LISTS else 'page'}"


def seconds_of(time: str) -> float:
    """Since 1970; 0 for what is no time."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _http_seconds(date: str) -> float:
    with suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(date).timestamp()
    return 0.0
