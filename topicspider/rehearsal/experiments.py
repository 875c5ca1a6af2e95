"""The experiments of the five papers, repeated on any archived web: the runs of which each consists, and the table of its results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush

from topicspider.frontier.seen import URL_CACHES
from topicspider.i18n import gettext as _
from topicspider.modes import SCRAPY_MODES
from topicspider.options import SEEN_CACHES, SERVER_POLICIES
from topicspider.rehearsal.evaluation.measures import Results
from topicspider.rehearsal.rehearse import RehearsalConfig, Say, rehearse
from topicspider.rehearsal.simulator.simulator import Run
from topicspider.text.terminal import table

Outcomes = Mapping[str, tuple[Results, Sequence[Run]]]
"""By server policy: the results of a rehearsal, and its runs."""
Rows = Iterator[tuple[str, ...]]
LIMITS = ("min", "infinite")


@dataclass(frozen=True, slots=True)
class Experiment:
    """The link ``policies`` to compare, under each of ``server_policies`` (none: under that of the plan); ``rows`` makes the table."""

    policies: tuple[str, ...]
    rows: Callable[[Outcomes], Rows]
    server_policies: tuple[str, ...] = ()


def run_experiment(name: str, plan: RehearsalConfig, say: Say) -> tuple[Results, str]:
    """Run the experiment of the mode ``name``; returns the results of its last rehearsal, and its table as text."""
    experiment = EXPERIMENTS[name]
    plan = replace(plan, connections=SCRAPY_MODES[name].get("CONCURRENT_REQUESTS", plan.connections))
    outcomes = {}
    for server_policy in experiment.server_policies or (plan.options.server_policy,):
        options = replace(plan.options, server_policy=server_policy)
        outcomes[server_policy] = rehearse(replace(plan, options=options, keeps_questions=name == "broder"), say)
    rows = list(experiment.rows(outcomes))
    return [*outcomes.values()][-1][0], table(rows, right=range(1, len(rows[0])), columns=100)


def _rates(outcomes: Outcomes) -> Rows:
    """(a) Li 2002: precision and resource discovery rate of each policy at each checkpoint."""
    ((results, _runs),) = outcomes.values()
    points = results.setting.checkpoints
    yield "", *(f"{point:,}" for point in points)
    for one in results.policies:
        yield f"{one.policy} {_('precision')}", *(f"{one.precision[point].value:.3f}" for point in points)
        yield f"{one.policy} {_('discovery')}", *(f"{one.discovery[point].value:.3f}" for point in points)


def _misses(outcomes: Outcomes) -> Rows:
    """(b) thesis 2011: irrelevant pages of a policy and of the first for as many relevant ones; hard focus is said to save 30-90 %."""
    ((results, _runs),) = outcomes.values()
    first, *others = results.policies
    yield "", _("relevant"), _("irrelevant"), _("irrelevant of {policy}", policy=first.policy), _("fewer")
    for other in others:
        for own, base in zip(other.runs, first.runs, strict=True):
            hits = min(own.hits, base.hits)
            mine, theirs = _misses_at(own.curve, hits), _misses_at(base.curve, hits)
            saved = f"{1 - mine / theirs:.0%}" if theirs else "-"
            yield other.policy, str(hits), str(mine), str(theirs), saved


def _misses_at(curve: Sequence[tuple[int, int, float]], hits: int) -> int:
    """How many pages that are no hits were fetched at the first point of ``curve`` that has ``hits`` hits."""
    return next((pages - found for pages, found, _seconds in curve if found >= hits), 0)


def _by_time(outcomes: Outcomes) -> Rows:
    """(c) Cao: pages and relevant pages after 25, 50 and 100 % of the time that the slowest run takes; means over all seed sets."""
    longest = max(run.seconds for results, _runs in outcomes.values() for run in results.policies[0].runs)
    shares = (0.25, 0.5, 1.0)
    yield "", *(f"{what} {share:.0%}" for share in shares for what in (_("pages"), _("relevant")))
    for server_policy, (results, _runs) in outcomes.items():
        runs = results.policies[0].runs
        cells = []
        for share in shares:
            reached = [[point for point in run.curve if point[2] <= share * longest][-1] for run in runs]
            pages, hits, _seconds = zip(*reached, strict=True)
            cells += [f"{sum(numbers) / len(runs):.0f}" for numbers in (pages, hits)]
        yield server_policy, *cells


def _pace(outcomes: Outcomes) -> Rows:
    """(d) Xu 2007: pages a second. The paper reports about ten, over a real network; here the seconds are virtual."""
    ((results, _runs),) = outcomes.values()
    yield "", _("pages"), _("relevant"), _("seconds"), _("pages/s")
    for one in results.policies:
        for run in one.runs:
            speed = run.pages / run.seconds if run.seconds else 0.0
            yield one.policy, str(run.pages), str(run.hits), f"{run.seconds:.0f}", f"{speed:.1f}"


def _hit_rates(outcomes: Outcomes) -> Rows:
    """(e) Broder 2003: hit rates of URL caches by rule and size, on the links of a breadth-first crawl; MIN and INFINITE are limits."""
    ((_results, runs),) = outcomes.values()
    trace = [question for run in runs for question in run.questions]
    sizes = [2**exponent for exponent in range(4, 17, 2)]
    yield "", *(f"{size:,}" for size in sizes)
    for rule in (*SEEN_CACHES, *LIMITS):
        yield rule, *(f"{hit_rate(rule, size, trace):.1%}" for size in sizes)


def hit_rate(rule: str, size: int, trace: Sequence[int], seed: int = 0) -> float:
    """The share of ``trace`` (fingerprints) that a cache of ``size`` URLs answers; STATIC and MIN know the trace before, as in (e)."""
    if rule == "min":
        hits = _most_hits(size, trace)
    elif rule == "infinite":
        hits = len(trace) - len(set(trace))
    else:
        cache = URL_CACHES[rule](size, trace, seed)
        hits = 0
        for question in trace:
            if cache.seen(question):
                hits += 1
            else:
                cache.add(question)
    return hits / len(trace) if trace else 0.0


def _most_hits(size: int, trace: Sequence[int]) -> int:
    """The most hits of a cache of ``size`` URLs, empty at first: it knows the whole trace, and evicts the URL with the latest next use."""
    uses: list[float] = [math.inf] * len(trace)
    later: dict[int, int] = {}
    for number in range(len(trace) - 1, -1, -1):
        uses[number] = later.get(trace[number], math.inf)
        later[trace[number]] = number
    kept: set[int] = set()
    latest: list[tuple[float, int]] = []  # a heap: (negated next use, URL) of kept URLs; past uses sink to its end
    hits = 0
    for url, use in zip(trace, uses, strict=True):
        hits += url in kept
        kept.discard(url)
        if use < math.inf:
            kept.add(url)
            heappush(latest, (-use, url))
        if len(kept) > size:
            kept.remove(heappop(latest)[1])
    return hits


EXPERIMENTS: Mapping[str, Experiment] = {
    "thesis2011": Experiment(("bfs", "hard_focus"), _misses),
    "li2002": Experiment(("bfs", "pagerank", "ipagerank"), _rates),
    "cao": Experiment(("pagerank",), _by_time, SERVER_POLICIES),
    "broder": Experiment(("bfs",), _hit_rates),
    "xu2007": Experiment(("bfs",), _pace),
}
"""By the name of the mode whose settings they use."""
