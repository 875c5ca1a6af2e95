"""Names of the facts that a crawl's log holds about the crawl as a whole."""

from __future__ import annotations

SEEDS = "seeds"
SEGMENTER = "segmenter"
OWN_WORDS = "own_words"
STARTED = "started"
ENDED = "ended"
"""Empty while the crawl runs, and stays so when it is killed."""
REASON = "reason"
DROPPED = "dropped"
CUT_AT = "cut_at"
