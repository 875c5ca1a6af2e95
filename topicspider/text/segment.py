"""Cutting text into words with rjieba (jieba's algorithm and dictionary in Rust); its one home."""

from __future__ import annotations

import re
from itertools import accumulate, chain, pairwise
from sys import intern
from typing import TYPE_CHECKING
from weakref import WeakSet, ref

from topicspider.text.normalise import IDEOGRAPHS, has_cjk, normalise
from topicspider.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import rjieba

MAX_WORD = 64
_SURROGATES = re.compile("[\ud800-\udfff]")
# rjieba cuts every letter beyond ASCII and ideographs into a piece of its own (caf|é, м|и|р): runs of such
# letters, with the marks that belong to them and the ASCII letters around them, are pieces before it is asked.
_OTHER = (
    rf"(?:[^\W\x00-\x7f{IDEOGRAPHS}]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u06d6-\u06dc"
    r"\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u0f71-\u0f84\u102b-\u103e\u1056-\u109d\u17b4-\u17d3])"
)
# the look-behind keeps a long run of ASCII letters (base64) from being scanned anew at each of them
_OTHER_SCRIPT = re.compile(rf"((?<![A-Za-z0-9])[A-Za-z0-9]*+{_OTHER}(?:[A-Za-z0-9]|{_OTHER})*)")
# Hiragana and katakana are runs apart, for Japanese writes no spaces: コーヒー of おいしいコーヒーを is a word
_HIRAGANA, _KATAKANA = "\u3041-\u309f", "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_KANA = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")
_KANA_RUNS = re.compile(f"[{_HIRAGANA}][{_HIRAGANA}ー]*|[{_KATAKANA}]+|[^{_HIRAGANA}{_KATAKANA}]+")
# Letters of Japanese, Thai, Lao, Burmese and Khmer, which part words by no spaces: there own words are looked for within the runs
_UNSPACED = re.compile(rf"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{_HIRAGANA}{_KATAKANA}]")
# every letter that _OTHER may match and few that it does not: a search for a plain set takes a third of the time
_MAY_BE_OTHER = re.compile(
    "[\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\u1fff\u2070-\u218f\u2460-\u24ff\u2776-\u2793\u2c00-\u2e7f\u3031-\u33ff\ua000-\ud7ff"
    "\ufb00-\ufdff\ufe20-\ufe2f\ufe70-\ufeff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc\U00010000-\U0001ffff]"
)
# what a piece such as state-of-the-art, www.example.com or 3.5 consists of (jieba parts it so, rjieba does not)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:(?<=[0-9])\.[0-9]+)?")
# Endings by which a language makes words of one another: wandern and Wanderung, jardin and jardinage, фотография and фотограф
_STEM = re.compile(
    "(.{5,}?)(?:ung|ing|ering|ei|age|er[ií]a|ism[oe]|ismus|(?<=er)n|ия|ие|ство|к?[аеиоуыьяй])|(.{6,}?)(?:ie|ia|ée)"
)
_HANGUL = re.compile("[가-힣]{2,}")


class Segmenter:
    """Cuts text of any language into pieces; Chinese by dictionary, the rest at spaces and marks."""

    name = "rjieba"

    def __init__(self) -> None:
        self._tokenizer = _shared.lend(self)
        self._has_added = False
        self._own: dict[str, None] = {}
        self._in_runs: re.Pattern[str] | None = None
        self._words_in_piece = _PieceWords(self._own)

    @property
    def own_words(self) -> tuple[str, ...]:
        """What was added, in the order it was last: the same name and words cut alike in another process."""
        return tuple(self._own)

    def cut(self, text: str) -> list[str]:
        """The pieces of ``text`` as it is, white space and marks included; they join back to it (promise P2)."""
        if _SURROGATES.search(text):  # Rust's strings cannot hold them
            lengths = accumulate(map(len, self.cut(_SURROGATES.sub("\ufffd", text))), initial=0)
            return [text[start:end] for start, end in pairwise(lengths)]
        return self._pieces(text)

    def words(self, text: str) -> list[str]:
        """The words of ``text``, in order, normalised; without stop words and pieces that are no word."""
        return list(chain.from_iterable(map(self._words_in_piece.__getitem__, self._pieces(normalise(text)))))

    def dictionary_words(self, text: str) -> list[str]:
        """Every Chinese word of the dictionary that stands in ``text``, of two characters or more, however it is cut: 研究, 研究生, 生命 in 研究生命."""
        found = self._tokenizer.cut_all(_SURROGATES.sub("\ufffd", text))
        return [word for word in found if len(word) > 1 and not word.isascii()]

    def add_words(self, words: Iterable[str]) -> None:
        """Keep each of ``words`` in one piece from now on, in this segmenter only: as it is spelt, and normalised; none with white space."""
        spellings = dict.fromkeys(spelling for word in words for spelling in (word.strip(), normalise(word).strip()))
        for word in spellings:
            if 0 < len(word) <= MAX_WORD and word.isprintable() and " " not in word:
                self._add(word)
                self._own.pop(word, None)
                self._own[word] = None
        longest_first = sorted((word for word in self._own if _UNSPACED.search(word)), key=len, reverse=True)
        patterns = "|".join(filter(None, map(_within_runs, longest_first)))
        self._in_runs = re.compile(f"({patterns})") if patterns else None
        self._words_in_piece.clear()
        self._words_in_piece.derive_from(self._own)

    def _add(self, word: str) -> None:
        if (word.isascii() and word.isalnum()) or _UNSPACED.search(word):
            return  # it stands between marks, in one piece; and art in the dictionary would cut party and artist
        if not self._has_added:
            self._tokenizer, self._has_added = _shared.own(self), True
        self._tokenizer.add_word(word, None, None)

    def _pieces(self, text: str) -> list[str]:
        if _MAY_BE_OTHER.search(text) is None:
            return self._tokenizer.cut(text)
        if self._in_runs is None:
            return self._pieces_of_scripts(text)
        pieces: list[str] = []
        for index, part in enumerate(self._in_runs.split(text)):
            pieces += [part] if index % 2 else self._pieces_of_scripts(part)
        return pieces

    def _pieces_of_scripts(self, text: str) -> list[str]:
        pieces: list[str] = []
        for index, part in enumerate(_OTHER_SCRIPT.split(text)):
            if index % 2:
                pieces += _KANA_RUNS.findall(part) if _KANA.search(part) else [part]
            elif part:
                pieces += self._tokenizer.cut(part)
        return pieces


def _within_runs(word: str) -> str:
    """The pattern of an own word that is found within longer runs; "" for one that would be found in other words (ชา, tea, in ประชาชน).

    Katakana writes compounds in one: サッカーチーム has サッカー at its edge, but no カー (car).
    """
    found = re.escape(word)
    if re.fullmatch(f"[{_KATAKANA}]+", word):
        return rf"(?<![{_KATAKANA}]){found}|{found}(?![{_KATAKANA}])" if len(word) >= 3 else ""
    if word[0].isascii():  # Tシャツ
        return rf"(?<![A-Za-z0-9]){found}"
    least = 2 if has_cjk(word) else 3 if _KANA.match(word) else 4
    return found if len(word) >= least else ""


class _SharedTokenizer:
    """The library's own tokenizer, 25 MB: lent to every segmenter until words are added to one; that one keeps it if no other uses it."""

    def __init__(self) -> None:
        self._users: WeakSet[Segmenter] = WeakSet()
        self._kept_by: ref[Segmenter] | None = None

    def lend(self, user: Segmenter) -> rjieba.Jieba:
        """For a segmenter that adds no words."""
        if self._kept_by is not None:
            return self._another()
        self._users.add(user)
        return self._library_own() or self._another()

    def own(self, user: Segmenter) -> rjieba.Jieba:
        """For one that adds words."""
        self._users.discard(user)
        if self._users or self._kept_by is not None:
            return self._another()
        self._kept_by = ref(user)
        return self._library_own() or self._another()

    @staticmethod
    def _another() -> rjieba.Jieba:
        import rjieba

        return rjieba.Jieba()

    @staticmethod
    def _library_own() -> rjieba.Jieba | None:
        import rjieba

        return getattr(rjieba.cut, "__self__", None)


_shared = _SharedTokenizer()


def make_segmenter(words: Iterable[str] = ()) -> Segmenter:
    """One that keeps each of ``words`` in one piece, and shares nothing that ``add_words`` changes with others."""
    segmenter = Segmenter()
    segmenter.add_words(words)
    return segmenter


class _PieceWords(dict[str, tuple[str, ...]]):
    """The words in each piece, remembered: texts repeat their pieces, and a look-up costs a sixth of the rules.

    Emptied when it is full, so that pages of random letters cost no more memory.
    """

    def __init__(self, own: Collection[str]) -> None:
        super().__init__()
        self._own = own
        self._stems: dict[str, str] = {}
        self._in_piece: re.Pattern[str] | None = None

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= 50_000:  # with 20,000 it is 3 MB less, and an English page .1 ms dearer
            self.clear()
        piece = intern(piece)  # one string for all pages, those that other processes read, too
        words = _words_in(piece, piece in self._own)
        if self._in_piece and words == (piece,) and piece not in self._own:
            words += self._made_of(piece, self._in_piece)
        if len(piece) <= MAX_WORD:
            self[piece] = words
        return words

    def derive_from(self, own: Collection[str]) -> None:
        """Have the own words in words that are made of them (see _stem_of)."""
        self._stems = {}
        for word in own:
            if stem := _stem_of(word):
                self._stems.setdefault(stem, word)
        longest_first = sorted(self._stems, key=len, reverse=True)
        self._in_piece = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def _made_of(self, piece: str, stems: re.Pattern[str]) -> tuple[str, ...]:
        """The own word that ``piece`` begins with, or, as in German, ends with but for its case (Bergwanderungen); () when there is none."""
        if found := stems.match(piece):
            return (self._stems[found[0]],)
        if piece[0] < "\u0250":
            for found in stems.finditer(piece, 3):
                own = self._stems[found[0]]
                if len(piece) - found.start() <= len(own) + 3:
                    return (own,)
        return ()


def _stem_of(word: str) -> str:
    """How the words begin that are made of an own word of a language without vectors; "" for one of another language, or too short to tell.

    Such words (Bergwanderung, 등산객) are all that such a page may have of its topic: there meaning does not bring them together.
    """
    if not word.isalpha() or has_cjk(word) or _UNSPACED.search(word) or (word.isascii() and _is_english(word)):
        return ""
    if _HANGUL.fullmatch(word):
        return word
    match = _STEM.fullmatch(word)
    return (match[1] or match[2]) if match else word if len(word) >= 6 else ""


def _is_english(word: str) -> bool:
    """Whether it is an English word, or a form of one: of invest, investing and investigation the vectors tell."""
    from topicspider.text.lexicon import parts, word_vectors  # not for those who have no words of their own

    table = word_vectors()
    return any(map(table.is_english, parts(word, table, table.is_english)))


def _words_in(piece: str, is_own: bool) -> tuple[str, ...]:
    if piece.isalnum() or is_own:
        return (piece,) if _is_word(piece) else ()
    if len(piece) < 2:
        return ()
    # a piece that is no ASCII may be a word whose letters come with marks that Python does not count as letters (Hindi, Thai)
    words = _ASCII_WORD.findall(piece) if piece.isascii() else [piece] if any(map(str.isalnum, piece)) else []
    return tuple(filter(_is_word, words))


def _is_word(word: str) -> bool:
    """Whether ``word`` may say something: no stop word, no lone Latin letter or digit, not over-long."""
    return word not in STOP_WORDS and len(word) + (not word.isascii()) > 1 and len(word) <= MAX_WORD
