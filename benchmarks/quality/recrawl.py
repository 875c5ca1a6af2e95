"""Simulates recrawls of a web of changing pages, and measures how fresh each way of choosing visits keeps the relevant pages.

    python -m benchmarks.quality.recrawl [--seeds 20] [--pages 200] [--days 90]

Each page changes as a Poisson process. Rates are log-normal: the median page changes every 25 days, one in ten daily or more often, one
in four less often than every 120 days (published counts are more skewed: Cho and Garcia-Molina 2000); half of the variance of the
logarithms is between sites, half within. A third of the pages are hits, with relevance uniform from 0.6 to 1, the others are misses, from
0 to 0.15. The store of a crawl of recorded sites is similar (35 % hits, 0.81 on average, misses 0.08). Rate and relevance are independent.

All pages are fetched on day 0; from day 7 on there is a round a day. Freshness is the share of time in which the copy equals the page,
weighted by relevance, from day 0 on; so it includes the time in which the rates are learned.

`topicspider` is what `scrapy recrawl` does: the same `choose` and `settle`, on a store in memory that shows no more than a crawl sees. The
others choose among all pages, without cycles: `uniform` those visited longest ago, `uniform hits` the hits visited longest ago,
`proportional` those with the most changes expected since, by our estimate; `oracle` those that topicspider thinks most worth a visit, by
the true rates.
"""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean

import numpy as np

from topicspider.recrawl.crawl_value import Prospect
from topicspider.recrawl.planning import DAY, OFF_TOPIC, PageHistory, choose, settle
from topicspider.store.rows import Batch, ChangeRow, PageMeta, url_hash

BUDGETS = (0.02, 0.05, 0.1)
"""Visits a day, as shares of the number of pages."""
TOPIC = "made"
SITES = 20
MIDDLE_RATE = 1 / 25
SPREAD = 2.5
FASTEST = 24.0
HIT_SHARE, HIT_RELEVANCE, MISS_RELEVANCE = 1 / 3, (0.6, 1.0), (0.0, 0.15)
FIRST_ROUND = 7
BEGIN = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class MadePage:
    """One page; ``changes`` are the days on which it changes, in order."""

    site: int
    is_hit: bool
    relevance: float
    rate: float
    changes: np.ndarray[tuple[int], np.dtype[np.float64]]


def made_pages(seed: int, count: int, days: int) -> list[MadePage]:
    """The pages of the web that ``seed`` gives."""
    rng = np.random.default_rng(seed)
    half = SPREAD / np.sqrt(2.0)
    of_site = rng.normal(0.0, half, SITES)
    pages = []
    for number in range(count):
        site = number % SITES
        rate = float(min(FASTEST, MIDDLE_RATE * np.exp(of_site[site] + rng.normal(0.0, half))))
        changes = np.sort(rng.uniform(0.0, days, rng.poisson(rate * days)))
        is_hit = bool(rng.random() < HIT_SHARE)
        relevance = float(rng.uniform(*(HIT_RELEVANCE if is_hit else MISS_RELEVANCE)))
        pages.append(MadePage(site, is_hit, relevance, rate, changes))
    return pages


class SyntheticWeb:
    """The pages, and the store of a crawl that visits them, with those methods of a Store that `choose` and `settle` need."""

    def __init__(self, pages: Sequence[MadePage]) -> None:
        self.made = list(pages)
        self.kept_pages = [_kept(number, page) for number, page in enumerate(pages)]
        self.numbers = {page.url: number for number, page in enumerate(self.kept_pages)}
        self.visited = [0.0] * len(pages)
        self._fresh = [0.0] * len(pages)
        self._log: list[ChangeRow] = []

    def visit(self, number: int, day: float) -> None:
        """Fetch a page, and note how long its copy was fresh, and whether it has changed."""
        page = self.kept_pages[number]
        first = self._note_freshness(number, day)
        self.visited[number] = day
        moment = BEGIN + day * DAY
        self.kept_pages[number] = replace(page, collected_at=moment)
        self._log.append(ChangeRow(page.url_hash, time_of(moment), 1, 0, first <= day))

    def add(self, made: MadePage, day: float, referrer: str) -> None:
        """Add a page that was found on ``day``."""
        number, moment = len(self.made), BEGIN + day * DAY
        kept = replace(_kept(number, made), referrer=referrer, depth=2, first_seen=moment, collected_at=moment)
        self.made.append(made)
        self.kept_pages.append(kept)
        self.numbers[kept.url] = number
        self.visited.append(day)
        self._fresh.append(0.0)

    def freshness(self, days: float, count: int | None = None) -> float:
        """The freshness of all pages, or of the first ``count``, from day 0 on, weighted by relevance."""
        some = self.made[:count]
        for number in range(len(some)):
            self._note_freshness(number, days)
            self.visited[number] = days
        weights = [page.relevance for page in some]
        return float(np.dot(weights, self._fresh[: len(some)])) / (sum(weights) * days)

    def _note_freshness(self, number: int, day: float) -> float:
        changes, last = self.made[number].changes, self.visited[number]
        at = int(np.searchsorted(changes, last, side="right"))
        first = float(changes[at]) if at < len(changes) else np.inf
        self._fresh[number] += min(first, day) - last
        return first

    # --- the store -------------------------------------------------------------------------------

    def page_meta(self, _topic: str, collected_since: float = 0.0) -> Iterator[PageMeta]:
        """As Store.kept."""
        return (page for page in list(self.kept_pages) if page.collected_at >= collected_since)

    def change_log(self, _topic: str, since: str = "") -> Iterator[ChangeRow]:
        """As Store.change_log."""
        return (row for row in list(self._log) if row.seen_at >= since)

    def write(self, batch: Batch) -> None:
        """Store the checks of ``batch``."""
        for check in batch.checks:
            number = self.numbers[check.url]
            page = self.kept_pages[number]
            self.kept_pages[number] = replace(page, update_cycle=check.update_cycle, is_checked=check.is_checked)


def _kept(number: int, page: MadePage) -> PageMeta:
    url = f"http://s{page.site}.example/{number}"
    return PageMeta(
        TOPIC,
        url,
        host=f"s{page.site}.example",
        depth=1,
        relevance=page.relevance,
        on_topic=page.is_hit,
        first_seen=BEGIN,
        collected_at=BEGIN,
        update_cycle=7 * DAY,
        url_hash=url_hash(url),
    )


def time_of(moment: float) -> str:
    """A day as a time in the format of the store."""
    return datetime.fromtimestamp(moment, UTC).isoformat()


Scheduler = Callable[[SyntheticWeb, float, int], None]
"""Makes the visits of one round: web, day, budget."""


def topicspider(web: SyntheticWeb, day: float, budget: int) -> None:
    """Choose visits as `scrapy recrawl` does."""
    now = BEGIN + day * DAY
    for chosen in choose(web, [TOPIC], now, budget).pages:  # type: ignore[arg-type]
        web.visit(web.numbers[chosen.page.url], day)
    settle(web, [TOPIC], time_of(now), budget)  # type: ignore[arg-type]


def uniform(web: SyntheticWeb, day: float, budget: int) -> None:
    """Visit all pages equally often."""
    _visit_best(web, day, budget, lambda number: day - web.visited[number])


def uniform_hits(web: SyntheticWeb, day: float, budget: int) -> None:
    """Visit all hits equally often, and no miss."""
    hits = [number for number, page in enumerate(web.made) if page.is_hit]
    for number in heapq.nsmallest(budget, hits, key=lambda number: (web.visited[number], number)):
        web.visit(number, day)


def proportional(web: SyntheticWeb, day: float, budget: int) -> None:
    """Visit a page the more often, the more often it seems to change."""
    survey = PageHistory.of(web, TOPIC)  # type: ignore[arg-type]
    rates = [survey.prospect(page).rate for page in web.kept_pages]
    _visit_best(web, day, budget, lambda number: rates[number] * (day - web.visited[number]))


def oracle(web: SyntheticWeb, day: float, budget: int) -> None:
    """Visit the pages whose fetch is worth most by the true rates."""
    prospects = [Prospect(page.relevance * (1.0 if page.is_hit else OFF_TOPIC), page.rate) for page in web.made]
    _visit_best(web, day, budget, lambda number: prospects[number].value(day - web.visited[number]))


def _visit_best(web: SyntheticWeb, day: float, budget: int, worth: Callable[[int], float]) -> None:
    for number in heapq.nlargest(budget, range(len(web.made)), key=lambda number: (worth(number), -number)):
        web.visit(number, day)


SCHEDULERS: Mapping[str, Scheduler] = {
    "uniform": uniform,
    "uniform hits": uniform_hits,
    "proportional": proportional,
    "topicspider": topicspider,
    "oracle": oracle,
}


def simulate(scheduler: Scheduler, seed: int, share: float, pages: int, days: int) -> float:
    """The freshness that a scheduler reaches on the web of a seed, with ``share`` of the pages visited a day."""
    web = SyntheticWeb(made_pages(seed, pages, days))
    for day in range(FIRST_ROUND, days):
        scheduler(web, float(day), round(share * pages))
    return web.freshness(float(days))


def measured(seeds: int, share: float, pages: int, days: int) -> dict[str, float]:
    """By scheduler: its mean freshness over the seeds."""
    return {
        name: fmean(simulate(scheduler, seed, share, pages, days) for seed in range(seeds))
        for name, scheduler in SCHEDULERS.items()
    }


def arguments(description: str | None) -> argparse.Namespace:
    """Read the command line: how much is simulated."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("seeds", 20), ("pages", 200), ("days", 90)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    return parser.parse_args()


def main() -> None:
    """Print a table."""
    options = arguments(__doc__)
    print(f"visits a day  {'  '.join(f'{name:>12}' for name in SCHEDULERS)}  gain over uniform")
    gains = []
    for share in BUDGETS:
        found = measured(options.seeds, share, options.pages, options.days)
        gains.append(found["topicspider"] - found["uniform"])
        print(
            f"{share:>12.0%}  {'  '.join(f'{value:>12.3f}' for value in found.values())}  {gains[-1]:+.3f}", flush=True
        )
    print(
        f"mean gain over uniform: {fmean(gains):+.3f} ({options.seeds} seeds, {options.pages} pages, {options.days} days)"
    )


if __name__ == "__main__":
    main()
