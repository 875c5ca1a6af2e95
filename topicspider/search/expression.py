"""Writes what a query asks for in the language of SQLite's full-text index; every word goes in quotes, so nothing typed is ever an operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.search.words import PARTICLES, is_word, pairs_of, says_something
from topicspider.text.normalise import has_cjk, is_cjk
from topicspider.topic.spelling import other_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topicspider.search.query import Term
    from topicspider.text.segment import Segmenter

MOST_WORDS = 64


def words_asked(segmenter: Segmenter, terms: Iterable[Term]) -> list[tuple[str, ...]]:
    """The words of each thing that must be found: of a phrase all of its words together, else one word each.

    An unquoted run of Chinese is cut: 桂林旅游攻略 asks for 桂林, 旅游 and 攻略. Single characters beside longer words say too little to be
    asked for, and so do stop words, unless there is nothing else.
    """
    found: list[tuple[str, ...]] = []
    weak: list[tuple[str, ...]] = []
    for term in terms:
        pieces = segmenter.cut(term.text)
        words = list(filter(is_word, pieces))
        if term.is_phrase and len(words) > 1:
            found.append(tuple(words))
            continue
        for unit in _units(segmenter, pieces):
            is_weak = not says_something(unit) or (len(words) > 1 and len(unit) == 1)
            (weak if is_weak else found).append((unit,))
    return list(dict.fromkeys(found or weak))[:MOST_WORDS]


def expression(segmenter: Segmenter, asked: Sequence[tuple[str, ...]], *, joined_by: str = "AND") -> str:
    """The MATCH expression for all of ``asked`` (AND) or any of it (OR); "" when nothing is asked for."""
    return f" {joined_by} ".join(_group(segmenter, words) for words in asked)


def _group(segmenter: Segmenter, words: tuple[str, ...]) -> str:
    if len(words) > 1:
        return _phrase(segmenter, words)
    return _word(segmenter, words[0])


def _phrase(segmenter: Segmenter, words: tuple[str, ...]) -> str:
    """The words side by side; or, when they make up one word of the dictionary, that, for so it may have been cut."""
    together = "".join(words)
    side_by_side = f"{{title body}} : {_quoted(' '.join(words))}"
    if has_cjk(together) and together in segmenter.dictionary_words(together):
        return f"({side_by_side} OR {_quoted(together)})"
    return f"({side_by_side})"


def _word(segmenter: Segmenter, word: str) -> str:
    if not has_cjk(word):
        return _any_of([word, *other_number(word)])
    if len(word) == 1:
        return f"({_quoted(word)} OR {_quoted(word)} *)"
    if len(word) == 2 or word in segmenter.dictionary_words(word):
        return _quoted(word)
    pairs = " AND ".join(map(_quoted, pairs_of(word)))
    return f"({_quoted(word)} OR ({pairs}))"


def _any_of(words: Sequence[str]) -> str:
    return _quoted(words[0]) if len(words) == 1 else f"({' OR '.join(map(_quoted, words))})"


def _quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'


def _units(segmenter: Segmenter, pieces: Sequence[str]) -> list[str]:
    """The words among ``pieces``; single characters that stand side by side are joined, for so the segmenter cuts names that it does not know."""
    units: list[str] = []
    run = ""
    for piece in [*pieces, ""]:
        if len(piece) == 1 and is_cjk(piece):
            run += piece
            continue
        units += _of_run(segmenter, run)
        units += [piece] if is_word(piece) else []
        run = ""
    return units


def _of_run(segmenter: Segmenter, run: str) -> list[str]:
    if run in segmenter.dictionary_words(run):
        return [run]
    return "".join(" " if char in PARTICLES else char for char in run).split()
