"""A learner that counts words, small enough to follow: what it knows is how often each was on topic."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

from topicspider.judging import TopicView
from topicspider.relevance.interfaces import LinkScore


@dataclass
class CountingLearner:
    """A link policy: a link is worth the share of good examples of its anchor."""

    name: str = "counting"
    executor: object = None
    counts: dict[str, list[int]] = field(default_factory=dict)
    examples: list[tuple[str, int]] = field(default_factory=list)
    unsent: list[str] = field(default_factory=list)
    fits: int = 0

    @property
    def version(self):
        return f"{self.fits}-{json.dumps(self.counts, sort_keys=True)}"

    def judge(self, parent, links):
        return [LinkScore(self.worth(link.anchor)) for _, link in links]

    def worth(self, word):
        good, seen = self.counts.get(word, [0, 0])
        return round(good / seen, 6) if seen else 0.5

    def promotions(self):
        return ()

    def revised(self):
        return ()

    def see(self, word, is_good):
        """One example of its own; it is fitted anew at once, if it may."""
        self.examples.append((word, int(is_good)))
        self.unsent.append(json.dumps([word, int(is_good)], ensure_ascii=False))
        self.refit()

    def refit(self):
        self.executor.run(self._fit, self._take)

    def drain_examples(self):
        news, self.unsent = self.unsent, []
        return news

    def add_examples(self, examples):
        self.examples += [tuple(json.loads(text)) for text in examples]
        self.refit()

    def state(self):
        return json.dumps({"counts": self.counts, "examples": self.examples, "fits": self.fits}).encode()

    def adopt(self, state):
        found = json.loads(state)
        if not isinstance(found.get("counts"), dict):
            raise ValueError("no counts")
        self.counts, self.fits = found["counts"], found["fits"]
        self.examples = [tuple(one) for one in found["examples"]]

    def _fit(self):
        counts = {}
        for word, good in self.examples:
            one = counts.setdefault(word, [0, 0])
            one[0] += good
            one[1] += 1
        return counts

    def _take(self, counts):
        self.counts = counts
        self.fits += 1


def view(learner, topic="旅游", digest="甲"):
    judge = SimpleNamespace(scorer_name="vsm", threshold=0.5)
    return replace(TopicView(topic, judge, learner), digest=digest)
