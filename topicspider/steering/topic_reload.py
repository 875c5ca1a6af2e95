"""The compiled topics of a crawl, and edits of them: followed in their files or in the store, the newest pages and the head of the queue judged anew."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import ConfigError, StoreUnavailable
from topicspider.evaluation import SEED_SCORE, PageEvaluation, TopicView, view_of
from topicspider.frontier.protocol import Entry
from topicspider.link_pruning import JudgedLink
from topicspider.page.links import Link
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import STORED, read_file
from topicspider.topic.profile import Topic, TopicProfile
from topicspider.url import host_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from topicspider.evaluation import ReadPage, TopicView
    from topicspider.link_pruning import MultiTopicScores
    from topicspider.options import Options
    from topicspider.page.near_duplicate import CopyMemory
    from topicspider.relevance.interfaces import FitExecutor
    from topicspider.store.topics import StoredTopic, StoredTopics
    from topicspider.topic.profile import Topic, TopicModel
    from topicspider.topic.url_filter import UrlFilter


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
    segmenter = make_segmenter(options.segmenter)
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


_Stamp = tuple[int, int, int]

LOOKS_A_QUESTION = 5
"""The store is asked at one of so many looks."""


class _Source(Protocol):
    """Where one topic comes from."""

    def is_edited(self) -> bool:
        """Whether its content is another than when that was asked last."""

    def read(self) -> Topic:
        """The topic as it is there now; raises ConfigError for one that cannot be used."""


class TopicWatch:
    """The files of a crawl's topics, and those that ``shelf`` has; files inside a package are not looked at.

    An edit of a file counts once two looks in a row have seen the same: editors write in several steps.
    """

    def __init__(self, topics: Sequence[Topic], shelf: StoredTopics | None = None) -> None:
        self._topics = {topic.source: topic for topic in topics}
        self._sources = {topic.source: _source_of(topic, shelf) for topic in topics}
        self._unsaid: list[ConfigError] = []  # of edits that cannot be used, seen in one look with others

    def look(self) -> tuple[Topic, ...] | None:
        """The topics as they are now, None while no content has changed; it blocks on the files and the store.

        Raises ConfigError, once for each edit, for a text that cannot be used: its topic stays as it was, and does not hold up the
        others. Those come first, and at each of the next looks one error.
        """
        if self._unsaid:
            raise self._unsaid.pop(0)
        edited = [name for name, source in self._sources.items() if source.is_edited()]
        for name in edited:
            try:
                self._topics[name] = self._read(name)
            except ConfigError as error:
                self._unsaid.append(error)
        if len(self._unsaid) < len(edited):
            return tuple(self._topics.values())
        if self._unsaid:
            raise self._unsaid.pop(0)
        return None

    def _read(self, name: str) -> Topic:
        topic = self._sources[name].read()
        before = self._topics[name]
        if topic.name != before.name:
            raise ConfigError(name, topic.name, before.name, "The name of a topic stays while its crawl runs")
        return topic


def _source_of(topic: Topic, shelf: StoredTopics | None) -> _Source:
    if shelf is not None and topic.source.startswith(STORED):
        return _OnShelf(topic.name, shelf)
    return _File(topic.source)


class _OnShelf:
    """A topic of the store. It is written at once; a store that is away says nothing, nor does one that has it no more."""

    def __init__(self, name: str, shelf: StoredTopics) -> None:
        self._name, self._shelf = name, shelf
        self._looks = 0
        self._stored = self._asked()

    def is_edited(self) -> bool:
        self._looks += 1
        if self._looks % LOOKS_A_QUESTION:
            return False
        before, self._stored = self._stored, self._asked() or self._stored
        return before != self._stored

    def read(self) -> Topic:
        assert self._stored is not None  # else nothing was edited
        return self._stored.topic()

    def _asked(self) -> StoredTopic | None:
        try:
            return self._shelf.get(self._name)
        except StoreUnavailable:
            return None


class _File:
    """A topic file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._stamp = self._read_at = _stamp(path)  # read_at: as it was when its content was looked at last
        self._content = _digest(path)

    def is_edited(self) -> bool:
        stamp = _stamp(self._path)
        is_settled, self._stamp = stamp == self._stamp, stamp
        if not is_settled or stamp in (_NOTHING, self._read_at):
            return False
        self._read_at = stamp
        before, self._content = self._content, _digest(self._path) or self._content
        return self._content != before

    def read(self) -> Topic:
        topic, errors = read_file(Path(self._path))
        if errors:
            raise errors[0]
        return topic


_NOTHING: _Stamp = (0, 0, 0)


def _stamp(source: str) -> _Stamp:
    """When the file was written, its size and number; nothing when it is not there (in this moment)."""
    try:
        found = Path(source).stat()
    except (OSError, ValueError):
        return _NOTHING
    return found.st_mtime_ns, found.st_size, found.st_ino


def _digest(source: str) -> bytes:
    try:
        return blake2b(Path(source).read_bytes(), digest_size=16).digest()
    except (OSError, ValueError):
        return b""


PAGES_KEPT = 100  # some 12 MB; their 5,000 to 10,000 links are the newest of the queue
OF_HEAD_AT_ONCE = 100
NOT_READ = "not_read"
SEEDS_FROM = SEED_SCORE / 2


class Queue(Protocol):
    """The part of the scheduler that this needs."""

    def enqueue_entries(self, entries: list[Entry]) -> None:
        """Queue links."""

    def revise(self, revisions: list[tuple[int, float]]) -> None:
        """Give queued links the value that they have now."""

    async def head(self, count: int) -> list[Entry]:
        """The best queued entries, best first."""


@dataclass(frozen=True, slots=True)
class Judging:
    """How pages are judged now: what a PageEvaluation is made with."""

    views: Sequence[TopicView]
    admission: UrlFilter
    link_values: MultiTopicScores
    copies: CopyMemory


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
    """What was read of the last pages."""

    def __init__(self, capacity: int = PAGES_KEPT) -> None:
        self._pages: deque[tuple[str, int, _Reading]] = deque(maxlen=capacity)

    def add(self, url: str, depth: int, page: ReadPage) -> None:
        """A page was judged."""
        reading = _Reading(page.title_words, page.body_words, page.links, page.published, page.robots, page.condition)
        self._pages.append((url, depth, reading))

    def __iter__(self) -> Iterator[tuple[str, int, _Reading]]:
        return iter(tuple(self._pages))

    def __len__(self) -> int:
        return len(self._pages)


async def judge_anew(pages: RecentPages, judging: Judging, queue: Queue) -> int:
    """Give the links of ``pages``, then the rest of the queue's head, their present worth; returns of how many links.

    A page at a time, so that the crawl goes on meanwhile. Links of those pages that were pruned for the old topic are queued now,
    and policies learn the pages' present verdicts.
    """
    worth: dict[int, float] = {}
    for url, depth, page in pages:
        verdicts = PageEvaluation(
            url, depth, page, judging.views, judging.admission, judging.link_values, judging.copies
        ).judge_links()
        queue.enqueue_entries([_entry(one, url, depth + 1) for one in verdicts.kept])
        for one in [*verdicts.kept, *verdicts.pruned]:
            value = 0.0 if one.score.pruned else one.score.value
            worth[one.fingerprint] = max(value, worth.get(one.fingerprint, 0.0))
        await asyncio.sleep(0)
    queue.revise(list(worth.items()))
    # entries of the queue's head that stand on no such page: judged by their address alone
    others = [one for one in await queue.head(5_000) if one.fingerprint not in worth and one.score < SEEDS_FROM]
    for start in range(0, len(others), OF_HEAD_AT_ONCE):
        part = others[start : start + OF_HEAD_AT_ONCE]
        queue.revise(by_address(part, judging))
        await asyncio.sleep(0)
    return len(worth) + len(others)


def by_address(entries: Sequence[Entry], judging: Judging) -> list[tuple[int, float]]:
    """What links of which nothing but the address is left are worth: as links of a page that says nothing."""
    page = _Reading(links=tuple(Link(one.url) for one in entries), condition=NOT_READ)  # of which no judge learns
    verdicts = PageEvaluation(
        "", 0, page, judging.views, judging.admission, judging.link_values, judging.copies
    ).judge_links()
    return [
        (one.fingerprint, 0.0 if one.score.pruned else one.score.value) for one in [*verdicts.kept, *verdicts.pruned]
    ]


def _entry(one: JudgedLink, referrer: str, depth: int) -> Entry:
    return Entry(one.link.url, one.fingerprint, host_key(one.link.url), one.score.value, depth, referrer)
