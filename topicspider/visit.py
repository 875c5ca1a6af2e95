"""One fetched page with what every topic of the crawl says of it and of its links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property

from topicspider.items import PageItem
from topicspider.page.link import Link
from topicspider.page.page import Page
from topicspider.relevance.judgement import LinkPolicy, LinkScore, PageScore, PageWords, Parent
from topicspider.relevance.page_judge import PageJudge
from topicspider.topic.admission import refusal
from topicspider.topic.profile import Limits
from topicspider.url.canonical import canonicalize
from topicspider.url.fingerprint import fingerprint
from topicspider.url.host import host_of, port_of


@dataclass(frozen=True, slots=True)
class Fetch:
    """What the download told about a page; ``headers`` has lower-case names, ``seconds`` the whole download."""

    url: str
    status: int
    body: bytes
    headers: Mapping[str, str]
    depth: int = 0
    referrer: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TopicView:
    """How one topic of the crawl looks at pages and links."""

    topic: str
    judge: PageJudge
    policy: LinkPolicy
    newer_than: date | None = None


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link with its fingerprint and the best that any topic says of it."""

    link: Link
    fingerprint: int
    score: LinkScore


@dataclass(frozen=True, slots=True)
class LinkVerdicts:
    """All of a page's links: ``kept`` best first, ``pruned`` by reason, and links that rose elsewhere."""

    kept: Sequence[JudgedLink]
    pruned: Sequence[JudgedLink]
    promotions: Sequence[tuple[int, float]] = ()
    reasons: Counter[str] = field(default_factory=Counter)


class Visit:
    """Parsed once, cut once, judged once: every door of Scrapy asks the same visit."""

    def __init__(self, fetch: Fetch, page: Page, views: Sequence[TopicView], limits: Limits) -> None:
        self.fetch = fetch
        self.page = page
        self.url = canonicalize(fetch.url) or fetch.url
        self._views = views
        self._limits = limits

    @cached_property
    def words(self) -> PageWords:
        """The page's words, cut once."""
        return PageWords(title=self.page.title_words, body=self.page.body_words)

    @cached_property
    def scores(self) -> Mapping[str, PageScore]:
        """Each topic's verdict, by topic name."""
        return {view.topic: self._aged(view, view.judge.judge(self.words)) for view in self._views}

    def _aged(self, view: TopicView, score: PageScore) -> PageScore:
        """A page known to be older than its topic wants is no hit, however relevant."""
        if not score.on_topic or view.newer_than is None or not self.page.published:
            return score
        return replace(score, on_topic=self.page.published >= view.newer_than.isoformat())

    @property
    def is_hit(self) -> bool:
        """True when at least one topic keeps the page."""
        return any(score.on_topic for score in self.scores.values())

    @cached_property
    def items(self) -> tuple[PageItem, ...]:
        """One item a topic, not yet filled: pipelines do that."""
        return tuple(PageItem(url=self.url, topic=view.topic) for view in self._views)

    def fill_reading(self, item: PageItem) -> None:
        """Put what the page says and what the download told into ``item``."""
        fetch, page = self.fetch, self.page
        item.host, item.port = host_of(self.url), port_of(self.url)
        item.title, item.body = page.title, page.body
        item.encoding, item.language, item.link_count = page.encoding, page.language, page.link_count
        item.depth, item.referrer, item.status = fetch.depth, fetch.referrer, fetch.status
        item.fetched_at = datetime.now(UTC).isoformat(timespec="seconds")
        item.date = fetch.headers.get("date", "")
        item.download_time = round(fetch.seconds, 6)
        item.content_type = fetch.headers.get("content-type", "")
        item.content_length = len(fetch.body)

    def fill_relevance(self, item: PageItem) -> None:
        """Put the verdict of the item's topic into ``item``."""
        score = self.scores[item.topic]
        item.relevance = score.value
        item.parts = dict(score.parts)

    def fill_description(self, item: PageItem) -> None:
        """Put what only hits need into ``item``: summary, keywords, dates, typed data."""
        page = self.page
        item.summary, item.keywords = page.summary, list(page.keywords)
        item.published, item.modified = page.published, page.modified
        item.author, item.site_name = page.author, page.site_name
        item.type, item.data = page.type, dict(page.data)

    def judge_links(self, links: Sequence[Link] | None = None) -> LinkVerdicts:
        """Judge ``links`` (default: the page's own) as a whole, each by every topic; the best verdict counts."""
        chosen = self.page.links if links is None else links
        admitted, refused = self._admit(_without_repeats(chosen))
        verdicts = [
            JudgedLink(link, mark, score) for (mark, link), score in zip(admitted, self._best(admitted), strict=True)
        ]
        kept = sorted((one for one in verdicts if not one.score.pruned), key=lambda one: -one.score.value)
        pruned = refused + [one for one in verdicts if one.score.pruned]
        return LinkVerdicts(kept, pruned, self._promotions(), Counter(one.score.pruned for one in pruned))

    def _admit(self, links: Sequence[tuple[int, Link]]) -> tuple[list[tuple[int, Link]], list[JudgedLink]]:
        """Split by the topics' limits and the page's own wish (meta robots nofollow)."""
        admitted, refused = [], []
        forbidden = "nofollow" if "nofollow" in self.page.robots else ""
        for mark, link in links:
            reason = forbidden or refusal(self._limits, host_of(link.url), self.fetch.depth + 1)
            if reason:
                refused.append(JudgedLink(link, mark, LinkScore(0.0, reason)))
            else:
                admitted.append((mark, link))
        return admitted, refused

    def _best(self, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """For each link the highest unpruned score over the topics, else a pruned one."""
        per_topic = [view.policy.judge(self._parent(view), links) for view in self._views]
        return [
            max(scores, key=lambda score: (not score.pruned, score.value)) for scores in zip(*per_topic, strict=True)
        ]

    def _parent(self, view: TopicView) -> Parent:
        score = self.scores[view.topic]
        return Parent(self.url, fingerprint(self.url), score.value, score.on_topic, self.fetch.depth)

    def _promotions(self) -> list[tuple[int, float]]:
        """Links that rose; with several topics a link's value is the best, so each topic's rise counts."""
        return [rise for view in self._views for rise in view.policy.promotions()]


def _without_repeats(links: Sequence[Link]) -> list[tuple[int, Link]]:
    """(fingerprint, link) in page order; the same target with the same anchor counts once."""
    seen: set[tuple[int, str]] = set()
    unique = []
    for link in links:
        mark = fingerprint(link.url)
        if (mark, link.anchor) not in seen:
            seen.add((mark, link.anchor))
            unique.append((mark, link))
    return unique
