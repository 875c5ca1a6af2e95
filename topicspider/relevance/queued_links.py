"""The links that wait, as the learned policy knows them: what each is scored by, and the best of them."""

from __future__ import annotations

from array import array
from heapq import nsmallest
from typing import TYPE_CHECKING

from topicspider.relevance.features import SmoothedRate
from topicspider.relevance.interfaces import LinkScore

if TYPE_CHECKING:
    from topicspider.page.links import Link

QUEUED_LINKS = 25_000
_GONE = -1.0


class QueuedLink:
    """A link that waits to be fetched, with what is needed to score it again.

    ``static``: its features that do not change. ``citations``: how often the other pages that link to it are hits. ``parent``:
    the relevance of the page it stands on; ``steps``: since the last hit.
    """

    __slots__ = (
        "citations", "group", "is_menu", "is_pagination", "list", "parent", "pattern", "place", "score", "site", "static", "steps", "value",
    )  # fmt: skip

    def __init__(self, link: Link, static: tuple[float, ...], site: SmoothedRate, pattern: SmoothedRate) -> None:
        self.static, self.site, self.pattern = static, site, pattern
        self.citations = SmoothedRate(site, prior_strength=4.0)
        self.list: SmoothedRate | None = None
        self.group: SmoothedRate | None = None
        self.is_menu, self.is_pagination = link.block != "main", link.is_pagination
        self.parent, self.steps = 0.0, 0
        self.value, self.score = 0.0, LinkScore(0.0)
        self.place = -1

    def features(self) -> tuple[float, ...]:
        """All features as they are now, in the order of NAMES."""
        return (
            *self.static,
            self.site.log_odds_gain,
            self.pattern.log_odds_gain,
            0.0 if self.list is None else self.list.log_odds_gain,
            0.0 if self.group is None else self.group.log_odds_gain,
            self.citations.log_odds_gain,
        )


class QueuedLinks(dict[int, QueuedLink]):
    """By fingerprint, in the order of coming; at most QUEUED_LINKS, those worth least forgotten first.

    The values stand in an array, too: the best are found in a millisecond.
    """

    def __init__(self) -> None:
        super().__init__()
        self._values, self._fingerprints = array("d"), array("q")

    def put(self, fingerprint: int, queued: QueuedLink) -> None:
        """Add a link, or replace what is known of it."""
        before = self.get(fingerprint)
        self[fingerprint] = queued
        if before is not None:
            queued.place = before.place
            self._values[queued.place] = queued.value
            return
        queued.place = len(self._values)
        self._values.append(queued.value)
        self._fingerprints.append(fingerprint)
        if len(self) > QUEUED_LINKS:
            self._forget_worst()
        if len(self._values) > 2 * QUEUED_LINKS + 1:
            self._compact()

    def take(self, fingerprint: int) -> QueuedLink | None:
        """The link, which waits no longer."""
        queued = self.pop(fingerprint, None)
        if queued is not None:
            self._values[queued.place] = _GONE
        return queued

    def revalue(self, queued: QueuedLink, value: float) -> None:
        """Another value than before."""
        queued.value = self._values[queued.place] = value

    def best(self, count: int) -> list[int]:
        """The links of the largest values, the best first; of equal ones those that came first."""
        import numpy as np  # here: who only names the policies needs none

        values = np.array(self._values)
        order = np.argsort(-values, kind="stable")[:count]
        return [self._fingerprints[place] for place in order.tolist() if values[place] >= 0.0]

    def _forget_worst(self) -> None:
        for fingerprint, queued in nsmallest(QUEUED_LINKS // 10, self.items(), key=lambda item: item[1].value):
            del self[fingerprint]
            self._values[queued.place] = _GONE

    def _compact(self) -> None:
        """Leave out the places of links that are gone."""
        self._values, self._fingerprints = array("d"), array("q")
        for fingerprint, queued in self.items():
            queued.place = len(self._values)
            self._values.append(queued.value)
            self._fingerprints.append(fingerprint)
