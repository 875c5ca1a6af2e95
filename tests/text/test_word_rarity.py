"""How rare words are, and the data of packages."""

from __future__ import annotations

import pytest

from topicspider.errors import UnavailableError
from topicspider.text import word_rarity
from topicspider.text.packages import package_file
from topicspider.text.word_rarity import idf, is_content_word, word_class


def test_frequent_words_weigh_less_than_rare_ones():
    assert 0 < idf("的") < idf("中国") < idf("旅游") < idf("门票") < idf("云台山")


def test_an_unknown_word_weighs_as_the_median_word():
    lines = package_file("jieba", "jieba/analyse/idf.txt").splitlines()
    values = sorted(float(line.split()[1]) for line in lines)
    assert idf("红石峡谷漂流") == values[len(values) // 2]
    assert idf("москва") == idf("红石峡谷漂流")


@pytest.mark.parametrize(("frequent", "rare"), [("news", "hotel"), ("hotel", "archaeology"), ("home", "guesthouse")])
def test_english_words_weigh_by_their_frequency(frequent, rare):
    assert 2 < idf(frequent) < idf(rare)


def test_without_the_file_of_words_english_ones_weigh_by_their_length(monkeypatch):
    def missing():
        raise UnavailableError("the word vectors", "are missing")

    monkeypatch.setattr(word_rarity, "rarities", missing)
    word_rarity._table.cache_clear()
    try:
        assert idf("tour") < idf("travel") < idf("sightseeing")
    finally:
        word_rarity._table.cache_clear()


@pytest.mark.parametrize(
    ("package", "path", "message"),
    [
        ("no-such-package", "x", "the package no-such-package: is not installed"),
        ("jieba", "jieba/no.txt", "the package jieba: has no jieba/no.txt"),
    ],
)
def test_a_missing_package_or_file_is_one_clear_line(package, path, message):
    with pytest.raises(UnavailableError, match=message):
        package_file(package, path)


@pytest.mark.parametrize(
    ("word", "tag", "tells"),
    [
        ("茶叶", "n", True),
        ("采茶", "v", True),
        ("叶利钦", "nr", False),
        ("旅顺口", "ns", False),
        ("非常", "d", False),
        ("robot", "", True),
    ],
)
def test_the_class_of_a_word(word, tag, tells):
    assert word_class(word).startswith(tag)
    assert is_content_word(word) is tells
