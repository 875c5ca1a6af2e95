"""Word segmentation with rjieba (jieba's algorithm and dictionary in Rust); the only module that imports it."""

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
# rjieba splits off every letter that is neither ASCII nor an ideograph (caf|é, м|и|р): so runs of such letters,
# with their combining marks and the ASCII letters around them, are made pieces before rjieba is called.
_OTHER = (
    rf"(?:[^\W\x00-\x7f{IDEOGRAPHS}]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u06d6-\u06dc"
    r"\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u0f71-\u0f84\u102b-\u103e\u1056-\u109d\u17b4-\u17d3])"
)
# the look-behind keeps a long run of ASCII letters (base64) from being scanned again from each letter
_OTHER_SCRIPT = re.compile(rf"((?<![A-Za-z0-9])[A-Za-z0-9]*+{_OTHER}(?:[A-Za-z0-9]|{_OTHER})*)")
# Hiragana and katakana form separate runs, as Japanese is written without spaces: コーヒー in おいしいコーヒーを is a word
_HIRAGANA, _KATAKANA = "\u3041-\u309f", "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_KANA = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")
_KANA_RUNS = re.compile(f"[{_HIRAGANA}][{_HIRAGANA}ー]*|[{_KATAKANA}]+|[^{_HIRAGANA}{_KATAKANA}]+")
# Letters of Japanese, Thai, Lao, Burmese and Khmer, written without spaces: added words are searched for within runs of them
_UNSPACED = re.compile(rf"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{_HIRAGANA}{_KATAKANA}]")
# all letters that _OTHER may match and few others: searching for a plain set takes a third of the time
_MAY_BE_OTHER = re.compile(
    "[\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\u1fff\u2070-\u218f\u2460-\u24ff\u2776-\u2793\u2c00-\u2e7f\u3031-\u33ff\ua000-\ud7ff"
    "\ufb00-\ufdff\ufe20-\ufe2f\ufe70-\ufeff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc\U00010000-\U0001ffff]"
)
# the words of a piece such as state-of-the-art, www.example.com or 3.5 (jieba splits it so, rjieba does not)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:(?<=[0-9])\.[0-9]+)?")
# Stem and derivational ending: wandern and Wanderung, jardin and jardinage, фотография and фотограф
_STEM = re.compile(
    "(.{5,}?)(?:ung|ing|ering|ei|age|er[ií]a|ism[oe]|ismus|(?<=er)n|ия|ие|ство|к?[аеиоуыьяй])|(.{6,}?)(?:ie|ia|ée)"
)
_HANGUL = re.compile("[가-힣]{2,}")


class Segmenter:
    """Segments text of any language: Chinese by dictionary, the rest at spaces and punctuation."""

    name = "rjieba"

    def __init__(self) -> None:
        self._tokenizer = _shared.lend(self)
        self._has_added = False
        self._own: dict[str, None] = {}
        self._in_runs: re.Pattern[str] | None = None
        self._words_in_piece = _PieceWords(self._own)

    @property
    def own_words(self) -> tuple[str, ...]:
        """The added words, in the order of their last addition; a segmenter with the same name and words segments alike elsewhere."""
        return tuple(self._own)

    def cut(self, text: str) -> list[str]:
        """The pieces of ``text`` unchanged, white space and punctuation included; joined they are ``text`` (promise P2)."""
        if _SURROGATES.search(text):  # Rust's strings cannot hold them
            lengths = accumulate(map(len, self.cut(_SURROGATES.sub("\ufffd", text))), initial=0)
            return [text[start:end] for start, end in pairwise(lengths)]
        return self._pieces(text)

    def words(self, text: str) -> list[str]:
        """The words of ``text``, in order, normalised; without stop words and pieces that are no words."""
        return list(chain.from_iterable(map(self._words_in_piece.__getitem__, self._pieces(normalise(text)))))

    def dictionary_words(self, text: str) -> list[str]:
        """All dictionary words of at least two characters in ``text``, overlapping ones included: 研究, 研究生, 生命 in 研究生命."""
        found = self._tokenizer.cut_all(_SURROGATES.sub("\ufffd", text))
        return [word for word in found if len(word) > 1 and not word.isascii()]

    def add_words(self, words: Iterable[str]) -> None:
        """Keeps each of ``words`` in one piece from now on, as written and normalised, in this segmenter only; none with white space."""
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
            return  # is one piece anyway; and "art" in the dictionary would split party and artist
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
    """The pattern of an added word to be found within longer runs; "" if it would match inside other words (ชา, tea, in ประชาชน).

    A katakana word matches only at the edge of a compound: サッカーチーム contains サッカー, but not カー (car).
    """
    found = re.escape(word)
    if re.fullmatch(f"[{_KATAKANA}]+", word):
        return rf"(?<![{_KATAKANA}]){found}|{found}(?![{_KATAKANA}])" if len(word) >= 3 else ""
    if word[0].isascii():  # Tシャツ
        return rf"(?<![A-Za-z0-9]){found}"
    least = 2 if has_cjk(word) else 3 if _KANA.match(word) else 4
    return found if len(word) >= least else ""


class _SharedTokenizer:
    """The library's tokenizer (25 MB), shared by all segmenters; one that adds words keeps it if no other uses it, else gets a new one."""

    def __init__(self) -> None:
        self._users: WeakSet[Segmenter] = WeakSet()
        self._kept_by: ref[Segmenter] | None = None

    def lend(self, user: Segmenter) -> rjieba.Jieba:
        """The tokenizer for a segmenter that has added no words."""
        if self._kept_by is not None:
            return self._another()
        self._users.add(user)
        return self._library_own() or self._another()

    def own(self, user: Segmenter) -> rjieba.Jieba:
        """The tokenizer for a segmenter that adds words."""
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
    """A segmenter that keeps each of ``words`` in one piece; adding words to it affects no other segmenter."""
    segmenter = Segmenter()
    segmenter.add_words(words)
    return segmenter


class _PieceWords(dict[str, tuple[str, ...]]):
    """A cache of piece to the words in it: texts repeat their pieces, and a look-up takes a sixth of the time of the rules.

    It is emptied when full, so that pages of random letters take no more memory.
    """

    def __init__(self, own: Collection[str]) -> None:
        super().__init__()
        self._own = own
        self._stems: dict[str, str] = {}
        self._in_piece: re.Pattern[str] | None = None

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= 50_000:  # 20,000 would save 3 MB and cost .1 ms per English page
            self.clear()
        piece = intern(piece)  # one string object for all pages, also for those read by other processes
        words = _words_in(piece, piece in self._own)
        if self._in_piece and words == (piece,) and piece not in self._own:
            words += self._made_of(piece, self._in_piece)
        if len(piece) <= MAX_WORD:
            self[piece] = words
        return words

    def derive_from(self, own: Collection[str]) -> None:
        """Prepares for finding added words in words derived from them (see _stem_of)."""
        self._stems = {}
        for word in own:
            if stem := _stem_of(word):
                self._stems.setdefault(stem, word)
        longest_first = sorted(self._stems, key=len, reverse=True)
        self._in_piece = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def _made_of(self, piece: str, stems: re.Pattern[str]) -> tuple[str, ...]:
        """The added word with whose stem ``piece`` begins or, as in German compounds, nearly ends (Bergwanderungen); () for none."""
        if found := stems.match(piece):
            return (self._stems[found[0]],)
        if piece[0] < "\u0250":
            for found in stems.finditer(piece, 3):
                own = self._stems[found[0]]
                if len(piece) - found.start() <= len(own) + 3:
                    return (own,)
        return ()


def _stem_of(word: str) -> str:
    """The common beginning of words derived from an added word; "" for Chinese, English, unspaced scripts, and words that are too short.

    Without word vectors, derived words (Bergwanderung, 등산객) may be all that a page in such a language has of its topic.
    """
    if not word.isalpha() or has_cjk(word) or _UNSPACED.search(word) or (word.isascii() and _is_english(word)):
        return ""
    if _HANGUL.fullmatch(word):
        return word
    match = _STEM.fullmatch(word)
    return (match[1] or match[2]) if match else word if len(word) >= 6 else ""


def _is_english(word: str) -> bool:
    """Whether it is an English word or a form of one; those (invest, investing, investigation) are related by their vectors."""
    from topicspider.text.lexicon import parts, word_vectors  # needed only when words are added

    table = word_vectors()
    return any(map(table.is_english, parts(word, table, table.is_english)))


def _words_in(piece: str, is_own: bool) -> tuple[str, ...]:
    if piece.isalnum() or is_own:
        return (piece,) if _is_word(piece) else ()
    if len(piece) < 2:
        return ()
    # a piece beyond ASCII may be a word with combining marks, which are not letters to isalnum (Hindi, Thai)
    words = _ASCII_WORD.findall(piece) if piece.isascii() else [piece] if any(map(str.isalnum, piece)) else []
    return tuple(filter(_is_word, words))


def _is_word(word: str) -> bool:
    """Whether ``word`` counts as a word: no stop word, no single ASCII character, at most MAX_WORD characters."""
    return word not in STOP_WORDS and len(word) + (not word.isascii()) > 1 and len(word) <= MAX_WORD
