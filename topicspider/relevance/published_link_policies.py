"""Published link policies: bfs, dfs, random, hard_focus, best_first, anchor, shark, pagerank; and the table of all link policies by name."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.relevance.default_thresholds import link_threshold
from topicspider.relevance.hub_authority import HitsPolicy
from topicspider.relevance.interfaces import FitExecutor, InlineFits, LinkScore, Parent, PolicyContext, Tokenizer
from topicspider.relevance.ipagerank import IPageRankPolicy, RwPolicy
from topicspider.relevance.learned_link_policy import LearnedPolicy
from topicspider.relevance.published_page_scorers import TextRelevance
from topicspider.relevance.rank_graph import MAX_EDGES, RankGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import LinkPolicy
    from topicspider.topic.profile import TopicModel, TopicProfile

DEEPEST = 1 << 12
_ARRIVALS = 1 << 30
_STEP = 1e-6  # frontiers keep scores to 1e-6; so the values lie below 4.4e6


class Arrivals:
    """Values > 0 in order of depth, then arrival; exact in millionths for 2^30 links and depths below 4,096."""

    def __init__(self) -> None:
        self._count = 0

    def oldest_first(self, depth: int) -> float:
        """Lower for deeper, then for later links."""
        return ((DEEPEST - min(depth, DEEPEST - 1)) * _ARRIVALS - self._next()) * _STEP

    def newest_first(self, depth: int) -> float:
        """Higher for deeper, then for later links."""
        return (min(depth, DEEPEST - 1) * _ARRIVALS + self._next()) * _STEP

    def _next(self) -> int:
        self._count = min(self._count + 1, _ARRIVALS - 1)
        return self._count


class _FixedValues:
    """A policy whose values never rise later: the frontier keeps the best value that a link was found with."""

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None."""
        return ()


class BfsPolicy(_FixedValues):
    """Breadth-first, the baseline of (a), (b), (c) and (d); prunes nothing. A restart begins a new order of arrival within each depth."""

    name: str = "bfs"

    def __init__(self, context: PolicyContext) -> None:
        self._arrivals = Arrivals()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link, falling with depth, then arrival."""
        return [LinkScore(self._arrivals.oldest_first(parent.depth + 1)) for _ in links]


class DfsPolicy(_FixedValues):
    """Depth-first ((b) thesis 2011, which warns that one deep site can hold it for ever); prunes nothing."""

    name: str = "dfs"

    def __init__(self, context: PolicyContext) -> None:
        self._arrivals = Arrivals()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link, rising with depth, then arrival."""
        return [LinkScore(self._arrivals.newest_first(parent.depth + 1)) for _ in links]


class RandomPolicy(_FixedValues):
    """A baseline: the value is a hash of the fingerprint, keyed by the seed, in [0, 1); prunes nothing."""

    name: str = "random"

    def __init__(self, context: PolicyContext) -> None:
        self._key = (context.seed % (1 << 64)).to_bytes(8, "big")

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        return [LinkScore(self._draw(fingerprint)) for fingerprint, _ in links]

    def _draw(self, fingerprint: int) -> float:
        digest = blake2b(fingerprint.to_bytes(8, "big", signed=True), digest_size=8, key=self._key).digest()
        return (int.from_bytes(digest, "big") >> 11) / (1 << 53)


class HardFocusPolicy(_FixedValues):
    """(b) thesis 2011: breadth-first among the links of on-topic pages; all others are pruned.

    As published it cannot cross a tunnel of off-topic pages, and a seed that is off topic (a web directory) is a dead end.
    """

    name: str = "hard_focus"

    def __init__(self, context: PolicyContext) -> None:
        self._arrivals = Arrivals()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link; pruned ``off_topic_parent`` when the page is off topic."""
        if not parent.on_topic:
            return [LinkScore(0.0, "off_topic_parent", {"parent": parent.score}) for _ in links]
        parts = {"parent": parent.score}
        return [LinkScore(self._arrivals.oldest_first(parent.depth + 1), "", parts) for _ in links]


class BestFirstPolicy(_FixedValues):
    """(b) thesis 2011: the value of a link is the relevance of the page it stands on.

    Prunes nothing by default; with a threshold, links of pages that score below it (``low_parent``). A
    link found again on a better page is promoted by the frontier, which keeps the best value.
    """

    name: str = "best_first"

    def __init__(self, context: PolicyContext) -> None:
        self._threshold = context.threshold

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        reason = "low_parent" if parent.score < self._threshold else ""
        score = LinkScore(0.0 if reason else parent.score, reason, {"parent": parent.score})
        return [score for _ in links]


class AnchorPolicy(_FixedValues):
    """A baseline for rehearsals: the value is the cosine of topic and anchor (its text or image's alt, and title).

    Prunes nothing. A link found again under a better anchor is promoted by the frontier, which keeps the best value.
    """

    name: str = "anchor"

    def __init__(self, context: PolicyContext) -> None:
        self._relevance = TextRelevance(context.profile, context.tokenizer)

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        values = [self._relevance.of(words_of(link)) for _, link in links]
        return [LinkScore(value, "", {"anchor": value}) for value in values]


def words_of(link: Link) -> str:
    """The anchor and its title; a title that repeats the anchor says nothing more."""
    return link.anchor if link.title in ("", link.anchor) else f"{link.anchor} {link.title}"


INHERITED_DECAY = 0.5  # δ
ANCHOR_SHARE = 0.8  # β, of the neighbourhood
INHERITED_SHARE = 0.5  # γ, of the potential score


class SharkPolicy(_FixedValues):
    """Hersovici et al. 1998, "The shark-search algorithm. An application: tailored Web site mapping".

    inherited = δ · sim(topic, page) if that is > 0, else δ · the page's own inherited score;
    context = 1 if anchor > 0, else sim(topic, words around the link);
    neighbourhood = β · anchor + (1-β) · context;
    potential = γ · inherited + (1-γ) · neighbourhood, with δ = .5, β = .8, γ = .5.

    sim of a page is its score by the crawl's page scorer, sim of a text the cosine of ``vsm``. Prunes nothing: the
    paper's limits (depth, time, number of pages) are the crawl's. Of several ways to a target the best inherited score
    is remembered, for the last MAX_EDGES targets; the frontier keeps the best potential, as the paper does.
    """

    name: str = "shark"

    def __init__(self, context: PolicyContext) -> None:
        self._relevance = TextRelevance(context.profile, context.tokenizer)
        self._inherited: dict[int, float] = {}  # by target, oldest first

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link; its parts are the weighted terms of the potential score, and sum to it."""
        above = parent.score if parent.score > 0.0 else self._inherited.get(parent.fingerprint, 0.0)
        inherited = INHERITED_DECAY * above
        if inherited > 0.0:
            for target, _ in links:
                self._remember(target, inherited)
        return [self._score(inherited, link) for _, link in links]

    def _score(self, inherited: float, link: Link) -> LinkScore:
        anchor = self._relevance.of(words_of(link))
        context = 1.0 if anchor > 0.0 else self._relevance.of(f"{link.before} {link.after}".strip())
        parts = {
            "inherited": INHERITED_SHARE * inherited,
            "anchor": (1.0 - INHERITED_SHARE) * ANCHOR_SHARE * anchor,
            "context": (1.0 - INHERITED_SHARE) * (1.0 - ANCHOR_SHARE) * context,
        }
        return LinkScore(sum(parts.values()), "", parts)

    def _remember(self, target: int, inherited: float) -> None:
        self._inherited[target] = max(inherited, self._inherited.pop(target, 0.0))
        if len(self._inherited) > MAX_EDGES:
            del self._inherited[next(iter(self._inherited))]


class PageRankPolicy:
    """(a) Li 2002, formula 2: PR(A) = (1-d) + d · Σ PR(T)/C(T), d = .85; prunes nothing.

    C(T) is the number of different targets of T, without T itself. Ranks are exact to 1 %, and rise while pages are
    found: see ``promotions``.
    """

    name: str = "pagerank"

    def __init__(self, context: PolicyContext) -> None:
        self._graph = RankGraph()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link: the rank of its target, with this page's links counted."""
        targets = dict.fromkeys((target for target, _ in links if target != parent.fingerprint), 1.0)
        self._graph.expand(parent.fingerprint, targets)
        ranks = [self._graph.tell(target) for target, _ in links]
        return [LinkScore(rank, "", {"pagerank": rank}) for rank in ranks]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """Targets whose rank rose by more than 1 % since it was last told."""
        return self._graph.risen()


LINK_POLICIES: dict[str, Callable[[PolicyContext], LinkPolicy]] = {
    "bfs": BfsPolicy,
    "dfs": DfsPolicy,
    "random": RandomPolicy,
    "hard_focus": HardFocusPolicy,
    "best_first": BestFirstPolicy,
    "shark": SharkPolicy,
    "rw": RwPolicy,
    "pagerank": PageRankPolicy,
    "ipagerank": IPageRankPolicy,
    "hits": HitsPolicy,
    "learned": LearnedPolicy,
}


def make_link_policy(
    name: str,
    profile: TopicProfile,
    tokenizer: Tokenizer,
    *,
    threshold: float | None = None,
    seed: int = 0,
    faithful: bool = False,
    model: TopicModel | None = None,
    fits: FitExecutor | None = None,
) -> LinkPolicy:
    """The link policy called ``name``; ConfigError for another name.

    ``threshold``: the option; None (or below 0) leaves it to the topic, then to the policy's default.
    ``faithful`` switches off what we added to the published methods (docs/relevance.md). ``model`` and ``fits`` (at once, when
    None) are for policies that learn.
    """
    if name not in LINK_POLICIES:
        raise ConfigError("TOPICSPIDER_LINK_POLICY", name, ", ".join(LINK_POLICIES))
    limit = link_threshold(profile.topic, name, threshold)
    return LINK_POLICIES[name](PolicyContext(profile, tokenizer, limit, seed, faithful, model, fits or InlineFits()))
