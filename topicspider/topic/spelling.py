"""How a topic's words are spelt otherwise: in addresses, as a plural, as a phrase of several words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from topicspider.text.normalise import has_cjk
from topicspider.text.pinyin import spellings
from topicspider.text.stopwords import STOP_WORDS
from topicspider.text.vocabulary import english

if TYPE_CHECKING:
    from topicspider.text.lexicon import WordVectors
    from topicspider.topic.expansion import Anchor
    from topicspider.topic.profile import TopicProfile

# cha, lv: shorter spellings stand in addresses for anything
_LEAST_LATIN = 3
_SIBILANT = re.compile("(?:s|x|z|ch|sh)$")


def url_words(profile: TopicProfile, found: Iterable[Anchor], table: WordVectors) -> dict[str, str]:
    """Spelling in addresses to the feature word: pinyin and English words of the same meaning; the heaviest word wins."""
    result: dict[str, str] = {}
    for word in [*profile.weights, *profile.synonyms]:
        for spelling in spellings(word):
            if len(spelling) >= 4 and spelling not in profile.weights:
                result.setdefault(spelling, profile.synonyms.get(word, word))
    spoken = [
        word
        for word in table.words
        if word in english() and word.isalpha() and len(word) >= _LEAST_LATIN and word not in STOP_WORDS
    ]
    # Chinese sites name their sections in English too: by words that are near to one of the heaviest feature words (travel to 旅游)
    chinese = [anchor for anchor in found if has_cjk(anchor.word)][:10]
    for anchor in chinese:
        for word, cosine in table.nearest(anchor.vector, 6, spoken):
            if cosine >= 0.55 and word not in profile.weights and word not in profile.negative:
                result.setdefault(word, anchor.word)
    return result


def other_number(word: str) -> list[str]:
    """Plurals of an English word, or its singular (car, cars); a form that is no word is never met."""
    if not (word.isascii() and word.isalpha()) or len(word) < _LEAST_LATIN:
        return []
    if word.endswith("ies"):
        return [f"{word[:-3]}y"]
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return [word[:-2], word[:-1]]
    if word.endswith("s"):
        return [] if word.endswith(("ss", "us", "is")) or len(word) <= _LEAST_LATIN else [word[:-1]]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [f"{word[:-1]}ies"]
    return [f"{word}es" if _SIBILANT.search(word) else f"{word}s"]
