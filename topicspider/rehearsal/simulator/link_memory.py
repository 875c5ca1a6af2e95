"""Remembers, for links that wait in the queue, which page and which words gave them their place."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.evaluation import JudgedLink

CAPACITY = 50_000


@dataclass(frozen=True, slots=True)
class Why:
    """Why a link stands where it does."""

    referrer: str = ""
    anchor: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    value: float = 0.0


UNKNOWN = Why()


class LinkMemory:
    """The best verdict on each link, for the last ``capacity`` links: a queue may hold a million."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._why: OrderedDict[int, Why] = OrderedDict()

    def note(self, one: JudgedLink, referrer: str) -> None:
        """Keep the verdict on ``one``, found on ``referrer``, unless a better one is known."""
        known = self._why.get(one.fingerprint)
        if known is not None and known.value >= one.score.value:
            return
        self._why[one.fingerprint] = Why(referrer, one.link.anchor, one.score.parts, one.score.value)
        if len(self._why) > self._capacity:
            self._why.popitem(last=False)

    def revise(self, fingerprint: int, value: float) -> None:
        """The link's value is another one now; a better verdict than that may take its place."""
        known = self._why.get(fingerprint)
        if known is not None:
            self._why[fingerprint] = replace(known, value=value)

    def move(self, source: int, target: int) -> None:
        """A redirect led from ``source`` to ``target``, which stands in the queue for the same reason."""
        why = self._why.pop(source, None)
        if why is not None:
            self._why.setdefault(target, why)

    def why(self, fingerprint: int) -> Why:
        """What is known of a link that leaves the queue; it is forgotten."""
        return self._why.pop(fingerprint, UNKNOWN)
