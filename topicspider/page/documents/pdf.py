"""Turns a PDF into simple markup; the one home of pypdfium2, imported in the worker process only."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import closing

import pypdfium2
import pypdfium2.raw as pdfium

from topicspider.page.documents.about import About, author_among, day_of_stamp, key_of, title_among
from topicspider.page.documents.document import Failure
from topicspider.page.documents.errors import Unreadable
from topicspider.page.documents.limits import MAX_CHARS_OF_A_PAGE, MAX_LINKS, MAX_PAGES, MAX_TEXT
from topicspider.page.documents.markup import Markup, Piece
from topicspider.page.documents.paragraphs import (
    BROKEN_WORD,
    Line,
    body_size,
    joined,
    paragraphs_of,
    runs_of,
    without_running_titles,
)

_LINE_ENDS = (10, 13)
_BROKEN_WORD = ord(BROKEN_WORD)
"""No line end follows it."""
_LARGE = 1.15
_LONGEST_URL = 2_083
_LINKS_OF_A_PAGE = 500

Span = tuple[int, int, str]
"""(first character, the one behind the last, address)."""


def markup_of(body: bytes, is_spent: Callable[[], bool]) -> bytes:
    """The markup of a PDF, of as many pages as ``is_spent`` lets it read; raises Unreadable."""
    with closing(_opened(body)) as document:
        pages = list(_pages(document, is_spent))
        lines = without_running_titles(pages)
        about = _about(document, pages)
    usual = body_size(lines)
    markup = Markup()
    for heading, pieces in paragraphs_of(runs_of(lines), usual):
        text = "".join(part for part, _href in pieces)
        if not (heading and about.title and key_of(text) == key_of(about.title)):
            markup.block("h2" if heading else "p", pieces)
    if markup.is_empty:
        raise Unreadable(Failure.EMPTY)
    return markup.written(about)


def _opened(body: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        is_locked = code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise Unreadable(Failure.LOCKED if is_locked else Failure.DAMAGED) from None


def _pages(document: pypdfium2.PdfDocument, is_spent: Callable[[], bool]) -> Iterator[list[Line]]:
    """The lines of each page; a page that cannot be read is left out."""
    taken = links = 0
    for number in range(min(len(document), MAX_PAGES)):
        if taken >= MAX_TEXT or is_spent():
            return
        try:
            with closing(document[number]) as page, closing(page.get_textpage()) as text:
                spans = list(_spans(page, text)) if links < MAX_LINKS else []
                lines = _lines(text, spans, number)
        except pypdfium2.PdfiumError:
            continue
        links += len(spans)
        taken += sum(len(line.text) for line in lines)
        yield lines


def _lines(text: pypdfium2.PdfTextPage, spans: list[Span], number: int) -> list[Line]:
    count = min(text.count_chars(), MAX_CHARS_OF_A_PAGE)
    handle, code_at = text.raw, pdfium.FPDFText_GetUnicode
    codes = [code_at(handle, index) for index in range(count)]
    lines: list[Line] = []
    start = 0
    for index, code in enumerate([*codes, 10]):
        if code in _LINE_ENDS or code == _BROKEN_WORD:
            stop = index + (code == _BROKEN_WORD)
            if line := _line(text, codes, start, stop, spans, number):
                lines.append(line)
            start = index + 1
    return lines


def _line(
    text: pypdfium2.PdfTextPage, codes: list[int], start: int, stop: int, spans: list[Span], number: int
) -> Line | None:
    while start < stop and chr(codes[start]).isspace():
        start += 1
    while stop > start and chr(codes[stop - 1]).isspace():
        stop -= 1
    if start == stop:
        return None
    last = stop - 1 - (codes[stop - 1] == _BROKEN_WORD and stop - start > 1)
    first_box, middle_box, last_box = (_box(text, index) for index in (start, (start + last) // 2, last))
    size = max(box[3] - box[1] for box in (first_box, middle_box, last_box))
    return Line(_pieces(codes, start, stop, spans), first_box[0], last_box[2], middle_box[1], size or 1.0, number)


def _box(text: pypdfium2.PdfTextPage, index: int) -> tuple[float, float, float, float]:
    """(left, bottom, right, top) of a character in points; its height is that of its font."""
    rectangle = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text, index, rectangle):
        return 0.0, 0.0, 0.0, 0.0
    return rectangle.left, rectangle.bottom, rectangle.right, rectangle.top


def _pieces(codes: list[int], start: int, stop: int, spans: list[Span]) -> list[Piece]:
    """The text from ``start`` to ``stop``, cut where links begin and end."""
    pieces: list[Piece] = []
    place = start
    for first, behind, href in spans:
        first, behind = max(first, place), min(behind, stop)
        if first < behind:
            pieces += [(_text(codes[place:first]), ""), (_text(codes[first:behind]), href)]
            place = behind
    pieces.append((_text(codes[place:stop]), ""))
    return [piece for piece in pieces if piece[0]]


def _text(codes: list[int]) -> str:
    return "".join(chr(code) if 0 < code < 0x110000 else "" for code in codes)


# links ----------------------------------------------------------------------------------------------------------


def _spans(page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> Iterator[Span]:
    """Where links stand: annotations first, then addresses that are written out, in the order of the text."""
    annotated = list(_annotations(page, text))
    taken = [(first, behind) for first, behind, _href in annotated]
    written = [span for span in _written(text) if all(span[1] <= first or behind <= span[0] for first, behind in taken)]
    return iter(sorted([*annotated, *written]))


def _annotations(page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> Iterator[Span]:
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _turn in range(_LINKS_OF_A_PAGE):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        rectangle = pdfium.FS_RECTF()
        href = _uri(page, link)
        if href and pdfium.FPDFLink_GetAnnotRect(link, rectangle) and (span := _under(text, rectangle)):
            yield (*span, href)


def _uri(page: pypdfium2.PdfPage, link: object) -> str:
    action = pdfium.FPDFLink_GetAction(link)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    buffer = ctypes.create_string_buffer(_LONGEST_URL + 1)
    size = pdfium.FPDFAction_GetURIPath(page.pdf, action, buffer, len(buffer))
    return buffer.value.decode("utf-8", "replace") if 0 < size <= len(buffer) else ""


def _under(text: pypdfium2.PdfTextPage, rectangle: pdfium.FS_RECTF) -> tuple[int, int] | None:
    """The characters under a link's rectangle: from its first line's start to its last line's end."""
    low, high = sorted((rectangle.bottom, rectangle.top))
    left, right = sorted((rectangle.left, rectangle.right))
    reach = min(6.0, (high - low) / 2)
    first = pdfium.FPDFText_GetCharIndexAtPos(text, left + 1, high - reach, 6.0, reach)
    last = pdfium.FPDFText_GetCharIndexAtPos(text, right - 1, low + reach, 6.0, reach)
    return (first, last + 1) if 0 <= first <= last < first + 500 else None


def _written(text: pypdfium2.PdfTextPage) -> Iterator[Span]:
    found = pdfium.FPDFLink_LoadWebLinks(text)
    if not found:
        return
    try:
        for index in range(min(pdfium.FPDFLink_CountWebLinks(found), _LINKS_OF_A_PAGE)):
            size = pdfium.FPDFLink_GetURL(found, index, None, 0)
            start, count = ctypes.c_int(), ctypes.c_int()
            if 0 < size <= _LONGEST_URL and pdfium.FPDFLink_GetTextRange(found, index, start, count):
                buffer = (ctypes.c_ushort * size)()
                pdfium.FPDFLink_GetURL(found, index, buffer, size)
                yield start.value, start.value + count.value, bytes(buffer).decode("utf-16-le", "ignore").rstrip("\0")
    finally:
        pdfium.FPDFLink_CloseWebLinks(found)


# what it says about itself --------------------------------------------------------------------------------------


def _about(document: pypdfium2.PdfDocument, pages: list[list[Line]]) -> About:
    said = document.get_metadata_dict(skip_empty=True)
    first = next((lines for lines in pages if lines), [])
    text = " ".join(line.text for line in first)
    return About(
        title=title_among(
            said.get("Title", ""), _largest(first, body_size(line for page in pages for line in page)), text
        ),
        author=author_among(said.get("Author", "")),
        published=day_of_stamp(said.get("CreationDate", "")),
        modified=day_of_stamp(said.get("ModDate", "")),
        keywords=said.get("Keywords", ""),
    )


def _largest(lines: list[Line], usual: float) -> str:
    """The text in the largest letters of the first page: a run of at most four lines with a word in it."""
    runs = [run for run in runs_of(lines) if len(run.lines) <= 4 and run.size >= _LARGE * usual]
    named = [(run.size, text) for run in runs if len(key_of(text := _joined_text(run.lines))) >= 4]
    best = max((size for size, _text in named), default=0.0)
    return next((text for size, text in named if size >= 0.95 * best), "")


def _joined_text(lines: list[Line]) -> str:
    return "".join(text for text, _href in joined(lines))
