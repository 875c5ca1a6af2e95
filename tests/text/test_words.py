"""Words: how rare they are, how they are spelt in addresses, and where they stand in a text."""

from __future__ import annotations

import pytest

from topicspider.errors import UnavailableError
from topicspider.text.lexicon import idf, is_content_word
from topicspider.text.packages import package_file
from topicspider.text.pinyin import spellings


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
    ("word", "tells"),
    [("茶叶", True), ("采茶", True), ("叶利钦", False), ("旅顺口", False), ("非常", False), ("robot", True)],
)
def test_the_class_of_a_word(word, tells):
    assert is_content_word(word) is tells


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("旅游", "lvyou"),
        ("旅遊", "lvyou"),
        ("美食", "meishi"),
        ("银行", "yinhang"),
        ("重庆", "chongqing"),
        ("长城", "changcheng"),
        ("5g网络", "5gwangluo"),
        ("K歌房", "kgefang"),
        ("新能源汽车", "xinnengyuanqiche"),
    ],
)
def test_the_usual_spelling_comes_first(word, first):
    assert spellings(word)[0] == first


def test_u_umlaut_is_spelt_in_three_ways():
    assert spellings("旅游") == ("lvyou", "luyou", "lyuyou")
    assert spellings("战略") == ("zhanlve", "zhanlue", "zhanlyue")


def test_a_phrase_tells_how_a_character_is_read_and_without_one_both_ways_count():
    assert spellings("银行") == ("yinhang",)
    assert set(spellings("贺长岭")) == {"hechangling", "hezhangling"}


def test_initials_only_where_they_are_long_and_no_word():
    assert "xnyqc" in spellings("新能源汽车")
    assert all(len(spelt) > 4 for spelt in spellings("旅游"))
    assert "zgrm" in spellings("中国人民")
    assert "agry" not in spellings("安国人员")


@pytest.mark.parametrize("word", ["", "茶", "travel", "москва", "旅游!", "人" * 13, "🏖海滩"])
def test_what_says_nothing_in_an_address_has_no_spelling(word):
    assert spellings(word) == ()
