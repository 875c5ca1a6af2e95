"""Measures the page judge, which sees no labels, on labelled titles and pages: average precision, and F1 at the default threshold.

    python -m benchmarks.quality.relevance [--only names|titles|pages]

All titles and pages count; a run takes minutes of CPU, more when pages were not read before. ``name alone``: of every second topic file
only its title is given. The corpora are in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; missing ones are skipped and named.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.quality import labelled_pages, labelled_titles
from benchmarks.quality.labelled_titles import average_precision, f1_at
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.text.normalise import has_cjk
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.compiling import compile_topic, protect_words
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic
from topicspider.topic.profile import Topic

NAME_ONLY = Path(__file__).parent / "name_only"
NAMES = {"archaeology": "考古", "new_energy_vehicles": "新能源汽车", "tea": "茶叶"}
NAME_ONLY_DEV = Path(__file__).parent / "name_only_dev"
DEVELOPED = {
    "calligraphy": "书法",
    "ceramics": "陶瓷",
    "childrens_literature": "儿童文学",
    "machine_learning": "machine learning",
    "pet_hospital": "宠物医院",
    "rural_finance": "农村金融",
    "spaceflight": "航天",
    "vocational_education": "职业教育",
}
CONFIRMED = {
    "artificial_intelligence": "人工智能",
    "coffee": "咖啡",
    "cross_border_ecommerce": "跨境电商",
    "mental_health": "心理健康",
    "photography": "摄影",
    "rural_tourism": "乡村旅游",
}


class Figures(NamedTuple):
    """The figures of one topic: average precision, and F1 at the default threshold."""

    ap: float
    f1: float


class Judged(NamedTuple):
    """The figures of a judge, and of its prior; a scorer without a prior is its own."""

    verdicts: Figures
    prior: Figures


def of_titles(label: str, scorer: str, *, name_only: bool = False, every: int = 1) -> Judged:
    """Figures of all titles, or of each ``every``-th, judged together for the topic of ``label``."""
    rows = labelled_titles.labelled_titles()[::every]
    topic = load_topic(str(labelled_titles.topic_file(label)))
    judge, segmenter = judge_of(_named(topic) if name_only else topic, scorer)
    words = [PageWords(tuple(segmenter.words(row.title)), ()) for row in rows]
    return _judged(judge, words, [row.label == label for row in rows])


def of_pages(
    topic: str,
    scorer: str,
    *,
    web: str = labelled_pages.SITES,
    every: int = 1,
    cache: Path | None = None,
) -> Judged:
    """Figures of all labelled pages of a web, or of each ``every``-th, judged together for ``topic``.

    ``cache``: the folder of read pages, None for the usual one.
    """
    pages = _pages_of(topic, web, cache)[::every]
    words = [page.words for page in pages]
    truth = [topic in page.topics for page in pages]
    loaded = load_topic(labelled_pages.topic_file(topic))
    judge, _ = judge_of(loaded, scorer)
    return _judged(judge, words, truth)


@lru_cache(maxsize=1)
def _pages_of(topic: str, web: str, cache: Path | None) -> list[labelled_pages.LabelledPage]:
    say = partial(print, file=sys.stderr, flush=True)
    return labelled_pages.labelled_pages(labelled_pages.topic_file(topic), web=web, cache=cache, say=say)


def judge_of(topic: Topic, scorer: str, labels: Sequence[tuple[PageWords, bool]] = ()) -> tuple[PageJudge, Segmenter]:
    """The judge and the segmenter of a topic, as a crawl makes them."""
    segmenter = make_segmenter()
    profile = learn(topic, segmenter)
    model = compile_topic(profile)
    protect_words(model, segmenter)
    return PageJudge(profile, scorer, model=model, labels=labels), segmenter


def of_names() -> dict[str, float]:
    """The share of texts on and off three topics with a name only that is judged right, each text by itself."""
    return {name: judged_by_name(NAME_ONLY / f"{file}.jsonl", name)[0] for file, name in NAMES.items()}


def judged_by_name(file: Path, name: str) -> tuple[float, float]:
    """For a topic with a ``name`` only: the share of texts in ``file`` that it judges right, and its average precision."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    language = "zh" if has_cjk(name) else "en"
    topic = Topic(name=file.stem, title={language: name}, languages=(language,))
    judge, segmenter = judge_of(topic, "learned")
    scores = [judge.judge(_words_of(record, segmenter)) for record in records]
    truth = [bool(record["on_topic"]) for record in records]
    right = [score.on_topic is mark for score, mark in zip(scores, truth, strict=True)]
    return mean(right), average_precision([score.value for score in scores], truth)


def _words_of(record: dict[str, Any], segmenter: Segmenter) -> PageWords:
    return PageWords(tuple(segmenter.words(record["title"])), tuple(segmenter.words(record["body"])))


def _judged(judge: PageJudge, words: Sequence[PageWords], truth: Sequence[bool]) -> Judged:
    scores = judge.judge_all(words)
    values = [score.value for score in scores]
    priors = [score.parts.get("prior", score.value) for score in scores]
    return Judged(
        *(Figures(average_precision(one, truth), f1_at(judge.threshold, one, truth)) for one in (values, priors))
    )


def _named(topic: Topic) -> Topic:
    return replace(topic, terms={}, texts=(), synonyms={}, negative={})


def _titles() -> None:
    print(f"{'titles':34}{'AP tuned':>10}{'held out':>10}{'all 14':>10}{'F1':>8}")
    labels = labelled_titles.LABELS
    _title_line("bm25", [of_titles(label, "bm25").verdicts for label in labels])
    found = [of_titles(label, "learned") for label in labels]
    _title_line("learned, prior alone", [one.prior for one in found])
    _title_line("learned", [one.verdicts for one in found])
    by_file = mean(one.verdicts.ap for one in found[::2])
    by_name = mean(of_titles(label, "learned", name_only=True).verdicts.ap for label in labels[::2])
    print(f"learned, name alone: AP {by_name:.3f} on every second label, by the files {by_file:.3f}")


def _title_line(name: str, found: Sequence[Figures]) -> None:
    tuned = len(labelled_titles.TUNED)
    aps = [one.ap for one in found]
    cells = (mean(aps[:tuned]), mean(aps[tuned:]), mean(aps))
    print(
        f"{name:34}" + "".join(f"{cell:10.3f}" for cell in cells) + f"{mean(one.f1 for one in found):8.3f}",
        flush=True,
    )


def _names() -> None:
    print("texts judged by a name alone: right, AP")
    for folder, names in ((NAME_ONLY, NAMES), (NAME_ONLY_DEV, DEVELOPED), (NAME_ONLY_DEV, CONFIRMED)):
        found = {name: judged_by_name(folder / f"{file}.jsonl", name) for file, name in names.items()}
        cells = ", ".join(f"{name} {right:.3f} {ap:.3f}" for name, (right, ap) in found.items())
        means = " ".join(f"{mean(one):.3f}" for one in zip(*found.values(), strict=True))
        print(f"{folder.name}: {cells}; mean {means}", flush=True)
    print()


def _pages() -> None:
    print(f"\n{'pages: AP / F1':34}" + "".join(f"{topic:>16}" for topic in labelled_pages.TOPICS) + f"{'mean':>16}")
    lines: dict[str, list[Figures]] = {}
    for topic in labelled_pages.TOPICS:
        lines.setdefault("bm25", []).append(of_pages(topic, "bm25").verdicts)
        found = of_pages(topic, "learned")
        lines.setdefault("learned, prior alone", []).append(found.prior)
        lines.setdefault("learned", []).append(found.verdicts)
    for name, figures in lines.items():
        _page_line(name, figures)


def _page_line(name: str, found: list[Figures]) -> None:
    whole = [*found, Figures(mean(one.ap for one in found), mean(one.f1 for one in found))]
    print(f"{name:34}" + "".join(f"{one.ap:9.3f} / {one.f1:4.3f}".rjust(16) for one in whole), flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("names", "titles", "pages"))
    options = parser.parse_args()
    for kind, missing, show in (
        ("names", "", _names),
        ("titles", labelled_titles.missing_titles(), _titles),
        ("pages", labelled_pages.missing_pages(), _pages),
    ):
        if options.only in (None, kind):
            print(f"skipped: {missing}") if missing else show()


if __name__ == "__main__":
    main()
