"""Reads the typed objects of a page: JSON-LD and microdata, as dicts of the same shape, bounded and tolerant."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from topicspider.page.parsed_page import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

    from topicspider.page.parsed_page import Reading


_MAX_OBJECTS = 200
_FIELD = 500
_CONTROL = re.compile(r"[\x00-\x1f]+")

ARTICLES = frozenset(
    {"article", "newsarticle", "blogposting", "reportagenewsarticle", "techarticle", "report", "liveblogposting"}
)
_FORUM = frozenset({"discussionforumposting", "socialmediaposting", "qapage", "question"})
PRODUCTS = frozenset({"product", "productgroup", "individualproduct", "vehicle"})
_LISTS = frozenset({"itemlist", "collectionpage", "searchresultspage"})


def objects_of(reading: Reading) -> list[dict[str, object]]:
    """Every typed object of a page's JSON-LD, at most 200, outer ones first; malformed scripts are left out."""
    found: list[dict[str, object]] = []
    for script in reading.json_ld:
        found.extend(_typed(_parsed(script)))
        if len(found) >= _MAX_OBJECTS:
            break
    return found[:_MAX_OBJECTS]


def types_of(thing: dict[str, object]) -> frozenset[str]:
    """The lower-case type names of an object, without the address of the vocabulary."""
    declared = thing.get("@type")
    names = declared if isinstance(declared, list) else [declared]
    return frozenset(name.rpartition("/")[2].lower()[:60] for name in names if isinstance(name, str))


def kind_of(objects: list[dict[str, object]]) -> str:
    """article, forum, product or list, as the outermost typed object says; "" when none does."""
    for thing in objects:
        types = types_of(thing)
        for kind, names in (
            ("article", ARTICLES),
            ("forum", _FORUM),
            ("product", PRODUCTS | {"book"}),
            ("list", _LISTS),
        ):
            if types & names:
                return kind
    return ""


def text_of(value: object) -> str:
    """The text of a JSON-LD value: itself, its name, or the first of a list; at most 500 characters, one line."""
    for _ in range(4):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = value.get("name") or value.get("@value") or ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return one_line(str(value) if isinstance(value, str) else f"{value:.15g}", _FIELD)


def _parsed(script: str) -> object:
    """The JSON of one script; line breaks in strings and a trailing comma or semicolon are forgiven."""
    text = script.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    if text.count("{") + text.count("[") > 20_000 or _nesting(text) > 60:
        return None
    text = _CONTROL.sub(" ", text)
    for one in (text, re.sub(r",\s*([}\]])", r"\1", text)):
        with suppress(ValueError):
            return json.loads(one, parse_int=_number)
    return None


def _number(digits: str) -> float:
    return float(digits[:40])  # int() refuses more than 4,300 digits


def _nesting(text: str) -> int:
    depth = deepest = 0
    for mark in re.finditer(r"[\[{}\]]", text):
        depth += 1 if mark[0] in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _typed(value: object, depth: int = 0) -> Iterator[dict[str, object]]:
    if depth > 8:
        return
    if isinstance(value, list):
        for part in value[:_MAX_OBJECTS]:
            yield from _typed(part, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement"):
            yield from _typed(value.get(name), depth + 1)


def items_of(root: LexborNode | None) -> list[dict[str, object]]:
    """The typed items of a tree in document order, inner ones inside their properties, too."""
    if root is None:
        return []
    items: dict[int, dict[str, object]] = {}
    found: list[dict[str, object]] = []
    left = 500_000  # characters of all properties together: nested ones hold the same text again
    nodes = {node.mem_id: node for node in root.css("[itemscope],[itemprop]")[:600]}  # those of both come twice
    for node in nodes.values():
        attributes = node.attributes
        value: object
        if "itemscope" in attributes:
            value = items[node.mem_id] = _item(attributes)
            if "@type" in items[node.mem_id]:
                found.append(items[node.mem_id])
        elif left > 0:
            value, read = _value(node, attributes)
            left -= read
        else:
            break
        owner = _owner(node, items) if attributes.get("itemprop") else None
        if owner is not None and value != "":
            for name in (attributes.get("itemprop") or "").split()[:4]:
                _add(owner, name[:60], value)
    return found


def _item(attributes: dict[str, str | None]) -> dict[str, object]:
    types = (attributes.get("itemtype") or "").split()[:5]
    return {"@type": types} if types else {}


def _owner(node: LexborNode, items: dict[int, dict[str, object]]) -> dict[str, object] | None:
    parent = node.parent
    for _ in range(60):
        if parent is None:
            return None
        if parent.mem_id in items:
            return items[parent.mem_id]
        parent = parent.parent
    return None


def _value(node: LexborNode, attributes: dict[str, str | None]) -> tuple[str, int]:
    """(the value of a property, how many characters were read for it)."""
    for name in ("content", "datetime"):
        if declared := attributes.get(name):
            return one_line(declared, _FIELD), 0
    address = next((value for name in ("href", "src") if (value := attributes.get(name))), "")
    names = (attributes.get("itemprop") or "").split()
    if address and (node.tag != "a" or "url" in names or "sameAs" in names):
        return one_line(address, _FIELD), 0
    text = node.text(deep=True) or ""
    return one_line(text[: 4 * _FIELD], _FIELD), len(text)


def _add(owner: dict[str, object], name: str, value: object) -> None:
    """A property that comes twice becomes a list; the type is no property."""
    before = owner.get(name)
    if name == "@type":
        return
    if before is None:
        owner[name] = value
    elif isinstance(before, list):
        before.append(value)
    else:
        owner[name] = [before, value]
