"""Average precision and F1 are what they are by hand, also among equal scores, and the labels are those of the file."""

from __future__ import annotations

from itertools import permutations
from statistics import fmean

import pytest

from benchmarks.quality.labelled_titles import (
    HELD_OUT,
    LABELS,
    TUNED,
    LabelledTitle,
    average_precision,
    f1_at,
    frequent_labels,
    labelled_titles,
    missing_titles,
    topic_file,
)
from topicspider.topic.loading import load_topic


@pytest.mark.parametrize(
    ("scores", "relevant", "by_hand"),
    [
        ([0.9, 0.8, 0.7, 0.6], [True, False, True, False], (1 / 1 + 2 / 3) / 2),
        ([0.1, 0.2, 0.3], [True, False, False], 1 / 3),
        # one of two equals is right: first or second, each half of the time
        ([0.5, 0.5], [True, False], (1 + 1 / 2) / 2),
        # after a right one, three equals with one right: at place 2, 3 or 4
        ([0.9, 0.4, 0.4, 0.4], [True, False, True, False], (1 + (2 / 2 + 2 / 3 + 2 / 4) / 3) / 2),
        ([0.3, 0.3, 0.3], [True, True, True], 1.0),
        ([0.3, 0.2], [False, False], 0.0),
        ([], [], 0.0),
    ],
)
def test_average_precision_by_hand(scores, relevant, by_hand):
    assert average_precision(scores, relevant) == pytest.approx(by_hand)


def test_equal_scores_give_the_mean_over_their_orders_whatever_order_they_come_in():
    scores, relevant = [0.8, 0.5, 0.5, 0.5, 0.5, 0.2], [False, True, True, False, False, True]
    tied = range(1, 5)
    orders = [[0, *order, 5] for order in permutations(tied)]
    apart = [6, 5, 4, 3, 2, 1]
    mean = fmean(average_precision(apart, [relevant[place] for place in order]) for order in orders)
    assert average_precision(scores, relevant) == pytest.approx(mean)
    for order in orders:
        assert average_precision(scores, [relevant[place] for place in order]) == average_precision(scores, relevant)


def test_scores_and_marks_are_as_many():
    with pytest.raises(ValueError, match="zip"):
        average_precision([0.1, 0.2], [True])


@pytest.mark.parametrize(
    ("threshold", "f1"), [(0.5, 2 * 2 / (3 + 3)), (0.7, 2 * 1 / (2 + 3)), (0.95, 0.0), (0.0, 2 * 2 / (3 + 3))]
)
def test_f1_takes_what_reaches_the_threshold_and_never_a_score_of_nothing(threshold, f1):
    scores, relevant = [0.9, 0.7, 0.5, 0.0], [True, False, True, True]
    assert f1_at(threshold, scores, relevant) == pytest.approx(f1)


def test_titles_are_read_as_the_file_has_them(tmp_path):
    (tmp_path / "titles-dev.tsv").write_text("travel\t春天去哪里看花\t花\nsports\t“主场”再胜\t\n\n", encoding="utf-8")
    rows = labelled_titles(tmp_path)
    assert rows == [LabelledTitle("travel", "春天去哪里看花"), LabelledTitle("sports", "“主场”再胜")]
    assert frequent_labels([*rows, rows[1]], 2) == ("sports",)
    assert missing_titles(tmp_path) == ""
    assert "titles-dev.tsv" in missing_titles(tmp_path / "nowhere")


def test_every_label_has_a_topic_of_terms_alone():
    for label in (*LABELS, "stock"):
        topic = load_topic(str(topic_file(label)))
        assert topic.name == label
        assert 40 <= len(topic.terms) <= 60
        assert not topic.texts


def test_labels_are_those_with_enough_titles():
    assert (*TUNED, *HELD_OUT) == LABELS
    assert (len(TUNED), len(HELD_OUT)) == (6, 8)
    if reason := missing_titles():
        pytest.skip(reason)
    assert frequent_labels(labelled_titles()) == LABELS
