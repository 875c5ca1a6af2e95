"""Measures what learning adds to a topic: mean average precision on labelled titles, with and without terms and texts.

    python benchmarks/quality/topic_words.py [--scorer vsm]

Reads titles-dev.tsv (label, title, keywords) in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.quality.extraction import corpora
from topicspider.options import PAGE_SCORERS
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import make_page_scorer
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.topic.profile import Topic

# our topic, and the label of the titles that mean the same
LABELS = {
    "tourism": "travel",
    "sport": "sports",
    "education": "edu",
    "finance": "finance",
    "real_estate": "house",
    "cars": "car",
    "agriculture": "agriculture",
    "technology": "tech",
    "culture": "culture",
}


def titles() -> list[tuple[str, str]]:
    """Label and title of each line."""
    folder = corpora()
    lines = (folder / "titles-dev.tsv").read_text(encoding="utf-8", errors="replace").split("\n")
    cells = (line.split("\t") for line in lines)
    return [(row[0], row[1]) for row in cells if len(row) >= 3]


def variants(topic: Topic) -> dict[str, Topic]:
    """The topic with less and less known of it."""
    return {
        "terms and texts": topic,
        "terms": replace(topic, texts=()),
        "texts and title": replace(topic, terms={}, synonyms={}, negative={}),
        "title": replace(topic, terms={}, texts=(), synonyms={}, negative={}),
    }


def average_precision(topic: Topic, scorer_name: str, rows: Sequence[tuple[str, str]], label: str) -> float:
    """Average precision of the ranking of all titles; among equal scores the wrong ones come first."""
    segmenter = make_segmenter()
    scorer = make_page_scorer(scorer_name, learn(topic, segmenter))
    scored = [(-scorer.score(PageWords(title=tuple(segmenter.words(title)))), mark == label) for mark, title in rows]
    precisions, hits = [], 0
    for place, (_score, is_right) in enumerate(sorted(scored), 1):
        if is_right:
            hits += 1
            precisions.append(hits / place)
    return sum(precisions) / len(precisions)


def main() -> None:
    """Print a table: one line a topic, one column a variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scorer", default="vsm", choices=PAGE_SCORERS)
    scorer = parser.parse_args().scorer
    rows = titles()
    table = {
        name: {
            kind: average_precision(topic, scorer, rows, label) for kind, topic in variants(load_topic(name)).items()
        }
        for name, label in LABELS.items()
    }
    kinds = list(next(iter(table.values())))
    print(f"{scorer:14}" + "".join(f"{kind:>18}" for kind in kinds))
    for name, row in table.items():
        print(f"{name:14}" + "".join(f"{row[kind]:18.3f}" for kind in kinds))
    print(f"{'mean':14}" + "".join(f"{sum(row[kind] for row in table.values()) / len(table):18.3f}" for kind in kinds))


if __name__ == "__main__":
    main()
