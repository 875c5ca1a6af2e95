"""From the runs of a rehearsal to its results: policies over their repeats, pair by pair, host by host."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.examples import differing_pages
from topicspider.rehearsal.evaluation.labels import Verdict
from topicspider.rehearsal.evaluation.measures import SHARES, JudgedRun, Targets, figures_of
from topicspider.rehearsal.evaluation.notes import notes_on
from topicspider.rehearsal.evaluation.results import Comparison, HostFigures, Mean, PolicyFigures, Results
from topicspider.url.host import host_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.evaluation.labels import Labels
    from topicspider.rehearsal.evaluation.results import Checkpoint, RunFigures, Setting
    from topicspider.rehearsal.simulator.runs import Run

ORACLE = "oracle"
BASELINES = ("ipagerank", "bfs")
"""What every policy is compared with, pair by pair, where they were run."""

MOST_HOSTS = 30
_SAME = 1e-9  # areas that differ by less are a tie


def results_of(setting: Setting, runs: Sequence[Run], labels: Labels, web: ArchivedWeb) -> Results:
    """Everything a rehearsal found; policies in the order in which their runs come."""
    targets = Targets.of(labels, web)
    judged = [JudgedRun.of(run, labels, targets, web) for run in runs]
    policies = tuple(_policies(judged, setting.checkpoints))
    firsts = _first_runs(judged)
    return Results(
        setting=setting,
        policies=policies,
        comparisons=tuple(_comparisons(policies)),
        hosts=tuple(_hosts(firsts, targets)),
        examples=tuple(differing_pages(firsts, _best(policies), web)),
        notes=tuple(notes_on(setting, judged, targets, labels, web)),
    )


def display_name(policy: str, server_policy: str, *, several: bool) -> str:
    """What a policy is called in figures: by its own name, with the server policy's where ``several`` of those ran."""
    return f"{policy}+{server_policy}" if several else policy


def display_names(policies: Sequence[PolicyFigures]) -> list[str]:
    """The name of each of ``policies`` in figures, in their order."""
    several = len({one.server_policy for one in policies}) > 1
    return [display_name(one.policy, one.server_policy, several=several) for one in policies]


def _policies(judged: Sequence[JudgedRun], checkpoints: Sequence[int]) -> Iterator[PolicyFigures]:
    oracles = {(one.run.server_policy, one.run.repeat): one for one in judged if one.run.policy == ORACLE}
    by_policy: dict[tuple[str, str], list[RunFigures]] = {}
    for one in judged:
        oracle = oracles.get((one.run.server_policy, one.run.repeat))
        figures = figures_of(one, checkpoints, oracle)
        by_policy.setdefault((figures.policy, figures.server_policy), []).append(figures)
    for (policy, server_policy), runs in by_policy.items():
        runs.sort(key=lambda run: run.repeat)
        yield _policy(policy, server_policy, runs)


def _policy(policy: str, server_policy: str, runs: Sequence[RunFigures]) -> PolicyFigures:
    def at_checkpoints(figure: Callable[[Checkpoint], float]) -> dict[int, Mean]:
        standings = zip(*(run.checkpoints for run in runs), strict=True)
        return {several[0].pages: Mean.of([figure(one) for one in several]) for several in standings}

    relative = [run.auc_oracle for run in runs if run.auc_oracle is not None]
    return PolicyFigures(
        policy=policy,
        server_policy=server_policy,
        runs=tuple(runs),
        precision=at_checkpoints(lambda one: one.precision),
        discovery=at_checkpoints(lambda one: one.discovery),
        hits=at_checkpoints(lambda one: one.hits),
        seconds=at_checkpoints(lambda one: one.seconds),
        auc_perfect=Mean.of([run.auc_perfect for run in runs]),
        auc_oracle=Mean.of(relative) if len(relative) == len(runs) else None,
        hosts_with_hits=Mean.of([run.checkpoints[-1].hosts_with_hits for run in runs]),
        pages_for={share: _mean_pages([run.pages_for[share] for run in runs]) for share in SHARES},
    )


def _mean_pages(pages: Sequence[int | None]) -> Mean | None:
    known = [count for count in pages if count is not None]
    return Mean.of(known) if len(known) == len(pages) else None


def _comparisons(policies: Sequence[PolicyFigures]) -> Iterator[Comparison]:
    """Every policy but the oracle against each baseline; with several server policies, within each, and each against the first."""
    names = dict(zip(((one.policy, one.server_policy) for one in policies), display_names(policies), strict=True))
    done = set()
    for base, other in _pairs([one for one in policies if one.policy != ORACLE]):
        pair = frozenset((names[base.policy, base.server_policy], names[other.policy, other.server_policy]))
        if pair not in done:
            done.add(pair)
            yield from _comparison(other, base, names)


def _pairs(policies: Sequence[PolicyFigures]) -> Iterator[tuple[PolicyFigures, PolicyFigures]]:
    ran = [one.policy for one in policies]
    baselines = [name for name in BASELINES if name in ran] or ran[:1]
    for name in baselines:
        for base in (one for one in policies if one.policy == name):
            same = (one for one in policies if one.server_policy == base.server_policy and one is not base)
            yield from ((base, other) for other in same)
    for other in policies:
        base = next(one for one in policies if one.policy == other.policy)
        if base is not other:
            yield base, other


def _comparison(one: PolicyFigures, other: PolicyFigures, names: Mapping[tuple[str, str], str]) -> Iterator[Comparison]:
    """The better of the two first, by the mean difference over the seed sets that both have; none without a common set."""
    theirs = {run.repeat: run.auc_perfect for run in other.runs}
    gains = [run.auc_perfect - theirs[run.repeat] for run in one.runs if run.repeat in theirs]
    if not gains:
        return
    if sum(gains) < 0:
        one, other, gains = other, one, [-gain for gain in gains]
    yield Comparison(
        winner=names[one.policy, one.server_policy],
        loser=names[other.policy, other.server_policy],
        wins=sum(gain > _SAME for gain in gains),
        ties=sum(abs(gain) <= _SAME for gain in gains),
        count=len(gains),
        difference=Mean.of(gains),
    )


def _best(policies: Sequence[PolicyFigures]) -> str:
    """The name of the policy with the largest area; not the oracle, unless it ran alone."""
    named = list(zip(display_names(policies), policies, strict=True))
    fair = [pair for pair in named if pair[1].policy != ORACLE] or named
    return max(fair, key=lambda pair: pair[1].auc_perfect.value)[0] if fair else ""


def _first_runs(judged: Sequence[JudgedRun]) -> dict[str, JudgedRun]:
    """The first repeat of each policy, by its name in figures."""
    several = len({one.run.server_policy for one in judged}) > 1
    firsts: dict[str, JudgedRun] = {}
    for one in sorted(judged, key=lambda one: one.run.repeat):
        firsts.setdefault(display_name(one.run.policy, one.run.server_policy, several=several), one)
    order = dict.fromkeys(display_name(one.run.policy, one.run.server_policy, several=several) for one in judged)
    return {label: firsts[label] for label in order}


def _hosts(firsts: Mapping[str, JudgedRun], targets: Targets) -> Iterator[HostFigures]:
    """The hosts that hold or gave most, at most MOST_HOSTS."""
    held = Counter(host for host, _group in {(host_key(url), group) for url, group in targets.groups.items()})
    fetched = {label: Counter(page.host for page in one.run.fetched) for label, one in firsts.items()}
    hits = {label: Counter(page.host for page in one.pages_that_are(Verdict.HIT)) for label, one in firsts.items()}
    most_hits, most_fetched = (reduce(or_, counts.values(), Counter[str]()) for counts in (hits, fetched))
    ranked = sorted({*held, *most_fetched}, key=lambda host: (-held[host], -most_hits[host], -most_fetched[host], host))
    for host in ranked[:MOST_HOSTS]:
        yield HostFigures(
            host,
            held[host],
            {label: counts[host] for label, counts in fetched.items()},
            {label: counts[host] for label, counts in hits.items()},
        )
