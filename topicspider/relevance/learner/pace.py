"""Whether a crawl finds much less of late than it did so far."""

from __future__ import annotations

DRY = 0.25
"""Of the crawl's mean yield; below it there is little to lose by looking elsewhere."""
SETTLED = 50
"""Pages before anything is said."""
_OF_LATEST = 0.02


class Pace:
    """The share of hits so far, and of late: a moving mean over some 50 pages."""

    def __init__(self) -> None:
        self._pages, self._hits, self._latest = 0, 0.0, 0.0

    def add(self, hit: float) -> None:
        """A page came; ``hit`` is 1 when it is one, else 0."""
        self._pages += 1
        self._hits += hit
        self._latest += _OF_LATEST * (hit - self._latest)

    @property
    def is_dry(self) -> bool:
        """True, too, when nothing was found at all."""
        return self._pages >= SETTLED and self._latest * self._pages <= DRY * self._hits
