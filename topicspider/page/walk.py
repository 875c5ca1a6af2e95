"""Walks the tree of a page once and records everything that the other modules of page/ need."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.parsed_page import Anchor, Block, Container, Reading, TimeMark, safe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode


MAX_NODES = 60_000
MAX_TEXT = 1_000_000
MAX_ANCHORS = 20_000


def _names(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


_LITERAL = re.compile(
    r"(?:\bopen\s?\(|\blocation(?:\.href)?\s?=|\blocation\.(?:assign|replace)\s?\()\s?(['\"])([^'\"<>\s]{1,500})\1\s?(?![\s+])",
    re.IGNORECASE,
)
_NO_ADDRESS = ("", "#", "###")


def scripted_target(attributes: Mapping[str, str | None]) -> str:
    """The address in a link's ``data-href``, ``onclick="location.href='…'"`` or ``href="javascript:window.open('…')"``.

    "" when the link has an ordinary href. A string that the script joins with something (``'/a?id=' + id``) is no address.
    """
    href = (attributes.get("href") or "").strip()
    is_script = href[:11].lower() == "javascript:"
    if not is_script and href not in _NO_ADDRESS:
        return ""
    if target := (attributes.get("data-href") or "").strip():
        return target[:600]
    for script in (href if is_script else "", attributes.get("onclick") or ""):
        if script and (found := _LITERAL.search(script[:600])):
            return found[2]
    return ""


_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})

_ADDED_UP = _names("robots topicspider article:tag article:section")
"""Meta names whose values are all kept, joined by commas; of other names the first value is kept."""

_INLINE = _names(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter nobr output picture "
    "progress q rb rp ruby s samp small span strike strong sub sup time tt u var wbr source"
)
_SKIPPED = _names(
    "style template svg math select option optgroup datalist textarea button object embed canvas audio video "
    "rt rp noframes noembed xmp -comment !doctype param"
)
_STYLED = frozenset({"b", "strong", "big", "font", "span"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ZONE_TAGS = {"nav": "nav", "menu": "nav", "aside": "aside", "footer": "footer", "header": "header"}
_ROLES = {"navigation": "nav", "complementary": "aside", "contentinfo": "footer", "banner": "header", "menu": "nav"}


def walk(root: LexborNode | None) -> Reading:
    """The Reading of a tree, in linear time and without recursion: at most MAX_NODES nodes and MAX_TEXT characters."""
    walker = _Walker()
    if root is not None:
        walker.run(root)
    return walker.finish()


class _Walker:
    """The state of a walk: the text so far, and the block, link and containers that are open."""

    def __init__(self) -> None:
        self.reading = Reading()
        self.pieces: list[str] = []
        self.size = 0  # of the text so far
        self.block_start = 0
        self.is_spaced = False  # white space followed the last character
        self.stack: list[int] = []  # indexes of open containers, innermost last
        self.linked = 0  # characters in links in the open block
        self.style = ""  # of the open block, at its beginning
        self.anchor: Anchor | None = None
        # open containers that a script makes links: (depth in stack, index of the anchor)
        self.clicked: list[tuple[int, int]] = []
        self.pre = 0  # how many <pre> are open
        self.hrefs = 0  # characters of all addresses so far
        self.in_head = False
        self.looks: list[str] = []  # of open inline elements

    def run(self, root: LexborNode) -> None:
        """Visits nodes in document order; a handler in _SPECIAL returns whether to visit a node's children."""
        parents: list[tuple[LexborNode, str]] = []
        node: LexborNode | None = root
        left = MAX_NODES
        special_of, add_text, leave = _SPECIAL.get, self.add_text, self.leave
        while node is not None and left:  # saving one call per node saves a tenth of the time
            left -= 1
            tag = node.tag or ""
            if tag == "-text":
                add_text(node.text_content or "")
            elif tag not in _SKIPPED:
                is_open = True
                if (special := special_of(tag)) is not None:
                    is_open = special(self, tag, node)
                elif tag not in _INLINE:
                    self.open_container(tag, node)
                if is_open:
                    child = node.first_child
                    if child is not None:
                        parents.append((node, tag))
                        node = child
                        continue
                    leave(tag)
            following = node.next if parents else None
            while following is None and parents:
                node, tag = parents.pop()
                leave(tag)
                following = node.next if parents else None
            node = following

    def finish(self) -> Reading:
        self.flush()
        self.close_anchor()
        self.reading.text = "".join(self.pieces)
        return self.reading

    def add_text(self, data: str) -> None:
        if self.size >= MAX_TEXT or self.in_head:
            return
        words = data.split()
        if not words:
            self.is_spaced = True
            return
        text = data.strip("\r\n") if self.pre else " ".join(words) if len(words) > 1 else words[0]
        if not text.isprintable():
            text = safe(text)
        if (self.is_spaced or data[0].isspace()) and self.size > self.block_start:
            text = " " + text
        text = text[: MAX_TEXT - self.size]
        self.is_spaced = data[-1].isspace()
        self.pieces.append(text)
        self.size += len(text)

    def flush(self) -> None:
        """Ends the current block of text."""
        self.is_spaced = False
        if self.size == self.block_start:
            return
        if self.anchor is not None:  # a link around blocks
            self.count_linked(self.anchor)
        reading = self.reading
        index = self.stack[-1] if self.stack else -1
        tag = reading.containers[index].tag if index >= 0 else ""
        if tag in _HEADINGS:
            reading.headings.append(len(reading.blocks))
        reading.blocks.append(Block(self.block_start, self.size, index, tag, self.linked, self.style))
        self.pieces.append("\n")
        self.size += 1
        self.block_start = self.size
        self.linked = 0
        self.style = self.look()

    def count_linked(self, anchor: Anchor) -> None:
        self.linked += max(0, self.size - max(anchor.start, self.block_start))

    def leave(self, tag: str) -> None:
        if tag == "a":
            self.close_anchor()
        elif tag == "head":
            self.in_head = False
        elif tag in _STYLED:
            if self.looks.pop() and self.size == self.block_start:
                self.style = self.look()
        elif tag not in _INLINE and self.stack:
            if self.size != self.block_start:
                self.flush()
            self.is_spaced = False
            if self.clicked and self.clicked[-1][0] == len(self.stack):
                self.close_clicked()
            self.stack.pop()
            self.pre -= tag == "pre"
            self.style = self.look() if self.looks else ""

    def open_container(self, tag: str, node: LexborNode) -> None:
        if self.size != self.block_start:
            self.flush()
        self.is_spaced = False
        attributes = node.attributes
        parent = self.stack[-1] if self.stack else -1
        zone, names, hidden, style = "", "", False, ""
        if attributes:
            names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
            zone = _ROLES.get(attributes.get("role") or "", "")
            style = attributes.get("style") or ""
            hidden = "hidden" in attributes or ("display" in style and "none" in style)
            align = attributes.get("align")
            style = f"text-align:{align};{style}" if align else style
        self.stack.append(len(self.reading.containers))
        self.reading.containers.append(
            Container(parent, tag, _ZONE_TAGS.get(tag, zone), names[:200], hidden, style[:300])
        )
        if attributes and ("itemprop" in attributes or "property" in attributes):
            self.note_property(attributes)
        if attributes and ("onclick" in attributes or "data-href" in attributes):
            self.open_clicked(tag, attributes)
        self.pre += tag == "pre"
        self.style = self.look() if self.looks else ""

    def open_root(self, tag: str, node: LexborNode) -> bool:
        attributes = node.attributes
        self.reading.lang = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()[:20]
        self.open_container(tag, node)
        return True

    def open_head(self, _tag: str, _node: LexborNode) -> bool:
        self.in_head = True
        return True

    def open_anchor(self, _tag: str, node: LexborNode) -> bool:
        self.close_anchor()
        attributes = node.attributes
        href = scripted_target(attributes) or attributes.get("href")
        if href is not None and self.has_room(href):
            self.anchor = self.new_anchor(href, "a", attributes)
        return True

    def open_clicked(self, tag: str, attributes: dict[str, str | None]) -> None:
        """Notes a cell, row or card that a script makes a link; its text does not count as linked."""
        if (target := scripted_target(attributes)) and self.has_room(target):
            self.clicked.append((len(self.stack), len(self.reading.anchors)))
            self.new_anchor(target, tag, attributes)

    def close_clicked(self) -> None:
        """Ends the link of a clickable container: its text reaches to the first link inside it, or to here."""
        anchors, at = self.reading.anchors, self.clicked.pop()[1]
        anchors[at].end = anchors[at + 1].start if at + 1 < len(anchors) else self.size

    def new_anchor(self, href: str, tag: str, attributes: dict[str, str | None]) -> Anchor:
        anchor = Anchor(
            href,
            self.size,
            self.size,
            self.stack[-1] if self.stack else -1,
            len(self.reading.blocks),
            len(self.reading.headings) - 1,
            tag,
            (attributes.get("rel") or "")[:100],
            (attributes.get("title") or "")[:300],
            (attributes.get("alt") or attributes.get("aria-label") or "")[:300],
        )
        self.reading.anchors.append(anchor)
        return anchor

    def has_room(self, href: str) -> bool:
        """Whether one more address fits the bounds: MAX_ANCHORS, and 800,000 characters in all (9 for each if some are beyond ASCII)."""
        self.hrefs += len(href) if href.isascii() else 9 * len(href)
        return len(self.reading.anchors) < MAX_ANCHORS and self.hrefs < 800_000

    def close_anchor(self) -> None:
        if self.anchor is not None:
            self.count_linked(self.anchor)
            self.anchor.end = self.size
            self.anchor = None

    def see_image(self, _tag: str, node: LexborNode) -> bool:
        if self.anchor is not None and not self.anchor.alt:
            attributes = node.attributes
            self.anchor.alt = (attributes.get("alt") or attributes.get("title") or "")[:300]
        return False

    def see_frame(self, tag: str, node: LexborNode) -> bool:
        attributes = node.attributes
        target = attributes.get("href" if tag == "area" else "src")
        if target and self.has_room(target):
            self.new_anchor(target, tag, attributes)
        return False

    def see_style(self, tag: str, node: LexborNode) -> bool:
        """Notes the style of an inline element at the start of a block; further inside, it is only emphasis."""
        is_first = self.size == self.block_start and not self.in_head and len(self.style) < 300
        self.looks.append(_style_of(tag, node)[:300] if is_first else "")
        if is_first:
            self.style = self.look()
        return True

    def look(self) -> str:
        """The joined styles (CSS) of the open inline elements; a line break inside of them does not end them."""
        return "".join(self.looks)[:600] if self.looks else ""

    def see_span(self, tag: str, node: LexborNode) -> bool:
        attributes = node.attributes
        if attributes:
            self.note_property(attributes)
            names = attributes.get("class") or ""
            if "date" in names or "time" in names:
                self.note_time(names, None)
            elif "author" in names or "byline" in names:
                self.note_author()
        return self.see_style(tag, node)

    def see_break(self, _tag: str, _node: LexborNode) -> bool:
        self.flush()
        return False

    def see_input(self, _tag: str, node: LexborNode) -> bool:
        self.reading.passwords += node.attributes.get("type") == "password"
        return False

    def see_title(self, _tag: str, node: LexborNode) -> bool:
        if not self.reading.title:
            self.reading.title = " ".join((node.text(deep=True) or "")[:5000].split())
        return False

    def see_meta(self, _tag: str, node: LexborNode) -> bool:
        attributes = node.attributes
        content = attributes.get("content")
        if not content or len(self.reading.meta) >= 200:
            return False
        for key in ("name", "property", "http-equiv", "itemprop"):
            name = attributes.get(key)
            if name:
                name = name.strip().lower()[:100]
                before = f"{self.reading.meta.pop(name, '')}," if name in _ADDED_UP else ""
                self.reading.meta.setdefault(name, (before + content.strip())[:4000])
        return False

    def see_base(self, _tag: str, node: LexborNode) -> bool:
        if not self.reading.base:
            self.reading.base = (node.attributes.get("href") or "").strip()[:2000]
        return False

    def see_link(self, _tag: str, node: LexborNode) -> bool:
        attributes = node.attributes
        rel, href = attributes.get("rel"), attributes.get("href")
        if rel and href and len(self.reading.head_links) < 200:
            self.reading.head_links.append((rel.strip().lower()[:100], href.strip()[:2000]))
            kind = (attributes.get("type") or "").strip().lower()
            if kind in _FEED_TYPES and "alternate" in rel.lower().split() and len(self.reading.feeds) < 10:
                self.reading.feeds.append(href.strip()[:2000])
        return False

    def see_script(self, _tag: str, node: LexborNode) -> bool:
        if "ld+json" not in (node.attributes.get("type") or "").lower():
            self.reading.scripts += 1
        elif len(self.reading.json_ld) < 8 and len(text := node.text(deep=True) or "") <= 200_000:
            self.reading.json_ld.append(text)
        return False

    def see_noscript(self, _tag: str, node: LexborNode) -> bool:
        if not self.in_head and len(self.reading.noscript) < 1_000:
            self.reading.noscript += (node.text(deep=True) or "")[:1_000]
        return False

    def see_time(self, _tag: str, node: LexborNode) -> bool:
        attributes = node.attributes
        name = f"time {attributes.get('itemprop') or ''} {attributes.get('class') or ''}"
        self.note_time(f"{name} pubdate" if "pubdate" in attributes else name, attributes.get("datetime"))
        return True

    def note_time(self, name: str, stamp: str | None) -> None:
        if len(self.reading.times) < 40:
            container = self.stack[-1] if self.stack else -1
            self.reading.times.append(TimeMark(name[:100], (stamp or "")[:60], self.size, container))

    def note_property(self, attributes: dict[str, str | None]) -> None:
        """Notes dates and authors in microdata and RDFa: itemprop="datePublished", property="schema:dateCreated"."""
        name = attributes.get("itemprop") or attributes.get("property") or ""
        if "date" in name:
            self.note_time(name, attributes.get("content") or attributes.get("datetime"))
        elif "author" in name:
            self.note_author()

    def note_author(self) -> None:
        if len(self.reading.authors) < 40:
            self.reading.authors.append((self.size, self.stack[-1] if self.stack else -1))


def _style_of(tag: str, node: LexborNode) -> str:
    """The style that an inline element gives its text, as CSS."""
    if tag in ("b", "strong"):
        return "font-weight:bold;"
    if tag == "big":
        return "font-size:larger;"
    attributes = node.attributes
    style = attributes.get("style") or ""
    size, color = attributes.get("size"), attributes.get("color")
    if tag == "font" and size:
        style += f";font-size:size{size[:4]}"
    if tag == "font" and color:
        style += f";color:{color[:30]}"
    return f"{style};" if style else ""


_SPECIAL = {
    "a": _Walker.open_anchor,
    "head": _Walker.open_head,
    "img": _Walker.see_image,
    "area": _Walker.see_frame,
    "frame": _Walker.see_frame,
    "iframe": _Walker.see_frame,
    "br": _Walker.see_break,
    "hr": _Walker.see_break,
    "input": _Walker.see_input,
    "title": _Walker.see_title,
    "meta": _Walker.see_meta,
    "base": _Walker.see_base,
    "link": _Walker.see_link,
    "script": _Walker.see_script,
    "time": _Walker.see_time,
    "noscript": _Walker.see_noscript,
    "b": _Walker.see_style,
    "strong": _Walker.see_style,
    "big": _Walker.see_style,
    "font": _Walker.see_style,
    "span": _Walker.see_span,
    "html": _Walker.open_root,
}
