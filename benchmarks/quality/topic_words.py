"""Measures what learning adds to a topic: mean average precision on labelled titles, with and without terms and texts.

    python -m benchmarks.quality.topic_words [--scorer vsm]

Reads titles-dev.tsv (label, title, keywords) in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.quality.labelled_titles import LabelledTitle, average_precision, labelled_titles
from topicspider.options import PAGE_SCORERS
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import make_page_scorer
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic
from topicspider.topic.profile import Topic

# our topic, and the label with the same meaning
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


def variants(topic: Topic) -> dict[str, Topic]:
    """The topic, and versions of it that know less and less."""
    return {
        "terms and texts": topic,
        "terms": replace(topic, texts=()),
        "texts and title": replace(topic, terms={}, synonyms={}, negative={}),
        "title": replace(topic, terms={}, texts=(), synonyms={}, negative={}),
    }


def precision_of(topic: Topic, scorer_name: str, rows: Sequence[LabelledTitle], label: str) -> float:
    """Average precision of the ranking of all titles by a scorer."""
    segmenter = make_segmenter()
    scorer = make_page_scorer(scorer_name, learn(topic, segmenter))
    scores = [scorer.score(PageWords(title=tuple(segmenter.words(row.title)))) for row in rows]
    return average_precision(scores, [row.label == label for row in rows])


def main() -> None:
    """Print a table with a line for each topic and a column for each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scorer", default="vsm", choices=PAGE_SCORERS)
    scorer = parser.parse_args().scorer
    rows = labelled_titles()
    table = {
        name: {kind: precision_of(topic, scorer, rows, label) for kind, topic in variants(load_topic(name)).items()}
        for name, label in LABELS.items()
    }
    kinds = list(next(iter(table.values())))
    print(f"{scorer:14}" + "".join(f"{kind:>18}" for kind in kinds))
    for name, row in table.items():
        print(f"{name:14}" + "".join(f"{row[kind]:18.3f}" for kind in kinds))
    print(f"{'mean':14}" + "".join(f"{sum(row[kind] for row in table.values()) / len(table):18.3f}" for kind in kinds))


if __name__ == "__main__":
    main()
