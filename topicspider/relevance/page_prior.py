"""The prior of a page: log-odds that it is on topic before anything is learned, from the topic's words and from what the page means.

The log-odds are a sum of BM25 of the topic's words (with expansion) and the cosine with the topic's direction among the word vectors, for
title and body separately. The weights were chosen on labelled pages of six webs (73 topics), which are not part of the project: see
docs/experiments.md. The background that a crawl begins with is the same for all topics, so the prior works from the first page on.
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
    """Log-odds for a unit of each kind of evidence. The intercept is ``title_start`` for a title alone, ``start`` with a long body."""

    title_start: float
    start: float
    title_words: float
    title_meaning: float
    body_words: float
    body_meaning: float


# The weights of meaning are for a cosine in units of its spread over texts of any topic (z_score)
WITH_VECTORS = PriorWeights(-1.9, -4.9, 3.5, 0.4, 3.0, 0.5)
WITHOUT_VECTORS = PriorWeights(-3.0, -4.6, 6.0, 0.0, 4.0, 0.0)
# Mean and spread of the cosine of a text with a topic that it is not about: 14 topics of Chinese titles and pages differ by .02 and .01
BACKGROUND_MEAN, BACKGROUND_SPREAD = 0.02, 0.065
# The nearest other topic takes off: the cosine with it beyond _MARGIN, in spreads, times _OF_CONTRAST for a title alone (average precision
# .612 to .653), times _OF_CONTRAST_BY_BODY and the weight of the body for a page
_OF_CONTRAST, _OF_CONTRAST_BY_BODY, _MARGIN, _TITLES_PART = 0.3, 0.2, 0.1, 0.5
# A name of several words: log-odds for each spread that the page is near the part it is least near to, and against it for each spread,
# beyond the margin, that another part is ahead of that one. Of 120 texts on and off four such names .82 are judged right, .68 without this
_OF_LEAST_PART, _OF_PART_AHEAD, _PARTS_MARGIN = 1.0, 1.0, 2.0
# Without vectors, the words of a topic of few words (a name alone) count as if their weights summed to this: its pages have no others.
# Mean F1 of 21 names in four languages on manuals: .23 without, .28 with this, .31 with 2, .33 with 3, but then one mention in 200 words
# is a hit
_LEAST_TOGETHER = 1.5
# Cosines in spreads are clipped to this range: nothing is farther off by chance
_LEAST_SPREADS, _MOST_SPREADS = -2.0, 10.0
# A word of weight 1 and idf 10 (a usual term) is one unit
_UNIT = 10.0
# A body of 20 words has half its weight; a shorter one is mostly page furniture taken for text. With 5 instead of 20 crawls get worse.
# A title says less of a long text: beside a body of 300 words it counts half
_HALF_BELIEVED, _TITLE_HALVED = 20, 300
_REMEMBERED = 50_000  # words, 8 MB
_ELSEWHERE = (-1, 0.0)  # marks a word that the table lacks, in an alphabet of which it has few words
# Length of the title's vector in a page's meaning, where the body's is 1: the body says more of where a page stands
_OF_TITLE = 0.7
# Log-odds for a page filed by its site under a word of the topic of weight 1 (旅游, Travel), and against one filed under other words only;
# words of weight _LEAST_NAME or more count as the topic's names. See docs/experiments.md
_OF_FILING, _OF_OTHER_FILING, _LEAST_NAME = 4.0, 1.0, 0.5
FILED, FILED_ELSEWHERE, SECTION, USUAL_WORDS, SITE = "filed:", "filed elsewhere:", "section:", "usual words", "site"
"""Names of parts: the first three are prefixes, for the site's own filing; then what the background takes off for words, and what the
other pages of the site tell."""


class Background(NamedTuple):
    """Pages that are not about the topic: mean and spread of the cosines of their titles and bodies; ``words``: the mean of Measured.words,
    at first above that of most webs, so that a crawl begins strict."""

    title_mean: float = BACKGROUND_MEAN
    title_spread: float = BACKGROUND_SPREAD
    mean: float = BACKGROUND_MEAN
    spread: float = BACKGROUND_SPREAD
    words: float = 0.2


USUAL = Background()
"""The background until the crawl has shown what its own pages are like."""


class Measured(NamedTuple):
    """What is compared with a background: cosines of title and body; ``words``, log(1 + BM25) of the body; log-odds for a unit of each."""

    title: float = 0.0
    title_weight: float = 0.0
    body: float = 0.0
    body_weight: float = 0.0
    words: float = 0.0
    words_weight: float = 0.0

    def shares(self, background: Background = USUAL) -> dict[str, float]:
        """Named contributions in log-odds; of words only what the background takes off: what they add is named word by word elsewhere."""
        found = {
            "semantic title": self.title_weight * z_score(self.title, background.title_mean, background.title_spread),
            "semantic body": self.body_weight * z_score(self.body, background.mean, background.spread),
            USUAL_WORDS: -self.words_weight * background.words,
        }
        return {name: share for name, share in found.items() if share}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for and against a page, in log-odds: ``start`` and named contributions, and the measures they were made from.

    ``meaning``: the vectors of body and title, one after the other; None without word vectors. ``filed``: contributions of the site's own
    filing, from which nothing is learned: sites file much under a word that has little to do with it. ``words`` (word_values) and
    ``measures`` (the published ones, and the share that negative words take off): only when another process has read the page.
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
        """The sum of ``start`` and all contributions."""
        return self.start + sum(self.shares.values())

    @property
    def as_filed(self) -> Evidence:
        """The same evidence with the contributions of the site's filing."""
        return replace(self, shares={**self.shares, **self.filed}) if self.filed else self

    @property
    def is_empty(self) -> bool:
        """Whether nothing in the page's title or body contributes."""
        return self.shares.keys() <= {USUAL_WORDS, SITE}

    def against(self, background: Background) -> Evidence:
        """The same evidence compared with ``background`` instead of the usual one."""
        if background == USUAL:
            return self
        moved = dict.fromkeys(self.measured.shares(), 0.0) | self.measured.shares(background)
        return replace(self, shares={**self.shares, **moved})


class Prior:
    """Computes the evidence of pages for one topic; by words alone when the topic has no vector."""

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
        """The evidence for and against a page."""
        title, _, beginning = scorers.word_counts(words)
        if self._meaning is None:
            return self._weighed(words, (None, None), WITHOUT_VECTORS)
        vectors = (self._meaning.vector(title), self._meaning.vector(beginning, by_names=False))
        # a page in a language that the vectors do not know is judged by words alone
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
        """For the topic: the category, else the section, that names it best. Against it: when no category has a word of it, or a near one.

        Sections never speak against it: many are named after a place, or say nothing (Blog).
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
    """What sites may call the topic, with weights: its name and titles (1), its words of weight _LEAST_NAME or more, and their synonyms."""
    strong = {word: weight for word, weight in profile.weights.items() if weight >= _LEAST_NAME}
    strong |= {word: strong[term] for word, term in profile.synonyms.items() if term in strong}
    return strong | {normalise(name): 1.0 for name in (profile.topic.name, *profile.topic.title.values())}


class TopicMeaning:
    """How near texts are to a topic's direction among the word vectors, to those of ``others`` (topics), and to the ``parts`` of its name.

    A word without a vector counts by its parts when it is one of the topic's ``own``, as in the topic's direction; else it does not count.
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
        # 爱沙尼亚语 is kept in one piece for the topic that has it as a word; without its parts it would not count
        self._by_parts = {word: self._table.spread([word], idfs([word])) for word in lacking}

    def lacks(self, words: Collection[str]) -> bool:
        """Whether some of ``words``, for which ``vector`` was called before, are of an alphabet with few vectors and have none."""
        return any(self._known.get(word) is _ELSEWHERE for word in words)

    def hardly_knows(self, words: Collection[str]) -> bool:
        """Whether most of ``words`` are in Latin letters, but not English: of such languages the table has only function words."""
        return 2 * sum(map(_is_foreign, words)) > len(words)

    def cosine(self, vector: Floats) -> float:
        """The cosine of a text's vector with the direction."""
        # rounded: other machines sum in another order, which changes the last bits
        return round(float(vector @ self._direction), 6)

    def contrast(self, title: Floats | None, body: Floats | None) -> float:
        """By how much the cosine of a page with the nearest other topic exceeds _MARGIN, in spreads; 0 without other topics."""
        page = _together(title, body)
        if page is None or not len(self._others):
            return 0.0
        nearest = round(float((self._others @ page).max()), 6)
        return min(max(nearest - _MARGIN, 0.0) / BACKGROUND_SPREAD, _MOST_SPREADS)

    def of_parts(self, title: Floats | None, body: Floats | None) -> tuple[float, float]:
        """In spreads: how near a page is to its farthest part, and by how much beyond a margin the nearest is ahead; 0 without parts."""
        page = _together(title, body)
        if page is None or not len(self._parts):
            return 0.0, 0.0
        cosines = self._parts @ page
        least, most = round(float(cosines.min()), 6), round(float(cosines.max()), 6)
        ahead = (most - least) / BACKGROUND_SPREAD - _PARTS_MARGIN
        return z_score(least), min(max(ahead, 0.0), _MOST_SPREADS)

    def of_page(self, title: Floats | None, body: Floats | None) -> Floats:
        """The vectors of body and title, one after the other, the title's times _OF_TITLE; zeros for one that is missing."""
        size = self._table.dimension
        page: Floats = self._nowhere.copy()
        if body is not None:
            page[:size] = body
        if title is not None:
            page[size:] = _OF_TITLE * title
        return page

    def vector(self, counts: Mapping[str, int], *, by_names: bool = True) -> Floats | None:
        """The vector of a text, of length 1; None when no word has a vector, or most have none and are of an alphabet with few vectors.

        ``by_names``: whether names count: in a title one may tell what it is about; in a body it is one of many.
        """
        known = self._known
        new = [word for word in counts if word not in known]  # set difference would go through all known
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
        # of a language that the table hardly knows it has only the function words
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
    """Whether a word is of an alphabet with few vectors. Latin letters and Chinese characters have many; kana only stand between these."""
    return not word.isascii() and not has_cjk(word) and not "\u3040" <= word[0] < "\u3100"


def _together(title: Floats | None, body: Floats | None) -> Floats | None:
    """The vector of a page: body + _TITLES_PART · title, or whichever of them exists."""
    if title is None or body is None:
        return title if body is None else body
    page: Floats = body + _TITLES_PART * title
    return page


def z_score(cosine: float, mean: float = BACKGROUND_MEAN, spread: float = BACKGROUND_SPREAD) -> float:
    """(cosine - mean) / spread, clipped: how far a text lies from those on other topics."""
    return min(max((cosine - mean) / spread, _LEAST_SPREADS), _MOST_SPREADS)


def _weight_of_body(length: int, *, is_alone: bool) -> float:
    """The weight of a body of ``length`` words in the verdict, in [0, 1]; ``is_alone``: without a title."""
    if is_alone:
        return 1.0 if length else 0.0
    return length / (length + _HALF_BELIEVED)


LARGEST_ODDS = 30.0
"""Log-odds beyond which a probability is 0 or 1."""


def sigmoid(log_odds: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1.0 / (1.0 + exp(-max(-LARGEST_ODDS, min(LARGEST_ODDS, log_odds))))


def shares_of(start: float, terms: Mapping[str, float]) -> dict[str, float]:
    """What each term adds to σ(start), by integrated gradients: σ(start) and the shares sum up to σ(start + Σ terms) exactly.

    On the straight way from no terms to all of them, each share is in proportion to its term.
    """
    total = sum(terms.values())
    first = sigmoid(start)
    slope = (sigmoid(start + total) - first) / total if abs(total) > 1e-6 else first * (1.0 - first)
    return {name: term * slope for name, term in terms.items()}
