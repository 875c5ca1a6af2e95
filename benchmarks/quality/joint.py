"""Compares one crawl for several topics with a crawl for each topic: hits by independent labels, on recorded webs, as users crawl.

    python -m benchmarks.quality.joint [--webs sites-dev,sites-dev2] [--topics tourism,food,sport] [--sets 2] [--pages 1500,3000]

Each topic is crawled alone for N pages, and all together for N (for three topics, a third of the fetches). The last column compares this
with crawls of one topic of the same total: a third of its pages each. The crawl of all begins with the seeds of each topic (three pages on
topic, and the directory), has 16 connections, the usual rests, and answers after 0.3 s of virtual time. A page counts for each topic of its
labels; seeds and near-duplicates are no hits. The pages of a web are read once (some minutes), cut by the words of all topics, and kept.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import mean

from benchmarks.crawl.replayed import read_labels
from benchmarks.quality.extraction import corpora
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import ArchivedWeb, open_archived_web
from topicspider.rehearsal.evaluation.labels import Labels, labels_of_file
from topicspider.rehearsal.evaluation.measures import JudgedRun, Targets
from topicspider.rehearsal.processes import in_processes
from topicspider.rehearsal.replay.conditions import HostLatency
from topicspider.rehearsal.simulator.simulator import Simulation, simulate
from topicspider.relevance.default_thresholds import least_score
from topicspider.steering.compiled_topics import compile_topics
from topicspider.store.topics import topics_of
from topicspider.topic.profile import Topic

CONNECTIONS, LATENCY = 16, "constant:0.3"


@dataclass(frozen=True)
class Task:
    """A crawl of a web for ``topics``, or for one of them, from seed set number ``repeat``."""

    web: Path
    topics: tuple[str, ...]
    only: str
    repeat: int
    pages: int


Found = dict[str, list[int]]
"""By topic: hits after 0, 1, 2, … pages."""


def main() -> None:
    """Print for each web and number of pages: hits of the crawls of one topic, of the crawl of all, and the ratio."""
    options = _arguments()
    budgets, topics = [int(pages) for pages in options.pages.split(",")], tuple(options.topics.split(","))
    webs = [corpora() / f"{name}.warc" for name in options.webs.split(",")]
    tasks = [
        Task(web, topics, only, repeat, max(budgets))
        for web in webs
        for repeat in range(options.sets)
        for only in (*topics, "")
    ]
    runs: dict[str, dict[str, list[Found]]] = defaultdict(lambda: defaultdict(list))
    for task, found in in_processes(_open, tasks, min(options.processes, len(tasks))):
        runs[task.web.stem][task.only].append(found)
    print(f"{'web, pages a crawl':24}{'topic':10}{'apart':>8}{'joint':>8}{'share':>8}{'same total':>12}")
    for web in webs:
        for pages in budgets:
            _print(f"{web.stem}, {pages:,}", runs[web.stem], topics, pages)


def _print(name: str, runs: dict[str, list[Found]], topics: Sequence[str], pages: int) -> None:
    rows = []
    for topic in topics:
        apart, third = (mean(_at(found[topic], n) for found in runs[topic]) for n in (pages, pages // len(topics)))
        rows.append((topic, apart, third, mean(_at(found[topic], pages) for found in runs[""])))
    for topic, apart, third, joint in [*rows, ("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))]:
        print(f"{name:24}{topic:10}{apart:8.0f}{joint:8.0f}{joint / apart:8.3f}{joint / third:12.3f}")


def _at(hits: Sequence[int], pages: int) -> int:
    return hits[min(pages, len(hits) - 1)]


def _open() -> Callable[[Task], tuple[Task, Found]]:
    return _run


@cache
def _web(path: Path, topics: tuple[str, ...]) -> tuple[ArchivedWeb, dict[str, Labels], dict[str, Targets]]:
    """The web, cut by the words of all topics, and the labels and targets of each topic."""
    web = open_archived_web(str(path), own_words=compile_topics(*_asked(topics)).segmenter.own_words)
    labels = {topic: labels_of_file(path.with_suffix(".labels.jsonl"), topic, web) for topic in topics}
    return web, labels, {topic: Targets.of(labels[topic], web) for topic in topics}


def _asked(topics: tuple[str, ...], seed: int = 0) -> tuple[tuple[Topic, ...], Options]:
    options = Options(topic=",".join(topics), pace="thrifty", seed=seed)
    return topics_of(options.topic, options), options


def _run(task: Task) -> tuple[Task, Found]:
    web, labels, targets = _web(task.web, task.topics)
    file = task.web.with_suffix(".labels.jsonl")
    seeds = {topic: tuple(read_labels(file, topic).seed_set(task.repeat)) for topic in task.topics}
    every = tuple(dict.fromkeys(seed for some in seeds.values() for seed in some))
    names = (task.only,) if task.only else task.topics
    topics, options = _asked(names, task.repeat)
    setup = Simulation(
        views=compile_topics(topics, options).views,
        policy=options.link_policy,
        seeds=seeds[task.only] if task.only else every,
        max_pages=task.pages,
        options=options,
        repeat=task.repeat,
        connections=CONNECTIONS,
        latency=HostLatency.read(LATENCY, options.seed),
        least_score=least_score(topics, options.link_policy, None),
    )
    run = replace(simulate(web, setup), seeds=every)  # the seeds of any crawl are hits of no crawl
    return task, {topic: JudgedRun.of(run, labels[topic], targets[topic], web).hits for topic in names}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", default="sites-dev,sites-dev2")
    parser.add_argument("--topics", default="tourism,food,sport")
    parser.add_argument("--sets", type=int, default=2)
    parser.add_argument("--pages", default="1500,3000")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
