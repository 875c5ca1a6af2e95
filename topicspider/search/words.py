"""The words of a page and of a query, and the FTS5 expression for a query; every word is quoted, so that none acts as an operator."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from topicspider.search.query import Term
from topicspider.text.normalise import has_cjk, is_cjk, normalise
from topicspider.text.segment import MAX_WORD, Segmenter
from topicspider.text.stopwords import STOP_WORDS
from topicspider.topic.spelling import other_forms

PARTICLES = frozenset(
    "的了着过得地之是在有我你他她它这那和与及或也都就不而并将被把从对为以于到等个又还但因所让向由可会能要吗呢吧啊们"
)
"""Not indexed, as they are on every page: the index is a twelfth smaller. Phrases match with or without them."""
_NO_PARTICLES = dict.fromkeys(map(ord, PARTICLES), " ")


def page_words(segmenter: Segmenter, title: str, body: str) -> tuple[str, str, str]:
    """What is indexed: (words of the body, words of the title, further words), each as text joined by spaces; further words once each.

    Further words are what a person may search for but the segmenter splits otherwise: dictionary words that overlap or lie inside the
    page's words, and pairs of characters around words that the dictionary does not know (names).
    """
    normal = normalise(title), normalise(body)
    pieces = [segmenter.cut(text) for text in normal]
    present: set[str] = set().union(*pieces)
    known = {word for text in normal for word in segmenter.dictionary_words(text)}
    new = {piece for piece in present if piece not in known and has_cjk(piece) and piece not in STOP_WORDS}
    pairs = {pair for some in pieces for pair in _pairs_of_names(some, new)}
    first, second = (" ".join(_letter_by_letter(piece) for piece in some if is_word(piece)) for some in pieces)
    return second, first, " ".join(sorted((known | pairs) - present))


def is_word(piece: str) -> bool:
    """Whether a piece of text is indexed and searched for: it is no particle, and has a letter or digit."""
    return (
        (len(piece) <= MAX_WORD or _UNSPACED.search(piece) is not None)
        and piece not in PARTICLES
        and any(map(str.isalnum, piece))
    )


def pairs_of(word: str) -> list[str]:
    return [first + second for first, second in pairwise(word)]


def _pairs_of_names(pieces: Sequence[str], new: set[str]) -> Iterable[str]:
    """Pairs of characters inside ``new`` words, which the dictionary does not know, and across their edges; single characters are new, too.

    The segmenter splits an unknown name differently in different contexts, but its pairs of characters stay the same.
    """
    for before, piece in pairwise(["", *pieces]):
        is_new = piece in new
        if is_new and len(piece) > 2:
            yield from pairs_of(piece)
        if (is_new or before in new) and before and is_cjk(before[-1]) and is_cjk(piece[0]):
            yield before[-1] + piece[0]


def words_asked(segmenter: Segmenter, terms: Iterable[Term]) -> list[tuple[str, ...]]:
    """The units to search for, as tuples of words: a phrase with all its words, else one word each; at most 64.

    Unquoted Chinese text is segmented: 桂林旅游攻略 searches for 桂林, 旅游 and 攻略. Single characters beside longer words, and stop words, are
    left out unless there is nothing else.
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
            is_weak = unit in STOP_WORDS or (len(words) > 1 and len(unit) == 1)
            (weak if is_weak else found).append((unit,))
    return list(dict.fromkeys(found or weak))[:64]


def expression(
    segmenter: Segmenter, asked: Sequence[tuple[str, ...]], joined_by: str, languages: Collection[str]
) -> str:
    """The MATCH expression for all of ``asked`` (AND) or any of it (OR), with the words' forms in ``languages``; "" for nothing."""
    return f" {joined_by} ".join(_group(segmenter, words, languages) for words in asked)


def _group(segmenter: Segmenter, words: tuple[str, ...], languages: Collection[str]) -> str:
    """The expression for the adjacent words of a phrase, or for all the forms in which the index may contain one word."""
    whole = "".join(words)
    ways = [_quoted(_letter_by_letter(whole))]
    is_known = has_cjk(whole) and whole in segmenter.dictionary_words(whole)
    if len(words) > 1:
        side_by_side = f"{{title body}} : {_quoted(' '.join(words))}"
        ways = [side_by_side, *ways] if is_known else [side_by_side]
    elif not has_cjk(whole):
        ways += map(_quoted, forms_of(whole, languages))
    elif len(whole) == 1:
        ways.append(f"{_quoted(whole)} *")
    elif len(whole) > 2 and not is_known:
        ways.append(f"({' AND '.join(map(_quoted, pairs_of(whole)))})")
    return f"({' OR '.join(ways)})"


def forms_of(word: str, languages: Collection[str]) -> list[str]:
    """Other forms of ``word``; for German also with umlauts in place of ae, oe, ue (Flaeche)."""
    umlauts = word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü") if "de" in languages else word
    return [*other_forms(word, languages), *([umlauts, *other_forms(umlauts, languages)] if umlauts != word else [])]


def _letter_by_letter(piece: str) -> str:
    """Thai, Lao, Burmese and Khmer text with a space after each letter: without spaces between words, a word is searched as a phrase."""
    return " ".join(piece) if _UNSPACED.search(piece) else piece


_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


def _quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'


def _units(segmenter: Segmenter, pieces: Sequence[str]) -> list[str]:
    """The words among ``pieces``; adjacent single Chinese characters are joined, as the segmenter splits unknown names into those."""
    units: list[str] = []
    run = ""
    for piece in [*pieces, ""]:
        if len(piece) == 1 and is_cjk(piece):
            run += piece
            continue
        units += [run] if run in segmenter.dictionary_words(run) else run.translate(_NO_PARTICLES).split()
        units += [piece] if is_word(piece) else []
        run = ""
    return units
