"""Measures the word vectors alone: mean average precision of the cosine between a topic's terms and a title.

    python -m benchmarks.quality.word_vectors

Needs the labelled titles.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

import numpy as np

from benchmarks.quality.labelled_titles import (
    HELD_OUT,
    LABELS,
    TUNED,
    average_precision,
    labelled_titles,
    missing_titles,
    topic_file,
)
from topicspider.text.lexicon import idfs, word_vectors
from topicspider.text.normalise import normalise
from topicspider.text.segment import make_segmenter
from topicspider.topic.loading import load_topic
from topicspider.topic.profile import Topic


def by_words(titles: list[str]) -> tuple[np.ndarray, Callable[[Topic], np.ndarray]]:
    """The vectors of the titles, as rows, and a function that makes the vector of a topic."""
    table, segmenter = word_vectors(), make_segmenter()
    nothing = np.zeros(table.dimension, np.float32)

    def row(words: list[str], weights: list[float]) -> np.ndarray:
        vector = table.text_vector(words, weights)
        return nothing if vector is None else vector

    def query(topic: Topic) -> np.ndarray:
        words = [normalise(word) for word in topic.terms]
        return row(words, [idf * weight for idf, weight in zip(idfs(words), topic.terms.values(), strict=True)])

    return np.stack([row(words := segmenter.words(title), idfs(words)) for title in titles]), query


def main() -> None:
    """Print average precision by label, and its means over TUNED, HELD_OUT and all LABELS."""
    if missing := missing_titles():
        print(missing)
        return
    rows = labelled_titles()
    vectors, query = by_words([row.title for row in rows])
    values = {}
    for label in LABELS:
        scores = np.round(vectors @ query(load_topic(str(topic_file(label)))), 6).tolist()
        values[label] = average_precision(scores, [row.label == label for row in rows])
    print(*(f"{label} {value:.3f}" for label, value in values.items()))
    for name, labels in {"tuned": TUNED, "held out": HELD_OUT, "all": LABELS}.items():
        print(f"mean of {name} {fmean(values[label] for label in labels):.3f}")


if __name__ == "__main__":
    main()
