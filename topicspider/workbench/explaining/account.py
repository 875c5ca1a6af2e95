"""A page's and its links' scores taken apart, as plain data: the JSON of ``explain``, and what its tables are laid out from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topicspider.cli.judge import CrawlModel as KeptModel
    from topicspider.cli.judge import OfflineJudge as Bench
    from topicspider.evaluation import JudgedLink, TopicView
    from topicspider.relevance.interfaces import PageScore, PageWords
    from topicspider.store.contract import LinkRow, PageRow

SAME = 1e-6
"""Scores closer than this are the same (R5)."""


@dataclass(frozen=True, slots=True)
class LinkAccount:
    """One link. ``is_sum``: its parts add up to its score; of other policies (ipagerank) they are what the score is made from."""

    url: str
    anchor: str
    score: float
    pruned: str
    parts: Mapping[str, float]

    @property
    def is_sum(self) -> bool:
        """Whether the parts add up to the score."""
        return bool(self.parts) and not self.pruned and abs(sum(self.parts.values()) - self.score) <= SAME

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "url": self.url,
            "anchor": self.anchor,
            "score": self.score,
            "pruned": self.pruned,
            "parts": dict(self.parts),
            "parts_sum": self.is_sum,
        }


@dataclass(frozen=True, slots=True)
class Finder:
    """Who found a page: the page that linked to it, and how that link was judged, as far as the store has a sample of it."""

    referrer: str
    depth: int
    link: LinkAccount | None = None


@dataclass(frozen=True, slots=True)
class PageAccount:
    """One topic's score of a page; ``words`` are the parts that sum to it, largest first (empty when its text is not known).

    ``stored``: the row of the page, when it comes from the store; then ``score`` is today's, unless the text is not there.
    """

    url: str
    title: str
    topic: str
    scorer: str
    score: float
    on_topic: bool
    threshold: float
    parts: Mapping[str, float]
    words: Sequence[tuple[str, float]] = ()
    has_text: bool = True
    stored: PageRow | None = None
    finder: Finder | None = None

    @property
    def has_moved(self) -> bool:
        """Whether the topic, the scorer or what was learned has changed the score since the page was stored."""
        row = self.stored
        return row is not None and (
            abs(row.item.relevance - self.score) > SAME or abs(row.threshold - self.threshold) > SAME
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        row, finder = self.stored, self.finder
        return {
            "url": self.url,
            "title": self.title,
            "topic": self.topic,
            "scorer": self.scorer,
            "score": self.score,
            "on_topic": self.on_topic,
            "threshold": self.threshold,
            "parts": dict(self.parts),
            "words": [{"part": name, "value": value} for name, value in self.words] if self.has_text else None,
            "sum": sum(value for _, value in self.words) if self.has_text else None,
            "stored": row
            and {
                "score": row.item.relevance,
                "threshold": row.threshold,
                "on_topic": row.on_topic,
                "scorer": row.scorer,
                "fetched_at": row.item.fetched_at,
            },
            "found_by": finder
            and {
                "referrer": finder.referrer,
                "depth": finder.depth,
                "link": finder.link.as_json() if finder.link else None,
            },
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """A page by every topic that was asked for, and its links; ``condition`` says why it is no page at all, ``model`` what was judged by."""

    pages: Sequence[PageAccount] = ()
    links: Sequence[LinkAccount] = field(default=())
    condition: str = ""
    model: KeptModel | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "pages": [page.as_json() for page in self.pages],
            "links": [link.as_json() for link in self.links],
            "condition": self.condition,
            "model": self.model.as_json() if self.model else None,
        }


def of_fetched(url: str, title: str, view: TopicView, score: PageScore, words: PageWords) -> PageAccount:
    """The account of a page in flight."""
    parts = tuple(view.judge.explain(words))
    named = (url, title, view.topic, view.judge.scorer_name)
    return PageAccount(*named, score.value, score.on_topic, score.threshold, score.parts, parts)


def of_stored(row: PageRow, bench: Bench, finder: Finder | None) -> PageAccount:
    """The account of a stored page: judged anew by its stored text; of a miss, stored without, what was said of it then."""
    item = row.item
    account = PageAccount(
        item.url,
        item.title,
        item.topic,
        row.scorer,
        item.relevance,
        row.on_topic,
        row.threshold,
        item.parts,
        has_text=False,
        stored=row,
        finder=finder,
    )
    if not item.body:
        return account
    words = bench.words(item.title, item.body)
    score = bench.judge(words)
    return replace(
        account,
        scorer=bench.view.judge.scorer_name,
        score=score.value,
        on_topic=score.on_topic,
        threshold=score.threshold,
        parts=score.parts,
        words=tuple(bench.view.judge.explain(words)),
        has_text=True,
    )


def of_link(one: JudgedLink) -> LinkAccount:
    """The account of a link that was judged just now."""
    return LinkAccount(one.link.url, one.link.anchor, one.score.value, one.score.pruned, one.score.parts)


def of_stored_link(row: LinkRow) -> LinkAccount:
    """The account of a link out of the store's sample."""
    return LinkAccount(row.target_url, row.anchor, row.score, row.pruned, row.parts)
