"""The experiment of (e) Broder 2003: miss rates of caches of seen URLs by size, on the links of a crawl.

    python -m benchmarks.papers.broder [--web made:pages=50000] [--pages N] [--threads 1,10,100] [--out FOLDER] [--quick]

The web is crawled breadth-first from its start page; every link found is a question to the cache (full
trace), every link to another host one of the cross trace: those that a crawler partitioned by host sends
away. Then it is crawled as Mercator does, with several threads of one host each, to see how many entries a
thread needs. Prints the paper's claims beside what came out. With --out it writes broder.json (all numbers),
broder.svg (miss rates), broder-min.svg (relative to MIN) and broder-threads.svg (by entries a thread).

--web takes made:SPEC, FILE.warc, or sites-dev (the recorded sites of the folder TOPICSPIDER_CORPORA); a WARC
is crawled from the root of the host with the most pages, unless --start says otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.crawl.replayed import START_PAGE, corpora
from benchmarks.papers import figures
from benchmarks.papers.link_trace import LinkedWeb, crawl
from benchmarks.papers.miss_rates import BOUNDED, EXPONENTS, critical_exponent, least_miss_rate, miss_rate, miss_rates
from topicspider.errors import ConfigError, TopicSpiderError
from topicspider.rehearsal.archive.warc import open_web
from topicspider.url import canonicalize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MADE = "made:pages=50000"
QUICK = "made:pages=5000"
ALL_PAGES = 1_000_000
A_THREAD = (100, 500)
"""(e): so many entries a thread are enough."""

NAMES = {"min": "MIN", "lru": "LRU", "clock": "CLOCK", "random": "RANDOM", "static": "STATIC"}


@dataclass(frozen=True, slots=True)
class Curves:
    """One trace: its links and distinct URLs, INFINITE's miss rate, and each cache's by the exponent of its size."""

    links: int
    distinct: int
    infinite: float
    rates: dict[str, list[float]]

    def to_min(self, name: str) -> list[float]:
        """The miss rates of a cache as multiples of MIN's."""
        return [rate / least for rate, least in zip(self.rates[name], self.rates["min"], strict=True)]

    @property
    def whole(self) -> int:
        """The exponent of the first size that holds every URL."""
        return next((exponent for exponent in EXPONENTS if 2**exponent >= self.distinct), EXPONENTS[-1])

    @property
    def critical(self) -> int:
        """The exponent of the critical point of LRU."""
        return critical_exponent(self.rates["lru"])


@dataclass(frozen=True, slots=True)
class Threaded:
    """A crawl by many threads: LRU's miss rates by exponent on its full trace, and INFINITE's.

    ``few`` and ``many``: hits with 100 and with 500 entries a thread, as shares of INFINITE's hits.
    """

    links: int
    infinite: float
    rates: list[float]
    few: float
    many: float


@dataclass(frozen=True, slots=True)
class Numbers:
    """All that came out. ``repeats``, ``cross_share``: shares of all links; ``threads``: by their number."""

    web: str
    pages: int
    repeats: float
    cross_share: float
    full: Curves
    cross: Curves
    threads: dict[int, Threaded]


def main() -> None:
    """Crawl, measure, print, and write where --out says."""
    options = _options()
    try:
        numbers = measure(options.web, options.start, options.pages, options.threads)
    except TopicSpiderError as error:
        sys.exit(str(error))
    _print_table("Full trace", numbers.full)
    _print_table("Cross trace", numbers.cross)
    _print_claims(numbers)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        _write(options.out, numbers)


def measure(spec: str, start: str, most_pages: int, threads: Sequence[int]) -> Numbers:
    """The whole experiment on the web ``spec``; ConfigError when no link can be found in it, RecordingError."""
    web, start = _opened(spec, start)
    trace = crawl(web, start, most_pages)
    if not trace.cross:
        raise ConfigError("start page", start, "a page of the web from which links lead to other hosts", "Try --start")
    _say(f"{trace.pages} pages, {len(trace.full)} links")
    threaded = {}
    for number in threads:
        threaded[number] = _threaded((trace if number == 1 else crawl(web, start, most_pages, number)).full, number)
        _say(f"{number} threads: done")
    return Numbers(
        Path(spec).name,
        trace.pages,
        trace.repeats / len(trace.full),
        len(trace.cross) / len(trace.full),
        _curves(trace.full),
        _curves(trace.cross),
        threaded,
    )


def _opened(spec: str, start: str) -> tuple[LinkedWeb, str]:
    if spec == "sites-dev":
        spec, start = str(corpora() / "sites-dev.warc"), start or START_PAGE
    web = open_web(spec)
    start = start or f"http://{next(iter(web.hosts()), '')}/"
    address = canonicalize(start)
    if address is None:
        raise ConfigError("start page", start, "an http or https URL")
    return LinkedWeb(web), address


def _curves(trace: Sequence[int]) -> Curves:
    rates = {}
    for name in BOUNDED:
        rates[name] = miss_rates(name, trace)
        _say(f"{name} on {len(trace)} links")
    return Curves(len(trace), len(set(trace)), least_miss_rate(trace), rates)


def _threaded(trace: Sequence[int], threads: int) -> Threaded:
    infinite = least_miss_rate(trace)
    few, many = ((1 - miss_rate("lru", entries * threads, trace)) / (1 - infinite) for entries in A_THREAD)
    return Threaded(len(trace), infinite, miss_rates("lru", trace), few, many)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _print_table(title: str, curves: Curves) -> None:
    print(f"\n{title}: {curves.links} links to {curves.distinct} URLs; miss rates, and as multiples of MIN's")
    print(
        "entries"
        + "".join(f"{NAMES[name]:>9}" for name in BOUNDED)
        + "   "
        + "".join(f"{NAMES[name]:>8}" for name in BOUNDED[1:])
    )
    for exponent in range(curves.whole + 1):
        rates = "".join(f"{curves.rates[name][exponent]:9.3f}" for name in BOUNDED)
        ratios = "".join(f"{curves.to_min(name)[exponent]:8.2f}" for name in BOUNDED[1:])
        print(f"2^{exponent:<5}{rates}   {ratios}")
    print(f"INFINITE {curves.infinite:.3f}, and so is every larger cache (STATIC: 0, it is told all URLs beforehand)")


def _print_claims(numbers: Numbers) -> None:
    full, at = numbers.full, numbers.full.critical
    hits = {name: f"{1 - full.rates[name][at]:.1%}" for name in BOUNDED}
    around = range(max(0, at - 2), min(at + 3, len(EXPONENTS)))
    print(f"\nThe paper's claims, and {numbers.web}, {numbers.pages} pages")
    print(f"62.55 links a page: {full.links / numbers.pages:.1f}")
    print(f"about 30 % of the links repeat on their page: {numbers.repeats:.1%}")
    print(f"19.5 % of the links go to another machine: to another host {numbers.cross_share:.1%}")
    print("a critical point (50,000 entries, almost 80 % hits); LRU hits here with", end=" ")
    print(", ".join(f"2^{exponent}: {1 - full.rates['lru'][exponent]:.1%}" for exponent in around))
    print(
        f"at 2^{at}: CLOCK {hits['clock']} is like LRU {hits['lru']}, RANDOM {hits['random']} slightly worse, ", end=""
    )
    print(f"STATIC {hits['static']} much worse (MIN {hits['min']})")
    print("100-500 entries a thread are enough; of all hits possible there are here")
    for number, one in numbers.threads.items():
        critical = critical_exponent(one.rates)
        print(f"    {number} threads: {one.few:.0%}-{one.many:.0%}", end="; ")
        print(f"critical point at 2^{critical}, {2**critical / number:.0f} entries a thread")


def _write(folder: Path, numbers: Numbers) -> None:
    text = json.dumps(asdict(numbers), indent=1, default=list)
    (folder / "broder.json").write_text(text + "\n", encoding="utf-8")
    draw(numbers, folder / "broder.svg", relative=False)
    draw(numbers, folder / "broder-min.svg", relative=True)
    draw_threads(numbers, folder / "broder-threads.svg")


def draw(numbers: Numbers, path: Path, *, relative: bool) -> None:
    """Two charts, full and cross trace: miss rates by size, or (``relative``) as multiples of MIN's."""
    figure, charts = figures.begin(2)
    for chart, curves, title in zip(
        charts, (numbers.full, numbers.cross), ("All links", "Links to other hosts"), strict=True
    ):
        _curves_of(chart, curves, relative)
        chart.set_title(title)
    charts[0].set_ylabel("misses, multiples of MIN's" if relative else "miss rate")
    charts[1 if relative else 0].legend(frameon=False)
    figures.save(figure, path)


def _curves_of(chart: Axes, curves: Curves, relative: bool) -> None:
    sizes = [2**exponent for exponent in range(curves.whole + 2)]
    for name, (colour, dashes) in zip(BOUNDED, figures.STYLES, strict=False):
        rates = (curves.to_min(name) if relative else curves.rates[name])[: len(sizes)]
        chart.plot(sizes, rates, dashes, color=colour, label=NAMES[name])
    if not relative:
        chart.axhline(curves.infinite, color="#999999", linewidth=0.8, label="INFINITE")
        chart.set_ylim(0, 1.02)
    chart.set_xscale("log", base=2)
    chart.set_xlabel("entries")


def draw_threads(numbers: Numbers, path: Path) -> None:
    """LRU's miss rates by entries (left) and by entries a thread (right), a curve for each number of threads."""
    figure, charts = figures.begin(2)
    for (number, one), (colour, dashes) in zip(numbers.threads.items(), figures.STYLES, strict=False):
        sizes = [2**exponent for exponent in range(numbers.full.whole + 2)]
        for chart, divisor in zip(charts, (1, number), strict=True):
            entries = [size / divisor for size in sizes]
            chart.plot(
                entries, one.rates[: len(sizes)], dashes, color=colour, label=f"{number} thread{'s' * (number > 1)}"
            )
    charts[1].axvspan(*A_THREAD, color="#999999", alpha=0.25, linewidth=0)
    for chart, label in zip(charts, ("entries", "entries a thread"), strict=True):
        chart.set_xscale("log", base=2)
        chart.set_xlabel(label)
        chart.set_ylim(0, 1.02)
    charts[0].set_ylabel("miss rate of LRU, all links")
    charts[0].legend(frameon=False)
    figures.save(figure, path)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="")
    parser.add_argument("--start", default="")
    parser.add_argument("--pages", type=int, default=ALL_PAGES)
    parser.add_argument("--threads", default="1,10,100")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.web = options.web or (QUICK if options.quick else MADE)
    try:
        options.threads = [int(number) for number in options.threads.split(",")]
    except ValueError:
        parser.error("--threads takes whole numbers joined by commas")
    if min(options.pages, *options.threads) < 1:
        parser.error("--pages and --threads take numbers from 1")
    return options


if __name__ == "__main__":
    main()
