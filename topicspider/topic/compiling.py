"""Compiles a topic into the model that judges pages: near words, direction among the word vectors, spellings in URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicspider.text.lexicon import word_vectors
from topicspider.text.normalise import has_cjk, normalise
from topicspider.text.segment import Segmenter
from topicspider.topic.disk_cache import cached, digest
from topicspider.topic.expansion import anchors, near_words, other_directions, part_vectors, query_vector, refined_query
from topicspider.topic.profile import NearWord, TopicModel, TopicProfile
from topicspider.topic.spelling import url_words

if TYPE_CHECKING:
    from topicspider.text.lexicon import Floats, WordVectors

VERSION = 14  # to be raised when the same topic would be compiled differently

LEAST_KNOWN = 1 / 3
"""Least share of a topic's weight on words with vectors; below it there is no direction, which would be a stray word's: of twelve German
words for hiking, only Rucksack is also English."""


def compile_topic(profile: TopicProfile) -> TopicModel:
    """The model of ``profile``; cached on disk by the digests of its sources.

    Words that the topic file lists under ``near`` have the weights given there; those of weight 0 are left out. Raises UnavailableError
    when the installation lacks the word vectors.
    """
    table = word_vectors()
    name = digest([VERSION, profile.digest, table.digest])
    return cached(
        "compiled", name, lambda: _compiled(profile, table, name), _plain, lambda found: _read(found, profile, name)
    )


def _compiled(profile: TopicProfile, table: WordVectors, name: str) -> TopicModel:
    found = anchors(profile.weights, table)
    if sum(anchor.weight for anchor in found) < LEAST_KNOWN * sum(list(profile.weights.values())[:60]):
        found = []
    parts = part_vectors(profile.topic, table)
    near = near_words(profile, found, table, parts)
    given = {normalise(word): weight for word, weight in profile.topic.near.items() if weight}
    expansion = {word: NearWord(weight, "") for word, weight in given.items() if word not in profile.weights} | near
    vector = query_vector(found)
    if vector is not None:
        vector = refined_query(vector, found, expansion, table)
    rounded = _rounded(vector) if vector is not None else ()
    spelt = url_words(profile, found, table)
    others = other_directions(vector, table) if vector is not None else ()
    return TopicModel(profile, expansion, rounded, spelt, name, others, tuple(_rounded(part) for part in parts))


def sketch_topic(profile: TopicProfile) -> TopicModel:
    """A model of the topic's own words and direction alone, without near words: to find those for many topics would take minutes."""
    table = word_vectors()
    vector = query_vector(anchors(profile.weights, table))
    name = digest([VERSION, "sketch", profile.digest, table.digest])
    return TopicModel(profile, vector=_rounded(vector) if vector is not None else (), digest=name)


def protect_words(model: TopicModel, segmenter: Segmenter) -> None:
    """Adds near words that ``segmenter`` would split (新能源: 新, 能源) to it, so that they are found in pages as one word.

    Near words that contain a word of the topic (旅游攻略) are not added: they would hide it from judges that know no near words. Words that
    the segmenter had before, and would now split, are added once more.
    """
    own = model.profile.weights.keys() | model.profile.synonyms.keys()
    apart = [word for word in model.expansion if _is_cut(word, segmenter) and own.isdisjoint(segmenter.cut(word))]
    segmenter.add_words(sorted(apart, key=lambda word: (len(word), word)))
    broken = [word for word in segmenter.own_words if _is_cut(word, segmenter)]
    segmenter.add_words(sorted(broken, key=lambda word: (len(word), word)))


def _is_cut(word: str, segmenter: Segmenter) -> bool:
    return has_cjk(word) and len(segmenter.cut(word)) > 1


def _rounded(vector: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in vector)


def _plain(model: TopicModel) -> dict[str, object]:
    return {
        "expansion": {word: [near.weight, near.of] for word, near in model.expansion.items()},
        "vector": list(model.vector),
        "url_words": dict(model.url_words),
        "others": [list(direction) for direction in model.others],
        "parts": [list(direction) for direction in model.parts],
    }


def _read(found: Any, profile: TopicProfile, name: str) -> TopicModel:
    """The model that ``_plain`` made plain."""
    expansion = {str(word): NearWord(float(weight), str(of)) for word, (weight, of) in found["expansion"].items()}
    others, parts = (tuple(map(_numbers, found[key])) for key in ("others", "parts"))
    spelt = {str(spelling): str(word) for spelling, word in found["url_words"].items()}
    return TopicModel(profile, expansion, _numbers(found["vector"]), spelt, name, others, parts)


def _numbers(found: list[float]) -> tuple[float, ...]:
    return tuple(map(float, found))
