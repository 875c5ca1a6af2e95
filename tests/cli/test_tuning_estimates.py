"""A few labels speak for all pages: the sample, its weights, and what is said by it."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from topicspider.cli.labels import (
    Judged,
    best_threshold,
    drawn,
    expected_harvest,
    point,
    strata_of,
    thresholds_between,
    weighed,
)
from topicspider.store.rows import PageMeta

THRESHOLD = 0.5


def standing(place: int, score: float) -> PageMeta:
    return PageMeta(
        url=f"http://a.example/{place}", relevance=score, on_topic=score >= THRESHOLD, threshold=THRESHOLD, scorer="vsm"
    )


def made_pages(count: int = 3000, seed: int = 1, slope: float = 20.0) -> tuple[list[PageMeta], dict[str, bool]]:
    """Pages whose truth is the surer the further their score is from .4: the best threshold is not the one in use."""
    rng = random.Random(seed)
    pages = [standing(place, rng.random() ** 2) for place in range(count)]
    return pages, {page.url: rng.random() < 1 / (1 + 2.718 ** (-slope * (page.relevance - 0.4))) for page in pages}


PAGES, TRUTH = made_pages()


def test_no_page_is_asked_about_twice_and_stopping_early_leaves_every_stratum_asked():
    strata = strata_of(PAGES, THRESHOLD)
    first = [page.url for page in drawn(strata, 20, random.Random(1))]
    again = [page.url for page in drawn(strata, 20, random.Random(1), set(first))]
    assert not set(first) & set(again)
    assert all(any(page.url in first[:4] for page in stratum) for stratum in strata)


def test_estimates_are_unbiased_though_most_questions_are_about_pages_near_the_threshold():
    """The mean over many samples is the truth; without the weights it would be off by a lot."""
    strata = strata_of(PAGES, THRESHOLD)
    wanted = sum(TRUTH.values())
    weighted, plain = [], []
    for seed in range(400):
        chosen = drawn(strata, 20, random.Random(seed))
        judged = weighed(strata, {page.url: TRUTH[page.url] for page in chosen})
        weighted.append(sum(one.weight for one in judged if one.on_topic))
        plain.append(len(PAGES) * mean(TRUTH[page.url] for page in chosen))
    assert mean(weighted) == pytest.approx(wanted, rel=0.04)
    assert abs(mean(plain) - wanted) > 0.1 * wanted


def test_precision_and_recall_count_weights():
    judged = [Judged(0.9, True, 1), Judged(0.8, False, 1), Judged(0.3, True, 4), Judged(0.1, False, 10)]
    at = point(judged, 0.5)
    assert (at.precision, at.recall, at.f1) == (0.5, 0.2, pytest.approx(2 / 7))
    assert point(judged, 0.2).recall == 1.0
    assert point(judged, 0.95).precision is None
    assert point([], 0.5).f1 == 0.0
    assert thresholds_between(judged) == [0.2, 0.55, 0.85]


def test_the_best_threshold_lies_between_yes_and_no():
    judged = [Judged(0.2, False), Judged(0.3, False), Judged(0.6, True), Judged(0.7, True)]
    assert best_threshold(judged, 0.9) == 0.45
    assert best_threshold(judged, 0.5) == 0.5  # as good, and in use already


def test_twenty_answers_move_a_wrong_threshold_towards_the_right_one():
    """In use is .8, where precision is perfect and most is missed; mean F1 of the tuned thresholds is near the best there is."""
    everything = [Judged(page.relevance, TRUTH[page.url]) for page in PAGES]
    best = max(point(everything, i / 50).f1 for i in range(50))
    strata = strata_of(PAGES, 0.8)
    tuned = []
    for seed in range(30):
        chosen = drawn(strata, 20, random.Random(seed))
        threshold = best_threshold(weighed(strata, {page.url: TRUTH[page.url] for page in chosen}), 0.8)
        tuned.append(point(everything, 0.8 if threshold is None else threshold).f1)
    assert point(everything, 0.8).f1 < 0.5
    assert mean(tuned) > best - 0.1


def test_the_expected_harvest_is_unbiased_and_exact_when_all_is_known():
    pages, right = made_pages(slope=5.0)
    strata = strata_of(pages, THRESHOLD)
    truth = sum(right[page.url] for page in pages if page.relevance >= THRESHOLD)
    samples = [drawn(strata, 20, random.Random(seed)) for seed in range(300)]
    found = [expected_harvest(strata, {page.url: right[page.url] for page in sample}, THRESHOLD) for sample in samples]
    assert mean(found) == pytest.approx(truth, rel=0.03)
    assert expected_harvest(strata, right, THRESHOLD) == pytest.approx(truth)
