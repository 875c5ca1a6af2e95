"""The prior of a page: log-odds that it is on topic before anything is learned, from the topic's words and from what the page means.

The log-odds that a page is on topic are a sum: BM25 of the topic's words (with expansion) and the cosine of the topic's direction among
the word vectors, each for title and body apart. How much each counts was chosen on labelled pages of six webs (73 topics), which are no part of the project:
see docs/experiments.md. The background that a crawl begins with is the same for all topics, so it holds from the first page on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import exp, hypot, log, log1p
from typing import TYPE_CHECKING, NamedTuple

from topicspider.relevance import published_page_scorers as scorers
from topicspider.text.lexicon import idfs
from topicspider.text.normalise import has_cjk, normalise

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from topicspider.relevance.interfaces import PageWords
    from topicspider.topic.profile import TopicModel, TopicProfile

    Floats = NDArray[np.float32]


class PriorWeights(NamedTuple):
    """What each kind of evidence adds to the log-odds. ``title_start``: of a title alone, ``start`` of a page with a body."""

    title_start: float
    start: float
    title_words: float
    title_meaning: float
    body_words: float
    body_meaning: float


# Cosines are in units of their spread over texts of any topic
WITH_VECTORS = PriorWeights(-1.9, -4.9, 3.5, 0.4, 3.0, 0.5)
WITHOUT_VECTORS = PriorWeights(-3.0, -4.6, 6.0, 0.0, 4.0, 0.0)
# The cosine of a text with a topic that it is not about, mean and spread: 14 topics of Chinese titles and pages differ by .02 and .01
BACKGROUND_MEAN, BACKGROUND_SPREAD = 0.02, 0.065
# What the nearest other topic takes: the text's cosine with it beyond a margin, in the same units, times this (titles: AP .612 to .653); a page's
# is times what its body is believed
_OF_CONTRAST, _OF_CONTRAST_BY_BODY, _MARGIN, _TITLES_PART = 0.3, 0.2, 0.1, 0.5
# A name of several words: each spread by which a page is near the part that it is least near to counts this, and each by which another part is
# ahead of that beyond the margin as much against it. Of 120 texts on and off four such names .68 were judged right before, .82 with this
_OF_LEAST_PART, _OF_PART_AHEAD, _PARTS_MARGIN = 1.0, 1.0, 2.0
# Without vectors a page about a topic of few words, as a name alone gives, has no others to show: its words count as if they weighed so much together.
# Mean F1 of 21 names in four languages on manuals: .23 without, .28 with this, .31 with 2 and .33 with 3, but then one mention in 200 words is a hit
_LEAST_TOGETHER = 1.5
# Beyond these a cosine says no more: nothing is that far off by chance
_LEAST_SPREADS, _MOST_SPREADS = -2.0, 10.0
# A word of weight 1 and idf 10 (a usual term) is one unit
_UNIT = 10.0
# A body of so many words is believed as much as the title; a short one is mostly furniture that was taken for text. With 5 in place of 20 crawls lose.
# A title tells less of an article than of a note: it counts half before 300 words of text
_HALF_BELIEVED, _TITLE_HALVED = 20, 300
_REMEMBERED = 50_000  # words, 8 MB
_ELSEWHERE = (-1, 0.0)  # the row of a word of another alphabet that the table lacks
# Where a page stands is its body's place more than its title's
_OF_TITLE = 0.7
# A page that its site files under a word of the topic of weight 1 (旅游, Travel), and one that it files under nothing but other words: see docs/experiments.md
_OF_FILING, _OF_OTHER_FILING, _LEAST_NAME = 4.0, 1.0, 0.5
FILED, FILED_ELSEWHERE, SECTION, USUAL_WORDS = "filed:", "filed elsewhere:", "section:", "usual words"
"""Parts: three begin with these, by the site's own filing; the last is what a background takes off."""


class Background(NamedTuple):
    """Pages that are not about the topic: mean and spread of the cosines of their titles and bodies; ``words``: see Measured. It begins above most webs': a crawl begins strict."""

    title_mean: float = BACKGROUND_MEAN
    title_spread: float = BACKGROUND_SPREAD
    mean: float = BACKGROUND_MEAN
    spread: float = BACKGROUND_SPREAD
    words: float = 0.2


USUAL = Background()
"""What holds before the crawl has shown what its own pages are like."""


class Measured(NamedTuple):
    """What is taken against a background: cosines of title and body, and ``words``, log(1 + BM25) of the body; what each unit of them counts in log-odds."""

    title: float = 0.0
    title_weight: float = 0.0
    body: float = 0.0
    body_weight: float = 0.0
    words: float = 0.0
    words_weight: float = 0.0

    def shares(self, background: Background = USUAL) -> dict[str, float]:
        """Named contributions. What the words add is named word by word elsewhere, here is what the usual ones take off."""
        found = {
            "semantic title": self.title_weight * z_score(self.title, background.title_mean, background.title_spread),
            "semantic body": self.body_weight * z_score(self.body, background.mean, background.spread),
            USUAL_WORDS: -self.words_weight * background.words,
        }
        return {name: share for name, share in found.items() if share}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a page, in log-odds: ``start`` and named contributions, and the measures they were made of.

    ``meaning``: where body and title stand among the word vectors, one after the other; None without word vectors. ``filed``: what the site's own filing
    adds to all that, from which nothing is learned: sites file much under a word that has little to do with it. ``words`` (learned_page_model.word_values) and ``measures`` (the published ones,
    and what negative words take off): where another process has read the page.
    """

    start: float
    shares: Mapping[str, float] = field(default_factory=dict)
    bm25: float = 0.0
    measured: Measured = field(default_factory=Measured)
    meaning: Floats | None = field(default=None, compare=False, repr=False)
    filed: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, float] | None = field(default=None, compare=False, repr=False)
    measures: tuple[dict[str, float], float] | None = field(default=None, compare=False, repr=False)

    @property
    def log_odds(self) -> float:
        """The whole."""
        return self.start + sum(self.shares.values())

    @property
    def as_filed(self) -> Evidence:
        """The same with what its site files the page under."""
        return replace(self, shares={**self.shares, **self.filed}) if self.filed else self

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is known of the page's words."""
        return self.shares.keys() <= {USUAL_WORDS}

    def against(self, background: Background) -> Evidence:
        """The same where pages on other topics are as ``background`` says."""
        if background == USUAL:
            return self
        moved = dict.fromkeys(self.measured.shares(), 0.0) | self.measured.shares(background)
        return replace(self, shares={**self.shares, **moved})


class Prior:
    """The evidence for one topic; without a vector by words alone."""

    def __init__(self, model: TopicModel) -> None:
        profile = model.profile
        given = {**{word: near.weight for word, near in model.expansion.items()}, **profile.weights}
        terms = {
            word: given[word] * idf / _UNIT for word, idf in zip(given, idfs(given), strict=True) if given[word] > 0
        }
        # a synonym counts as the word it stands for
        self._terms = {word: terms[term] for word, term in profile.synonyms.items() if term in terms} | terms
        self._stretch = max(1.0, _LEAST_TOGETHER / (sum(given[word] for word in terms) or 1.0))
        self._names = _names_of(profile)
        self._meaning = TopicMeaning(model.vector, model.others, model.parts, profile.weights) if model.vector else None

    def evidence(self, words: PageWords) -> Evidence:
        """What speaks for a page, and against it."""
        title, _, beginning = scorers.word_counts(words)
        if self._meaning is None:
            return self._weighed(words, (None, None), WITHOUT_VECTORS)
        vectors = (self._meaning.vector(title), self._meaning.vector(beginning, by_names=False))
        # words alone tell of a page in a language that the vectors do not know
        is_known = any(vector is not None for vector in vectors) or not self._meaning.lacks({*title, *beginning})
        found = self._weighed(words, vectors, WITH_VECTORS if is_known else WITHOUT_VECTORS)
        if is_known and self._meaning.hardly_knows(beginning):
            alone = self._weighed(words, (None, None), WITHOUT_VECTORS)
            return max(found, alone, key=lambda evidence: evidence.log_odds)
        return found

    def _weighed(self, words: PageWords, vectors: tuple[Floats | None, Floats | None], known: PriorWeights) -> Evidence:
        title, body, _ = scorers.word_counts(words)
        length = len(words.body)
        believed = _weight_of_body(length, is_alone=not title)
        of_title = _TITLE_HALVED / (_TITLE_HALVED + length)
        start = known.title_start + believed * (known.start - known.title_start)
        shares: dict[str, float] = {}
        title_words = {word: self._terms[word] for word in sorted(title.keys() & self._terms.keys())}
        body_words = self._body_words(body, length)
        self._add(shares, "title", title_words, of_title * known.title_words)
        # log: the tenth word of a topic adds less than the second
        total = sum(body_words.values())
        told = log1p(total * (self._stretch if known is WITHOUT_VECTORS else 1.0))
        self._add(shares, "body", body_words, believed * known.body_words * told / total if total else 0.0)
        cosines, meaning = [(0.0, 0.0), (0.0, 0.0)], None
        if self._meaning is not None:
            meaning = self._meaning.of_page(*vectors)
            weights = of_title * known.title_meaning, believed * known.body_meaning
            for place, (vector, weight) in enumerate(zip(vectors, weights, strict=True)):
                if vector is not None:
                    cosines[place] = self._meaning.cosine(vector), weight
            nearer = self._meaning.contrast(*vectors)
            if nearer:
                weight = _OF_CONTRAST if vectors[1] is None else _OF_CONTRAST_BY_BODY * believed
                shares["semantic of other topics"] = -weight * nearer
            least, ahead = self._meaning.of_parts(*vectors)
            if least:
                shares["semantic of every part"] = _OF_LEAST_PART * least
            if ahead:
                shares["semantic of one part alone"] = -_OF_PART_AHEAD * ahead
        measured = Measured(*cosines[0], *cosines[1], told, believed * known.body_words)
        bm25 = sum(title_words.values()) + total
        return Evidence(start, shares | measured.shares(), bm25, measured, meaning, self._filed(words))

    def _filed(self, words: PageWords) -> dict[str, float]:
        """The category of the page that is most the topic's, else its section; a category speaks against it when none has a word of it, or a near one.

        A section does not: many are called by a place, or say nothing (Blog).
        """
        for place, names in ((FILED, words.filed), (SECTION, words.sections)):
            best = max(names, key=lambda name: self._names.get(name, 0.0), default="")
            if best in self._names:
                return {f"{place}{best}": _OF_FILING * self._names[best]}
        is_other = words.filed and self._terms.keys().isdisjoint(" ".join(words.filed).split())
        return {f"{FILED_ELSEWHERE}{words.filed[0]}": -_OF_OTHER_FILING} if is_other else {}

    def _body_words(self, body: Counter[str], length: int) -> dict[str, float]:
        stretch = scorers.K1 * (1.0 - scorers.B + scorers.B * length / scorers.MEAN_LENGTH)
        return {
            word: self._terms[word] * body[word] * (scorers.K1 + 1.0) / (body[word] + stretch)
            for word in sorted(body.keys() & self._terms.keys())  # so that sums are the same in every process
        }

    @staticmethod
    def _add(shares: dict[str, float], place: str, found: Mapping[str, float], weight: float) -> None:
        if weight:
            for word in found:
                shares[f"{place}:{word}"] = weight * found[word]


def _names_of(profile: TopicProfile) -> dict[str, float]:
    """What sites may call the topic, with weights: its name, its titles, its strong words and what stands for them."""
    strong = {word: weight for word, weight in profile.weights.items() if weight >= _LEAST_NAME}
    strong |= {word: strong[term] for word, term in profile.synonyms.items() if term in strong}
    return strong | {normalise(name): 1.0 for name in (profile.topic.name, *profile.topic.title.values())}


class TopicMeaning:
    """How near texts are to a direction among the word vectors, to ``others``, and to the ``parts`` of a name.

    The topic's ``own`` words that the table lacks count by their parts, as its direction has them; others that it lacks say nothing.
    """

    def __init__(
        self,
        direction: Sequence[float],
        others: Sequence[Sequence[float]] = (),
        parts: Sequence[Sequence[float]] = (),
        own: Collection[str] = (),
    ) -> None:
        import numpy as np

        from topicspider.text.lexicon import word_vectors

        self._table = word_vectors()
        self._direction = np.asarray(direction, dtype=np.float32)
        self._others = np.asarray(others, dtype=np.float32).reshape(len(others), len(direction))
        self._parts = np.asarray(parts, dtype=np.float32).reshape(len(parts), len(direction))
        self._nowhere: Floats = np.zeros(2 * self._table.dimension, dtype=np.float32)
        self._known: dict[str, tuple[int, float] | None] = {}
        lacking = [word for word in own if word not in self._table]
        # 爱沙尼亚语 is kept in one piece for the topic whose word it is, and would say nothing there
        self._by_parts = {word: self._table.spread([word], idfs([word])) for word in lacking}

    def lacks(self, words: Collection[str]) -> bool:
        """Whether some of ``words``, of which ``vector`` was asked, are of another alphabet and have none."""
        return any(self._known.get(word) is _ELSEWHERE for word in words)

    def hardly_knows(self, words: Collection[str]) -> bool:
        """Whether most of ``words`` are in Latin letters and not English: of such a language the table has small words alone, and its topics lie nowhere."""
        return 2 * sum(map(_is_foreign, words)) > len(words)

    def cosine(self, vector: Floats) -> float:
        """The cosine of a text's vector with the direction."""
        # rounded: sums of other orders, on other machines, differ in the last bits
        return round(float(vector @ self._direction), 6)

    def contrast(self, title: Floats | None, body: Floats | None) -> float:
        """How far beyond the margin a page is near another topic, in units of the cosine's spread."""
        page = _together(title, body)
        if page is None or not len(self._others):
            return 0.0
        nearest = round(float((self._others @ page).max()), 6)
        return min(max(nearest - _MARGIN, 0.0) / BACKGROUND_SPREAD, _MOST_SPREADS)

    def of_parts(self, title: Floats | None, body: Floats | None) -> tuple[float, float]:
        """How near a page is to the part that it is least near to, and how much nearer, beyond a margin, to another; 0 without parts."""
        page = _together(title, body)
        if page is None or not len(self._parts):
            return 0.0, 0.0
        cosines = self._parts @ page
        least, most = round(float(cosines.min()), 6), round(float(cosines.max()), 6)
        ahead = (most - least) / BACKGROUND_SPREAD - _PARTS_MARGIN
        return z_score(least), min(max(ahead, 0.0), _MOST_SPREADS)

    def of_page(self, title: Floats | None, body: Floats | None) -> Floats:
        """Body and title side by side, the title at _OF_TITLE of its length; what is not there is 0."""
        size = self._table.dimension
        page: Floats = self._nowhere.copy()
        if body is not None:
            page[:size] = body
        if title is not None:
            page[size:] = _OF_TITLE * title
        return page

    def vector(self, counts: Mapping[str, int], *, by_names: bool = True) -> Floats | None:
        """Where a text stands, of length 1; None when none of its words has a vector, or most are of an alphabet that hardly has any.

        ``by_names``: a name may tell what a title is about; in a body it is one of many.
        """
        known = self._known
        new = [word for word in counts if word not in known]  # a difference of keys goes through all that are known
        if len(known) + len(new) > _REMEMBERED:
            known.clear()
            new = list(counts)
        for word, row, idf in zip(new, self._table.places.some(new), idfs(new), strict=True):
            known[word] = (row, idf) if row is not None else _ELSEWHERE if _is_elsewhere(word) else None
        rows: list[int] = []
        weights: list[float] = []
        lacking = 0
        for word, count in counts.items():
            place = known[word]
            if place is _ELSEWHERE:
                lacking += 1
            elif place is not None and (by_names or place[0] < self._table.names_start):
                rows.append(place[0])
                weights.append(place[1] * (1.0 + log(count)) if count > 1 else place[1])
        for word in sorted(self._by_parts.keys() & counts.keys()):
            rows += self._by_parts[word][0]
            weights += [(1.0 + log(counts[word])) * weight for weight in self._by_parts[word][1]]
        # what the table has of a language that it hardly knows are its small words
        if lacking >= len(rows):
            return None
        total = self._table.weighted_sum(rows, weights)
        length = hypot(*total.tolist())  # not by BLAS, whose last digits depend on the machine and on threads
        return total / length if length > 0.0 else None


@lru_cache(maxsize=_REMEMBERED)
def _is_foreign(word: str) -> bool:
    from topicspider.text.lexicon import word_vectors

    return word.isalpha() and word[0] < "\u0250" and not word_vectors().is_english(word)


def _is_elsewhere(word: str) -> bool:
    """Whether a word is of an alphabet that has few vectors; Latin letters and Chinese characters have many, and kana is what stands between these."""
    return not word.isascii() and not has_cjk(word) and not "\u3040" <= word[0] < "\u3100"


def _together(title: Floats | None, body: Floats | None) -> Floats | None:
    """Where a page lies with its title; a title alone lies where it lies."""
    if title is None or body is None:
        return title if body is None else body
    page: Floats = body + _TITLES_PART * title
    return page


def z_score(cosine: float, mean: float = BACKGROUND_MEAN, spread: float = BACKGROUND_SPREAD) -> float:
    """(cosine - mean) / spread: how far a text lies from those on other topics."""
    return min(max((cosine - mean) / spread, _LEAST_SPREADS), _MOST_SPREADS)


def _weight_of_body(length: int, *, is_alone: bool) -> float:
    """How much of the verdict is the body's, in [0, 1]."""
    if is_alone:
        return 1.0 if length else 0.0
    return length / (length + _HALF_BELIEVED)


LARGEST_ODDS = 30.0
"""Log-odds beyond which a probability is 0 or 1."""


def sigmoid(log_odds: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1.0 / (1.0 + exp(-max(-LARGEST_ODDS, min(LARGEST_ODDS, log_odds))))


def shares_of(start: float, terms: Mapping[str, float]) -> dict[str, float]:
    """What each term adds to σ(start + Σ terms) beyond σ(start): exactly, by integrated gradients from none of them to all.

    Along that way every term grows at its own constant rate, so each share is in proportion to the term.
    """
    total = sum(terms.values())
    first = sigmoid(start)
    slope = (sigmoid(start + total) - first) / total if abs(total) > 1e-6 else first * (1.0 - first)
    return {name: term * slope for name, term in terms.items()}
