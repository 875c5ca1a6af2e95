"""Judges the newest pages and the head of the queue anew, when the topic has changed while its crawl runs."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from topicspider.frontier.protocol import Entry
from topicspider.judging import SEED_SCORE, JudgedLink, Judgement
from topicspider.page.links.link import Link
from topicspider.url.host import host_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from topicspider.judging import ReadPage, TopicView
    from topicspider.page.copies import CopyMemory
    from topicspider.relevance.joint_worths import JointWorths
    from topicspider.topic.url_filter import UrlFilter

PAGES_KEPT = 100  # some 12 MB; their 5,000 to 10,000 links are the newest of the queue
HEAD = 5_000  # entries of the queue's head that stand on no such page: judged by their address alone
OF_HEAD_AT_ONCE = 100
NOT_READ = "not_read"
SEEDS_FROM = SEED_SCORE / 2


class Queue(Protocol):
    """The part of the scheduler that this needs."""

    def enqueue_entries(self, entries: list[Entry]) -> None:
        """Queue links."""

    def revise(self, revisions: list[tuple[int, float]]) -> None:
        """Give queued links the value that they have now."""

    async def head(self, count: int) -> list[Entry]:
        """The best queued entries, best first."""


@dataclass(frozen=True, slots=True)
class Judging:
    """How pages are judged now: what a Judgement is made with."""

    views: Sequence[TopicView]
    admission: UrlFilter
    worths: JointWorths
    copies: CopyMemory


@dataclass(frozen=True, slots=True)
class _Reading:
    """What judging asks of a page (ReadPage), without the page."""

    title_words: tuple[str, ...] = ()
    body_words: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    published: str = ""
    robots: AbstractSet[str] = frozenset()
    condition: str = ""

    @property
    def simhash(self) -> int:
        """Made when it is asked for: most pages are forgotten before their topic changes."""
        from topicspider.page.near_duplicate import simhash  # needs numpy

        return simhash(self.body_words)


class RecentPages:
    """What was read of the last pages."""

    def __init__(self, capacity: int = PAGES_KEPT) -> None:
        self._pages: deque[tuple[str, int, _Reading]] = deque(maxlen=capacity)

    def add(self, url: str, depth: int, page: ReadPage) -> None:
        """A page was judged."""
        reading = _Reading(page.title_words, page.body_words, page.links, page.published, page.robots, page.condition)
        self._pages.append((url, depth, reading))

    def __iter__(self) -> Iterator[tuple[str, int, _Reading]]:
        return iter(tuple(self._pages))

    def __len__(self) -> int:
        return len(self._pages)


async def judge_anew(pages: RecentPages, judging: Judging, queue: Queue) -> int:
    """Give the links of ``pages``, then the rest of the queue's head, their present worth; returns of how many links.

    A page at a time, so that the crawl goes on meanwhile. Links of those pages that were pruned for the old topic are queued now,
    and policies learn the pages' present verdicts.
    """
    worth: dict[int, float] = {}
    for url, depth, page in pages:
        verdicts = Judgement(
            url, depth, page, judging.views, judging.admission, judging.worths, judging.copies
        ).judge_links()
        queue.enqueue_entries([_entry(one, url, depth + 1) for one in verdicts.kept])
        for one in [*verdicts.kept, *verdicts.pruned]:
            value = 0.0 if one.score.pruned else one.score.value
            worth[one.fingerprint] = max(value, worth.get(one.fingerprint, 0.0))
        await asyncio.sleep(0)
    queue.revise(list(worth.items()))
    others = [one for one in await queue.head(HEAD) if one.fingerprint not in worth and one.score < SEEDS_FROM]
    for start in range(0, len(others), OF_HEAD_AT_ONCE):
        part = others[start : start + OF_HEAD_AT_ONCE]
        queue.revise(by_address(part, judging))
        await asyncio.sleep(0)
    return len(worth) + len(others)


def by_address(entries: Sequence[Entry], judging: Judging) -> list[tuple[int, float]]:
    """What links of which nothing but the address is left are worth: as links of a page that says nothing."""
    page = _Reading(links=tuple(Link(one.url) for one in entries), condition=NOT_READ)  # of which no judge learns
    verdicts = Judgement("", 0, page, judging.views, judging.admission, judging.worths, judging.copies).judge_links()
    return [
        (one.fingerprint, 0.0 if one.score.pruned else one.score.value) for one in [*verdicts.kept, *verdicts.pruned]
    ]


def _entry(one: JudgedLink, referrer: str, depth: int) -> Entry:
    return Entry(one.link.url, one.fingerprint, host_key(one.link.url), one.score.value, depth, referrer)
