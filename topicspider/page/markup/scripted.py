"""Finds where a link leads whose address stands in a script: only as a plain literal, nothing is run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from selectolax.lexbor import LexborNode

_LONGEST = 600
_LITERAL = re.compile(
    r"(?:\bopen\s?\(|\blocation(?:\.href)?\s?=|\blocation\.(?:assign|replace)\s?\()\s?(['\"])([^'\"<>\s]{1,500})\1\s?(?![\s+])",
    re.IGNORECASE,
)
_JUMP = re.compile(r"location|\bopen\s?\(|jump|\bgo(?:to)?\w{0,10}\s?\(", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://|\.{0,2}/|[\w%-]{1,100}(?:/|\.(?:s?html?|aspx?|php|jsp|do)\b)|\?", re.IGNORECASE)
MAX_OPTIONS = 300
_NO_ADDRESS = ("", "#", "###")


def scripted_target(attributes: Mapping[str, str | None]) -> str:
    """The address in ``onclick="location.href='…'"``, ``href="javascript:window.open('…')"`` or ``data-href`` of a link; "" when it has a true one.

    A literal that is joined with something (``'/a?id=' + id``) is no address.
    """
    href = (attributes.get("href") or "").strip()
    is_script = href[:11].lower() == "javascript:"
    if not is_script and href not in _NO_ADDRESS:
        return ""
    if target := (attributes.get("data-href") or "").strip():
        return target[:_LONGEST]
    for script in (href if is_script else "", attributes.get("onclick") or ""):
        if script and (found := _LITERAL.search(script[:_LONGEST])):
            return found[2]
    return ""


def jump_targets(select: LexborNode) -> list[tuple[str, str]]:
    """(address, text) of the entries of a ``<select>`` that goes where its ``onchange`` says (jump menus of old portals); else []."""
    if not _JUMP.search((select.attributes.get("onchange") or "")[:_LONGEST]):
        return []
    found = []
    for option in _options(select):
        value = (option.attributes.get("value") or "").strip()[:_LONGEST]
        if _ADDRESS.match(value):
            found.append((value, (option.text(deep=True) or "")[:300]))
    return found


def _options(select: LexborNode) -> Iterator[LexborNode]:
    """The first MAX_OPTIONS options, those of groups too."""
    rest = [select.first_child]
    left = MAX_OPTIONS
    while rest and left:
        node = rest.pop()
        if node is None:
            continue
        rest.append(node.next)
        if node.tag == "option":
            left -= 1
            yield node
        elif node.tag == "optgroup":
            rest.append(node.first_child)
