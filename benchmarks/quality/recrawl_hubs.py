"""Simulates recrawls: how soon each way of choosing visits finds the new pages that hubs link to, and what freshness that costs.

    python -m benchmarks.quality.recrawl_hubs [--seeds 20] [--pages 200] [--days 90]

The web is that of benchmarks.quality.recrawl: pages that change, a third of them hits. One page in ten is a hub: new pages appear on its
site all the time, and it links to the newest 30 of them. Their number is log-normal: the median is one in ten days, one hub in ten has
about one a day or more. Of the new pages of a hub that is a hit, 45 to 95 % are hits; of those of another hub, 3 to 20 %, as on recorded
Chinese sites. A hub's own text changes as that of any page, whatever it links to.

All pages are fetched on day 0; the more new hits a hub gives, the more of the old hits it has led to. From day 7 on there is a round a day,
with equal numbers of fetches for each way of choosing: known pages in its order, and new pages that these linked to, best first, for at
most a quarter of the fetches while known pages are left, as in `scrapy recrawl`. The score of a link is the page's relevance with an error
of 0.2. A found page becomes one of the known pages. Links not fetched in their round are forgotten until the next visit of their hub.

Printed are the share of the new hits that were found by the end, the mean days that a new hit waited (until the end, if it was not found),
and the freshness of the pages of day 0. `topicspider` is the command's own choosing and settling, `without hubs` the same without a value
for new hits, `uniform hubs` visits hits and hubs in turn, the others are those of benchmarks.quality.recrawl.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from unittest.mock import patch

import numpy as np

from benchmarks.quality.recrawl import (
    BEGIN,
    BUDGETS,
    FIRST_ROUND,
    HIT_RELEVANCE,
    MIDDLE_RATE,
    MISS_RELEVANCE,
    SPREAD,
    TOPIC,
    MadePage,
    SyntheticWeb,
    arguments,
    made_pages,
    time_of,
)
from topicspider.recrawl import crawl_value
from topicspider.recrawl.crawl_value import Prospect
from topicspider.recrawl.planning import DAY, OFF_TOPIC, choose, settle
from topicspider.recrawl.revisit_queue import NEW_SHARE

HUB_EVERY = 10
SHOWN = 30
MIDDLE_NEW, NEW_SPREAD = 0.1, 1.5
ON_HIT_HUB, ON_OTHER_HUB = (0.45, 0.95), (0.03, 0.2)
PROMISE_ERROR = 0.2


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page that appears on day ``born``; ``promise``: the score that a link policy gives the link to it."""

    hub: int
    born: float
    promise: float
    page: MadePage


@dataclass(frozen=True, slots=True)
class Found:
    """The outcome of a way of choosing: the share of new hits found, the mean days that they waited, the freshness of the old pages."""

    share: float
    days: float
    freshness: float


class HubWeb(SyntheticWeb):
    """Pages of which some are hubs, and the store of a crawl that visits them."""

    def __init__(self, seed: int, count: int, days: int) -> None:
        pages = made_pages(seed, count, days)
        super().__init__(pages)
        self.days = days
        self.old = count
        rng = np.random.default_rng([seed, 1])
        self.hubs = range(0, count, HUB_EVERY)
        self.hits_a_day = [0.0] * count
        self.news: dict[int, list[NewPage]] = {hub: self._news_of(hub, rng) for hub in self.hubs}
        for hub in self.hubs:
            self.kept_pages[hub] = replace(self.kept_pages[hub], type="list")
        self._link_old_hits(rng)
        self.waited: dict[int, float] = {}  # days, of new hits, by the id() of the NewPage
        self._fetched: set[int] = set()

    def _link_old_hits(self, rng: np.random.Generator) -> None:
        """Let hubs that give more new hits have led to more of the old ones."""
        total = sum(self.hits_a_day)
        for number, page in enumerate(self.made):
            if page.is_hit and number not in self.news:
                hub = int(rng.choice(len(self.made), p=[one / total for one in self.hits_a_day]))
                referrer = self.kept_pages[hub].url
                self.kept_pages[number] = replace(self.kept_pages[number], referrer=referrer)

    def _news_of(self, hub: int, rng: np.random.Generator) -> list[NewPage]:
        rate = MIDDLE_NEW * float(np.exp(rng.normal(0.0, NEW_SPREAD)))
        share = float(rng.uniform(*(ON_HIT_HUB if self.made[hub].is_hit else ON_OTHER_HUB)))
        self.hits_a_day[hub] = rate * share
        born = np.sort(rng.uniform(0.0, self.days, rng.poisson(rate * self.days)))
        return [self._new_page(hub, float(day), share, rng) for day in born]

    def _new_page(self, hub: int, born: float, share: float, rng: np.random.Generator) -> NewPage:
        is_hit = bool(rng.random() < share)
        relevance = float(rng.uniform(*(HIT_RELEVANCE if is_hit else MISS_RELEVANCE)))
        rate = MIDDLE_RATE * float(np.exp(rng.normal(0.0, SPREAD)))
        changes = np.sort(rng.uniform(born, self.days, rng.poisson(min(24.0, rate) * (self.days - born))))
        promise = relevance + float(rng.normal(0.0, PROMISE_ERROR))
        return NewPage(hub, born, promise, MadePage(self.made[hub].site, is_hit, relevance, rate, changes))

    def shown(self, hub: int, day: float) -> Iterator[NewPage]:
        """The new pages to which the hub links on ``day`` and that were not fetched."""
        there = [one for one in self.news.get(hub, ()) if one.born <= day]
        return (one for one in there[-SHOWN:] if id(one) not in self._fetched)

    def fetch(self, new: NewPage, day: float) -> None:
        """Fetch and store a page that was found."""
        self._fetched.add(id(new))
        if new.page.is_hit:
            self.waited[id(new)] = day - new.born
        self.add(new.page, day, self.kept_pages[new.hub].url)

    def found(self) -> Found:
        """The figures of the whole time."""
        hits = [one for news in self.news.values() for one in news if one.page.is_hit]
        waits = [self.waited.get(id(one), self.days - one.born) for one in hits]
        fresh = self.freshness(float(self.days), self.old)
        return Found(len(self.waited) / max(1, len(hits)), fmean(waits or [0.0]), fresh)


def make_round(web: HubWeb, day: float, budget: int, order: Iterable[int]) -> None:
    """Visit known pages in ``order``, and new ones for their share of ``budget``; what is left is used for new ones."""
    known, pool = iter(order), []
    waiting: set[int] = set()
    visits = forward = 0
    while visits < budget:
        number = None
        if not pool or forward >= int(NEW_SHARE / (1.0 - NEW_SHARE) * (visits - forward)):
            number = next(known, None)
        if number is None and not pool:
            return
        visits += 1
        if number is None:
            web.fetch(heapq.heappop(pool)[2], day)
            forward += 1
            continue
        web.visit(number, day)
        for new in web.shown(number, day):
            if id(new) not in waiting:
                waiting.add(id(new))
                heapq.heappush(pool, (-new.promise, len(waiting), new))


Scheduler = Callable[[HubWeb, float, int], None]
"""Makes one round: web, day, budget."""


def topicspider(web: HubWeb, day: float, budget: int) -> None:
    """Choose visits as `scrapy recrawl` does."""
    now = BEGIN + day * DAY
    chosen = choose(web, [TOPIC], now, budget).pages  # type: ignore[arg-type]
    make_round(web, day, budget, [web.numbers[one.page.url] for one in chosen])
    settle(web, [TOPIC], time_of(now), budget)  # type: ignore[arg-type]


def without_hubs(web: HubWeb, day: float, budget: int) -> None:
    """As topicspider(), but without a value for what hubs lead to."""
    with patch.object(crawl_value, "NEW_HIT", 1e-9):
        topicspider(web, day, budget)


def uniform(web: HubWeb, day: float, budget: int) -> None:
    """Visit all pages equally often."""
    _longest_ago(web, day, budget, range(len(web.made)))


def uniform_hits(web: HubWeb, day: float, budget: int) -> None:
    """Visit all hits equally often."""
    _longest_ago(web, day, budget, [number for number, page in enumerate(web.made) if page.is_hit])


def uniform_hubs(web: HubWeb, day: float, budget: int) -> None:
    """Visit all hits and all hubs equally often."""
    wanted = [number for number, page in enumerate(web.made) if page.is_hit or number in web.news]
    _longest_ago(web, day, budget, wanted)


def _longest_ago(web: HubWeb, day: float, budget: int, numbers: Sequence[int]) -> None:
    make_round(web, day, budget, heapq.nsmallest(budget, numbers, key=lambda number: (web.visited[number], number)))


def oracle(web: HubWeb, day: float, budget: int) -> None:
    """Visit the pages whose fetch is worth most by the true rates."""
    prospects = [
        Prospect(page.relevance * (1.0 if page.is_hit else OFF_TOPIC), page.rate, news)
        for page, news in zip(web.made, web.hits_a_day + [0.0] * (len(web.made) - web.old), strict=True)
    ]
    worth = [(-one.value(day - web.visited[number]), number) for number, one in enumerate(prospects)]
    make_round(web, day, budget, [number for _, number in heapq.nsmallest(budget, worth)])


SCHEDULERS: Mapping[str, Scheduler] = {
    "uniform": uniform,
    "uniform hits": uniform_hits,
    "uniform hubs": uniform_hubs,
    "without hubs": without_hubs,
    "topicspider": topicspider,
    "oracle": oracle,
}


def simulate(scheduler: Scheduler, seed: int, share: float, pages: int, days: int) -> Found:
    """The outcome of a scheduler on the web of ``seed``, with ``share`` of the old pages fetched a day."""
    web = HubWeb(seed, pages, days)
    for day in range(FIRST_ROUND, days):
        scheduler(web, float(day), round(share * pages))
    return web.found()


def measured(scheduler: Scheduler, seeds: int, share: float, pages: int, days: int) -> Found:
    """The mean over the seeds."""
    found = [simulate(scheduler, seed, share, pages, days) for seed in range(seeds)]
    return Found(fmean(x.share for x in found), fmean(x.days for x in found), fmean(x.freshness for x in found))


def main() -> None:
    """Print a table."""
    options = arguments(__doc__)
    print("fetches a day  way            new hits found   days waited   freshness")
    for share in BUDGETS:
        for name, scheduler in SCHEDULERS.items():
            one = measured(scheduler, options.seeds, share, options.pages, options.days)
            print(
                f"{share:>13.0%}  {name:13}  {one.share:>14.3f}  {one.days:>12.1f}  {one.freshness:>10.3f}", flush=True
            )


if __name__ == "__main__":
    main()
