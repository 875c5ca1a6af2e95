"""How much of an oracle's harvest link policies reach on recorded webs, as users crawl: 16 connections, usual rests, a limit of pages.

    python -m benchmarks.quality.harvest [--topics sites-dev/tourism,…] [--policies learned,shark] [--sets 2] [--pages 1000] [--connections 16]

Measured is the area under the curve of hits over fetched pages, as a share of that of an oracle with one connection and no rests. Both
begin at the same seeds: three pages on topic, and the directory of the web, if it has one; means over seed sets. Dead links cost no page,
seeds and near-duplicates are no hits, labels judge and do not guide; answers take 0.3 s of virtual time. The pages of each topic are read
once (some minutes) and kept. Webs lie in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; missing ones are skipped.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.quality.extraction import corpora
from benchmarks.quality.labelled_pages import OWN_TOPICS, is_own
from topicspider.options import Options
from topicspider.rehearsal.rehearse import RehearsalConfig, rehearse

TOPICS = (
    *(f"{web}/{topic}" for web in ("sites-dev", "sites-dev2") for topic in ("tourism", "food", "sport")),
    *(
        f"encyclopedia-dev/{name}"
        for name in ("chemistry", "architecture", "writers", "climate", "politics", "engineering")
    ),
)
POLICIES = "bfs,anchor,best_first,shark,ipagerank,learned"
ORACLE = "oracle"
LATENCY = "constant:0.3"


def main() -> None:
    """Print a line for each topic, then the means."""
    options = _arguments()
    policies = options.policies.split(",")
    print(f"{'of the oracle':30}", *(f"{policy:>10}" for policy in policies), flush=True)
    found = []
    for place in options.topics.split(","):
        web, topic = place.split("/")
        if not (options.corpora / f"{web}.warc").is_file():
            print(f"skipped {place}: no {web}.warc in {options.corpora}", file=sys.stderr)
            continue
        more = {"repeats": options.sets, "connections": options.connections, "processes": options.processes}
        found.append(shares(plan_of(options.corpora / f"{web}.warc", topic, policies, pages=options.pages, **more)))
        print(_line(place, found[-1]), flush=True)
    if found:
        print(_line("mean", [mean(column) for column in zip(*found, strict=True)]))


def plan_of(web: Path, topic: str, policies: Sequence[str], *, pages: int, **more: Any) -> RehearsalConfig:
    """The rehearsal of ``topic`` on ``web``, a WARC with its labels beside it; ``more``: fields of RehearsalConfig."""
    labels, options = web.with_suffix(".labels.jsonl"), options_for(topic)
    checkpoints = (pages // 2, pages)
    return RehearsalConfig(
        str(web), options=options, labels=labels, policies=tuple(policies), checkpoints=checkpoints, **more
    )


def shares(plan: RehearsalConfig) -> list[float]:
    """Each policy's share of the oracle's area in crawls as users run them: pace thrifty, with rests, answers after LATENCY."""
    plan = replace(plan, options=replace(plan.options, pace="thrifty"), latency=LATENCY)
    at_leisure = replace(plan.options, delay_min=0.0, delay_factor=0.0, delay_max=0.0)
    best = areas(replace(plan, policies=(ORACLE,), connections=1, options=at_leisure))[ORACLE]
    return [mean(area / most for area, most in zip(found, best, strict=True)) for found in areas(plan).values()]


def areas(plan: RehearsalConfig) -> dict[str, list[float]]:
    """By policy: auc_perfect of each seed set."""
    results, _cost = rehearse(plan, lambda line: print(line, file=sys.stderr))
    return {one.policy: [run.auc_perfect for run in one.runs] for one in results.policies}


def options_for(topic: str) -> Options:
    """The options of a crawl of a topic that comes with the program or with the benchmarks."""
    return Options(topic=topic, **({"topics_dir": str(OWN_TOPICS)} if is_own(topic) else {}))


def _line(name: str, numbers: list[float]) -> str:
    return " ".join([f"{name:30}", *(f"{number:10.3f}" for number in numbers)])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", default=",".join(TOPICS))
    parser.add_argument("--policies", default=POLICIES)
    add_crawl_arguments(parser, sets=2)
    return parser.parse_args()


def add_crawl_arguments(parser: argparse.ArgumentParser, *, sets: int) -> None:
    """Add the options of rehearsed crawls: seed sets, pages, connections, processes, and the folder of the corpora."""
    parser.add_argument("--sets", type=int, default=sets)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--corpora", type=Path, default=corpora())


if __name__ == "__main__":
    main()
