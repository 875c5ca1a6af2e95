"""Turns a PDF into simple markup, its printed lines joined to paragraphs; the one home of pypdfium2, imported in the worker process only."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2
import pypdfium2.raw as pdfium

from topicspider.page.documents.document import MAX_LINKS, MAX_TEXT, Failure, Unreadable
from topicspider.page.documents.markup import (
    About,
    Markup,
    Piece,
    author_among,
    day_of_stamp,
    key_of,
    title_among,
)
from topicspider.url import MAX_LENGTH

_HAN = "\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_TIGHT_END = re.compile(rf"[{_HAN}“‘（《]\Z")
_TIGHT_START = re.compile(rf"[{_HAN}”’]")
_SENTENCE_END = re.compile(r"[.!?。！？：:；;…][\"'”’）)】》]?\Z")
_BULLET = re.compile(r"[•●○■□▪◆◇➢►✓※*]\s?|[-–—]\s|第[一二三四五六七八九十百\d]{1,4}[章节節条條部篇]")
_NUMBER = re.compile(
    r"\(?\d{1,3}(?:\.\d{1,3}){0,3}[.)、．]?\s|\d{1,2}、|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十\d]{1,3}[)）]"
)
BROKEN_WORD = "\u0002"
"""What pdfium puts for a hyphen at a line's end."""
_HYPHENS = f"-\u00ad\ufffe\u2010{BROKEN_WORD}"
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:第\s*)?(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*页)?(?:\s*(?:/|of|共|，|,)+\s*(?:共\s*)?\d{1,4}(?:\s*页)?)?[\W_]*\Z",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
LARGER = 1.15
"""Times the size of the body, from which letters are those of a heading."""


@dataclass(slots=True)
class Line:
    """A printed line: its text in pieces, and where it stands on which page (points, the y axis upwards)."""

    pieces: list[Piece]
    left: float
    right: float
    bottom: float
    size: float
    page: int

    @property
    def text(self) -> str:
        return "".join(text for text, _href in self.pieces)


@dataclass(slots=True)
class Run:
    """Lines of one size that stand below each other; ``right`` is its right margin."""

    lines: list[Line]

    @property
    def size(self) -> float:
        return self.lines[0].size

    @property
    def left(self) -> float:
        return min(line.left for line in self.lines)

    @property
    def right(self) -> float:
        return max(line.right for line in self.lines)


def without_running_titles(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """All lines but page numbers, and lines at the edges that at least three pages (and a third of them) share."""
    counts = Counter(key for lines in pages for key in {_edge_key(line) for line in _edges(lines)})
    needed = max(3, len(pages) / 3)
    kept = []
    for lines in pages:
        edges = {id(line) for line in _edges(lines)}
        for line in lines:
            is_edge = id(line) in edges
            if not (
                is_edge and len(lines) > 1 and (_PAGE_NUMBER.match(line.text) or counts[_edge_key(line)] >= needed)
            ):
                kept.append(line)
    return kept


def runs_of(lines: Sequence[Line]) -> list[Run]:
    """Lines in reading order, cut where the size changes, the text jumps, or a wide gap lies between."""
    runs: list[Run] = []
    pitches = _pitches(lines)
    for line in lines:
        if runs and _goes_on(runs[-1].lines[-1], line, pitches.get(line.page, 0.0)):
            runs[-1].lines.append(line)
        else:
            runs.append(Run([line]))
    return runs


def body_size(lines: Iterable[Line]) -> float:
    """The size in which most of the text is printed; 0.0 without text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 0.0


def is_heading(run: Run, usual: float) -> bool:
    """Short, and larger than the body's letters."""
    return run.size >= LARGER * usual and sum(len(line.text) for line in run.lines) <= 200


def paragraphs_of(runs: Sequence[Run], usual: float) -> list[tuple[bool, list[Piece]]]:
    """(is a heading, its pieces) of each paragraph."""
    found: list[tuple[bool, list[Line]]] = []
    before: Run | None = None
    for run in runs:
        heading = is_heading(run, usual)
        groups = [run.lines] if heading else _groups(run)
        if before is not None and found and not heading and not found[-1][0] and _continues(before, run):
            found[-1][1].extend(groups.pop(0))
        found.extend((heading, list(group)) for group in groups)
        before = run
    return [(heading, joined(group)) for heading, group in found]


def joined(lines: Sequence[Line]) -> list[Piece]:
    """The pieces of one paragraph: a space between lines, none between Chinese characters or at a broken word."""
    pieces: list[Piece] = []
    for line in lines:
        own = [piece for piece in line.pieces if piece[0]]
        if pieces and own:
            _bridge(pieces, own[0][0].lstrip())
        pieces.extend(own)
    return pieces


def _bridge(pieces: list[Piece], following: str) -> None:
    """Makes the end of ``pieces`` ready for the next line's text."""
    text, href = pieces[-1]
    end = text.rstrip()
    if end[-1:] and end[-1:] in _HYPHENS and end[-2:-1].isalpha() and following[:1].isalpha():
        if end[-1] != "-" or following[:1].islower():
            pieces[-1] = (end[:-1], href)
        return
    if not (_TIGHT_END.search(end) or _TIGHT_START.match(following)):
        pieces.append((" ", ""))


def _edges(lines: Sequence[Line]) -> list[Line]:
    """The two highest and the two lowest lines, where running titles and page numbers stand."""
    ordered = sorted(lines, key=lambda line: -line.bottom)
    return [*ordered[:2], *ordered[2:][-2:]]


def _edge_key(line: Line) -> tuple[str, int]:
    """Alike for lines that say the same, numbers apart, at the same height."""
    return _DIGITS.sub("0", "".join(line.text.split()))[:200], round(line.bottom / 4)


def _pitches(lines: Sequence[Line]) -> dict[int, float]:
    """The usual distance of two lines, for each page."""
    gaps: dict[int, list[float]] = {}
    for above, below in pairwise(lines):
        gap = above.bottom - below.bottom
        if above.page == below.page and 0 < gap < 4 * below.size and _is_alike(above, below):
            gaps.setdefault(below.page, []).append(gap)
    return {page: median(found) for page, found in gaps.items()}


def _is_alike(one: Line, other: Line) -> bool:
    return abs(one.size - other.size) <= 0.15 * max(one.size, other.size)


def _goes_on(above: Line, below: Line, pitch: float) -> bool:
    gap = above.bottom - below.bottom
    return above.page == below.page and _is_alike(above, below) and 0 < gap <= 1.45 * max(pitch, 0.8 * below.size)


def _groups(run: Run) -> list[list[Line]]:
    """A run's paragraphs: cut at indents, after lines that end before their time, at bullets and numbers."""
    left, right = run.left, run.right
    groups = [[run.lines[0]]]
    for above, below in pairwise(run.lines):
        if _starts_anew(above, below, left, right):
            groups.append([])
        groups[-1].append(below)
    return groups


def _starts_anew(above: Line, below: Line, left: float, right: float) -> bool:
    text = below.text.lstrip()
    if above.text[-1:] == BROKEN_WORD:
        return False
    if _BULLET.match(text):
        return True
    is_indented = below.left > left + 0.8 * below.size
    if is_indented and below.left > above.left + 0.8 * below.size and not _BULLET.match(above.text.lstrip()):
        return True
    is_short = _ends_early(above, text, right)
    return is_short or (bool(_NUMBER.match(text)) and bool(_SENTENCE_END.search(above.text.rstrip())))


def _ends_early(line: Line, following: str, right: float) -> bool:
    """The next line's first word would have fitted: its writer ended the line, not the margin."""
    word = following.split(maxsplit=1)[0] if following else ""
    if _TIGHT_START.match(following) or len(word) > 30:
        need = 2.0 * line.size  # a character, and a mark that may not start a line
    else:
        need = (len(word) + 1) * (line.right - line.left) / max(1, len(line.text))
    return line.right + need < right


def _continues(before: Run, run: Run) -> bool:
    """Whether a paragraph goes on over a column's or a page's end."""
    last, first = before.lines[-1], run.lines[0]
    jumps = first.page != last.page or first.bottom >= last.bottom
    if not jumps or not _is_alike(last, first) or _SENTENCE_END.search(last.text.rstrip()):
        return False
    if len(run.lines) > 1 and first.left > run.lines[1].left + 0.8 * first.size:
        return False
    text = first.text.lstrip()
    return not (_BULLET.match(text) or _NUMBER.match(text) or _ends_early(last, text, before.right))


_BROKEN_WORD = ord(BROKEN_WORD)
"""No line end follows it."""
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
    for number in range(min(len(document), 300)):
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
    count = min(text.count_chars(), 50_000)
    handle, code_at = text.raw, pdfium.FPDFText_GetUnicode
    codes = [code_at(handle, index) for index in range(count)]
    lines: list[Line] = []
    start = 0
    for index, code in enumerate([*codes, 10]):
        if chr(code) in "\n\r" or code == _BROKEN_WORD:
            stop = index + (code == _BROKEN_WORD)
            if line := _line(text, codes, start, stop, spans, number):
                lines.append(line)
            start = index + 1
    return lines


def _line(
    text: pypdfium2.PdfTextPage, codes: list[int], start: int, stop: int, spans: list[Span], number: int
) -> Line | None:
    blank = len(shown := _text(codes[start:stop])) - len(shown.lstrip())
    start, stop = start + blank, start + len(shown.rstrip())
    if start >= stop:
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
    return "".join(chr(code) if code < 0x110000 else "\0" for code in codes)


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
    buffer = ctypes.create_string_buffer(MAX_LENGTH + 1)
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
            if 0 < size <= MAX_LENGTH and pdfium.FPDFLink_GetTextRange(found, index, start, count):
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
    runs = [run for run in runs_of(lines) if len(run.lines) <= 4 and run.size >= LARGER * usual]
    named = [(run.size, text) for run in runs if len(key_of(text := _joined_text(run.lines))) >= 4]
    best = max((size for size, _text in named), default=0.0)
    return next((text for size, text in named if size >= 0.95 * best), "")


def _joined_text(lines: list[Line]) -> str:
    return "".join(text for text, _href in joined(lines))
