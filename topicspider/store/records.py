"""Rows of the contract as columns of the tables, and back: cleaned, checked, bounded."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from topicspider.errors import BadRow
from topicspider.items import PageItem
from topicspider.page.content_signature import content_signature
from topicspider.store.contract import (
    GONE,
    ChangeRow,
    CrawlRow,
    LinkRow,
    NoPageResponse,
    PageMeta,
    PageRow,
    RecrawlSchedule,
)

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
