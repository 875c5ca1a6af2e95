"""A topic compiled for judging: its feature words, the words near them, and its place among the word vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.topic.profile import Topic, TopicProfile


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word that expansion added: ``weight`` in (0, 1], as feature words have, and the feature word ``of`` that it is near to."""

    weight: float
    of: str


@dataclass(frozen=True, slots=True)
class TopicModel:
    """What judges are built from; compiled once a topic and kept by ``digest`` (topic.compiling).

    ``expansion``: words near the feature words, none of which is one. ``vector``: the topic's direction among the word vectors, of
    length 1, or () in tier lite. ``url_words``: how a feature word is spelt in addresses (lvyou) to the word itself.
    ``others``: the directions of other topics, less what they have in common with this one (topic.contrast). ``parts``: those of the
    parts of a name alone, none for a name in one piece (topic.compound).
    ``phrases``: terms of several words (real estate), as these stand one after the other in PageWords, joined by blanks, to weights as
    feature words have. ``digest`` changes when the profile, the tier or the word vectors do.
    """

    profile: TopicProfile
    expansion: Mapping[str, NearWord] = field(default_factory=dict)
    vector: tuple[float, ...] = ()
    url_words: Mapping[str, str] = field(default_factory=dict)
    phrases: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""
    others: tuple[tuple[float, ...], ...] = ()
    parts: tuple[tuple[float, ...], ...] = ()

    @property
    def topic(self) -> Topic:
        """The checked topic file."""
        return self.profile.topic
