"""``scrapy topics tune``: twenty pages, twenty keys, and the threshold that follows from them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.store.topics import topic_of
from topicspider.topic.user_labels import (
    LABEL_WORDS,
    Label,
    UserLabels,
    read_user_labels,
    remove_user_labels,
    user_labels_file,
    write_user_labels,
)
from topicspider.workbench.action import Action, Desk
from topicspider.workbench.questions import ask, typed_keys
from topicspider.workbench.tuning import screen
from topicspider.workbench.tuning.estimates import Judged, best_threshold, harvest, weighed
from topicspider.workbench.tuning.label_file import Row, read_labels
from topicspider.workbench.tuning.sample import Stratum, drawn, strata_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.store.contract import Standing, Store
    from topicspider.workbench.bench import Bench

QUESTIONS = 20
MOST_QUESTIONS = 1000
FEWEST_LABELS = 5
"""So many labels, of both kinds, are needed to move a threshold."""
LEARNED = "learned"
"""Scores by the labels themselves: a threshold found on scores from before them would be one for another scale."""


@dataclass(frozen=True, slots=True)
class Crawled:
    """The topic's pages as its crawl left them: their strata at the threshold in use."""

    pages: tuple[Standing, ...] = ()
    strata: tuple[Stratum, ...] = ()
    threshold: float = 0.0


def _run(args: Sequence[str], opts: argparse.Namespace, desk: Desk) -> int:
    from topicspider.cli.crawl_data import store_of
    from topicspider.workbench.bench import open_bench, with_scorer

    name = args[0]
    if opts.reset:
        return _reset(topic_of(name, desk.options).name, desk)
    options = with_scorer(desk.options, opts.scorer)
    bench = open_bench(name, options)
    topic = bench.view.topic
    earlier = read_user_labels(options.data, topic)
    if opts.show:
        print(f"{topic}: {screen.tuned_words(earlier, options.page_scorer, bench.profile.digest, desk.chinese)}")
        return 0
    count = _count(opts.questions)
    rows = read_labels(opts.labels) if opts.labels else None
    known = {label.url: label for label in earlier.labels if label.url} if earlier else {}
    with store_of(options, topic) as store:
        crawled = _crawled(store, bench)
        if rows is None:
            new = _asked(_sure(crawled, bench), known, count, store, bench, desk)
        else:
            new = _from_rows(rows, store, bench, desk)
    if new:
        _keep(new, earlier, crawled, bench, desk)
    else:
        print("没有新标注，什么也没有改" if desk.chinese else "no new label; nothing was changed")
    return 0


def _reset(topic: str, desk: Desk) -> int:
    was_there = remove_user_labels(desk.options.data, topic)
    if desk.chinese:
        print(f"{topic}：{'标注和阈值已删除' if was_there else '本来就没有调过'}")
    else:
        print(f"{topic}: {'labels and threshold are forgotten' if was_there else 'was not tuned'}")
    return 0


def _crawled(store: Store | None, bench: Bench) -> Crawled:
    """What the scorer in use said of the pages; without copies, and without what was left out for another reason than its score."""
    if store is None:
        return Crawled()
    scorer, threshold = bench.options.page_scorer, bench.view.judge.threshold
    found = list(store.standings(bench.view.topic))
    pages = tuple(
        page
        for page in found
        if page.scorer == scorer and not page.is_copy and (page.on_topic or page.relevance < page.threshold)
    )
    if found and not pages:
        others = ", ".join(sorted({page.scorer for page in found}))
        raise ConfigError(
            "scorer", scorer, others, "The stored pages were judged by another: add --scorer, or crawl again"
        )
    return Crawled(pages, strata_of(pages, threshold), threshold)


def _sure(crawled: Crawled, bench: Bench) -> Crawled:
    if not crawled.pages:
        raise ConfigError(
            "tune",
            bench.view.topic,
            "a topic that was crawled",
            f"First: scrapy crawl topic -a topic={bench.view.topic}; or label texts: --labels FILE.csv",
        )
    return crawled


def _asked(
    crawled: Crawled, known: dict[str, Label], count: int, store: Store | None, bench: Bench, desk: Desk
) -> list[Label]:
    """The answers of the person at the terminal."""
    assert store is not None
    topic = bench.view.topic
    rng = random.Random(f"{bench.options.seed} {len(known)}")
    rows = [store.page(topic, page.url) for page in drawn(crawled.strata, count, rng, known)]
    there = [row for row in rows if row is not None]
    title = next(iter(bench.profile.topic.title.values()), topic) if desk.chinese else topic
    print(f"以下网页属于主题“{title}”吗？" if desk.chinese else f"Are these pages about {title}?")
    with typed_keys() as keys:
        answers = ask([screen.card(row, desk.columns, desk.chinese) for row in there], keys, chinese=desk.chinese)
    return [
        _label(bench, answer, row.item.title, row.item.body, row.item.url, row.item.relevance)
        for row, answer in zip(there, answers, strict=True)
        if answer is not None
    ]


def _from_rows(rows: Sequence[Row], store: Store | None, bench: Bench, desk: Desk) -> list[Label]:
    """The labels of a file; a URL stands for the stored page, or for nothing when it was not crawled."""
    labels, missing = [], 0
    for row in rows:
        stored = store.page(bench.view.topic, row.url) if store is not None and row.url else None
        if stored is not None:
            item = stored.item
            labels.append(_label(bench, row.on_topic, item.title, item.body, item.url, item.relevance))
        elif row.title or row.body:
            words = bench.words(row.title, row.body)
            labels.append(_label(bench, row.on_topic, row.title, row.body, row.url, bench.judge(words).value))
        else:
            missing += 1
    if missing:
        print(
            f"跳过 {missing} 个没有抓过的网址"
            if desk.chinese
            else f"{missing} URLs were passed over: they were not crawled"
        )
    return labels


def _label(bench: Bench, on_topic: bool, title: str, body: str, url: str, score: float) -> Label:
    words = bench.words(title, body)
    return Label(on_topic, words.title, words.body[:LABEL_WORDS], url, round(score, 6))


def _keep(new: Sequence[Label], earlier: UserLabels | None, crawled: Crawled, bench: Bench, desk: Desk) -> None:
    """Write the labels down, with the threshold that all of them together tell, and show why."""
    labels = _together(earlier.labels if earlier else (), new)
    judged = _judged(labels, crawled)
    current = bench.view.judge.threshold
    is_learning = bench.options.page_scorer == LEARNED
    can_tell = len(judged) >= FEWEST_LABELS and not is_learning
    best = best_threshold(judged, current, bench.options.seed) if can_tell else None
    kept = earlier.threshold_for(bench.options.page_scorer, bench.profile.digest) if earlier else None
    threshold = kept if best is None else best
    tuned = UserLabels(bench.view.topic, bench.profile.digest, bench.options.page_scorer, threshold, labels)
    path = write_user_labels(bench.options.data, tuned)
    print()
    print(screen.threshold_table(judged, current, current if best is None else best, desk.columns, desk.chinese))
    print()
    if crawled.pages:
        answers = {label.url: label.on_topic for label in labels if label.url}
        shown = current if best is None else best
        found = harvest(crawled.strata, answers, shown, bench.options.seed)
        print(screen.harvest_words(found, len(crawled.pages), shown, desk.chinese))
    if best is None:
        print(_why_it_stays(is_learning, desk.chinese))
    print(screen.tuned_words(tuned, bench.options.page_scorer, bench.profile.digest, desk.chinese))
    print(f"{'写入' if desk.chinese else 'written to'} {path}")


def _together(old: Sequence[Label], new: Sequence[Label]) -> tuple[Label, ...]:
    """All labels; of two on the same page or text the newer one."""
    found = {(label.url, () if label.url else (label.title, label.body)): label for label in (*old, *new)}
    return tuple(found.values())


def _judged(labels: Sequence[Label], crawled: Crawled) -> list[Judged]:
    """Labelled pages of the crawl, each with the number of pages it stands for; without any, the labelled texts, all alike."""
    judged = weighed(crawled.strata, {label.url: label.on_topic for label in labels if label.url})
    return judged or [Judged(label.score, label.on_topic) for label in labels]


def _why_it_stays(is_learning: bool, chinese: bool) -> str:
    if is_learning:
        return (
            "阈值不变：这个评分器从标注中学习，得分本身会改变"
            if chinese
            else "the threshold stays: this scorer learns from the labels, which move the scores themselves"
        )
    if chinese:
        return f"阈值不变：至少需要 {FEWEST_LABELS} 个标注，而且是和否都要有"
    return f"the threshold stays: it takes {FEWEST_LABELS} labels or more, yes and no among them"


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= MOST_QUESTIONS):
        raise ConfigError("--questions", text, f"a whole number from 1 to {MOST_QUESTIONS}")
    return int(text)


def _wanted(args: Sequence[str]) -> str:
    return "" if len(args) == 1 else "tune takes one topic"


def _options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--labels",
        default="",
        metavar="FILE.csv",
        help="labels from a file (rows URL,yes or TEXT,no) instead of questions",
    )
    add(
        "--questions",
        default=str(QUESTIONS),
        metavar="N",
        help=f"how many pages are asked about (default: {QUESTIONS})",
    )
    add("--show", action="store_true", help="show what is tuned, and change nothing")
    add("--reset", action="store_true", help="forget labels and threshold")


ACTION = Action(
    "tune",
    "tune NAME [--labels FILE.csv|--show|--reset]",
    "`tune NAME` asks y or n about twenty pages of the topic's crawl, shows precision and recall by threshold and the harvest to expect, and "
    f"keeps labels and threshold in {user_labels_file('DATA', 'TOPIC')}, where the next crawl reads them. Nothing is fetched, the topic file is not "
    "touched.",
    _wanted,
    _run,
    _options,
)
