"""Which links of a page a crawl follows: limits refuse some, link policies prune others; the rest get the best score of any topic."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from topicspider.page.links import Link
from topicspider.relevance.interfaces import LinkPolicy, LinkScore, Parent
from topicspider.url import fingerprint

LINKS_KEPT = 50_000
"""Links whose values are remembered by topic: more than a link policy that learns can revise."""


class JudgedLink(NamedTuple):
    """A link with its fingerprint and its best score of any topic."""

    link: Link
    fingerprint: int
    score: LinkScore


@dataclass(frozen=True, slots=True)
class LinkVerdicts:
    """All links of a page: ``kept``, best first; ``pruned``, each with its reason. ``promotions`` and ``revisions``: (fingerprint, new
    score) of links queued earlier."""

    kept: Sequence[JudgedLink]
    pruned: Sequence[JudgedLink]
    promotions: Sequence[tuple[int, float]] = ()
    revisions: Sequence[tuple[int, float]] = ()
    reasons: Counter[str] = field(default_factory=Counter)


def admit(
    links: Sequence[Link], reject_reason: Callable[[str, int], str], depth: int, forbidden: str
) -> tuple[list[tuple[int, Link]], list[JudgedLink]]:
    """(admitted, refused) links, by the topics' limits and by traps; links of the same target and anchor count once.

    ``forbidden``: the reason to refuse all when the page itself wants none followed (meta robots nofollow), else "".
    """
    admitted, refused = [], []
    seen: set[tuple[int, str]] = set()
    for link in links:
        target = fingerprint(link.url)
        if (target, link.anchor) in seen:
            continue
        seen.add((target, link.anchor))
        reason = forbidden or reject_reason(link.url, depth)
        if reason:
            refused.append(JudgedLink(link, target, LinkScore(0.0, reason)))
        else:
            admitted.append((target, link))
    return admitted, refused


def prune(
    links: Sequence[tuple[int, Link]],
    refused: Sequence[JudgedLink],
    policies: Mapping[int, tuple[LinkPolicy, Parent]],
    values: MultiTopicScores,
) -> LinkVerdicts:
    """The verdicts on ``links``: a link is pruned when the policy of every topic prunes it, else it gets the highest score of any topic.

    ``policies``: by the number of their topic, each with the page as that topic judged it. Where topics need hits unequally, the scores of
    each are multiplied by what it still needs.
    """
    scores = {place: values.weighed(place, policy.judge(parent, links)) for place, (policy, parent) in policies.items()}
    values.add([target for target, _ in links], scores)
    kept: list[JudgedLink] = []
    pruned = list(refused)
    for (target, link), best in zip(links, _best_of(list(scores.values())), strict=True):
        (pruned if best.pruned else kept).append(JudgedLink(link, target, best))
    kept.sort(key=lambda judged: -judged.score.value)
    risen = {place: values.by_need(place, policy.promotions()) for place, (policy, _) in policies.items()}
    values.raise_values(risen)
    revised = {place: values.by_need(place, _revised(policy)) for place, (policy, _) in policies.items()}
    revisions = values.revise(revised)
    reasons = Counter(judged.score.pruned for judged in pruned)
    return LinkVerdicts(kept, pruned, [rise for rises in risen.values() for rise in rises], revisions, reasons)


def _best_of(per_topic: Sequence[Sequence[LinkScore]]) -> Sequence[LinkScore]:
    if len(per_topic) == 1:
        return per_topic[0]
    return [max(scores, key=lambda one: (not one.pruned, one.value)) for scores in zip(*per_topic, strict=True)]


class MultiTopicScores:
    """The values of the last LINKS_KEPT links by topic, each times what its topic still needs; a link is worth the best of its values.

    So when one topic lowers its value of a link, those of the others still count. With one topic nothing is kept. ``needs``: what each
    topic still needs, in [0, 1]; its owner may change it while the crawl goes on.
    """

    def __init__(self, topics: int, needs: Sequence[float] | None = None) -> None:
        self._topics = topics
        self._needs = needs
        # by link, then by topic, without topics that pruned or never judged it
        self._values: OrderedDict[int, dict[int, float]] = OrderedDict()

    def weighed(self, place: int, scores: Sequence[LinkScore]) -> Sequence[LinkScore]:
        """The scores of the topic at ``place``, times what it still needs."""
        if self._needs is None or self._needs[place] == 1.0:
            return scores
        return [score._replace(value=score.value * self._needs[place]) for score in scores]

    def by_need(self, place: int, values: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
        """The same for (fingerprint, value) of links judged earlier."""
        need = 1.0 if self._needs is None else self._needs[place]
        return values if need == 1.0 else [(target, need * value) for target, value in values]

    def add(self, targets: Sequence[int], per_topic: Mapping[int, Sequence[LinkScore]]) -> None:
        """Remember the topics' verdicts on links, by place of the topic; of several on one link the best counts."""
        if self._topics == 1:
            return
        for target, *scores in zip(targets, *per_topic.values(), strict=True):
            kept = {place: score for place, score in zip(per_topic, scores, strict=True) if not score.pruned}
            values = self._of(target) if kept else {}
            for place, score in kept.items():
                values[place] = max(values.get(place, score.value), score.value)

    def raise_values(self, per_topic: Mapping[int, Sequence[tuple[int, float]]]) -> None:
        if self._topics == 1:
            return
        for place, rises in per_topic.items():
            for target, value in rises:
                if target in self._values:
                    known = self._values[target]
                    known[place] = max(known.get(place, value), value)

    def revise(self, per_topic: Mapping[int, Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
        """The new values of links that any topic has revised.

        A link that is no longer remembered is left as it is: whether it is worth less now is not known without its other values.
        """
        if self._topics == 1:
            return list(per_topic[0])
        touched: dict[int, None] = {}
        for place, revisions in per_topic.items():
            for target, value in revisions:
                if target in self._values:
                    self._values[target][place] = value
                    touched[target] = None
        return [(target, max(self._values[target].values())) for target in touched]

    def redirected(self, source: int, target: int) -> None:
        """The values of ``source`` are those of ``target``, too, where they are more."""
        for place, value in self._values.pop(source, {}).items():
            values = self._of(target)
            values[place] = max(values.get(place, value), value)

    def _of(self, target: int) -> dict[int, float]:
        values = self._values.setdefault(target, {})
        self._values.move_to_end(target)
        if len(self._values) > LINKS_KEPT:
            self._values.popitem(last=False)
        return values


def _revised(policy: LinkPolicy) -> Sequence[tuple[int, float]]:
    """The revisions of a policy that learns. Without ``isinstance``, which would read ``version``, a digest of all that was learned."""
    revised: Callable[[], Sequence[tuple[int, float]]] | None = getattr(policy, "revised", None)
    return () if revised is None else revised()
