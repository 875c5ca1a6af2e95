"""The words of pages as columns: those of enough pages and not of too many, and the labelled ones."""

from __future__ import annotations

import numpy as np
from topicspider.relevance.learner.word_columns import WordColumns
from topicspider.relevance.learner.word_values import WordValues

PAGES = [
    WordValues.of(page)
    for page in ({"旅游": 0.5, "the": 0.1}, {"旅游": 0.25, "hotel": 1.0, "the": 0.1}, {"the": 0.1, "酒店": 2.0})
]


def test_words_of_too_few_and_too_many_pages_are_left_out() -> None:
    words, examples = WordColumns.of(PAGES, set(), 2, 2.5)
    assert words == ["旅游"]
    assert examples.matrix.toarray().tolist() == [[0.5], [0.25], [0.0]]


def test_labelled_words_are_in_though_they_are_rare() -> None:
    words, examples = WordColumns.of(PAGES, {"酒店", "the"}, 2, 2.5)
    assert words == ["旅游", "酒店"]
    assert examples.times(np.array([2.0, 1.0])).tolist() == [1.0, 0.5, 2.0]


def test_pages_without_words_have_rows_and_no_columns() -> None:
    words, examples = WordColumns.of([WordValues.of({}), WordValues.of({})], set(), 1, 9)
    assert words == []
    assert examples.matrix.shape == (2, 0)


def test_the_heaviest_are_named_with_those_of_no_weight_left_out() -> None:
    columns = WordColumns.of(PAGES, set(), 1, 9)
    assert columns.words == ["旅游", "the", "hotel", "酒店"]
    assert columns.heaviest(np.array([0.1, -3.0, 0.00001, 2.0]), 3) == {"the": -3.0, "旅游": 0.1, "酒店": 2.0}
