"""Measures the verdicts of the page judge on every recorded web: at the default threshold, as probabilities, and as a ranking.

    python -m benchmarks.quality.verdicts [--topics sites-dev/tourism,…] [--alone | --labels 20]

A line for each topic: pages on it; average precision of ``learned`` and of the best published scorer; precision, recall and F1 at the
default threshold; that F1 as a share of the best that any threshold gives; the calibration error (ten bins: the mean distance of score
and share of hits, by pages). Pages are judged together and teach the judge; ``--alone``: each by the prior. ``--labels``: F1 of the other
pages without a label, and with so many, drawn as `topics tune` asks (means of DRAWS draws). Labels are those of the sites themselves.
Webs lie in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; missing ones are skipped.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Sequence
from statistics import mean

from benchmarks.quality import labelled_pages
from benchmarks.quality.extraction import corpora
from benchmarks.quality.labelled_titles import average_precision
from benchmarks.quality.relevance import judge_of
from topicspider.cli.labels import drawn, strata_of
from topicspider.rehearsal.archive.archived_web import read_warc
from topicspider.relevance.interfaces import PageScore
from topicspider.store.rows import ScoredPage
from topicspider.topic.loading import load_topic

TOPICS = {
    "sites-dev": ("tourism", "food", "sport"),
    "sites-dev2": ("tourism", "food", "sport"),
    "encyclopedia-dev": (
        "chemistry", "architecture", "writers", "climate", "politics", "engineering", "mathematics", "business",
        "european_geography", "food",
    ),
}  # fmt: skip
PUBLISHED = ("boolean", "vsm", "a4bc", "bm25")
COLUMNS = ("pages", "on topic", "AP", "published", "precision", "recall", "F1", "of best", "off by")
LABELLED = ("pages", "on topic", "F1", "labelled", "gain")
DRAWS = 3
BINS = 10


def main() -> None:
    """Print a line for each topic, then the means of each web."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", default=",".join(f"{web}/{topic}" for web in TOPICS for topic in TOPICS[web]))
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--alone", action="store_true")
    kind.add_argument("--labels", type=int, default=0)
    options = parser.parse_args()
    named: dict[str, list[str]] = {}
    for place in options.topics.split(","):
        web, topic = place.split("/")
        named.setdefault(web, []).append(topic)
    columns = LABELLED if options.labels else COLUMNS
    print(f"{'':30}", *(f"{column:>9}" for column in columns), flush=True)
    for web, topics in named.items():
        if (corpora() / f"{web}.warc").is_file():
            _web(web, topics, is_alone=options.alone, labels=options.labels)
        else:
            print(f"skipped {web}: no {web}.warc in {corpora()}", file=sys.stderr)


def _web(web: str, topics: Sequence[str], *, is_alone: bool, labels: int) -> None:
    given = [labelled_pages.topic_file(topic) for topic in topics]
    own_words = [labelled_pages.own_words_of(topic) for topic in given]
    read_warc(
        corpora() / f"{web}.warc", own_words, None, os.cpu_count() or 1, lambda line: print(line, file=sys.stderr)
    )
    rows = []
    for topic, path in zip(topics, given, strict=True):
        rows.append(with_labels(web, topic, path, labels) if labels else figures(web, topic, path, is_alone=is_alone))
        print(f"{web + '/' + topic:30}", *(f"{number:9.3f}" for number in rows[-1]), flush=True)
    print(f"{web + ', mean':30}", *(f"{mean(column):9.3f}" for column in zip(*rows, strict=True)), flush=True)


def figures(web: str, topic: str, path: str, *, is_alone: bool) -> list[float]:
    """The figures of COLUMNS, in this order."""
    pages = labelled_pages.labelled_pages(path, web=web)
    words = [page.words for page in pages]
    truth = [topic in page.topics for page in pages]
    loaded = load_topic(path)
    judge, _ = judge_of(loaded, "learned")
    scores = [judge.judge(page) for page in words] if is_alone else judge.judge_all(words)
    values = [score.value for score in scores]
    others = [judge_of(loaded, name)[0] for name in PUBLISHED]
    published = max(average_precision([other.judge(page).value for page in words], truth) for other in others)
    taken = [score.on_topic for score in scores]
    right = sum(one and mark for one, mark in zip(taken, truth, strict=True))
    precision, recall = right / max(1, sum(taken)), right / max(1, sum(truth))
    f1 = f1_of(taken, truth)
    of_best = f1 / best_f1(values, truth)
    ap = average_precision(values, truth)
    return [len(pages), sum(truth), ap, published, precision, recall, f1, of_best, calibration_error(values, truth)]


def with_labels(web: str, topic: str, path: str, labels: int) -> list[float]:
    """The figures of LABELLED: of the same pages without a label, and with ``labels`` labels of other pages."""
    pages = labelled_pages.labelled_pages(path, web=web)
    words = [page.words for page in pages]
    truth = [topic in page.topics for page in pages]
    loaded = load_topic(path)
    before = judge_of(loaded, "learned")[0].judge_all(words)
    rows = []
    for seed in range(DRAWS):
        told = asked_about(before, labels, seed)
        rest = [n for n in range(len(pages)) if n not in told]
        judge, _ = judge_of(loaded, "learned", [(words[n], truth[n]) for n in sorted(told)])
        after = judge.judge_all([words[n] for n in rest])
        marks = [truth[n] for n in rest]
        rows.append([f1_of([before[n].on_topic for n in rest], marks), f1_of([one.on_topic for one in after], marks)])
    without, given = map(mean, zip(*rows, strict=True))
    return [len(pages), sum(truth), without, given, given - without]


def asked_about(scores: Sequence[PageScore], count: int, seed: int) -> set[int]:
    """The places of the pages about which `topics tune` would ask, by their scores before any label was known."""
    pages = [ScoredPage(f"{n:08}", score.value) for n, score in enumerate(scores)]
    return {int(page.url) for page in drawn(strata_of(pages, scores[0].threshold), count, random.Random(seed))}


def f1_of(taken: Sequence[bool], truth: Sequence[bool]) -> float:
    """2 · right / (called hits + true hits)."""
    right = sum(one and mark for one, mark in zip(taken, truth, strict=True))
    return 2 * right / max(1, sum(taken) + sum(truth))


def best_f1(values: Sequence[float], truth: Sequence[bool]) -> float:
    """The largest F1 that any threshold gives."""
    ranked = sorted(zip(values, truth, strict=True), reverse=True)
    right, best, total = 0, 0.0, sum(truth)
    for count, (_value, mark) in enumerate(ranked, 1):
        right += mark
        best = max(best, 2 * right / (count + total))
    return best


def calibration_error(values: Sequence[float], truth: Sequence[bool]) -> float:
    """Mean over the pages of |mean score - share on topic| of their bin."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for value, mark in zip(values, truth, strict=True):
        bins[min(int(value * BINS), BINS - 1)].append((value, mark))
    off = [abs(sum(value for value, _ in one) - sum(mark for _, mark in one)) for one in bins]
    return sum(off) / max(1, len(values))


if __name__ == "__main__":
    main()
