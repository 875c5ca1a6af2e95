"""Turns an EPUB book into simple markup: its chapters in reading order, stripped to text, headings, tables, links."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from topicspider.page.decoding.decode import decode
from topicspider.page.documents.archive import Archive
from topicspider.page.documents.document import Failure
from topicspider.page.documents.errors import Unreadable
from topicspider.page.documents.markup import About, Markup, Piece
from topicspider.page.documents.naming import author_among, key_of, title_among
from topicspider.page.documents.stamps import day_of_stamp
from topicspider.page.documents.xml_events import Elements, read_xml
from topicspider.page.markup.bounds import bounded

_MAX_CHAPTERS = 1_000
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Algorithms that hide fonts only; a book with them can be read."""


def _names(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


_BLOCKS = _names("h1 h2 h3 h4 h5 h6 p li td th blockquote pre dt dd figcaption caption div section article body aside")
_KEPT = _names("h1 h2 h3 h4 h5 h6 p li td th blockquote pre dt dd figcaption caption")
_GROUPS = _names("ul ol table tr dl")
_SKIPPED = _names("script style nav head svg math template noscript iframe object audio video rt rp -comment !doctype")
_MAX_NODES = 60_000


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
        root = LexborHTMLParser(bounded(decode(body).text)).root
    except SelectolaxError:
        return
    if root is not None:
        _Chapter(markup).run(root)


class _Chapter:
    """One walk over a chapter, in document order, that writes its blocks."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        self._pieces: list[Piece] = []
        self._tags = ["p"]
        self._links = [""]

    def run(self, root: LexborNode) -> None:
        parents: list[tuple[LexborNode, str]] = []
        node: LexborNode | None = root
        left = _MAX_NODES
        while node is not None and left and not self._markup.is_full:
            left -= 1
            tag = node.tag or ""
            if tag == "-text":
                self._pieces.append((node.text_content or "", self._links[-1]))
            elif tag not in _SKIPPED:
                self._enter(tag, node)
                if (child := node.first_child) is not None:
                    parents.append((node, tag))
                    node = child
                    continue
                self._leave(tag)
            following = node.next if parents else None
            while following is None and parents:
                node, tag = parents.pop()
                self._leave(tag)
                following = node.next if parents else None
            node = following
        self._flush()

    def _enter(self, tag: str, node: LexborNode) -> None:
        if tag in _GROUPS:
            self._flush()
            self._markup.open(tag)
        elif tag in _BLOCKS:
            self._flush()
            self._tags.append(tag if tag in _KEPT else "p")
        elif tag == "a":
            self._links.append(node.attributes.get("href") or "")
        elif tag in ("br", "hr"):
            self._pieces.append((" ", ""))

    def _leave(self, tag: str) -> None:
        if tag in _GROUPS:
            self._flush()
            self._markup.close(tag)
        elif tag in _BLOCKS:
            self._flush()
            if len(self._tags) > 1:
                self._tags.pop()
        elif tag == "a" and len(self._links) > 1:
            self._links.pop()

    def _flush(self) -> None:
        """Ends the block; white space as HTML reads it."""
        pieces = [(" ".join(text.split()) if text.strip() else " ", text, href) for text, href in self._pieces]
        self._pieces = []
        if any(key_of(words) for words, _text, _href in pieces):
            tag = self._tags[-1]
            self._markup.block(
                "h2" if tag == "h1" else tag, [(_spaced(words, text), href) for words, text, href in pieces]
            )


def _spaced(words: str, text: str) -> str:
    """``words`` with one space at the sides where ``text`` has white space."""
    if words == " ":
        return words
    return f"{' ' if text[0].isspace() else ''}{words}{' ' if text[-1].isspace() else ''}"
