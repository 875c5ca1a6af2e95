"""In which order the pages found are shown."""

from __future__ import annotations

BODY, TITLE, MORE = 1.0, 4.0, 0.5
"""How much a word counts in each column (BM25): chosen, and measured as they are on known-item queries (docs/search.md)."""
RELEVANCE, LINKS = 0.2, 0.05
"""How much better a page of relevance 1, or with a thousand links and more, ranks than one with none, its words being equal."""

BM25 = f"bm25(words, {BODY}, {TITLE}, {MORE})"
_BEST = f"-{BM25} * (1.0 + {RELEVANCE} * pages.relevance + {LINKS} * pages.link_rank)"

SORTS = ("best", "score", "date", "priority")
"""``best``: by the words asked for; ``score``: by relevance to the topic; ``date``: newest first; ``priority``: by the number of links on
the page, the retriever of (d) Xu 2007."""


def worth(sort: str, *, has_words: bool) -> str:
    """The SQL of a page's worth: the larger, the earlier it is shown. Without words, the best are the most relevant."""
    by = {"score": "pages.relevance", "date": "pages.day", "priority": "pages.link_count"}
    return by.get(sort, _BEST if has_words else "pages.relevance")
