"""One page as every topic of a crawl evaluates it: its score, whether it is a hit, a copy of another one, and which of its links are kept or pruned."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from topicspider.page.near_duplicate import CopyMemory
from topicspider.relevance.interfaces import LinkPolicy, LinkScore, PageScore, PageWords, Parent
from topicspider.relevance.ipagerank import IPageRankPolicy
from topicspider.relevance.page_judge import PageJudge
from topicspider.relevance.policies import make_link_policy
from topicspider.topic.user_labels import read_user_labels
from topicspider.url import canonicalize, fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.options import Options
    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import FitExecutor, Tokenizer
    from topicspider.topic.profile import TopicModel, TopicProfile
    from topicspider.topic.url_filter import UrlFilter


SEED_SCORE = 1e9
"""Above every score that a link policy gives: seeds come first."""


def seed_score(place: int) -> float:
    """The score of the seed at ``place``, from 0: seeds leave the queue in the order given."""
    return SEED_SCORE - place


class ReadPage(Protocol):
    """What judging needs of a page that was read: ``page.Page`` has it, and so has a page from a rehearsal's cache."""

    @property
    def subject_words(self) -> tuple[str, ...]:
        """The words of the title, and of the categories that the page is filed under."""

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

    @property
    def is_hub(self) -> bool:
        """Whether it leads to pages (a tag, a category, an archive), and is none to read."""


@dataclass(frozen=True, slots=True)
class TopicView:
    """How one topic of the crawl looks at pages and links; ``digest`` names the topic as it was when this was made.

    ``takes_hubs``: whether pages of links count as hits.
    """

    topic: str
    judge: PageJudge
    policy: LinkPolicy
    newer_than: date | None = None
    digest: str = ""
    takes_hubs: bool = False


def view_of(
    profile: TopicProfile,
    segmenter: Tokenizer,
    options: Options,
    policy: LinkPolicy | None = None,
    *,
    model: TopicModel | None = None,
    fits: FitExecutor | None = None,
) -> TopicView:
    """The view of the topic of ``profile`` by a crawl's options; ``policy`` in place of the one they name.

    ``model``: the compiled topic, which the learned judges need; ``fits``: where they are fitted anew (at once, when None).
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
            fits=fits,
        )
    return TopicView(
        topic=profile.topic.name,
        judge=_judge_of(profile, options, model, fits),
        policy=policy,
        newer_than=profile.topic.limits.newer_than,
        digest=profile.digest,
        takes_hubs=profile.topic.hubs == "hits",
    )


def _judge_of(profile: TopicProfile, options: Options, model: TopicModel | None, fits: FitExecutor | None) -> PageJudge:
    """The page judge, with what the user's labels gave: the threshold stands behind the option, before the topic's and the scorer's."""
    tuned = read_user_labels(options.data, profile.topic.name)
    threshold: float | None = options.page_threshold
    if options.page_threshold < 0:
        threshold = None if tuned is None else tuned.threshold_for(options.page_scorer, profile.digest)
    labels = [(PageWords(label.title, label.body), label.on_topic) for label in tuned.labels] if tuned else []
    return PageJudge(profile, options.page_scorer, threshold, model=model, fits=fits, labels=labels)


@dataclass(slots=True)
class Judging:
    """How the pages of a crawl are judged, and what they share: its topics' values of links, and the hits so far."""

    views: Sequence[TopicView]
    admission: UrlFilter
    copies: CopyMemory = field(default_factory=CopyMemory)
    link_values: MultiTopicScores = field(init=False)

    def __post_init__(self) -> None:
        self.link_values = MultiTopicScores(len(self.views))


class PageEvaluation:
    """Page and links of one fetch, judged once by every topic of the crawl."""

    def __init__(self, url: str, depth: int, page: ReadPage, judging: Judging) -> None:
        self.url = canonicalize(url) or url
        self.depth = depth
        self._page = page
        self._judging = judging
        self._views = judging.views

    @cached_property
    def words(self) -> PageWords:
        return PageWords(title=self._page.subject_words, body=self._page.body_words)

    @cached_property
    def scores(self) -> Mapping[str, PageScore]:
        """Each topic's verdict, by topic name."""
        scores = {}
        for view in self._views:
            scores[view.topic] = self._kept(view, self._judged(view))
        return scores

    def _judged(self, view: TopicView) -> PageScore:
        """The verdict, from which the judge may learn for the next page."""
        score = view.judge.judge(self.words)
        if not self._page.condition:
            view.judge.observe(self.words)
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
        return any(score.on_topic for score in self.scores.values())

    @cached_property
    def is_copy(self) -> bool:
        """True for a near-duplicate of a hit of another URL: a hit as well, and stored, but nothing new was found."""
        return self.is_hit and self._judging.copies.is_copy(self._page.simhash, fingerprint(self.url))

    @cached_property
    def is_hub(self) -> bool:
        """True for a page on topic that is none to read, but leads to others, unless a topic takes such pages for hits."""
        takers = [view for view in self._views if self.scores[view.topic].on_topic]
        return bool(takers) and self._page.is_hub and not any(view.takes_hubs for view in takers)

    @property
    def is_new_hit(self) -> bool:
        return self.is_hit and not self.is_copy and not self.is_hub

    def judge_links(self, links: Sequence[Link] | None = None) -> LinkVerdicts:
        """Judge ``links`` (default: the page's own) as a whole, each by every topic; the best verdict counts."""
        chosen = self._page.links if links is None else links
        forbidden = "nofollow" if "nofollow" in self._page.robots else ""
        admitted, refused = admit(chosen, self._judging.admission, self.depth + 1, forbidden)
        policies = [(view.policy, self._parent(view)) for view in self._views]
        return prune(admitted, refused, policies, self._judging.link_values)

    def _parent(self, view: TopicView) -> Parent:
        score = self.scores[view.topic]
        target = fingerprint(self.url)
        return Parent(self.url, target, score.value, score.on_topic, self.depth, self.words, self.is_copy)


# --- links --------------------------------------------------------------------------------------

LINKS_KEPT = 50_000
"""As many as a learner revises at most, and more."""


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


def admit(
    links: Sequence[Link], admission: UrlFilter, depth: int, forbidden: str = ""
) -> tuple[list[tuple[int, Link]], list[JudgedLink]]:
    """Split by the topics' limits and traps; ``forbidden`` is the reason when the page itself wants none followed (meta robots nofollow)."""
    admitted, refused = [], []
    for target, link in _without_repeats(links):
        reason = forbidden or admission.reject_reason(link.url, depth)
        if reason:
            refused.append(JudgedLink(link, target, LinkScore(0.0, reason)))
        else:
            admitted.append((target, link))
    return admitted, refused


def prune(
    links: Sequence[tuple[int, Link]],
    refused: Sequence[JudgedLink],
    policies: Sequence[tuple[LinkPolicy, Parent]],
    values: MultiTopicScores,
) -> LinkVerdicts:
    """The verdicts on ``links`` by each topic's policy: a link is pruned when every topic prunes it, and worth the highest score else."""
    per_topic = [policy.judge(parent, links) for policy, parent in policies]
    values.add([target for target, _ in links], per_topic)
    kept: list[JudgedLink] = []
    pruned = list(refused)
    for (target, link), *scores in zip(links, *per_topic, strict=True):
        best = max(scores, key=lambda score: (not score.pruned, score.value))
        (pruned if best.pruned else kept).append(JudgedLink(link, target, best))
    kept.sort(key=lambda judged: -judged.score.value)
    risen = [policy.promotions() for policy, _ in policies]
    values.raise_values(risen)
    revisions = values.revise([_revised(policy) for policy, _ in policies])
    reasons = Counter(judged.score.pruned for judged in pruned)
    return LinkVerdicts(kept, pruned, [rise for rises in risen for rise in rises], revisions, reasons)


class MultiTopicScores:
    """The values of the last ``capacity`` links by topic; a link is worth the best of them.

    So one topic may think less of a link without spoiling it for the others. With one topic nothing is kept.
    """

    def __init__(self, topics: int, capacity: int = LINKS_KEPT) -> None:
        self._topics = topics
        self._capacity = capacity
        self._values: OrderedDict[int, list[float | None]] = OrderedDict()  # None: pruned, or never judged

    def add(self, targets: Sequence[int], per_topic: Sequence[Sequence[LinkScore]]) -> None:
        """Each topic's verdicts on links; the best of several on one link counts."""
        if self._topics == 1:
            return
        for target, *scores in zip(targets, *per_topic, strict=True):
            if all(score.pruned for score in scores):
                continue
            values = self._of(target)
            for topic, score in enumerate(scores):
                if not score.pruned:
                    values[topic] = _higher(values[topic], score.value)

    def raise_values(self, per_topic: Sequence[Sequence[tuple[int, float]]]) -> None:
        if self._topics == 1:
            return
        for topic, rises in enumerate(per_topic):
            for target, value in rises:
                if target in self._values:
                    self._values[target][topic] = _higher(self._values[target][topic], value)

    def revise(self, per_topic: Sequence[Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
        """The new values of links that any topic has revised.

        A link whose other values are forgotten is left as it is: nobody can say whether it is worth less now.
        """
        if self._topics == 1:
            return list(per_topic[0])
        touched: dict[int, None] = {}
        for topic, revisions in enumerate(per_topic):
            for target, value in revisions:
                if target in self._values:
                    self._values[target][topic] = value
                    touched[target] = None
        return [(target, max(value for value in self._values[target] if value is not None)) for target in touched]

    def _of(self, target: int) -> list[float | None]:
        values = self._values.setdefault(target, [None] * self._topics)
        self._values.move_to_end(target)
        if len(self._values) > self._capacity:
            self._values.popitem(last=False)
        return values


def _higher(known: float | None, value: float) -> float:
    return value if known is None else max(known, value)


def _revised(policy: LinkPolicy) -> Sequence[tuple[int, float]]:
    """Those of a LearningPolicy; to ask ``isinstance`` would ask for its version, and that is a digest of all it knows after each fit."""
    revised: Callable[[], Sequence[tuple[int, float]]] | None = getattr(policy, "revised", None)
    return () if revised is None else revised()


def _without_repeats(links: Sequence[Link]) -> list[tuple[int, Link]]:
    """(fingerprint, link) in page order; the same target with the same anchor counts once."""
    seen: set[tuple[int, str]] = set()
    unique = []
    for link in links:
        target = fingerprint(link.url)
        if (target, link.anchor) not in seen:
            seen.add((target, link.anchor))
            unique.append((target, link))
    return unique
