"""One page as every topic of a crawl judges it: its score, and the worth of its links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from topicspider.page.copies import CopyMemory
from topicspider.relevance.joint_worths import JointWorths
from topicspider.relevance.judgement import LinkPolicy, LinkScore, PageScore, PageWords, Parent
from topicspider.relevance.learner.teacher import Teacher
from topicspider.relevance.link_policies import make_link_policy
from topicspider.relevance.links.ipagerank import IPageRankPolicy
from topicspider.relevance.page_judge import PageJudge
from topicspider.topic.user_labels import read_user_labels
from topicspider.url.canonical import canonicalize
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from topicspider.defaults import Options
    from topicspider.page.links.link import Link
    from topicspider.relevance.learner.refits import Refits
    from topicspider.relevance.link_setup import WordCutter
    from topicspider.topic.profile import TopicModel, TopicProfile
    from topicspider.topic.url_filter import UrlFilter


LEARNED, SEMANTIC = "learned", "semantic"
"""The page scorer that a teacher helps, and the tier that has one."""
SEED_SCORE = 1e9
"""Above every score that a link policy gives: seeds come first."""


def seed_score(place: int) -> float:
    """The score of the seed at ``place``, from 0: seeds leave the queue in the order given."""
    return SEED_SCORE - place


class ReadPage(Protocol):
    """What judging needs of a page that was read: ``page.Page`` has it, and so has a page from a rehearsal's cache."""

    @property
    def title_words(self) -> tuple[str, ...]:
        """The words of the title."""

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
        """noindex and nofollow, as far as the page asks for them."""

    @property
    def simhash(self) -> int:
        """64 bits, alike for near-duplicates; 0 when the body is too short to tell."""

    @property
    def condition(self) -> str:
        """Why it is no page at all (a soft 404, a captcha, …), "" for a page."""


@dataclass(frozen=True, slots=True)
class TopicView:
    """How one topic of the crawl looks at pages and links; ``words`` are those that its summaries look for, with their weights.

    ``digest`` names the topic as it was when this was made.
    """

    topic: str
    judge: PageJudge
    policy: LinkPolicy
    newer_than: date | None = None
    words: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link with its fingerprint and the best that any topic says of it."""

    link: Link
    fingerprint: int
    score: LinkScore


@dataclass(frozen=True, slots=True)
class LinkVerdicts:
    """All of a page's links: ``kept`` best first, ``pruned`` by reason, and links queued earlier that are worth more now, or another value."""

    kept: Sequence[JudgedLink]
    pruned: Sequence[JudgedLink]
    promotions: Sequence[tuple[int, float]] = ()
    revisions: Sequence[tuple[int, float]] = ()
    reasons: Counter[str] = field(default_factory=Counter)


def view_of(
    profile: TopicProfile,
    segmenter: WordCutter,
    options: Options,
    policy: LinkPolicy | None = None,
    *,
    model: TopicModel | None = None,
    refits: Refits | None = None,
) -> TopicView:
    """The view of the topic of ``profile`` by a crawl's options; ``policy`` in place of the one they name.

    ``model``: the compiled topic, which the learned judges need; ``refits``: where they are fitted anew (at once, when None).
    """
    link_threshold = options.link_threshold if options.link_threshold >= 0 else None
    if policy is None:
        policy = make_link_policy(
            options.link_policy,
            profile,
            segmenter,
            threshold=link_threshold,
            seed=options.seed,
            faithful=options.faithful,
            model=model,
            refits=refits,
        )
    return TopicView(
        topic=profile.topic.name,
        judge=_judge_of(profile, options, model, refits),
        policy=policy,
        newer_than=profile.topic.limits.newer_than,
        words={word: profile.weights.get(named, 0.0) for word, named in profile.synonyms.items()}
        | dict(profile.weights),
        digest=profile.digest,
    )


def _judge_of(profile: TopicProfile, options: Options, model: TopicModel | None, refits: Refits | None) -> PageJudge:
    """The page judge, with what the user's labels gave: the threshold stands behind the option, before the topic's and the scorer's."""
    tuned = read_user_labels(options.data, profile.topic.name)
    threshold: float | None = options.page_threshold
    if options.page_threshold < 0:
        threshold = None if tuned is None else tuned.threshold_for(options.page_scorer, profile.digest)
    labels = [(PageWords(label.title, label.body), label.on_topic) for label in tuned.labels] if tuned else []
    is_taught = options.tier == SEMANTIC and options.page_scorer == LEARNED
    teacher = Teacher(profile.weights) if is_taught else None
    return PageJudge(
        profile, options.page_scorer, threshold, model=model, refits=refits, labels=labels, teacher=teacher
    )


class Judgement:
    """Parsed once, cut once, judged once: page and links of one fetch, by every topic of the crawl.

    ``worths`` and ``copies`` are what the pages of a crawl share: its topics' values of links, and the hits so far.
    """

    def __init__(
        self,
        url: str,
        depth: int,
        page: ReadPage,
        views: Sequence[TopicView],
        admission: UrlFilter,
        worths: JointWorths | None = None,
        copies: CopyMemory | None = None,
    ) -> None:
        self.url = canonicalize(url) or url
        self._depth = depth
        self._page = page
        self._views = views
        self._admission = admission
        self._worths = JointWorths(len(views)) if worths is None else worths
        self._copies = CopyMemory() if copies is None else copies

    @cached_property
    def words(self) -> PageWords:
        """The page's words, cut once."""
        return PageWords(title=self._page.title_words, body=self._page.body_words)

    @cached_property
    def scores(self) -> Mapping[str, PageScore]:
        """Each topic's verdict, by topic name."""
        return {view.topic: self._kept(view, self._judged(view)) for view in self._views}

    def _judged(self, view: TopicView) -> PageScore:
        """The verdict, from which the judge may learn for the next page."""
        score = view.judge.judge(self.words)
        if not self._page.condition:
            view.judge.observe(self.words, score)
        return score

    def _kept(self, view: TopicView, score: PageScore) -> PageScore:
        """No hit, however relevant: an answer that is no page, and a page known to be older than its topic wants."""
        if score.on_topic and self._page.condition:
            return replace(score, on_topic=False)
        if not score.on_topic or view.newer_than is None or not self._page.published:
            return score
        return replace(score, on_topic=self._page.published >= view.newer_than.isoformat())

    def ipagerank_of(self, topic: str) -> float | None:
        """The page's IPageRank by the links found so far; None under another link policy."""
        policy = next(view.policy for view in self._views if view.topic == topic)
        return policy.rank(fingerprint(self.url)) if isinstance(policy, IPageRankPolicy) else None

    @property
    def is_hit(self) -> bool:
        """True when at least one topic keeps the page."""
        return any(score.on_topic for score in self.scores.values())

    @cached_property
    def is_copy(self) -> bool:
        """True for a near-duplicate of a hit of another URL: a hit as well, and stored, but nothing new was found."""
        return self.is_hit and self._copies.is_copy(self._page.simhash, fingerprint(self.url))

    @property
    def is_find(self) -> bool:
        """True for a hit that is no copy of an earlier one."""
        return self.is_hit and not self.is_copy

    def judge_links(self, links: Sequence[Link] | None = None) -> LinkVerdicts:
        """Judge ``links`` (default: the page's own) as a whole, each by every topic; the best verdict counts."""
        chosen = self._page.links if links is None else links
        admitted, refused = self._admit(_without_repeats(chosen))
        verdicts = [
            JudgedLink(link, mark, score) for (mark, link), score in zip(admitted, self._best(admitted), strict=True)
        ]
        kept = sorted((one for one in verdicts if not one.score.pruned), key=lambda one: -one.score.value)
        pruned = refused + [one for one in verdicts if one.score.pruned]
        reasons = Counter(one.score.pruned for one in pruned)
        return LinkVerdicts(kept, pruned, self._promotions(), self._revisions(), reasons)

    def _admit(self, links: Sequence[tuple[int, Link]]) -> tuple[list[tuple[int, Link]], list[JudgedLink]]:
        """Split by the topics' limits, traps, and the page's own wish (meta robots nofollow)."""
        admitted, refused = [], []
        forbidden = "nofollow" if "nofollow" in self._page.robots else ""
        for mark, link in links:
            reason = forbidden or self._admission.reject_reason(link.url, self._depth + 1)
            if reason:
                refused.append(JudgedLink(link, mark, LinkScore(0.0, reason)))
            else:
                admitted.append((mark, link))
        return admitted, refused

    def _best(self, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """For each link the highest unpruned score over the topics, else a pruned one."""
        per_topic = [view.policy.judge(self._parent(view), links) for view in self._views]
        self._worths.judged([mark for mark, _ in links], per_topic)
        return [
            max(scores, key=lambda score: (not score.pruned, score.value)) for scores in zip(*per_topic, strict=True)
        ]

    def _parent(self, view: TopicView) -> Parent:
        score = self.scores[view.topic]
        mark = fingerprint(self.url)
        return Parent(self.url, mark, score.value, score.on_topic, self._depth, self.words, self.is_copy)

    def _promotions(self) -> list[tuple[int, float]]:
        """Links that rose; with several topics a link's value is the best, so each topic's rise counts."""
        risen = [view.policy.promotions() for view in self._views]
        self._worths.promoted(risen)
        return [rise for rises in risen for rise in rises]

    def _revisions(self) -> list[tuple[int, float]]:
        """Links that those topics which learn think otherwise of now."""
        return self._worths.revised([_revised(view.policy) for view in self._views])


def _revised(policy: LinkPolicy) -> Sequence[tuple[int, float]]:
    """Those of a LearningPolicy; to ask ``isinstance`` would ask for its version, and that is a digest of all it knows after each fit."""
    revised: Callable[[], Sequence[tuple[int, float]]] | None = getattr(policy, "revised", None)
    return () if revised is None else revised()


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
