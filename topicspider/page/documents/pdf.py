"""Converts a PDF to simple HTML; printed lines are joined into paragraphs. Only the worker process imports this, and pypdfium2 with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2
import pypdfium2.raw as pdfium

from topicspider.page.documents.document import MAX_TEXT, Failure, Unreadable
from topicspider.page.documents.markup import About, Markup, key_of, title_among
from topicspider.page.documents.plain import joined, paragraphs_of, pieces_of, width_of

_BROKEN_WORD = "\x02"
"""What pdfium returns for a hyphen at the end of a line; no line break follows it."""
_LINE = re.compile(rf"[^\s{_BROKEN_WORD}][^\r\n{_BROKEN_WORD}]*{_BROKEN_WORD}?")
_STOP = re.compile(r"[.!?。！？：:；;…][\"'”’」』）)]?\Z")
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:第\s*)?(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*页)?(?:\s*(?:/|of|共|，|,)+\s*(?:共\s*)?\d{1,4}(?:\s*页)?)?[\W_]*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line: its page, its position there in points (y axis upwards), and the height of its first character box in points."""

    text: str
    left: float
    bottom: float
    size: float
    page: int


def markup_of(body: bytes, is_spent: Callable[[], bool]) -> bytes:
    """The HTML of a PDF, of the pages read until ``is_spent`` returns True; raises Unreadable."""
    with closing(_opened(body)) as document:
        pages = list(_pages(document, is_spent))
        said = document.get_metadata_dict(skip_empty=True)
    lines = without_running_titles(pages)
    usual = _body_size(lines)
    first = next(filter(None, pages), [])
    about = About.of({name.lower(): value for name, value in said.items() if name not in ("Creator", "Subject")})
    about.title = title_among(about.title, _largest(first, usual), " ".join(line.text for line in first))
    markup = Markup()
    for is_heading, paragraph in _paragraphs(lines, usual):
        text = _text(paragraph)
        if not (is_heading and about.title and key_of(text) == key_of(about.title)):
            markup.block("h2" if is_heading else "p", pieces_of(text))
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
    taken = 0
    for number in range(min(len(document), 300)):
        if taken >= MAX_TEXT or is_spent():
            return
        try:
            with closing(document[number]) as page, closing(page.get_textpage()) as text:
                lines = list(_lines(text, number))
        except pypdfium2.PdfiumError:
            continue
        taken += sum(len(line.text) for line in lines)
        yield lines


def _lines(text: pypdfium2.PdfTextPage, number: int) -> Iterator[Line]:
    codes = (pdfium.FPDFText_GetUnicode(text, index) for index in range(min(text.count_chars(), 50_000)))
    shown = "".join(chr(code) if code < 0x110000 else "\0" for code in codes)
    for found in _LINE.finditer(shown):
        box = pdfium.FS_RECTF()
        pdfium.FPDFText_GetLooseCharBox(text, found.start(), box)
        line = found[0].rstrip().replace(_BROKEN_WORD, "-")
        yield Line(line, box.left, box.bottom, (box.top - box.bottom) or 1.0, number)


def without_running_titles(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """All lines without page numbers, and without running heads and feet: edge lines that at least three pages (and a third) share."""
    edges = [_edges(lines) for lines in pages]
    counts = Counter(key for own in edges for key in set(own.values()))
    needed = max(3, len(pages) / 3)
    return [
        line
        for lines, own in zip(pages, edges, strict=True)
        for place, line in enumerate(lines)
        if place not in own or not (_PAGE_NUMBER.match(line.text) or counts[own[place]] >= needed)
    ]


def _edges(lines: Sequence[Line]) -> dict[int, tuple[str, int]]:
    """Index of the two highest and two lowest lines to (text without digits, rounded height), by which pages' edge lines are compared."""
    if len(lines) < 2:
        return {}
    ordered = sorted(range(len(lines)), key=lambda place: -lines[place].bottom)
    return {
        place: (re.sub(r"\d+|\s+", "", lines[place].text)[:200], round(lines[place].bottom / 4))
        for place in ordered[:2] + ordered[-2:]
    }


def _body_size(lines: Sequence[Line]) -> float:
    """The letter size, in points, of most of the text; 0.0 without text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 0.0


def _runs(lines: Sequence[Line]) -> list[list[Line]]:
    """Groups of consecutive lines of one size without a wide gap between them."""
    gaps = [above.bottom - below.bottom for above, below in pairwise(lines) if above.page == below.page]
    pitch = median([gap for gap in gaps if gap > 0] or [0.0])
    runs: list[list[Line]] = []
    for line in lines:
        above = runs[-1][-1] if runs else None
        gap = above.bottom - line.bottom if above and above.page == line.page and _is_alike(above, line) else 0.0
        if 0 < gap <= 1.45 * max(pitch, 0.8 * line.size):
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _is_large(run: Sequence[Line], usual: float) -> bool:
    return run[0].size >= 1.15 * usual


def _is_alike(one: Line, other: Line) -> bool:
    return abs(one.size - other.size) <= 0.15 * max(one.size, other.size)


def _paragraphs(lines: Sequence[Line], usual: float) -> list[tuple[bool, list[Line]]]:
    """(is a heading, its lines) of each paragraph; a paragraph may continue in the next column or page."""
    found: list[tuple[bool, list[Line]]] = []
    widest = 0
    for run in _runs(lines):
        if _is_large(run, usual) and sum(len(line.text) for line in run) <= 200:
            found.append((True, run))
            continue
        left = min(line.left for line in run)
        texts = [f"{'　' * (line.left > left + 0.8 * line.size)}{line.text}" for line in run]
        groups = [[run[number] for number in group] for group in paragraphs_of(texts)]
        if found and not found[-1][0] and texts[0][0] != "　" and _is_cut(found[-1][1][-1], run[0], widest):
            found[-1][1].extend(groups.pop(0))
        found.extend((False, group) for group in groups)
        widest = max(map(width_of, texts))
    return found


def _is_cut(last: Line, first: Line, width: int) -> bool:
    """Whether a paragraph continues in the next column or page: ``last`` is a full line that does not end a sentence."""
    jumps = first.page != last.page or first.bottom >= last.bottom
    is_full = width_of(last.text) >= 0.75 * width and not _STOP.search(last.text)
    return jumps and is_full and _is_alike(last, first)


def _largest(first: Sequence[Line], usual: float) -> str:
    """The text in the largest letters of the first page: a run of at most four lines, with at least four letters; or ""."""
    runs = [run for run in _runs(first) if len(run) <= 4 and _is_large(run, usual)]
    named = [run for run in runs if len(key_of(_text(run))) >= 4]
    return _text(max(named, key=lambda run: round(run[0].size))) if named else ""


def _text(lines: Sequence[Line]) -> str:
    return joined([line.text for line in lines])
