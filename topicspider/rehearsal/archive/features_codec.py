"""Turns what was read of a page into few bytes, and back in a fraction of a millisecond.

A byte that names the layout, then zlib (level 1) of a JSON array. Texts that links share (headings, blocks, anchors, contexts) stand once, in a
table; words are joined by a character that hardly any word has (a list where one does).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from topicspider.errors import RecordingError
from topicspider.page.links.link import Link
from topicspider.rehearsal.archive.page_features import LoggedLink, PageFeatures

LAYOUT = 2
"""2: links have a kind and a group. What was written by 1 is read still, with the defaults of both."""
_READ = (1, LAYOUT)
_Value = TypeVar("_Value")
_SEPARATOR = "\x1f"
_LEVEL = 1
_ROUNDED = 6  # digits of a link's value: the frontier compares no more
LIMIT = 32 << 20
"""Bytes of a page's features, unpacked. No page of a crawl has so many: with the usual 2,000 links, URLs are at most 4 MB, and words, anchors
and headings, all cut from at most 1.5 million characters, some 12 MB."""
_PARTS_OF_LINKS = 5  # table, columns, positions, pagination, groups; a page's condition came later, and may be missing
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


def encode_features(features: PageFeatures) -> bytes:
    """``features`` as bytes; ``decode_features`` gives the same again."""
    links = features.links
    table: dict[str, int] = {}
    columns = [
        [table.setdefault(text, len(table)) for text in column]
        for column in (
            [link.url for link in links],
            [link.anchor for link in links],
            [link.title for link in links],
            [link.before for link in links],
            [link.after for link in links],
            [link.heading for link in links],
            [link.block for link in links],
            [link.rel for link in links],
            [link.kind for link in links],
        )
    ]
    positions = [link.position for link in links]
    is_usual = positions == list(range(len(links)))
    return _pack(
        [
            features.title,
            _joined(features.title_words),
            _joined(features.body_words),
            features.published,
            sorted(features.robots),
            features.simhash,
            _joined(table),
            columns,
            None if is_usual else positions,
            [at for at, link in enumerate(links) if link.is_pagination],
            [link.group for link in links],
            features.condition,
        ]
    )


def decode_features(data: bytes) -> PageFeatures:
    """What ``encode_features`` was given; raises RecordingError for bytes it never made."""
    try:
        title, title_words, body_words, published, robots, simhash, *rest = _unpack(data)
        _only(str, [title, published, *robots])
        _only(int, [simhash])
        condition = rest.pop() if len(rest) == _PARTS_OF_LINKS + 1 else ""
        _only(str, [condition])
        links = _links(data[0], *rest)
        words = tuple(_texts(title_words)), tuple(_texts(body_words))
        return PageFeatures(title, *words, links, published, frozenset(robots), simhash, condition)
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError) as error:
        raise RecordingError(f"a page's features are damaged: {error}") from None


def _links(layout: int, table: Any, columns: Any, positions: Any, paging: Any, groups: Any = None) -> tuple[Link, ...]:
    text = _texts(table)
    count = len(columns[0])
    is_pagination = [False] * count
    for at in paging:
        is_pagination[at] = True
    texts = [[text[at] for at in column] for column in columns]
    if len(texts) != (8 if layout == 1 else 9) or (groups is None) != (layout == 1):
        raise ValueError(f"they are not of layout {layout}")
    places = range(count) if positions is None else _only(int, positions)
    if layout == 1:
        return tuple(map(Link, *texts, places, is_pagination))
    *fields, kinds = texts
    return tuple(map(Link, *fields, places, is_pagination, kinds, _only(int, groups)))


def encode_verdicts(links: Sequence[LoggedLink]) -> bytes:
    """The verdicts of a page's links, values rounded to 1e-6."""
    reasons: dict[str, int] = {}
    places = [reasons.setdefault(link.pruned, len(reasons)) for link in links]
    return _pack([[round(link.value, _ROUNDED) for link in links], list(reasons), places])


def decode_verdicts(data: bytes) -> tuple[LoggedLink, ...]:
    """What ``encode_verdicts`` was given; raises RecordingError for bytes it never made."""
    try:
        values, reasons, places = _unpack(data)
        _only(str, reasons)
        return tuple(LoggedLink(float(value), reasons[at]) for value, at in zip(values, places, strict=True))
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError) as error:
        raise RecordingError(f"a page's verdicts are damaged: {error}") from None


def _pack(value: list[Any]) -> bytes:
    return bytes([LAYOUT]) + zlib.compress(_encode(value).encode("utf-8", "surrogatepass"), _LEVEL)


def _unpack(data: bytes) -> list[Any]:
    if not data or data[0] not in _READ:
        raise ValueError(f"they begin with {data[:1]!r}, not with the number of a layout up to {LAYOUT}")
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(data[1:], LIMIT)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not inflate.eof:
        raise ValueError("they end too early" if len(text) < LIMIT else f"unpacked they have more than {LIMIT:,} bytes")
    return list(_decode(text.decode("utf-8", "surrogatepass")))


def _joined(words: Iterable[str]) -> str | list[str]:
    words = list(words)
    text = _SEPARATOR.join(words)
    return text if words and text.count(_SEPARATOR) == len(words) - 1 else words


def _texts(words: str | list[str]) -> list[str]:
    return words.split(_SEPARATOR) if isinstance(words, str) else _only(str, words)


def _only(kind: type[_Value], values: list[_Value]) -> list[_Value]:
    """``values``, when all are of this kind; a file of somebody else may hold any JSON."""
    if not isinstance(values, list) or not set(map(type, values)) <= {kind}:
        raise ValueError(f"{kind.__name__} was expected")
    return values
