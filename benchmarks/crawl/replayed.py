"""Runs crawls over a recorded web and measures them from outside: what was fetched, CPU time, memory."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topicspider.rehearsal.replay.server import replay_process
from topicspider.setting_names import without_settings

ROOT = Path(__file__).resolve().parents[2]
START_PAGE = "http://dir.hub.example/"
NO_DELAYS = ("-s", "TOPICSPIDER_DELAY_MIN=0", "-s", "TOPICSPIDER_DELAY_FACTOR=0")


def corpora() -> Path:
    """The folder of recorded data; ends the program with a clear line when there is none."""
    folder = Path(os.environ.get("TOPICSPIDER_CORPORA") or Path.home() / ".cache" / "topicspider-corpora")
    if not (folder / "sites-dev.warc").exists():
        sys.exit(f"skipped: no sites-dev.warc in {folder}; set TOPICSPIDER_CORPORA to the folder of recorded data")
    return folder


@dataclass(frozen=True)
class Labels:
    """What independent labels say: the on-topic pages, those of them that links lead to, and pages that only redirect."""

    targets: frozenset[str]
    reachable: frozenset[str]
    redirects: frozenset[str]

    def seed_set(self, number: int) -> list[str]:
        """Three on-topic pages drawn by seed, with the directory."""
        return [*random.Random(number).sample(sorted(self.reachable), 3), START_PAGE]


def read_labels(path: Path, topic: str) -> Labels:
    """Pages on ``topic``; pages of other kinds (lists, redirects) are neither hits nor misses."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    targets = [line for line in lines if line["kind"] == "page" and topic in (line["topics"] or ())]
    return Labels(
        targets=frozenset(line["url"] for line in targets),
        reachable=frozenset(line["url"] for line in targets if line.get("depth") is not None),
        redirects=frozenset(line["url"] for line in lines if line["kind"] == "redirect"),
    )


def replay(web: Path | str, log: Path) -> AbstractContextManager[str]:
    """A replay server in its own process; gives the address of its proxy."""
    return replay_process(str(web), "--log", str(log))


@dataclass(frozen=True)
class Run:
    """One finished crawl: pages fetched in order, CPU and wall seconds, peak memory in MB."""

    fetched: Sequence[str]
    cpu_seconds: float
    wall_seconds: float
    memory_mb: float


def start_scrapy(arguments: Sequence[str], proxy: str, cwd: Path = ROOT, **more: Any) -> subprocess.Popen[Any]:
    """Start ``scrapy ARGUMENTS`` behind ``proxy``, without settings from this shell; ``more``: as Popen takes it."""
    environment = {
        **without_settings(os.environ),
        "http_proxy": proxy,
        "https_proxy": proxy,
        "no_proxy": "",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling everything in each process is no cost of a crawl
    return subprocess.Popen([sys.executable, "-m", "scrapy", *arguments], cwd=cwd, env=environment, **more)


def run_crawl(proxy: str, log: Path, arguments: Sequence[str], cwd: Path = ROOT) -> Run:
    """Run ``scrapy ARGUMENTS`` behind ``proxy`` and read from the log what it fetched."""
    already = _lines(log)
    started = time.monotonic()
    process = start_scrapy(arguments, proxy, cwd)
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"scrapy {' '.join(arguments)} ended with exit code {process.returncode}")
    return Run(
        fetched=_fetched(log, already),
        cpu_seconds=used.ru_utime + used.ru_stime,
        wall_seconds=time.monotonic() - started,
        memory_mb=used.ru_maxrss / 1024,
    )


def cpu_of(process: int) -> float:
    """Seconds of CPU that a process has taken, with its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="topicspider-bench-") as folder:
        yield Path(folder)


def found_at(run: Run, labels: Labels, seeds: Sequence[str], budgets: Sequence[int]) -> list[int]:
    """On-topic pages among the first N pages, for each N in ``budgets``; seeds do not count as hits."""
    pages = [url for url in dict.fromkeys(run.fetched) if url not in labels.redirects]
    wanted = labels.targets - set(seeds)
    return [len(wanted.intersection(pages[:budget])) for budget in budgets]


def _fetched(log: Path, skip: int) -> list[str]:
    """URLs answered with 200, in the order in which their answers ended."""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()[skip:]]
    answered = [line for line in lines if line["status"] == 200 and not line["path"].endswith("/robots.txt")]
    return [
        f"{line['scheme']}://{line['host']}{line['path']}" for line in sorted(answered, key=lambda line: line["end"])
    ]


def _lines(log: Path) -> int:
    return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0
