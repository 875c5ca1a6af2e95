"""The learned link policy: a logistic regression on the features of links, fitted online to the outcomes of the links followed so far."""

from __future__ import annotations

import json
import math
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from heapq import nlargest, nsmallest
from itertools import chain, islice, zip_longest
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from topicspider.errors import one_line
from topicspider.relevance.interfaces import LinkScore, Parent
from topicspider.relevance.link_features import (
    BASE,
    GROUPS,
    NAMES,
    PRIOR,
    STATIC_FEATURES,
    RateTables,
    SiteRate,
    SmoothedRate,
    TextSimilarity,
    TitleDirection,
    anchor_of,
    belongs_to_page,
    remember,
    site_name,
    static_features,
    text_of,
    texts_of,
    url_pattern,
)
from topicspider.relevance.link_learning import FIRST_FIT, Example, corrections, direction_of, value_of_page
from topicspider.relevance.page_prior import shares_of, sigmoid

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import PolicyContext
    from topicspider.relevance.link_features import TextNews

EVERY, GROWTH = 25, 10
"""Refit every 25 pages, later after each tenth more pages. Refitting every 100 pages instead of 25 costs .009 of the harvest."""
HALF_TRUST = 60.0
"""Corrections fitted to n examples are added to the prior's weights times n / (n + 60)."""
EXPLORE_EVERY = 33
"""One page in 33 (3 %) explores: it is taken from a site of which few links were followed."""
PATIENCE = 2
"""When an exploring link has not arrived after this many pages, another one is sent: of many sites only dead links are known."""
GAMMA = 0.9
"""Discount factor on the value of what a page leads to, against a hit at once. Set by hand; at 0 the harvest falls on every corpus."""
BEST_LINKS = 20
"""This many of the best new links of a page give the value of what it leads to."""
QUEUED_LINKS = 25_000
REMEMBERED_PAGES = 50_000
RESCORED, RESCORED_AT_ONCE = 3_000, 300
"""Queued links rescored after each fit: the best, and as many others in turn; and those rescored after one page (1 to 2 ms)."""
DISTANCE_COST, FARTHEST = 1.0, 4
"""The log-odds that a link loses for each link between its page and the last hit or seed on the way there, at most FARTHEST of them; with h
hits times 60 / (h + 60). Shark search, too, hands down less of a score the farther a page is from one on topic."""
_MOST_HITS = _MOST_MISSES = 2_500
_MOST_TITLES = 1_000
"""Remembered titles of hits, and as many of other pages."""
_CARRIED_EXAMPLES = 1_500
_MEMBERS = 60
"""At most this many links of a group are rescored when one of them was followed."""
_SAME_HOST_KINDS = ("up", "level", "down")
_FOLLOWED = LinkScore(0.0)
_Explorer = tuple[float, float, int]


class LinkWeights(NamedTuple):
    """The weights of ``link_score``: the prior's with the corrections of the latest fit; ``of`` in the order of NAMES.

    ``distance``: log-odds for each link of distance (see DISTANCE_COST), which is not fitted."""

    base: float = BASE
    of: tuple[float, ...] = PRIOR
    distance: float = -DISTANCE_COST


def link_score(weights: LinkWeights, features: Iterable[float], more: float = 0.0) -> float:
    """score = σ(base + Σ weight · feature + more): the expected outcome of a link in [0, 1]; LearnedPolicy defines the outcome.

    ``more``: log-odds that are not learned, of the novelty of its site and of its distance."""
    return sigmoid(weights.base + sum(map(mul, weights.of, features)) + more)


def novelty_of(site: SiteRate) -> float:
    """Log-odds of a link by its site: more when few links of the site were followed, less when those were worth less than promised."""
    return 0.5 / (1.0 + site.count / 5.0) + math.log((site.kept + 1.0) / (site.promised + 1.0))


class LinkParts(Mapping[str, float]):
    """Named parts that sum to a link's score; computed when first asked for, since few scored links are ever explained."""

    __slots__ = ("_distance", "_features", "_novelty", "_parts", "_weights")

    def __init__(self, weights: LinkWeights, features: tuple[float, ...], novelty: float, distance: int) -> None:
        self._weights, self._features, self._novelty, self._distance = weights, features, novelty, distance
        self._parts: dict[str, float] | None = None

    def __getitem__(self, name: str) -> float:
        return self.named()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.named())

    def __len__(self) -> int:
        return len(self.named())

    def __reduce__(self) -> tuple[type, tuple[dict[str, float]]]:
        return dict, (self.named(),)

    def named(self) -> dict[str, float]:
        """``base``, σ(base), and what each group of features, novelty and distance add to it."""
        if self._parts is None:
            terms = dict(zip(NAMES, map(mul, self._weights.of, self._features), strict=True))
            groups = {group: sum(terms[name] for name in names) for group, names in GROUPS.items()}
            groups |= {"novelty": self._novelty, "distance": self._weights.distance * self._distance}
            shares = shares_of(self._weights.base, {name: term for name, term in groups.items() if term})
            self._parts = {"base": sigmoid(self._weights.base), **shares}
        return self._parts


class QueuedLink:
    """A link that waits to be fetched, with what is needed to score it again.

    ``numbers``: the features from which ``value`` was computed, the static ones first. ``meaning``: that of its anchor. ``citations``: the
    hit rate of the other pages that link to it. ``parent``: the relevance of the page it stands on. ``distance``: of that page from the
    last hit or seed.
    """

    __slots__ = (
        "citations", "direction", "distance", "gain", "group", "is_menu", "list", "meaning", "novelty", "numbers", "parent", "pattern", "site", "value", "weights",
    )  # fmt: skip

    def __init__(
        self, link: Link, static: tuple[float, ...], meaning: bytes, site: SiteRate, pattern: SmoothedRate
    ) -> None:
        self.numbers, self.meaning, self.site, self.pattern = static, meaning, site, pattern
        self.citations: SmoothedRate | None = None
        self.list: SmoothedRate | None = None
        self.group: SmoothedRate | None = None
        self.is_menu = not belongs_to_page(link)
        self.parent = self.gain = 0.0
        self.distance = 0
        self.direction: TitleDirection | None = None  # from which ``gain`` was computed
        self.weights, self.novelty, self.value = LinkWeights(), 0.0, 0.0

    def features(self, titles: TitleDirection) -> tuple[float, ...]:
        """All features as they are now, in the order of NAMES."""
        if self.direction is not titles:
            self.direction, self.gain = titles, titles.gain(self.meaning)
        return (
            *self.numbers[: len(STATIC_FEATURES)],
            self.gain,
            self.site.log_odds_gain,
            self.pattern.log_odds_gain,
            0.0 if self.list is None else self.list.log_odds_gain,
            0.0 if self.group is None else self.group.log_odds_gain,
            0.0 if self.citations is None else self.citations.log_odds_gain,
        )

    def rescore(self, weights: LinkWeights, titles: TitleDirection) -> None:
        """Compute its value anew from the present weights and rates."""
        self.weights, self.numbers, self.novelty = weights, self.features(titles), novelty_of(self.site)
        self.value = link_score(weights, self.numbers, self.novelty + weights.distance * self.distance)

    @property
    def score(self) -> LinkScore:
        """Value and parts as of the last ``rescore``."""
        return LinkScore(self.value, "", LinkParts(self.weights, self.numbers, self.novelty, self.distance))


class QueuedLinks(dict[int, QueuedLink]):
    """Queued links by fingerprint, in the order they were found; at most QUEUED_LINKS: those of the lowest values are forgotten first."""

    def put(self, fingerprint: int, queued: QueuedLink) -> None:
        """Add a link, or replace what is known of it."""
        self[fingerprint] = queued
        if len(self) > QUEUED_LINKS:
            for worst in nsmallest(QUEUED_LINKS // 10, self, key=self._value):
                del self[worst]

    def best(self, count: int) -> list[int]:
        """The ``count`` links of the largest values, the best first; among equal ones the earliest found."""
        return nlargest(count, self, key=self._value)

    def _value(self, fingerprint: int) -> float:
        return self[fingerprint].value


class LearnedPolicy:
    """The value of a link, in [0, 1]: ``link_score`` of its features.

    ``judge`` is called once for each page. It scores the links of the page, learns the outcome of the link that led to the page, and does
    one step of longer work (preparing a fit, rescoring queued links).

    The outcome of a link is 1 when its page is a hit, n / (n + 1) when it is a hub with n links that are new or worth more now, else
    GAMMA · value_of_page of such links: so a list is worth what it adds. Links to pages that were judged already have the value 0.
    """

    name: str = "learned"

    def __init__(self, context: PolicyContext) -> None:
        self._similarity = TextSimilarity(context)
        self._fits = context.fits
        self._rates = RateTables()
        self._titles: tuple[deque[bytes], deque[bytes]] = deque(maxlen=_MOST_TITLES), deque(maxlen=_MOST_TITLES)
        self._direction = TitleDirection()
        self._weights, self._trust, self._fit_count, self._digest = LinkWeights(), 0.0, 0, ""
        self._queued = QueuedLinks()
        self._outcomes: OrderedDict[int, float] = OrderedDict()
        self._first_pages: OrderedDict[int, int] = OrderedDict()  # page of a list to the list's first page
        self._moved: OrderedDict[int, int] = OrderedDict()  # link to the one that its URL redirected to
        self._texts: OrderedDict[int, int] = OrderedDict()  # ``text_of`` a URL to the first link found with it
        self._hits: deque[Example] = deque(maxlen=_MOST_HITS)
        self._misses: deque[Example] = deque(maxlen=_MOST_MISSES)
        self._adopted: list[Example] = []
        self._new_examples: deque[str] = deque(maxlen=1_000)
        self._revised: dict[int, float] = {}
        self._least_hit = 0.0
        self._judged, self._next_fit, self._turn = 0, EVERY, 0
        self._due = 0
        self._to_explore: list[int] = []
        self._exploring: OrderedDict[int, int] = OrderedDict()  # fingerprint to the pages judged when it was sent
        self._chores: Iterator[None] = iter(())

    def foresee(self, texts: TextNews) -> None:
        """Use ``texts``, computed by another process, for the page that is judged next."""
        self._similarity.take(texts)

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link; learns the outcome of the link that led to ``parent``."""
        self._judged += 1
        followed = self._queued.pop(parent.fingerprint, None)
        is_hit = parent.on_topic and not parent.is_copy
        relevance = self._parent_relevance(parent)
        first = self._first_pages.get(parent.fingerprint, parent.fingerprint)
        page = _Page(site_name(parent.url), first, relevance, 0 if is_hit else _distance_after(followed, parent.depth))
        self._read_texts(parent, links, relevance)
        similarity, standing = self._similarity, (relevance, float(is_hit))
        hit = parent.url if parent.on_topic and not parent.is_hub else ""
        gained: dict[int, float] = {}
        cited: set[int] = set()
        listed, scores = 0, []
        for target, link in links:  # most are known: followed already, or in a menu
            known = self._queued.get(target)
            if target not in cited and _is_citation(link):
                cited.add(target)
                if known is not None:
                    self._cite(target, known, is_hit=is_hit)
            if known is None and self._is_followed(target, parent):
                scores.append(_FOLLOWED)
            elif known is not None and not _is_better(known, link, relevance, similarity.of(anchor_of(link))):
                scores.append(known.score)
            else:
                static = static_features(link, similarity, standing, hit, self._first_of(target, link) == target)
                queued = self._queue(target, link, static, page, known)
                if queued is not known:
                    gained[target] = queued.value
                    listed += _is_citation(link)
                scores.append(queued.score)
        self._learn(parent, followed, gained, listed)
        next(self._chores, None)
        return scores

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: see ``revised``."""
        return ()

    def forget(self, fingerprint: int) -> None:
        """Remove a link whose URL gave no page; for the outcome of the page it stands on it keeps its last value."""
        if (queued := self._queued.pop(fingerprint, None)) is not None:
            remember(self._outcomes, fingerprint, queued.value, REMEMBERED_PAGES)

    def redirected(self, source: int, target: int) -> None:
        """The URL of a queued link leads to ``target``, another URL: that has its place now, and what comes of it is the link's outcome."""
        queued = self._queued.pop(source, None)
        if queued is None:
            return
        remember(self._moved, source, target, REMEMBERED_PAGES)
        known = self._queued.get(target)
        if target not in self._outcomes and (known is None or known.value < queued.value):
            self._queued.put(target, queued)
        if source in self._exploring:
            self._exploring[target] = self._exploring.pop(source)

    @property
    def version(self) -> str:
        """See Learner."""
        if self._fit_count and not self._digest:  # computed once a fit: it is asked for with every page
            learned = (self._weights, self._trust, self._direction.state())
            self._digest = blake2b(repr(learned).encode(), digest_size=6).hexdigest()
        return f"{self._fit_count}-{self._digest}" if self._fit_count else "0"

    def revised(self) -> Sequence[tuple[int, float]]:
        """(fingerprint, new value) of queued links that rose or fell when rescored since the last call; 1 for links sent to explore."""
        revised, self._revised = self._revised, {}
        return list(revised.items())

    def state(self) -> bytes:
        """See Learner."""
        examples = islice(chain(self._newest(), self._adopted), _CARRIED_EXAMPLES)
        content = {
            "fits": self._fit_count,
            "trust": self._trust,
            "distance": self._weights.distance,
            "base": self._weights.base,
            "weights": dict(zip(NAMES, self._weights.of, strict=True)),
            "rates": self._rates.state(),
            "titles": self._direction.state(),
            "least_hit": self._least_hit,
            "examples": [example.line() for example in examples],
        }
        return json.dumps(content, ensure_ascii=False, sort_keys=True).encode()

    def adopt(self, state: bytes) -> None:
        """See Learner; ValueError also for a state of another version of this program."""
        try:
            content = json.loads(state)
            numbers = tuple(float(content["weights"][name]) for name in NAMES)
            base, trust, fits = float(content["base"]), float(content["trust"]), int(content["fits"])
            distance = float(content.get("distance", 0.0))  # earlier versions had none
            examples = [example for line in content["examples"] if (example := Example.read(line)) is not None]
            rates, least_hit = content["rates"], float(content["least_hit"])
            direction = TitleDirection.read(content["titles"])
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ValueError(f"not the state of this version's link policy: {one_line(str(error))}") from None
        if not 0.0 <= trust < 1.0 or not all(map(math.isfinite, (*numbers, base, distance, least_hit))):
            raise ValueError("weights of links out of their range")
        self._rates.adopt(rates)
        self._weights, self._trust = LinkWeights(base, numbers, distance), trust
        self._fit_count, self._digest = fits, ""
        self._least_hit, self._direction = least_hit, direction
        self._adopted = examples[:_CARRIED_EXAMPLES]
        self._chores = self._rescore_step()

    def drain_examples(self) -> Sequence[str]:
        """See SharingLearner."""
        examples = list(self._new_examples)
        self._new_examples.clear()
        return examples

    def add_examples(self, examples: Sequence[str]) -> None:
        """See SharingLearner."""
        for line in examples:
            if (example := Example.read(line)) is not None:
                self._add(example)

    def _read_texts(self, parent: Parent, links: Sequence[tuple[int, Link]], relevance: float) -> None:
        """Read the texts of the page's links in one batch: every anchor, and all texts of links that are new or may be worth more now."""
        texts = [anchor_of(link) for _, link in links]
        for target, link in links:
            known = self._queued.get(target)
            if not self._is_followed(target, parent) if known is None else _is_better(known, link, relevance):
                texts += texts_of(link)
        meaning = self._similarity.read(texts, parent.words.title)
        if meaning and not parent.is_hub and not parent.is_copy:
            self._titles[parent.on_topic].append(meaning)

    def _first_of(self, target: int, link: Link) -> int:
        """The fingerprint of the first link found to the same text, with whatever query (see ``text_of``)."""
        text = text_of(link.url) if "?" in link.url else target
        return self._texts.get(text) or remember(self._texts, text, target, REMEMBERED_PAGES)

    def _is_followed(self, target: int, parent: Parent) -> bool:
        return target in self._outcomes or target in self._moved or target == parent.fingerprint

    def _queue(
        self, target: int, link: Link, static: tuple[float, ...], page: _Page, known: QueuedLink | None
    ) -> QueuedLink:
        """Queue the link as it was just found, unless ``known``, queued for its target, is worth as much; returns the queued one."""
        if link.is_pagination:
            remember(self._first_pages, target, self._first_pages.get(target, page.first), REMEMBERED_PAGES)
        queued = self._with_rates(link, static, page, known)
        queued.rescore(self._weights, self._direction)
        if known is not None and queued.value <= known.value:
            return known
        self._queued.put(target, queued)
        if queued.group is not None and not queued.is_menu and len(queued.group.members) < _MEMBERS:
            queued.group.members += (target,)
        return queued

    def _with_rates(self, link: Link, static: tuple[float, ...], page: _Page, known: QueuedLink | None) -> QueuedLink:
        """A link to be queued, with the rates that it belongs to; those of its URL and target are taken from ``known``, if any."""
        rates = self._rates
        own = rates.site(page.site)
        meaning = self._similarity.meaning(anchor_of(link))
        distance = max(0, page.distance - link.is_pagination)  # the next page of a list is no farther than the list
        if known is None:
            name = page.site if link.kind in _SAME_HOST_KINDS else site_name(link.url)
            queued = QueuedLink(link, static, meaning, rates.site(name), rates.pattern(name, url_pattern(link.url)))
            queued.distance = distance
        else:
            queued = QueuedLink(link, static, meaning, known.site, known.pattern)
            queued.citations = known.citations
            queued.distance = min(distance, known.distance)
        if queued.is_menu:
            queued.group = rates.group((page.site, link.block), own)
            return queued
        queued.parent = page.relevance
        queued.list = rates.group(page.first, own)
        if not link.is_pagination:
            queued.group = rates.group((page.first, link.group), queued.list)
        return queued

    def _cite(self, target: int, known: QueuedLink, *, is_hit: bool) -> None:
        """Count a further page that links to a queued link's target; when it is a hit, rescore the link at once."""
        known.citations = known.citations or SmoothedRate(known.site, prior_strength=4.0)
        known.citations.add(float(is_hit))
        if is_hit:
            self._revise(target)

    def _parent_relevance(self, parent: Parent) -> float:
        """The page's relevance on a scale that is the same for all scorers and thresholds: [.5, 1) on topic, [0, .5] off topic."""
        score = parent.score
        if parent.on_topic and (not self._least_hit or score < self._least_hit):
            self._least_hit = score
        relevance = score / (score + (self._least_hit or 0.5)) if score > 0.0 else 0.0
        return max(0.5, relevance) if parent.on_topic else min(0.5, relevance)

    def _learn(self, parent: Parent, followed: QueuedLink | None, gained: Mapping[int, float], listed: int) -> None:
        """Learn a page's outcome. ``gained``: values of its links that are new or worth more; ``listed``: how many are in its main part."""
        is_hit = parent.on_topic and not parent.is_copy and not parent.is_hub
        best = () if is_hit or parent.is_hub else tuple(nlargest(BEST_LINKS, gained, key=gained.__getitem__))
        outcome = 1.0 if is_hit else GAMMA * value_of_page(gained[target] for target in best)
        if parent.is_hub:
            outcome = listed / (listed + 1)
        remember(self._outcomes, parent.fingerprint, outcome, REMEMBERED_PAGES)
        features = () if followed is None else followed.features(self._direction)  # as they were before this page
        self._rates.global_rate.add(float(is_hit))
        self._rates.site(site_name(parent.url)).add(float(is_hit))
        if followed is not None:
            promised, site = link_score(self._weights, features), followed.site
            news = value_of_page(self._promise(target) for target in best if self._is_news(target, site))
            site.settle(promised, 1.0 if is_hit else min(promised, news))
            example = Example(features, outcome, best)
            self._add(example)
            self._new_examples.append(example.line())
            self._note_outcome(followed, outcome)
        if self._judged >= self._next_fit:
            self._next_fit = self._judged + max(EVERY, self._judged // GROWTH)
            self._chores = self._fit()
        self._explore(parent.fingerprint)

    def _promise(self, target: int) -> float:
        """What a queued link is worth by its features alone."""
        return link_score(self._weights, self._queued[target].numbers)

    def _is_news(self, target: int, site: SiteRate) -> bool:
        """Whether a link leads to another site, not visited yet: a page of a web directory, no hit, keeps its promise by such links."""
        queued = self._queued.get(target)
        return queued is not None and queued.site is not site and not queued.site.count

    def _note_outcome(self, followed: QueuedLink, outcome: float) -> None:
        """Add the outcome to the link's rates; rescore the other links of its group."""
        for rate in (followed.pattern, followed.list, followed.group):
            if rate is not None:
                rate.add(outcome)
        for fingerprint in followed.group.members if followed.group is not None else ():
            self._revise(fingerprint)

    def _add(self, example: Example) -> None:
        (self._hits if example.outcome >= 1.0 else self._misses).append(example)

    def _newest(self) -> Iterator[Example]:
        """Own examples, the newest first, a hit and a miss in turn."""
        pairs = zip_longest(reversed(self._hits), reversed(self._misses))
        return (example for pair in pairs for example in pair if example is not None)

    def _fit(self) -> Iterator[None]:
        """Fit anew; first update the outcomes of misses, since more is known by now of the links that they led to."""
        for number, example in enumerate(list(self._misses), 1):
            if example.children:
                values = [value for child in example.children if (value := self._value_of(child)) is not None]
                example.outcome = GAMMA * value_of_page(values)
            if number % 200 == 0:
                yield
        own = [*self._hits, *self._misses]
        known = {example.features for example in own}
        examples = [*(example for example in self._adopted if example.features not in known), *own]
        if len(examples) < FIRST_FIT:
            yield from self._rescore_step()
            return
        features, outcomes = [example.features for example in examples], [example.outcome for example in examples]
        titles = list(self._titles[False]), list(self._titles[True])
        hits = sum(outcome >= 1.0 for outcome in outcomes)
        self._fits.run(lambda: (corrections(features, outcomes), direction_of(*titles), hits), self._take)

    def _take(self, fitted: tuple[tuple[float, Sequence[float], int], TitleDirection, int]) -> None:
        (base, numbers, count), direction, hits = fitted
        if direction.trust >= self._direction.trust:  # a resumed crawl begins with few titles of its own
            self._direction = direction
        self._trust = trust = count / (count + HALF_TRUST)
        moved = tuple(prior + trust * number for prior, number in zip(PRIOR, numbers, strict=True))
        distance = -DISTANCE_COST * HALF_TRUST / (HALF_TRUST + hits)
        self._weights = LinkWeights(BASE + trust * base, moved, distance)
        self._fit_count += 1
        self._digest = ""
        self._chores = self._rescore_step()

    def _value_of(self, fingerprint: int) -> float | None:
        fingerprint = self._moved.get(fingerprint, fingerprint)
        queued = self._queued.get(fingerprint)
        return self._outcomes.get(fingerprint, None if queued is None else queued.value)

    def _revise(self, fingerprint: int) -> None:
        queued = self._queued.get(fingerprint)
        if queued is None:
            return
        before = queued.value
        queued.rescore(self._weights, self._direction)
        if abs(queued.value - before) > 1e-4 and fingerprint not in self._exploring:  # an explorer keeps value 1
            self._revised[fingerprint] = queued.value

    def _rescore_step(self) -> Iterator[None]:
        """Rescore the best queued links and others in turn, then choose links to explore; each page runs one step of 1 to 2 ms."""
        yield from self._rates.refresh()
        rescored = self._queued.best(RESCORED)
        if len(self._queued) > RESCORED:
            rescored += islice(self._queued, self._turn, self._turn + RESCORED)
        self._turn = self._turn + RESCORED if self._turn + RESCORED < len(self._queued) else 0
        for number, fingerprint in enumerate(rescored, 1):
            self._revise(fingerprint)
            if number % RESCORED_AT_ONCE == 0:
                yield
        self._choose_explorers()

    def _choose_explorers(self) -> None:
        """Line up the best link of each site: sites that have answered and unknown ones in turn, the least followed sites first."""
        best: dict[SiteRate, tuple[float, int]] = {}
        for fingerprint, link in self._queued.items():
            if link.site not in best or link.value > best[link.site][0]:
                best[link.site] = link.value, fingerprint
        kinds: tuple[list[_Explorer], list[_Explorer]] = ([], [])
        for site, (value, fingerprint) in best.items():
            kinds[not site.count].append((site.count + site.tries, -value, fingerprint))
        pairs = zip_longest(*(nsmallest(200, kind) for kind in kinds))
        self._to_explore = [explorer[2] for pair in pairs for explorer in pair if explorer is not None][::-1]

    def _explore(self, arrived: int) -> None:
        """Every EXPLORE_EVERY pages put a link of a little-known site first; then every PATIENCE pages another one, until one arrives."""
        if self._exploring.pop(arrived, None) is not None:
            self._due -= 1  # late ones count too: with many connections several may be under way
        if self._judged % EXPLORE_EVERY == 0:
            self._due = min(1, self._due + 1)
        latest = next(reversed(self._exploring.values()), -PATIENCE)
        if self._due < 1 or self._judged < latest + PATIENCE:
            return
        while self._to_explore:
            fingerprint = self._to_explore.pop()
            if (queued := self._queued.get(fingerprint)) is not None:
                self._revised[fingerprint] = 1.0
                remember(self._exploring, fingerprint, self._judged, REMEMBERED_PAGES)
                queued.site.tries += 1
                return


class _Page(NamedTuple):
    """What links inherit from their page. ``first``: fingerprint of the first page of the list that the page belongs to, else its own;
    ``distance``: in links from the last hit or seed."""

    site: str
    first: int
    relevance: float
    distance: int


def _distance_after(followed: QueuedLink | None, depth: int) -> int:
    """The distance of a page that is no hit; by its depth where the link to it is not known any more (a resumed crawl, another node)."""
    return min(FARTHEST, depth if followed is None else followed.distance + 1)


def _is_citation(link: Link) -> bool:
    return link.block == "main" and not link.is_pagination


def _is_better(known: QueuedLink, link: Link, relevance: float, anchor: float = 0.0) -> bool:
    """Whether a link found again may be worth more: no menu link, while ``known`` is, or of a better page or ``anchor`` (0: unknown)."""
    return belongs_to_page(link) and (known.is_menu or relevance > known.parent or anchor > known.numbers[0])
