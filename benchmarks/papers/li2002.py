"""The tourism experiment of (a) Li 2002: breadth-first, PageRank, IPageRank and ours at 500, 1000 … 4000 pages.

    python -m benchmarks.papers.li2002 [--web made] [--web sites-dev] [--seed-sets 10] [--out FOLDER] [--quick]

Every method crawls the same web from the same seeds, the page filter off. Prints precision and resource
discovery rate, mean over the seed sets, beside the paper's claim; then virtual time, CPU time and memory with
10 connections. With --out it writes li2002.json (all numbers) and li2002.svg (both rates, first web).

Webs: made, 20 sites on tourism and 60 others with 24,000 pages; sites-dev, the recorded sites of the folder
TOPICSPIDER_CORPORA with their labels; made:SPEC.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.papers import figures
from benchmarks.papers.topic_webs import Method, TopicWeb, crawl, read_arguments
from topicspider.errors import TopicSpiderError
from topicspider.options import Options
from topicspider.rehearsal.evaluation.measures import Mean, PolicyFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PUBLISHED, NEAR_WORDS, OURS = "ipagerank as published", "as published, c = .5", "ours"
RIVALS = ("pagerank", "bfs")
CONNECTIONS = 10
RATES = {"precision": "precision", "discovery": "resource discovery rate"}
COST_SHARES, COST_PAGES = (4, 2, 1), 1000  # memory after a quarter, a half and all of the pages, if they are so many


@dataclass(frozen=True, slots=True)
class Cost:
    """One crawl of ``pages`` pages with 10 connections, in a process of its own."""

    label: str
    pages: int
    virtual_seconds: float
    cpu_seconds: float
    peak_mb: float


def methods() -> list[Method]:
    """What is compared. The paper leaves c to the user: our default for a broad topic, and .5, where its near words end.

    "ipagerank" has our additions, "ours" is a crawl's default, of pages as of links.
    """
    default = Options()
    compared = [Method("bfs", "bfs"), Method("pagerank", "pagerank"), Method(PUBLISHED, "ipagerank", faithful=True)]
    compared.append(Method(NEAR_WORDS, "ipagerank", faithful=True, threshold=0.5))
    if default.link_policy != "ipagerank":
        compared.append(Method("ipagerank", "ipagerank"))
    return [*compared, Method(OURS, default.link_policy, scorer=default.page_scorer)]


def beaten(rates: Mapping[str, Mapping[int, Mean]], winner: str, loser: str) -> int:
    """At how many checkpoints the mean rate of ``winner`` is higher."""
    return sum(mean.value > rates[loser][pages].value for pages, mean in rates[winner].items())


def rates_of(crawled: Mapping[str, PolicyFigures], rate: str) -> dict[str, Mapping[int, Mean]]:
    """Label to checkpoint to mean rate; ``rate`` is a key of RATES."""
    return {label: getattr(one, rate) for label, one in crawled.items()}


def costs(web: TopicWeb) -> Iterator[Cost]:
    """Each method alone in a process, so that its memory is its own."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for method in methods():
            for share in COST_SHARES if web.checkpoints[-1] >= COST_PAGES else (1,):
                yield pool.submit(_cost, web, method, web.checkpoints[-1] // share).result()


def _cost(web: TopicWeb, method: Method, pages: int) -> Cost:
    crawled, runs = crawl(replace(web, checkpoints=(pages,)), [method], 1, connections=CONNECTIONS)
    run = crawled[method.label].runs[0]
    spent = runs[0]
    return Cost(method.label, run.pages, round(run.seconds, 1), spent.cpu_seconds, _own_peak_mb())


def _own_peak_mb() -> float:
    """The most memory this process had (Linux; getrusage counts also what the parent had)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    """Crawl, print, and write where --out says."""
    webs, seed_sets, out = read_arguments(__doc__)
    numbers: dict[str, object] = {}
    for web in webs:
        crawled, _runs = crawl(web, methods(), seed_sets)
        spent = list(costs(web))
        _print(web, crawled, spent, seed_sets)
        numbers[web.name] = {
            "rates": {rate: rates_of(crawled, rate) for rate in RATES},
            "seed_sets": seed_sets,
            "targets": crawled["bfs"].runs[0].targets,
            "ended_early": _ended_early(crawled),
            "costs": [asdict(cost) for cost in spent],
        }
        if out and web is webs[0]:
            draw(crawled, out / "li2002.svg")
    if out:
        text = json.dumps(numbers, indent=1, default=lambda mean: [round(mean.value, 4), round(mean.half_width, 4)])
        (out / "li2002.json").write_text(text + "\n", encoding="utf-8")


def _ended_early(crawled: Mapping[str, PolicyFigures]) -> dict[str, int]:
    """How many runs of a method ended with an empty queue."""
    return {label: sum(run.ended == "empty" for run in one.runs) for label, one in crawled.items()}


def _print(web: TopicWeb, crawled: Mapping[str, PolicyFigures], spent: Sequence[Cost], seed_sets: int) -> None:
    print(f"\n{web.name}: {crawled['bfs'].runs[0].targets} pages to find, mean of {seed_sets} seed sets")
    for rate, name in RATES.items():
        print(f"{name:24}" + "".join(f"{pages:>8}" for pages in web.checkpoints))
        for label, means in rates_of(crawled, rate).items():
            print(f"{label:24}" + "".join(f"{mean.value:8.3f}" for mean in means.values()))
    print("The paper: IPageRank is better than the others (its figures are pictures that we do not have). Ours:")
    for label in (PUBLISHED, NEAR_WORDS, OURS):
        for rival in RIVALS:
            print(f"{label} above {rival}: {_counts(crawled, label, rival)}")
    for label, count in _ended_early(crawled).items():
        if count:
            print(f"{label}: {count} of {seed_sets} crawls ended before, nothing was left to fetch")
    print(f"{CONNECTIONS} connections, one seed set:     pages  virtual s     CPU s   peak MB")
    for cost in spent:
        print(f"{cost.label:28}{cost.pages:12}{cost.virtual_seconds:11.1f}{cost.cpu_seconds:10.1f}{cost.peak_mb:10.0f}")


def _counts(crawled: Mapping[str, PolicyFigures], label: str, rival: str) -> str:
    total = len(crawled[label].precision)
    return ", ".join(f"at {beaten(rates_of(crawled, rate), label, rival)} of {total} in {rate}" for rate in RATES)


def draw(crawled: Mapping[str, PolicyFigures], path: Path) -> None:
    """The paper's two figures: precision and resource discovery rate by pages; bands are 95 % intervals of the mean."""
    figure, charts = figures.begin(len(RATES))
    for chart, (rate, name) in zip(charts, RATES.items(), strict=True):
        _curves(chart, rates_of(crawled, rate))
        chart.set_title(name.capitalize())
    charts[1].legend(loc="upper left", frameon=False)
    figures.save(figure, path)


def _curves(chart: Axes, rates: Mapping[str, Mapping[int, Mean]]) -> None:
    for (label, means), (color, dashes) in zip(rates.items(), figures.STYLES, strict=False):
        pages, values = list(means), [mean.value for mean in means.values()]
        widths = [mean.half_width for mean in means.values()]
        chart.plot(pages, values, color=color, linestyle=dashes, marker=".", label=label)
        low = [value - width for value, width in zip(values, widths, strict=True)]
        high = [value + width for value, width in zip(values, widths, strict=True)]
        chart.fill_between(pages, low, high, color=color, alpha=0.1, linewidth=0)
    chart.set_xlabel("pages")
    chart.set_ylim(bottom=0.0)


if __name__ == "__main__":
    try:
        main()
    except TopicSpiderError as error:
        sys.exit(f"li2002: {error}")
