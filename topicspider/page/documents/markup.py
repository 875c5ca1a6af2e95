"""Writes the simple, bounded markup that a document becomes; from there it is read like any page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from topicspider.page.documents.about import About, one_line, printable
from topicspider.page.documents.limits import MAX_BLOCKS, MAX_LINKS, MAX_TEXT

Piece = tuple[str, str]
"""(text, the address it links to or "")."""

_LONGEST_URL = 2_083


class Markup:
    """Blocks in order, until ``is_full``; what comes then is dropped."""

    def __init__(self, limit: int = MAX_TEXT) -> None:
        self._parts: list[str] = []
        self._left = limit
        self._blocks = 0
        self._links = 0
        self._open: list[str] = []

    @property
    def is_full(self) -> bool:
        return self._left <= 0 or self._blocks >= MAX_BLOCKS

    @property
    def is_empty(self) -> bool:
        """True when there is not one letter, digit or character in it."""
        return not any(any(c.isalnum() for c in re.sub("<[^>]*>", "", part)) for part in self._parts)

    def block(self, tag: str, pieces: Iterable[Piece]) -> None:
        """One block of text with its links; an empty one leaves no trace."""
        if self.is_full:
            return
        parts = [part for text, href in pieces if (part := self._piece(text, href))]
        if parts:
            self._parts.append(f"<{tag}>{''.join(parts)}</{tag}>\n")
            self._blocks += 1

    def html(self, html: str, characters: int) -> None:
        """A part that is markup already and has so many characters of text; cut where it is too long."""
        if not self.is_full:
            room = 2 * MAX_TEXT
            self._parts.append(html if len(html) <= room else html[:room].rpartition("<")[0])
            self._left -= max(characters, len(html) // 4)
            self._blocks += 1

    def open(self, tag: str) -> None:
        """Start a list, a table or a row."""
        if not self.is_full:
            self._parts.append(f"<{tag}>")
            self._open.append(tag)
            self._blocks += 1

    def close(self, tag: str) -> None:
        """End it; nothing when it was never started."""
        if tag in self._open:
            while (last := self._open.pop()) != tag:
                self._parts.append(f"</{last}>")
            self._parts.append(f"</{tag}>\n")

    def is_inside(self, tag: str) -> bool:
        """True between ``open(tag)`` and its ``close``."""
        return tag in self._open

    def written(self, about: About) -> bytes:
        """The whole page in UTF-8, with what the document says about itself as its head."""
        title = one_line(about.title)
        names = {
            "author": about.author,
            "article:published_time": about.published,
            "article:modified_time": about.modified,
            "keywords": about.keywords,
            "description": about.description,
        }
        metas = [
            f'<meta name="{name}" content="{escape(text)}">'
            for name, value in names.items()
            if (text := one_line(value))
        ]
        head = f'<meta charset="utf-8"><title>{escape(title)}</title>{"".join(metas)}'
        heading = f"<h1>{escape(title)}</h1>\n" if title else ""
        closing = "".join(f"</{tag}>" for tag in reversed(self._open))
        return f"<!DOCTYPE html><html><head>{head}</head><body>\n{heading}{''.join(self._parts)}{closing}</body></html>".encode()

    def _piece(self, text: str, href: str) -> str:
        text = printable(text)[: max(0, self._left)]
        self._left -= len(text)
        if href and self._links < MAX_LINKS and (target := web_address(href)):
            self._links += 1
            return f'<a href="{escape(target)}">{escape(text, quote=False)}</a>'
        return escape(text, quote=False) if text.strip() or text == " " else ""


def web_address(href: str) -> str:
    """A web address, else "": a document's inner links and programs lead nowhere for a crawl."""
    href = printable(href.strip())[: _LONGEST_URL + 1]
    return href if len(href) <= _LONGEST_URL and href[:8].lower().startswith(("http://", "https://")) else ""
