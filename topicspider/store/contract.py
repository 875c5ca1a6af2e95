"""What a store of pages is, and what each call promises (SQLite and MySQL keep the same promises)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from topicspider.items import PageItem


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page as one topic saw it. A miss (``on_topic`` False) is stored without body and summary.

    ``simhash``: see ``page.near_duplicate``; 0 says nothing, and then ``item.duplicate_of`` stays as given. ``etag`` and
    ``last_modified`` are what the server said, to be asked by for a change. ``ipagerank`` is the page's rank when it was judged,
    (a) Li 2002's intermediate record; None when the link policy counts none.
    """

    item: PageItem
    on_topic: bool
    threshold: float
    scorer: str
    simhash: int = 0
    etag: str = ""
    last_modified: str = ""
    ipagerank: float | None = None


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One judged link, sampled (bounded a crawl): why it was kept or pruned. ``policy`` names who judged."""

    topic: str
    source_url: str
    target_url: str
    anchor: str
    score: float
    pruned: str
    parts: Mapping[str, float] = field(default_factory=dict)
    policy: str = ""


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """Where one page stands among the others of its topic: its verdict without its text. ``is_copy``: a near-duplicate of an earlier one."""

    url: str
    relevance: float
    on_topic: bool
    threshold: float
    scorer: str
    is_copy: bool = False


@dataclass(frozen=True, slots=True)
class CrawlRow:
    """One run of a crawl; ``settings`` and ``totals`` are JSON texts, without passwords."""

    run_id: str
    topic: str
    topic_digest: str
    started_at: str
    ended_at: str = ""
    reason: str = ""
    settings: str = "{}"
    totals: str = "{}"
    version: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class RecrawlSchedule:
    """When a page is to be collected again, (d) Xu 2007's UnCheckedURL: ``update_cycle`` seconds after it was, or when not ``is_checked``.

    Writing the page makes it checked again, and leaves its cycle. A page that the store does not have is passed over.
    """

    topic: str
    url: str
    update_cycle: float
    is_checked: bool = True


@dataclass(frozen=True, slots=True)
class DuePage:
    """A page that is due, with what to ask its server by."""

    check: RecrawlSchedule
    collected_at: float
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class NoPageResponse:
    """A page was asked for again, and its server sent none: it is as it was (``status`` 304), or gone (404 or 410).

    What the store has of it stays. A page is marked gone by the status in its row; one that is there again has its own.
    """

    topic: str
    url: str
    seen_at: str
    status: int

    @property
    def is_gone(self) -> bool:
        """Whether the server says that there is no such page."""
        return self.status in GONE


GONE = (404, 410)
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class PageMeta:
    """What is known of a page without its text, to say when it is worth another look; times are seconds since 1970."""

    check: RecrawlSchedule
    url_hash: bytes
    host: str
    referrer: str
    depth: int
    relevance: float
    on_topic: bool
    is_copy: bool
    type: str
    status: int
    first_seen: float
    collected_at: float
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A page was collected again: ``content_hash`` of what it says (0: it is gone), and whether that differs from the time before."""

    url_hash: bytes
    seen_at: str
    content_hash: int
    simhash: int
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written in one transaction."""

    pages: Sequence[PageRow] = ()
    links: Sequence[LinkRow] = ()
    crawls: Sequence[CrawlRow] = ()
    checks: Sequence[RecrawlSchedule] = ()
    visits: Sequence[NoPageResponse] = ()

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.pages) + len(self.links) + len(self.crawls) + len(self.checks) + len(self.visits)


@dataclass(frozen=True, slots=True)
class Written:
    """That a page was written: the ``number`` that it has for good in its store, and when, in microseconds since 1970 (0: by an older version)."""

    number: int
    at: int
    is_hit: bool


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """A page with what ``Written`` says of it."""

    number: int
    written_at: int
    row: PageRow


Copies = Mapping[tuple[str, str], str]
"""Of pages that are near-duplicates of earlier ones: (topic, URL) to the URL of the first copy."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What a topic has in the store."""

    pages: int = 0
    hits: int = 0
    hosts: int = 0
    hosts_with_hits: int = 0


@dataclass(frozen=True, slots=True)
class HostRow:
    """What one host has given; ``last_seen`` is the time of its last stored page."""

    host: str
    pages: int = 0
    hits: int = 0
    last_seen: str = ""


class Store(Protocol):
    """Pages of any number of topics. Calls block: use them from a worker thread (see store.writer).

    1. ``write`` is one transaction: all or nothing; durable when it returns.
    2. Writing the same batch again changes nothing (S3): rows are keyed by (topic, hash of URL).
    3. Text comes back as it went in: any Unicode, 4-byte characters, NUL replaced by U+FFFD.
    4. URLs differ by case, accents and trailing spaces.
    5. An unreachable database raises StoreUnavailable, without any password in its text.
    6. A hit is stored with the first of its near-duplicates among the topic's hits in ``duplicate_of``: the one stored first.
       Copies that two processes write in the same moment may both be firsts.
    """

    def write(self, batch: Batch) -> Copies:
        """Write a batch, and say which of its pages are copies; raises BadRow for a value that cannot be stored, and then wrote nothing of it."""

    def page(self, topic: str, url: str) -> PageRow | None:
        """The page of that canonical URL, or None."""

    def hits(self, topic: str = "", limit: int = 20, offset: int = 0) -> list[PageRow]:
        """Hits, best first; all topics when ``topic`` is empty."""

    def all_hits(self, topic: str = "") -> Iterator[PageRow]:
        """Every hit, in stored order, without loading all at once."""

    def originals(self, topic: str, limit: int) -> list[tuple[str, int]]:
        """(URL, simhash) of the newest ``limit`` hits that have a simhash and are no copies, newest first."""

    def verdicts(self, topic: str) -> Iterator[PageVerdict]:
        """Every judged page of the topic, hit or miss, in stored order, without loading all at once."""

    def written(self, topics: Sequence[str] = (), since: int = 0) -> Iterator[Written]:
        """The pages (hits and misses) of ``topics``, or of all, last written at ``since`` or later, in the order of that time.

        What other processes write meanwhile may come with an earlier time, by as much as their clocks differ and a transaction takes.
        """

    def numbered(self, numbers: Sequence[int]) -> list[NumberedPage]:
        """The hits that have these numbers, in their order; at most some hundred at once, for a page may hold 1 MB."""

    def hit_count(self, topics: Sequence[str] = ()) -> int:
        """How many hits ``topics`` have, or all."""

    def links_from(self, topic: str, url: str, limit: int = 100) -> list[LinkRow]:
        """Sampled links of a page, best first."""

    def totals(self, topic: str = "") -> Totals:
        """Counts for one topic, or for all."""

    def hosts(self, topic: str = "", limit: int = 100) -> list[HostRow]:
        """Hosts with what they gave, most hits first."""

    def due(self, topic: str, now: float, limit: int = 1000) -> list[DuePage]:
        """Pages that are not checked, or whose update cycle is over at ``now`` (seconds since 1970), those that waited longest first."""

    def changes(self, topic: str, url: str = "", limit: int = 1000) -> list[ChangeRow]:
        """What was seen when pages of the topic, or that page, were collected again, oldest first."""

    def page_meta(self, topic: str, collected_since: float = 0.0) -> Iterator[PageMeta]:
        """Every page of the topic, hit or miss, without its text, in stored order, without loading all at once.

        With ``collected_since`` (seconds since 1970) those collected then or later.
        """

    def page_meta_of(self, topic: str, urls: Sequence[str]) -> list[PageMeta]:
        """What ``kept`` gives of ``urls``, some hundred at most, in no order."""

    def change_log(self, topic: str, since: str = "") -> Iterator[ChangeRow]:
        """All that ``changes`` would give of the topic from the time ``since`` on, in written order, without loading all at once."""

    def known(self, topic: str, urls: Sequence[str]) -> set[str]:
        """Those of ``urls``, some hundred at most, that the topic has a page of."""

    def crawls(self, topic: str = "", limit: int = 20) -> list[CrawlRow]:
        """Runs, newest first."""

    def close(self) -> None:
        """Give the connection back."""
