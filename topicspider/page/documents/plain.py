"""Plain text as a page: recognises it, converts it to simple HTML, and reads a document's whole text as body."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from topicspider.page.body import MAX_BODY
from topicspider.page.decode import kind_of, media_type
from topicspider.page.documents.document import MAX_TEXT
from topicspider.page.documents.markup import About, Markup, Piece, key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.parsed_page import Reading


def is_plain_text(url: str, body: bytes, content_type: str, text: str) -> bool:
    """Whether a response is plain text for people (robots.txt is not); ``text`` is ``body`` decoded."""
    is_said = media_type(content_type) == "text/plain" and not url.endswith("/robots.txt")
    return is_said and not kind_of(body, content_type) and looks_like_text(text)


def whole_text(reading: Reading, title: str) -> str:
    """The text of a document, one line per block, at most MAX_BODY characters, without a title at the start."""
    lines: list[str] = []
    size = 0
    for block in reading.blocks:
        line = reading.block_text(block).strip()
        if not line or (not lines and line == title):
            continue
        lines.append(line)
        size += len(line) + 1
        if size > MAX_BODY:
            break
    return "\n".join(lines)[:MAX_BODY]


def declared_title(reading: Reading) -> str:
    """The title that the document's reader put into the markup, on one line, at most 300 characters."""
    return " ".join(reading.title.split())[:300].strip()


_URL = re.compile(r"https?://[^\s<>\"'，。；）】》」]{3,2000}", re.IGNORECASE)
_TRAILING = ".,;:!?)]}>"
_HAN = re.compile(r"[\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\uff00-\uffef]")
_SENTENCE_END = re.compile(r"[.!?。！？；;，,、:：…”\"]\s*\Z")
_ITEM = re.compile(r"\s*(?:[-*+•·●]\s|\(?\d{1,3}[.)、]|[一二三四五六七八九十]{1,3}、|[|>])")
_RULE = re.compile(r"[=\-_*~#\s]{3,}\Z")


def markup_of_text(text: str) -> str:
    """The HTML of a plain text, in linear time."""
    markup = Markup()
    title = ""
    for number, block in enumerate(_blocks(text[: 2 * MAX_TEXT])):
        if markup.is_full:
            break
        if number == 0:
            title, block = _title_and_rest(block)
        lines = [line for line in block if not _RULE.match(line)]
        for group in paragraphs_of(lines):
            markup.block("p", pieces_of(joined([lines[number].strip() for number in group])))
    return markup.written(About(title=title)).decode()


def looks_like_text(text: str) -> bool:
    """Whether at most a twentieth of the first 4,000 characters are control or replacement characters, and some are visible."""
    sample = text[:4_000]
    odd = sum(1 for c in sample if (c < " " and c not in "\t\n\r\f\x1b") or c == "\ufffd" or "\x7f" <= c <= "\x9f")
    return bool(sample.strip()) and odd * 20 <= len(sample)


def _blocks(text: str) -> list[list[str]]:
    """Groups of lines between empty lines."""
    blocks: list[list[str]] = [[]]
    for line in text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n").split("\n", 10_000)[:10_000]:
        if line.strip():
            blocks[-1].append(line.rstrip())
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _title_and_rest(block: list[str]) -> tuple[str, list[str]]:
    """(title or "", other lines): the first line is the title if short, no sentence, and alone, underlined or far shorter than the next."""
    first = block[0].strip(" \t\u3000#")
    if len(first) > 80 or _SENTENCE_END.search(first) or not key_of(first) or _ITEM.match(first) or _URL.search(first):
        return "", block
    is_underlined = len(block) > 1 and bool(_RULE.match(block[1]))
    is_alone = len(block) == 1 or is_underlined or block[0].startswith("#")
    return (
        (first, block[1 + is_underlined :]) if is_alone or width_of(block[1]) >= 1.5 * width_of(first) else ("", block)
    )


def paragraphs_of(lines: Sequence[str]) -> list[list[int]]:
    """Groups of line numbers, one per paragraph: lines that were wrapped at a margin belong together."""
    widths = [width_of(line) for line in lines]
    widest = max(widths, default=0)
    # lines wider than 120 columns are not wrapped, and narrow ones (less than 30) are too short to tell
    is_wrapped = len(lines) > 1 and widest <= 120 and median(widths[:-1]) >= 0.75 * widest >= 30
    groups: list[list[int]] = []
    for number, line in enumerate(lines):
        if groups and is_wrapped and _goes_on(lines[number - 1], line, widest):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _goes_on(before: str, line: str, width: int) -> bool:
    is_indented = line[:1].isspace() and not before[:1].isspace()
    return width_of(before) >= 0.75 * width and not is_indented and not _ITEM.match(line)


def joined(lines: Sequence[str]) -> str:
    """``lines`` as one text: no space is put next to Chinese characters, and hyphenated words are rejoined."""
    parts = list(lines[:1])
    for before, line in pairwise(lines):
        if before[-1:] == "-" and before[-2:-1].isalpha() and line[:1].islower():
            parts[-1] = parts[-1][:-1]
        elif not (_HAN.match(before[-1:]) or _HAN.match(line[:1])):
            parts.append(" ")
        parts.append(line)
    return "".join(parts)


def pieces_of(text: str) -> list[Piece]:
    """``text`` split at the URLs written out in it; each URL links to itself."""
    pieces: list[Piece] = []
    place = 0
    for found in _URL.finditer(text):
        address = found[0].rstrip(_TRAILING)
        pieces += [(text[place : found.start()], ""), (address, address)]
        place = found.start() + len(address)
    return [*pieces, (text[place:], "")]


def width_of(line: str) -> int:
    """The width in columns of at most 400 characters; a Chinese character takes two columns."""
    shown = line.strip()[:400]
    return len(shown) + len(_HAN.findall(shown))
