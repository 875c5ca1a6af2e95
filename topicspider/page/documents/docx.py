"""Turns a Word document (DOCX) into simple markup: paragraphs, headings, list items, links; cells of tables are paragraphs."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import groupby

from topicspider.page.decode import OLD_OFFICE
from topicspider.page.documents.document import Failure, Unreadable
from topicspider.page.documents.markup import About, Markup, Piece, key_of, title_among
from topicspider.page.xml_elements import Element, attribute, elements, local_name, text_within

_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_PARAGRAPHS = tuple(f"{{{space}}}p" for space in _WORD)
_LEFT_OUT = ("Fallback", "del", "moveFrom", "pPr", "instrText")
"""Elements to skip: the second version of a drawing, deleted or moved text, paragraph formatting, field instructions."""
_CHARACTERS = {"t": "", "tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"}
_HEADING = re.compile(r"(?:heading|标题)\s*([1-9])\Z", re.IGNORECASE)
_SENTENCE = re.compile(r"[。！？!?，,；;：:.]\Z")


def markup_of(body: bytes, is_spent: Callable[[], bool]) -> bytes:
    """The markup of a DOCX; raises Unreadable."""
    if body.startswith(OLD_OFFICE):
        raise Unreadable(Failure.LOCKED)
    archive = _Archive(body)
    text = _Text(_styles(archive.read("word/styles.xml")), _links(archive.read("word/_rels/document.xml.rels")))
    about = _about(archive.read("docProps/core.xml"))
    document = archive.read("word/document.xml")
    for count, element in enumerate(elements(document, *_PARAGRAPHS), 1):
        if not any(local_name(str(above.tag)) in _LEFT_OUT for above in element.iterancestors()):
            text.write(element)
        element.clear()
        if text.markup.is_full or (count % 200 == 0 and is_spent()):
            break
    if text.markup.is_empty:
        is_whole = any(True for _ in elements(document, "{*}body"))
        raise Unreadable(Failure.EMPTY if is_whole else Failure.DAMAGED)
    about.title = title_among(about.title, text.title, " ".join(text.start))
    return text.markup.written(about)


def _styles(data: bytes) -> dict[str, str]:
    """Style id to style name; ids differ between languages (标题 1 has the id "1")."""
    found = elements(data, "{*}style")
    return {attribute(style, "styleId"): attribute(style.find("{*}name"), "val") for style in found}


def _links(data: bytes) -> dict[str, str]:
    """Relationship id to the external address that it leads to."""
    found = (link for link in elements(data, "{*}Relationship") if attribute(link, "TargetMode") == "External")
    return {attribute(link, "Id"): attribute(link, "Target") for link in found}


def _about(data: bytes) -> About:
    return About.of({local_name(str(one.tag)): text_within(one)[:1_000] for one in elements(data, "{*}*")})


class _Text:
    """The running text, paragraph by paragraph."""

    def __init__(self, styles: dict[str, str], targets: dict[str, str]) -> None:
        self.markup = Markup()
        self.title = ""
        self._title_weight = 0
        self.start: list[str] = []
        self._styles = styles
        self._targets = targets

    def write(self, paragraph: Element) -> None:
        """Adds a paragraph that has been read completely."""
        groups = groupby(self._pieces(paragraph, ""), key=lambda piece: piece[1])  # Word cuts a sentence into many runs
        pieces = [("".join(text for text, _href in group), href) for href, group in groups]
        if text := "".join(part for part, _href in pieces).strip():
            self.markup.block(self._tag(paragraph.find("{*}pPr"), text), pieces)

    def _pieces(self, node: Element, link: str) -> Iterator[Piece]:
        for child in node:
            name = local_name(str(child.tag))
            if name in _CHARACTERS:
                yield _CHARACTERS[name] or child.text or "", link
            elif name not in _LEFT_OUT:
                yield from self._pieces(child, self._targets.get(attribute(child, "id"), link))

    def _tag(self, properties: Element | None, text: str) -> str:
        """The HTML tag of a paragraph, by its style's name and its outline level; also notes a candidate for the title."""
        said = {local_name(str(one.tag)): attribute(one, "val") for one in properties} if properties is not None else {}
        style = self._styles.get(said.get("pStyle", ""), said.get("pStyle", ""))
        heading, outline = _HEADING.match(style), said.get("outlineLvl", "9")
        level = int(heading[1]) if heading else "012345678".find(outline) + 1
        is_title = style.lower() in ("title", "标题")
        self._note_title(text, level, is_title)
        if level or is_title:
            return f"h{min(6, level + 1 + is_title)}"
        return "li" if "numPr" in said else "p"

    def _note_title(self, text: str, level: int, is_title: bool) -> None:
        """Keeps the best candidate among the first 8 paragraphs: one in the style Title, else a heading of level 1, else the first line."""
        if len(self.start) >= 50:
            return
        self.start.append(text[:1_000])
        is_first = len(self.start) == 1 and not _SENTENCE.search(text)
        weight = 3 * is_title or 2 * (level == 1) or int(is_first)
        is_near = len(self.start) <= 8 and len(text) <= 150
        if weight > self._title_weight and is_near and key_of(text):
            self.title, self._title_weight = text, weight


class _Archive:
    """Reads members of a ZIP file by name, within bounds, so that a zip bomb costs no more than a document."""

    def __init__(self, body: bytes) -> None:
        """Raises Unreadable if ``body`` is no ZIP file or has too many members."""
        if body.count(b"PK\x01\x02") > 5_000:
            raise Unreadable(Failure.LIMIT)
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
            raise Unreadable(Failure.DAMAGED) from None
        self._left = 64 * 1024 * 1024  # unpacked bytes of all members

    def read(self, name: str) -> bytes:
        """The unpacked member; b"" when there is none of that name. Raises Unreadable if it is encrypted, damaged or too large."""
        info = self._zip.NameToInfo.get(name)
        if info is None:
            return b""
        if info.flag_bits & 1:
            raise Unreadable(Failure.LOCKED)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable(Failure.DAMAGED)
        # the declared unpacked size may be false; Word's own XML unpacks to 50 times its packed size, a zip bomb to 1,000 times
        most = min(32 * 1024 * 1024, self._left, max(1024 * 1024, 200 * info.compress_size))
        try:
            with self._zip.open(info) as member:
                data = member.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, ValueError, EOFError, OSError, RuntimeError):
            raise Unreadable(Failure.DAMAGED) from None
        if len(data) > most:
            raise Unreadable(Failure.LIMIT)
        self._left -= len(data)
        return data
