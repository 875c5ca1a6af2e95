"""The published page scorers (boolean, VSM, A = 4·B + C, BM25), and the counts of topic words that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from topicspider.relevance.interfaces import PageWords
from topicspider.text.normalise import normalise
from topicspider.topic.user_labels import WORDS_READ

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from topicspider.relevance.interfaces import Tokenizer
    from topicspider.topic.profile import TopicProfile

# A title is short and chosen with care: one word of it says as much as several of the body. On Chinese
# pages 2, 4 and 8 rank equally well (average precision within .005).
TITLE_WEIGHT = 4


@dataclass(frozen=True, slots=True)
class TopicCounts:
    """The word counts of one page for one topic.

    ``title`` and ``body``: feature word to how often it stands there, absent words left out. ``other``: the same for the words of the page
    that are no feature words, title words counted TITLE_WEIGHT times. ``body_length`` is in words. ``negative``: negative word to the share
    in [0, 1] that it takes off the score.
    """

    title: Mapping[str, int]
    body: Mapping[str, int]
    other: Mapping[str, int]
    body_length: int
    negative: Mapping[str, float]

    @property
    def penalty(self) -> float:
        """The share of the score that the negative words take away, in [0, 1]."""
        return min(1.0, sum(self.negative.values()))

    def raised(self) -> dict[str, int]:
        """Feature word to its frequency on the whole page, title words counted TITLE_WEIGHT times."""
        counts = dict(self.body)
        for word, count in self.title.items():
            counts[word] = counts.get(word, 0) + TITLE_WEIGHT * count
        return counts


class WordCounts(NamedTuple):
    """How often each word stands in a page's title, in its body, and in the first WORDS_READ words of the body."""

    title: Counter[str]
    body: Counter[str]
    beginning: Counter[str]


@lru_cache(maxsize=2)  # each judge and learner asks for it
def word_counts(words: PageWords) -> WordCounts:
    """The counts of a page; cached, so callers must not change them."""
    body = Counter(words.body)
    beginning = body if len(words.body) <= WORDS_READ else Counter(words.body[:WORDS_READ])
    return WordCounts(Counter(words.title), body, beginning)


def count_words(words: PageWords, profile: TopicProfile) -> TopicCounts:
    """The counts of a page; a synonym counts as the feature word it stands for."""
    title, body, _ = word_counts(words)
    everything = Counter(body)
    for word, count in title.items():
        everything[word] += TITLE_WEIGHT * count
    negative = _negative(everything, profile)
    title_hits, body_hits = _take(title, profile), _take(body, profile)
    for word in (*title_hits, *body_hits, *profile.synonyms):
        everything.pop(word, None)
    return TopicCounts(title_hits, body_hits, everything, len(words.body), negative)


def _take(counts: Counter[str], profile: TopicProfile) -> dict[str, int]:
    hits = {word: counts[word] for word in _present(counts, profile.weights)}
    for word in _present(counts, profile.synonyms):
        feature = profile.synonyms[word]
        if word not in profile.weights and feature in profile.weights:
            hits[feature] = hits.get(feature, 0) + counts[word]
    return hits


def _negative(counts: Counter[str], profile: TopicProfile) -> dict[str, float]:
    """Each negative word's penalty times its share among all negative and topical occurrences.

    As many negative as topical occurrences, of penalty 1, halve the score; it never falls below 0.
    """
    found = {word: counts[word] for word in _present(counts, profile.negative)}
    if not found:
        return {}
    topical = sum(counts[w] for w in _present(counts, {**profile.synonyms, **profile.weights}) if w not in found)
    total = topical + sum(found.values())
    return {word: min(1.0, profile.negative[word]) * count / total for word, count in found.items()}


def _present(counts: Counter[str], words: Iterable[str]) -> list[str]:
    return [word for word in words if word in counts]


def less_negative(parts: Mapping[str, float], counts: TopicCounts) -> list[tuple[str, float]]:
    """``parts`` of a score, and what each negative word takes off their sum (below 0), the largest first."""
    total = sum(parts.values())
    taken = {f"-{word}": -total * share for word, share in counts.negative.items()}
    return sorted({**parts, **taken}.items(), key=lambda part: (-part[1], part[0]))


class CountingScorer(ABC):
    """A PageScorer over TopicCounts; a subclass defines only its ``contributions``."""

    name: str

    def __init__(self, profile: TopicProfile) -> None:
        self._profile = profile
        self._norm = sqrt(sum(weight * weight for weight in profile.weights.values()))

    @abstractmethod
    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        """Part name to its share of the score, all ≥ 0, with a sum in [0, 1]; negative words left out."""

    def value(self, counts: TopicCounts) -> float:
        """Relevance in [0, 1] of a page that is counted already."""
        total = min(1.0, sum(self.contributions(counts).values()))
        return max(0.0, total * (1.0 - counts.penalty))

    def score(self, words: PageWords) -> float:
        """Relevance in [0, 1]."""
        return self.value(count_words(words, self._profile))

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Named parts that sum to ``score(words)`` (promise R1); a negative word's part is called ``-word``."""
        counts = count_words(words, self._profile)
        return less_negative(self.contributions(counts), counts)


class BooleanScorer(CountingScorer):
    """(b) thesis 2011: n = size of the intersection of page words and topic words.

    The thesis orders pages by n. To stand in [0, 1] whatever the length of the topic's list, the score is
    n / (n + 3): the order is the same; 1 word is .25, 3 words are .5, 9 are .75.
    """

    name: str = "boolean"

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        words = counts.title.keys() | counts.body.keys()
        return {word: 1.0 / (len(words) + 3) for word in sorted(words)}


# The page's own words are cut to this many; 30 and 60 rank equally well.
PAGE_WORDS = 60


def frequency_weight(count: int) -> float:
    """1 + ln(count), 0 for 0: the tenth mention of a word says less than the first."""
    return 1.0 + log(count) if count > 0 else 0.0


class VsmScorer(CountingScorer):
    """(a) Li 2002, formula 4: Σ w1k·w2k / sqrt(Σ w1k² · Σ w2k²), of the topic's weights and the page's.

    The paper "cuts and extends the page's words by the topic's feature vector". Read as "only the topic's
    words", the cosine would forget how much else a page says: one mention in 5,000 words would score like
    a page of one word. So the page keeps its own PAGE_WORDS most frequent words (cut), and every feature
    word that stands on it (extended); the norm runs over all of them.
    """

    name: str = "vsm"

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        features = {word: frequency_weight(count) for word, count in counts.raised().items()}
        own = sorted(counts.other.values(), reverse=True)[:PAGE_WORDS]
        squares = sum(w * w for w in features.values()) + sum(frequency_weight(count) ** 2 for count in own)
        norms = sqrt(squares) * self._norm
        weights = self._profile.weights
        return {word: value * weights[word] / norms for word, value in features.items()} if norms > 0.0 else {}


class PublishedVsmScorer(VsmScorer):
    """As the paper says: a word weighs its frequency (TITLE_WEIGHT in titles), and of the page only the topic's words count."""

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        features, weights = counts.raised(), self._profile.weights
        norms = sqrt(sum(count * count for count in features.values())) * self._norm
        return {word: count * weights[word] / norms for word, count in features.items()} if norms > 0.0 else {}


TITLE_FACTOR = 4.0
LARGEST_A = TITLE_FACTOR + 1.0


class Measures(NamedTuple):
    """A in [0, 5]; B and C in [0, 1]."""

    a: float
    b: float
    c: float


class A4bcScorer(CountingScorer):
    """B = cos(topic, title), C = cos(topic, body), A = 4·B + C; the score is A / 5.

    Topic vector α = (w1 … wn). Page vector: component xi·wi, where the topic word that stands there most often has x = 1, the others in
    ratio to it. As in the thesis, the page's norm is over the topic's n words only. The thesis calls a page on topic when A > 2.
    """

    name: str = "a4bc"

    def measures(self, counts: TopicCounts) -> Measures:
        """A, B and C, before negative words are looked at."""
        b, c = sum(self._cosine(counts.title).values()), sum(self._cosine(counts.body).values())
        b, c = min(1.0, b), min(1.0, c)
        return Measures(TITLE_FACTOR * b + c, b, c)

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        title = {f"title:{word}": TITLE_FACTOR * x / LARGEST_A for word, x in self._cosine(counts.title).items()}
        body = {f"body:{word}": x / LARGEST_A for word, x in self._cosine(counts.body).items()}
        return {**title, **body}

    def _cosine(self, frequencies: Mapping[str, int]) -> dict[str, float]:
        """Each word's share of the cosine."""
        if not frequencies:
            return {}
        weights, most = self._profile.weights, max(frequencies.values())
        vector = {word: count / most * weights[word] for word, count in frequencies.items()}
        norms = sqrt(sum(x * x for x in vector.values())) * self._norm
        return {word: x * weights[word] / norms for word, x in vector.items()}


def as_published(profile: TopicProfile, scorer: str) -> TopicProfile:
    """``profile`` as the paper of ``scorer`` has topics: without negative words; for (b) with only the words that the user gave."""
    if scorer not in ("boolean", "vsm", "a4bc"):
        return profile
    weights = profile.weights
    if scorer != "vsm" and profile.topic.terms:
        given = " ".join(map(normalise, profile.topic.terms))
        weights = {word: weight for word, weight in weights.items() if word in given}
    return replace(profile, weights=weights, negative={})


K1 = 1.2
B = 0.75
# The mean length of a page is not known before a crawl; Chinese articles have 200 to 500 words. Any value
# from 100 to 1,000 ranks alike.
MEAN_LENGTH = 300
# This many of the topic's strongest words, each once in a page of mean length, give a score of one half.
HALF_WORDS = 2.0


class Bm25Scorer(CountingScorer):
    """s = Σ over topic words of weight · idf · tf·(k1+1) / (tf + k1) (Robertson and Zaragoza 2009).

    tf adds the body's count, divided by 1 - b + b·length/mean, and TITLE_WEIGHT times the title's (BM25F:
    a title's length does not count). The score is s / (s + h), in [0, 1), with h = HALF_WORDS times the largest
    weight · idf of the topic, so that the scores of topics are comparable.
    """

    name: str = "bm25"

    def __init__(self, profile: TopicProfile) -> None:
        super().__init__(profile)
        self._query = {word: weight * profile.idf.get(word, 1.0) for word, weight in profile.weights.items()}
        self._half = HALF_WORDS * max(self._query.values(), default=1.0)

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        stretch = 1.0 - B + B * counts.body_length / MEAN_LENGTH
        terms = {}
        for word in {**counts.title, **counts.body}:  # no set: equal sums in every process
            frequency = counts.body.get(word, 0) / stretch + TITLE_WEIGHT * counts.title.get(word, 0)
            terms[word] = self._query[word] * frequency * (K1 + 1.0) / (frequency + K1)
        total = sum(terms.values()) + self._half
        return {word: term / total for word, term in terms.items()} if total > 0.0 else {}


class TextRelevance:
    """sim(topic, text) in [0, 1]: the score that ``vsm`` gives a page whose body is the text.

    Menus stand on every page of a site, so the last 50,000 texts are remembered. A text without a word of the
    topic is 0 without any counting: most are.
    """

    def __init__(self, profile: TopicProfile, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._scorer = VsmScorer(profile)
        self._known_words = frozenset({*profile.weights, *profile.synonyms})
        self.of = lru_cache(maxsize=50_000)(self._of)

    def _of(self, text: str) -> float:
        words = tuple(self._tokenizer.words(text)) if text else ()
        return 0.0 if self._known_words.isdisjoint(words) else self._scorer.score(PageWords(body=words))
