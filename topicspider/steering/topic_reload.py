"""The compiled topics of a crawl, and edits of them: followed in their files or in the store, the links of the newest pages judged anew."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.errors import ConfigError, StoreUnavailable
from topicspider.evaluation import PageEvaluation, TopicView, view_of
from topicspider.frontier.protocol import Entry
from topicspider.page.links import Link
from topicspider.store.topics import StoredTopic
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import STORED, read_file
from topicspider.topic.profile import TopicProfile
from topicspider.url import host_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from topicspider.evaluation import JudgedLink, Judging, ReadPage
    from topicspider.options import Options
    from topicspider.relevance.interfaces import FitExecutor
    from topicspider.store.topics import StoredTopics
    from topicspider.topic.profile import Topic, TopicModel


logger = logging.getLogger(__name__)

LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class CompiledTopics:
    """The topics of a crawl as they are now; editing a topic's file while the crawl runs makes another one of it.

    ``segmenter`` keeps the topics' own words in one piece.
    """

    profiles: tuple[TopicProfile, ...]
    segmenter: Segmenter
    views: tuple[TopicView, ...]

    @property
    def digest(self) -> str:
        """Changes when any of the topics does."""
        return "+".join(profile.digest for profile in self.profiles)


def compile_topics(
    topics: Sequence[Topic], options: Options, fits: FitExecutor | None = None, before: CompiledTopics | None = None
) -> CompiledTopics:
    """Learn and compile ``topics``; it may take a second. A topic that is in ``before`` as it is keeps its view, and what that has learned."""
    segmenter = make_segmenter()
    profiles = tuple(learn(topic, segmenter) for topic in topics)
    models = [register_vocabulary(profile, segmenter, options) for profile in profiles]
    known = {view.digest: view for view in before.views} if before is not None else {}
    views = tuple(
        known.get(profile.digest) or view_of(profile, segmenter, options, model=model, fits=fits)
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


class TopicWatch:
    """The topics of a crawl where they lie: in files, or in the store behind ``shelf``; files inside a package are not looked at.

    An edit counts once two looks in a row have seen the same: editors write in several steps.
    """

    def __init__(self, topics: Sequence[Topic], shelf: StoredTopics | None = None) -> None:
        self._shelf = shelf
        self._topics = {topic.source: topic for topic in topics}
        self._seen = {source: self._content(source) for source in self._topics}
        self._used = dict(self._seen)

    def look(self) -> tuple[Topic, ...] | None:
        """The topics as they are now, None while no content has changed; it blocks on the files and the store.

        A text that cannot be used is one line in the log, and its topic stays as it was.
        """
        is_changed = False
        for source in self._topics:
            before, content = self._seen[source], self._content(source)
            self._seen[source] = content
            if content != before or content in (None, self._used[source]):
                continue
            self._used[source] = content
            try:
                self._topics[source] = self._read(source)
                is_changed = True
            except ConfigError as error:
                logger.warning("the topic stays as it was: %s", error)
        return tuple(self._topics.values()) if is_changed else None

    def _content(self, source: str) -> object:
        """What lies there; None for nothing, and while the store is away."""
        try:
            if self._shelf is None or not source.startswith(STORED):
                return Path(source).read_bytes()
            return self._shelf.get(self._topics[source].name)
        except (OSError, ValueError, StoreUnavailable):
            return None

    def _read(self, source: str) -> Topic:
        before, content = self._topics[source], self._used[source]
        if isinstance(content, StoredTopic):
            topic = content.topic()
        else:
            topic, errors = read_file(Path(source))
            if errors:
                raise errors[0]
        if topic.name != before.name:
            raise ConfigError(source, topic.name, before.name, "The name of a topic stays while its crawl runs")
        return topic


PAGES_KEPT = 100  # some 12 MB; their 5,000 to 10,000 links are the newest of the queue


@dataclass(frozen=True, slots=True)
class _Reading:
    """What judging asks of a page (ReadPage), without the page."""

    title_words: tuple[str, ...] = ()
    body_words: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    published: str = ""
    robots: AbstractSet[str] = frozenset()
    condition: str = ""

    @property
    def simhash(self) -> int:
        """Made when it is asked for: most pages are forgotten before their topic changes."""
        from topicspider.page.near_duplicate import simhash  # needs numpy

        return simhash(self.body_words)


class RecentPages:
    """What was read of the last pages: address, depth, and what judging asks for."""

    def __init__(self, capacity: int = PAGES_KEPT) -> None:
        self._pages: deque[tuple[str, int, _Reading]] = deque(maxlen=capacity)

    def add(self, url: str, depth: int, page: ReadPage) -> None:
        reading = _Reading(page.title_words, page.body_words, page.links, page.published, page.robots, page.condition)
        self._pages.append((url, depth, reading))

    def __iter__(self) -> Iterator[tuple[str, int, _Reading]]:
        return iter(tuple(self._pages))


async def judge_anew(pages: RecentPages, judging: Judging, queue: Any) -> int:
    """Give the links of ``pages`` in ``queue`` (the scheduler) their present worth; returns of how many links.

    A page at a time, so that the crawl goes on meanwhile. Links of those pages that were pruned for the old topic are queued now,
    and policies learn the pages' present verdicts.
    """
    worth: dict[int, float] = {}
    for url, depth, page in pages:
        verdicts = PageEvaluation(url, depth, page, judging).judge_links()
        queue.enqueue_entries([_entry(one, url, depth + 1) for one in verdicts.kept])
        for one in (*verdicts.kept, *verdicts.pruned):
            value = 0.0 if one.score.pruned else one.score.value
            worth[one.fingerprint] = max(value, worth.get(one.fingerprint, 0.0))
        await asyncio.sleep(0)
    queue.revise(list(worth.items()))
    return len(worth)


def _entry(one: JudgedLink, referrer: str, depth: int) -> Entry:
    return Entry(one.link.url, one.fingerprint, host_key(one.link.url), one.score.value, depth, referrer)
