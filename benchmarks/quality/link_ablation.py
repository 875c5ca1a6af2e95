"""The link policy `learned` without one of its parts: what each part is worth."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from topicspider.relevance.learner.link_numbers import GROUPS, NAMES
from topicspider.relevance.learner.link_parts import Table
from topicspider.relevance.learner.weights import Weights

from topicspider.relevance.online import LearnedPolicy
from topicspider.relevance.policies import LINK_POLICIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicspider.relevance.learner.fit import Fit
    from topicspider.relevance.learner.waiting import Waiting

    from topicspider.relevance.interfaces import PolicyContext

NUMBERS = {
    "texts": (*GROUPS["anchor"], *GROUPS["context"], *GROUPS["url"]),
    "site": GROUPS["site"],
    "list": GROUPS["list"],
    "parent": GROUPS["parent"],
    "place": GROUPS["place"],
    "tunnel": GROUPS["tunnel"],
}
"""Part to its numbers; without ``texts`` no word is learned either."""
PARTS = (*NUMBERS, "words", "exploration", "learning")
"""``words``: those learned; ``learning``: fits, while the yields still count."""


def policy_without(part: str) -> str:
    """The name by which rehearsals of this process know the policy from now on."""
    name = f"-{part}"
    LINK_POLICIES[name] = partial(Without, part)
    return name


class Without(LearnedPolicy):
    """LearnedPolicy whose numbers of ``part`` are 0, or that does not do it."""

    def __init__(self, part: str, setup: PolicyContext) -> None:
        super().__init__(setup)
        self._part = part
        names = NUMBERS.get(part, ())
        self._kept = tuple(float(name not in names) for name in NAMES)
        self._weights = _BlindWeights(self._kept)

    def _note(self, came: Waiting, numbers: tuple[float, ...], outcome: float, children: tuple[int, ...]) -> None:
        if self._part in ("texts", "words"):
            came.facts = came.facts._replace(words=((), (), ()))
        kept = tuple(number * one for number, one in zip(numbers, self._kept, strict=True))
        super()._note(came, kept, outcome, children)

    def _fit(self) -> Iterator[None]:
        return self._look_again() if self._part == "learning" else super()._fit()

    def _explore(self, came: int) -> None:
        if self._part != "exploration":
            super()._explore(came)


class _BlindWeights(Weights):
    """Some numbers weigh nothing, whatever prior and fit say."""

    def __init__(self, kept: tuple[float, ...]) -> None:
        super().__init__()
        self._kept = kept
        self._blind()

    def take(self, fit: Fit, trust: float) -> None:
        super().take(fit, trust)
        self._blind()

    def _blind(self) -> None:
        weights = tuple(weight * one for weight, one in zip(self._table.all, self._kept, strict=True))
        self._table = Table(weights, self._table.words)
