"""Judges records of which only an anchor or an address is known: by the link policy in use, as it judges a link before its page is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.page.links.link import Link
from topicspider.relevance.judgement import PageScore
from topicspider.relevance.links.learned import LearnedPolicy
from topicspider.relevance.thresholds import page_threshold
from topicspider.url.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.workbench.bench import Bench
    from topicspider.workbench.scoring.records import Record


def judged_links(records: Sequence[Record], bench: Bench) -> list[PageScore] | None:
    """A verdict for each of ``records``; None when the policy in use says nothing of a link by itself (most rank it among others).

    The score is a chance, so it is on topic from where pages are by theirs on, unless a threshold of links is given.
    """
    policy = bench.view.policy
    if not isinstance(policy, LearnedPolicy):
        return None
    threshold = _threshold(bench)
    scores = policy.judge_alone([_link(record) for record in records])
    return [PageScore(one.value, one.value >= threshold, threshold, one.parts) for one in scores]


def _threshold(bench: Bench) -> float:
    topic, option = bench.profile.topic, bench.options.link_threshold
    given = option if option >= 0.0 else topic.link_thresholds.get(LearnedPolicy.name, topic.link_threshold)
    return page_threshold(topic, LearnedPolicy.name, None) if given is None else given


def _link(record: Record) -> Link:
    """What is no address may still have words."""
    url = canonicalize(record.url) or ""
    return Link(url, record.anchor or ("" if url else record.url))
