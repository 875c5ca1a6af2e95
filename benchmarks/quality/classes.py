"""Measures how often the class of a title is found (top-1, top-3; classes of level 2), beside BM25 over the same terms and texts.

    python -m benchmarks.quality.classes

The titles are those of labelled_titles, and those of labelled pages of recordings; class_labels.json says which classes a label may mean
(a branch is I*). Labels that mean no class (story), or have fewer than 20 titles, are left out. The means are over titles.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.extraction import corpora
from benchmarks.quality.labelled_titles import labelled_titles, missing_titles
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.topic_matrix import TopicMatrix
from topicspider.text.segment import make_segmenter
from topicspider.topic import catalogue
from topicspider.topic.class_topics import class_topics
from topicspider.topic.profile import Topic

Floats = NDArray[np.float64]

MAPPING = Path(__file__).with_name("class_labels.json")
FEWEST = 20
K1, B = 1.2, 0.75


def allowed_classes() -> dict[str, frozenset[str]]:
    """By label: the classes of level 2 that it may mean."""
    mapping = json.loads(MAPPING.read_text(encoding="utf-8"))
    return {
        label: frozenset(n for one in some for n in catalogue.branch(one) or [one]) for label, some in mapping.items()
    }


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield (corpus, label, title) of each title; of a page with several labels, the first."""
    for row in labelled_titles():
        yield "titles", row.label, row.title
    for name in ("sites-dev", "sites-dev2", "encyclopedia-dev"):
        path = corpora() / f"{name}.labels.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            record = json.loads(line)
            if record["kind"] == "page" and record["topics"] and record.get("title"):
                yield name, record["topics"][0], record["title"]


def bm25(topics: Sequence[Topic], cut: Callable[[str], list[str]]) -> Callable[[Sequence[str]], Floats]:
    """A function that gives the BM25 score of each topic (its title, terms and texts as one document) for the words of a query."""
    documents = [Counter(cut("\n".join([*t.title.values(), *t.terms, *t.texts]))) for t in topics]
    mean = sum(document.total() for document in documents) / len(documents)
    holders = Counter(word for document in documents for word in document)
    found: dict[str, Floats] = {}
    for word, count in holders.items():
        idf = log(1 + (len(documents) - count + 0.5) / (count + 0.5))
        tf = np.array([document[word] for document in documents], dtype=float)
        length = np.array([document.total() / mean for document in documents])
        found[word] = idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length))
    nothing = np.zeros(len(documents))
    return lambda words: sum((found[word] for word in set(words) if word in found), nothing)


def main() -> int:
    """Print a line for each corpus and label; returns the exit code."""
    if missing := missing_titles():
        print(missing, file=sys.stderr)
        return 0
    topics, segmenter, allowed = class_topics(2), make_segmenter(), allowed_classes()
    matrix = TopicMatrix(topics, segmenter)
    rank = bm25(topics, segmenter.words)
    hits: dict[tuple[str, str], list[tuple[bool, ...]]] = defaultdict(list)
    for corpus, label, title in rows():
        if label in allowed:
            words = segmenter.words(title)
            both = matrix.scores(PageWords(title=tuple(words))), rank(words)
            hits[corpus, label].append(
                tuple(is_right for scores in both for is_right in _right(scores, topics, allowed[label]))
            )
    print(f"{'':32}{'titles':>8}{'top-1':>8}{'top-3':>8}{'bm25 1':>8}{'bm25 3':>8}")
    for corpus in dict.fromkeys(corpus for corpus, _ in hits):
        labels = {label: found for (name, label), found in hits.items() if name == corpus and len(found) >= FEWEST}
        for label, found in sorted(labels.items()):
            print(_line(f"  {label}", found))
        print(_line(corpus, [one for found in labels.values() for one in found]))
    return 0


def _right(scores: Floats, topics: Sequence[Topic], allowed: frozenset[str]) -> tuple[bool, bool]:
    """Whether the best topic is ``allowed``, and whether one of the best three is; topics with a score of 0 do not count."""
    best = [topics[place].clc for place in np.argsort(-scores, kind="stable")[:3] if scores[place] != 0]
    return bool(best) and best[0] in allowed, not allowed.isdisjoint(best)


def _line(name: str, found: Sequence[tuple[bool, ...]]) -> str:
    return f"{name:32}{len(found):>8,}" + "".join(f"{share:>8.3f}" for share in np.mean(found, axis=0))


if __name__ == "__main__":
    sys.exit(main())
