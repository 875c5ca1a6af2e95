"""The figures of a rehearsal, which say how well runs did by the labels of their pages. Near-duplicates count once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import accumulate
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import numpy as np

from topicspider.frontier.host_ranking import MASK64
from topicspider.i18n import N_
from topicspider.rehearsal.archive.archived_web import ArchivedWeb
from topicspider.rehearsal.evaluation.labels import Labels, Verdict
from topicspider.rehearsal.evaluation.reach import page_behind, reachable, robots_rules
from topicspider.rehearsal.phrase import Phrase, in_both
from topicspider.rehearsal.simulator.simulator import Outcome, Run
from topicspider.url import fingerprint


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How one run stood after ``pages`` pages ((a) Li 2002, the test); ``reached``: False when the run had ended before.

    ``precision`` = hits / (hits + misses), the harvest rate; ``discovery`` = hits / targets, the resource discovery rate (target
    recall). Pages that are neither (hubs, unknown, seeds, copies) count in neither. ``seconds``: virtual.
    """

    pages: int
    reached: bool
    hits: int
    misses: int
    precision: float
    discovery: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures(Outcome):
    """The figures of one run.

    ``curve``: (pages, hits, virtual seconds) at evenly spaced points from (0, 0, 0.0) on. ``auc_perfect``: the area under hits by pages,
    divided by that of a perfect crawl (only hits until none are left); ``auc_oracle``: by that of the oracle from the same seeds, if run.
    """

    pages: int
    hits: int
    targets: int
    checkpoints: Sequence[Checkpoint]
    curve: Sequence[tuple[int, int, float]]
    auc_perfect: float
    auc_oracle: float | None


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over repeats with the half-width of its 95 % confidence interval (0 for a single one)."""

    value: float
    half_width: float
    count: int

    @property
    def is_with_interval(self) -> bool:
        """Whether the interval is worth showing; that of two values is 12.7 times as wide as their difference."""
        return self.count >= 3

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """The mean of at least one value, with the interval of Student's t."""
        from scipy.special import stdtrit

        count = len(values)
        if count == 1:
            return cls(values[0], 0.0, 1)
        return cls(fmean(values), float(stdtrit(count - 1, 0.975)) * stdev(values) / sqrt(count), count)


@dataclass(frozen=True, slots=True)
class PolicyFigures:
    """The figures of one policy over all its repeats; ``precision``, ``discovery``, ``hits``, ``seconds``: by checkpoint, in pages."""

    policy: str
    runs: Sequence[RunFigures]
    precision: Mapping[int, Mean]
    discovery: Mapping[int, Mean]
    hits: Mapping[int, Mean]
    seconds: Mapping[int, Mean]
    auc_perfect: Mean
    auc_oracle: Mean | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``winner`` against ``loser`` by auc_perfect, over the ``count`` seed sets that both have; ``difference``: the mean one."""

    winner: str
    loser: str
    wins: int
    ties: int
    count: int
    difference: Mean


@dataclass(frozen=True, slots=True)
class Setting:
    """What was rehearsed: everything on which the outcome depends. ``judged_by``: the name of the Labels; ``is_evidence``: see there."""

    web: str
    web_digest: str
    pages_in_web: int
    topic: str
    topic_title: Mapping[str, str]
    topic_digest: str
    judged_by: str
    is_evidence: bool
    labels_digest: str
    checkpoints: Sequence[int]
    repeats: int
    start_pages: Sequence[str]
    options: Mapping[str, object]
    seed: int
    version: str


@dataclass(frozen=True, slots=True)
class Results:
    """Everything a rehearsal found; the same setting gives the same results.json, byte by byte."""

    setting: Setting
    policies: Sequence[PolicyFigures]
    comparisons: Sequence[Comparison] = ()
    notes: Sequence[Phrase] = ()


def plain(value: Any) -> Any:
    """``value`` as JSON data: lists, dicts with text keys, numbers and text; floats are rounded, other types become their text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Phrase):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float):
        # Rounded, because the last bits of a float depend on a machine's mathematical library.
        return round(value, 6) + 0.0  # no -0.0
    return value if value is None or isinstance(value, bool | int | str) else str(value)


LIMIT = 6
"""The most bits of 64 by which the simhashes of two near-duplicates may differ.

A crawl, which compares single pages, allows 8; a group needs a lower limit, because it is a chain. Of 1,006 recorded pages, 7 of the 10
pairs within 8 bits are within 6; of 258 synthetic articles, all 7 copies are within 4, and pairs of different pages begin at 8. A missed
duplicate counts twice for every policy alike, but two different pages in one group take a hit away from a run that fetched both.
"""


def earlier_duplicates(simhashes: Sequence[int]) -> Iterator[list[int]]:
    """For each page, the numbers of the earlier pages of which it is a near-duplicate; none for a simhash of 0 (the page is too short)."""
    values = np.array([simhash & MASK64 for simhash in simhashes], np.uint64)
    for number, value in enumerate(values):
        before = values[:number]
        near = np.flatnonzero((before != 0) & (np.bitwise_count(before ^ value) <= LIMIT))
        yield near.tolist() if value else []


def duplicate_groups(simhashes: Sequence[int]) -> list[int]:
    """For each page, the number of its group, from 0; pages that a chain of near-duplicates connects are one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = [(number, other) for number, near in enumerate(earlier_duplicates(simhashes)) for other in near]
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    graph = coo_array((np.ones(len(pairs), bool), (rows, columns)), (len(simhashes), len(simhashes)))
    _count, groups = connected_components(graph, directed=False)
    return list(map(int, groups))


@dataclass(frozen=True, slots=True)
class Targets:
    """The pages to find. ``groups``: from the URL of each target to the number of its group of near-duplicates."""

    groups: Mapping[str, int]

    @classmethod
    def of(cls, labels: Labels, web: ArchivedWeb) -> Targets:
        """The labels' targets that are pages, grouped by simhash (some µs each, and reading the answer)."""
        answers = [(url, web.answer(url).features) for url in sorted(labels.targets())]
        pages = [(url, features.simhash) for url, features in answers if features is not None]
        groups = duplicate_groups([simhash for _url, simhash in pages])
        return cls(dict(zip((url for url, _simhash in pages), groups, strict=True)))

    def given(self, seeds: Collection[str]) -> set[int]:
        """The groups of the ``seeds`` (see JudgedRun), which a crawl has from the start."""
        return {self.groups[url] for url in seeds if url in self.groups}

    def left(self, seeds: Collection[str]) -> int:
        """How many groups there are to find for a crawl that starts from ``seeds``."""
        return len(set(self.groups.values())) - len(self.given(seeds))


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run and how each of its pages counts (seeds and near-duplicates: NEITHER).

    ``targets``: see Targets.left. ``seeds``: those of the run, and the pages to which they redirect.
    """

    run: Run
    verdicts: tuple[Verdict, ...]
    targets: int
    seeds: frozenset[str]

    @classmethod
    def of(cls, run: Run, labels: Labels, targets: Targets, web: ArchivedWeb) -> JudgedRun:
        seeds = frozenset(run.seeds).union(page_behind(url, web) for url in run.seeds) - {""}
        verdicts = [labels.verdict(page.url) for page in run.fetched]
        counted = _counted(run, seeds, verdicts, targets)
        return cls(run, tuple(counted), targets.left(seeds), seeds)

    @property
    def hits(self) -> list[int]:
        """Hits after 0, 1, 2, … pages."""
        return [0, *accumulate(int(verdict is Verdict.HIT) for verdict in self.verdicts)]  # JSON writes a bool as true


def figures_of(judged: JudgedRun, checkpoints: Sequence[int], oracle: JudgedRun | None = None) -> RunFigures:
    """The figures of one run; ``oracle``: the run of the oracle from the same seeds. ``checkpoints`` ascend; areas end at the last."""
    run, hits = judged.run, judged.hits
    last = checkpoints[-1]
    area = _area(hits, last)
    reachable = 0 if oracle is None else _area(oracle.hits, last)
    return RunFigures(
        **{one.name: getattr(run, one.name) for one in fields(Outcome)},
        pages=len(run.fetched),
        hits=hits[-1],
        targets=judged.targets,
        checkpoints=tuple(_standing(judged, pages) for pages in checkpoints),
        curve=tuple(_curve(run, hits)),
        auc_perfect=area / _perfect_area(judged.targets, last),
        auc_oracle=area / reachable if reachable else None,
    )


def _counted(run: Run, seeds: Collection[str], verdicts: Sequence[Verdict], targets: Targets) -> Iterator[Verdict]:
    """Yield how each page counts. Of near-duplicates, one counts, among hits and among misses: else precision would be biased."""
    found, fetched = targets.given(seeds), list(zip(run.fetched, verdicts, strict=True))
    given = [page.simhash for page, _verdict in fetched if page.url in seeds]
    misses = [page.simhash for page, verdict in fetched if page.url not in seeds and verdict is Verdict.MISS]
    copies = iter(list(earlier_duplicates(given + misses))[len(given) :])
    for page, verdict in fetched:
        is_new = page.url not in seeds
        if is_new and verdict is Verdict.HIT:
            # a hit whose URL is no target (the same page over https) does not count
            group = targets.groups.get(page.url)
            is_new = group is not None and group not in found
            if group is not None:
                found.add(group)
        elif is_new and verdict is Verdict.MISS:
            is_new = not next(copies)
        yield verdict if is_new else Verdict.NEITHER


def _standing(judged: JudgedRun, pages: int) -> Checkpoint:
    run, verdicts = judged.run, judged.verdicts[:pages]
    hits, misses = verdicts.count(Verdict.HIT), verdicts.count(Verdict.MISS)
    return Checkpoint(
        pages=pages,
        reached=len(run.fetched) >= pages,
        hits=hits,
        misses=misses,
        precision=hits / (hits + misses) if hits + misses else 0.0,
        discovery=hits / judged.targets if judged.targets else 0.0,
        seconds=_seconds(run, len(verdicts)),
    )


def _seconds(run: Run, pages: int) -> float:
    """Virtual seconds until the download of page number ``pages`` (from 1) had ended."""
    return run.fetched[pages - 1].ended if pages else 0.0


def _curve(run: Run, hits: Sequence[int]) -> Iterator[tuple[int, int, float]]:
    """At most 400 points, the first and the last of the run among them."""
    last = len(hits) - 1
    step = max(1, -(-last // 399))
    for pages in [*range(0, last, step), last]:
        yield pages, hits[pages], _seconds(run, pages)


def _area(hits: Sequence[int], last: int) -> int:
    """The sum of the hits after 1 … ``last`` pages; a run that ended earlier keeps its hits."""
    return sum(hits[1 : last + 1]) + max(0, last + 1 - len(hits)) * hits[-1]


def _perfect_area(targets: int, last: int) -> int:
    """The area of a crawl that fetches only hits until none are left; above 0 even when there are no targets besides the seeds."""
    rising = min(targets, last) or last
    return rising * (rising + 1) // 2 + (last - rising) * rising


NOT_EVIDENCE = N_("self-judged, not evidence")


def notes_on(
    setting: Setting, judged: Sequence[JudgedRun], targets: Targets, labels: Labels, web: ArchivedWeb
) -> Iterator[Phrase]:
    """The notes, the most important first."""
    if not setting.is_evidence:
        words = N_("{notice}: no labels were given, so {judge} judged, another page scorer than the crawl's own")
        yield in_both(words, notice=in_both(NOT_EVIDENCE), judge=labels.name)
    yield from web.notes
    if labels.unmatched:
        words = N_("{unmatched} of {labelled} labels match no page of the web")
        yield in_both(words, unmatched=labels.unmatched, labelled=labels.labelled)
    yield from _on_targets(judged, targets, web)
    early = sum(len(one.run.fetched) < max(setting.checkpoints) for one in judged)
    if early:
        words = N_(
            "{early} of {runs} runs ended before the last checkpoint, because their queue was empty; "
            "their final standing counts from there on"
        )
        yield in_both(words, early=early, runs=len(judged))


def _on_targets(judged: Sequence[JudgedRun], targets: Targets, web: ArchivedWeb) -> Iterator[Phrase]:
    pages, groups = len(targets.groups), len(set(targets.groups.values()))
    if groups < pages:
        words = N_("near-duplicates count once: {pages} on-topic pages are {groups} different ones")
        yield in_both(words, pages=pages, groups=groups)
    if judged and (unreachable := _unreachable(judged[0], targets, web)):
        words = N_(
            "{unreachable} of {targets} targets cannot be reached by links from the first seed set or are "
            "forbidden by robots.txt; no policy can find them"
        )
        yield in_both(words, unreachable=unreachable, targets=judged[0].targets)


def _unreachable(first: JudgedRun, targets: Targets, web: ArchivedWeb) -> int:
    within, is_allowed = reachable(web.graph(), first.run.seeds), robots_rules(web)
    near = {group for url, group in targets.groups.items() if fingerprint(url) in within and is_allowed(url)}
    return first.targets - len(near - targets.given(first.seeds))


ORACLE = "oracle"
BASELINES = ("ipagerank", "bfs")
"""Every policy is compared with each of these that was run."""


def results_of(setting: Setting, runs: Sequence[Run], labels: Labels, web: ArchivedWeb) -> Results:
    """The results of a rehearsal; policies in the order of ``runs``."""
    targets = Targets.of(labels, web)
    judged = [JudgedRun.of(run, labels, targets, web) for run in runs]
    policies = tuple(_policies(judged, setting.checkpoints))
    notes = tuple(notes_on(setting, judged, targets, labels, web))
    return Results(setting, policies, tuple(_comparisons(policies)), notes)


def _policies(judged: Sequence[JudgedRun], checkpoints: Sequence[int]) -> Iterator[PolicyFigures]:
    oracles = {one.run.repeat: one for one in judged if one.run.policy == ORACLE}
    for policy in dict.fromkeys(one.run.policy for one in judged):
        own = sorted((one for one in judged if one.run.policy == policy), key=lambda one: one.run.repeat)
        yield _policy(policy, [figures_of(one, checkpoints, oracles.get(one.run.repeat)) for one in own])


def _policy(policy: str, runs: Sequence[RunFigures]) -> PolicyFigures:
    def at_checkpoints(figure: str) -> dict[int, Mean]:
        standings = zip(*(run.checkpoints for run in runs), strict=True)
        return {several[0].pages: Mean.of([getattr(one, figure) for one in several]) for several in standings}

    relative = [run.auc_oracle for run in runs if run.auc_oracle is not None]
    return PolicyFigures(
        policy=policy,
        runs=tuple(runs),
        **{figure: at_checkpoints(figure) for figure in ("precision", "discovery", "hits", "seconds")},
        auc_perfect=Mean.of([run.auc_perfect for run in runs]),
        auc_oracle=Mean.of(relative) if len(relative) == len(runs) else None,
    )


def _comparisons(policies: Sequence[PolicyFigures]) -> Iterator[Comparison]:
    """Compare every policy but the oracle with each baseline; when none was run, with the first policy."""
    fair = [one for one in policies if one.policy != ORACLE]
    bases = [one for name in BASELINES for one in fair if one.policy == name] or fair[:1]
    for number, base in enumerate(bases):
        yield from (found for other in fair if other not in bases[: number + 1] for found in _comparison(other, base))


def _comparison(one: PolicyFigures, other: PolicyFigures) -> Iterator[Comparison]:
    """Compare two policies over the seed sets that both have (without any: nothing); the winner is the better one on average."""
    theirs = {run.repeat: run.auc_perfect for run in other.runs}
    gains = [run.auc_perfect - theirs[run.repeat] for run in one.runs if run.repeat in theirs]
    if not gains:
        return
    if sum(gains) < 0:
        one, other, gains = other, one, [-gain for gain in gains]
    same = 1e-9  # areas that differ by less are a tie
    wins, ties = sum(gain > same for gain in gains), sum(abs(gain) <= same for gain in gains)
    yield Comparison(one.policy, other.policy, wins, ties, len(gains), Mean.of(gains))
