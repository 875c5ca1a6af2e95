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
TURNED_OFF = "turned_off"
"""Why the log was off for the rest of a crawl; it stays when the crawl is resumed, as there is a gap."""
