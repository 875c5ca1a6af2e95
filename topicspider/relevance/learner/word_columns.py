"""Turns the words of pages into the rows and columns of a regression: one pass over the words, the rest in arrays."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topicspider.relevance.learner.logistic import Examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topicspider.relevance.learner.word_values import WordValues


class WordColumns(NamedTuple):
    """``words``: what each column of ``examples`` stands for, in the order in which pages have them."""

    words: list[str]
    examples: Examples

    @classmethod
    def of(cls, pages: Sequence[WordValues], wanted: set[str], least_pages: int, most_pages: float) -> WordColumns:
        """The words of ``least_pages`` to ``most_pages``, and of fewer those that are ``wanted``."""
        from scipy.sparse import csr_matrix

        places: dict[str, int] = {}
        columns = np.fromiter(
            (places.setdefault(word, len(places)) for page in pages for word in page.words), dtype=np.int32
        )
        numbers = np.fromiter(chain.from_iterable(page.values for page in pages), dtype=np.float64)
        counts = np.bincount(columns, minlength=len(places))
        enough = counts >= least_pages
        enough[[places[word] for word in wanted]] = True
        kept = enough & (counts <= most_pages)
        chosen = kept[columns]
        ends = np.cumsum([0, *(len(page.words) for page in pages)])
        new_ends = np.concatenate(([0], np.cumsum(chosen)))[ends]
        renumbered = (np.cumsum(kept) - 1).astype(np.int32)
        matrix = csr_matrix(
            (numbers[chosen], renumbered[columns[chosen]], new_ends), shape=(len(pages), int(kept.sum()))
        )
        return cls([word for word, is_kept in zip(places, kept.tolist(), strict=True) if is_kept], Examples(matrix))

    def heaviest(self, weights: NDArray[np.float64], most: int) -> dict[str, float]:
        """Words to weights, rounded, those of 0 left out; in the order of the alphabet."""
        rounded = np.round(weights, 4)
        order = np.argsort(-np.abs(rounded), kind="stable")[:most]
        return dict(sorted((self.words[n], float(rounded[n])) for n in order.tolist() if rounded[n]))
