"""Which links of a page a crawl follows: what limits refuse and what the topics' link policies prune, and the best value that any topic gives the rest."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicspider.relevance.interfaces import LinkPolicy, LinkScore, Parent
from topicspider.url import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.page.links import Link

LINKS_KEPT = 50_000
"""As many as a learner revises at most, and more."""


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link with its fingerprint and the best that any topic says of it."""

    link: Link
    fingerprint: int
    score: LinkScore


@dataclass(frozen=True, slots=True)
class LinkVerdicts:
    """All of a page's links: ``kept`` best first, ``pruned`` by reason, and links queued earlier that are worth more now, or another value."""

    kept: Sequence[JudgedLink]
    pruned: Sequence[JudgedLink]
    promotions: Sequence[tuple[int, float]] = ()
    revisions: Sequence[tuple[int, float]] = ()
    reasons: Counter[str] = field(default_factory=Counter)


def admit(
    links: Sequence[Link], reject_reason: Callable[[str, int], str], depth: int, forbidden: str = ""
) -> tuple[list[tuple[int, Link]], list[JudgedLink]]:
    """Split by the topics' limits and traps; ``forbidden`` is the reason when the page itself wants none followed (meta robots nofollow)."""
    admitted, refused = [], []
    for target, link in _without_repeats(links):
        reason = forbidden or reject_reason(link.url, depth)
        if reason:
            refused.append(JudgedLink(link, target, LinkScore(0.0, reason)))
        else:
            admitted.append((target, link))
    return admitted, refused


def prune(
    links: Sequence[tuple[int, Link]],
    refused: Sequence[JudgedLink],
    policies: Sequence[tuple[LinkPolicy, Parent]],
    values: MultiTopicScores,
) -> LinkVerdicts:
    """The verdicts on ``links`` by each topic's policy: a link is pruned when every topic prunes it, and worth the highest score else."""
    per_topic = [policy.judge(parent, links) for policy, parent in policies]
    values.add([target for target, _ in links], per_topic)
    kept: list[JudgedLink] = []
    pruned = list(refused)
    for (target, link), *scores in zip(links, *per_topic, strict=True):
        best = max(scores, key=lambda score: (not score.pruned, score.value))
        (pruned if best.pruned else kept).append(JudgedLink(link, target, best))
    kept.sort(key=lambda judged: -judged.score.value)
    risen = [policy.promotions() for policy, _ in policies]
    values.raise_values(risen)
    revisions = values.revise([_revised(policy) for policy, _ in policies])
    reasons = Counter(judged.score.pruned for judged in pruned)
    return LinkVerdicts(kept, pruned, [rise for rises in risen for rise in rises], revisions, reasons)


class MultiTopicScores:
    """The values of the last ``capacity`` links by topic; a link is worth the best of them.

    So one topic may think less of a link without spoiling it for the others. With one topic nothing is kept.
    """

    def __init__(self, topics: int, capacity: int = LINKS_KEPT) -> None:
        self._topics = topics
        self._capacity = capacity
        self._values: OrderedDict[int, list[float | None]] = OrderedDict()  # None: pruned, or never judged

    def add(self, targets: Sequence[int], per_topic: Sequence[Sequence[LinkScore]]) -> None:
        """Each topic's verdicts on links; the best of several on one link counts."""
        if self._topics == 1:
            return
        for target, *scores in zip(targets, *per_topic, strict=True):
            if all(score.pruned for score in scores):
                continue
            values = self._of(target)
            for topic, score in enumerate(scores):
                if not score.pruned:
                    values[topic] = _higher(values[topic], score.value)

    def raise_values(self, per_topic: Sequence[Sequence[tuple[int, float]]]) -> None:
        if self._topics == 1:
            return
        for topic, rises in enumerate(per_topic):
            for target, value in rises:
                if target in self._values:
                    self._values[target][topic] = _higher(self._values[target][topic], value)

    def revise(self, per_topic: Sequence[Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
        """The new values of links that any topic has revised.

        A link whose other values are forgotten is left as it is: nobody can say whether it is worth less now.
        """
        if self._topics == 1:
            return list(per_topic[0])
        touched: dict[int, None] = {}
        for topic, revisions in enumerate(per_topic):
            for target, value in revisions:
                if target in self._values:
                    self._values[target][topic] = value
                    touched[target] = None
        return [(target, max(value for value in self._values[target] if value is not None)) for target in touched]

    def _of(self, target: int) -> list[float | None]:
        values = self._values.setdefault(target, [None] * self._topics)
        self._values.move_to_end(target)
        if len(self._values) > self._capacity:
            self._values.popitem(last=False)
        return values


def _higher(known: float | None, value: float) -> float:
    return value if known is None else max(known, value)


def _revised(policy: LinkPolicy) -> Sequence[tuple[int, float]]:
    """Those of a LearningPolicy; to ask ``isinstance`` would ask for its version, and that is a digest of all it knows after each fit."""
    revised: Callable[[], Sequence[tuple[int, float]]] | None = getattr(policy, "revised", None)
    return () if revised is None else revised()


def _without_repeats(links: Sequence[Link]) -> list[tuple[int, Link]]:
    """(fingerprint, link) in page order; the same target with the same anchor counts once."""
    seen: set[tuple[int, str]] = set()
    unique = []
    for link in links:
        target = fingerprint(link.url)
        if (target, link.anchor) not in seen:
            seen.add((target, link.anchor))
            unique.append((target, link))
    return unique
