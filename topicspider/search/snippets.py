"""Makes snippets: the piece of a page's text that shows why it was found, with the query's words marked."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from topicspider.errors import one_line
from topicspider.search.words import forms_of
from topicspider.text.normalise import has_cjk, normalise

_STOPS = "。！？；.!?;\n"
# accented Latin letter to its base letter, one to one, so that offsets stay valid
_BARE = {code: unicodedata.normalize("NFD", chr(code))[0] for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))}

BOLD, PLAIN = "\x1b[1m", "\x1b[22m"


@dataclass(frozen=True, slots=True)
class Snippet:
    """(piece of text, whether it matches the query), in order; … stands for text left out."""

    pieces: tuple[tuple[str, bool], ...] = ()

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.pieces)

    def html(self) -> str:
        """The snippet as HTML: escaped, with the query's words in <mark>."""
        return "".join(
            f"<mark>{html.escape(text)}</mark>" if asked else html.escape(text) for text, asked in self.pieces
        )


def find_words(text: str, words: Iterable[str]) -> list[tuple[int, int, str]]:
    """(start, end, word) of each occurrence in ``text``, in order, not overlapping: of several at one place the longest.

    Case, full width and accents are ignored, as in the index. Latin words match only as whole words: tea is not found in team.
    """
    clean, places = _with_places(text)
    clean = clean.translate(_BARE)
    spans = []
    for word in {normalise(word).strip().translate(_BARE) for word in words} - {""}:
        start = clean.find(word)
        while start >= 0:
            end = start + len(word)
            if not (_goes_on(clean, start) or _goes_on(clean, end)):
                spans.append((start, -end, word))
            start = clean.find(word, start + 1)
    found, last = [], 0
    for start, negative_end, word in sorted(spans):
        if start >= last:
            last = -negative_end
            found.append((places[start], places[last - 1] + 1, word) if places else (start, last, word))
    return found


def _with_places(text: str) -> tuple[str, list[int]]:
    """(normalised text, for each of its characters the offset in ``text``; [] when the offsets are equal)."""
    clean = normalise(text)
    if len(clean) == len(text):
        return clean, []
    table = {char: normalise(char) for char in set(text)}
    pieces = [table[char] for char in text]
    return "".join(pieces), [place for place, piece in enumerate(pieces) for _ in piece]


def _goes_on(text: str, at: int) -> bool:
    """Whether offset ``at`` is inside a word, in scripts that separate words by spaces."""
    both = text[max(0, at - 1) : at + 1]
    return 0 < at < len(text) and both.isalnum() and not has_cjk(both)


def words_to_mark(asked: Iterable[Sequence[str]], languages: Collection[str]) -> tuple[str, ...]:
    """The texts to mark for a query: phrases as a whole, single words in all the forms that they have in ``languages``."""
    marked: dict[str, None] = {}
    for words in asked:
        whole = ("" if has_cjk("".join(words)) else " ").join(words)
        marked |= dict.fromkeys([whole, *(forms_of(whole, languages) if len(words) == 1 else ())])
    return tuple(marked)


def snippet(text: str, words: tuple[str, ...], length: int = 140) -> Snippet:
    """A piece of about ``length`` characters of ``text`` with the most different ``words``, on one line; the beginning if it has none."""
    line = _one_line(text[:200_000])
    found = find_words(line, words)
    return _cut(line, found, _best(found, line, length) if found else 0, length)


def marked(text: str, words: tuple[str, ...]) -> Snippet:
    """The whole of a short text, such as a title, with ``words`` marked."""
    clean = _one_line(text)
    return _cut(clean, find_words(clean, words), 0, len(clean))


def _one_line(text: str) -> str:
    """``text`` on one line, without terminal control characters, with single spaces."""
    line = " ".join(text.split())
    # suffices for most texts, in a tenth of the time
    return line if line.isprintable() else one_line(line, len(line))


def _best(found: Sequence[tuple[int, int, str]], text: str, length: int) -> int:
    """The offset at which to begin, so that the most different words are shown, after some text; of equal ones the first."""
    best, best_start, before = 0, 0, length // 4
    for at, (start, _, _) in enumerate(found):
        shown = {word for begin, end, word in found[at : at + 50] if end <= start + length - before}
        if len(shown) > best:
            best, best_start = len(shown), start
    if best_start < before:
        return 0
    head = text[best_start - before : best_start]
    stop = max(map(head.rfind, _STOPS))
    return best_start - before + (stop if stop >= 0 else head.find(" ")) + 1  # after a sentence, or at a word


def _cut(text: str, found: Sequence[tuple[int, int, str]], at: int, length: int) -> Snippet:
    while at < len(text) and text[at] == " ":
        at += 1
    end = min(len(text), at + length)
    whole = max(at, end - 20, *(stop for _start, stop, _word in found if stop <= end))
    if _goes_on(text, end) and (blank := text.rfind(" ", whole, end)) > 0:  # no word cut in two
        end = blank
    pieces: list[tuple[str, bool]] = [("…", False)] if at else []
    place = at
    for start, stop, _ in found:
        if start >= place and stop <= end:
            pieces += [(text[place:start], False), (text[start:stop], True)]
            place = stop
    pieces.append((text[place:end], False))
    if end < len(text):
        pieces.append(("…", False))
    return Snippet(tuple(piece for piece in pieces if piece[0]))
