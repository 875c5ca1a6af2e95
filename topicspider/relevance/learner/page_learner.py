"""Learns from a crawl's own pages which words tell its topic: a logistic regression on what the prior thinks of them.

The pages need no labels: the prior's own probability is the target, sharpened, and the words of those pages say what the topic's words
leave out. It is never trusted alone, for on a rare topic it would drift; see ``Learned.share``.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from math import ceil, log
from typing import TYPE_CHECKING

from topicspider.relevance.learner.page_features import features, trust, weight_of_words
from topicspider.relevance.learner.refits import InlineRefits
from topicspider.relevance.learner.teacher import LONGEST, text_of
from topicspider.relevance.learner.word_values import WordValues

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from topicspider.relevance.judgement import PageWords
    from topicspider.relevance.learner.refits import Refits
    from topicspider.relevance.learner.teacher import Teacher

    Floats = NDArray[np.float64]
    Place = Sequence[float] | NDArray[np.float32]

MOST_PAGES = 1_500
"""Pages remembered: a fair sample of those that were read."""
ALL_OF, THEN_EVERY = 500, 4
"""The first 500 pages are all taken for it, then every fourth: that costs a quarter."""
FIRST_REFIT, GROWTH, LONGEST_PAUSE = 50, 1.3, 500
"""Pages to the first refit, then at 1.3 times as many, at least every 500."""
KEPT_NEWS, NEWS_WORDS = 200, 100
"""Pages that wait to be told to other processes, and the words that are told of each: 2 kB."""
# So many expected hits give the learned part half of its weight
HALF_TRUSTED = 60.0
# Log-odds of the prior are doubled as targets: pages are on topic or not, the prior seldom dares to say so
_SHARPNESS = 2.0
_PENALTY = 1.0
# A user's label counts as so many pages
_LABEL_WEIGHT = 10.0
# Words that stand on more of the pages than this are the sites' furniture; words of one or two pages are chance
_FURNITURE, _LEAST_PAGES = 0.5, 3
_FEWEST_HITS = 5
_LEARNED_WORDS = 5_000
# F1 is best near this probability; as many pages stand above it after learning as before
WATERSHED = log(0.35 / 0.65)
# Of titles that stand alone F1 gets better where the watershed goes to the largest expected F1 (six labels: .594 to .613); of pages with
# bodies it gets worse (.713 to .704), and so it does of 20 or 100 titles (.56, .57)
_FEWEST_TITLES, _FARTHEST_SHIFT = 400, 1.0
_LIMIT = 9.0


@dataclass(frozen=True)
class Learned:
    """What was learned: a weight for each word, and ``share`` in [0, 1), how far it is trusted: 0 as long as nothing was learned (R4).

    ``meaning`` and ``told``: a weight for each number of a page's place among the word vectors, of the crawl's pages and of labels.
    ``labels`` names the labels that are in it.
    """

    refits: int = 0
    share: float = 0.0
    start: float = 0.0
    shift: float = 0.0
    words: Mapping[str, float] = field(default_factory=dict)
    meaning_start: float = 0.0
    meaning: tuple[float, ...] = ()
    told: tuple[float, ...] = ()
    labels: str = ""

    def of_meaning(self, meaning: Place) -> float:
        """What a page's place among the word vectors says, in log-odds."""
        return _product(self.meaning, meaning)

    def of_labels(self, meaning: Place) -> float:
        """What a user's labels add to that."""
        return _product(self.told, meaning)

    @cached_property
    def version(self) -> str:
        """How many refits, and a digest of what they gave."""
        return f"{self.refits}-{blake2b(self.state(), digest_size=4).hexdigest()}"

    def state(self) -> bytes:
        """All of it as JSON."""
        return json.dumps(
            [
                self.refits,
                self.share,
                self.start,
                self.shift,
                dict(self.words),
                self.meaning_start,
                self.meaning,
                self.told,
                self.labels,
            ],
            ensure_ascii=False,
            sort_keys=True,
        ).encode()

    @classmethod
    def read(cls, state: bytes) -> Learned:
        """What ``state`` returned; ValueError for anything else."""
        try:
            refits, share, start, shift, words, meaning_start, meaning, told, labels = json.loads(state)
            found = cls(
                int(refits),
                float(share),
                float(start),
                float(shift),
                {str(w): float(x) for w, x in words.items()},
                float(meaning_start),
                tuple(map(float, meaning)),
                tuple(map(float, told)),
                str(labels),
            )
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            raise ValueError("not the state of a page learner") from None
        numbers = (found.start, found.shift, *found.words.values(), found.meaning_start, *found.meaning, *found.told)
        if not (0.0 <= found.share < 1.0 and all(map(_is_sound, numbers))):
            raise ValueError("the state of a page learner with numbers that it cannot have")
        return found


@dataclass(frozen=True, slots=True)
class LearnedPage:
    """A page that is remembered, or that a user has judged (``label``)."""

    features: WordValues
    prior: float
    trust: float
    label: bool | None = None
    text: str = ""
    of_words: float = 1.0
    meaning: Place | None = None
    is_body: bool = True


class PageLearner:
    """Remembers a sample of pages, and has them fitted now and then. The same pages in the same order give the same state (R5)."""

    def __init__(
        self,
        refits: Refits | None = None,
        labels: Sequence[tuple[PageWords, bool, float]] = (),
        most_pages: int = MOST_PAGES,
        first_refit: int = FIRST_REFIT,
        all_of: int = ALL_OF,
        teacher: Teacher | None = None,
        meaning: Callable[[PageWords], Place | None] | None = None,
    ) -> None:
        """``labels``: pages that a user has judged, with the prior's log-odds. ``teacher``: whose opinion fits learn from, tier semantic.

        ``meaning``: where a page stands among the word vectors.
        """
        self.learned = Learned()
        self._refits = refits or InlineRefits()
        self._teacher = teacher
        self._meaning = meaning
        self._labels = [self._example(words, prior, label) for words, label, prior in labels]
        self._told = _name_of(self._labels)
        self._pages: list[LearnedPage] = []
        self._news: deque[LearnedPage] = deque(maxlen=KEPT_NEWS)
        self._most_pages, self._all_of = most_pages, all_of
        self._seen, self._next = 0, first_refit
        if self._labels:
            self.refit()

    def observe(self, words: PageWords, prior: float) -> None:
        """A page was judged: ``prior`` is what was thought of it before anything was learned, in log-odds."""
        self._tell_labels()
        if self._is_taken():
            example = self._remembered(words, prior)
            self._keep(example)
            if self._seen % THEN_EVERY == 0:
                self._news.append(example)
        if self._seen >= self._next:
            self.refit()

    def adopt(self, state: bytes) -> None:
        """Go on from what another process, or an earlier run, has learned; ValueError for anything but a state.

        What was fitted without the labels given here is corrected by them: at once where fits are allowed, else when they are.
        """
        self.learned = Learned.read(state)
        self._tell_labels()

    def _tell_labels(self) -> None:
        before = self.learned
        if not self._labels or before.labels == self._told:
            return

        def fit() -> Learned:
            from topicspider.relevance.learner.label_correction import corrected

            return replace(corrected(before, self._labels, _LABEL_WEIGHT, _PENALTY), labels=self._told)

        def adopt(found: Learned) -> None:
            if self.learned is before:  # else it was fitted anew meanwhile, with the labels
                self.learned = found

        self._refits.run(fit, adopt)

    def news(self) -> Sequence[str]:
        """Every fourth of its own pages since the last call, each as JSON: the words that tell most of it."""
        news = [_line_of(example) for example in self._news]
        self._news.clear()
        return news

    def learn(self, examples: Sequence[str]) -> None:
        """Take in other processes' pages as if they had been read here; what cannot be read is left out."""
        for text in examples:
            example = _example_of(text)
            if example is not None and self._is_taken():
                self._keep(example)
        if self._seen >= self._next:
            self.refit()

    def _is_taken(self) -> bool:
        """Whether the next page is one of the sample."""
        self._seen += 1
        return self._seen <= self._all_of or self._seen % THEN_EVERY == 0

    def _keep(self, example: LearnedPage) -> None:
        if len(self._pages) < self._most_pages:
            self._pages.append(example)
        else:
            place = _draw(self._seen)
            if place < self._most_pages:
                self._pages[place] = example

    def refit(self) -> None:
        """Fit anew what is remembered; when it comes to nothing (another node fits, or it failed) the next time is soon enough."""
        self._next = self._seen + max(1, min(LONGEST_PAUSE, ceil(self._seen * (GROWTH - 1.0))))
        pages, number = [*self._labels, *self._pages], self.learned.refits + 1

        def adopt(found: Learned) -> None:
            self.learned = found

        self._refits.run(lambda: _fitted(pages, number, self._teacher), adopt)

    def _remembered(self, words: PageWords, prior: float) -> LearnedPage:
        return self._example(words, prior, text="" if self._teacher is None else text_of(words))

    def _example(self, words: PageWords, prior: float, label: bool | None = None, text: str = "") -> LearnedPage:
        meaning = None if self._meaning is None else self._meaning(words)
        meant = meaning is not None
        prior = min(max(prior, -_LIMIT), _LIMIT)
        of_words = weight_of_words(words, meant=meant)
        trusted = trust(words, meant=meant)
        told = WordValues.of(features(words))
        return LearnedPage(told, prior, trusted, label, text, of_words, meaning, bool(words.body))


def _product(weights: Sequence[float], numbers: Place) -> float:
    import numpy as np

    return float(np.dot(weights, numbers))


def _line_of(example: LearnedPage) -> str:
    told = sorted(example.features.pairs(), key=lambda one: (-one[1], one[0]))[:NEWS_WORDS]
    words = {word: round(value, 4) for word, value in told}
    return json.dumps([words, round(example.prior, 4), round(example.trust, 4), example.text], ensure_ascii=False)


def _example_of(text: str) -> LearnedPage | None:
    """What another process told, as far as it can be."""
    try:
        words, prior, trusted, read = json.loads(text)
        found = {str(word): float(value) for word, value in list(words.items())[:NEWS_WORDS]}
        clipped = min(max(float(prior), -_LIMIT), _LIMIT)
        example = LearnedPage(WordValues.of(found), clipped, float(trusted), text=str(read)[:LONGEST])
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    is_possible = 0.0 <= example.trust <= 1.0 and all(0.0 <= value <= 1.0 for value in found.values())
    return example if is_possible else None


def _draw(seen: int) -> int:
    """A number below ``seen``, the same in every process."""
    return int.from_bytes(blake2b(seen.to_bytes(8, "big"), digest_size=8).digest(), "big") % seen


def _fitted(pages: Sequence[LearnedPage], number: int, teacher: Teacher | None = None) -> Learned:
    import numpy as np

    from topicspider.relevance.learner.logistic import fit_logistic
    from topicspider.relevance.learner.meanings import fitted_meaning
    from topicspider.relevance.learner.word_columns import WordColumns

    labelled = {word for page in pages if page.label is not None for word in page.features.words}
    most = max(_FURNITURE * len(pages), _LEAST_PAGES)
    vocabulary, examples = WordColumns.of([page.features for page in pages], labelled, _LEAST_PAGES, most)
    priors = np.array([page.prior for page in pages])
    known = np.array([page.label is not None for page in pages])
    thought = _thought(pages, priors, known, teacher)
    targets = 1.0 / (1.0 + np.exp(-_SHARPNESS * thought))
    targets[known] = [float(page.label) for page in pages if page.label is not None]
    hits = float(np.sum(1.0 / (1.0 + np.exp(-thought[~known])))) if (~known).any() else 0.0
    above = int(np.sum(thought[~known] > WATERSHED))
    if not vocabulary or (above < _FEWEST_HITS and not known.any()):
        return Learned(refits=number, labels=_name_of(pages))
    start, weights = fit_logistic(examples, targets, np.where(known, _LABEL_WEIGHT, 1.0), _PENALTY)
    words = WordColumns(vocabulary, examples).heaviest(weights, _LEARNED_WORDS)
    trusted = np.array([page.trust for page in pages])
    of_words = trusted * np.array([page.of_words for page in pages])
    mixed = (1.0 - trusted) * priors + of_words * (start + examples.times(weights))
    about = fitted_meaning([page.meaning for page in pages], targets, known, mixed, trusted - of_words)
    mixed += about.added
    shift = WATERSHED - float(np.sort(mixed[~known])[-above]) if above >= _FEWEST_HITS else 0.0
    shift += _shift_of_titles(mixed[~known] + shift, [not page.is_body for page in pages if page.label is None])
    share = (hits + 2.0 * float(known.sum())) / (hits + 2.0 * float(known.sum()) + HALF_TRUSTED)
    return Learned(
        number,
        round(share, 6),
        round(start, 4),
        round(shift, 4),
        words,
        about.start,
        about.weights,
        about.told,
        _name_of(pages),
    )


def _name_of(pages: Sequence[LearnedPage]) -> str:
    """Names the labels among ``pages``; "" when there are none."""
    told = sorted(f"{page.label} {sorted(page.features.pairs())}" for page in pages if page.label is not None)
    return blake2b("\n".join(told).encode(), digest_size=8).hexdigest() if told else ""


def _shift_of_titles(odds: Floats, alone: Sequence[bool]) -> float:
    """How much more likely titles are made, so that F1 is best at the watershed; 0 for a sample of pages."""
    import numpy as np

    from topicspider.relevance.learner.expected_f1 import best_cut

    if len(alone) < _FEWEST_TITLES or not all(alone):
        return 0.0
    return float(np.clip(WATERSHED - best_cut(odds), -_FARTHEST_SHIFT, _FARTHEST_SHIFT))


def _thought(pages: Sequence[LearnedPage], priors: Floats, known: NDArray[np.bool_], teacher: Teacher | None) -> Floats:
    """What is thought of the pages that have no label, in log-odds: by the prior, or by the teacher who heard it."""
    if teacher is None or known.all():
        return priors
    texts = [page.text for page in pages if page.label is None]
    opinions = teacher.opinions(texts, priors[~known], WATERSHED)
    if opinions is None:
        return priors
    thought = priors.copy()
    thought[~known] = opinions
    return thought


def _is_sound(number: float) -> bool:
    return abs(number) < 1e6  # False for what is no number, too
