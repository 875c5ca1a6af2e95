"""Records of one walk over a page: text, blocks, containers, anchors, the head's declarations; and texts made safe for fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def one_line(text: str, longest: int) -> str:
    """``text`` with single spaces, without control characters and lone surrogates, cut to ``longest`` characters."""
    return safe(" ".join(text[: 4 * longest].split()))[:longest].strip()


def safe(text: str) -> str:
    """``text`` without control characters (line breaks and tabs stay), marks of direction and lone surrogates."""
    return _UNSAFE.sub("", text) if _UNSAFE.search(text) else text


@dataclass(slots=True)
class Container:
    """A block element: where it stands in the tree (``parent`` is an index, -1 for the root) and what it is.

    ``style`` is its style attribute, with ``align`` written as CSS; at most 300 characters.
    """

    parent: int
    tag: str
    zone: str
    names: str
    is_hidden: bool = False
    style: str = ""


@dataclass(slots=True)
class Block:
    """A run of text between two block boundaries: ``start`` and ``end`` are offsets in the page's text.

    ``style`` joins the inline elements that its text begins in (``b``, ``strong``, ``big``, ``font``, ``span`` with a style), as CSS.
    """

    start: int
    end: int
    container: int
    tag: str
    linked: int = 0
    style: str = ""


@dataclass(slots=True)
class Anchor:
    """A linking element as it stands in the markup; ``start`` and ``end`` span its text."""

    href: str
    start: int
    end: int
    container: int
    block: int
    heading: int
    tag: str = "a"
    rel: str = ""
    title: str = ""
    alt: str = ""


@dataclass(slots=True)
class TimeMark:
    """An element that says it holds a time: ``name`` joins its tag, itemprop and class; ``stamp`` is what it declares, else "".

    ``start`` is where its text begins.
    """

    name: str
    stamp: str
    start: int
    container: int


@dataclass(slots=True)
class Reading:
    """Everything one walk notes: text, blocks, containers, anchors, and the head's declarations.

    ``head_links`` holds (rel, href, hreflang); ``feeds`` the addresses of RSS and Atom feeds; ``noscript`` the markup
    inside ``<noscript>`` of the body; ``lang`` what ``<html>`` declares;
    ``authors`` where inline elements called author begin, and their containers.
    """

    text: str = ""
    title: str = ""
    base: str = ""
    containers: list[Container] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    head_links: list[tuple[str, str, str]] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    times: list[TimeMark] = field(default_factory=list)
    authors: list[tuple[int, int]] = field(default_factory=list)
    passwords: int = 0
    scripts: int = 0
    noscript: str = ""
    lang: str = ""

    def block_text(self, block: Block) -> str:
        """The text of one block."""
        return self.text[block.start : block.end]
