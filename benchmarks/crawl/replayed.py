"""Runs crawls over a recorded web, and measures their CPU time and memory from outside."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality import extraction
from support.crawling import ROOT, environment

START_PAGE = "http://dir.hub.example/"


def corpora() -> Path:
    """The folder of recorded data; ends the program with a clear line when there is none."""
    folder = extraction.corpora()
    if not (folder / "sites-dev.warc").exists():
        sys.exit(f"skipped: no sites-dev.warc in {folder}; set TOPICSPIDER_CORPORA to the folder of recorded data")
    return folder


@dataclass(frozen=True)
class Labels:
    """The on-topic pages by independent labels, and those of them to which links lead."""

    targets: frozenset[str]
    reachable: frozenset[str]

    def seed_set(self, number: int) -> list[str]:
        """Three on-topic pages, drawn with ``number`` as seed, and the directory."""
        return [*random.Random(number).sample(sorted(self.reachable), 3), START_PAGE]


def read_labels(path: Path, topic: str) -> Labels:
    """Pages on ``topic``; pages of other kinds (lists, redirects) are neither hits nor misses."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    targets = [line for line in lines if line["kind"] == "page" and topic in (line["topics"] or ())]
    return Labels(
        targets=frozenset(line["url"] for line in targets),
        reachable=frozenset(line["url"] for line in targets if line.get("depth") is not None),
    )


def start_scrapy(arguments: Sequence[str], proxy: str, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
    """Start ``scrapy ARGUMENTS`` behind ``proxy``, without settings from this shell."""
    env = environment(proxy)
    del env["SCRAPY_SETTINGS_MODULE"]  # the scrapy.cfg of ``cwd`` names it
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else each process compiles everything, which is no cost of a crawl
    return subprocess.Popen([sys.executable, "-m", "scrapy", *arguments], cwd=cwd, env=env)


@dataclass(frozen=True)
class Run:
    """One finished crawl: CPU seconds, peak memory in MB."""

    cpu_seconds: float
    memory_mb: float


def run_crawl(proxy: str, arguments: Sequence[str], cwd: Path = ROOT) -> Run:
    """Run ``scrapy ARGUMENTS`` behind ``proxy`` to its end."""
    process = start_scrapy(arguments, proxy, cwd)
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"scrapy {' '.join(arguments)} ended with exit code {process.returncode}")
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def cpu_of(process: int) -> float:
    """Seconds of CPU that a process has taken, with its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process: int, kind: str = "Rss") -> float:
    """MB of a process. ``kind``: Rss (resident), Pss (shared memory divided by its users), Private_Dirty, …"""
    found = re.search(rf"^{kind}:\s+(\d+) kB", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0
