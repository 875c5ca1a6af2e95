"""Measures CPU time and memory of each process of a crawl that reads its pages itself, or in one or two processes beside it.

    python -m benchmarks.crawl.processes [--pages 1000] [--processes 0,1,2] [--web sites-dev.warc]

A recorded web is crawled without delays. On an idle machine with a core for each process, the most pages a second follow from CPU times
alone: 1 / max(CPU a page of the crawl's own process, that of the busiest reader). CPU times begin with the first answer, after the start.
``all readers`` is PSS (shared memory is divided by its users): its growth from line to line is the cost of one reader more.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.crawl.replayed import START_PAGE, corpora, cpu_of, memory_of, start_scrapy
from support.crawling import children_of, order
from support.replaying import RunningReplay, replay_server

LOOK_SECONDS = 0.2
READER = b"topicspider.reading_processes"


@dataclass
class Watched:
    """A crawl measured from outside: CPU seconds and MB of its own process, and of each reader, by pid."""

    cpu: dict[int, float] = field(default_factory=dict)
    resident: dict[int, float] = field(default_factory=dict)
    private: dict[int, float] = field(default_factory=dict)
    proportional: dict[int, float] = field(default_factory=dict)
    at_first_answer: float = 0.0
    seconds: float = 0.0


def main() -> None:
    """Print a line for each number of processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--processes", default="0,1,2")
    parser.add_argument("--web", default="sites-dev.warc")
    options = parser.parse_args()
    print(
        f"{'readers':>8}{'pages':>7}{'wall s':>8}{'start s':>9}{'crawl ms':>10}{'reader ms':>11}{'pages/s':>9}"
        f"{'at most':>9}{'x':>6}{'crawl MB':>10}{'reader MB':>11}{'private':>9}{'all readers':>13}",
        flush=True,
    )
    alone = 0.0
    with tempfile.TemporaryDirectory() as work, replay_server(corpora() / options.web) as served:
        for number in options.processes.split(","):
            alone = _line(served, Path(work), number, options.pages, alone)


def _line(served: RunningReplay, work: Path, number: str, pages: int, alone: float) -> float:
    already = _answers(served.log_path)
    seen, pid = _watch(_crawl(served.proxy_url, work, number, pages), served.log_path, already)
    own = 1000 * (seen.cpu[pid] - seen.at_first_answer) / pages
    readers = [1000 * cpu / pages for process, cpu in seen.cpu.items() if process != pid]
    at_most = 1000 / max(own, *readers, 1e-9)
    alone = alone or at_most
    reader_mb = max((mb for process, mb in seen.resident.items() if process != pid), default=0)
    private_mb = max((mb for process, mb in seen.private.items() if process != pid), default=0)
    readers_mb = sum(mb for process, mb in seen.proportional.items() if process != pid)
    print(
        f"{number:>8}{pages:>7}{seen.seconds:>8.0f}{seen.at_first_answer:>9.2f}{own:>10.1f}{max(readers, default=0):>11.1f}"
        f"{pages / seen.seconds:>9.1f}{at_most:>9.1f}{at_most / alone:>6.2f}{seen.resident[pid]:>10.0f}{reader_mb:>11.0f}{private_mb:>9.0f}{readers_mb:>13.0f}",
        flush=True,
    )
    return alone


def _crawl(proxy: str, work: Path, number: str, pages: int) -> subprocess.Popen[bytes]:
    settings = {"TOPICSPIDER_DATA": work / f"data-{number}", "TOPICSPIDER_PROCESSES": number, "LOG_LEVEL": "ERROR"}
    limits = ("-a", f"max_pages={pages}", "-a", "pace=fast")
    return start_scrapy(order(*limits, seeds=START_PAGE, **settings), proxy)


def _watch(process: subprocess.Popen[bytes], log: Path, already: int) -> tuple[Watched, int]:
    seen, began = Watched(), 0.0
    while process.poll() is None:
        for pid in (process.pid, *_readers_of(process.pid)):
            try:
                seen.cpu[pid] = cpu_of(pid)
                seen.resident[pid] = memory_of(pid)
                seen.proportional[pid] = memory_of(pid, "Pss")
                seen.private[pid] = memory_of(pid, "Private_Dirty") + memory_of(pid, "Private_Clean")
            except (OSError, ValueError):
                continue  # it has ended since
        if not began and _answers(log) > already:
            began, seen.at_first_answer = time.monotonic(), seen.cpu[process.pid]
        time.sleep(LOOK_SECONDS)
    seen.seconds = time.monotonic() - began
    if process.returncode:
        sys.exit(f"the crawl ended with exit code {process.returncode}")
    return seen, process.pid


def _readers_of(pid: int) -> list[int]:
    """The pids of the readers of a crawl, with those that a reader has forked."""
    readers = [child for child in children_of(pid) if READER in _command(child)]
    return readers + [other for reader in readers for other in _readers_of(reader)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _answers(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


if __name__ == "__main__":
    main()
