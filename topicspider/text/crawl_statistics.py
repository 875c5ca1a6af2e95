"""How rare words are on the pages of a crawl: the shipped statistics, corrected page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from math import exp, log
from typing import TYPE_CHECKING, Any

from topicspider.text.background import idf as shipped_idf
from topicspider.text.background import is_known

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_WORDS = 200_000
"""Kept at the same time, 20 MB; when there are more, the words seen least are forgotten."""
PSEUDO_PAGES = 500
"""As many pages as the shipped statistics count for: the first page has their values, after 500 pages the crawl says as much as they."""
ALL_OF, THEN_EVERY = 500, 4
"""The first 500 pages are counted, then every fourth: a page costs .2 ms, and a quarter of many tells as much as all."""
LEAST_SHARE = 0.5
"""Of its shipped idf a word keeps at least: a focused crawl is full of its topic's words, and they must go on to tell its pages."""
_KEPT_SHARE = 0.75


class CrawlStatistics:
    """Document frequencies of a crawl's pages, of the pages on topic and off alike. The same pages give the same values."""

    def __init__(self, most_words: int = MOST_WORDS) -> None:
        self.pages = 0  # that were counted
        self._seen = 0
        self._most_words = most_words
        self._counts: Counter[str] = Counter()

    def add(self, words: Iterable[str]) -> None:
        """Count a page by its normalised words, each once (a set of words spares the time of making one)."""
        self._seen += 1
        if self._seen > ALL_OF and self._seen % THEN_EVERY:
            return
        self.pages += 1
        # a mapping itself would be added by its values
        self._counts.update(words if isinstance(words, AbstractSet) else dict.fromkeys(words).keys())
        if len(self._counts) > self._most_words:
            self._forget()

    def count(self, word: str) -> int:
        """On how many of the counted pages ``word`` stood since it was last forgotten."""
        return self._counts.get(word, 0)

    def idf(self, word: str) -> float:
        """Inverse document frequency, natural logarithm, 0 or more: that of the crawl's pages and of PSEUDO_PAGES of the shipped kind."""
        shipped = shipped_idf(word)
        expected = PSEUDO_PAGES * exp(-shipped)
        value = log((self.pages + PSEUDO_PAGES) / (self._counts.get(word, 0) + expected))
        return max(value, LEAST_SHARE * shipped if is_known(word) else 0.0)

    def state(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {"seen": self._seen, "pages": self.pages, "counts": dict(self._counts)}

    @classmethod
    def from_state(cls, state: object, most_words: int = MOST_WORDS) -> CrawlStatistics:
        """What ``state`` returned; from anything else, a new one."""
        statistics = cls(most_words)
        if not isinstance(state, Mapping):
            return statistics
        seen, pages, counts = state.get("seen"), state.get("pages"), state.get("counts")
        if isinstance(seen, int) and isinstance(pages, int) and 0 <= pages <= seen and isinstance(counts, Mapping):
            statistics._seen, statistics.pages = seen, pages
            statistics._counts.update({word: count for word, count in counts.items() if isinstance(count, int)})
            if len(statistics._counts) > most_words:
                statistics._forget()
        return statistics

    def _forget(self) -> None:
        """Drop all words seen on no more than so many pages that three quarters of the room at most stay taken."""
        frequencies = Counter(self._counts.values())
        left, least = len(self._counts), 0
        for count in sorted(frequencies):
            if left <= _KEPT_SHARE * self._most_words:
                break
            left -= frequencies[count]
            least = count
        self._counts = Counter({word: count for word, count in self._counts.items() if count > least})
