"""Turns a Word document (DOCX) into simple markup: paragraphs, headings, lists, tables, links."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from topicspider.page.documents.archive import Archive, Elements, read_xml
from topicspider.page.documents.document import Failure, Unreadable
from topicspider.page.documents.markup import (
    LONGEST_TITLE,
    About,
    Markup,
    Piece,
    author_among,
    day_of_stamp,
    key_of,
    title_among,
)

_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_PART = "word/document.xml"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_HEADING = re.compile(r"(?:heading|标题)\s*([1-9])\Z", re.IGNORECASE)
_TITLE = frozenset({"title", "标题"})
_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]{1,2083})"', re.IGNORECASE)
_SENTENCE = re.compile(r"[。！？!?，,；;：:.]\Z")
_TITLE_WITHIN = 8
"""Paragraphs from the start in which the title may stand."""
_CHECKED_EVERY = 200


def markup_of(body: bytes, is_spent: Callable[[], bool]) -> bytes:
    """The markup of a DOCX; raises Unreadable."""
    if body.startswith(_OLD_OFFICE):
        raise Unreadable(Failure.LOCKED)
    archive = Archive(body)
    styles, links, core = _Styles(), _Relations(), _Core()
    read_xml(archive.read("word/styles.xml"), styles)
    read_xml(archive.read("word/_rels/document.xml.rels"), links)
    read_xml(archive.read("docProps/core.xml"), core)
    text = _Text(styles.names, links.targets, is_spent)
    is_whole = read_xml(archive.read(_PART), text)
    if text.markup.is_empty:
        raise Unreadable(Failure.EMPTY if is_whole else Failure.DAMAGED)
    about = core.about
    about.title = title_among(about.title, text.title, " ".join(text.start))
    return text.markup.written(about)


class _Styles(Elements):
    """The names of paragraph styles: ids differ from language to language (标题 1 has the id "1")."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, str] = {}
        self._id = ""

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            self._id = attributes.get("styleId", "")
        elif name == "name" and self._id:
            self.names[self._id] = attributes.get("val", "")[:100]


class _Relations(Elements):
    """Where links lead, by id."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: dict[str, str] = {}

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") == "External":
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")


class _Core(Elements):
    """What the document says about itself: docProps/core.xml."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, str] = {}
        self._name = ""

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        self._name = name

    def closed(self, space: str, name: str) -> None:
        self._name = ""

    def text(self, data: str) -> None:
        if self._name and len(known := self._texts.get(self._name, "")) < 1_000:
            self._texts[self._name] = known + data

    @property
    def about(self) -> About:
        said = self._texts.get
        return About(
            title=said("title", ""),
            author=author_among(said("creator", "")),
            published=day_of_stamp(said("created", "")),
            modified=day_of_stamp(said("modified", "")),
            keywords=said("keywords", ""),
            description=said("description", ""),
        )


@dataclass(slots=True)
class _Paragraph:
    pieces: list[Piece] = field(default_factory=list)
    style: str = ""
    level: int = 0
    is_item: bool = False


class _Text(Elements):
    """The running text; deleted text and the second version of drawings (mc:Fallback) are left out."""

    def __init__(self, styles: dict[str, str], targets: dict[str, str], is_spent: Callable[[], bool]) -> None:
        super().__init__()
        self.markup = Markup()
        self.title = ""
        self._title_weight = 0
        self.start: list[str] = []
        self._styles = styles
        self._targets = targets
        self._is_spent = is_spent
        self._paragraphs: list[_Paragraph] = []  # a text box in a paragraph has paragraphs of its own
        self._count = 0
        self._hidden = 0
        self._in_text = self._in_code = False
        self._link = ""
        self._field = ""
        self._field_link = ""
        self._is_list = False

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        if self._hidden or name in ("Fallback", "del", "moveFrom"):
            self._hidden += 1
        elif name in ("tbl", "tr") and space in _WORD:
            self._end_list()
            self.markup.open("table" if name == "tbl" else name)
        elif name == "p" and space in _WORD:
            self._paragraphs.append(_Paragraph())
        elif self._paragraphs:
            self._inside(name, attributes)

    def _inside(self, name: str, attributes: dict[str, str]) -> None:
        paragraph = self._paragraphs[-1]
        value = attributes.get("val", "")
        if name == "t":
            self._in_text = True
        elif name in ("tab", "br", "cr"):
            self._add(" ")
        elif name == "noBreakHyphen":
            self._add("-")
        elif name == "pStyle":
            paragraph.style = self._styles.get(value, value)
        elif name == "outlineLvl" and value.isdecimal() and len(value) == 1:
            paragraph.level = int(value) + 1 if int(value) < 9 else 0
        elif name == "numPr":
            paragraph.is_item = True
        elif name == "hyperlink":
            self._link = self._targets.get(attributes.get("id", ""), "")
        else:
            self._field_part(name, attributes)

    def _field_part(self, name: str, attributes: dict[str, str]) -> None:
        """Links may also be fields: a code such as HYPERLINK "http://…", then the text shown."""
        if name == "instrText":
            self._in_code = True
        elif name == "fldSimple":
            self._link = _field_target(attributes.get("instr", ""))
        elif name == "fldChar":
            kind = attributes.get("fldCharType")
            if kind == "begin":
                self._field = ""
            self._field_link = _field_target(self._field) if kind == "separate" else ""

    def text(self, data: str) -> None:
        if self._hidden or not self._paragraphs:
            return
        if self._in_text:
            self._add(data)
        elif self._in_code and len(self._field) < 3_000:
            self._field += data

    def closed(self, space: str, name: str) -> None:
        if self._hidden:
            self._hidden -= 1
        elif name == "t":
            self._in_text = False
        elif name == "instrText":
            self._in_code = False
        elif name in ("hyperlink", "fldSimple"):
            self._link = ""
        elif name in ("tbl", "tr") and space in _WORD:
            self._end_list()
            self.markup.close("table" if name == "tbl" else name)
        elif name == "p" and space in _WORD and self._paragraphs:
            self._write(self._paragraphs.pop())

    def _add(self, text: str) -> None:
        self._paragraphs[-1].pieces.append((text, self._link or self._field_link))

    def _write(self, paragraph: _Paragraph) -> None:
        pieces = _merged(paragraph.pieces)
        text = "".join(part for part, _href in pieces).strip()
        if not text:
            return
        tag = self._tag(paragraph, text)
        if tag == "li" and not self._is_list:
            self.markup.open("ul")
        elif tag != "li":
            self._end_list()
        self._is_list = tag == "li"
        self.markup.block(tag, pieces)
        self._count += 1
        self.is_done = self.markup.is_full or (self._count % _CHECKED_EVERY == 0 and self._is_spent())

    def _tag(self, paragraph: _Paragraph, text: str) -> str:
        if len(self.start) < 50:
            self.start.append(text[:1_000])
        heading = _HEADING.match(paragraph.style)
        level = int(heading[1]) if heading else paragraph.level
        is_title = paragraph.style.lower() in _TITLE
        self._note_title(
            text, 3 * is_title or 2 * (level == 1) or (len(self.start) == 1 and not _SENTENCE.search(text))
        )
        if self.markup.is_inside("tr"):
            return "td"
        if level or is_title:
            return f"h{min(6, level + 1 + is_title)}"
        return "li" if paragraph.is_item else "p"

    def _note_title(self, text: str, weight: int) -> None:
        """Of what stands near the start: the style Title goes before a heading, that before the first line."""
        if (
            weight > self._title_weight
            and len(self.start) <= _TITLE_WITHIN
            and len(text) <= LONGEST_TITLE
            and key_of(text)
        ):
            self.title, self._title_weight = text, weight

    def _end_list(self) -> None:
        if self._is_list:
            self.markup.close("ul")
        self._is_list = False


def _field_target(code: str) -> str:
    found = _FIELD_LINK.match(code)
    return found[1] if found else ""


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Neighbours with the same address become one: Word cuts a sentence into many runs."""
    merged: list[list[str]] = []
    texts: list[list[str]] = []
    for text, href in pieces:
        if merged and merged[-1][0] == href:
            texts[-1].append(text)
        else:
            merged.append([href])
            texts.append([text])
    return [("".join(parts), href[0]) for href, parts in zip(merged, texts, strict=True)]
