"""The topics of a crawl, learned and compiled: what its pages and links are judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.judging import TopicView, view_of
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.profile import TopicProfile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.options import Options
    from topicspider.relevance.interfaces import FitExecutor
    from topicspider.topic.profile import Topic, TopicModel

LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class CompiledTopics:
    """``segmenter`` keeps the topics' own words in one piece."""

    profiles: tuple[TopicProfile, ...]
    segmenter: Segmenter
    views: tuple[TopicView, ...]

    @property
    def digest(self) -> str:
        """Changes when any of the topics does."""
        return "+".join(profile.digest for profile in self.profiles)


def compile_topics(topics: Sequence[Topic], options: Options, fits: FitExecutor | None = None) -> CompiledTopics:
    """Learn and compile ``topics``; it may take a second."""
    segmenter = make_segmenter()
    profiles = tuple(learn(topic, segmenter) for topic in topics)
    models = [register_vocabulary(profile, segmenter, options) for profile in profiles]
    views = tuple(
        view_of(profile, segmenter, options, model=model, fits=fits)
        for profile, model in zip(profiles, models, strict=True)
    )
    return CompiledTopics(profiles, segmenter, views)


def register_vocabulary(profile: TopicProfile, segmenter: Segmenter, options: Options) -> TopicModel | None:
    """``compiled_model``, and pages are cut from now on so that its words are found in them."""
    model = compiled_model(profile, options)
    if model is not None:
        from topicspider.topic.compiling import protect_words

        protect_words(model, segmenter)
    return model


def compiled_model(profile: TopicProfile, options: Options) -> TopicModel | None:
    """The compiled topic, when a judge of these options needs it: UnavailableError when what it is compiled with is not installed."""
    if LEARNED not in (options.page_scorer, options.link_policy):
        return None
    from topicspider.topic.compiling import compile_topic  # loads the word vectors

    return compile_topic(profile)
