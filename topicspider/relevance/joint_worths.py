"""What each topic of a crawl thinks of a queued link, so that one may think less of it without spoiling it for the others."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.relevance.judgement import LinkScore

CAPACITY = 50_000  # links; as many as a learner revises at most, and more


class JointWorths:
    """The values of the last ``capacity`` links by topic; a link is worth the best of them.

    With one topic nothing is kept: its word is the last.
    """

    def __init__(self, topics: int, capacity: int = CAPACITY) -> None:
        self._topics = topics
        self._capacity = capacity
        self._values: OrderedDict[int, list[float | None]] = OrderedDict()  # None: pruned, or never judged

    def judged(self, marks: Sequence[int], per_topic: Sequence[Sequence[LinkScore]]) -> None:
        """Each topic's verdicts on the links with the fingerprints ``marks``; the best of several on one link counts."""
        if self._topics == 1:
            return
        for mark, *scores in zip(marks, *per_topic, strict=True):
            if all(score.pruned for score in scores):
                continue
            values = self._of(mark)
            for topic, score in enumerate(scores):
                if not score.pruned:
                    values[topic] = _higher(values[topic], score.value)

    def promoted(self, per_topic: Sequence[Sequence[tuple[int, float]]]) -> None:
        """Links that rose, by topic."""
        if self._topics == 1:
            return
        for topic, rises in enumerate(per_topic):
            for mark, value in rises:
                if mark in self._values:
                    self._values[mark][topic] = _higher(self._values[mark][topic], value)

    def revised(self, per_topic: Sequence[Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
        """The new values of links that any topic has revised.

        A link whose other values are forgotten is left as it is: nobody can say whether it is worth less now.
        """
        if self._topics == 1:
            return list(per_topic[0])
        touched: dict[int, None] = {}
        for topic, revisions in enumerate(per_topic):
            for mark, value in revisions:
                if mark in self._values:
                    self._values[mark][topic] = value
                    touched[mark] = None
        return [(mark, max(value for value in self._values[mark] if value is not None)) for mark in touched]

    def _of(self, mark: int) -> list[float | None]:
        values = self._values.setdefault(mark, [None] * self._topics)
        self._values.move_to_end(mark)
        if len(self._values) > self._capacity:
            self._values.popitem(last=False)
        return values


def _higher(known: float | None, value: float) -> float:
    return value if known is None else max(known, value)
