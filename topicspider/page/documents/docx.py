"""Turns a Word document (DOCX) into simple markup: paragraphs, headings, lists, tables, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby

from topicspider.page.decode import OLD_OFFICE
from topicspider.page.documents.archive import Archive
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
from topicspider.page.xml_elements import Element, attribute, elements, local_name, text_within

_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_TAGS = tuple(f"{{{space}}}{name}" for space in _WORD for name in ("p", "tbl", "tr"))
_LEFT_OUT = ("Fallback", "del", "moveFrom", "pPr")
"""The second version of a drawing, deleted text, what a paragraph looks like."""
_CHARACTERS = {"t": "", "tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"}
_HEADING = re.compile(r"(?:heading|标题)\s*([1-9])\Z", re.IGNORECASE)
_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]{1,2083})"', re.IGNORECASE)
_SENTENCE = re.compile(r"[。！？!?，,；;：:.]\Z")


def markup_of(body: bytes, is_spent: Callable[[], bool]) -> bytes:
    """The markup of a DOCX; raises Unreadable."""
    if body.startswith(OLD_OFFICE):
        raise Unreadable(Failure.LOCKED)
    archive = Archive(body)
    text = _Text(_styles(archive.read("word/styles.xml")), _links(archive.read("word/_rels/document.xml.rels")))
    about = _about(archive.read("docProps/core.xml"))
    document = archive.read("word/document.xml")
    for count, (event, element) in enumerate(elements(document, *_TAGS, starts=True), 1):
        text.see(event, element)
        if text.markup.is_full or (count % 200 == 0 and is_spent()):
            break
    if text.markup.is_empty:
        is_whole = any(True for _ in elements(document, "{*}body"))
        raise Unreadable(Failure.EMPTY if is_whole else Failure.DAMAGED)
    about.title = title_among(about.title, text.title, " ".join(text.start))
    return text.markup.written(about)


def _styles(data: bytes) -> dict[str, str]:
    """The names of paragraph styles: ids differ from language to language (标题 1 has the id "1")."""
    found = (style for _event, style in elements(data, "{*}style"))
    return {attribute(style, "styleId"): attribute(style.find("{*}name"), "val") for style in found}


def _links(data: bytes) -> dict[str, str]:
    """Where links lead, by id."""
    found = (link for _event, link in elements(data, "{*}Relationship"))
    return {
        attribute(link, "Id"): attribute(link, "Target")
        for link in found
        if attribute(link, "TargetMode") == "External"
    }


def _about(data: bytes) -> About:
    said = {local_name(str(element.tag)): text_within(element)[:1_000] for _event, element in elements(data, "{*}*")}
    return About(
        title=said.get("title", ""),
        author=author_among(said.get("creator", "")),
        published=day_of_stamp(said.get("created", "")),
        modified=day_of_stamp(said.get("modified", "")),
        keywords=said.get("keywords", ""),
        description=said.get("description", ""),
    )


class _Text:
    """The running text, paragraph by paragraph."""

    def __init__(self, styles: dict[str, str], targets: dict[str, str]) -> None:
        self.markup = Markup()
        self.title = ""
        self._title_weight = 0
        self.start: list[str] = []
        self._styles = styles
        self._targets = targets
        self._field = ""
        self._field_link = ""
        self._is_list = False

    def see(self, event: str, element: Element) -> None:
        """A paragraph has ended, or a table or row begins or ends."""
        name = local_name(str(element.tag)).replace("tbl", "table")
        if name != "p":
            self._end_list()
            (self.markup.open if event == "start" else self.markup.close)(name)
        elif event == "end" and not any(local_name(str(above.tag)) in _LEFT_OUT for above in element.iterancestors()):
            self._write(element)
        if event == "end":
            element.clear()

    def _write(self, paragraph: Element) -> None:
        groups = groupby(self._pieces(paragraph, ""), key=lambda piece: piece[1])  # Word cuts a sentence into many runs
        pieces = [("".join(text for text, _href in group), href) for href, group in groups]
        text = "".join(part for part, _href in pieces).strip()
        if not text:
            return
        tag = self._tag(paragraph.find("{*}pPr"), text)
        if tag == "li" and not self._is_list:
            self.markup.open("ul")
        elif tag != "li":
            self._end_list()
        self._is_list = tag == "li"
        self.markup.block(tag, pieces)

    def _pieces(self, node: Element, link: str) -> Iterator[Piece]:
        for child in node:
            name = local_name(str(child.tag))
            if name in _CHARACTERS:
                yield _CHARACTERS[name] or child.text or "", link or self._field_link
            elif name in ("instrText", "fldChar"):
                self._see_field(child)
            elif name not in _LEFT_OUT:
                target = self._targets.get(attribute(child, "id")) or _field_target(attribute(child, "instr"))
                yield from self._pieces(child, target or link)

    def _see_field(self, part: Element) -> None:
        """Links may also be fields: a code such as HYPERLINK "http://…", then the text shown."""
        kind = attribute(part, "fldCharType")
        if kind:
            self._field_link = _field_target(self._field) if kind == "separate" else ""
        self._field = "" if kind == "begin" else (self._field + (part.text or ""))[:3_000]

    def _tag(self, properties: Element | None, text: str) -> str:
        """The tag of a paragraph by the name of its style and its outline level; notes what may be the title."""
        said = {local_name(str(one.tag)): attribute(one, "val") for one in properties} if properties is not None else {}
        style = self._styles.get(said.get("pStyle", ""), said.get("pStyle", ""))
        heading, outline = _HEADING.match(style), said.get("outlineLvl", "9")
        level = int(heading[1]) if heading else "012345678".find(outline) + 1
        is_title = style.lower() in ("title", "标题")
        self._note_title(text, level, is_title)
        if self.markup.is_inside("tr"):
            return "td"
        if level or is_title:
            return f"h{min(6, level + 1 + is_title)}"
        return "li" if "numPr" in said else "p"

    def _note_title(self, text: str, level: int, is_title: bool) -> None:
        """Of what stands near the start: the style Title goes before a heading, that before the first line."""
        if len(self.start) >= 50:
            return
        self.start.append(text[:1_000])
        is_first = len(self.start) == 1 and not _SENTENCE.search(text)
        weight = 3 * is_title or 2 * (level == 1) or int(is_first)
        is_near = len(self.start) <= 8 and len(text) <= LONGEST_TITLE
        if weight > self._title_weight and is_near and key_of(text):
            self.title, self._title_weight = text, weight

    def _end_list(self) -> None:
        if self._is_list:
            self.markup.close("ul")
        self._is_list = False


def _field_target(code: str) -> str:
    found = _FIELD_LINK.match(code)
    return found[1] if found else ""
