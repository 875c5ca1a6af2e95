"""The topics of a crawl, learned and compiled, with what judges pages and links by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.judging import TopicView, view_of
from topicspider.options import Options
from topicspider.relevance.interfaces import FitExecutor
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.disk_cache import digest
from topicspider.topic.learning import learn
from topicspider.topic.profile import Topic, TopicModel, TopicProfile

if TYPE_CHECKING:
    from topicspider.relevance.topic_matrix import TopicMatrix

LEARNED = "learned"
SIDE_BY_SIDE = 12
"""With more topics than this, only those that stand out judge a page, and topics are compiled without near words."""


@dataclass(frozen=True, slots=True)
class CompiledTopics:
    """``segmenter`` keeps the topics' own words whole; ``matrix``: only for more than SIDE_BY_SIDE topics, else None."""

    profiles: tuple[TopicProfile, ...]
    segmenter: Segmenter
    views: tuple[TopicView, ...]
    matrix: TopicMatrix | None = None

    @property
    def digest(self) -> str:
        """Changes when any topic does: the topics' digests, or with a matrix one digest of them all."""
        digests = [profile.digest for profile in self.profiles]
        return "+".join(digests) if self.matrix is None else digest(digests)


def compile_topics(topics: Sequence[Topic], options: Options, fits: FitExecutor | None = None) -> CompiledTopics:
    """Learn and compile ``topics``; it may take a second."""
    segmenter = make_segmenter()
    profiles = tuple(learn(topic, segmenter) for topic in topics)
    is_many = len(topics) > SIDE_BY_SIDE
    models = [compiled_model(profile, options, is_many=is_many) for profile in profiles]
    for model in filter(None, models[-1:] if is_many else models):  # a sketch has no near words to protect
        _protect(model, segmenter)
    views = tuple(
        view_of(profile, segmenter, options, model=model, fits=fits)
        for profile, model in zip(profiles, models, strict=True)
    )
    if not is_many:
        return CompiledTopics(profiles, segmenter, views)
    from topicspider.relevance.topic_matrix import TopicMatrix  # loads the word vectors

    return CompiledTopics(profiles, segmenter, views, TopicMatrix(topics, segmenter))


def register_vocabulary(profile: TopicProfile, segmenter: Segmenter, options: Options) -> None:
    """From now on ``segmenter`` keeps the words of the ``compiled_model`` whole, so that they are found in pages."""
    if (model := compiled_model(profile, options)) is not None:
        _protect(model, segmenter)


def _protect(model: TopicModel, segmenter: Segmenter) -> None:
    from topicspider.topic.compiling import protect_words

    protect_words(model, segmenter)


def compiled_model(profile: TopicProfile, options: Options, *, is_many: bool = False) -> TopicModel | None:
    """The compiled topic, None when no judge of these options needs it; UnavailableError when what compiles it is not installed."""
    if LEARNED not in (options.page_scorer, options.link_policy):
        return None
    from topicspider.topic.compiling import compile_topic, sketch_topic  # loads the word vectors

    return sketch_topic(profile) if is_many else compile_topic(profile)
