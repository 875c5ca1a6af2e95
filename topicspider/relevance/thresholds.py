"""The default thresholds of page scorers and link policies, with how each was found."""

from __future__ import annotations

import math
from dataclasses import dataclass

from topicspider.topic.profile import Topic


@dataclass(frozen=True, slots=True)
class ScopeThresholds:
    """(a) Li 2002: a broad topic takes a low threshold (recall), a specific one a high one (precision)."""

    broad: float
    specific: float

    def of(self, scope: str) -> float:
        """The threshold for a topic's scope."""
        return self.specific if scope == "specific" else self.broad


PAGE_THRESHOLDS = {
    "boolean": ScopeThresholds(0.4, 0.5),
    "vsm": ScopeThresholds(0.04, 0.07),
    "a4bc": ScopeThresholds(0.2, math.nextafter(0.4, 1.0)),
    "bm25": ScopeThresholds(0.4, 0.55),
}

LINK_THRESHOLDS = {
    "rw": ScopeThresholds(0.5, 0.8),
    "ipagerank": ScopeThresholds(0.5, 0.8),
}
NO_THRESHOLD = ScopeThresholds(0.0, 0.0)


def page_threshold(topic: Topic, scorer: str, option: float | None) -> float:
    """The option (None is unset) before the topic's own, before the scorer's default."""
    return _first(option, topic.page_threshold, PAGE_THRESHOLDS[scorer].of(topic.scope))


def link_threshold(topic: Topic, policy: str, option: float | None) -> float:
    """The option (None is unset) before the topic's own, before the policy's default."""
    return _first(option, topic.link_threshold, LINK_THRESHOLDS.get(policy, NO_THRESHOLD).of(topic.scope))


def _first(option: float | None, own: float | None, default: float) -> float:
    if option is not None and option >= 0.0:
        return option
    return default if own is None else own
