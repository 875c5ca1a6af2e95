"""Rows of a store of pages, their columns in the tables, and back: cleaned, checked, bounded."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Protocol

from topicspider.errors import BadRow
from topicspider.items import PageItem
from topicspider.page.content_signature import content_signature


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


BODY_BYTES = 1 << 20
"""Longer bodies are cut; ``data["body_cut"]`` then says how many characters there were."""

ROW_BYTES = 3 << 20
"""A larger row is refused: a statement must stay below MySQL's smallest usual max_allowed_packet, 4 MB."""

NAME_CHARACTERS = 255

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_BLANK = PageItem(url="")
_ITEM_FIELDS = tuple(f.name for f in fields(PageItem) if f.name != "topic")
_KINDS: dict[str, type] = {name: type(getattr(_BLANK, name)) for name in _ITEM_FIELDS}
_PART_COLUMNS = {
    "score_boolean": "boolean",
    "score_vsm": "vsm",
    "score_a": "A",
    "score_b": "B",
    "score_c": "C",
}
_LINK_PART_COLUMNS = {"score_rw": "rw", "score_pagerank": "pagerank", "score_ipagerank": "ipagerank"}
_LEARNED = "learned"

PAGE_KEY = ("topic", "url_hash")
PAGE_READ = (
    "topic",
    *_ITEM_FIELDS,
    "on_topic",
    "threshold",
    "scorer",
    "simhash",
    "etag",
    "last_modified",
    "score_ipagerank",
)
PAGE_WRITE = (
    *PAGE_KEY,
    *_ITEM_FIELDS,
    "on_topic",
    "threshold",
    "scorer",
    "simhash",
    "etag",
    "last_modified",
    *_PART_COLUMNS,
    "score_learned",
    "score_ipagerank",
    "content_hash",
    "checked",
    "collected_at",
    "written_at",
    "first_seen",
    "last_seen",
)
LINK_KEY = ("topic", "source_hash", "target_hash")
LINK_READ = ("topic", "source_url", "target_url", "anchor", "score", "pruned", "parts", "policy")
LINK_WRITE = (*LINK_KEY, *LINK_READ[1:], *_LINK_PART_COLUMNS, "score_learned")
CHANGE_KEY = ("topic", "url_hash", "seen_at")
CHANGE_READ = ("url_hash", "seen_at", "content_hash", "simhash", "is_changed")
CHANGE_WRITE = ("topic", *CHANGE_READ)
CRAWL_KEY = ("run_id",)
CRAWL_READ = tuple(f.name for f in fields(CrawlRow))
CRAWL_WRITE = (*(name for name in CRAWL_READ if name != "ended_at"), "ended_at")

Values = tuple[Any, ...]


def clean(text: str) -> str:
    """``text`` with NUL and lone surrogates, which no database takes, replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def url_hash(url: str) -> bytes:
    """The 16 bytes a URL is found by; URLs differ by case, accents and trailing spaces."""
    return blake2b(clean(url).encode(), digest_size=16).digest()


def page_values(row: PageRow, written_at: int = 0) -> Values:
    """The columns PAGE_WRITE of a page that is written at that time; raises BadRow for what cannot be stored."""
    item = _bounded(row.item) if row.on_topic else replace(row.item, body="", summary="")
    values = [_encoded(name, _KINDS[name], getattr(item, name)) for name in _ITEM_FIELDS]
    values[_ITEM_FIELDS.index("host")] = _name("host", item.host, cut=True)
    parts = [_part(item.parts, part) for part in _PART_COLUMNS.values()]
    seen = _name("fetched_at", item.fetched_at, cut=True)
    threshold = _encoded("threshold", float, row.threshold)
    simhash = _encoded("simhash", int, row.simhash)
    verdict = (int(row.on_topic), threshold, _encoded("scorer", str, row.scorer), simhash)
    asked_by = (_name("etag", row.etag, cut=True), _name("last_modified", row.last_modified, cut=True))
    learned = values[_ITEM_FIELDS.index("relevance")] if row.scorer == _LEARNED else None
    state = (content_hash(row.item), 1, _seconds(seen), written_at, seen, seen)
    keys = (_name("topic", item.topic), url_hash(item.url))
    rank = None if row.ipagerank is None else _encoded("ipagerank", float, row.ipagerank)
    return _checked((*keys, *values, *verdict, *asked_by, *parts, learned, rank, *state))


def content_hash(item: PageItem) -> int:
    """64 bits, signed, that tell whether what title and body say has changed; clocks and counters aside."""
    return content_signature(str(item.title), str(item.body))


def page_row(values: Sequence[Any]) -> PageRow:
    """The page of the columns PAGE_READ."""
    topic, *rest = values
    on_topic, threshold, scorer, simhash, etag, last_modified, rank = rest[len(_ITEM_FIELDS) :]
    found = zip(_ITEM_FIELDS, rest[: len(_ITEM_FIELDS)], strict=True)
    item = PageItem(topic=topic, **{name: _decoded(_KINDS[name], value) for name, value in found})
    ipagerank = None if rank is None else float(rank)
    return PageRow(item, bool(on_topic), float(threshold), scorer, int(simhash), etag, last_modified, ipagerank)


def link_values(row: LinkRow) -> Values:
    """The columns LINK_WRITE of a link; raises BadRow for what cannot be stored."""
    keys = (_name("topic", row.topic), url_hash(row.source_url), url_hash(row.target_url))
    texts = (_encoded(name, str, getattr(row, name)) for name in ("source_url", "target_url", "anchor"))
    score = _encoded("score", float, row.score)
    parts = _encoded("parts", dict, row.parts)
    columns = [_part(row.parts, part) for part in _LINK_PART_COLUMNS.values()]
    learned = score if row.policy == _LEARNED else None
    verdict = (score, _encoded("pruned", str, row.pruned), parts, _name("policy", row.policy, cut=True))
    return _checked((*keys, *texts, *verdict, *columns, learned))


def link_row(values: Sequence[Any]) -> LinkRow:
    """The link of the columns LINK_READ."""
    topic, source, target, anchor, score, pruned, parts, policy = values
    return LinkRow(topic, source, target, anchor, float(score), pruned, json.loads(parts), policy)


def crawl_values(row: CrawlRow) -> Values:
    """The columns CRAWL_WRITE of a run; raises BadRow for what cannot be stored."""
    named = ("run_id", "topic", "started_at", "ended_at")
    given = {name: getattr(row, name) for name in CRAWL_WRITE}
    return _checked(
        tuple(
            _name(name, value) if name in named else _encoded(name, int if name == "seed" else str, value)
            for name, value in given.items()
        )
    )


def crawl_row(values: Sequence[Any]) -> CrawlRow:
    """The run of the columns CRAWL_READ."""
    return CrawlRow(*values)


def change_values(topic: str, mark: bytes, row: PageRow, content_before: int) -> Values:
    """The columns CHANGE_WRITE of a page that is collected again."""
    now = content_hash(row.item)
    is_changed = int(content_before not in (0, now))
    return (topic, mark, _name("fetched_at", row.item.fetched_at, cut=True), now, row.simhash, is_changed)


def visit_values(row: NoPageResponse) -> Values:
    """The columns of a page that a visit sets, then its key and when it was; raises BadRow for what cannot be stored."""
    seen = _name("seen_at", row.seen_at)
    status = _encoded("status", int, row.status) if row.is_gone else 200
    return (status, _seconds(seen), seen, _name("topic", row.topic), url_hash(row.url), seen)


# Of a page that is there, whose content an older version counted in another way: 0 would say that it is gone
_UNTOLD = 1


def visit_change_values(row: NoPageResponse, content_hash: int, simhash: int, status: int) -> Values:
    """The columns CHANGE_WRITE of a page that was visited, with what the store has of it: one that went, or came back, has changed."""
    is_changed = int(row.is_gone != (status in GONE))
    content = (0, 0) if row.is_gone else (content_hash or _UNTOLD, simhash)
    return (row.topic, url_hash(row.url), _name("seen_at", row.seen_at), *content, is_changed)


def page_meta(topic: str, values: Sequence[Any]) -> PageMeta:
    """The page of the columns of META_AFTER but the first."""
    (
        url,
        cycle,
        checked,
        mark,
        host,
        referrer,
        depth,
        relevance,
        on_topic,
        is_copy,
        kind,
        status,
        first,
        at,
        etag,
        modified,
    ) = values
    return PageMeta(
        RecrawlSchedule(topic, url, float(cycle), bool(checked)),
        bytes(mark),
        host,
        referrer,
        int(depth),
        float(relevance),
        bool(on_topic),
        bool(is_copy),
        kind,
        int(status),
        _seconds(first),
        float(at),
        etag,
        modified,
    )


def change_row(values: Sequence[Any]) -> ChangeRow:
    """The change of the columns CHANGE_READ."""
    mark, seen_at, content, simhash, is_changed = values
    return ChangeRow(bytes(mark), seen_at, int(content), int(simhash), bool(is_changed))


def check_values(row: RecrawlSchedule) -> Values:
    """Cycle and flag of a page, then its key; raises BadRow for what cannot be stored."""
    cycle = _encoded("update_cycle", float, row.update_cycle)
    return (cycle, int(row.is_checked), _name("topic", row.topic), url_hash(row.url))


def _seconds(time: str) -> float:
    """Since 1970; 0 for what is no time, as an item of somebody else may have."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _bounded(item: PageItem) -> PageItem:
    body = item.body
    if not isinstance(body, str) or len(body) * 4 <= BODY_BYTES:
        return item
    encoded = clean(body).encode()
    if len(encoded) <= BODY_BYTES:
        return item
    cut = encoded[:BODY_BYTES].decode("utf-8", "ignore")
    return replace(item, body=cut, data={**item.data, "body_cut": len(body)})


def _checked(values: Values) -> Values:
    size = sum(len(value) if isinstance(value, bytes) else _utf8_bytes(value) for value in values)
    if size > ROW_BYTES:
        raise BadRow("row", f"{size} bytes", f"at most {ROW_BYTES} bytes a row")
    return values


def _utf8_bytes(value: Any) -> int:
    # the exact count matters only near the bound, and costs an encoding
    if not isinstance(value, str):
        return 8
    return len(value) * 4 if len(value) < 65536 else len(value.encode())


def _encoded(name: str, kind: type, value: Any) -> Any:
    if kind is str:
        if not isinstance(value, str):
            raise BadRow(name, value, "text")
        return clean(value)
    if kind in (list, dict):
        return _json(name, value)
    return _number(name, kind, value)


def _decoded(kind: type, value: Any) -> Any:
    return json.loads(value) if kind in (list, dict) else kind(value)


def _number(name: str, kind: type, value: Any) -> int | float:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadRow(name, value, "a finite number")
    if kind is float:
        return float(value)
    if value != int(value) or not -(2**63) <= value < 2**63:
        raise BadRow(name, value, "a whole number of 64 bits")
    return int(value)


def _name(name: str, value: Any, cut: bool = False) -> str:
    """Text of an indexed column, which MySQL bounds: cut what nobody looks up, refuse the rest."""
    text: str = _encoded(name, str, value)
    if len(text) <= NAME_CHARACTERS:
        return text
    if not cut:
        raise BadRow(name, value, f"at most {NAME_CHARACTERS} characters")
    return text[:NAME_CHARACTERS]


def _part(parts: Mapping[str, float], part: str) -> float | None:
    value = parts.get(part)
    return None if value is None else float(_number(f"parts.{part}", float, value))


def _json(name: str, value: Any) -> str:
    try:
        return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise BadRow(name, value, "lists and mappings of text, finite numbers, true, false and null") from None


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(key) if isinstance(key, str) else key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value
