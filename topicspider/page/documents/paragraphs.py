"""Joins the printed lines of a document to paragraphs, across columns and pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from topicspider.page.documents.markup import Piece

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
_ALIKE = 0.15
"""Letters of one paragraph differ in size by no more than this share."""
_HEADING = 1.15
_LONGEST_HEADING = 200
_EDGE_LINES = 2
"""At the top and the foot of a page: where running titles and page numbers stand."""


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
    return run.size >= _HEADING * usual and sum(len(line.text) for line in run.lines) <= _LONGEST_HEADING


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
    """The highest and the lowest lines, wherever they stand in the text."""
    ordered = sorted(lines, key=lambda line: -line.bottom)
    return [*ordered[:_EDGE_LINES], *ordered[_EDGE_LINES:][-_EDGE_LINES:]]


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
    return abs(one.size - other.size) <= _ALIKE * max(one.size, other.size)


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
