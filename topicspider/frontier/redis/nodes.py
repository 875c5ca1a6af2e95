"""Looks at the nodes of a crawl in Redis, and asks one of them something; a crawl may be spread over several servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from topicspider.frontier.register import Register, register_of

if TYPE_CHECKING:
    from topicspider.frontier.redis.inspection import RedisInspection


def nodes_of(parts: Sequence[RedisInspection]) -> Register:
    """What all ``parts`` know; of each node what it said last, to whichever of them."""
    beats: dict[str, tuple[float, str, str]] = {}
    held: list[tuple[str, str]] = []
    duplicates = reissued = pages = 0
    alone = 0.0
    for part in parts:
        twice, again, best, told, leases = part.call("nodes")
        duplicates, reissued, alone = duplicates + twice, reissued + again, max(alone, float(best))
        pages += part.counts().pages
        held += ((host.decode(), node.decode()) for host, node in leases)
        for name, seconds, text, asked in told:
            key, new = name.decode(), (float(seconds), text.decode(), asked.decode())
            before = beats.get(key, new)
            beats[key] = (*min(before, new)[:2], before[2] or new[2])
    return register_of(beats, held, duplicates, reissued, alone, pages)


def ask_node(parts: Sequence[RedisInspection], key: str, wish: str) -> bool:
    """Have the node read ``wish`` with its next beat, whichever of them it speaks to; whether any knows it."""
    if all(node.key != key for node in nodes_of(parts).nodes):
        return False
    for part in parts:
        part.call("ask", key, wish)
    return True
