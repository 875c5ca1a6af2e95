"""What a reader of the results must know beside the figures: one sentence each, in English and Chinese."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.reach import Leave
from topicspider.rehearsal.evaluation.seed_sets import reachable
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.evaluation.labels import Judge
    from topicspider.rehearsal.evaluation.measures import JudgedRun, Targets
    from topicspider.rehearsal.evaluation.results import Setting

NOT_EVIDENCE = "self-judged, not evidence"
NOT_EVIDENCE_ZH = "自评，不可作为证据"

# Results hold the English sentence; the Chinese one of the same key is found by its pattern.
_NOTES = {
    "self": (
        f"{NOT_EVIDENCE}: no labels were given, so {{judge}} judged, another page scorer than the crawl's own",
        f"{NOT_EVIDENCE_ZH}：没有标注，由 {{judge}} 评判，即与爬行所用不同的页面评分器",
    ),
    "strangers": (
        "{strangers} of {labelled} labels match no page of the web",
        "{labelled} 条标注中有 {strangers} 条对不上任何页面",
    ),
    "copies": (
        "near-duplicates count once: {pages} on-topic pages are {groups} different ones",
        "近似重复的页面只计一次：{pages} 个相关页面中有 {groups} 个各不相同",
    ),
    "plain": (
        "the web is too large to be read as a whole: all {pages} on-topic pages count as targets, and near-duplicates are told only among the pages that a run fetched",
        "网站太大，没有全部读入：全部 {pages} 个相关页面都算目标，近似重复只在每次抓到的页面之间判断",
    ),
    "far": (
        "{far} of {pages} targets cannot be reached by links from the first seed set or are forbidden by robots.txt; no policy can find them",
        "{pages} 个目标中有 {far} 个从第一组种子出发没有链接可达，或被 robots.txt 禁止，任何策略都找不到",
    ),
    "log_full": (
        "the crawl's log was full with {limit} pages (TOPICSPIDER_LOG_PAGES): what it fetched later is missing",
        "爬行日志记满 {limit} 页（TOPICSPIDER_LOG_PAGES），此后抓取的页面不在其中",
    ),
    "log_dropped": (
        "{dropped} pages of the crawl are missing: its log could not be written as fast as they came",
        "缺少该次爬行的 {dropped} 页：日志来不及写入",
    ),
    "log_off": (
        "the crawl's log was turned off before the crawl ended, and pages are missing: {trouble}",
        "爬行结束前日志已关闭，缺少部分页面：{trouble}",
    ),
    "ended": (
        "{runs} of {all} runs ended before the last checkpoint, because their queue was empty; their final standing counts from there on",
        "{all} 次运行中有 {runs} 次因队列已空而提前结束，此后按其最终成绩计",
    ),
}


def notes_on(
    setting: Setting, judged: Sequence[JudgedRun], targets: Targets, judge: Judge, web: ArchivedWeb
) -> Iterator[str]:
    """The notes in English, the most important first."""
    if not setting.is_evidence:
        yield _note("self", judge=setting.judged_by)
    yield from web.notes
    if judge.strangers:
        yield _note("strangers", strangers=judge.strangers, labelled=judge.labelled)
    if not targets.by_copies:
        yield _note("plain", pages=len(targets.groups))
    else:
        yield from _note_on_copies(targets)
        yield from _note_on_reach(judged, targets, web)
    early = sum(len(one.run.fetched) < max(setting.checkpoints) for one in judged)
    if early:
        yield _note("ended", runs=early, all=len(judged))


def in_chinese(note: str) -> str:
    """The Chinese of a note that this module wrote; of any other text, the text."""
    for english, chinese in _NOTES.values():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(english))
        if found := re.fullmatch(pattern, note):
            return chinese.format(**found.groupdict())
    return note


def _note(key: str, **values: object) -> str:
    return _NOTES[key][0].format(**values)


def _note_on_copies(targets: Targets) -> Iterator[str]:
    pages, groups = len(targets.groups), len(set(targets.groups.values()))
    if groups < pages:
        yield _note("copies", pages=pages, groups=groups)


def _note_on_reach(judged: Sequence[JudgedRun], targets: Targets, web: ArchivedWeb) -> Iterator[str]:
    if not judged:
        return
    within, leave = reachable(web.graph(), judged[0].run.seeds), Leave(web)
    near = {group for url, group in targets.groups.items() if fingerprint(url) in within and leave.allows(url)}
    near -= targets.given(judged[0].seeds)
    far = judged[0].targets - len(near)
    if far:
        yield _note("far", far=far, pages=judged[0].targets)
