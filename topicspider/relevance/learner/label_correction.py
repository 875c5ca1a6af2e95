"""Brings a user's labels into what a crawl learned without them, when its pages are no longer there to be fitted together with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from topicspider.relevance.learner.logistic import Examples, fit_logistic
from topicspider.relevance.learner.meanings import fitted_told
from topicspider.relevance.learner.page_learner import HALF_TRUSTED, Learned
from topicspider.relevance.learner.word_columns import WordColumns
from topicspider.relevance.learner.word_values import WordValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.relevance.learner.page_learner import LearnedPage


def corrected(found: Learned, labels: Sequence[LearnedPage], importance: float, penalty: float) -> Learned:
    """``found`` so that the pages with ``labels`` are judged as labelled: its words weigh more or less, then places do.

    The intercept stays: which pages get labels says nothing of how many are on topic.
    """
    hits = HALF_TRUSTED * found.share / (1.0 - found.share) + 2.0 * len(labels)
    shared = replace(found, share=round(hits / (hits + HALF_TRUSTED), 6), told=())
    counts = [
        shared.share * page.trust * page.of_words for page in labels
    ]  # how much a word's weight counts on each page
    rows = [
        WordValues.of({word: count * value for word, value in page.features.pairs()})
        for page, count in zip(labels, counts, strict=True)
    ]
    vocabulary, examples = WordColumns.of(rows, {word for row in rows for word in row.words}, 1, len(rows))
    targets = np.array([float(bool(page.label)) for page in labels])
    odds = np.array([_odds_of(page, shared) for page in labels])
    _, weights = fit_logistic(examples, targets, np.full(len(labels), importance), penalty, odds)
    added = WordColumns(vocabulary, examples).heaviest(weights, len(vocabulary))
    words = {w: round(found.words.get(w, 0.0) + added.get(w, 0.0), 4) for w in sorted({*found.words, *added})}
    odds = odds + examples.times(weights)
    placed = np.array([page.meaning is not None for page in labels])
    places = np.array([page.meaning for page in labels if page.meaning is not None], dtype=np.float32)
    told = fitted_told(Examples(places), targets[placed], odds[placed]) if found.meaning and placed.any() else ()
    return replace(shared, words=words, told=told)


def _odds_of(page: LearnedPage, learned: Learned) -> float:
    """Log-odds by the prior and what was learned, without what labels told."""
    part = learned.share * page.trust
    of_words = part * page.of_words
    weighed = sum(learned.words.get(word, 0.0) * value for word, value in sorted(page.features.pairs()))
    odds = (1.0 - part) * page.prior + of_words * (learned.start + weighed) + learned.share * learned.shift
    if learned.meaning and page.meaning is not None:
        odds += (part - of_words) * (learned.meaning_start + learned.of_meaning(page.meaning))
    return odds
