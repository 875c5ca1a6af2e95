"""How Chinese words are spelt in addresses."""

from __future__ import annotations

import pytest

from topicspider.text.pinyin import spellings


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
