"""The shipped word vectors: words of one meaning lie together, in every language, in every process."""

from __future__ import annotations

from itertools import pairwise

import pytest

from topicspider.errors import UnavailableError
from topicspider.text import vocabulary
from topicspider.text.lexicon import word_vectors


def cosine(a, b):
    table = word_vectors()
    return float(table.vector(a) @ table.vector(b))


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("旅游", "旅行", "股票"),
        ("足球", "篮球", "蔬菜"),
        ("museum", "museums", "engine"),
        ("recipe", "cooking", "parliament"),
        ("旅游", "travel", "engine"),
        ("足球", "football", "kitchen"),
        ("stock", "股票", "登山"),
        ("考古", "archaeology", "basketball"),
        ("hotel", "酒店", "大米"),
    ],
)
def test_words_of_one_meaning_lie_together_whatever_their_language(word, near, far):
    assert cosine(word, near) > 0.4
    assert cosine(word, near) > cosine(word, far) + 0.3


@pytest.mark.parametrize("word", ["旅游", "红石峡谷漂流", "travel", "hotels", "россии", "fútbol"])
def test_vectors_have_length_one(word):
    vector = word_vectors().vector(word)
    assert vector.shape == (word_vectors().dimension,)
    assert float(vector @ vector) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("unknown", "part"),
    [
        ("观光巴士", "巴士"),
        ("茶叶博物馆", "博物馆"),
        ("museumed", "museum"),
        ("baking", "bake"),
        ("shoes", "shoe"),
        ("stepping", "step"),
    ],
)
def test_a_word_that_the_table_lacks_is_known_by_its_parts(unknown, part):
    assert unknown not in word_vectors()
    assert cosine(unknown, part) > 0.5


@pytest.mark.parametrize("word", ["", "xqzvw", "2011", "🏖", "zz" * 40])
def test_what_is_no_word_has_no_vector(word):
    assert word_vectors().vector(word) is None
    assert word_vectors().text_vector([word]) is None


def test_a_text_lies_where_its_words_do_whatever_the_language():
    table = word_vectors()
    chinese = table.text_vector(["景区", "门票", "酒店", "导游"])
    english = table.text_vector(["tourist", "tickets", "hotel", "guide"])
    mixed = table.text_vector(["景区", "tickets", "酒店", "guide"])
    other = table.text_vector(["央行", "利率", "股市", "基金"])
    assert float(chinese @ english) > float(chinese @ other) + 0.3
    assert float(mixed @ other) < float(mixed @ chinese) > 0.7


def test_english_words_share_no_direction_that_says_only_that_they_are_english():
    table = word_vectors()
    topic = table.text_vector(["travel", "tourism", "hotel", "scenic"])
    elsewhere = [
        "roman", "emperor", "ruled", "province", "senate", "army", "born", "died", "war", "city", "law", "history", "century", "later", "became", "son",
    ]  # fmt: skip
    assert float(table.text_vector(elsewhere) @ topic) < 0.2
    assert float(table.text_vector(["tourist", "beach", "resort", "itinerary"]) @ topic) > 0.5


def test_english_names_are_looked_up_but_are_no_topics_near_words():
    table = word_vectors()
    assert cosine("tchaikovsky", "symphony") > cosine("tchaikovsky", "football") + 0.3
    assert cosine("ronaldo", "世界杯") > 0.4
    assert "ronaldo" not in dict(table.nearest(table.vector("ronaldo"), 20))
    assert "chongqing" not in table  # in addresses it is 重庆


def test_nearest_words_come_nearest_first_and_only_from_those_allowed():
    table = word_vectors()
    near = table.nearest(table.vector("旅游"), 20)
    assert near[0] == ("旅游", 1.0)
    assert all(first[1] >= second[1] for first, second in pairwise(near))
    assert "旅行" in dict(near)
    allowed = table.nearest(table.vector("旅游"), 5, ["股票", "旅行", "nonword"])
    assert [word for word, _ in allowed] == ["旅行", "股票"]


def test_a_missing_file_is_one_clear_line(monkeypatch):
    monkeypatch.setattr(vocabulary, "FILE", "gone.npz")
    with pytest.raises(UnavailableError, match=r"the word vectors: .*gone\.npz is missing\."):
        vocabulary.arrays("codes")
