"""General knowledge of words: inverse document frequency (idf), part of speech, and word vectors, which represent meaning.

Idf and part of speech are those of jieba's dictionary. The shipped vectors of some 100,000 words of any language are distilled from a
multilingual sentence encoder (benchmarks/build/word_vectors.py), so that 旅游 lies near travel; those of 17,000 English names come from
GloVe. A text's vector is the sum of its words' vectors, weighted by idf; a word that the table lacks is the sum of its parts.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, lru_cache
from itertools import chain, islice
from statistics import median
from typing import TYPE_CHECKING, Any

from topicspider.errors import UnavailableError
from topicspider.text.normalise import is_cjk
from topicspider.text.packages import file_version, package_file
from topicspider.text.vocabulary import CHINESE, FOREIGN, NAMES, arrays, digest, english_flags, rarities, words
from topicspider.text.word_table import WordTable, mapped, packed_table

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def idf(word: str) -> float:
    """Inverse document frequency of a normalised word (natural logarithm), about 0.9 to 13.9.

    Chinese words: the table that jieba ships (270,000 words, none in Latin letters). English words, and some of other languages: the idf
    of the Chinese word of the same rank, from the shipped file of words. An unknown word has jieba's median, as in jieba's own keyword
    extraction: with the maximum, every segmentation error would outweigh the topic's words. An unknown word in ASCII letters has the idf
    of its stem, or one that grows with its length, up to the median; a number has 5.0.
    """
    return idfs([word])[0]


def idfs(words: Iterable[str]) -> list[float]:
    """``idf`` of many words, in a third of the time per word."""
    known = _rarities()
    words = words if isinstance(words, Collection) else list(words)
    known.read([word for word in words if word not in known])
    return list(map(known.__getitem__, words))


class _Rarities(dict[str, float]):
    """A cache of the idf of words, up to a bound; the table itself is memory-mapped (word_table)."""

    def __init__(self, table: WordTable[float]) -> None:
        super().__init__()
        self._table = table
        self._unknown = table[""]

    def read(self, new: Sequence[str]) -> None:
        """Looks up the idf of ``new`` words."""
        if len(self) + len(new) >= _REMEMBERED:
            self.clear()
        found = self._table.some(new)
        forms = [word for word, known in zip(new, found, strict=True) if not known and word.isascii()]
        by_stem = self._of_stems(forms)
        for word, known in zip(new, found, strict=True):
            self[word] = known if known and word else by_stem.get(word) or self._of_unknown(word)

    def __missing__(self, word: str) -> float:
        self.read([word])
        return self[word]

    def _of_stems(self, forms: Sequence[str]) -> dict[str, float]:
        """Word to the idf of its first stem in the table (relatively: relative); all are looked up together."""
        stems = [(form, stem) for form in forms for stem in _stems(form, _ENDINGS)]
        known = self._table.some([stem for _, stem in stems])
        return {form: idf for (form, _), idf in zip(reversed(stems), reversed(known), strict=True) if idf}

    def _of_unknown(self, word: str) -> float:
        if not word.isascii():
            return self._unknown
        # frequent words are short (Zipf); with this slope an unknown 12-letter word reaches the median
        return 5.0 if word.isdigit() else min(self._unknown, 5.0 + 0.6 * len(word))


@lru_cache(maxsize=1)
def _rarities() -> _Rarities:
    try:
        foreign = digest()
    except UnavailableError:  # no word vectors either: whoever needs them reports it
        foreign = ""
    source = (foreign, file_version(*_JIEBAS_IDF))
    return _Rarities(WordTable(mapped("idf", source, lambda: packed_table(_idf_table(bool(foreign)), "d")), "d"))


def _idf_table(has_foreign: bool) -> dict[str, float]:
    """Word to idf; "" has the idf of unknown words."""
    chinese = chinese_idfs()
    return (rarities() if has_foreign else {}) | chinese | {"": median(chinese.values())}


def chinese_idfs() -> dict[str, float]:
    """Word to idf, from the table that jieba ships; takes 60 MB."""
    pieces = package_file(*_JIEBAS_IDF).split()
    values = {text: float(text) for text in set(pieces[1::2])}  # only 3,000 different ones: saves a fifth of the time
    return dict(zip(pieces[::2], map(values.__getitem__, pieces[1::2]), strict=True))


_JIEBAS_IDF, _JIEBAS_WORDS = ("jieba", "jieba/analyse/idf.txt"), ("jieba", "jieba/dict.txt")
_REMEMBERED = 20_000
_CONTENT = ("n", "v", "j", "b", "a", "l", "zg")
_NAMES = ("nr", "ns", "nt")


def is_content_word(word: str) -> bool:
    """Whether ``word`` is a noun, verb, adjective or set phrase, or unknown; not a person's or place's name, a number or an adverb."""
    return bool(_classes().get(word, 1))


_PARTICLES = frozenset("的地得了着过")


def is_scrap(word: str) -> bool:
    """Whether ``word`` begins with a particle and is not in the dictionary: a wrongly segmented piece (地看 of 慢慢地看), unlike 地铁."""
    return word[:1] in _PARTICLES and word not in _classes()


@lru_cache(maxsize=1)
def _classes() -> WordTable[int]:
    """For each word of jieba's dictionary, whether it is a content word (1 or 0)."""
    return WordTable(mapped("content", file_version(*_JIEBAS_WORDS), _packed_classes), "B")


def _packed_classes() -> bytes:
    """The table of ``_classes``, by jieba's tags: n noun, nr person, ns place, nt organisation, v verb, a adjective, …."""
    rows = (line.split(" ") for line in package_file(*_JIEBAS_WORDS).splitlines())
    tags = {row[0]: row[2] for row in rows if len(row) == 3}
    of_content = {tag: not tag or (tag.startswith(_CONTENT) and not tag.startswith(_NAMES)) for tag in tags.values()}
    return packed_table({word: of_content[tag] for word, tag in tags.items()}, "B")


OF_A_WORD = 0.7
"""Weight of a part of two or more characters, relative to 1 for the same word on its own."""
OF_PARTS = 0.6
"""Weight of a word known only by its parts, relative to 1: mean AP on titles was .610 with .6, .609 with 1, .597 with 1.4."""

_BATCH = 8192
_PLURALS = (("ies", "y"), ("s", ""), ("es", ""))
_ENDINGS = (
    *_PLURALS, ("ing", "e"), ("ing", ""), ("ed", "e"), ("ed", ""), ("er", "e"), ("er", ""), ("ly", ""),
)  # fmt: skip
_LAST = frozenset(ending[-1] for ending, _ in _ENDINGS)


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """The shipped table, read once per process; UnavailableError when the installation lacks the file."""
    return WordVectors()


class WordVectors:
    """A table of word vectors; words are normalised (text.normalise). It is immutable apart from caches, so threads may share it."""

    def __init__(self) -> None:
        import numpy as np

        levels, scales, lengths, names_start = arrays("levels", "scales", "lengths", "names_start")
        step = float(np.abs(levels).max()) / 127
        self.digest = digest()
        self.names_start = int(names_start[0])
        self._english = english_flags()
        self._scales: Floats = (scales * step).astype(np.float32)
        self.dimension = len(scales)
        rows = mapped("vectors", self.digest, lambda: _centred_rows(levels, step))
        self._rows: NDArray[np.int8] = np.frombuffer(rows, np.int8).reshape(-1, self.dimension)
        self.places: WordTable[int] = WordTable(mapped("places", self.digest, self._packed_places), "I")
        self._spreads = _Spreads(self.places, (lengths / 128).tolist(), self.is_english)

    def _packed_places(self) -> bytes:
        return packed_table({word: place for place, word in enumerate(self.words + words(NAMES))}, "I")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words except names, in the order of their rows (names' rows follow them); takes 10 MB."""
        return words(CHINESE) + words(FOREIGN)

    def __len__(self) -> int:
        """The number of ``words``."""
        return self.names_start

    def __contains__(self, word: object) -> bool:
        return word in self.places

    def is_english(self, word: str) -> bool:
        """Whether the table has ``word`` as an English word; False for names."""
        place = (self.places.get(word) or 0) - len(self) + len(self._english)
        return 0 <= place < len(self._english) and bool(self._english[place])

    def vector(self, word: str) -> Floats | None:
        """The word's vector, or the sum of its parts' vectors, scaled to length 1; None when no part is known."""
        spread = self._spreads[word]
        return unit(self.weighted_sum(*zip(*spread, strict=True))) if spread else None

    def text_vector(self, words: Collection[str], weights: Sequence[float] | None = None) -> Floats | None:
        """The direction of a text: the weighted sum (default weights: idf) of its words' vectors, of length 1; None if no word is known."""
        rows, shares = self.spread(words, idfs(words) if weights is None else weights)
        return unit(self.weighted_sum(rows, shares)) if rows else None

    def rows(self, words: Iterable[str]) -> list[int]:
        """The rows of those words that the table contains, in order."""
        known = self.places
        return [known[word] for word in words if word in known]

    def spread(self, words: Iterable[str], weights: Iterable[float]) -> tuple[list[int], list[float]]:
        """(rows, weights) whose weighted sum is that of ``words`` with ``weights``; a word without a row is replaced by its parts."""
        spreads = self._spreads
        rows: list[int] = []
        kept: list[float] = []
        for word, weight in zip(words, weights, strict=True):
            spread = spreads[word]
            if len(spread) == 1:  # nearly always
                rows.append(spread[0][0])
                kept.append(spread[0][1] * weight)
            else:
                rows += [row for row, _ in spread]
                kept += [share * weight for _, share in spread]
        return rows, kept

    def weighted_sum(self, rows: Sequence[int], weights: Sequence[float]) -> Floats:
        """The weighted sum of ``rows``, not normalised; weights may be negative.

        Summed in double precision: in single precision the last digits depend on the number of BLAS threads (promise R5).
        """
        import numpy as np

        picked = self._rows[np.asarray(rows, dtype=np.intp)].astype(np.float64)
        total: Floats = (np.asarray(weights, dtype=np.float64) @ picked).astype(np.float32) * self._scales
        return total

    def sums(self, rows: NDArray[np.intp], weights: Floats) -> Floats:
        """The weighted sums of many texts: each is a line of ``rows`` and ``weights``, padded with weights of 0.

        Each text is summed word by word, so its sum does not depend on the other texts.
        """
        import numpy as np

        result: Floats = np.einsum("tw,twd->td", weights, self._rows[rows].astype(np.float32)) * self._scales
        return result

    def likeness(self, direction: Floats) -> Floats:
        """The cosine of each of ``words`` with ``direction``; 15 ms for the whole table."""
        result: Floats = self.products(unit(direction)) / self._lengths
        return result

    def products(self, direction: Floats) -> Floats:
        """The scalar product of each of ``words`` with ``direction``; 15 ms for the whole table."""
        import numpy as np

        towards, of_words = direction * self._scales, self._rows[: len(self)]
        result: Floats = np.empty(len(self), dtype=np.float32)
        for start in range(0, len(self), _BATCH):
            result[start : start + _BATCH] = of_words[start : start + _BATCH].astype(np.float32) @ towards
        return result

    def some_products(self, rows: Sequence[int], direction: Floats) -> Floats:
        """The scalar product of each of ``rows`` with ``direction``; each is independent of the other rows."""
        import numpy as np

        picked = self._rows[np.asarray(rows, dtype=np.intp)].astype(np.float32)
        result: Floats = np.einsum("rd,d->r", picked, direction * self._scales)
        return result

    def nearest(self, vector: Floats, count: int, allowed: Collection[str] | None = None) -> list[tuple[str, float]]:
        """(word, cosine) of the ``count`` words (of ``allowed``) nearest to ``vector``, the nearest first, ties in the order of rows."""
        import numpy as np

        likeness = np.round(self.likeness(vector), 6)
        rows = np.arange(len(self)) if allowed is None else np.asarray(sorted(set(self.rows(allowed))), dtype=np.intp)
        some = rows[np.argsort(-likeness[rows], kind="stable")[:count]]
        return [(self.words[row], round(float(likeness[row]), 6)) for row in some.tolist()]

    def crowding(self, rows: Sequence[int], among: Sequence[int], count: int) -> Floats:
        """For each of ``rows``, its mean cosine with the ``count`` nearest of ``among``; .1 s for 140 rows among 60,000.

        ``rows`` must be some of ``among``; a row does not count as its own neighbour.
        """
        import numpy as np

        own = self._units(rows)
        best = np.zeros((len(rows), 0), dtype=np.float32)
        for start in range(0, len(among), _BATCH):
            best = np.concatenate((best, own @ self._units(among[start : start + _BATCH]).T), axis=1)
            best = np.sort(best, axis=1)[:, -count - 1 :]
        result: Floats = best[:, :-1].mean(axis=1)
        return result

    def _units(self, rows: Sequence[int]) -> Floats:
        import numpy as np

        picked = np.asarray(rows, dtype=np.intp)
        units: Floats = self._rows[picked] * self._scales / self._lengths[picked, None]
        return units

    @cached_property
    def _lengths(self) -> Floats:
        """The length of each row: within a few per cent of 1, which does not matter for sums of words."""
        import numpy as np

        lengths, of_words = np.empty(len(self), dtype=np.float32), self._rows[: len(self)]
        for start in range(0, len(self), _BATCH):
            rows = of_words[start : start + _BATCH] * self._scales
            lengths[start : start + _BATCH] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return lengths


class _Spreads(dict[str, tuple[tuple[int, float], ...]]):
    """Word to (row, weight) of the word or of its parts; a cache, up to a bound."""

    def __init__(self, places: WordTable[int], lengths: Sequence[float], is_english: Callable[[str], bool]) -> None:
        super().__init__()
        self._places, self._is_english = places, is_english
        self._lengths = lengths  # of the first rows, single characters: the weight of each as part of a word

    def __missing__(self, word: str) -> tuple[tuple[int, float], ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = [self._places[part] for part in parts(word, self._places, self._is_english)]
        spread = (
            ((found[0], 1.0),) if self._is_whole(found) else tuple((row, OF_PARTS * self._share(row)) for row in found)
        )
        self[word] = spread
        return spread

    def _is_whole(self, found: Sequence[int]) -> bool:
        return len(found) == 1 and found[0] >= len(self._lengths)

    def _share(self, row: int) -> float:
        return self._lengths[row] if row < len(self._lengths) else OF_A_WORD


def _centred_rows(levels: NDArray[Any], step: float) -> bytes:
    """The unpacked rows of all words, the foreign ones centred."""
    import numpy as np

    (codes,) = arrays("codes")
    rows = _unpacked(codes, np.round(levels / step).astype(np.int8))
    first = len(words(CHINESE))
    _centre(rows[first : first + len(words(FOREIGN))], [word.isascii() for word in words(FOREIGN)])
    return rows.tobytes()


def _centre(rows: NDArray[np.int8], is_ascii: Sequence[bool]) -> None:
    """Subtracts from ASCII words, and from other foreign words, the mean of their kind, which encodes the language, not the meaning.

    Without this any English text is near any English topic: 4,598 articles of an encyclopedia all had cosines of .37 to .46.
    """
    import numpy as np

    for kind in (np.asarray(is_ascii), ~np.asarray(is_ascii)):
        common = np.round(rows[kind].mean(axis=0)).astype(np.int16)
        rows[kind] = np.clip(rows[kind].astype(np.int16) - common, -127, 127)


def unit(vector: Floats) -> Floats:
    """``vector`` scaled to length 1; a zero vector stays zero."""
    import numpy as np

    length = float(np.sqrt(vector @ vector))
    result: Floats = (vector / length if length > 0 else vector).astype(np.float32)
    return result


def _unpacked(packed: NDArray[Any], values: NDArray[np.int8]) -> NDArray[np.int8]:
    """The values of packed 3-bit codes, looked up four at a time."""
    import numpy as np

    codes = np.arange(4096)
    quads = np.stack([values[codes >> shift & 7] for shift in (9, 6, 3, 0)], axis=1).view(np.uint32).ravel()
    first, second, third = (packed.reshape(len(packed), -1, 3)[:, :, i].astype(np.uint16) for i in range(3))
    pairs = np.stack([first << 4 | second >> 4, (second & 15) << 8 | third], axis=2)
    unpacked: NDArray[np.int8] = quads[pairs.reshape(len(packed), -1)].view(np.int8)
    return unpacked


def chinese_parts(word: str, known: Container[str]) -> list[str]:
    """``word`` split from its beginning into the longest known parts, else single characters; never the whole word as one part."""
    parts, start = [], 0
    while start < len(word):
        longest = min(6, len(word) - start, len(word) - 1)
        sizes = (size for size in range(longest, 1, -1) if word[start : start + size] in known)
        size = next(sizes, 1)
        parts.append(word[start : start + size])
        start += size
    return parts


def parts(word: str, known: Container[str], is_english: Callable[[str], bool] = lambda form: True) -> list[str]:
    """[``word``] if known, else its known parts: those of a Chinese word, the stem of an ASCII word; [] when nothing is known."""
    if len(word) > 30 or word in known:
        return [word] if word in known else []
    if is_cjk(word[:1] or " "):
        return [part for part in chinese_parts(word, known) if part in known]
    return _stem(word, known, is_english) if word.isascii() else []


def _stem(word: str, known: Container[str], is_english: Callable[[str], bool]) -> list[str]:
    """The English stem of ``word`` (baking: bake, not bak, which is Turkish), or its singular in any language; [] for neither."""
    english = (form for form in _stems(word, _ENDINGS) if form in known and is_english(form))
    others = (form for form in _stems(word, _PLURALS) if form in known)
    return [*islice(chain(english, others), 1)]


def _stems(word: str, endings: Iterable[tuple[str, str]]) -> list[str]:
    found: list[str] = []
    if word[-1:] not in _LAST:
        return found
    for ending, mended in endings:
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            bare = word[: -len(ending)]
            is_doubled = bare[-1] == bare[-2]  # stepping, killing; then no e was left out
            found += [bare, bare[:-1]] if is_doubled else [bare + mended]
    return found
