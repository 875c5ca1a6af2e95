"""Scores a text by many topics at once: one product of matrices says how near it is to each, by its words and by its meaning.

The exact judge costs as much for each of several hundred topics. This one finds the few that stand out, and names the class of a text by

    score = nearness + WORDS · words - COMMON · rarity

nearness: (cosine - mean) / spread · mean spread of all topics. The cosine is that of text and topic direction (terms and texts in equal
parts); mean and spread are those of the other topics' cosines with that direction: else a topic near to everything would be the class of
everything. words: Σ weight · idf / 10 of the topic's terms in the title, plus log(1 + that of the body). rarity: the mean idf of the
topic's terms: of two topics equally near to a text, the one with commoner words is met more often.
"""

from __future__ import annotations

from collections import Counter
from math import log, log1p
from typing import TYPE_CHECKING, NamedTuple

from topicspider.text.lexicon import idfs, unit, word_vectors
from topicspider.topic.expansion import word_vector
from topicspider.topic.learning import shared_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from topicspider.relevance.interfaces import PageWords
    from topicspider.text.segment import Segmenter
    from topicspider.topic.profile import Topic

    Floats = NDArray[np.float32]

# Chosen on labelled titles, none held out, and on terms that should lead to their class. WORDS from .15 to .8 changes the share of right
# classes by .005, but below .6 fewer terms alone lead to their class; COMMON from .02 to .04 changes it by .003
WORDS, COMMON = 0.6, 0.03
SHARPNESS = 12.0
"""Chances are the softmax of the scores times this. Calibration on titles whose label allows several classes: the best class is right as
often as its chance around .5, more often below, less often above."""
WORDS_READ = 300
"""Words of a body read for its meaning: enough to find topics that stand out, at three quarters of the cost of the exact judge's 400."""
_REMEMBERED = 50_000  # words, 20 MB
_UNIT = 10.0  # a word of weight 1 and idf 10 is one unit, as in page_prior


class TopicChance(NamedTuple):
    """One topic of a matrix: its number there, its chance in [0, 1], and the parts of its score by name."""

    place: int
    chance: float
    parts: Mapping[str, float]


class TopicMatrix:
    """Many topics, scored together. Adds their terms to ``segmenter``, so that texts are cut into the same words."""

    def __init__(self, topics: Sequence[Topic], segmenter: Segmenter) -> None:
        import numpy as np

        segmenter.add_words([term for topic in topics for term in topic.terms])
        self.segmenter = segmenter
        weights = [_term_words(topic, segmenter) for topic in topics]
        self._rows = {word: row for row, word in enumerate(sorted({word for found in weights for word in found}))}
        self._words: Floats = np.zeros((len(self._rows), len(topics)), dtype=np.float32)
        self._rarity: Floats = np.zeros(len(topics), dtype=np.float32)
        for place, found in enumerate(weights):
            rarity = idfs(found)
            for word, idf in zip(found, rarity, strict=True):
                self._words[self._rows[word], place] = found[word] * idf / _UNIT
            total = sum(found.values()) or 1.0
            mean = sum(found[word] * idf for word, idf in zip(found, rarity, strict=True)) / total
            self._rarity[place] = -COMMON * mean
        directions = [_direction(topic, found, segmenter) for topic, found in zip(topics, weights, strict=True)]
        self._directions, self._usual = _by_spread(np.asarray(directions, dtype=np.float32))
        self._known = _Spreads()

    def scores(self, words: PageWords) -> Floats:
        """The score of each topic; only their order and their differences mean something."""
        by_meaning, by_words = self._measures(words)
        result: Floats = by_meaning + WORDS * by_words + self._rarity
        return result

    def chances(self, words: PageWords) -> Floats:
        """How likely each topic is the one that the text is about; they sum to 1."""
        import numpy as np

        scores = self.scores(words)
        powers = np.exp(SHARPNESS * (scores - scores.max()))
        result: Floats = powers / powers.sum()
        return result

    def likeliest(self, words: PageWords, count: int) -> list[tuple[int, float]]:
        """(place, chance) of the ``count`` likeliest topics, the best first."""
        import numpy as np

        chances = self.chances(words)
        return [(place, float(chances[place])) for place in np.argsort(-chances, kind="stable")[:count].tolist()]

    def best(self, words: PageWords, count: int) -> list[TopicChance]:
        """The ``count`` likeliest topics, the best first, each with the parts that its score is the sum of."""
        by_meaning, _ = self._measures(words)
        found = []
        for place, chance in self.likeliest(words, count):
            parts = {"meaning": float(by_meaning[place]), **self._word_parts(words, place)}
            found.append(TopicChance(place, chance, parts | {"rarity": float(self._rarity[place])}))
        return found

    def _measures(self, words: PageWords) -> tuple[Floats, Floats]:
        """Nearness and words of each topic, as in the formula above."""
        import numpy as np

        vector = self._vector(Counter([*words.title, *words.body[:WORDS_READ]]))
        nothing: Floats = np.zeros(len(self._directions), dtype=np.float32)
        by_meaning = nothing if vector is None else self._directions @ vector - self._usual
        by_words = self._sum(words.title)
        return by_meaning, by_words + np.log1p(self._sum(words.body)) if words.body else by_words

    def _sum(self, words: Sequence[str]) -> Floats:
        rows = [self._rows[word] for word in self._rows.keys() & set(words)]
        result: Floats = self._words[rows].sum(axis=0)
        return result

    def _vector(self, counts: Counter[str]) -> Floats | None:
        """The vector of a text, of length 1, None when no word is known; words that the table lacks count by their parts."""
        rows: list[int] = []
        weights: list[float] = []
        known = self._known
        for word, count in counts.items():
            at, each = known[word]
            rows += at
            weights += each if count == 1 else [(1.0 + log(count)) * share for share in each]
        return unit(word_vectors().weighted_sum(rows, weights)) if rows else None

    def _word_parts(self, words: PageWords, place: int) -> dict[str, float]:
        """What each word of the topic adds to its score, the largest first; words of the body share the logarithm of their sum."""
        title, body = (
            {word: float(self._words[self._rows[word], place]) for word in sorted(self._rows.keys() & set(some))}
            for some in (words.title, words.body)
        )
        total = sum(body.values())
        share = log1p(total) / total if total else 0.0
        parts = {word: WORDS * (title.get(word, 0.0) + share * body.get(word, 0.0)) for word in title | body}
        return {f"word:{word}": part for word, part in sorted(parts.items(), key=lambda pair: -pair[1]) if part > 0}


class _Spreads(dict[str, tuple[list[int], list[float]]]):
    """A cache: word to the table rows of the word or of its parts, and the weight of each row; emptied at _REMEMBERED words."""

    def __missing__(self, word: str) -> tuple[list[int], list[float]]:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[word] = word_vectors().spread([word], idfs([word]))
        return found


def _term_words(topic: Topic, segmenter: Segmenter) -> dict[str, float]:
    """The topic's terms, cut into words, with weights up to 1."""
    top = max(topic.terms.values(), default=1.0)
    return shared_out({term: weight / top for term, weight in topic.terms.items()}, segmenter)


def _direction(topic: Topic, weights: Mapping[str, float], segmenter: Segmenter) -> Floats:
    """The topic's vector, of length 1: the sum, in equal parts, of its terms and of its texts and titles."""
    import numpy as np

    table = word_vectors()
    total: Floats = np.zeros(table.dimension, dtype=np.float32)
    for word, weight in weights.items():
        vector = word_vector(word, table)
        if vector is not None:
            total += weight * vector
    texts = Counter(word for text in (*topic.texts, *topic.title.values()) for word in segmenter.words(text))
    repeated = [idf * (1.0 + log(count)) for count, idf in zip(texts.values(), idfs(texts), strict=True)]
    said = table.text_vector(list(texts), repeated)
    return unit(unit(total) + said) if said is not None else unit(total)


def _by_spread(directions: Floats) -> tuple[Floats, Floats]:
    """Directions times mean spread / own spread, and the others' mean cosine with each, scaled likewise; unscaled and 0 for one or two."""
    import numpy as np

    others = len(directions) - 1
    if others < 2:
        return directions, np.zeros(len(directions), dtype=np.float32)
    alike = directions @ directions.T
    np.fill_diagonal(alike, 0.0)
    mean = alike.sum(axis=1) / others
    spread = np.sqrt(np.maximum((alike**2).sum(axis=1) / others - mean**2, 1e-6))
    lengths = spread.mean() / spread
    return directions * lengths[:, None], mean * lengths
