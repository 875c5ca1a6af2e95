"""Measures when a crawl without a limit of pages ends by itself and what it misses: stop rule and link threshold of ``learned``.

    python -m benchmarks.quality.stopping [--topics sites-dev/tourism,…] [--seeds directory,three] [--floor .05] [--connections 16]

For each topic and each way to begin (at the web's start page, or at three pages on topic): the URLs that links lead to, the pages fetched
when it ended, the share of those URLs that was left, the share of the links known then that were pruned for it (low chance or yield), the
share of the pages on topic that was lost, and the chance of the best link left. Webs lie in $TOPICSPIDER_CORPORA, as for
benchmarks.quality.harvest, or are ``made:pages=N,…`` (the web of the demo); the topic follows the last slash there, too.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from benchmarks.quality.extraction import corpora
from benchmarks.quality.harvest import LATENCY, TOPICS, options_for
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.evaluation.labels import find_labels
from topicspider.rehearsal.evaluation.reach import is_page, reachable, robots_rules, seed_sets
from topicspider.rehearsal.rehearse import RehearsalConfig, Task, Worker
from topicspider.relevance.default_thresholds import LOW_CHANCE
from topicspider.steering.compiled_topics import register_vocabulary
from topicspider.steering.stop_rule import LOW_YIELD
from topicspider.store.topics import topic_of
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.url import fingerprint

DIRECTORY, THREE = "directory", "three"
NO_LIMIT = 10**9


def main() -> None:
    """Print a line for each crawl."""
    options = _arguments()
    print(
        f"{'topic, seeds':36}{'reachable':>10}{'fetched':>9}{'left':>7}{'pruned':>8}{'targets':>9}{'lost':>7}{'best left':>11}"
    )
    for place in re.split(r",(?=made:|[\w-]+/)", options.topics):  # the spec of a synthetic web has commas, too
        web, topic = place.rsplit("/", 1)
        if not web.startswith("made:") and not (options.corpora / f"{web}.warc").is_file():
            print(f"skipped {place}: no {web}.warc in {options.corpora}", file=sys.stderr)
            continue
        for line in crawls(web, topic, options):
            print(line, flush=True)


def crawls(name: str, topic: str, arguments: argparse.Namespace) -> Iterator[str]:
    """Yield a line for each crawl of one topic on one web."""
    is_made = name.startswith("made:")
    spec = name if is_made else str(arguments.corpora / f"{name}.warc")
    # no limit of pages: the pace of such a crawl
    options = replace(options_for(topic), pace="balanced", link_threshold=arguments.floor)
    segmenter = make_segmenter()
    profile = learn(topic_of(topic, options), segmenter)
    register_vocabulary(profile, segmenter, options)
    with closing(open_archived_web(spec, own_words=segmenter.own_words)) as web:
        labels = find_labels(None if is_made else arguments.corpora / f"{name}.labels.jsonl", spec, web, profile, "")
        is_allowed = robots_rules(web)
        hits = {fingerprint(url) for url in labels.targets() if is_page(url, web) and is_allowed(url)}
        plan = RehearsalConfig(spec, options, connections=arguments.connections, latency=LATENCY)
        worker = Worker(plan, frozenset(), web)
        starts = tuple(web.start_pages)
        (three,) = (tuple(url for url in seeds if url not in starts) for seeds in seed_sets(web, labels))
        for way in arguments.seeds.split(","):
            seeds = {DIRECTORY: starts, THREE: three}[way]
            reached = reachable(web.graph(), seeds)
            targets = hits & reached
            run = worker(Task("learned", 0, seeds, NO_LIMIT))
            low = run.pruned.get(LOW_CHANCE, 0) + run.pruned.get(LOW_YIELD, 0)
            ended = len(run.fetched) + run.dead + run.redirects + run.forbidden
            lost = 1 - len(targets & {fingerprint(one.url) for one in run.fetched}) / len(targets)
            numbers = f"{len(reached):10,}{len(run.fetched):9,}{1 - ended / len(reached):7.1%}{low / (low + ended):8.1%}{len(targets):9,}{lost:7.1%}"
            yield f"{f'{name}/{topic}, {way}':36}{numbers}{run.best_left:11.3f}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", default=",".join(TOPICS))
    parser.add_argument("--seeds", default=f"{DIRECTORY},{THREE}")
    parser.add_argument("--floor", type=float, default=-1.0, help="in place of the policy's own")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--corpora", type=Path, default=corpora())
    return parser.parse_args()


if __name__ == "__main__":
    main()
