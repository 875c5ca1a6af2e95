"""Few hosts, several nodes: how many of the pages each node of a whole crawl fetches, who start together and may hold 20 hosts each.

    python -m benchmarks.crawl.sharing [--rounds 4] [--hosts 18] [--nodes 3] [--pages 1300]

A line a round, each with a web of its own: pages in the store of each node, the least share of one that would have an equal one, URLs fetched
again, requests of a host that overlapped. Ends with 1 when a node did nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from support.crawling import wait_until
from support.kill_checks import judge, reachable, stored_urls
from support.kill_rounds import SETTINGS, TOPIC, Node
from support.redis_log import private_redis
from topicspider.rehearsal.replay.request_log import read_log
from topicspider.rehearsal.replay.server import replay_process
from topicspider.rehearsal.synthetic.web import SyntheticWeb

LONGEST = 1800.0  # seconds
HEAD = "| round | pages | of each node | least of an equal share | again | overlaps | s |"


def main() -> int:
    options = _options()
    print(HEAD, "|" + "---|" * (HEAD.count("|") - 1), sep="\n", flush=True)
    is_wrong = False
    for seed in range(1, options.rounds + 1):
        pages, cells = _round(seed, options)
        is_wrong |= not all(pages)
        print("| " + " | ".join(map(str, (seed, *cells))) + " |", flush=True)
    return int(is_wrong)


def _round(seed: int, options: argparse.Namespace) -> tuple[list[int], tuple[object, ...]]:
    """The pages of each node, and the cells of the line."""
    # one host more has a Crawl-delay
    spec = f"pages={options.pages},hosts={options.hosts - 1},topic={TOPIC},topic_hosts=6,seed={seed}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="topicspider-sharing-")))
        log = folder / "requests.jsonl"
        proxy = stack.enter_context(replay_process(f"made:{spec}", "--latency", "lognormal:0.1", "--log", str(log)))
        queue = stack.enter_context(private_redis()).url
        settings = {**SETTINGS, "CONCURRENT_REQUESTS": 16, "TOPICSPIDER_LIVE": "off", "TOPICSPIDER_LEASE_SECONDS": 30, "TOPICSPIDER_FRONTIER": queue}  # fmt: skip
        nodes, began = [], time.monotonic()
        for number in range(options.nodes):
            nodes.append(Node(folder / f"node{number}", proxy, settings))
            stack.callback(nodes[-1].kill)
        wait_until(lambda: all(node.is_over for node in nodes), seconds=LONGEST)
        pages = [len(stored_urls([node.folder], TOPIC)) for node in nodes]
        stored = stored_urls([node.folder for node in nodes], TOPIC)
        verdict = judge(read_log(log), stored, reachable(SyntheticWeb.read(spec)))
    least = f"{min(pages) * len(pages) / sum(pages):.0%}"
    each = ", ".join(map(str, pages))
    return pages, (len(stored), each, least, verdict.refetched, len(verdict.overlaps), round(time.monotonic() - began))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("rounds", 4), ("hosts", 18), ("nodes", 3), ("pages", 1300)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
