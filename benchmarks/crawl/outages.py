"""Crawls made webs into a real MariaDB that goes away in the middle, and says what was lost and doubled.

    python -m benchmarks.crawl.outages [--seconds 60] [--seeds 1] [--only KIND ...] [--pages 300] [--state outages.jsonl]
    python -m benchmarks.crawl.outages --table

Kinds: stopped (in order, for --seconds), hanging (SIGSTOP), kill -9, disk full (its data lies on a
tmpfs of 256 MB, which needs root). Each crawl has a made web of its own, served with latency on 127.0.0.1, and prunes nothing; so
what must be stored is known. The state file has a line for each crawl, ``--table`` prints what there is. Ends with 1 when a crawl had a fault.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path

from support.outage_rounds import OUTAGES, NoDiskError, Plan, Result, run_round
from support.servers import NoServerError

LATENCY = "lognormal:1.0:0.3"
HOSTS = 4
_HEAD = "| MariaDB is | seed | away, s | rows expected | stored | doubled | fetched again | lines |"


def main() -> int:
    """Run what is asked for."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    done = _read(options.state)
    for how in [] if options.table else options.only:
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            web = f"pages={options.pages},hosts={HOSTS},topic=tourism,topic_hosts={HOSTS // 2}"
            try:
                result = run_round(Plan(how, seed, options.seconds, web, options.latency))
            except (NoServerError, NoDiskError) as missing:
                print(f"{how}: NOT MEASURED: {missing}", file=sys.stderr)
                continue
            done.append(result)
            with options.state.open("a", encoding="utf-8") as state:
                state.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")
            print(
                _row(result),
                *result.lines,
                *result.faults[:5],
                sep="\n  ",
                file=sys.stderr,
            )
    print(table(done))
    return int(any(result.faults for result in done))


def table(results: list[Result]) -> str:
    """Markdown: a line for each crawl."""
    lines = [_HEAD, "|" + "---|" * (_HEAD.count("|") - 1)]
    return "\n".join([*lines, *map(_row, sorted(results, key=lambda one: (OUTAGES.index(one.how), one.seed)))])


def _row(result: Result) -> str:
    cells = [result.how, result.seed, f"{result.away_seconds:.0f}", result.expected, result.stored, result.doubled]
    cells += [result.refetched, len(result.lines)]
    return "| " + " | ".join(map(str, cells)) + " |"


def _read(state: Path) -> list[Result]:
    if not state.exists():
        return []
    return [Result(**json.loads(line)) for line in state.read_text("utf-8").splitlines()]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the server is away")
    parser.add_argument("--seeds", type=int, default=1, help="crawls of each kind")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=OUTAGES, default=list(OUTAGES), metavar="KIND")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--latency", default=LATENCY, help="see `scrapy replay`")
    parser.add_argument("--state", type=Path, default=Path("outages.jsonl"))
    parser.add_argument("--table", action="store_true", help="only print what the state file has")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
