"""Turns an EPUB book into markup: its chapters in reading order, without scripts, pictures and inner links."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from topicspider.page.decode import decode
from topicspider.page.documents.archive import Archive, Elements, read_xml
from topicspider.page.documents.document import Failure, Unreadable
from topicspider.page.documents.markup import About, Markup, author_among, day_of_stamp, title_among, web_address
from topicspider.page.parse import bounded

_MAX_CHAPTERS = 1_000
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Algorithms that hide fonts only; a book with them can be read."""


_REMOVED = (
    *("script", "style", "link", "nav", "svg", "math", "template", "noscript"),
    *("iframe", "object", "embed", "audio", "video", "img", "form", "rt", "rp"),
)
_INLINE = ("span", "font", "b", "i", "em", "strong", "small", "big", "u", "sup", "sub", "ruby")
"""Unwrapped: a book may have more of them than a page may have tags."""
_H1 = re.compile(r"<(/?)h1\b", re.IGNORECASE)


def markup_of(body: bytes, is_spent: Callable[[], bool]) -> bytes:
    """The markup of an EPUB; raises Unreadable."""
    archive = Archive(body)
    place = _package_place(archive)
    package = _Package()
    if not read_xml(archive.read(place), package) and not package.spine:
        raise Unreadable(Failure.DAMAGED)
    chapters = [_member(place, package.items[name]) for name in dict.fromkeys(package.spine) if name in package.items]
    _refuse_locked(archive, set(chapters))
    markup = Markup()
    for chapter in chapters[:_MAX_CHAPTERS]:
        if markup.is_full or is_spent():
            break
        _write_chapter(markup, archive.read(chapter))
    if markup.is_empty:
        raise Unreadable(Failure.EMPTY)
    return markup.written(package.about)


def _package_place(archive: Archive) -> str:
    container = _Container()
    read_xml(archive.read("META-INF/container.xml"), container)
    if not container.place:
        raise Unreadable(Failure.DAMAGED)
    return container.place


def _member(place: str, href: str) -> str:
    """The member that ``href`` names in the package file at ``place``."""
    path = unquote(href[:2_000].partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), path))


def _refuse_locked(archive: Archive, chapters: set[str]) -> None:
    encryption = _Encryption()
    read_xml(archive.read("META-INF/encryption.xml"), encryption)
    if chapters & encryption.locked:
        raise Unreadable(Failure.LOCKED)


class _Container(Elements):
    place = ""

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        if name == "rootfile" and not self.place:
            self.place = attributes.get("full-path", "")[:1_000]


class _Encryption(Elements):
    """The members that cannot be read without a key."""

    def __init__(self) -> None:
        super().__init__()
        self.locked: set[str] = set()
        self._algorithm = ""

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        if name == "EncryptionMethod":
            self._algorithm = attributes.get("Algorithm", "")
        elif name == "CipherReference" and self._algorithm not in _FONT_SCRAMBLING:
            self.locked.add(posixpath.normpath(unquote(attributes.get("URI", "")[:2_000])))

    def closed(self, space: str, name: str) -> None:
        if name == "EncryptedData":
            self._algorithm = ""


class _Package(Elements):
    """The package file: what the book is called, its files, their order."""

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, str] = {}
        self.spine: list[str] = []
        self._said: dict[str, list[str]] = {}
        self._name = ""

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        self._name = name
        if name == "meta":
            self._name = attributes.get("property", "").rpartition(":")[2] if "property" in attributes else ""
        elif (
            name == "item"
            and "html" in attributes.get("media-type", "")
            and "nav" not in attributes.get("properties", "").split()
        ):
            self.items[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref" and attributes.get("linear") != "no":
            self.spine.append(attributes.get("idref", ""))
        if self._name:
            self._said.setdefault(self._name, []).append("")

    def closed(self, space: str, name: str) -> None:
        self._name = ""

    def text(self, data: str) -> None:
        if self._name and len(self._said[self._name][-1]) < 2_000:
            self._said[self._name][-1] += data

    def _first(self, name: str) -> str:
        return next((text.strip() for text in self._said.get(name, ()) if text.strip()), "")

    @property
    def about(self) -> About:
        return About(
            title=title_among(self._first("title"), "", self._first("title")),
            author=author_among(self._first("creator")),
            published=day_of_stamp(self._first("date")),
            modified=day_of_stamp(self._first("modified")),
            keywords=",".join(text.strip() for text in self._said.get("subject", ())[:10] if text.strip()),
            description=self._first("description"),
        )


def _write_chapter(markup: Markup, body: bytes) -> None:
    try:
        tree = LexborHTMLParser(bounded(decode(body).text))
        tree.strip_tags(list(_REMOVED))
        tree.unwrap_tags(list(_INLINE))
        for node in tree.css("[href]"):
            if not web_address(node.attributes.get("href") or ""):
                del node.attrs["href"]
        text, html = tree.body.text() if tree.body else "", tree.body.inner_html if tree.body else ""
    except SelectolaxError:
        return
    markup.html(_H1.sub(r"<\1h2", html or ""), len(text))
