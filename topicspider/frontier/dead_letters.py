"""The record of a dead letter: a URL that was given up after its last attempt, kept with the reason until somebody revives it.

SQLite keeps them in the table ``dead`` (``sqlite/file.py``, written by ``sqlite/flush.py``), Redis in two keys that ``lua/dead_letters.lua``
writes; both are read through ``Inspection.dead``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from topicspider.frontier.host_ranking import clean_text, from_micros, to_micros
from topicspider.frontier.protocol import Entry


@dataclass(frozen=True, slots=True)
class DeadUrl:
    """A URL that was given up: the entry with the attempts made, and what the last one came to."""

    entry: Entry
    reason: str


def clean_dead(dead: DeadUrl) -> DeadUrl:
    """As every frontier can keep it: no lone surrogates, the score in whole millionths."""
    entry = dead.entry
    cleaned = replace(
        entry,
        url=clean_text(entry.url),
        host=clean_text(entry.host),
        referrer=clean_text(entry.referrer),
        payload=clean_text(entry.payload),
        score=from_micros(to_micros(entry.score)),
    )
    return DeadUrl(cleaned, clean_text(dead.reason))
