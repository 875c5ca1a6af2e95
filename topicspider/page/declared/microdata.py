"""Reads microdata (itemscope, itemprop) into objects of the same shape as JSON-LD's, bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.page.markup.texts import one_line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_MAX_NODES = 600
_MAX_HEIGHT = 60
_VALUE = 500
_ADDRESSES = ("href", "src")
_TEXTS = 500_000
"""Characters of text that are read of all properties together: nested properties hold the same text again."""


def items_of(root: LexborNode | None) -> list[dict[str, object]]:
    """The typed items of a tree in document order, inner ones inside their properties, too."""
    if root is None:
        return []
    items: dict[int, dict[str, object]] = {}
    found: list[dict[str, object]] = []
    left = _TEXTS
    nodes = {node.mem_id: node for node in root.css("[itemscope],[itemprop]")[:_MAX_NODES]}  # those of both come twice
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
    for _ in range(_MAX_HEIGHT):
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
            return one_line(declared, _VALUE), 0
    address = next((value for name in _ADDRESSES if (value := attributes.get(name))), "")
    names = (attributes.get("itemprop") or "").split()
    if address and (node.tag != "a" or "url" in names or "sameAs" in names):
        return one_line(address, _VALUE), 0
    text = node.text(deep=True) or ""
    return one_line(text[: 4 * _VALUE], _VALUE), len(text)


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
