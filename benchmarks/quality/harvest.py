"""How much of the oracle's harvest link policies reach on recorded sites: topics x policies x seed sets, and from the directory page alone.

    python -m benchmarks.quality.harvest [--policies learned,shark] [--topics tourism,food,sport] [--sets 10] [--scorer learned]

Area under the curve of hits over the first 2,000 pages, as a share of the oracle's from the same seeds: three pages on topic and the
directory page, or the directory page alone. Dead links cost nothing, seeds are no hits, labels judge and do not guide. The pages of a
topic are read once (two minutes) and kept; a crawl takes some ten seconds, and each topic is printed when it is done.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from topicspider.options import Options
from topicspider.rehearsal.rehearse import RehearsalConfig, rehearse

TOPICS = "tourism,food,sport"
POLICIES = "bfs,random,best_first,shark,ipagerank,learned"
ORACLE = "oracle"
START = "http://dir.hub.example/"
PAGES = 2_000


@dataclass(frozen=True, slots=True)
class Shares:
    """Of one policy on one topic: the oracle's share by seed set, and from the directory page ``alone``."""

    of_sets: tuple[float, ...]
    alone: float


def main() -> None:
    """Print a table for each topic, then one of the means over topics."""
    options = _arguments()
    policies = tuple(options.policies.split(","))
    found = {}
    for topic in options.topics.split(","):
        found[topic] = shares(topic, policies, options)
        show(f"{topic}, {options.sets} seed sets", found[topic])
    show(
        "mean over topics",
        {
            policy: Shares(
                tuple(share for of in found.values() for share in of[policy].of_sets),
                mean(of[policy].alone for of in found.values()),
            )
            for policy in policies
        },
    )


def show(title: str, found: dict[str, Shares]) -> None:
    """One line a policy."""
    print(f"{title:30} {'mean':>6} {'least':>6} {'alone':>6}")
    for policy, one in found.items():
        print(f"{policy:30} {mean(one.of_sets):6.3f} {min(one.of_sets):6.3f} {one.alone:6.3f}", flush=True)


def shares(topic: str, policies: tuple[str, ...], options: argparse.Namespace) -> dict[str, Shares]:
    """Each policy's shares of the oracle's area on one topic."""
    seeded = _rehearsed(topic, policies, options, 3, options.sets)
    alone = _rehearsed(topic, policies, options, 0, 1)
    return {policy: Shares(seeded[policy], alone[policy][0]) for policy in policies}


def _rehearsed(
    topic: str, policies: tuple[str, ...], options: argparse.Namespace, on_topic: int, sets: int
) -> dict[str, tuple[float, ...]]:
    """Policy to its share of the oracle's area from each seed set."""
    plan = RehearsalConfig(
        web=str(options.corpora / "sites-dev.warc"),
        options=Options(topic=topic, page_scorer=options.scorer, delay_min=0.0, delay_factor=0.0, delay_max=0.0),
        labels=options.corpora / "sites-dev.labels.jsonl",
        policies=(*policies, ORACLE),
        checkpoints=(PAGES // 4, PAGES),
        start_pages=(START,),
        on_topic_seeds=on_topic,
        repeats=sets,
        processes=options.processes,
    )
    results, _cost = rehearse(plan, lambda line: print(line, file=sys.stderr))
    return {one.policy: tuple(run.auc_oracle or 0.0 for run in one.runs) for one in results.policies}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", default=TOPICS)
    parser.add_argument("--policies", default=POLICIES)
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--scorer", default="learned")
    parser.add_argument("--processes", type=int, default=1)
    home = os.environ.get("TOPICSPIDER_CORPORA") or Path.home() / ".cache" / "topicspider-corpora"
    parser.add_argument("--corpora", type=Path, default=Path(home))
    return parser.parse_args()


if __name__ == "__main__":
    main()
