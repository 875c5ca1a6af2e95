"""Relates a topic to the word vectors: its direction, the words near its feature words, the parts of its name, other topics' directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from topicspider.text.lexicon import chinese_parts, idf, is_content_word, parts, unit
from topicspider.text.normalise import has_cjk, normalise
from topicspider.text.stopwords import STOP_WORDS
from topicspider.text.vocabulary import english
from topicspider.topic.loading import shipped_topics
from topicspider.topic.profile import NearWord, Topic, TopicProfile

if TYPE_CHECKING:
    from topicspider.text.lexicon import Floats, WordVectors


Script = Literal["zh", "en", "other"]
# Weight of a near word at cosine 1, relative to the feature word's; SHARE_OF_FEW with at most FEW feature words. Mean AP of title labels
# changed by less than .003 between .5 and 1, or with the square; from names alone the learned scorer's F1 rose from .31 to .33
SHARE, SHARE_OF_FEW = 0.5, 1.0
# Least cosine of a near word: 1 in 100 pairs of unrelated words exceeds it. Lower for a name alone, of which little else is known
FLOOR, FLOOR_OF_NAME = 0.3, 0.2
FEW = 3
# A word belongs to a name's field when 2·cos(word, name) minus its mean cosine with its NEIGHBOURS nearest words is at least OF_ITS_FIELD
NEIGHBOURS, OF_ITS_FIELD = 10, 0.25


@dataclass(frozen=True, slots=True)
class Anchor:
    """A feature word with its weight and its vector."""

    word: str
    weight: float
    vector: Floats


def anchors(weights: Mapping[str, float], table: WordVectors) -> list[Anchor]:
    """Those of the first 60 words that have a vector; for a word that the table lacks, the mean vector of the known words in it."""
    vectors = ((word, weight, word_vector(word, table)) for word, weight in list(weights.items())[:60])
    return [Anchor(word, weight, vector) for word, weight, vector in vectors if vector is not None]


def query_vector(found: list[Anchor]) -> Floats | None:
    """The topic's direction: the weighted mean of its feature words' vectors, of length 1; None when none has a vector."""
    if not found:
        return None
    first, *others = (anchor.vector * anchor.weight for anchor in found)
    return unit(sum(others, first))


def refined_query(query: Floats, found: list[Anchor], near: Mapping[str, NearWord], table: WordVectors) -> Floats:
    """``query``; with at most FEW feature words, moved towards their near words, as a word's vector also reflects its spelling."""
    if len(found) > FEW:
        return query
    around = table.text_vector(list(near), [word.weight for word in near.values()])
    # near words count twice: with .5, 1, 2 and 4 times mean AP from six names was .54, .54, .55 and .55
    return query if around is None else unit(query + 2.0 * around)


def word_vector(word: str, table: WordVectors) -> Floats | None:
    """The word's vector, or the mean vector of the longest known words in it (电动汽车: 电动, 汽车); None when nothing is known.

    Single characters between words are left out (新 of 新能源). An ASCII word must be English or have an English stem (baking: bake). Words
    of other alphabets are not split: one or two letters of футбол may be words themselves, but do not tell its meaning.
    """
    if word.isascii() and not any(map(table.is_english, parts(word, table, table.is_english))):
        return None
    is_whole = word in table or not has_cjk(word)
    pieces = [] if is_whole else [piece for piece in chinese_parts(word, table) if len(piece) > 1]
    return table.text_vector(pieces) if pieces else table.vector(word)


def near_words(
    profile: TopicProfile, found: list[Anchor], table: WordVectors, parts: Sequence[Floats] = ()
) -> dict[str, NearWord]:
    """Words near the feature words ``found``, the heaviest first, without words that the topic has or removed, stop words and names.

    ``parts``: the vectors of the parts of a name alone; the words must be near each of them, too.
    """
    query = query_vector(found)
    if query is None:
        return {}
    near = _Likeness(profile, found, query, table, parts)
    given = profile.topic.near
    # for a name alone, near words are most of what is known
    count = max(60, 150 - 8 * len(profile.weights)) - sum(map(bool, given.values()))
    taken = {*profile.weights, *profile.synonyms, *profile.negative, *map(normalise, given)}
    result: dict[str, NearWord] = {}
    for script, share in _shares(profile, found).items():
        ranked = near.ranked(script, taken, max(0, round(share * count)))
        result |= {word: NearWord(*near.weight(word)) for word in ranked}
    return dict(sorted(result.items(), key=lambda item: (-item[1].weight, item[0])))


class _Likeness:
    """Tells how near each word of the table is to a topic."""

    def __init__(
        self, profile: TopicProfile, found: list[Anchor], query: Floats, table: WordVectors, parts: Sequence[Floats]
    ) -> None:
        self._found = found
        self._table = table
        self._share = SHARE_OF_FEW if len(profile.weights) <= FEW else SHARE
        is_name = is_name_alone(profile.topic)
        wanted = [*(anchor.vector for anchor in found), *parts]
        self._wants_all = is_name and len(wanted) > 1
        self._floor = FLOOR_OF_NAME if is_name else FLOOR
        name = normalise(next(iter(profile.topic.title.values()), ""))
        self._name = table.vector(name) if is_name and has_cjk(name) and name in table else None
        self._cosines = _nearness_to_all(wanted, table) if self._wants_all else table.likeness(query)

    def ranked(self, script: Script, taken: set[str], count: int) -> list[str]:
        """Up to ``count`` words of ``script``, the most certain first."""
        import numpy as np

        order = np.argsort(-self._cosines, kind="stable")
        some: list[tuple[float, str]] = []
        for row in order.tolist():
            word, cosine = self._table.words[row], round(float(self._cosines[row]), 6)
            if cosine < self._floor or len(some) >= 6 * count:
                break
            if script_of(word) == script and word not in taken and _may_be_near(word):
                some.append((round(self._sureness(word, cosine), 6), word))
        some.sort(key=lambda pair: (-pair[0], pair[1]))
        words = [word for _sureness, word in some[:count]]
        return words if self._name is None or script != "zh" else self._of_the_field(words, self._name)

    def _of_the_field(self, words: list[str], name: Floats) -> list[str]:
        """``words`` without those near ``name`` only by spelling or in a neighbouring field (脑门 and 占卜 for 量子计算).

        By CSLS (Conneau et al. 2018): a word that has nearer neighbours belongs to them. Not for English words, whose neighbours are their
        own forms.
        """
        table, rows = self._table, self._table.rows(words)
        among = [row for row, word in enumerate(table.words) if len(word) > 1 and has_cjk(word)]
        surplus = 2 * table.likeness(name)[rows] - table.crowding(rows, among, NEIGHBOURS)
        return [word for word, is_own in zip(words, surplus >= OF_ITS_FIELD, strict=True) if is_own]

    def weight(self, word: str) -> tuple[float, str]:
        """(weight of a near word, the feature word with the largest cosine times weight)."""
        vector = self._table.vector(word)
        assert vector is not None
        likeness = [(round(float(anchor.vector @ vector), 6), anchor) for anchor in self._found]
        cosine, nearest = max(likeness, key=lambda pair: (pair[0] * pair[1].weight, pair[1].word))
        if self._wants_all:
            return round(max(self._share * float(self._cosines[self._table.rows([word])[0]]), 0.001), 3), nearest.word
        return round(max(self._share * cosine * nearest.weight, 0.001), 3), nearest.word

    def _sureness(self, word: str, cosine: float) -> float:
        shares_characters = has_cjk(word) and any(
            anchor.word not in word and set(anchor.word) & set(word) for anchor in self._found
        )
        # shared characters alone make words near: 茶几 (a table), 茶叶 (tea). Mean AP from 17 names: .762 with 0, .779 with .2, .785 with .24
        return cosine - 0.24 * shares_characters


def script_of(word: str) -> Script:
    """The class of a word: zh with Chinese characters, en for an English word, else other."""
    if has_cjk(word):
        return "zh"
    return "en" if word in english() else "other"


def _nearness_to_all(vectors: Sequence[Floats], table: WordVectors) -> Floats:
    """For every word, the geometric mean of its cosines with all ``vectors`` (a name and its parts).

    So a word must be near all parts: petrol cars are near only one half of 新能源汽车 (new energy vehicle).
    """
    import numpy as np

    logs = [np.log(np.maximum(table.likeness(vector), 0.01)) for vector in vectors]
    result: Floats = np.exp(sum(logs) / len(logs)).astype(np.float32)
    return result


def _shares(profile: TopicProfile, found: list[Anchor]) -> dict[Script, float]:
    """The share of near words for each script: that of the feature words' weight, and some for a language that only the topic names."""
    totals: dict[Script, float] = {}
    for anchor in found:
        script = "en" if anchor.word.isascii() else script_of(anchor.word)  # see word_vector
        totals[script] = totals.get(script, 0.0) + anchor.weight
    whole = sum(totals.values())
    shares: dict[Script, float] = {script: total / whole for script, total in totals.items()}
    scripts: tuple[Script, ...] = ("zh", "en")
    for script in scripts:
        if script in profile.topic.languages and script not in shares:
            # a language that the topic names, but that has no feature word, gets a quarter
            shares = {other: share * 0.75 for other, share in shares.items()}
            shares[script] = 0.25
    return shares


def _may_be_near(word: str) -> bool:
    shortest = 2 if has_cjk(word) else 3
    is_word = (
        len(word) >= shortest and word not in STOP_WORDS and not any(char.isdigit() or char == " " for char in word)
    )
    return is_word and is_content_word(word)


def is_name_alone(topic: Topic) -> bool:
    """Whether the topic has only a title, no terms and no texts."""
    return not topic.terms and not topic.texts


def part_vectors(topic: Topic, table: WordVectors) -> list[Floats]:
    """The vectors of the parts of a name alone.

    [] for a topic with terms or texts, for a name of one word, and for a name that means something else than its parts. Of titles in
    several languages only the first is split: the others mean the same.
    """
    if not is_name_alone(topic):
        return []
    name = normalise(next(iter(topic.title.values()), ""))
    # a more common part says little about the topic (行业, 技术, 发展): pages need not be near it
    words = [word for word in _words(name, table) if idf(word) >= 5.0]
    vectors = [vector for word in words if (vector := table.vector(word)) is not None]
    if len(vectors) < 2:
        return []
    together = unit(sum(vectors[1:], vectors[0]))
    whole = table.vector(name) if name in table else together
    # at this cosine or more, the name means what its parts mean together: 新能源汽车 .88, 人工智能 .78; not 互联网 .53, 社会主义 .47
    return vectors if whole is not None and float(whole @ together) >= 0.6 else []


def _words(name: str, table: WordVectors) -> list[str]:
    """The words that ``name`` consists of; [] when one piece is no word (互联网: 互联, 网)."""
    words: list[str] = []
    for piece in name.split():
        words += chinese_parts(piece, table) if has_cjk(piece) else [piece]
    return words if all(_is_word(word, table) for word in words) else []


def _is_word(word: str, table: WordVectors) -> bool:
    return word in table and (len(word) > 1 if has_cjk(word) else word in english())


SAME = 0.6
"""At this cosine, another topic is taken for the topic itself or part of it; the twelve shipped topics have at most .31 with each other."""


def other_directions(own: Floats, table: WordVectors) -> tuple[tuple[float, ...], ...]:
    """The directions of the shipped topics, except those at cosine SAME to ``own``, each minus its projection on ``own``.

    Only the terms of their files are used: with their sample texts, too, each direction would keep a cosine of at least .997.
    """
    others = []
    for topic in shipped_topics():
        direction = query_vector(anchors({normalise(term): weight for term, weight in topic.terms.items()}, table))
        common = 1.0 if direction is None else float(direction @ own)
        if direction is not None and common < SAME:
            others.append(tuple(round(float(number), 4) for number in direction - common * own))
    return tuple(others)
