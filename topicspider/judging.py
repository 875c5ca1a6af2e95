"""One page judged by every topic of a crawl: its scores, whether it is a hit, a hub or a near-duplicate, and the verdicts on its links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from topicspider.link_pruning import LinkVerdicts, MultiTopicScores, admit, prune
from topicspider.options import Options
from topicspider.page.links import Link
from topicspider.page.near_duplicate import CopyMemory
from topicspider.reading_processes import Foreseen
from topicspider.relevance.barren_pages import BarrenPages
from topicspider.relevance.interfaces import FitExecutor, LinkPolicy, PageScore, PageWords, Parent, ReadPage, Tokenizer
from topicspider.relevance.ipagerank import IPageRankPolicy
from topicspider.relevance.learned_link_policy import LearnedPolicy
from topicspider.relevance.link_features import site_name
from topicspider.relevance.page_judge import PageJudge
from topicspider.relevance.published_link_policies import make_link_policy
from topicspider.relevance.topic_matrix import TopicMatrix
from topicspider.topic.profile import TopicModel, TopicProfile
from topicspider.topic.url_filter import UrlFilter
from topicspider.topic.user_labels import read_user_labels
from topicspider.url import canonicalize, fingerprint

STAND_OUT, IN_ANCHORS = 3, 2
"""In a crawl of many topics, the 3 likeliest judge a page; its links are judged by these and by the 2 likeliest for its anchors."""
LEAST_CHANCE = 0.05
"""In a crawl of many topics, a topic with a lower chance does not judge the page."""
SEED_SCORE = 1e9
"""Above every score that a link policy gives: seeds come first."""


def seed_score(place: int) -> float:
    """The score of the seed at ``place``, from 0: seeds leave the queue in the order given."""
    return SEED_SCORE - place


@dataclass(frozen=True, slots=True)
class TopicView:
    """The page judge and the link policy of one topic. ``digest``: of the topic's file when this was made.

    ``takes_hubs``: whether hubs count as hits.
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
    """Page judge and link policy for the topic of ``profile`` as the options say; ``policy`` replaces the one that they name.

    ``model``: the compiled topic, which the learned judges need; ``fits``: where they are fitted anew (at once, when None).
    """
    if policy is None:
        policy = make_link_policy(
            options.link_policy,
            profile,
            segmenter,
            threshold=options.link_threshold,
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
    """The page judge, with the user's labels. The threshold tuned on them yields to the option, and precedes the topic's and scorer's."""
    tuned = read_user_labels(options.data, profile.topic.name)
    threshold: float | None = options.page_threshold
    if options.page_threshold < 0:
        threshold = None if tuned is None else tuned.threshold_for(options.page_scorer, profile.digest)
    labels = [(PageWords(label.title, label.body), label.on_topic) for label in tuned.labels] if tuned else []
    scorer, faithful = options.page_scorer, options.faithful
    return PageJudge(profile, scorer, threshold, model=model, fits=fits, labels=labels, faithful=faithful)


@dataclass(slots=True)
class Judging:
    """What judges the pages of a crawl, and what they share: link scores by topic, near-duplicates, hits so far.

    ``matrix``: in a crawl of many topics, picks the few topics whose judges see a page.
    ``needs``: what each topic still needs, when topics are to get equally many hits, or a fixed number.
    ``barren``: finds traps, address patterns whose pages stopped giving anything new.
    """

    views: Sequence[TopicView]
    admission: UrlFilter
    copies: CopyMemory = field(default_factory=CopyMemory)
    matrix: TopicMatrix | None = None
    needs: Needs | None = None
    barren: BarrenPages | None = None
    link_values: MultiTopicScores = field(init=False)

    def __post_init__(self) -> None:
        self.link_values = MultiTopicScores(len(self.views), needs=None if self.needs is None else self.needs.shares)

    def places_for(self, words: PageWords, count: int) -> list[int]:
        """The numbers of the topics that judge a text: all, or with a matrix the ``count`` likeliest (at least one)."""
        if self.matrix is None:
            return list(range(len(self.views)))
        best = self.matrix.likeliest(words, count)
        return [place for place, chance in best if chance >= LEAST_CHANCE] or [best[0][0]]

    def reject_reason(self, url: str, depth: int) -> str:
        """Why a link is not followed, whatever it is worth; "" when it may be."""
        return self.admission.reject_reason(url, depth) or ("trap_barren" if self.is_trap(url) else "")

    def is_trap(self, url: str) -> bool:
        """Whether pages with such an address have given nothing new for long."""
        return self.barren is not None and self.barren.is_trap(url)

    def forget_link(self, target: int) -> None:
        """The link ended without a page: policies that rescore waiting links can drop it."""
        for view in self.views:
            forget: Callable[[int], None] | None = getattr(view.policy, "forget", None)
            if forget is not None:
                forget(target)

    def redirect_link(self, source: int, target: int) -> None:
        """The link's URL led to another one, which is queued in its place: what comes of it is what came of the link."""
        if source == target:  # a page that sets a cookie and asks for itself again
            return
        self.link_values.redirected(source, target)
        for view in self.views:
            redirected: Callable[[int, int], None] | None = getattr(view.policy, "redirected", None)
            if redirected is not None:
                redirected(source, target)


class Needs:
    """What each topic still needs, in [0, 1]: 0 once it has ``per_topic`` hits (0: no limit); if ``even``, less the more hits it has."""

    def __init__(self, topics: int, *, even: bool, per_topic: int = 0) -> None:
        self.shares = [1.0] * topics
        self._hits = [0] * topics
        self._even, self._per_topic = even, per_topic

    def note(self, places: Sequence[int]) -> None:
        """Count a hit of the topics at ``places``."""
        for place in places:
            self._hits[place] += 1
        fewest = min(hits for hits in self._hits if not self._is_full(hits)) if not self.are_met else 0
        for place, hits in enumerate(self._hits):
            self.shares[place] = 0.0 if self._is_full(hits) else (1.0 + fewest) / (1.0 + hits) if self._even else 1.0

    def neediest(self, places: Sequence[int]) -> int:
        """Which of the topics at ``places`` has the fewest hits; of equal ones the first."""
        return min(places, key=lambda place: self._hits[place])

    @property
    def are_met(self) -> bool:
        """Whether no topic needs anything."""
        return all(map(self._is_full, self._hits))

    def _is_full(self, hits: int) -> bool:
        return 0 < self._per_topic <= hits


class PageEvaluation:
    """The verdicts of every topic on one fetched page and its links; each is computed once."""

    def __init__(self, url: str, depth: int, page: ReadPage, judging: Judging) -> None:
        self.url = canonicalize(url) or url
        self.depth = depth
        self._page = page
        self._judging = judging
        self.foreseen: Mapping[str, Foreseen] = {}  # by topic, when another process has read the page

    @cached_property
    def _places(self) -> list[int]:
        """The numbers of the topics that judge this page."""
        return self._judging.places_for(self.words, STAND_OUT)

    @cached_property
    def _views(self) -> list[TopicView]:
        return [self._judging.views[place] for place in self._places]

    @cached_property
    def words(self) -> PageWords:
        return PageWords.of(self._page, site_name(self.url))

    @cached_property
    def scores(self) -> Mapping[str, PageScore]:
        """Each topic's verdict, by topic name."""
        return {view.topic: self._kept(view, self._judged(view)) for view in self._views}

    def _judged(self, view: TopicView) -> PageScore:
        """The topic's verdict; then its judge may learn from the page."""
        if (foreseen := self.foreseen.get(view.topic)) is not None:
            view.judge.foresee(self.words, foreseen.evidence)
            if isinstance(view.policy, LearnedPolicy):
                view.policy.foresee(foreseen.link_texts)
        score = view.judge.judge(self.words)
        if not self._page.condition:
            view.judge.observe(self.words)
        return score

    def _kept(self, view: TopicView, score: PageScore) -> PageScore:
        """``score``, but never on topic for an answer that is no page (soft 404 …), nor for a page older than its topic wants."""
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
        """True for a near-duplicate of a hit at another URL: it is a hit and is stored, too, but nothing new was found."""
        return self.is_hit and self._judging.copies.is_copy(self._page.simhash, fingerprint(self.url))

    @cached_property
    def is_hub(self) -> bool:
        """True for a page on topic that is a list of links and not a page to read, unless a topic takes such pages for hits."""
        takers = [view for view in self._views if self.scores[view.topic].on_topic]
        return bool(takers) and self._page.is_hub and not any(view.takes_hubs for view in takers)

    @property
    def is_new_hit(self) -> bool:
        return self.is_hit and not self.is_copy and not self.is_hub

    def judge_links(self, links: Sequence[Link] | None = None) -> LinkVerdicts:
        """Judge ``links`` (default: the page's own) as a whole, each by every topic; the best verdict counts."""
        chosen = self._page.links if links is None else links
        if self._judging.barren is not None and self._page.condition != "listing":
            self._judging.barren.note(self.url, self._page)
        forbidden = "nofollow" if "nofollow" in self._page.robots else ""
        admitted, refused = admit(chosen, self._judging.reject_reason, self.depth + 1, forbidden)
        places = self._link_places([link for _, link in admitted])
        views = ((place, self._judging.views[place]) for place in places)
        policies = {place: (view.policy, self._parent(view)) for place, view in views}
        if self.is_new_hit and self._judging.needs is not None:
            hits = zip(self._places, self._views, strict=True)
            self._judging.needs.note([place for place, view in hits if self.scores[view.topic].on_topic])
        return prune(admitted, refused, policies, self._judging.link_values)

    def _link_places(self, links: Sequence[Link]) -> list[int]:
        """The numbers of the topics that judge the links: those of the page, and with a matrix the likeliest for its anchors."""
        if self._judging.matrix is None:
            return self._places
        anchors = PageWords(body=tuple(self._judging.matrix.segmenter.words(" \n".join(link.anchor for link in links))))
        return list(dict.fromkeys([*self._places, *self._judging.places_for(anchors, IN_ANCHORS)]))

    def _parent(self, view: TopicView) -> Parent:
        score = self.scores.get(view.topic) or PageScore(0.0, False, view.judge.threshold)
        target, is_hub = fingerprint(self.url), score.on_topic and self.is_hub  # off this topic it is none
        return Parent(self.url, target, score.value, score.on_topic, self.depth, self.words, self.is_copy, is_hub)
