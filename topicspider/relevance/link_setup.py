"""What every link policy is built from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from topicspider.relevance.learner.refits import InlineRefits, Refits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.topic.profile import TopicModel, TopicProfile


class WordCutter(Protocol):
    """The part of a segmenter that link policies need (text.segment has it)."""

    def words(self, text: str) -> Sequence[str]:
        """The words of ``text``, normalised, in order, without stop words."""


@dataclass(frozen=True, slots=True)
class LinkSetup:
    """``threshold``: links of a lower relevance are pruned; ``faithful``: as published, without our additions.

    ``model``: the compiled topic, for policies that learn; ``refits``: where they are fitted anew.
    """

    profile: TopicProfile
    segmenter: WordCutter
    threshold: float = 0.0
    seed: int = 0
    faithful: bool = field(default=False)
    model: TopicModel | None = None
    refits: Refits = field(default_factory=InlineRefits)
