"""On-topic pages found by each link policy on recorded sites, judged by independent labels ((a) Li 2002, the test).

    python benchmarks/crawl/tourism.py [--pages 1500] [--sets 3] [--policies bfs,ipagerank] [--connections 1]

Each policy crawls from the same seed sets with the same budget through the replay server; politeness
delays are off by their settings. Pages are judged by the crawl's default scorer, or --scorer. One connection keeps the order of the policy exact.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from replayed import NO_DELAYS, Labels, corpora, found_at, read_labels, replay, run_crawl, scratch

from topicspider.options import Options

POLICIES = "bfs,random,pagerank,ipagerank,best_first,learned"
OURS = Options().link_policy


def main() -> None:
    """Run all, print one table: mean over the seed sets, and the ratio to breadth-first."""
    options = _options()
    folder = corpora()
    labels = read_labels(folder / "sites-dev.labels.jsonl", "tourism")
    budgets = [options.pages * part // 3 for part in (1, 2, 3)]
    found: dict[str, list[list[int]]] = {}
    with scratch() as work, replay(folder / "sites-dev.warc", work / "replay.log") as proxy:
        for policy in options.policies.split(","):
            found[policy] = [
                _crawl(proxy, work, policy, labels, number, budgets, options) for number in range(options.sets)
            ]
            print(policy, found[policy], file=sys.stderr)
    _print(found, budgets)


def _crawl(
    proxy: str, work: Path, policy: str, labels: Labels, number: int, budgets: list[int], options: argparse.Namespace
) -> list[int]:
    seeds = labels.seed_set(number)
    seed_file = work / f"seeds-{number}"
    seed_file.write_text("\n".join(seeds), encoding="utf-8")
    settings = {
        "TOPICSPIDER_DATA": work / f"{policy}-{number}",
        "TOPICSPIDER_LINK_POLICY": policy,
        "TOPICSPIDER_PAGE_SCORER": options.scorer,
        "TOPICSPIDER_SEED": number,
        "CONCURRENT_REQUESTS": options.connections,
        "LOG_LEVEL": "WARNING",
    }
    given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    crawl = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds=@{seed_file}", "-a", f"max_pages={options.pages}"]
    run = run_crawl(proxy, work / "replay.log", [*crawl, *NO_DELAYS, *given])
    return found_at(run, labels, seeds, budgets)


def _print(found: dict[str, list[list[int]]], budgets: list[int]) -> None:
    print(f"{'policy':12}" + "".join(f"{budget:>8}" for budget in budgets) + "   each set at the end")
    for policy, sets in found.items():
        means = [mean(one[i] for one in sets) for i in range(len(budgets))]
        print(f"{policy:12}" + "".join(f"{value:8.1f}" for value in means) + f"   {[one[-1] for one in sets]}")
    for rival in ("bfs", "ipagerank"):
        if rival in found and OURS in found and rival != OURS:
            ours, theirs = (mean(one[-1] for one in found[policy]) for policy in (OURS, rival))
            print(f"{OURS}, the default, finds {ours / theirs:.2f} x {rival}" if theirs else f"{rival} found nothing")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--policies", default=POLICIES)
    parser.add_argument("--scorer", default=Options().page_scorer)
    parser.add_argument("--connections", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
