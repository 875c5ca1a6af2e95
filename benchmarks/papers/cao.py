"""The experiment of (c) Cao: the four server policies on one domain of 500 servers, in virtual time.

    python -m benchmarks.papers.cao [--seeds 5] [--domains campus,bounded,zipf] [--out FOLDER] [--quick]

Each policy fetches the same made domain (30,000 pages) with 64 connections; page quality is PageRank, or
Zipf at random. Prints the paper's claims beside what came out, mean and range over the seeds. With --out it
writes cao.json (all numbers) and cao.svg (share of the quality and of the pages by time, first domain).

Domains: campus, servers behind one fast network, told apart by their own time; bounded, each part of the
speed spread alike; zipf, the same without a limit to what one server holds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers import figures
from benchmarks.papers.domain import DomainSpec, make_domain
from benchmarks.papers.servers import Downloads, ServedWeb, crawl
from topicspider.frontier.host_ranking import SERVER_RANKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALIKE = DomainSpec(round_trip_spread=1.0, own_seconds=0.1, own_spread=1.0, bytes_a_second=40_000.0, bytes_spread=1.0)
DOMAINS = {"campus": DomainSpec(), "bounded": _ALIKE, "zipf": replace(_ALIKE, longest=None)}
QUALITIES = ("pagerank", "zipf")
CONNECTIONS = (16, 32, 96, 128)
CURVE_POINTS = 60
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a crawl was when. ``ended``: when each page was there, in seconds, rising; ``gained``: share of all quality with it."""

    ended: Floats
    gained: Floats

    @property
    def full_seconds(self) -> float:
        """When the last page was there."""
        return float(self.ended[-1])

    def pages_by(self, seconds: float) -> float:
        """The share of the pages that were there by then."""
        return float(np.searchsorted(self.ended, seconds, side="right")) / len(self.ended)

    def quality_by(self, seconds: float) -> float:
        """The share of the quality that was there by then."""
        pages = int(np.searchsorted(self.ended, seconds, side="right"))
        return float(self.gained[pages - 1]) if pages else 0.0

    def quality_of_half(self) -> float:
        """The share of the quality in the first half of the pages."""
        return float(self.gained[len(self.ended) // 2 - 1])

    def seconds_of_half(self) -> float:
        """When half of the pages were there."""
        return float(self.ended[len(self.ended) // 2 - 1])


def progress_of(web: ServedWeb, downloads: Downloads) -> Progress:
    """The progress of a crawl that fetched the whole of ``web``."""
    gained = np.cumsum([web.quality[page] for page, _ended in downloads])
    return Progress(np.array([ended for _page, ended in downloads]), gained / gained[-1])


@dataclass(frozen=True, slots=True)
class Sample:
    """The four policies on one domain of one seed."""

    progress: dict[str, Progress]
    best_half: float  # the share of the quality in the better half of the pages: no order can have more

    @property
    def full_seconds(self) -> float:
        """The time that all pages take breadth-first: what the shares of time are shares of."""
        return self.progress["bfs"].full_seconds


Measure = Callable[[Sample, str], float]
MEASURES: dict[str, Measure] = {
    "quality at .3": lambda sample, policy: sample.progress[policy].quality_by(0.3 * sample.full_seconds),
    "at 1/3": lambda sample, policy: sample.progress[policy].quality_by(sample.full_seconds / 3),
    "at 1/2": lambda sample, policy: sample.progress[policy].quality_by(0.5 * sample.full_seconds),
    "half of pages": lambda sample, policy: sample.progress[policy].quality_of_half(),
    "best half": lambda sample, _policy: sample.best_half,
    "pages at 1/2": lambda sample, policy: sample.progress[policy].pages_by(0.5 * sample.full_seconds),
    "pages x bfs, 1/2": lambda sample, policy: _pages_to_bfs(sample, policy, 0.5 * sample.full_seconds),
    "x bfs, bfs at half": lambda sample, policy: _pages_to_bfs(
        sample, policy, sample.progress["bfs"].seconds_of_half()
    ),
}


def _pages_to_bfs(sample: Sample, policy: str, seconds: float) -> float:
    return sample.progress[policy].pages_by(seconds) / sample.progress["bfs"].pages_by(seconds)


@dataclass(frozen=True, slots=True)
class Spread:
    """A number over the seeds."""

    mean: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """The mean and the range of at least one value."""
        return cls(mean(values), min(values), max(values))

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.lowest:.2f}-{self.highest:.2f})"


Numbers = dict[str, dict[str, dict[str, dict[str, Spread]]]]  # domain, quality, policy, measure


def main() -> None:
    """Crawl, print, and write where --out says."""
    options = _options()
    samples = {
        domain: {quality: [_sample(domain, quality, seed) for seed in range(options.seeds)] for quality in QUALITIES}
        for domain in options.domains.split(",")
    }
    numbers = {
        domain: {quality: _numbers(runs) for quality, runs in of_quality.items()}
        for domain, of_quality in samples.items()
    }
    first = next(iter(samples))
    connections = _connection_numbers(first, options.seeds)
    _print_tables(numbers)
    _print_claims(first, numbers[first], connections)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        _write(options.out / "cao.json", numbers, connections, first, options.seeds)
        draw(samples[first], options.out / "cao.svg")


def _sample(domain: str, quality: str, seed: int) -> Sample:
    print(f"{domain}, {quality} quality, seed {seed}", file=sys.stderr)
    web = make_domain(DOMAINS[domain], quality, seed)
    progress = {policy: progress_of(web, crawl(web, policy, seed=seed)) for policy in SERVER_RANKS}
    best = sorted(web.quality, reverse=True)
    return Sample(progress, sum(best[: len(best) // 2]) / sum(best))


def _numbers(samples: list[Sample]) -> dict[str, dict[str, Spread]]:
    return {
        policy: {name: Spread.of([measure(sample, policy) for sample in samples]) for name, measure in MEASURES.items()}
        for policy in SERVER_RANKS
    }


def _connection_numbers(domain: str, seeds: int) -> dict[str, dict[str, Spread]]:
    """Of bfs and capacity: the full time with n connections to that with 64; HTTP/1.0's times to HTTP/1.1's."""
    webs = [make_domain(DOMAINS[domain], "pagerank", seed) for seed in range(seeds)]
    result: dict[str, dict[str, Spread]] = {}
    for policy in ("bfs", "capacity"):
        usual = [_run(web, policy, seed) for seed, web in enumerate(webs)]
        old = [_run(web, policy, seed, keep_alive=False) for seed, web in enumerate(webs)]
        pairs = list(zip(old, usual, strict=True))
        result[policy] = {
            "1.0 / 1.1": Spread.of([one.full_seconds / other.full_seconds for one, other in pairs]),
            "1.0 / 1.1, half of pages": Spread.of(
                [one.seconds_of_half() / other.seconds_of_half() for one, other in pairs]
            ),
        }
        for number in CONNECTIONS:
            runs = [_run(web, policy, seed, connections=number) for seed, web in enumerate(webs)]
            ratios = [one.full_seconds / other.full_seconds for one, other in zip(runs, usual, strict=True)]
            result[policy][f"{number} connections"] = Spread.of(ratios)
    return result


def _run(web: ServedWeb, policy: str, seed: int, *, connections: int = 64, keep_alive: bool = True) -> Progress:
    return progress_of(web, crawl(web, policy, connections=connections, keep_alive=keep_alive, seed=seed))


def _print_tables(numbers: Numbers) -> None:
    for domain, of_quality in numbers.items():
        for quality, of_policy in of_quality.items():
            print(f"\n{domain}, {quality} quality (shares of the breadth-first full time, mean over the seeds)")
            print(f"{'':12}" + "".join(f"{name:>20}" for name in MEASURES))
            for policy, of_measure in of_policy.items():
                print(f"{policy:12}" + "".join(f"{of_measure[name].mean:20.2f}" for name in MEASURES))


def _print_claims(
    domain: str, numbers: dict[str, dict[str, dict[str, Spread]]], connections: dict[str, dict[str, Spread]]
) -> None:
    print(f"\nThe paper's claims, and {domain}: mean (range)")
    ranks, drawn = numbers["pagerank"], numbers["zipf"]
    for policy in ("capacity", "quality"):
        print(f"> .80 of PageRank quality in .30 of the time, {policy}: {ranks[policy]['quality at .3']}")
    print(f"capacity, Zipf quality: .60 in a third of the time: {drawn['capacity']['at 1/3']}")
    print(f"                        .80 in half of the time: {drawn['capacity']['at 1/2']}")
    for name in QUALITIES:
        found = ", ".join(f"{policy} {numbers[name][policy]['half of pages']}" for policy in ("quality", "capacity"))
        print(f".80 of the quality after half of the pages, {name}: {found}")
    print(f"performance has 1.5 x bfs' pages at half time: {ranks['performance']['pages x bfs, 1/2']}")
    print(f"                when bfs has half of its pages: {ranks['performance']['x bfs, bfs at half']}")
    for policy, of_measure in connections.items():
        print(f"HTTP/1.0 takes 2 x HTTP/1.1, {policy}: {of_measure['1.0 / 1.1']}", end="; ")
        print(f"for half of the pages: {of_measure['1.0 / 1.1, half of pages']}")
        times = ", ".join(f"{number}: {of_measure[f'{number} connections']}" for number in CONNECTIONS)
        print(f"no gain above 96 connections, {policy}, full time to that of 64: {times}")


def _write(path: Path, numbers: Numbers, connections: dict[str, dict[str, Spread]], domain: str, seeds: int) -> None:
    whole = {"seeds": seeds, "domains": numbers, "connections": {domain: connections}}
    text = json.dumps(
        whole, indent=1, default=lambda one: [round(one.mean, 4), round(one.lowest, 4), round(one.highest, 4)]
    )
    path.write_text(text + "\n", encoding="utf-8")


def draw(samples: dict[str, list[Sample]], path: Path) -> None:
    """Share of the quality by time, a chart a quality, and share of the pages; bands are the range over seeds."""
    figure, charts = figures.begin(3)
    for chart, quality in zip(charts, QUALITIES, strict=False):
        _curves(chart, samples[quality], Progress.quality_by)
        chart.set_title(f"Quality: {'PageRank' if quality == 'pagerank' else 'Zipf, at random'}")
        chart.set_ylabel("share of all quality")
    _curves(charts[2], samples["pagerank"], Progress.pages_by)
    charts[2].set_title("Pages (quality: PageRank)")
    charts[2].set_ylabel("share of all pages")
    charts[0].legend(loc="lower right", frameon=False)
    figures.save(figure, path)


def _curves(chart: Axes, samples: list[Sample], share: Callable[[Progress, float], float]) -> None:
    times = np.linspace(0.0, 1.0, CURVE_POINTS + 1)
    for policy, (color, dashes) in zip(SERVER_RANKS, figures.STYLES, strict=False):
        values = np.array([[share(one.progress[policy], time * one.full_seconds) for time in times] for one in samples])
        chart.plot(times, values.mean(axis=0), color=color, linestyle=dashes, label=policy)
        chart.fill_between(times, values.min(axis=0), values.max(axis=0), color=color, alpha=0.1, linewidth=0)
    chart.set_xlabel("share of the breadth-first full time")
    chart.set_xlim(0.0, 1.0)
    chart.set_ylim(0.0, 1.02)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--domains", default=",".join(DOMAINS), help="the first is the one of the figure and the claims"
    )
    parser.add_argument("--quick", action="store_true", help="one seed, first domain only")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    unknown = [name for name in options.domains.split(",") if name not in DOMAINS]
    if unknown or options.seeds < 1:
        parser.error(f"--domains has {', '.join(DOMAINS)}; --seeds 1 or more")
    if options.quick:
        options.seeds, options.domains = 1, options.domains.split(",")[0]
    return options


if __name__ == "__main__":
    main()
