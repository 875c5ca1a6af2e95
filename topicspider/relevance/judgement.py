"""What is said about pages and links, and by whom: the records and protocols of relevance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topicspider.page.links.link import Link


@dataclass(frozen=True, slots=True)
class PageWords:
    """A page's words, normalised, cut once, in order, stop words left out; and its title as it stands, where somebody has it."""

    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    title_text: str = field(default="", compare=False)


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
    """The page that links come from; ``fingerprint`` is signed 64 bit (see url.fingerprint).

    ``is_copy``: a near-duplicate of a page read earlier in this crawl, which is nothing new.
    """

    url: str
    fingerprint: int
    score: float
    on_topic: bool
    depth: int
    words: PageWords = PageWords()
    is_copy: bool = False


@dataclass(frozen=True, slots=True)
class LinkScore:
    """The verdict on one link: fetch it with this ``value`` (higher is sooner), or prune it.

    ``pruned`` is empty, or the reason's short name (a statistics key such as ``low_rw``).
    """

    value: float
    pruned: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


class LinkPolicy(Protocol):
    """Ranks and prunes links, a whole page's at once; may learn from each page it sees."""

    name: str

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each (fingerprint, link), in the same order.

        ``links`` are all links of the page, those to pages seen before too: ranks are made of them. A
        target may come several times.
        """

    def promotions(self) -> Sequence[tuple[int, float]]:
        """(fingerprint, new value) of links judged earlier whose value has risen since the last call."""


@runtime_checkable
class LearningPolicy(LinkPolicy, Protocol):
    """A policy that learns from the verdicts on the pages behind its links; the same state gives the same scores (R5)."""

    @property
    def version(self) -> str:
        """Names the state: how many refits it has seen, and a digest of what they gave."""

    def revised(self) -> Sequence[tuple[int, float]]:
        """(fingerprint, new value) of queued links whose value is another one since the last call, higher or lower; the best only."""

    def state(self) -> bytes:
        """What was learned, as JSON: enough for another process to score alike."""

    def adopt(self, state: bytes) -> None:
        """Score by what another process has learned from now on; ValueError for anything but a state."""
