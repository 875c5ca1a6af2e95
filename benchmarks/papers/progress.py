"""How far a crawl of (c) Cao's experiment is at a moment: its share of the pages and of their quality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.servers import Crawled, ServedWeb

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Progress:
    """``ended``: when each page was there, in seconds, rising; ``gained``: share of all quality with it."""

    ended: Floats
    gained: Floats

    @property
    def full_seconds(self) -> float:
        """When the last page was there."""
        return float(self.ended[-1])

    def pages_by(self, seconds: float) -> float:
        """The share of the pages that were there by then."""
        return float(np.searchsorted(self.ended, seconds, side="right")) / len(self.ended)

    def quality_by(self, seconds: float) -> float:
        """The share of the quality that was there by then."""
        pages = int(np.searchsorted(self.ended, seconds, side="right"))
        return float(self.gained[pages - 1]) if pages else 0.0

    def quality_after(self, share_of_pages: float) -> float:
        """The share of the quality in the first pages."""
        pages = int(share_of_pages * len(self.ended))
        return float(self.gained[pages - 1]) if pages else 0.0

    def seconds_of(self, share_of_pages: float) -> float:
        """When that share of the pages was there."""
        return float(self.ended[max(1, int(share_of_pages * len(self.ended))) - 1])


def progress_of(web: ServedWeb, crawled: Crawled) -> Progress:
    """The progress of a crawl that fetched the whole of ``web``."""
    gained = np.cumsum([web.quality[download.page] for download in crawled.downloads])
    return Progress(np.array([download.ended for download in crawled.downloads]), gained / gained[-1])
