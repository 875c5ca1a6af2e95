"""Crawls synthetic webs into a real MariaDB that fails in the middle, and prints what was lost or stored twice.

    python -m benchmarks.crawl.outages [--seconds 60] [--seeds 1] [--only KIND ...] [--pages 300]

Kinds: stopped (in order, for --seconds), hanging (SIGSTOP), kill -9, disk full (its data lie on a
tmpfs of 256 MB, which needs root). Each crawl has a synthetic web of its own, served with latency on 127.0.0.1, and prunes nothing, so
it is known what must be stored. Prints a line for each crawl, and faults to stderr. Ends with 1 when a crawl had a fault.
"""

from __future__ import annotations

import argparse
import signal
import sys

from support.outage_rounds import OUTAGES, NoDiskError, Plan, Result, run_round
from support.servers import NoServerError

LATENCY = "lognormal:1.0:0.3"
HOSTS = 4
_HEAD = "| MariaDB is | seed | away, s | rows expected | stored | doubled | fetched again | lines |"


def main() -> int:
    """Run the outages that were asked for; returns the exit code."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all started processes are ended
    print(_HEAD, "|" + "---|" * (_HEAD.count("|") - 1), sep="\n", flush=True)
    is_wrong = False
    for how in options.only:
        for seed in range(1, options.seeds + 1):
            web = f"pages={options.pages},hosts={HOSTS},topic=tourism,topic_hosts={HOSTS // 2}"
            try:
                result = run_round(Plan(how, seed, options.seconds, web, LATENCY))
            except (NoServerError, NoDiskError) as missing:
                print(f"{how}: NOT MEASURED: {missing}", file=sys.stderr)
                continue
            print(_row(result), flush=True)
            for line in (*result.lines, *result.faults[:5]):
                print(f"  {line}", file=sys.stderr)
            is_wrong |= bool(result.faults)
    return int(is_wrong)


def _row(result: Result) -> str:
    cells = [result.how, result.seed, f"{result.away_seconds:.0f}", result.expected, result.stored, result.doubled]
    cells += [result.refetched, len(result.lines)]
    return "| " + " | ".join(map(str, cells)) + " |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the server is away")
    parser.add_argument("--seeds", type=int, default=1, help="crawls of each kind")
    parser.add_argument("--only", nargs="+", choices=OUTAGES, default=list(OUTAGES), metavar="KIND")
    parser.add_argument("--pages", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
