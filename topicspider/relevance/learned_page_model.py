"""What a crawl's own pages teach about its topic: logistic regressions on their words and meaning, fitted to the prior's probabilities.

Pages need no labels: the prior's probability, sharpened, is the target, and the other words of likely pages add what the topic's words
leave out. The model never replaces the prior wholly, because on a rare topic it would drift; see ``PageModel.share``.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import chain
from math import ceil, log, sqrt
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from topicspider.relevance.interfaces import FitExecutor, InlineFits, PageWords
from topicspider.relevance.link_features import log_odds
from topicspider.relevance.page_prior import SITE, USUAL, WITH_VECTORS, Background, Measured
from topicspider.relevance.published_page_scorers import word_counts
from topicspider.text.lexicon import idfs
from topicspider.topic.user_labels import WORDS_READ

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from topicspider.relevance.logistic import SparseRows
    from topicspider.relevance.page_prior import Evidence

    Floats = NDArray[np.float64]
    MeaningVector = NDArray[np.float32]
    Label = tuple[PageWords, bool]

logger = logging.getLogger(__name__)

MOST_PAGES = 1_500
"""Pages remembered: a random sample of those that were read."""
ALL_OF, THEN_EVERY = 500, 4
"""Each of the first 500 pages is a candidate for the sample, then every fourth, which costs a quarter."""
FIRST_FIT, GROWTH, LONGEST_PAUSE = 50, 1.3, 500
"""The first fit comes at 50 pages, each further one at 1.3 times as many, at the latest after 500 more."""
HALF_TRUSTED = 60.0
"""With this many expected hits the learned model gets half of its full weight."""
TRUST = 0.8
"""The full weight of the learned model, the prior has the rest; without word vectors it is TRUST_OF_WORDS."""
TRUST_OF_WORDS = 0.5
WORDS_PART = 0.4
"""Within the learned model, the weight of the regression on words; the one on meaning has the rest."""
WATERSHED = log(0.35 / 0.65)
"""Log-odds of .35, near which F1 is best. Without labels, as many pages lie above it after learning as before (``shift`` sees to it)."""
_SHARPNESS = 2.0
"""Factor on the prior's log-odds in targets: a page is on topic or not, but the prior is seldom sure."""
_WORD_PENALTY, _MEANING_PENALTY, _LABEL_PENALTY, _LABEL_START_PENALTY = 1.0, 0.6, 0.03, 1.0
"""L2 penalties. Lower for meaning, whose components are small and need large weights; lowest for labels, which are few but reliable."""
_FEWEST_LABELS, _FEWEST_HITS, _LEAST_AGREEMENT = 10, 5, 0.5
"""Agreement: the share of the learned model's top pages that the prior puts on topic too; with less the model has run away."""
_LEARNED_WORDS = 5_000
_DRAINED_PAGES, _DRAINED_WORDS = 200, 100
"""Pages that wait to be sent to other processes, and the words sent of each: 2 kB."""
_LARGEST_ODDS = 9.0
_ROUNDING = 0.001
"""Added to ``shift``, more than rounding can take from a page: else pages at the watershed, many if alike, could fall below it."""
_USUAL_PAGES, _ROUNDS, _WIDEST = 200.0, 2, 0.1
"""The usual background counts as 200 pages. More rounds take hits for background; hits also widen the spread, which is at most _WIDEST."""
_OF_SITE, _SITE_STRENGTH, _FEWEST_OF_SITE = 0.5, 10.0, 3
"""The weight of a site's log-odds; pages of the overall rate that are added to those of a site; with fewer own ones it counts as unknown."""
_LONG_BODY, _LONG_WORDS = 0.81 * WITH_VECTORS.body_meaning, 0.7 * WITH_VECTORS.body_words
"""Bodies of lower weights (shorter than about a hundred words) are left out of the background: F1 of sites is .01 to .02 better."""


@dataclass(frozen=True)
class PageModel:
    """The learned model; ``page_evidence`` has the formula. ``share`` in [0, 1): how far it is trusted, 0 before it learned (promise R4).

    ``labels``: weights of meaning that correct all else by the user's labels. ``background``: what the crawl's own off-topic pages are
    like, used whatever ``share`` is. ``has_run_away``: what was learned contradicted the topic, and was left out. ``sites``: see site_gains.
    """

    fits: int = 0
    share: float = 0.0
    start: float = 0.0
    shift: float = 0.0
    words: Mapping[str, float] = field(default_factory=dict)
    meaning_start: float = 0.0
    meaning: tuple[float, ...] = ()
    labels: tuple[float, ...] = ()
    background: Background = USUAL
    has_run_away: bool = False
    sites: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def version(self) -> str:
        """The number of fits, and a digest of their result."""
        return f"{self.fits}-{blake2b(self.state(), digest_size=4).hexdigest()}"

    @cached_property
    def directions(self) -> tuple[Floats, Floats]:
        """``meaning`` and ``labels`` as arrays."""
        import numpy as np

        return np.array(self.meaning), np.array(self.labels)

    def state(self) -> bytes:
        """All of it as JSON."""
        content = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return json.dumps(content, ensure_ascii=False, sort_keys=True).encode()

    @classmethod
    def read(cls, state: bytes) -> PageModel:
        """What ``state`` returned; ValueError for anything else."""
        try:
            given = json.loads(state)
            model = cls(
                int(given["fits"]),
                float(given["share"]),
                float(given["start"]),
                float(given["shift"]),
                {str(word): float(weight) for word, weight in given["words"].items()},
                float(given["meaning_start"]),
                tuple(map(float, given["meaning"])),
                tuple(map(float, given["labels"])),
                Background._make(map(float, given["background"])),
                bool(given["has_run_away"]),
                {str(site): float(gain) for site, gain in given.get("sites", {}).items()},
            )
        except (KeyError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            raise ValueError("not the state of this version's page judge") from None
        weights = (*model.words.values(), *model.sites.values(), *model.meaning, *model.labels)
        numbers = (model.start, model.shift, model.meaning_start, *model.background, *weights)
        is_sound = 0.0 <= model.share < 1.0 and all(abs(number) < 1e6 for number in numbers)
        if not is_sound or min(model.background.spread, model.background.title_spread) <= 0.0:
            raise ValueError("the state of a page judge with numbers that it cannot have")
        return model


def page_evidence(model: PageModel, prior: Evidence, words: PageWords) -> Evidence:
    """The evidence of a page with what was learned: a start and named terms, in log-odds, whose sum is

    (1 - t) · prior + t · [p · (start + Σ weight · word) + (1 - p) · (meaning_start + meaning · v)] + share · shift + labels · v + site,

    v: the page's meaning; t = share · TRUST; p = WORDS_PART. Without meaning p is 1 and t = share · TRUST_OF_WORDS. The prior is taken
    against the model's background.
    """
    prior = prior.against(model.background)
    if not model.share:
        return prior
    v = prior.meaning if len(model.meaning) == (0 if prior.meaning is None else len(prior.meaning)) else None
    has_meaning = v is not None and bool(model.meaning)
    trust = model.share * (TRUST if has_meaning else TRUST_OF_WORDS)
    of_words = trust * (WORDS_PART if has_meaning else 1.0)
    start = (1.0 - trust) * prior.start + of_words * model.start + model.share * model.shift
    terms = {name: (1.0 - trust) * share for name, share in prior.shares.items()}
    values = prior.words or word_values(words)
    # sorted: sums are the same to the last bit in every process
    terms |= {f"learned:{w}": of_words * model.words[w] * values[w] for w in sorted(values.keys() & model.words.keys())}
    if v is not None and has_meaning:
        start += (trust - of_words) * model.meaning_start
        terms["learned meaning"] = (trust - of_words) * _product(model.directions[0], v)
    if v is not None and model.labels:
        terms["labels"] = _product(model.directions[1], v)
    if words.site and model.sites:
        terms[SITE] = model.sites.get(words.site, model.sites.get("", 0.0))
    return replace(prior, start=start, shares=terms)


def _product(weights: Floats, numbers: MeaningVector) -> float:
    return round(float(weights @ numbers), 6)


@lru_cache(maxsize=2)  # a page that is judged is learned from next
def word_values(words: PageWords) -> Mapping[str, float]:
    """Word to its value on a page: (1 + ln(count in the body's beginning), plus 2 for each time in the title) · idf, scaled to length 1."""
    counts = word_counts(words).beginning
    values = {word: 1.0 + log(count) if count > 1 else 1.0 for word, count in counts.items()}
    for word in words.title[:WORDS_READ]:
        values[word] = values.get(word, 0.0) + 2.0
    weighed = list(map(mul, values.values(), idfs(values)))
    length = sqrt(sum(map(mul, weighed, weighed)))
    return dict(zip(values, [value / length for value in weighed], strict=True)) if length > 0.0 else {}


class RememberedPage(NamedTuple):
    """A page of the sample, or one that a user has labelled. ``words`` and their ``values`` take a quarter of a dict's memory.

    ``prior``: log-odds against the usual background; ``measured``: what is needed to compare the page with another background. ``filed``:
    log-odds of the site's own filing, which counts only where the hits of a site are counted.
    """

    words: tuple[str, ...]
    values: array[float]
    prior: float
    measured: Measured = Measured()
    meaning: MeaningVector | None = None
    label: bool | None = None
    site: str = ""
    filed: float = 0.0

    @classmethod
    def of(
        cls, values: Mapping[str, float], prior: Evidence, label: bool | None = None, site: str = ""
    ) -> RememberedPage:
        """The page with these ``word_values`` and this prior evidence, its log-odds clipped to ±_LARGEST_ODDS."""
        odds = -_LARGEST_ODDS if prior.is_empty else min(max(prior.log_odds, -_LARGEST_ODDS), _LARGEST_ODDS)
        kept, filed = array("d", values.values()), sum(prior.filed.values())
        return cls(tuple(values), kept, odds, prior.measured, prior.meaning, label, site, filed)

    def line(self) -> str:
        """Its words of the largest values, prior, measures, site and filing, as JSON for other processes."""
        told = sorted(zip(self.words, self.values, strict=True), key=lambda pair: (-pair[1], pair[0]))[:_DRAINED_WORDS]
        words = {word: round(value, 4) for word, value in told}
        measured = [round(number, 6) for number in self.measured]
        return json.dumps([words, round(self.prior, 4), measured, self.site, round(self.filed, 4)], ensure_ascii=False)

    @classmethod
    def read(cls, line: str) -> RememberedPage | None:
        """The page of a ``line`` from another process; None when it is not valid."""
        try:
            words, prior, measured, site, filed = json.loads(line)
            values = {str(word): float(value) for word, value in list(words.items())[:_DRAINED_WORDS]}
            kept, taken = array("d", values.values()), Measured._make(map(float, measured))
            page = cls(tuple(values), kept, float(prior), taken, site=str(site)[:255], filed=float(filed))
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            return None
        is_sound = all(-1.1 <= number <= 10.0 for number in page.measured)
        is_sound &= all(abs(number) <= _LARGEST_ODDS for number in (page.prior, page.filed))
        return page if is_sound and all(0.0 <= value <= 1.0 for value in page.values) else None


class PageLearner:
    """Remembers a sample of pages and refits the model now and then. The same pages in the same order give the same model (promise R5).

    ``evidence``: gives the prior of a page. ``labels``: pages that a user has judged. ``sample``: how many pages are remembered, and how
    many of the first are all candidates; ``first_fit``: pages before the first fit.
    """

    def __init__(
        self,
        evidence: Callable[[PageWords], Evidence],
        fits: FitExecutor | None = None,
        labels: Sequence[Label] = (),
        sample: tuple[int, int] = (MOST_PAGES, ALL_OF),
        first_fit: int = FIRST_FIT,
        topic: str = "",
    ) -> None:
        self.model = PageModel()
        self._evidence = evidence
        self._fits = fits or InlineFits()
        self._labels = labels
        self._labelled = [self._remembered(words, label) for words, label in labels]
        self._pages: list[RememberedPage] = []
        self._new: deque[RememberedPage] = deque(maxlen=_DRAINED_PAGES)
        self._most_pages, self._all_of = sample
        self._topic = topic
        self._seen, self._next = 0, first_fit
        if self._labels:
            self.refit()

    def observe(self, words: PageWords) -> None:
        """Take note of a page that was judged; refit when it is time."""
        if self._is_taken():
            page = self._remembered(words)
            self._keep(page)
            if self._seen % THEN_EVERY == 0:
                self._new.append(page)
        if self._seen >= self._next:
            self.refit()

    def adopt(self, state: bytes) -> None:
        """Go on from what another process, or an earlier run, has learned; ValueError when ``state`` is not valid.

        When it was learned without labels, the labels given here are fitted on top of it, because its pages are not available any more.
        """
        model = PageModel.read(state)
        pages = [(words, label, self._evidence(words)) for words, label in self._labels]
        placed = [(prior.meaning, label, page_evidence(model, prior, words).log_odds)
                  for words, label, prior in pages if prior.meaning is not None]  # fmt: skip
        if placed and model.meaning and not model.labels:
            meanings, targets, odds = zip(*placed, strict=True)
            model = replace(model, labels=_fit_labels(meanings, targets, odds)[1])
        self.model = model

    def drain_examples(self) -> Sequence[str]:
        """Every fourth of the pages observed here since the last call, each as JSON."""
        lines = [page.line() for page in self._new]
        self._new.clear()
        return lines

    def add_examples(self, examples: Sequence[str]) -> None:
        """Take in other processes' pages as if they had been read here; what cannot be read is left out."""
        for line in examples:
            page = RememberedPage.read(line)
            if page is not None and self._is_taken():
                self._keep(page)
        if self._seen >= self._next:
            self.refit()

    def refit(self) -> None:
        """Fit the remembered pages anew. A fit that fails, or is skipped because another node fits, is made up for by the next one."""
        self._next = self._seen + max(1, min(LONGEST_PAUSE, ceil(self._seen * (GROWTH - 1.0))))
        pages, number = [*self._labelled, *self._pages], self.model.fits + 1

        def adopt(model: PageModel) -> None:
            if model.has_run_away and not self.model.has_run_away:
                logger.warning(
                    "%s: what its pages taught contradicts the topic, which judges them alone for now", self._topic
                )
            self.model = model

        self._fits.run(lambda: fitted(pages, number), adopt)

    def _is_taken(self) -> bool:
        """Count the next page; whether it is a candidate for the sample."""
        self._seen += 1
        return self._seen <= self._all_of or self._seen % THEN_EVERY == 0

    def _keep(self, page: RememberedPage) -> None:
        if len(self._pages) < self._most_pages:
            self._pages.append(page)
        else:  # pseudo-random: the same in every process
            digest = blake2b(self._seen.to_bytes(8, "big"), digest_size=8).digest()
            place = int.from_bytes(digest, "big") % self._seen
            if place < self._most_pages:
                self._pages[place] = page

    def _remembered(self, words: PageWords, label: bool | None = None) -> RememberedPage:
        prior = self._evidence(words)
        return RememberedPage.of(prior.words or word_values(words), prior, label, words.site)


def fitted(pages: Sequence[RememberedPage], number: int) -> PageModel:
    """The model of ``pages``, the ``number``-th: first the words, then the meaning, then what corrects both by the labels.

    Each is a logistic regression. The target of a page is the prior's probability, sharpened, or the user's label.
    """
    import numpy as np

    from topicspider.relevance.logistic import fit_logistic, products, sigmoids

    background, priors = against_background(pages)
    is_labelled = np.array([page.label is not None for page in pages], dtype=bool)
    has_meaning = np.array([page.meaning is not None for page in pages], dtype=bool)
    targets = sigmoids(_SHARPNESS * priors)
    targets[is_labelled] = [float(page.label) for page in pages if page.label is not None]
    above = int(np.sum(priors[~is_labelled] > WATERSHED))
    vocabulary, rows = _matrix(pages)
    if not vocabulary or (above < _FEWEST_HITS and not is_labelled.any()):
        return PageModel(fits=number, background=background)
    importance = np.where(is_labelled, 10.0, 1.0)  # a user's label counts as so many pages

    # the log-odds that page_evidence would give each page at a share of 1
    start, weights = fit_logistic(rows, targets, importance=importance, penalty=_WORD_PENALTY)
    trust = np.where(has_meaning, TRUST, TRUST_OF_WORDS)
    of_words = trust * np.where(has_meaning, WORDS_PART, 1.0)
    odds = (1.0 - trust) * priors + of_words * (start + products(rows, weights))
    meaning_start, meaning, meanings = 0.0, np.zeros(0), None
    if has_meaning.any():
        meanings = np.array([page.meaning for page in pages if page.meaning is not None])
        meaning_start, meaning = fit_logistic(
            meanings, targets[has_meaning], importance=importance[has_meaning], penalty=_MEANING_PENALTY
        )
        odds[has_meaning] += (trust - of_words)[has_meaning] * (meaning_start + products(meanings, meaning))

    taught = (odds - (1.0 - trust) * priors) / trust
    if not is_labelled.any() and _agreement(taught, priors, above) < _LEAST_AGREEMENT:
        return PageModel(fits=number, background=background, has_run_away=True)
    certain = float(np.sum(sigmoids(priors[~is_labelled]))) + 2.0 * float(is_labelled.sum())
    share = certain / (certain + HALF_TRUSTED)
    shift = WATERSHED - float(np.sort(odds[~is_labelled])[-above]) if above >= _FEWEST_HITS else 0.0
    labels: tuple[float, ...] = ()
    judged = priors + share * (odds - priors + shift)
    if meanings is not None:
        told = is_labelled & has_meaning
        labels_start, labels = _fit_labels(meanings[is_labelled[has_meaning]], targets[told], judged[told])
        if labels:
            judged[has_meaning] += products(meanings, np.array(labels))
            moved = labels_start + _to_watershed(judged[~is_labelled] + labels_start)
            judged, shift = judged + moved, shift + moved / share
    return PageModel(
        fits=number,
        share=round(share, 6),
        start=round(start, 4),
        shift=round(shift + _ROUNDING, 4),
        words=_heaviest(vocabulary, weights),
        meaning_start=round(meaning_start, 4),
        meaning=tuple(np.round(meaning, 4).tolist()),
        labels=labels,
        background=background,
        sites=site_gains(pages, judged + share * _ROUNDING),
    )


def _agreement(taught: Floats, priors: Floats, above: int) -> float:
    """The share on topic by ``priors`` of the ``above`` pages that come first by ``taught``, what was learned."""
    import numpy as np

    first = np.argsort(-np.round(taught, 9), kind="stable")[:above]  # rounded: equals keep their order
    return float(np.mean(priors[first] > WATERSHED))


def site_gains(pages: Sequence[RememberedPage], judged: Floats) -> dict[str, float]:
    """The log-odds that a page gets from its site, by site; "" is any site of which little is known. Empty for fewer than two sites.

    ``judged``: log-odds of ``pages`` by what they say; those without a site, and labelled ones, do not count. First a site has _OF_SITE
    times what the log-odds of its share of hits exceed those of all pages by. Then one number for all sites is added, so that as many
    pages are above WATERSHED as before. Hits are counted without all this, so that a site cannot raise itself.
    """
    rows = zip(pages, judged.tolist(), strict=True)
    placed = [(page.site, odds + page.filed) for page, odds in rows if page.site and page.label is None]
    counts = Counter(site for site, _ in placed)
    found = Counter(site for site, odds in placed if odds > WATERSHED)
    hits = found.total()
    if len(counts) < 2 or hits < _FEWEST_HITS:
        return {}
    usual = hits / len(placed)

    def gain(site: str) -> float:
        rate = (found[site] + _SITE_STRENGTH * usual) / (counts[site] + _SITE_STRENGTH)
        return _OF_SITE * (log_odds(rate) - log_odds(usual))

    gains = {site: gain(site) for site in counts}
    moved = sorted(odds + gains[site] for site, odds in placed)
    start = WATERSHED - moved[-hits] + _ROUNDING
    known = sorted(site for site, count in counts.items() if count >= _FEWEST_OF_SITE)
    return {"": round(start, 4), **{site: round(start + gains[site], 4) for site in known}}


def against_background(pages: Sequence[RememberedPage]) -> tuple[Background, Floats]:
    """The background of these pages, and their log-odds against it.

    Mean and spread come from the contested pages: those on topic by the usual background, each weighted by how likely it is not; of
    bodies, the long ones. Pages far off topic do not count, so a crawl of a whole web has the same background as one near its topic: see
    docs/experiments.md. ``words`` comes from all long bodies: every article of an encyclopedia has some words of any topic.
    """
    import numpy as np

    usual = np.array([page.prior for page in pages])
    numbers = np.array([page.measured for page in pages]).reshape(-1, len(Measured._fields))
    titles, title_weights, bodies, body_weights, words, words_weights = numbers.T
    background, odds = USUAL, usual
    before = [sum(page.measured.shares().values()) for page in pages]
    for _round in range(_ROUNDS):
        misses = 1.0 / (1.0 + np.exp(_SHARPNESS * odds))
        of_titles = _mean_and_spread(titles, misses * (usual > WATERSHED) * (title_weights > 0.0))
        of_bodies = _mean_and_spread(bodies, misses * (usual > WATERSHED) * (body_weights >= _LONG_BODY))
        of_words = _mean_with(USUAL.words, words, misses * (words_weights >= _LONG_WORDS))
        background = Background(*of_titles, *of_bodies, of_words)
        moved = [sum(page.measured.shares(background).values()) for page in pages]
        odds = usual + np.subtract(moved, before)
    return background, odds


def _mean_with(usual: float, numbers: Floats, weights: Floats) -> float:
    """The weighted mean of ``numbers`` and of _USUAL_PAGES further ones that are ``usual``."""
    return round((_USUAL_PAGES * usual + float(weights @ numbers)) / (_USUAL_PAGES + float(weights.sum())), 6)


def _mean_and_spread(cosines: Floats, misses: Floats) -> tuple[float, float]:
    """Mean and spread of ``cosines``, weighted by ``misses``, how likely each page is off topic; neither is below the usual one."""
    mean = _mean_with(USUAL.mean, cosines, misses)
    square = _mean_with(USUAL.spread**2, (cosines - mean) ** 2, misses)
    return max(mean, USUAL.mean), round(min(max(sqrt(square), USUAL.spread), _WIDEST), 4)


def _fit_labels(meanings: Any, targets: Any, odds: Any) -> tuple[float, tuple[float, ...]]:
    """Start and weights of meaning by which labels correct ``odds``, their pages' log-odds; 0 and () for too few labels or one kind."""
    import numpy as np

    from topicspider.relevance.logistic import fit_logistic

    truth = np.asarray(targets, dtype=float)
    if len(truth) < _FEWEST_LABELS or not 0.0 < truth.mean() < 1.0:
        return 0.0, ()
    start, labels = fit_logistic(
        np.asarray(meanings),
        truth,
        penalty=_LABEL_PENALTY,
        offset=np.asarray(odds),
        intercept_penalty=_LABEL_START_PENALTY,
    )
    return start, tuple(np.round(labels, 4).tolist())


def _to_watershed(odds: Floats) -> float:
    """What to add to log-odds so that as many pages lie above the watershed as give the largest expected F1; 0 when few hits are expected.

    The n likeliest pages have an expected F1 of 2 · Σ of their chances / (n + Σ of all chances).
    """
    import numpy as np

    from topicspider.relevance.logistic import sigmoids

    ranked = np.sort(odds)[::-1]
    chances = sigmoids(ranked)
    if chances.sum() < _FEWEST_HITS:
        return 0.0
    expected = np.cumsum(chances) / (np.arange(1, len(chances) + 1) + chances.sum())
    return WATERSHED - float(ranked[np.argmax(expected)])


def _matrix(pages: Sequence[RememberedPage]) -> tuple[list[str], SparseRows]:
    """The vocabulary (words of three or more pages, and all of labelled ones), and each page's values of it as a row."""
    import numpy as np

    from topicspider.relevance.logistic import SparseRows

    places: dict[str, int] = {}
    columns = np.fromiter((places.setdefault(word, len(places)) for page in pages for word in page.words), np.int32)
    values = np.fromiter(chain.from_iterable(page.values for page in pages), np.float64)
    counts = np.bincount(columns, minlength=len(places))
    is_kept = counts >= 3  # words on one or two pages are chance
    is_kept[[places[word] for page in pages if page.label is not None for word in page.words]] = True
    chosen = is_kept[columns]
    page_of = np.repeat(np.arange(len(pages)), [len(page.words) for page in pages])
    numbers = np.cumsum(is_kept) - 1
    shape = (len(pages), int(is_kept.sum()))
    matrix = SparseRows(values[chosen], page_of[chosen], numbers[columns[chosen]], shape)
    return [word for word, kept in zip(places, is_kept.tolist(), strict=True) if kept], matrix


def _heaviest(vocabulary: Sequence[str], weights: Floats) -> dict[str, float]:
    """The _LEARNED_WORDS words of the largest weights, in size, with their weights rounded; without zeros, in alphabetical order."""
    import numpy as np

    rounded = np.round(weights, 4)
    order = np.argsort(-np.abs(rounded), kind="stable")[:_LEARNED_WORDS]
    return dict(sorted((vocabulary[n], float(rounded[n])) for n in order.tolist() if rounded[n]))
