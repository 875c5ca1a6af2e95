"""What a part of a spread crawl could not be told while it was away: pages and links whatever it takes, news of scores within bounds."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from topicspider.frontier.protocol import Completion, Entry, HostTiming
from topicspider.frontier.redis.parting import Share

MOST_SCORES = 50_000
"""Promotions, and as many revisions: some 10 MB. What is dropped costs order, no page."""


@dataclass(slots=True)
class Late:
    """Of each link the newest score is kept; ``dropped`` counts those that were let go, the oldest first."""

    completions: list[Completion] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    promotions: OrderedDict[int, float] = field(default_factory=OrderedDict)
    revisions: OrderedDict[int, float] = field(default_factory=OrderedDict)
    timings: dict[str, HostTiming] = field(default_factory=dict)
    dropped: int = 0

    def __bool__(self) -> bool:
        return bool(self.completions or self.entries or self.promotions or self.revisions or self.timings)

    def add(self, share: Share) -> None:
        """This is to be told after all that waits already."""
        self._revise(share.revisions)
        self.entries += share.entries
        for link, score in share.promotions:
            self.promotions[link] = max(score, self.promotions.pop(link, score))
        self.completions += share.completions
        self.timings.update(share.timings)
        for scores in (self.promotions, self.revisions):
            while len(scores) > MOST_SCORES:
                scores.popitem(last=False)
                self.dropped += 1

    def before(self, share: Share) -> Share:
        """All that waits, and then ``share``: what is told now. Nothing is forgotten by that."""
        if not self:
            return share
        both = Late(
            [*self.completions], [*self.entries], self.promotions.copy(), self.revisions.copy(), dict(self.timings)
        )
        both.add(share)
        return Share(
            both.entries, [*both.promotions.items()], [*both.revisions.items()], both.completions, both.timings
        )

    def clear(self) -> None:
        """Nothing waits."""
        for news in (self.completions, self.entries, self.promotions, self.revisions, self.timings):
            news.clear()

    def _revise(self, revisions: list[tuple[int, float]]) -> None:
        """A revision takes the place of all that was said of its link before."""
        for link, score in revisions:
            self.revisions.pop(link, None)
            self.promotions.pop(link, None)
            self.revisions[link] = score
        if revisions and self.entries:
            latest = dict(revisions)
            self.entries = [
                replace(one, score=latest[one.fingerprint]) if one.fingerprint in latest else one
                for one in self.entries
            ]
