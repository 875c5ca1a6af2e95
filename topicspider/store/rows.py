"""The rows of a store of pages, and their conversion to and from table columns: cleaned, checked, bounded."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import blake2b
from http import HTTPStatus
from typing import Any, NamedTuple

from topicspider.errors import BadRow
from topicspider.items import PageItem
from topicspider.page.near_duplicate import content_signature


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page as judged for one topic. A miss (``on_topic`` False) is stored without body and summary.

    ``simhash``: see ``page.near_duplicate``; with 0 (none) ``item.duplicate_of`` stays as given. ``etag`` and ``last_modified`` are the
    server's headers, for conditional requests. ``ipagerank`` is the page's rank when it was judged, (a) Li 2002's intermediate record;
    None when the link policy computes none. ``content_hash``: 0 when not computed yet; see the function ``content_hash``.
    """

    item: PageItem
    on_topic: bool
    threshold: float
    scorer: str
    simhash: int = 0
    etag: str = ""
    last_modified: str = ""
    ipagerank: float | None = None
    content_hash: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One judged link of a bounded sample per crawl: its score, and why it was ``pruned``, "" if kept. ``policy``: the link policy."""

    topic: str
    source_url: str
    target_url: str
    anchor: str
    score: float
    pruned: str
    parts: Mapping[str, float] = field(default_factory=dict)
    policy: str = ""


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
    """When to collect a page again ((d) Xu 2007, UnCheckedURL): after ``update_cycle`` seconds, or at once if not ``is_checked``.

    Writing the page makes it checked again and keeps its cycle. A page that the store does not have is ignored.
    """

    topic: str
    url: str
    update_cycle: float
    is_checked: bool = True


@dataclass(frozen=True, slots=True)
class NoPageResponse:
    """A revisit for which the server sent no page: it is unchanged (``status`` 304), or gone (404 or 410).

    The stored page is kept; its row's status marks it as gone, and becomes 200 again when the page is back.
    """

    topic: str
    url: str
    seen_at: str
    status: int

    @property
    def is_gone(self) -> bool:
        return self.status in GONE


GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
NOT_MODIFIED = HTTPStatus.NOT_MODIFIED


@dataclass(frozen=True, slots=True)
class PageMeta:
    """A page's record without its text; ``update_cycle`` is in seconds, times are seconds since 1970.

    ``referrer``: the page that linked to it; ``is_copy``: a near-duplicate of an earlier page; not ``is_checked``: due whatever its cycle.
    """

    topic: str = ""
    url: str = ""
    host: str = ""
    port: int = 0
    referrer: str = ""
    depth: int = 0
    type: str = ""
    status: int = 200
    download_time: float = 0.0
    relevance: float = 0.0
    on_topic: bool = False
    threshold: float = 0.0
    scorer: str = ""
    is_copy: bool = False
    first_seen: float = 0.0
    collected_at: float = 0.0
    update_cycle: float = 0.0
    is_checked: bool = True
    etag: str = ""
    last_modified: str = ""
    url_hash: bytes = b""


class ScoredPage(NamedTuple):
    """A page's URL and score, for reading all pages of a topic at once."""

    url: str
    relevance: float


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A page was collected again: its ``content_hash`` (0: it is gone), and whether that differs from the previous visit."""

    url_hash: bytes
    seen_at: str
    content_hash: int
    simhash: int
    is_changed: bool


@dataclass(frozen=True, slots=True)
class ChangedHit:
    """A change of a hit, seen at ``seen_at``. ``kind``: new, changed (with the sentences ``added`` and ``removed``), or gone."""

    kind: str
    url: str
    title: str
    seen_at: str
    added: Sequence[str] = ()
    removed: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows that are written in one transaction."""

    pages: Sequence[PageRow] = ()
    links: Sequence[LinkRow] = ()
    crawls: Sequence[CrawlRow] = ()
    checks: Sequence[RecrawlSchedule] = ()
    visits: Sequence[NoPageResponse] = ()

    @property
    def rows(self) -> int:
        return sum(len(getattr(self, part)) for part in KINDS)

    @classmethod
    def joined(cls, batches: Iterable[Batch]) -> Batch:
        some = list(batches)
        return cls(**{part: [row for batch in some for row in getattr(batch, part)] for part in KINDS})


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """A page with its permanent ``number`` in its store, and the time it was written, in microseconds since 1970."""

    number: int
    written_at: int
    row: PageRow


Copies = Mapping[tuple[str, str], str]
"""(topic, URL) of a near-duplicate to the URL of its original."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers of a topic's pages and hits in the store; hits without near-duplicates and hubs."""

    pages: int = 0
    hits: int = 0


BODY_BYTES = 1 << 20
"""A longer body is cut; ``data["body_cut"]`` is then its original number of characters."""

ROW_BYTES = 3 << 20
"""A larger row is rejected: a statement must stay below MySQL's smallest usual max_allowed_packet, 4 MB."""

NAME_CHARACTERS = 255

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_BLANK = PageItem(url="")
_ITEM = tuple(f.name for f in fields(PageItem) if f.name != "topic")
_KINDS: Mapping[str, type] = {
    **{name: type(getattr(_BLANK, name)) for name in _ITEM},
    **dict.fromkeys(("on_topic", "simhash", "seed"), int),
    **dict.fromkeys(("threshold", "score", "update_cycle"), float),
}
"""Column to type, where that is not text."""
_KEYS = {"topic", "run_id", "started_at", "ended_at", "seen_at"}
_CUT = {"host", "fetched_at", "etag", "last_modified", "policy"}
"""Text columns to cut at NAME_CHARACTERS, MySQL's bound: unlike _KEYS they are never looked up by value."""
_PARTS = {"score_boolean": "boolean", "score_vsm": "vsm", "score_a": "A", "score_b": "B", "score_c": "C"}
_LINK_PARTS = {"score_rw": "rw", "score_pagerank": "pagerank", "score_ipagerank": "ipagerank"}
_LEARNED = "learned"

_VERDICT = ("on_topic", "threshold", "scorer", "simhash", "etag", "last_modified")
PAGE_READ = ("topic", *_ITEM, *_VERDICT, "score_ipagerank")
LINK_READ = tuple(f.name for f in fields(LinkRow))
CHANGE_READ = tuple(f.name for f in fields(ChangeRow))
CRAWL_READ = tuple(f.name for f in fields(CrawlRow))
_META_FIELDS = fields(PageMeta)[1:]
META_READ = tuple({"is_copy": "duplicate_of <> ''", "is_checked": "checked"}.get(f.name, f.name) for f in _META_FIELDS)

Values = Mapping[str, Any]
"""A row to be written: column to value, key columns first."""


def clean(text: str) -> str:
    """``text`` with NUL and lone surrogates, which no database takes, replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def url_hash(url: str) -> bytes:
    """The 16-byte hash by which a URL is looked up; it distinguishes case, accents and trailing spaces."""
    return blake2b(clean(url).encode(), digest_size=16).digest()


def page_values(row: PageRow, written_at: int = 0) -> Values:
    """A row of the table ``pages``; ``written_at``: microseconds since 1970. Raises BadRow for what cannot be stored."""
    item = _bounded(row.item) if row.on_topic else replace(row.item, body="", summary="")
    fetched_at = _encoded("fetched_at", item.fetched_at)
    return _checked(
        {
            **_key(item.topic, item.url),
            **_columns(item, *_ITEM),
            **_columns(row, *_VERDICT),
            **_scores(item.parts, _PARTS),
            "score_learned": float(item.relevance) if row.scorer == _LEARNED else None,
            "score_ipagerank": None if row.ipagerank is None else _number("ipagerank", float, row.ipagerank),
            "content_hash": content_hash(row),
            "checked": 1,
            "collected_at": seconds_of(fetched_at),
            "written_at": written_at,
            "first_seen": fetched_at,
            "last_seen": fetched_at,
        }
    )


def content_hash(row: PageRow) -> int:
    """Signed 64-bit hash that changes when title or body do, except for dates and counters; see content_signature."""
    return row.content_hash or content_signature(str(row.item.title), str(row.item.body))


def hashes_under(title: str, item: PageItem) -> list[int]:
    """The content hashes of the same page if another title rule had found ``title`` in it; [] for a page without a body.

    A body does not contain its title's line: with another title, that line is missing, and the current title's line may be present.
    """
    rest = [line for line in item.body.split("\n") if line != title] if item.body else []
    bodies = (rest, [item.title, *rest], item.body.split("\n")) if rest else ()
    return [content_signature(title, "\n".join(lines)) for lines in bodies]


def page_row(values: Sequence[Any]) -> PageRow:
    found = dict(zip(PAGE_READ, values, strict=True))
    item = PageItem(topic=found["topic"], **{name: _decoded(name, found[name]) for name in _ITEM})
    rank = found["score_ipagerank"]
    verdict = {name: _decoded(name, found[name]) for name in _VERDICT} | {"on_topic": bool(found["on_topic"])}
    return PageRow(item, **verdict, ipagerank=None if rank is None else float(rank))


def page_meta(topic: str, values: Sequence[Any]) -> PageMeta:
    return PageMeta(topic, *(kind(value) for kind, value in zip(_META_KINDS, values, strict=True)))


def link_values(row: LinkRow) -> Values:
    """A row of the table ``links``; raises BadRow for what cannot be stored."""
    values = _columns(row, *LINK_READ)
    hashes = {"source_hash": url_hash(row.source_url), "target_hash": url_hash(row.target_url)}
    learned = {"score_learned": values["score"] if row.policy == _LEARNED else None}
    return _checked({**values, **hashes, **_scores(row.parts, _LINK_PARTS), **learned})


def link_row(values: Sequence[Any]) -> LinkRow:
    return LinkRow(*(_decoded(name, value) for name, value in zip(LINK_READ, values, strict=True)))


def crawl_values(row: CrawlRow) -> Values:
    """A row of the table ``crawls``; raises BadRow for what cannot be stored."""
    return _checked(_columns(row, *CRAWL_READ))


def change_values(
    topic: str, url: str, seen_at: str, content: int, simhash: int, is_changed: bool, texts: Sequence[str] = ()
) -> Values:
    """A row of the table ``changes`` for a page collected again; ``content``: its hash, 0 if it is gone. ``texts``: before and now."""
    from topicspider.page.metadata import changed_sentences  # reading needs none of this

    added, removed = changed_sentences(*texts) if texts else ([], [])
    seen = {"seen_at": _encoded("fetched_at", seen_at), "content_hash": content, "simhash": simhash}
    sentences = {"added": _json("added", added), "removed": _json("removed", removed)}
    return {**_key(topic, url), **seen, "is_changed": int(is_changed), **sentences}


def changed_hit(values: Sequence[Any]) -> ChangedHit:
    """Made from (url, title, seen_at, content_hash, added, removed)."""
    url, title, seen_at, content, added, removed = values
    sentences = json.loads(added or "[]"), json.loads(removed or "[]")  # a row of schema 9 has none
    return ChangedHit("changed" if content else "gone", url, title, seen_at, *sentences)


SET_VISIT = """UPDATE pages SET status = ?, checked = 1, collected_at = ?, last_seen = ?
    WHERE topic = ? AND url_hash = ? AND (last_seen <= ? OR last_seen > {to_come})"""


def visit_values(row: NoPageResponse) -> tuple[Any, ...]:
    """The parameters of SET_VISIT; raises BadRow for what cannot be stored."""
    seen = _encoded("seen_at", row.seen_at)
    status = _encoded("status", row.status) if row.is_gone else 200
    return status, seconds_of(seen), seen, *_key(row.topic, row.url).values(), seen


SET_SCHEDULE = "UPDATE pages SET update_cycle = ?, checked = ? WHERE topic = ? AND url_hash = ?"


def schedule_values(row: RecrawlSchedule) -> tuple[Any, ...]:
    """The parameters of SET_SCHEDULE; raises BadRow for what cannot be stored."""
    return _encoded("update_cycle", row.update_cycle), int(row.is_checked), *_key(row.topic, row.url).values()


def seconds_of(time: str) -> float:
    """Seconds since 1970 of a time in ISO 8601; 0.0 for any other text."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


_META_KINDS: list[Callable[[Any], Any]] = [
    seconds_of if f.name == "first_seen" else type(f.default) for f in _META_FIELDS
]


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
    texts = [value for value in values.values() if isinstance(value, str)]
    if 4 * sum(map(len, texts)) > ROW_BYTES and (size := sum(len(text.encode()) for text in texts)) > ROW_BYTES:
        raise BadRow("row", f"{size} bytes", f"at most {ROW_BYTES} bytes a row")
    return values


def _key(topic: str, url: str) -> Values:
    return {"topic": _encoded("topic", topic), "url_hash": url_hash(url)}


def _columns(row: Any, *names: str) -> Values:
    return {name: _encoded(name, getattr(row, name)) for name in names}


def _scores(parts: Mapping[str, float], columns: Mapping[str, str]) -> Values:
    """Column to score, None for a part that was not computed; ``columns``: column to part."""
    return {
        column: None if parts.get(part) is None else _number(f"parts.{part}", float, parts[part])
        for column, part in columns.items()
    }


def _encoded(name: str, value: Any) -> Any:
    kind = _KINDS.get(name, str)
    if kind in (list, dict):
        return _json(name, value)
    return _text(name, value) if kind is str else _number(name, kind, value)


def _decoded(name: str, value: Any) -> Any:
    kind = _KINDS.get(name, str)
    return json.loads(value) if kind in (list, dict) else kind(value)


def _number(name: str, kind: type, value: Any) -> int | float:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadRow(name, value, "a finite number")
    if kind is float:
        return float(value)
    if value != int(value) or not -(2**63) <= value < 2**63:
        raise BadRow(name, value, "a whole number of 64 bits")
    return int(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadRow(name, value, "text")
    text = clean(value)
    if name in _KEYS and len(text) > NAME_CHARACTERS:
        raise BadRow(name, value, f"at most {NAME_CHARACTERS} characters")
    return text[:NAME_CHARACTERS] if name in _CUT else text


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


KINDS: Mapping[str, tuple[type, Callable[[Any], object]]] = {
    "pages": (PageRow, page_values),
    "links": (LinkRow, link_values),
    "crawls": (CrawlRow, crawl_values),
    "checks": (RecrawlSchedule, schedule_values),
    "visits": (NoPageResponse, visit_values),
}
"""Part of a batch to (type of its rows, the function that checks and encodes a row)."""
