"""The learned link policy: a prior by words and places, corrected by what came of the links followed so far."""

from __future__ import annotations

import json
from collections import OrderedDict
from heapq import nlargest, nsmallest
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.learner.addresses import authority_of, site_at
from topicspider.relevance.learner.example_lines import example_of, examples_of, line_of, newest, said_of
from topicspider.relevance.learner.examples import BEST_LINKS, Example, Examples, sample_of, worth_of
from topicspider.relevance.learner.fit import Fit, fit
from topicspider.relevance.learner.link_numbers import PRIOR
from topicspider.relevance.learner.link_texts import LinkTexts
from topicspider.relevance.learner.lone_links import weighed_alone
from topicspider.relevance.learner.pace import Pace
from topicspider.relevance.learner.page_links import PageLinks
from topicspider.relevance.learner.tunnel import Tunnel
from topicspider.relevance.learner.waiting import UNSCORED, Waiting, WaitingLinks
from topicspider.relevance.learner.weights import Weights
from topicspider.relevance.learner.yield_tables import YieldTables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup

FEWEST = 10
"""Examples before the first fit."""
KEPT_NEWS = 1_000
KEPT = 50_000
"""Pages of which it is remembered what came of them, or which list they belong to."""
MOST_CARRIED = 500_000
"""Characters of examples in a state: some 1,500 of them."""
EVERY, GROWTH = 25, 10
"""A fit after so many pages, and later after a tenth more: refitting every 100 pages in place of 25 costs .009 of the harvest."""
HALF_TRUST = 60.0
"""n examples move the prior by n / (n + 60) of what they say."""
EXPLORE_EVERY = 33
"""3 % of the pages come from the sites of which the fewest links were followed."""
EXPLORE_WHEN_DRY = 4
"""The same while the crawl finds next to nothing: there is little to lose, and what is left lies elsewhere."""
PATIENCE = 2
"""Pages after which a link that explores and did not come is given up, and the next one explores: many sites are known by dead links only.

With many connections it may come later: then it counts, too, and so much longer the next one waits.
"""
GIVEN_UP = 1_000
"""So many of them are remembered."""
CANDIDATES = 200
SITES_AT_ONCE = 2_000
HEAD = 300
"""Links looked at again after each fit: the best, and as many others by turns."""
PROMISING = 0.4
"""Worth from which on a page that is no hit says nothing of its site yet: it may be the list of many hits."""
GAMMA = 0.9
"""What a page leads to is worth so much of the same at once. Set by hand."""
_EXPLORED = 1.0
_CHANGED = 1e-4
_Explorer = tuple[float, float, int]


class LearnedPolicy:
    """The value of a link, in [0, 1]: how likely its page is a hit, or how good the links are that it leads to.

    A logistic regression on the words of anchor, context and address and on some 25 numbers (link_numbers), drawn to a prior that
    knows the topic's words and the sites' yields. What came of a page is 1 for a hit, else worth_of its new links: so a list
    is worth what it lists. Links to pages that were judged are worth 0.
    """

    name: str = "learned"

    def __init__(self, setup: LinkSetup) -> None:
        self._texts = LinkTexts(setup)
        self._refits, self._threshold = setup.refits, setup.threshold
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
        self._exploring: OrderedDict[int, int] = OrderedDict()  # how many pages had come when it was sent
        self._due = 0
        self._pace = Pace()
        self._chores: Iterator[None] = iter(())
        self._earlier = ""  # examples of an adopted state, as lines

    # --- LinkPolicy --------------------------------------------------------------------------------

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link; what came of the link to ``parent`` is learned."""
        self._judged += 1
        came = self._waiting.take(parent.fingerprint)
        numbers = () if came is None else came.numbers()
        hit = float(parent.on_topic and not parent.is_copy)
        lift = self._lift(parent)
        steps = 0 if parent.on_topic or came is None else came.steps + 1
        first = self._first_of.get(parent.fingerprint, parent.fingerprint)
        site = site_at(authority_of(parent.url))
        page = PageLinks(links, self._texts, self._yields, site, first, (lift, hit, steps))
        fresh: dict[int, float] = {}
        scores = self._scores(page, parent.fingerprint, links, first, lift, fresh)
        self._learn(parent.fingerprint, site, came, numbers, hit, fresh)
        next(self._chores, None)
        return scores

    def judge_alone(self, links: Sequence[Link]) -> list[LinkScore]:
        """Links that stand on no page, each by itself; nothing is remembered or learned of them."""
        return list(weighed_alone(links, self._texts, self._yields, self._weights))

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
        content = {
            "weights": self._weights.state(),
            "yields": self._yields.state(),
            "least_hit": self._least_hit,
            "examples": newest(self._examples.newest(), self._earlier, MOST_CARRIED),
        }
        return json.dumps(content, ensure_ascii=False, sort_keys=True).encode()

    def adopt(self, state: bytes) -> None:
        """See LearningPolicy."""
        content = json.loads(state)
        if not isinstance(content, dict) or not {"weights", "yields"} <= content.keys():
            raise ValueError("no state of the link policy learned")
        self._weights.adopt(content["weights"])
        self._yields.adopt(content["yields"])
        self._least_hit = float(content.get("least_hit", 0.0))
        self._earlier = str(content.get("examples", ""))[:MOST_CARRIED]
        self._chores = self._look_again()

    # --- SharingLearner ----------------------------------------------------------------------------

    def news(self) -> Sequence[str]:
        """This process's examples since the last call, each as JSON."""
        news, self._news = self._news, []
        return news

    def learn(self, examples: Sequence[str]) -> None:
        """Take in other processes' examples; what cannot be read is left out."""
        for text in examples:
            example = example_of(text)
            if example is not None:
                self._examples.add(example)

    # --- judging -----------------------------------------------------------------------------------

    def _scores(
        self,
        page: PageLinks,
        parent: int,
        links: Sequence[tuple[int, Link]],
        first: int,
        lift: float,
        fresh: dict[int, float],
    ) -> list[LinkScore]:
        """Most links are known: those that came already or stand in a menu cost a look-up."""
        outcomes = self._outcomes
        scores = []
        page.expect(self._unread(parent, links, lift))
        for place, (target, link) in enumerate(links):
            known = self._found_again(target)
            if known is None:
                if target in outcomes or target == parent:
                    scores.append(UNSCORED)
                    continue
            elif link.block != "main":  # a menu's link counts once, wherever it stands
                scores.append(known.score())
                continue
            elif not known.is_boilerplate:
                known.known += 1
                known.lift_sum += lift
                # its anchor is the same, or no nearer to the topic, on a page that is no better: nothing to be read anew
                if lift <= known.lift and page.said(place).near <= known.facts.near[0]:
                    scores.append(known.score())
                    continue
            if link.is_pagination and target not in self._first_of:
                self._first_of[target] = first
                if len(self._first_of) > KEPT:
                    self._first_of.popitem(last=False)
            scores.append(self._meet(page, place, target, known, fresh).score())
        return scores

    def _found_again(self, target: int) -> Waiting | None:
        """What waits already; pruned no longer when its value, or the tunnel, is another one since."""
        one = self._waiting.get(target)
        if one is not None and one.pruned and not self._reason(one):
            one.pruned, one.verdict = "", None
        return one

    def _unread(self, parent: int, links: Sequence[tuple[int, Link]], lift: float) -> list[int]:
        """Places of links that ``_scores`` will read, but for a few whose anchor must be looked at first."""
        waiting, outcomes = self._waiting, self._outcomes
        places = []
        for place, (target, link) in enumerate(links):
            known = waiting.get(target)
            if known is None:
                if target not in outcomes and target != parent:
                    places.append(place)
            elif link.block == "main" and (known.is_boilerplate or lift > known.lift):
                places.append(place)
        return places

    def _meet(
        self, page: PageLinks, place: int, target: int, known: Waiting | None, fresh: dict[int, float]
    ) -> Waiting:
        """What waits from now on: the link at ``place``, unless what is known of its target is better."""
        one = page.read(place, known)
        if known is not None:
            one.known, one.lift_sum = known.known, known.lift_sum
        one.value = self._weights.weigh(one)
        if known is None:
            fresh[target] = one.value
        elif one.value <= known.value:
            return known
        one.pruned = self._reason(one)
        self._waiting.put(target, one)
        return one

    def _reason(self, one: Waiting) -> str:
        """tunnel: too many steps after the last hit, unless better than most; low_chance: below the threshold, unless of a site that nobody knows.

        The next page of a list is never pruned.
        """
        if one.facts.traits.is_pagination:
            return ""
        limit = self._tunnel.limit
        if limit is not None and one.steps >= limit and one.value < self._yields.world.share:
            return "tunnel"
        return "low_chance" if one.value < self._threshold and one.site.count else ""

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
        self._pace.add(hit)
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
            self._chores = self._fit()
        self._explore(mark)

    def _note(self, came: Waiting, numbers: tuple[float, ...], outcome: float, children: tuple[int, ...]) -> None:
        """An example, and one more for the yields of the link; the others of its group are looked at again."""
        words = came.facts.words
        example = Example(numbers, words, outcome, children, said_of(numbers, words))
        self._examples.add(example)
        self._news.append(line_of(example))
        del self._news[:-KEPT_NEWS]
        for one in (came.form, came.whole, came.group):
            if one is not None:
                one.add(outcome)
        if came.group is not None:
            for fingerprint in came.group.members:
                self._weigh_again(fingerprint)

    def _fit(self) -> Iterator[None]:
        yield from self._examples.look_again(self._worth, GAMMA)
        own, earlier, start = self._examples.chosen(), self._earlier, self._weights.fit
        outcomes = [example.outcome for example in own]
        if len(own) + earlier.count("\n") < FEWEST:
            yield from self._look_again()
            return
        self._refits.run(lambda: _fitted(own, outcomes, earlier, start), self._take)

    def _take(self, found: tuple[Fit, int]) -> None:
        fitted, count = found
        self._weights.take(fitted, count / (count + HALF_TRUST))
        self._chores = self._look_again()

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
        value = self._weights.weigh(one)
        if abs(value - one.value) > _CHANGED:
            one.verdict = None
            if fingerprint not in self._exploring:  # it keeps its place at the front
                self._revised[fingerprint] = value
        self._waiting.revalue(one, value)

    def _look_again(self) -> Iterator[None]:
        """The head of the queue, and a few others by turns; and which links explore the sites of which little is known.

        Each step is done after one page, and takes a millisecond or two however many links wait.
        """
        yield from self._yields.refresh()
        for fingerprint in self._waiting.best(HEAD):
            self._weigh_again(fingerprint)
        yield
        for fingerprint in list(islice(self._waiting, self._turn, self._turn + HEAD)):
            self._weigh_again(fingerprint)
        self._turn = self._turn + HEAD if self._turn + HEAD < len(self._waiting) else 0
        yield
        yield from self._choose_explorers()

    def _choose_explorers(self) -> Iterator[None]:
        """By turns a site that has answered and one that nobody knows, those of which the fewest links were followed first."""
        chosen: tuple[list[_Explorer], list[_Explorer]] = ([], [])
        sites = self._waiting.best_of_sites()
        for start in range(0, len(sites), SITES_AT_ONCE):
            for site, value, fingerprint in sites[start : start + SITES_AT_ONCE]:
                chosen[not site.count].append((site.count + site.tries, -value, fingerprint))
            for found in chosen:
                found[:] = nsmallest(CANDIDATES, found)
            yield
        by_turns = [one for pair in zip_longest(*chosen) for one in pair if one is not None]
        self._to_explore = [fingerprint for _, _, fingerprint in reversed(by_turns)]

    def _explore(self, came: int) -> None:
        """Every EXPLORE_EVERY pages one is due (see Pace), and each that came is one less, be it late."""
        if self._exploring.pop(came, None) is not None:
            self._due -= 1
        if self._judged % (EXPLORE_WHEN_DRY if self._pace.is_dry else EXPLORE_EVERY) == 0:
            self._due = min(1, self._due + 1)
        latest = next(reversed(self._exploring.values()), -PATIENCE)
        if self._due < 1 or self._judged < latest + PATIENCE:
            return
        while self._to_explore:
            fingerprint = self._to_explore.pop()
            one = self._waiting.get(fingerprint)
            if one is not None and not one.pruned:
                self._revised[fingerprint] = _EXPLORED
                self._exploring[fingerprint] = self._judged
                if len(self._exploring) > GIVEN_UP:
                    self._exploring.popitem(last=False)
                one.site.tries += 1
                return


def _fitted(own: list[Example], outcomes: list[float], earlier: str, start: Fit | None) -> tuple[Fit, int]:
    """The fit, and of how many examples; those of an adopted state that this process has itself count once."""
    known = {example.said for example in own}
    chosen = [example for example in examples_of(earlier) if example.said not in known]
    found = fit(sample_of([*chosen, *own], [*(one.outcome for one in chosen), *outcomes], PRIOR), start)
    return found, len(chosen) + len(own)
