"""Cutting text into words, with rjieba or jieba; the one home of both."""

from __future__ import annotations

import logging
import re
import warnings
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import ConfigError
from topicspider.text.normalise import IDEOGRAPHS, normalise
from topicspider.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    import jieba
    import rjieba

SEGMENTERS = ("rjieba", "jieba")

_MAX_WORD = 64
_MAX_REMEMBERED = 50_000
"""Pieces whose words are kept, about 10 MB; a crawl in one language meets fewer in a thousand pages."""
_SURROGATES = re.compile("[\ud800-\udfff]")
# Both libraries cut every letter beyond ASCII and ideographs into a piece of its own (caf|é, м|и|р): runs of such
# letters, with the marks that belong to them and the ASCII letters around them, are pieces before they are asked.
_OTHER = (
    rf"(?:[^\W\x00-\x7f{IDEOGRAPHS}]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u06d6-\u06dc"
    r"\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd])"
)
# jieba's time grows with the square of a run without a mark (20,000 ideographs: 3 s); prose has none so long
_RUN = "A-Za-z0-9+#&._%\\-\u4e00-\u9fff"
_LONG_RUN = re.compile(f"[{_RUN}]{{500}}")
_SHORT_RUN = re.compile(f"[{_RUN}]{{1,500}}|[^{_RUN}]+")
# the look-behind keeps a long run of ASCII letters (base64) from being scanned anew at each of them
_OTHER_SCRIPT = re.compile(rf"((?<![A-Za-z0-9])[A-Za-z0-9]*+{_OTHER}(?:[A-Za-z0-9]|{_OTHER})*)")
# every letter that _OTHER may match and few that it does not: a search for a plain set takes a third of the time
_MAY_BE_OTHER = re.compile(
    "[\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\u1fff\u2070-\u218f\u2460-\u24ff\u2776-\u2793\u2c00-\u2e7f\u3031-\u33ff\ua000-\ud7ff"
    "\ufb00-\ufdff\ufe20-\ufe2f\ufe70-\ufeff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc\U00010000-\U0001ffff]"
)
# what a piece such as state-of-the-art, www.example.com or 3.5 consists of (jieba parts it so, rjieba does not)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:(?<=[0-9])\.[0-9]+)?")


class Segmenter(Protocol):
    """Cuts text of any language into pieces; Chinese by dictionary, the rest at spaces and marks."""

    name: str

    @property
    def own_words(self) -> tuple[str, ...]:
        """What was added, in the order it was last: the same name and words cut alike in another process."""

    def cut(self, text: str) -> list[str]:
        """The pieces of ``text`` as it is, white space and marks included; they join back to it (P2)."""

    def words(self, text: str) -> list[str]:
        """The words of ``text``, in order, normalised; without stop words and pieces that are no word."""

    def dictionary_words(self, text: str) -> list[str]:
        """Every Chinese word of the dictionary that stands in ``text``, of two characters or more, however it is cut: 研究, 研究生, 生命 in 研究生命."""

    def add_words(self, words: Iterable[str]) -> None:
        """Keep each of ``words`` in one piece from now on, in this segmenter only."""


def make_segmenter(name: str, words: Iterable[str] = ()) -> Segmenter:
    """The segmenter called ``name`` ("rjieba" or "jieba"), with ``words`` of one's own.

    Raises ConfigError for another name. Segmenters share nothing that ``add_words`` changes.
    """
    if name == "rjieba":
        segmenter: Segmenter = RjiebaSegmenter()
    elif name == "jieba":
        segmenter = JiebaSegmenter()
    else:
        raise ConfigError("TOPICSPIDER_SEGMENTER", name, ", ".join(SEGMENTERS))
    segmenter.add_words(words)
    return segmenter


class RjiebaSegmenter:
    """jieba's algorithm and dictionary in Rust, 20 times as fast: the default."""

    name = "rjieba"

    def __init__(self) -> None:
        import rjieba

        # the library's own, shared until words are added: to build another takes 0.12 s
        self._tokenizer: rjieba.Jieba = getattr(rjieba.cut, "__self__", None) or rjieba.Jieba()
        self._own: dict[str, None] = {}
        self._telling = _Telling(self._own)

    def cut(self, text: str) -> list[str]:
        """See Segmenter."""
        if _SURROGATES.search(text):  # Rust's strings cannot hold them
            return _slices(text, self.cut(_SURROGATES.sub("\ufffd", text)))
        return _pieces(text, self._tokenizer.cut)

    def words(self, text: str) -> list[str]:
        """See Segmenter."""
        return self._telling.words(_pieces(normalise(text), self._tokenizer.cut))

    def dictionary_words(self, text: str) -> list[str]:
        """See Segmenter."""
        text = _SURROGATES.sub("\ufffd", text)
        return _chinese(word for run in _SHORT_RUN.findall(text) for word in self._tokenizer.cut_all(run))

    @property
    def own_words(self) -> tuple[str, ...]:
        """See Segmenter."""
        return tuple(self._own)

    def add_words(self, words: Iterable[str]) -> None:
        """See Segmenter."""
        added = _addable(words)
        if added and not self._own:
            import rjieba

            self._tokenizer = rjieba.Jieba()
        for word in added:
            self._tokenizer.add_word(word, None, None)
            self._own.pop(word, None)
            self._own[word] = None
        self._telling.clear()


class JiebaSegmenter:
    """jieba itself."""

    name = "jieba"

    def __init__(self) -> None:
        self._tokenizer = _tokenizer()
        self._own: dict[str, None] = {}
        self._telling = _Telling(self._own)

    def cut(self, text: str) -> list[str]:
        """See Segmenter."""
        return _pieces(text, self._cut)

    def words(self, text: str) -> list[str]:
        """See Segmenter."""
        return self._telling.words(_pieces(normalise(text), self._cut))

    def dictionary_words(self, text: str) -> list[str]:
        """See Segmenter."""
        return _chinese(word for run in _SHORT_RUN.findall(text) for word in self._tokenizer.cut(run, cut_all=True))

    @property
    def own_words(self) -> tuple[str, ...]:
        """See Segmenter."""
        return tuple(self._own)

    def add_words(self, words: Iterable[str]) -> None:
        """See Segmenter."""
        for word in _addable(words):
            self._tokenizer.add_word(word)
            self._own.pop(word, None)
            self._own[word] = None
        self._telling.clear()

    def _cut(self, text: str) -> list[str]:
        parts = [text] if _LONG_RUN.search(text) is None else _SHORT_RUN.findall(text)
        return [piece for part in parts for piece in self._tokenizer.lcut(part)]


def _tokenizer() -> jieba.Tokenizer:
    counts, total = _dictionary()
    import jieba

    tokenizer = jieba.Tokenizer()
    # a copy costs 10 ms, and makes the words of one segmenter invisible to the others
    tokenizer.FREQ, tokenizer.total, tokenizer.initialized = dict(counts), total, True
    return tokenizer


@lru_cache(maxsize=1)
def _dictionary() -> tuple[dict[str, int], int]:
    """jieba's prefix dictionary, built here: jieba's own loader reads and writes marshalled data in the
    shared folder for temporary files, which any user of the machine can replace, and logs to stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pkg_resources is deprecated; jieba's patterns have bad escapes
        import jieba

        logging.getLogger("jieba").setLevel(logging.WARNING)
        counts, total = jieba.Tokenizer.gen_pfdict(jieba.get_dict_file())
    return counts, total


def _addable(words: Iterable[str]) -> list[str]:
    """Both spellings of each word, as it is and normalised; none with white space (nothing would find it)."""
    spellings = dict.fromkeys(spelling for word in words for spelling in (word.strip(), normalise(word).strip()))
    return [word for word in spellings if 0 < len(word) <= _MAX_WORD and word.isprintable() and " " not in word]


def _pieces(text: str, cut: Callable[[str], list[str]]) -> list[str]:
    if _MAY_BE_OTHER.search(text) is None:
        return cut(text)
    pieces: list[str] = []
    for index, part in enumerate(_OTHER_SCRIPT.split(text)):
        if index % 2:
            pieces.append(part)
        elif part:
            pieces += cut(part)
    return pieces


def _chinese(words: Iterable[str]) -> list[str]:
    return [word for word in words if len(word) > 1 and not word.isascii()]


def _slices(text: str, pieces: list[str]) -> list[str]:
    result, start = [], 0
    for piece in pieces:
        result.append(text[start : start + len(piece)])
        start += len(piece)
    return result


class _Telling(dict[str, tuple[str, ...]]):
    """The words in each piece, remembered: texts repeat their pieces, and a look-up costs a sixth of the rules.

    Emptied when it is full, so that pages of random letters cost no more memory.
    """

    def __init__(self, own: Collection[str]) -> None:
        super().__init__()
        self._own = own

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= _MAX_REMEMBERED:
            self.clear()
        words = _words_in(piece, piece in self._own)
        if len(piece) <= _MAX_WORD:
            self[piece] = words
        return words

    def words(self, pieces: Iterable[str]) -> list[str]:
        """The words in ``pieces``, in order."""
        return list(chain.from_iterable(map(self.__getitem__, pieces)))


def _words_in(piece: str, is_own: bool) -> tuple[str, ...]:
    if piece.isalnum() or is_own:
        return (piece,) if _tells(piece) else ()
    if len(piece) < 2:
        return ()
    return tuple(filter(_tells, _ASCII_WORD.findall(piece) if piece.isascii() else _inner_word(piece)))


def _inner_word(piece: str) -> list[str]:
    """A word whose letters come with marks that Python does not count as letters (Hindi, Thai)."""
    return [piece] if any(map(str.isalnum, piece)) else []


def _tells(word: str) -> bool:
    """Whether ``word`` may say something: no stop word, no lone Latin letter or digit, not over-long."""
    return word not in STOP_WORDS and len(word) + (not word.isascii()) > 1 and len(word) <= _MAX_WORD
