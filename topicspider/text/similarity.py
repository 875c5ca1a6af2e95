"""Similarity of two words in meaning: M(url) of the link relevance RW in (a) Li 2002, formula 1.

The paper's grades: synonyms 100 %, near words 50-100 %, distant words 0-50 %. Here it is the largest value over all
pairs of senses in the thesaurus 同义词词林 (Cilin):

======  ==============================================  =====================
value   the senses share                                example
======  ==============================================  =====================
1.0     the word, a topic synonym, a group of synonyms  旅游, 游览 (Hj48B01=)
0.9     a group of words of one kind                    足球, 篮球 (Bp12B06#)
0.8     the 词群, one level above the group             酒店, 宾馆 (Dm04A)
0.8     a synonym made with 者, and the 大类            旅游, 旅行 (旅游者 = 旅行者)
0.6     the 小类                                        医生, 护士 (Ae15)
0.3     the 中类: distant                               旅游, 吃饭 (Hj)
0.1     the 大类: distant                               旅游, 开会 (H)
0.0     nothing, or one is not in the tree              旅游, 苹果
======  ==============================================  =====================

Two persons of one 中类, or two places of one 小类, are merely the same kind of thing: 0.2. A 度假村 (resort) is no more similar to 成都
(a city) than to any other place.

The row with 者 (a person who does it) closes a gap of the tree, which has 旅游 under amusements and 旅行 under traffic: when the persons
who do two things are synonyms, the things are near.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from topicspider.text.packages import package_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# (length of the common prefix of two codes, its value)
_PREFIXES = ((5, 0.8), (4, 0.6), (2, 0.3), (1, 0.1))
_SAME_KIND = 0.2
# Persons (大类), settlements (小类), countries and regions (中类): up to this length a common prefix is worth only _SAME_KIND
_KINDS = (("A", 2), ("Cb25", 4), ("Di", 4))
_GROUPS = {"=": 1.0, "#": 0.9}


class WordSimilarity:
    """Word similarity for one topic: ``synonyms`` maps a word to the topic word it stands for.

    Words are normalised (see text.normalise). Values are symmetric and in [0, 1].
    """

    def __init__(self, synonyms: Mapping[str, str] | None = None) -> None:
        self._synonyms = dict(synonyms or {})
        self._keys = lru_cache(maxsize=2_000)(self._keys_of)
        self._targets = lru_cache(maxsize=16)(self._target_of)
        self._best = lru_cache(maxsize=20_000)(self._best_of)

    def similarity(self, a: str, b: str) -> float:
        """The similarity of two words, by the table above."""
        keys = self._keys(b)
        return max((value for key, value in self._keys(a).items() if key in keys), default=0.0)

    def best_match(self, word: str, topic_words: Sequence[str]) -> float:
        """The largest similarity of ``word`` to any of ``topic_words``; 0 when there are none."""
        return self._best(word, topic_words if isinstance(topic_words, tuple) else tuple(topic_words))

    def _best_of(self, word: str, topic_words: tuple[str, ...]) -> float:
        target = self._targets(topic_words)
        return max((value for key, value in self._keys(word).items() if key in target), default=0.0)

    def _target_of(self, topic_words: tuple[str, ...]) -> frozenset[str]:
        return frozenset(key for word in topic_words for key in self._keys(word))

    def _keys_of(self, word: str) -> dict[str, float]:
        """Everything that ``word`` can share with another word, to the value if it does."""
        meant = self._synonyms.get(word, word)
        keys = {f"={meant}": 1.0}
        for spelling in dict.fromkeys((word, meant)):
            codes = senses(spelling)
            for code in codes:
                kind = max((most for start, most in _KINDS if code.startswith(start)), default=0)
                keys.update(
                    (code[:length], min(value, _SAME_KIND) if length <= kind else value) for length, value in _PREFIXES
                )
                if code[-1] in _GROUPS:
                    keys[code] = _GROUPS[code[-1]]
            keys.update((f"{code[0]}/{group}", 0.8) for code in codes for group in agent_groups(spelling))
        return keys


_AGENT = "者"


def senses(word: str) -> tuple[str, ...]:
    """The codes of ``word``, one per sense; () when the tree does not contain it.

    A code such as ``Hj48B01=`` holds five levels: 大类 H, 中类 j, 小类 48, 词群 B, atom group 01; the mark
    says whether the words of the group are synonyms (=), of one kind (#), or one word alone (@).
    """
    return _tree()[0].get(word, ())


def agent_groups(word: str) -> tuple[str, ...]:
    """The codes of the synonym groups that contain ``word`` + 者: 旅游者 and 旅行者 are both in ``Ag10A03=``."""
    return _tree()[1].get(word, ())


@lru_cache(maxsize=1)
def _tree() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    groups = list(_groups(json.loads(package_file("cilin", "data/cilin_tree.json"))))
    codes: dict[str, tuple[str, ...]] = {}
    for code, words in groups:
        for word in words:
            codes[word] = (*codes.get(word, ()), code)
    agents: dict[str, tuple[str, ...]] = {}
    for code, words in groups:
        for word in words:
            if code.endswith("=") and len(word) > 2 and word.endswith(_AGENT) and word[:-1] in codes:
                agents[word[:-1]] = (*agents.get(word[:-1], ()), code)
    return codes, agents


def _groups(level: Mapping[str, Any], code: str = "") -> Iterator[tuple[str, list[str]]]:
    for key, branch in level.items():
        if isinstance(branch, list):
            yield code + key, branch
        else:
            yield from _groups(branch["sub"], code + key)
