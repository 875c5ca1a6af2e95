"""The learned link policy: a prior by words and places, corrected by what came of the links followed so far."""

from __future__ import annotations

import json
from collections import OrderedDict
from heapq import nlargest
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.learner.addresses import authority_of, site_at
from topicspider.relevance.learner.examples import BEST_LINKS, Example, Examples, sample_of, worth_of
from topicspider.relevance.learner.fit import Fit, fit
from topicspider.relevance.learner.link_numbers import PRIOR
from topicspider.relevance.learner.link_texts import LinkTexts
from topicspider.relevance.learner.page_links import PageLinks
from topicspider.relevance.learner.tunnel import Tunnel
from topicspider.relevance.learner.waiting import KEPT, UNSCORED, Waiting, WaitingLinks
from topicspider.relevance.learner.weights import Weights
from topicspider.relevance.learner.yield_tables import YieldTables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup

FEWEST = 10
"""Examples before the first fit."""
EVERY, GROWTH = 25, 10
"""A fit after so many pages, and later after a tenth more: refitting every 100 pages in place of 25 costs .009 of the harvest."""
HALF_TRUST = 60.0
"""n examples move the prior by n / (n + 60) of what they say."""
EXPLORE_EVERY = 33
"""3 % of the pages come from the sites of which the fewest links were followed."""
PATIENCE = 2
"""Pages after which a link that explores and did not come is taken for dead, and the next one explores: many sites are known by dead links only."""
CANDIDATES = 200
HEAD = 300
"""Links looked at again after each fit: the best, and as many others by turns."""
PROMISING = 0.4
"""Worth from which on a page that is no hit says nothing of its site yet: it may be the list of many hits."""
GAMMA = 0.9
"""What a page leads to is worth so much of the same at once; without it pages that lead to one another keep up each other's hopes."""
_EXPLORED = 1.0
_CHANGED = 1e-4


class LearnedPolicy:
    """The value of a link, in [0, 1]: how likely its page is a hit, or how good the links are that it leads to.

    A logistic regression on the words of anchor, context and address and on some 25 numbers (link_numbers), drawn to a prior that
    knows the topic's words and the sites' yields. What came of a page is 1 for a hit, else worth_of its new links: so a list
    is worth what it lists. Links to pages that were judged are worth 0.
    """

    name: str = "learned"

    def __init__(self, setup: LinkSetup) -> None:
        self._texts = LinkTexts(setup)
        self._refits = setup.refits
        self._yields = YieldTables()
        self._weights = Weights()
        self._waiting = WaitingLinks()
        self._outcomes: OrderedDict[int, float] = OrderedDict()
        self._first_of: OrderedDict[int, int] = OrderedDict()  # page of a list to its first page
        self._examples = Examples()
        self._tunnel = Tunnel()
        self._revised: dict[int, float] = {}
        self._news: list[str] = []
        self._least_hit = 0.0
        self._judged, self._next_fit = 0, EVERY
        self._turn = 0
        self._to_explore: list[int] = []
        self._exploring: int | None = None
        self._explored_at = 0

    # --- LinkPolicy --------------------------------------------------------------------------------

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link; what came of the link to ``parent`` is learned."""
        self._judged += 1
        came = self._waiting.pop(parent.fingerprint, None)
        numbers = () if came is None else (*came.fixed, *came.moving())
        hit = float(parent.on_topic and not parent.is_copy)
        lift = self._lift(parent)
        steps = 0 if parent.on_topic or came is None else came.steps + 1
        first = self._first_of.get(parent.fingerprint, parent.fingerprint)
        site = site_at(authority_of(parent.url))
        page = PageLinks(links, self._texts, self._yields, site, first, (lift, hit, steps))
        fresh: dict[int, float] = {}
        scores = [
            self._meet(page, parent.fingerprint, target, link, said, first, lift, fresh)
            for (target, link), said in zip(links, page.said, strict=True)
        ]
        self._learn(parent.fingerprint, site, came, numbers, hit, fresh)
        return scores

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: see ``revised``."""
        return ()

    # --- LearningPolicy ----------------------------------------------------------------------------

    @property
    def version(self) -> str:
        """See LearningPolicy."""
        return self._weights.version()

    def revised(self) -> Sequence[tuple[int, float]]:
        """See LearningPolicy."""
        revised, self._revised = self._revised, {}
        return list(revised.items())

    def state(self) -> bytes:
        """See LearningPolicy."""
        content = {"weights": self._weights.state(), "yields": self._yields.state(), "least_hit": self._least_hit}
        return json.dumps(content, ensure_ascii=False, sort_keys=True).encode()

    def adopt(self, state: bytes) -> None:
        """See LearningPolicy."""
        content = json.loads(state)
        if not isinstance(content, dict) or not {"weights", "yields"} <= content.keys():
            raise ValueError("no state of the link policy learned")
        self._weights.adopt(content["weights"])
        self._yields.adopt(content["yields"])
        self._least_hit = float(content.get("least_hit", 0.0))
        self._look_again()

    # --- SharingLearner ----------------------------------------------------------------------------

    def news(self) -> Sequence[str]:
        """This process's examples since the last call, each as JSON."""
        news, self._news = self._news, []
        return news

    def learn(self, examples: Sequence[str]) -> None:
        """Take in other processes' examples; what cannot be read is left out."""
        for text in examples:
            example = _example_of(text)
            if example is not None:
                self._examples.add(example)

    # --- judging -----------------------------------------------------------------------------------

    def _meet(
        self,
        page: PageLinks,
        parent: int,
        target: int,
        link: Link,
        said: Any,
        first: int,
        lift: float,
        fresh: dict[int, float],
    ) -> LinkScore:
        known = self._waiting.get(target)
        if known is None:
            if target in self._outcomes or target == parent:
                return UNSCORED
        elif link.block != "main":  # a menu's link counts once, wherever it stands
            return known.score
        elif not known.is_boilerplate:
            known.known += 1
            known.lift_sum += lift
            if lift <= known.lift and said.words == known.words[0]:
                return known.score
        if link.is_pagination and target not in self._first_of:
            self._first_of[target] = first
            if len(self._first_of) > KEPT:
                self._first_of.popitem(last=False)
        one = page.read(link, said)
        if known is not None:
            one.known, one.lift_sum = known.known, known.lift_sum
        one.value = self._weights.weigh(one)
        if known is None:
            fresh[target] = one.value
        elif one.value <= known.value:
            return known.score
        self._waiting.put(target, one)
        one.score = LinkScore(one.value, self._reason(one, link), self._weights.parts(one))
        return one.score

    def _reason(self, one: Waiting, link: Link) -> str:
        """tunnel: too many steps after the last hit, unless it is the next page of a list or better than most."""
        limit = self._tunnel.limit
        is_deep = limit is not None and one.steps >= limit
        return "tunnel" if is_deep and not link.is_pagination and one.value < self._yields.world.share else ""

    def _lift(self, parent: Parent) -> float:
        """The page's relevance on a scale of its own: one half and more for hits, whatever scorer and threshold."""
        score = parent.score
        if parent.on_topic and (not self._least_hit or score < self._least_hit):
            self._least_hit = score
        lift = score / (score + (self._least_hit or 0.5)) if score > 0.0 else 0.0
        return max(0.5, lift) if parent.on_topic else min(0.5, lift)

    # --- learning ----------------------------------------------------------------------------------

    def _learn(
        self,
        mark: int,
        site: str,
        came: Waiting | None,
        numbers: tuple[float, ...],
        hit: float,
        fresh: Mapping[int, float],
    ) -> None:
        best = nlargest(BEST_LINKS, fresh, key=fresh.__getitem__)
        outcome = hit or GAMMA * worth_of(fresh[target] for target in best)
        self._outcomes[mark] = outcome
        if len(self._outcomes) > KEPT:
            self._outcomes.popitem(last=False)
        if hit or outcome < PROMISING:  # a page that seems to lead somewhere says nothing yet
            self._yields.world.add(hit)
            self._yields.site(site).add(hit)
        if came is not None:
            self._note(came, numbers, outcome, () if hit else tuple(best))
            self._tunnel.add(came.steps, is_hit=bool(hit))
        if self._judged >= self._next_fit:
            self._next_fit = self._judged + max(EVERY, self._judged // GROWTH)
            self._fit()
        if mark == self._exploring:
            self._exploring = None
        is_lost = self._exploring is not None and self._judged >= self._explored_at + PATIENCE
        if is_lost or self._judged % EXPLORE_EVERY == 0:
            self._explore()

    def _note(self, came: Waiting, numbers: tuple[float, ...], outcome: float, children: tuple[int, ...]) -> None:
        """An example, and one more for the yields of the link; the others of its group are looked at again."""
        self._examples.add(Example(numbers, came.words, outcome, children))
        self._news.append(json.dumps([numbers, came.words, outcome], ensure_ascii=False))
        del self._news[:-KEPT_NEWS]
        for one in (came.form, came.whole, came.group):
            if one is not None:
                one.add(outcome)
        if came.group is not None:
            for fingerprint in came.group.members:
                self._weigh_again(fingerprint)

    def _fit(self) -> None:
        if len(self._examples) < FEWEST:
            self._look_again()
            return
        self._examples.look_again(self._worth, GAMMA)
        chosen = self._examples.chosen()
        outcomes = [example.outcome for example in chosen]
        start = self._weights.fit
        self._refits.run(lambda: fit(sample_of(chosen, outcomes, PRIOR), start), self._take)

    def _take(self, found: Fit) -> None:
        count = len(self._examples)
        self._weights.take(found, count / (count + HALF_TRUST))
        self._yields.refresh()
        self._look_again()

    def _worth(self, fingerprint: int) -> float | None:
        outcome = self._outcomes.get(fingerprint)
        if outcome is not None:
            return outcome
        one = self._waiting.get(fingerprint)
        return None if one is None else one.value

    # --- judging anew ------------------------------------------------------------------------------

    def _weigh_again(self, fingerprint: int) -> None:
        one = self._waiting.get(fingerprint)
        if one is None:
            return
        value = self._weights.weigh_again(one)
        if abs(value - one.value) > _CHANGED:
            one.score = LinkScore(value, one.score.pruned, self._weights.parts(one))
            self._revised[fingerprint] = value
        one.value = value

    def _look_again(self) -> None:
        """The head of the queue, and a few others by turns; and which links explore the sites of which little is known."""
        for fingerprint in self._waiting.best(HEAD):
            self._weigh_again(fingerprint)
        everything = list(self._waiting)
        for fingerprint in everything[self._turn : self._turn + HEAD]:
            self._weigh_again(fingerprint)
        self._turn = self._turn + HEAD if self._turn + HEAD < len(everything) else 0
        sites = sorted(
            self._waiting.best_of_sites(), key=lambda found: (found[0].count + found[0].tries, -found[1], found[2])
        )
        alive = [fingerprint for site, _, fingerprint in sites if site.count][:CANDIDATES]
        unknown = [fingerprint for site, _, fingerprint in sites if not site.count][:CANDIDATES]
        by_turns = [one for pair in zip_longest(alive, unknown) for one in pair if one is not None]
        self._to_explore = by_turns[::-1]

    def _explore(self) -> None:
        while self._to_explore:
            fingerprint = self._to_explore.pop()
            one = self._waiting.get(fingerprint)
            if one is not None:
                self._revised[fingerprint] = _EXPLORED
                self._exploring, self._explored_at = fingerprint, self._judged
                one.site.tries += 1
                return
        self._exploring = None


KEPT_NEWS = 1_000


def _example_of(text: str) -> Example | None:
    try:
        numbers, words, outcome = json.loads(text)
        example = Example(
            tuple(float(number) for number in numbers),
            tuple(tuple(str(word) for word in group) for group in words),
            min(1.0, max(0.0, float(outcome))),
        )
    except (ValueError, TypeError):
        return None
    return example if len(example.numbers) == len(PRIOR) else None
