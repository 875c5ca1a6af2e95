"""The records and protocols of relevance: what is known of a page or link, who scores it, and who learns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from topicspider.page.links import Link
    from topicspider.topic.profile import TopicModel, TopicProfile

Fitted = TypeVar("Fitted")


class Tokenizer(Protocol):
    """The part of a segmenter that relevance needs (text.segment has it)."""

    def words(self, text: str) -> Sequence[str]:
        """The words of ``text``, normalised, in order, without stop words."""


class FitExecutor(Protocol):
    """Runs a fit, and hands its result over where pages are judged. Each learner sees to it that it has one fit at a time."""

    def run(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        """Call ``fit``, then, between two pages, ``adopt`` with its result. ``fit`` must not use anything that judging changes.

        ``adopt`` may never be called: the fit may fail, or be skipped because another node fits. Call again with later examples.
        """


class InlineFits:
    """A FitExecutor for rehearsals and tests, which fits at once: the same pages give the same scores in every run."""

    def run(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        """See FitExecutor."""
        adopt(fit())


class ReadPage(Protocol):
    """What judging needs of a page that was read; ``page.Page`` and the pages of a rehearsal's cache have it."""

    @property
    def subject_words(self) -> tuple[str, ...]:
        """The words of the title, and of the categories that the page is filed under."""

    @property
    def filed_under(self) -> tuple[str, ...]:
        """Each of those categories as one string: its words, joined by spaces."""

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of the site that its breadcrumbs name, each as one string of words."""

    @property
    def body_words(self) -> tuple[str, ...]:
        """The words of the body."""

    @property
    def links(self) -> tuple[Link, ...]:
        """The links in document order."""

    @property
    def published(self) -> str:
        """The day of publication, YYYY-MM-DD, or ""."""

    @property
    def robots(self) -> AbstractSet[str]:
        """Those of noindex and nofollow that the page asks for."""

    @property
    def simhash(self) -> int:
        """A hash of 64 bits, few of which differ between near-duplicates; 0 when the body is too short."""

    @property
    def condition(self) -> str:
        """Why the answer is not a real page (a soft 404, a captcha, …); "" for a real page."""

    @property
    def is_hub(self) -> bool:
        """Whether it is a list of links to pages (a tag, a category, an archive) and not a page to read."""


@dataclass(frozen=True, slots=True, eq=False)
class PageWords:
    """A page's words: normalised, in order, without stop words. Compared by identity, so that it is a cheap key of caches.

    ``title``: the words of the title and of the categories that the site files the page under. ``filed``: these categories, each as one
    string of its words; ``sections``: likewise the sections that the breadcrumbs name. ``site``: its site_name; "" if it has none.
    """

    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    filed: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    site: str = ""

    @classmethod
    def of(cls, page: ReadPage, site: str = "") -> PageWords:
        return cls(page.subject_words, page.body_words, page.filed_under, page.sections, site)


@dataclass(frozen=True, slots=True)
class PageScore:
    """The verdict on one page; ``parts`` always has boolean, vsm, A, B and C."""

    value: float
    on_topic: bool
    threshold: float
    parts: Mapping[str, float] = field(default_factory=dict)


class PageScorer(Protocol):
    """Scores pages against one topic; pure: the same words give the same score."""

    name: str

    def score(self, words: PageWords) -> float:
        """Relevance in [0, 1]."""

    def explain(self, words: PageWords) -> Sequence[tuple[str, float]]:
        """Named parts that sum to ``score(words)`` (within 1e-9), largest first."""


@dataclass(frozen=True, slots=True)
class Parent:
    """The page that contains the links; ``fingerprint`` is signed 64 bit (see url.fingerprint).

    ``is_copy``: a near-duplicate of a page read earlier in this crawl, so nothing new. ``is_hub``: it is on topic, but a list of links to
    pages (a tag, a category, an archive) and not a page to read.
    """

    url: str
    fingerprint: int
    score: float
    on_topic: bool
    depth: int
    words: PageWords = PageWords()
    is_copy: bool = False
    is_hub: bool = False


class LinkScore(NamedTuple):
    """The verdict on one link: fetch it with this ``value`` (higher is sooner), or prune it.

    ``pruned``: why it is pruned, the short name of a statistic such as ``low_rw``; empty for a link to follow.
    """

    value: float
    pruned: str = ""
    parts: Mapping[str, float] = {}


class LinkPolicy(Protocol):
    """Ranks and prunes links, all links of a page in one call; may learn from each page."""

    name: str

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each (fingerprint, link), in the same order.

        ``links`` are all links of the page, also those to pages seen before, because link ranks need them. A target may
        occur several times.
        """

    def promotions(self) -> Sequence[tuple[int, float]]:
        """(fingerprint, new value) of links judged earlier whose value has risen since the last call."""


@runtime_checkable
class Learner(Protocol):
    """What learns about one topic: its link policy or its page judge. The same state gives the same scores (promise R5)."""

    @property
    def version(self) -> str:
        """Identifies the state: the number of fits, and a digest of their result."""

    def state(self) -> bytes:
        """What was learned, as JSON; a process that adopts it gives the same scores."""

    def adopt(self, state: bytes) -> None:
        """From now on score by ``state``, which another process has learned; ValueError when it is not valid."""


@runtime_checkable
class SharingLearner(Protocol):
    """A learner whose examples another node's learner of the same kind can learn from."""

    def drain_examples(self) -> Sequence[str]:
        """Its own examples since the last call, each as JSON."""

    def add_examples(self, examples: Sequence[str]) -> None:
        """Learn from other nodes' examples too; skips those that cannot be read."""


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """What every link policy is built from.

    ``threshold``: links of a lower relevance are pruned; ``faithful``: as published, without our additions.
    ``model``: the compiled topic, for policies that learn; ``fits`` runs their fits.
    """

    profile: TopicProfile
    tokenizer: Tokenizer
    threshold: float = 0.0
    seed: int = 0
    faithful: bool = False
    model: TopicModel | None = None
    fits: FitExecutor = field(default_factory=InlineFits)
