"""A topic's feature words are learned before the crawl from terms and texts ((a) Li 2002, formula 4), and kept."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from topicspider.text.segment import make_segmenter
from topicspider.topic import learning
from topicspider.topic.disk_cache import cached
from topicspider.topic.learning import FEATURES, learn
from topicspider.topic.loading import known_topics, load_topic
from topicspider.topic.profile import Topic, TopicProfile

TEA = (
    "春天的茶园里，茶农正在采摘绿茶的嫩芽。鲜叶经过杀青、揉捻和干燥，制成龙井茶。",
    "普洱茶经过渥堆发酵，茶汤红浓。品茶的人喜欢用紫砂壶泡茶，讲究水温和茶具。",
    "茶叶按发酵程度分为绿茶、红茶和乌龙茶。泡茶的水温不同，茶汤的滋味也不同，茶园多在山区。",
)


def profile(topic: Topic) -> TopicProfile:
    return learn(topic, make_segmenter())


def test_given_terms_keep_their_proportions_and_learned_words_stand_below() -> None:
    found = profile(Topic("tea", terms={"绿茶": 10, "红茶": 5, "乌龙茶": 2}, texts=TEA))
    assert list(found.weights)[:3] == ["绿茶", "红茶", "乌龙茶"]
    assert [found.weights[word] for word in ("绿茶", "红茶", "乌龙茶")] == [1.0, 0.5, 0.2]
    learned = {word: weight for word, weight in found.weights.items() if word not in ("绿茶", "红茶", "乌龙茶")}
    assert {"泡茶", "茶汤", "茶园"} <= set(learned)
    assert max(learned.values()) < 0.2


@pytest.mark.parametrize(
    ("title", "weights"),
    [
        ({"zh": "旅游"}, {"旅游": 1.0}),
        ({"zh": "新能源汽车"}, {"新能源汽车": 1.0, "新能源": 0.25, "汽车": 0.25}),
        ({"zh": "茶叶", "en": "Tea"}, {"tea": 1.0, "茶叶": 1.0}),
        ({"en": "Renewable energy"}, {"energy": 1.0, "renewable": 1.0}),
    ],
)
def test_a_title_alone_makes_a_topic(title: dict[str, str], weights: dict[str, float]) -> None:
    assert profile(Topic("t", title=title)).weights == weights


def test_terms_are_normalised_and_stay_whole_as_in_pages() -> None:
    segmenter = make_segmenter()
    found = learn(
        Topic("t", terms={"碧螺春茶艺馆": 2, "ＶＲ旅行": 1, "茶葉": 1}, synonyms={"茶葉": ("茗芽尖",)}), segmenter
    )
    assert found.weights == {"碧螺春茶艺馆": 1.0, "vr旅行": 0.5, "茶叶": 0.5}
    assert found.synonyms == {"茗芽尖": "茶叶"}
    assert "碧螺春茶艺馆" in segmenter.words("我去碧螺春茶艺館喝茶")
    assert "vr旅行" in segmenter.words("体验VR旅行")


def test_the_words_of_a_phrase_share_its_weight() -> None:
    assert profile(Topic("t", terms={"green tea": 1, "tea": 0.8})).weights == {"tea": 1.0, "green": 0.625}


def test_a_synonym_is_no_feature_of_its_own() -> None:
    found = profile(Topic("tea", terms={"茶叶": 1}, synonyms={"茶叶": ("泡茶", "绿茶")}, texts=TEA))
    assert found.synonyms == {"泡茶": "茶叶", "绿茶": "茶叶"}
    assert not {"泡茶", "绿茶"} & set(found.weights)


@pytest.mark.parametrize(
    ("language", "term", "text"),
    [
        ("ko", "커피", "커피를 커피는 커피에서"),
        ("ko", "책", "책을 책이"),
        ("ru", "чай", "чая чаем чаи"),
        ("ru", "книга", "книг книгами книги"),
        ("ru", "здание", "зданий здания"),
        ("ru", "новый", "новая новых"),
        ("el", "καφές", "ΚΑΦΕ καφέδες"),
        ("ar", "قهوة", "القهوة والقهوة بالقهوة قهوه"),
        ("ar", "إسبريسو", "الإسبريسو اسبريسو"),
        ("he", "קפה", "הקפה לקפה והקפה"),
        ("hi", "किताब", "किताबें किताबों"),
        ("de", "Spiel", "Spiele Spielen"),
        ("de", "Noten", "Note"),
        ("tr", "kahve", "kahveyi kahvenin kahveler"),
        ("pl", "kawa", "kawę kawy"),
        ("pt", "camarão", "camarões"),
        ("it", "gatto", "gatti"),
    ],
)
def test_cases_particles_and_articles_of_a_term_count_as_it(language: str, term: str, text: str) -> None:
    segmenter = make_segmenter()
    found = learn(Topic("one", terms={term: 1}, languages=(language,)), segmenter)
    (word,) = found.weights
    meant = [found.synonyms.get(form, form) for form in segmenter.words(text)]
    assert meant.count(word) == len(text.split())  # each once


def test_a_long_name_of_one_word_finds_what_is_made_of_it() -> None:
    segmenter = make_segmenter()
    learn(Topic("one", title={"en": "Photographie"}), segmenter)
    assert "photographie" in segmenter.words("le photographe")


def test_other_cases_are_no_words_of_english_and_chinese_topics() -> None:
    found = profile(Topic("one", terms={"tea": 1, "café": 1, "茶叶": 1}, languages=("zh", "en")))
    assert found.synonyms == {"teas": "tea"}


def test_small_words_of_other_languages_are_not_learned_and_short_korean_ones_are() -> None:
    greek = profile(
        Topic("x", texts=("Ο καφές και το νερό είναι για τον καφέ του. Και το γάλα για τον καφέ της.",))
    ).weights
    assert "καφε" in greek
    assert {"και", "για", "τον", "του", "ειναι"}.isdisjoint(greek)
    assert "커피" in profile(Topic("x", texts=("커피 원두 그리고 커피 향",))).weights


def test_a_negative_word_is_never_learned() -> None:
    found = profile(Topic("tea", terms={"茶叶": 1}, negative={"茶汤": 0.5}, texts=TEA))
    assert found.negative == {"茶汤": 0.5}
    assert "茶汤" not in found.weights


@pytest.mark.parametrize("name", known_topics())
def test_shipped_topics_have_at_most_60_features_from_0_to_1(name: str) -> None:
    found = profile(load_topic(name))
    assert 40 <= len(found.weights) <= FEATURES
    assert all(0 < weight <= 1 for weight in found.weights.values())
    assert all(type(weight) is float for weight in found.weights.values())
    assert list(found.weights.values()) == sorted(found.weights.values(), reverse=True)


def test_what_texts_of_other_topics_share_is_not_learned() -> None:
    text = "记者了解到，介绍说，分为，方法，部分。茶汤茶汤茶汤记者记者介绍介绍。"
    found = profile(Topic("tea", texts=(text, text)))
    assert next(iter(found.weights)) == "茶汤"
    assert found.weights["茶汤"] > 2 * found.weights.get("介绍", 0.0)


def test_weights_are_the_published_tf_idf(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain reading of TF-IDF with cosine normalisation, against gensim's."""
    documents = [["茶", "茶", "水"], ["茶", "山"]]
    contrast = [["水", "路"]]
    scores = learning._mean_tfidf(documents, contrast)
    everything = [*documents, *contrast]
    expected: Counter[str] = Counter()
    for words in documents:
        raw = {
            word: (1 + math.log2(count)) * math.log2(1 + len(everything) / sum(word in other for other in everything))
            for word, count in Counter(words).items()
        }
        length = math.sqrt(sum(value * value for value in raw.values()))
        for word, value in raw.items():
            expected[word] += value / length / len(documents)  # type: ignore[assignment]
    assert scores == {word: pytest.approx(value) for word, value in expected.items()}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "topicspider" / "learned"


def cached_weights(source, learn):
    return cached("learned", source, learn, dict, lambda found: {word: float(weight) for word, weight in found.items()})


def learned_again():
    raise AssertionError("learned twice")


def test_the_same_source_is_learned_once():
    assert cached_weights([["旅游", "景点"]], lambda: {"旅游": 0.5}) == {"旅游": 0.5}
    assert cached_weights([["旅游", "景点"]], learned_again) == {"旅游": 0.5}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"a": "b"}', b"\xff\xfe"])
def test_a_broken_file_is_learned_anew_and_mended(cache, content):
    cached_weights([], lambda: {"a": 1.0})
    (path,) = cache.iterdir()
    path.write_bytes(content)
    assert cached_weights([], lambda: {"a": 2.0}) == {"a": 2.0}
    assert cached_weights([], learned_again) == {"a": 2.0}


def test_no_place_to_write_only_costs_time(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert cached_weights([], lambda: {"a": 1.0}) == {"a": 1.0}
