"""What a reader of the results must know beside the figures, a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.reach import RobotsRules, reachable
from topicspider.rehearsal.phrase import Phrase
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.evaluation.labels import Labels
    from topicspider.rehearsal.evaluation.measures import JudgedRun, Targets
    from topicspider.rehearsal.evaluation.results import Setting

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
    if not targets.by_content:
        yield Phrase(
            f"the web is too large to be read as a whole: all {pages} on-topic pages count as targets, and near-duplicates "
            "are told only among the pages that a run fetched",
            f"网站太大，没有全部读入：全部 {pages} 个相关页面都算目标，近似重复只在每次抓到的页面之间判断",
        )
        return
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
