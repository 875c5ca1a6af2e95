"""Meanings of many texts found together: the same as of one, whatever stands beside it."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from topicspider.relevance.learner.text_meanings import TextMeanings

from topicspider.relevance.prior import Meaning
from topicspider.text.vectors import word_vectors

DIRECTION = word_vectors().text_vector(["旅游", "travel", "景点"])
TEXTS: tuple[list[str], ...] = (
    ["古镇", "旅游", "攻略"],
    ["travel", "tips"],
    ["旅游", "guide", "旅游", "旅游"],
    ["xqzv-1"],
    [],
    ["服务器", "内存", "compiler"],
)


@pytest.mark.parametrize("words", TEXTS)
def test_a_text_means_what_it_means_among_pages(words: list[str]) -> None:
    """Chinese, English, mixed, repeated words, none known, none at all."""
    assert DIRECTION is not None
    judge = Meaning(DIRECTION.tolist())
    vector = judge.vector(Counter(words))
    (found,) = TextMeanings(DIRECTION.tolist()).cosines([words])
    if vector is None:
        assert found is None
    else:
        assert found == pytest.approx(judge.cosine(vector), abs=2e-6)


def test_what_stands_beside_a_text_does_not_matter() -> None:
    """Exactly, for a link's value must not depend on the page's other links (R5); also of more texts than are weighed at once."""
    assert DIRECTION is not None
    meanings = TextMeanings(DIRECTION.tolist())
    rng = random.Random(1)
    words = word_vectors().words
    texts = [[rng.choice(words) for _ in range(rng.randrange(20))] for _ in range(600)]
    together = meanings.cosines([*TEXTS, *texts])
    assert together == [meanings.cosines([text])[0] for text in (*TEXTS, *texts)]
    assert together[3] is together[4] is None
    assert sum(cosine is not None for cosine in together) > 500
