"""Samples of the memory and open files of workers over a long time, and their evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

WARM_UP_MINUTES = 5.0  # of a segment, or half of it, when it is shorter than twice this
_HEAD = "| worker | segment | minutes | MB after warm-up | MB at the end | slope, MB an hour | open files: first, most, last |"


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of one worker. ``segment``: the number of the start of the soak; ``minutes``: since the first start."""

    worker: int
    segment: int
    minutes: float
    megabytes: float
    files: int


def sample_of(worker: int, pid: int, segment: int, minutes: float) -> Sample:
    """Take a sample of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return Sample(worker, segment, minutes, round(pages * 4096 / 1e6, 3), len(list(Path(f"/proc/{pid}/fd").iterdir())))


def slope_an_hour(samples: Sequence[Sample]) -> float:
    """Megabytes an hour, by least squares; 0 when there are fewer than two."""
    if len(samples) < 2:
        return 0.0
    at, size = fmean(one.minutes for one in samples), fmean(one.megabytes for one in samples)
    spread = sum((one.minutes - at) ** 2 for one in samples)
    together = sum((one.minutes - at) * (one.megabytes - size) for one in samples)
    return 60 * together / spread if spread else 0.0


def warm(samples: Sequence[Sample], warm_up: float = WARM_UP_MINUTES) -> list[Sample]:
    """The samples of one worker in one segment, without its first ``warm_up`` minutes, in which caches fill up."""
    first, last = samples[0].minutes, samples[-1].minutes
    until = first + min(warm_up, (last - first) / 2)
    return [one for one in samples if one.minutes >= until]


def soak_table(samples: Sequence[Sample], warm_up: float = WARM_UP_MINUTES) -> str:
    """Markdown: a line for each worker of each segment."""
    groups: dict[tuple[int, int], list[Sample]] = {}
    for one in samples:
        groups.setdefault((one.segment, one.worker), []).append(one)
    lines = [_HEAD, "|" + "---|" * (_HEAD.count("|") - 1)]
    for (segment, worker), of_worker in sorted(groups.items()):
        steady = warm(of_worker, warm_up)
        minutes = of_worker[-1].minutes - of_worker[0].minutes
        files = [one.files for one in of_worker]
        cells = [worker, segment, f"{minutes:.0f}", f"{steady[0].megabytes:.0f}", f"{steady[-1].megabytes:.0f}"]
        cells += [f"{slope_an_hour(steady):.1f}", f"{files[0]}, {max(files)}, {files[-1]}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)
