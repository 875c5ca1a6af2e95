"""How much of the oracle's harvest link policies reach on recorded sites: topics x policies x seed sets, and from the directory page alone.

    python -m benchmarks.quality.harvest [--policies learned,shark] [--topics tourism,food,sport] [--sets 10] [--scorer learned]

Area under the curve of hits over the first 2,000 pages, as a share of the oracle's from the same seeds: three pages on topic and the
directory page, or the directory page alone. Dead links cost nothing, seeds are no hits, labels judge and do not guide.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from statistics import mean

from topicspider.defaults import Options
from topicspider.rehearsal.rehearse import RehearsalPlan, rehearse

TOPICS = "tourism,food,sport"
POLICIES = "bfs,random,best_first,shark,ipagerank,learned"
START = "http://dir.hub.example/"
PAGES = 2_000


def main() -> None:
    """Print one line a policy: its shares by topic, and their means."""
    options = _arguments()
    topics, policies = options.topics.split(","), tuple(options.policies.split(","))
    seeded = {topic: shares(topic, policies, options, 3, options.sets) for topic in topics}
    alone = {topic: shares(topic, policies, options, 0, 1) for topic in topics}
    print(f"{'policy':12}", *(f"{topic:>8} alone" for topic in topics), f"{'mean':>8} alone")
    for policy in policies:
        cells = [(seeded[topic][policy], alone[topic][policy]) for topic in topics]
        cells.append((mean(cell[0] for cell in cells), mean(cell[1] for cell in cells)))
        print(f"{policy:12}", *(f"{one:8.3f} {other:5.3f}" for one, other in cells))


def shares(
    topic: str, policies: tuple[str, ...], options: argparse.Namespace, on_topic: int, sets: int
) -> dict[str, float]:
    """Policy to its mean share of the oracle's area."""
    plan = RehearsalPlan(
        web=str(options.corpora / "sites-dev.warc"),
        options=Options(topic=topic, page_scorer=options.scorer, delay_min=0.0, delay_factor=0.0, delay_max=0.0),
        labels=options.corpora / "sites-dev.labels.jsonl",
        policies=(*policies, "oracle"),
        checkpoints=(PAGES // 4, PAGES),
        start_pages=(START,),
        on_topic_seeds=on_topic,
        repeats=sets,
        processes=options.processes,
    )
    results, _cost = rehearse(plan, lambda line: print(line, file=sys.stderr))
    return {one.policy: one.auc_oracle.value for one in results.policies if one.auc_oracle is not None}


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
