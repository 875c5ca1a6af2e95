"""RW, the relevance weight of links, and IPageRank, the PageRank of a surfer who is interested in the topic ((a) Li 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from topicspider.relevance.interfaces import LinkScore, Parent
from topicspider.relevance.rank_graph import MAX_EDGES, RankGraph
from topicspider.relevance.site_topics import SiteTopics
from topicspider.text.similarity import WordSimilarity
from topicspider.url import words_in_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import PolicyContext, Tokenizer
    from topicspider.topic.profile import TopicProfile

# Words below this weight were mostly learned from sample texts (朋友, 选择): together they show the topic of a page, but a single one
# says nothing about a link.
LEAST_WEIGHT = 0.2


class Match(NamedTuple):
    """The word of a link that is most similar to a topic word: the similarity in [0, 1], the word, and the field it stands in."""

    similarity: float = 0.0
    word: str = ""
    field: str = ""


NO_MATCH = Match()


class LinkRelevance:
    """max(M(url)): the largest similarity of any word of a link's extended metadata to any topic word.

    Extended metadata: anchor, title, text before and after, heading, and the words of the URL. The best word of a text is cached for the
    last 50,000 texts, since texts repeat: menus stand on every page of a site.
    """

    def __init__(self, profile: TopicProfile, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._similarity = WordSimilarity(profile.synonyms)
        self._topic_words = topic_words(profile)
        self._best_word = lru_cache(maxsize=50_000)(self._best_word_of)
        self._near = lru_cache(maxsize=100_000)(lambda word: self._similarity.best_match(word, self._topic_words))
        self._nearest = lru_cache(maxsize=100_000)(self._nearest_of)

    def match(self, link: Link) -> Match:
        """The best match over all fields; the anchor's comes first among equals."""
        best = NO_MATCH
        for field, text in (
            ("anchor", link.anchor),
            ("title", link.title),
            ("heading", link.heading),
            ("before", link.before),
            ("after", link.after),
        ):
            if text:
                similarity, word = self._best_word(text)
                if similarity > best.similarity:
                    best = Match(similarity, word, field)
                    if similarity >= 1.0:
                        return best
        similarity, word = self._url_match(link.url)
        return Match(similarity, word, "url") if similarity > best.similarity else best

    def is_silent(self, link: Link) -> bool:
        """Whether neither anchor nor title has a word: a picture, an arrow."""
        return not any(text and self._tokenizer.words(text) for text in (link.anchor, link.title))

    def pair(self, word: str) -> str:
        """``word~topic word``: ``word`` and the topic word nearest to it, for explanations."""
        return f"{word}~{self._nearest(word)}"

    def _url_match(self, url: str) -> tuple[float, str]:
        best, best_word = 0.0, ""
        for piece in words_in_url(url):
            similarity, word = (self._near(piece), piece) if piece.isascii() else self._best_word(piece)
            if similarity > best:
                best, best_word = similarity, word
        return best, best_word

    def _best_word_of(self, text: str) -> tuple[float, str]:
        best, best_word = 0.0, ""
        for word in self._tokenizer.words(text):
            similarity = self._near(word)
            if similarity > best:
                best, best_word = similarity, word
                if best >= 1.0:
                    break
        return best, best_word

    def _nearest_of(self, word: str) -> str:
        return max(self._topic_words, key=lambda topic_word: self._similarity.similarity(word, topic_word), default="")


def topic_words(profile: TopicProfile) -> tuple[str, ...]:
    """The feature words that links are compared with: those of weight ≥ LEAST_WEIGHT, or all when there are none."""
    strong = tuple(word for word, weight in profile.weights.items() if weight >= LEAST_WEIGHT)
    return strong or tuple(profile.weights)


_HOME_LINK_KINDS = frozenset({"up", "level", "cross"})


@dataclass(frozen=True, slots=True)
class RelevanceWeight:
    """RW of one link (0 is pruned) and the match it comes from."""

    rw: float
    match: Match


class RelevanceWeights:
    """RW(url) = max(M(url)) if that is ≥ c, else 0 ((a) Li 2002, formula 1); c is the threshold.

    One addition, off when ``context.faithful``: a link to the next or previous page of a list leads to more of the same, and one to the
    site's own home page to what the site is about (the paper's site topics: a site has one or a few). So their RW is at least the standing
    of their page: 1 for a page on topic, else the mean of max(M) over the other links in its main part (a hub is about what it links to).

    With ``context.faithful`` instead: a link without a word in anchor or title has at least the site topic of its target (SiteTopics).
    """

    def __init__(self, context: PolicyContext) -> None:
        self._relevance = LinkRelevance(context.profile, context.tokenizer)
        self.threshold = context.threshold
        self._site_topics = SiteTopics() if context.faithful else None

    def weigh(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[RelevanceWeight]:
        """A RelevanceWeight for each link, in order."""
        matches = [self._relevance.match(link) for _, link in links]
        heirs = [] if self._site_topics else [_heir(link) for _, link in links]
        if self._site_topics:
            self._site_topics.add(parent, [link for _, link in links])
            matches = [self._of_site(link, match) for (_, link), match in zip(links, matches, strict=True)]
        if any(heirs):
            standing = 1.0 if parent.on_topic else _mean_of_others(links, matches)
            matches = [
                Match(standing, "", heir) if heir and standing > match.similarity else match
                for heir, match in zip(heirs, matches, strict=True)
            ]
        return [RelevanceWeight(m.similarity if m.similarity >= self.threshold else 0.0, m) for m in matches]

    def _of_site(self, link: Link, match: Match) -> Match:
        share = self._site_topics.of(link.url) if self._site_topics else 0.0
        return Match(share, "", "site_topic") if share > match.similarity and self._relevance.is_silent(link) else match

    def parts(self, weight: RelevanceWeight) -> dict[str, float]:
        """For explanations: RW, and max(M) by the field it was found in and by its pair of words."""
        match = weight.match
        if not match.word:
            return {"rw": weight.rw, match.field: match.similarity} if match.field else {"rw": weight.rw}
        return {"rw": weight.rw, match.field: match.similarity, self._relevance.pair(match.word): match.similarity}


def _heir(link: Link) -> str:
    """Why a link inherits the standing of its page: "pagination" or "home"; "" when it does not."""
    if link.is_pagination:
        return "pagination"
    return "home" if link.kind in _HOME_LINK_KINDS and link.url.count("/") == 3 and link.url.endswith("/") else ""


def _mean_of_others(links: Sequence[tuple[int, Link]], matches: Sequence[Match]) -> float:
    others = [
        m.similarity
        for (_, link), m in zip(links, matches, strict=True)
        if link.block == "main" and not link.is_pagination
    ]
    return sum(others) / len(others) if others else 0.0


class RwPolicy:
    """(a) Li 2002, formula 1: the value is RW; links below the threshold are pruned (``low_rw``)."""

    name: str = "rw"

    def __init__(self, context: PolicyContext) -> None:
        self._weights = RelevanceWeights(context)

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        weights = self._weights.weigh(parent, links)
        return [LinkScore(one.rw, "" if one.rw > 0.0 else "low_rw", self._weights.parts(one)) for one in weights]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: the frontier keeps the best RW a link was ever found with."""
        return ()


class IPageRankPolicy:
    """(a) Li 2002, formula 3: IPR(A) = (1-d) + d · Σ IPR(T) · RW(T→A) / Σ_j RW(T→j), d = .85.

    Links of RW 0 are pruned (``low_rw``) and pass no rank on. Of several links from a page to one target the best RW counts. Ranks are
    exact to 1 % and rise as pages are found: see ``promotions``.

    A link's value is IPR · best RW of the links to its target; with ``context.faithful`` the rank alone (docs/adr/0005).
    """

    name: str = "ipagerank"

    def __init__(self, context: PolicyContext) -> None:
        self._weights = RelevanceWeights(context)
        self._graph = RankGraph()
        self._best_rw: dict[int, float] | None = None if context.faithful else {}

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link: the rank of its target, with this page's links counted."""
        weights = self._weights.weigh(parent, links)
        self._graph.expand(parent.fingerprint, self._shares(parent, links, weights))
        return [self._score(target, weight) for (target, _), weight in zip(links, weights, strict=True)]

    def _score(self, target: int, weight: RelevanceWeight) -> LinkScore:
        parts = self._weights.parts(weight)
        if weight.rw <= 0.0:
            return LinkScore(0.0, "low_rw", parts)
        rank = self._graph.tell(target)
        return LinkScore(rank * self._interest(target, weight.rw), "", {**parts, "ipagerank": rank})

    def _interest(self, target: int, rw: float) -> float:
        """The best RW of a link to ``target`` so far; 1 when only the rank counts. Remembers the last MAX_EDGES targets."""
        if self._best_rw is None:
            return 1.0
        best = max(rw, self._best_rw.pop(target, 0.0))
        self._best_rw[target] = best
        if len(self._best_rw) > MAX_EDGES:
            del self._best_rw[next(iter(self._best_rw))]
        return best

    def _shares(
        self, parent: Parent, links: Sequence[tuple[int, Link]], weights: Sequence[RelevanceWeight]
    ) -> dict[int, float]:
        """Target to its best RW among this page's links, without links of the page to itself."""
        best: dict[int, float] = {}
        for (target, _), weight in zip(links, weights, strict=True):
            if target != parent.fingerprint:
                best[target] = max(weight.rw, best.get(target, 0.0))
        return best

    def rank(self, page: int) -> float:
        """The IPageRank of a page (by fingerprint) from the links found so far."""
        return self._graph.rank(page)

    def promotions(self) -> Sequence[tuple[int, float]]:
        """Targets whose rank rose by more than 1 % since it was last told, with their new values."""
        if self._best_rw is None:
            return self._graph.risen()
        return [(target, rank * self._best_rw.get(target, 0.0)) for target, rank in self._graph.risen()]
