"""Reads what the pages of a topic say of their sites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from topicspider.store.relational import Database
from topicspider.store.rows import clean

_ROWS_AT_ONCE = 2000  # without their texts
_AFTER = """SELECT id, host, port, on_topic, CASE WHEN duplicate_of = '' THEN 0 ELSE 1 END, relevance, download_time, referrer
    FROM pages WHERE topic = ? AND id > ? ORDER BY id LIMIT ?"""


@dataclass(frozen=True, slots=True)
class SitePage:
    """What one judged page says of its site. ``referrer`` led to it; ``is_copy``: a near-duplicate of an earlier one."""

    host: str
    port: int
    on_topic: bool
    is_copy: bool
    relevance: float
    download_seconds: float
    referrer: str


def site_pages(database: Database, topic: str) -> Iterator[SitePage]:
    """Every judged page of the topic, in stored order, without loading all at once; writes in between disturb nothing."""
    last_id, name = 0, clean(topic)
    while rows := database.read(_AFTER, (name, last_id, _ROWS_AT_ONCE)):
        for _, host, port, on_topic, is_copy, relevance, seconds, referrer in rows:
            yield SitePage(host, int(port), bool(on_topic), bool(is_copy), float(relevance), float(seconds), referrer)
        last_id = rows[-1][0]
