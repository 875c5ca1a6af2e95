"""How near many short texts are to a topic by what they mean, found together: one pass over the word vectors for a page's links."""

from __future__ import annotations

from array import array
from collections import Counter
from math import log
from typing import TYPE_CHECKING, NamedTuple

from topicspider.text.background import idfs
from topicspider.text.vectors import word_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_REMEMBERED = 100_000
_AT_ONCE = 256


class _Spread(NamedTuple):
    """A text's words that have a vector: rows, weights, and their sum's product with the direction."""

    rows: list[int]
    weights: list[float]
    towards: float


class TextMeanings:
    """The cosine of texts with the direction of a topic; as ``pages.prior.Meaning`` finds it for one text, but for the last digit.

    A text's cosine does not depend on those that it is found with: sums go word by word.
    """

    def __init__(self, direction: Sequence[float]) -> None:
        import numpy as np

        self._table = word_vectors()
        self._towards = array("f", self._table.products(np.asarray(direction, dtype=np.float32)).tobytes())
        self._places: dict[str, tuple[int, float, float] | None] = {}

    def cosines(self, texts: Sequence[Sequence[str]]) -> list[float | None]:
        """For each text, as words: the cosine, None when none of its words has a vector."""
        spreads = [self._spread(words) for words in texts]
        told = [one for one in spreads if one.rows]
        cosines = (
            cosine
            for start in range(0, len(told), _AT_ONCE)
            for cosine in self._of_some(told[start : start + _AT_ONCE])
        )
        return [next(cosines) if one.rows else None for one in spreads]

    def _of_some(self, texts: Sequence[_Spread]) -> Iterator[float]:
        import numpy as np

        width = max(len(one.rows) for one in texts)
        rows, weights = [], []
        for one in texts:
            rest = width - len(one.rows)
            rows += one.rows
            weights += one.weights
            if rest:
                rows += [0] * rest
                weights += [0.0] * rest
        shape = (len(texts), width)
        lengths = self._table.lengths_of_sums(
            np.array(rows, np.intp).reshape(shape), np.array(weights, np.float32).reshape(shape)
        )
        for one, length in zip(texts, lengths.tolist(), strict=True):
            yield round(one.towards / length, 6) if length > 0.0 else 0.0

    def _spread(self, words: Sequence[str]) -> _Spread:
        """One word that is repeated says more, but not twice as much."""
        known = self._places
        counts = Counter(words) if len(set(words)) < len(words) else None
        rows: list[int] = []
        weights: list[float] = []
        towards = 0.0
        for word in words if counts is None else counts:
            place = known[word] if word in known else self._place(word)
            if place is not None:
                row, weight, towards_it = place
                if counts is not None and counts[word] > 1:
                    weight *= 1.0 + log(counts[word])
                rows.append(row)
                weights.append(weight)
                towards += weight * towards_it
        return _Spread(rows, weights, towards)

    def _place(self, word: str) -> tuple[int, float, float] | None:
        """The row of ``word``, how rare it is, and its product with the direction."""
        rows = self._table.rows([word])
        place = (rows[0], idfs([word])[0], self._towards[rows[0]]) if rows else None
        if len(self._places) < _REMEMBERED:
            self._places[word] = place
        return place
