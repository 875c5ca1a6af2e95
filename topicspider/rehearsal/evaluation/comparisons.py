"""From the runs of a rehearsal to its results: policies over their repeats, pair by pair, with notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.measures import JudgedRun, Targets, figures_of
from topicspider.rehearsal.evaluation.reach import RobotsRules, reachable
from topicspider.rehearsal.evaluation.results import Comparison, Mean, PolicyFigures, Results
from topicspider.rehearsal.phrase import Phrase
from topicspider.url import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from topicspider.rehearsal.archive.archived_web import ArchivedWeb
    from topicspider.rehearsal.evaluation.labels import Labels
    from topicspider.rehearsal.evaluation.results import Checkpoint, RunFigures, Setting
    from topicspider.rehearsal.simulator.simulator import Run


NOT_EVIDENCE = Phrase("self-judged, not evidence", "自评，不可作为证据")


def notes_on(
    setting: Setting, judged: Sequence[JudgedRun], targets: Targets, labels: Labels, web: ArchivedWeb
) -> Iterator[Phrase]:
    """The notes, the most important first."""
    if not setting.is_evidence:
        yield Phrase(
            f"{NOT_EVIDENCE.en}: no labels were given, so {labels.name} judged, another page scorer than the crawl's own",
            f"{NOT_EVIDENCE.zh}：没有标注，由 {labels.name} 评判，即与爬行所用不同的页面评分器",
        )
    yield from web.notes
    if labels.unmatched:
        yield Phrase(
            f"{labels.unmatched} of {labels.labelled} labels match no page of the web",
            f"{labels.labelled} 条标注中有 {labels.unmatched} 条对不上任何页面",
        )
    yield from _on_targets(judged, targets, web)
    early = sum(len(one.run.fetched) < max(setting.checkpoints) for one in judged)
    if early:
        yield Phrase(
            f"{early} of {len(judged)} runs ended before the last checkpoint, because their queue was empty; "
            "their final standing counts from there on",
            f"{len(judged)} 次运行中有 {early} 次因队列已空而提前结束，此后按其最终成绩计",
        )


def _on_targets(judged: Sequence[JudgedRun], targets: Targets, web: ArchivedWeb) -> Iterator[Phrase]:
    pages, groups = len(targets.groups), len(set(targets.groups.values()))
    if groups < pages:
        yield Phrase(
            f"near-duplicates count once: {pages} on-topic pages are {groups} different ones",
            f"近似重复的页面只计一次：{pages} 个相关页面中有 {groups} 个各不相同",
        )
    if judged and (unreachable := _unreachable(judged[0], targets, web)):
        yield Phrase(
            f"{unreachable} of {judged[0].targets} targets cannot be reached by links from the first seed set or are "
            "forbidden by robots.txt; no policy can find them",
            f"{judged[0].targets} 个目标中有 {unreachable} 个从第一组种子出发没有链接可达，或被 robots.txt 禁止，任何策略都找不到",
        )


def _unreachable(first: JudgedRun, targets: Targets, web: ArchivedWeb) -> int:
    within, robots = reachable(web.graph(), first.run.seeds), RobotsRules(web)
    near = {group for url, group in targets.groups.items() if fingerprint(url) in within and robots.allow(url)}
    return first.targets - len(near - targets.given(first.seeds))


ORACLE = "oracle"
BASELINES = ("ipagerank", "bfs")
"""What every policy is compared with, pair by pair, where they were run."""

_SAME = 1e-9  # areas that differ by less are a tie


def results_of(setting: Setting, runs: Sequence[Run], labels: Labels, web: ArchivedWeb) -> Results:
    """Everything a rehearsal found; policies in the order in which their runs come."""
    targets = Targets.of(labels, web)
    judged = [JudgedRun.of(run, labels, targets, web) for run in runs]
    policies = tuple(_policies(judged, setting.checkpoints))
    return Results(
        setting=setting,
        policies=policies,
        comparisons=tuple(_comparisons(policies)),
        notes=tuple(notes_on(setting, judged, targets, labels, web)),
    )


def _policies(judged: Sequence[JudgedRun], checkpoints: Sequence[int]) -> Iterator[PolicyFigures]:
    oracles = {one.run.repeat: one for one in judged if one.run.policy == ORACLE}
    for policy in dict.fromkeys(one.run.policy for one in judged):
        own = sorted((one for one in judged if one.run.policy == policy), key=lambda one: one.run.repeat)
        yield _policy(policy, [figures_of(one, checkpoints, oracles.get(one.run.repeat)) for one in own])


def _policy(policy: str, runs: Sequence[RunFigures]) -> PolicyFigures:
    def at_checkpoints(figure: Callable[[Checkpoint], float]) -> dict[int, Mean]:
        standings = zip(*(run.checkpoints for run in runs), strict=True)
        return {several[0].pages: Mean.of([figure(one) for one in several]) for several in standings}

    relative = [run.auc_oracle for run in runs if run.auc_oracle is not None]
    return PolicyFigures(
        policy=policy,
        runs=tuple(runs),
        precision=at_checkpoints(lambda one: one.precision),
        discovery=at_checkpoints(lambda one: one.discovery),
        hits=at_checkpoints(lambda one: one.hits),
        seconds=at_checkpoints(lambda one: one.seconds),
        auc_perfect=Mean.of([run.auc_perfect for run in runs]),
        auc_oracle=Mean.of(relative) if len(relative) == len(runs) else None,
    )


def _comparisons(policies: Sequence[PolicyFigures]) -> Iterator[Comparison]:
    """Every policy but the oracle against each baseline; against the first, when none was run."""
    fair = [one for one in policies if one.policy != ORACLE]
    bases = [one for name in BASELINES for one in fair if one.policy == name] or fair[:1]
    for number, base in enumerate(bases):
        yield from (found for other in fair if other not in bases[: number + 1] for found in _comparison(other, base))


def _comparison(one: PolicyFigures, other: PolicyFigures) -> Iterator[Comparison]:
    """The better of the two first, by the mean difference over the seed sets that both have; none without a common set."""
    theirs = {run.repeat: run.auc_perfect for run in other.runs}
    gains = [run.auc_perfect - theirs[run.repeat] for run in one.runs if run.repeat in theirs]
    if not gains:
        return
    if sum(gains) < 0:
        one, other, gains = other, one, [-gain for gain in gains]
    yield Comparison(
        winner=one.policy,
        loser=other.policy,
        wins=sum(gain > _SAME for gain in gains),
        ties=sum(abs(gain) <= _SAME for gain in gains),
        count=len(gains),
        difference=Mean.of(gains),
    )
