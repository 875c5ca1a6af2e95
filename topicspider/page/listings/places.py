"""Remembers which sitemaps and feeds of each host were asked for, so that no host is asked for many."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from topicspider.page.listings.listing import FEED, SITEMAP
from topicspider.url.host import host_key

MOST = {SITEMAP: 20, FEED: 3}
"""Files of one host in one run. A blog has a feed of its own for the comments on each article."""
CAPACITY = 10_000


class Places:
    """The hosts asked longest ago are forgotten; the frontier knows what was fetched all the same."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._asked: OrderedDict[tuple[str, str], set[str]] = OrderedDict()

    def take(self, kind: str, urls: Iterable[str]) -> list[str]:
        """Those of ``urls`` (canonical) that were not taken before, as far as their hosts have room for ``kind``."""
        taken = []
        for url in urls:
            key = (kind, host_key(url))
            asked = self._asked.setdefault(key, set())
            self._asked.move_to_end(key)
            if len(self._asked) > self._capacity:
                self._asked.popitem(last=False)
            if url not in asked and len(asked) < MOST[kind]:
                asked.add(url)
                taken.append(url)
        return taken
