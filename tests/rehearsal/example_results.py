"""Plausible results of a rehearsal, made up: thirteen policies, three seed sets, Chinese titles, and titles that attack the page."""

from __future__ import annotations

import math

from topicspider.rehearsal.evaluation.measures import (
    Checkpoint,
    Comparison,
    Mean,
    PolicyFigures,
    Results,
    RunFigures,
    Setting,
)
from topicspider.rehearsal.phrase import Phrase

SKILL = {
    "oracle": 1.0, "learned": 0.93, "ipagerank": 0.84, "rw": 0.8, "shark": 0.76, "best_first": 0.7, "anchor": 0.63,
    "hard_focus": 0.55, "bfs": 0.2, "pagerank": 0.18, "random": 0.12, "dfs": 0.06,
}  # fmt: skip
POINTS = (500, 1000, 1500, 2000)
TARGETS, PAGES = 800, 2000
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>"


def setting(**more):
    known = {
        "web": "made:pages=9000,hosts=60,seed=3", "web_digest": "6d7db0ab", "pages_in_web": 8955, "topic": "tourism",
        "topic_title": {"zh": "旅游", "en": "Tourism"}, "topic_digest": "6cb2bec9", "judged_by": "truth", "is_evidence": True,
        "labels_digest": "03c4d8f3", "checkpoints": POINTS, "repeats": 3, "start_pages": ("http://start.example/",),
        "options": {"latency": "constant:0.2", "server_policy": "quality"}, "seed": 0, "version": "0.1.0",
    }  # fmt: skip
    return Setting(**(known | more))


def run(policy, repeat, targets=TARGETS, ended_at=PAGES):
    """A run whose hits rise quickly or slowly by the policy's skill, and stop at ``ended_at`` pages."""
    skill = SKILL.get(policy, 0.4) * (1 + 0.02 * (repeat - 1))

    def hits(pages):
        return round(TARGETS * min(1.0, skill) * (1 - math.exp(-2.5 * skill * min(pages, ended_at) / 1000)))

    def standing(pages):
        found, fetched = hits(pages), min(pages, ended_at)
        return Checkpoint(
            pages, pages <= ended_at, found, fetched - found, found / fetched, found / targets if targets else 0.0, 0.2 * fetched,
        )  # fmt: skip

    curve = [(pages, hits(pages), 0.2 * pages) for pages in range(0, ended_at + 1, 20)]
    area = sum(point[1] for point in curve) / sum(min(point[0], TARGETS) or 1 for point in curve)
    return RunFigures(
        policy=policy, repeat=repeat, seeds=("http://start.example/", f"http://s.example/{repeat}"),
        pages=ended_at, hits=hits(ended_at), ended="max_pages" if ended_at == PAGES else "empty", targets=targets,
        checkpoints=tuple(map(standing, POINTS)), curve=tuple(curve), auc_perfect=area, auc_oracle=area,
        dead=3, redirects=2, forbidden=1, links=5000, pruned={"low": 40}, seconds=0.2 * ended_at,
    )  # fmt: skip


def policy_of(runs):
    def at(figure):
        return {
            point: Mean.of([getattr(one.checkpoints[number], figure) for one in runs])
            for number, point in enumerate(POINTS)
        }

    return PolicyFigures(
        policy=runs[0].policy, runs=tuple(runs), precision=at("precision"), discovery=at("discovery"),
        hits=at("hits"), seconds=at("seconds"), auc_perfect=Mean.of([one.auc_perfect for one in runs]),
        auc_oracle=Mean.of([one.auc_oracle for one in runs]),
    )  # fmt: skip


def results(names=tuple(SKILL), repeats=3, *, targets=TARGETS, ended_at=None, **more):
    """Results of ``names``; ``ended_at`` gives the pages after which a policy's queue was empty."""
    policies = [
        policy_of([run(name, repeat, targets, (ended_at or {}).get(name, PAGES)) for repeat in range(repeats)])
        for name in names
    ]
    return Results(
        setting=setting(**({"repeats": repeats} | more)),
        policies=policies,
        comparisons=tuple(_comparisons(policies)) if policies else (),
        notes=[Phrase("near-duplicates count once", "近似重复的页面只计一次"), Phrase(f"a note {HOSTILE}", HOSTILE)],
    )  # fmt: skip


def _comparisons(policies):
    base = next((one for one in policies if one.policy == "bfs"), policies[0])
    for other in policies:
        if other is base or other.policy == "oracle":
            continue
        gains = [one.auc_perfect - two.auc_perfect for one, two in zip(other.runs, base.runs, strict=True)]
        first, second = (other.policy, base.policy) if sum(gains) >= 0 else (base.policy, other.policy)
        difference = Mean.of([abs(gain) for gain in gains])
        yield Comparison(first, second, len(gains), 0, len(gains), difference)
