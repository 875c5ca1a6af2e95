"""Measures the harvest and the time of each pace with 16 polite connections, and of one connection, on recorded sites.

    python -m benchmarks.quality.pace [--webs sites-dev,sites-dev2] [--sets 3] [--pages 1000] [--connections 16]

Time is virtual: answers take 0.3 s, hosts have the usual rests and one connection each. Area: under hits by pages, relative to a crawl of
hits only; hits: at the last checkpoint; seconds: until then. Labels judge and do not guide. Means over topics and seed sets. Webs lie in
$TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; missing ones are skipped.
"""

from __future__ import annotations

import argparse
import sys
from statistics import mean

from benchmarks.quality.harvest import LATENCY, add_crawl_arguments
from topicspider.options import Options
from topicspider.rehearsal.rehearse import RehearsalConfig, rehearse

TOPICS = ("tourism", "food", "sport")


def main() -> None:
    """Print a line for each pace of each web."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", default="sites-dev,sites-dev2")
    add_crawl_arguments(parser, sets=3)
    options = parser.parse_args()
    print(f"{'web, pace, connections':32}{'area':>7}{'hits':>7}{'seconds':>9}", flush=True)
    paces = [(pace, options.connections) for pace in ("fast", "balanced", "thrifty")]
    for web in options.webs.split(","):
        if not (options.corpora / f"{web}.warc").is_file():
            print(f"skipped: no {web}.warc in {options.corpora}")
            continue
        for pace, connections in [*paces, ("fast", 1)]:
            figures = [_figures(web, topic, pace, connections, options) for topic in TOPICS]
            area, hits, seconds = (mean(column) for column in zip(*figures, strict=True))
            print(f"{f'{web}, {pace}, {connections}':32}{area:7.3f}{hits:7.0f}{seconds:9.0f}", flush=True)


def _figures(
    web: str, topic: str, pace: str, connections: int, options: argparse.Namespace
) -> tuple[float, float, float]:
    """Means of area, hits and seconds over the seed sets."""
    plan = RehearsalConfig(
        web=str(options.corpora / f"{web}.warc"),
        labels=options.corpora / f"{web}.labels.jsonl",
        options=Options(topic=topic, pace=pace),
        policies=("learned",),
        checkpoints=(options.pages // 2, options.pages),
        repeats=options.sets,
        connections=connections,
        latency=LATENCY,
        processes=options.processes,
    )
    (policy,) = rehearse(plan, lambda line: print(line, file=sys.stderr))[0].policies
    last = policy.hits[options.pages].value, policy.seconds[options.pages].value
    return policy.auc_perfect.value, *last


if __name__ == "__main__":
    main()
