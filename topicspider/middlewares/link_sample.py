"""Chooses the pages whose judged links are stored: bounded, and from all of a crawl, however long that is."""

from __future__ import annotations

from topicspider.url.fingerprint import fingerprint

SAMPLED_LINKS = 10_000
"""Judged links that a run stores; all are counted."""

_PARTS = 10


class LinkSample:
    """Of the first pages all, until half of what may be stored is; the rest goes in ten equal parts, each for twice as many pages as the one before.

    Of 20 links a page: the first 250 pages, then one in 10 of 250, one in 20 of 500 … 256,000 pages in all. A page is chosen by its URL.
    """

    def __init__(self, most: int = SAMPLED_LINKS) -> None:
        self._left = most
        self._next_at = most // 2  # what is left when pages become rarer
        self._part = max(1, self._next_at // _PARTS)
        self._one_in = 1

    def room(self, url: str) -> int:
        """How many links of the page ``url`` may be stored; 0 when it is not chosen."""
        return self._left if fingerprint(url) % self._one_in == 0 else 0

    def stored(self, links: int) -> None:
        """So many were."""
        self._left -= links
        while 0 < self._left <= self._next_at:
            self._next_at -= self._part
            self._one_in *= _PARTS if self._one_in == 1 else 2
