"""Compares the four server policies in real crawls of synthetic hosts, some very slow, with few connections and equal time for each.

    python -m benchmarks.crawl.servers [--seeds 5] [--seconds 45] [--hosts 60] [--connections 8] [--spread 1.5]

Each seed makes a web of its own, served on 127.0.0.1 by a replay server in another process: a host answers with a latency
of its own, lognormal around .25 s with sigma --spread, which varies a little from page to page. Each policy crawls it for
--seconds with the default link policy, no delays. Counted are the pages that are truly on topic, and all pages, by the server's
log, from its first answer on. Prints each seed, then means with their range, and the ratio of each policy to breadth-first, by seed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from support import crawling
from support.kill_checks import open_at_once, url_of
from support.replaying import replay_server
from topicspider.frontier.host_ranking import SERVER_RANKS
from topicspider.rehearsal.replay.request_log import read_log
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST
from topicspider.rehearsal.synthetic.web import SyntheticWeb

SHARES = (0.3, 0.5, 1.0)  # of the time of a crawl
MEDIAN = 0.25  # seconds
PAGES = 12_000  # more than any crawl gets


@dataclass(frozen=True, slots=True)
class Crawled:
    """By share of the time: pages on topic, and pages; ``overlaps``: requests to a host that began before its last one had ended."""

    hits: tuple[int, ...]
    pages: tuple[int, ...]
    overlaps: int


def main() -> int:
    """Crawl and print; returns 1 when requests to a host overlapped, or capacity found no more on topic than breadth-first."""
    options = _options()
    runs: dict[str, list[Crawled]] = {policy: [] for policy in SERVER_RANKS}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for policy, of_policy in runs.items():
            of_policy.append(crawl(policy, seed, options))
            print(f"seed {seed}, {policy:12} {of_policy[-1]}", file=sys.stderr, flush=True)
    print(table(runs))
    ratio = mean(_ratios(runs, "capacity", "hits")[-1])
    return int(ratio <= 1 or any(run.overlaps for of_policy in runs.values() for run in of_policy))


def crawl(policy: str, seed: int, options: argparse.Namespace) -> Crawled:
    """One real crawl of the web of ``seed``."""
    spec = f"pages={PAGES},hosts={options.hosts},seed={seed}"
    # hosts differ by latency only, not by Crawl-delay
    served_by = replay_server(f"made:{spec}", latency=f"lognormal:{MEDIAN}:{options.spread}", seed=seed, robots="")
    with tempfile.TemporaryDirectory() as work, served_by as served:
        settings = {
            "TOPICSPIDER_SERVER_POLICY": policy,
            "TOPICSPIDER_SEED": seed,
            "CONCURRENT_REQUESTS": options.connections,
            "CLOSESPIDER_TIMEOUT": options.seconds + 5,  # its first page takes a moment
            "LOG_LEVEL": "ERROR",
        }
        seeds, longest = f"http://{DIRECTORY_HOST}/", options.seconds + 60
        crawling.crawl(Path(work), served.proxy_url, seeds=seeds, timeout=longest, **settings)
        return _measured(served.log_path, SyntheticWeb.read(spec), options)


def table(runs: dict[str, list[Crawled]]) -> str:
    """Markdown: means over the seeds, the range at the end, and the ratio of each policy to breadth-first."""
    shares = [f"{share:g} of the time" for share in SHARES]
    lines = []
    for kind, name in (("hits", "pages on topic"), ("pages", "pages")):
        lines += [f"| {name} after | " + " | ".join(shares) + " | to `bfs` |", "|" + "---|" * (len(SHARES) + 2)]
        for policy, of_policy in runs.items():
            counts = [[getattr(run, kind)[at] for run in of_policy] for at in range(len(SHARES))]
            ratios = " ".join(f"{mean(each):.2f}" for each in _ratios(runs, policy, kind))
            last = _ratios(runs, policy, kind)[-1]
            shown = " | ".join(f"{mean(each):.0f}" for each in counts)
            lines.append(f"| `{policy}` | {shown} | {ratios} ({min(last):.2f}-{max(last):.2f}) |")
        lines.append("")
    return "\n".join(lines)


def _ratios(runs: dict[str, list[Crawled]], policy: str, kind: str) -> list[list[float]]:
    """For each share of the time: the ratios of the policy to breadth-first, by seed."""
    pairs = list(zip(runs[policy], runs["bfs"], strict=True))
    return [
        [getattr(one, kind)[at] / max(1, getattr(bfs, kind)[at]) for one, bfs in pairs] for at in range(len(SHARES))
    ]


def _measured(log: Path, web: SyntheticWeb, options: argparse.Namespace) -> Crawled:
    asked = sorted(read_log(log), key=lambda one: one["end"])
    if not asked:
        sys.exit("the crawl has asked for nothing")
    begin = asked[0]["end"]
    ends: dict[str, float] = {}
    for one in asked:
        if one["status"] == 200 and one["path"] != "/robots.txt":
            ends.setdefault(url_of(one), one["end"] - begin)
    hits = [end for url, end in ends.items() if _is_on(web, url)]
    times = [share * options.seconds for share in SHARES]
    return Crawled(
        tuple(sum(end <= time for end in hits) for time in times),
        tuple(sum(end <= time for end in ends.values()) for time in times),
        len(open_at_once(asked)),
    )


def _is_on(web: SyntheticWeb, url: str) -> bool:
    truth = web.truth(url)
    return truth is not None and truth.kind == "page" and "tourism" in truth.topics


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--spread", type=float, default=1.5)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
