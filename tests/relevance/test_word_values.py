"""A page's words with their numbers: as the mapping had them, in less memory."""

from __future__ import annotations

import sys

from topicspider.relevance.learner.word_values import WordValues

OF_PAGE = {f"茶{place}": place / 7 for place in range(300)} | {"tea": 0.1}


def test_words_and_numbers_are_those_of_the_mapping_in_its_order() -> None:
    assert list(WordValues.of(OF_PAGE).pairs()) == list(OF_PAGE.items())
    assert list(WordValues.of({}).pairs()) == []


def test_they_take_less_than_half_of_the_memory() -> None:
    kept = WordValues.of(OF_PAGE)
    as_mapping = sys.getsizeof(OF_PAGE) + sum(map(sys.getsizeof, OF_PAGE.values()))
    assert 2 * (sys.getsizeof(kept.words) + sys.getsizeof(kept.values)) < as_mapping
