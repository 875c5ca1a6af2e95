"""Reads the typed objects that a page declares: JSON-LD objects and microdata items (schema.org)."""

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


_CONTROL = re.compile(r"[\x00-\x1f]+")

ARTICLES = frozenset(
    {"article", "newsarticle", "blogposting", "reportagenewsarticle", "techarticle", "report", "liveblogposting"}
)
PRODUCTS = frozenset({"product", "productgroup", "individualproduct", "vehicle"})
_KINDS = {
    "article": ARTICLES,
    "forum": frozenset({"discussionforumposting", "socialmediaposting", "qapage", "question"}),
    "product": PRODUCTS | {"book"},
    "list": frozenset({"itemlist", "collectionpage", "searchresultspage"}),
}


def objects_of(reading: Reading) -> list[dict[str, object]]:
    """Every typed object of a page's JSON-LD, at most 200, outer ones first; malformed scripts are left out."""
    found: list[dict[str, object]] = []
    for script in reading.json_ld:
        found.extend(typed(_parsed(script)))
    return found[:200]


def types_of(thing: dict[str, object]) -> frozenset[str]:
    """The lower-case type names of an object, without the address of the vocabulary."""
    declared = thing.get("@type")
    names = declared if isinstance(declared, list) else [declared]
    return frozenset(name.rpartition("/")[2].lower()[:60] for name in names if isinstance(name, str))


def kind_of(objects: list[dict[str, object]]) -> str:
    """article, forum, product or list, by the outermost object whose type is known; "" when there is none."""
    kinds = (kind for thing in objects for kind, names in _KINDS.items() if types_of(thing) & names)
    return next(kinds, "")


def text_of(value: object) -> str:
    """The text of a JSON-LD value: a scalar itself, an object's name, a list's first item; one line of at most 500 characters."""
    for _ in range(4):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = value.get("name") or value.get("@value") or ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return one_line(value if isinstance(value, str) else f"{value:.15g}", 500)


def listed_in(objects: list[dict[str, object]]) -> list[tuple[str, str]]:
    """(address, name) of each ListItem that has an address."""
    entries = [(thing, thing.get("item")) for thing in objects if "listitem" in types_of(thing)]
    both = [{**(item if isinstance(item, dict) else {"url": item}), **entry} for entry, item in entries]
    named = [(entry.get("url") or entry.get("@id"), text_of(entry.get("name"))) for entry in both]
    return [(address, name) for address, name in named if isinstance(address, str)]


def _parsed(script: str) -> object:
    """The parsed JSON of one script, None if invalid; line breaks in strings and trailing commas or semicolons are tolerated."""
    text = script.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    if text.count("{") + text.count("[") > 20_000:
        return None
    text = _CONTROL.sub(" ", text)
    for one in (text, re.sub(r",\s*([}\]])", r"\1", text)):
        with suppress(ValueError, RecursionError):
            return json.loads(one, parse_int=float)  # int() refuses more than 4,300 digits
    return None


def typed(value: object, depth: int = 0) -> Iterator[dict[str, object]]:
    """The objects with an @type in a parsed JSON value, outer ones first."""
    if depth > 8:
        return
    if isinstance(value, list):
        for part in value[:200]:
            yield from typed(part, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement"):
            yield from typed(value.get(name), depth + 1)


def items_of(root: LexborNode | None) -> list[dict[str, object]]:
    """The typed microdata items of a tree in document order; each property is a list, and may contain inner items."""
    if root is None:
        return []
    items: dict[int, dict[str, object]] = {}
    left = 500_000  # characters of all properties together: nested ones hold the same text again
    nodes = {node.mem_id: node for node in root.css("[itemscope],[itemprop]")[:600]}  # those of both come twice
    for node in nodes.values():
        attributes = node.attributes
        names = (attributes.get("itemprop") or "").split()[:4]
        value: object
        if "itemscope" in attributes:
            types = (attributes.get("itemtype") or "").split()[:5]
            value = items[node.mem_id] = {"@type": types} if types else {}
        else:
            value = _attribute_value(node, names)
            if not value and left > 0:
                text = node.text(deep=True) or ""
                value, left = one_line(text[:2_000], 500), left - len(text)
        owner = _owner(node, items) if names else None
        if owner is not None and value != "":
            for name in names:
                values = owner.setdefault(name[:60], [])
                if isinstance(values, list) and name != "@type":
                    values.append(value)
    return [item for item in items.values() if "@type" in item]


def _owner(node: LexborNode, items: dict[int, dict[str, object]]) -> dict[str, object] | None:
    parent = node.parent
    for _ in range(60):
        if parent is None:
            return None
        if parent.mem_id in items:
            return items[parent.mem_id]
        parent = parent.parent
    return None


def _attribute_value(node: LexborNode, names: list[str]) -> str:
    """The value that a property's element declares by attribute: content, datetime, or the address in href or src; else ""."""
    is_text = node.tag == "a" and "url" not in names and "sameAs" not in names
    wanted = ("content", "datetime") if is_text else ("content", "datetime", "href", "src")
    return one_line(next((value for name in wanted if (value := node.attributes.get(name))), ""), 500)
