"""Kills crawls of synthetic webs at random moments, many times, and checks by the server's log that nothing is lost or done twice.

    python -m benchmarks.crawl.kills [--workers 50] [--redis 10] [--embedded 20] [--seed 0] [--state kills.jsonl] [--keep FOLDER]
    python -m benchmarks.crawl.kills --table

What is killed: workers: one of two processes on one Redis; redis: their server, two times in three with the end of its log
cut off; embedded: the only process, with its frontier in a file. Each crawl has a synthetic web of its own, served with latency
on 127.0.0.1, prunes nothing, and is killed several times; its outcome is one line of the state file. A campaign that was
interrupted goes on where it was. ``--table`` prints the outcomes so far. Ends with 1 when a crawl had a fault.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from support.kill_rounds import CUT, EMBEDDED, REDIS, TORN, WORKER, Plan, Result, run_round

KILLS_A_CRAWL = {"workers": 7, "redis": 3, "embedded": 7}
FIRST_SEED = {"workers": 1, "redis": 101, "embedded": 201}
KINDS = {"workers": (WORKER,), "redis": (REDIS, TORN, CUT), "embedded": (EMBEDDED,)}
_MOST_CRAWLS = 3  # for each that is wanted: some end before they were killed
_MOST_FAULTS = 20  # noted for a crawl
_HEAD = "| killed | seed | kills | URLs | fetched again | leased at the kills | overlaps | missing | seconds |"


def main() -> int:
    """Run the crawls that the campaign lacks; returns the exit code."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all started processes are ended
    done = _read(options.state)
    if not options.table:
        for part, wanted in (("workers", options.workers), ("redis", options.redis), ("embedded", options.embedded)):
            for result in _campaign(part, wanted, done.setdefault(part, []), options):
                with options.state.open("a", encoding="utf-8") as state:
                    few = {**asdict(result), "faults": result.faults[:_MOST_FAULTS]}
                    state.write(json.dumps({"part": part, **few}) + "\n")
                print(_row(part, result), *result.faults[:5], sep="\n  ", file=sys.stderr)
    print(table(done))
    return int(any(result.faults for results in done.values() for result in results))


def _campaign(part: str, wanted: int, results: list[Result], options: argparse.Namespace) -> Iterator[Result]:
    """Run the missing crawls; each is added to ``results`` when it has ended."""
    most_crawls = _MOST_CRAWLS * (1 + wanted // KILLS_A_CRAWL[part])
    while (so_far := sum(len(result.kills) for result in results)) < wanted and len(results) < most_crawls:
        kinds = KINDS[part]
        count = min(KILLS_A_CRAWL[part], wanted - so_far)
        kills = [kinds[number % len(kinds)] for number in range(so_far, so_far + count)]
        results.append(run_round(Plan(options.seed + FIRST_SEED[part] + len(results), kills), options.keep))
        yield results[-1]


def table(done: dict[str, list[Result]]) -> str:
    """Markdown: a line for each crawl, and the sums of each part."""
    lines = [_HEAD, "|" + "---|" * _HEAD.count("| ")]
    for part, results in done.items():
        lines += [_row(part, result) for result in results]
        if results:
            lines.append(_sums(part, results))
    return "\n".join(lines)


def _row(part: str, result: Result) -> str:
    killed = ", ".join(dict.fromkeys(result.kills)) or part
    numbers = [len(result.kills), result.urls, result.refetched, result.leased, result.overlaps, result.missing]
    return "| " + " | ".join(map(str, [killed, result.seed, *numbers, round(result.seconds)])) + " |"


def _sums(part: str, results: list[Result]) -> str:
    names = ("urls", "refetched", "leased", "overlaps", "missing", "seconds")
    sums = [sum(len(result.kills) for result in results)]
    sums += [round(sum(getattr(result, name) for result in results)) for name in names]
    return "| " + " | ".join(map(str, [f"**{part}**", f"{len(results)} crawls", *sums])) + " |"


def _read(path: Path) -> dict[str, list[Result]]:
    done: dict[str, list[Result]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            fields = json.loads(line)
            done.setdefault(fields.pop("part"), []).append(Result(**fields))
    return done


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=50, help="kills of workers")
    parser.add_argument("--redis", type=int, default=10, help="kills of the Redis server")
    parser.add_argument("--embedded", type=int, default=20, help="kills of a crawl with an embedded frontier")
    parser.add_argument(
        "--seed", type=int, default=0, help="added to the seeds of all crawls: other webs, other moments"
    )
    parser.add_argument("--state", type=Path, default=Path("kills.jsonl"), help="what was done already")
    parser.add_argument("--keep", type=Path, help="a folder for the logs and files of crawls that had a fault")
    parser.add_argument("--table", action="store_true", help="run nothing, print what the state file has")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
