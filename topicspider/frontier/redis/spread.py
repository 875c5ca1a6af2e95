"""Opens a crawl whose hosts may be spread over several Redis, or looks where its URLs are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from topicspider.errors import ConfigError, FrontierUnavailable, UnavailableError
from topicspider.frontier.protocol import Counts
from topicspider.frontier.redis import letters
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.inspection import RedisInspection
from topicspider.frontier.redis.membership import claim, ordered, with_lost_parts
from topicspider.frontier.redis.partitioned import PartitionedFrontier
from topicspider.frontier.redis.partitioned_inspection import PartitionedInspection
from topicspider.frontier.redis.places import Place, places_of, shown

_COUNTERS = ("waiting", "leased", "done", "dead", "pages", "hosts", "evicted")
_PAUSE = 0.5


def open_crawl(
    url: str,
    crawl: str,
    wait_seconds: float = 0.0,
    *,
    max_pages: int | None = None,
    forgets: bool = False,
    **options: Any,
) -> RedisFrontier | PartitionedFrontier:
    """The crawl of that name; ``url`` may name several servers, or a node of a cluster (see places.py). Raises ConfigError, FrontierUnavailable.

    ``forgets``: it is about to be emptied, so what is left of one that has lost a part is emptied here.
    """
    places = places_of(url, crawl)
    try:
        is_whole = True
        try:
            places = _ordered(places, crawl, shown(url), wait_seconds)
        except ConfigError:
            if not forgets:
                raise
            places, is_whole = with_lost_parts(places, crawl, shown(url)), False
        if len(places) == 1 and not places[0].part:
            return RedisFrontier(places[0].server, crawl, wait_seconds=wait_seconds, max_pages=max_pages, **options)
        if is_whole:
            claim(places, crawl, shown(url))  # before anything is made there
        # no part gives pages before the limit of all of them is divided
        share = None if max_pages is None else 0
        parts = [
            RedisFrontier(one.server, crawl, part=one.part, wait_seconds=wait_seconds, max_pages=share, **options)
            for one in places
        ]
        if not is_whole:
            for part in parts:
                letters.forget(part)
                part.clear()
            claim(places, crawl, shown(url))  # killed before, the crawl is refused again, or is empty
        return PartitionedFrontier(parts, max_pages, lambda: claim(places, crawl, shown(url)))
    except BaseException:
        for place in places:
            place.server.close()
        raise


def inspect_crawl(
    url: str, crawl: str, *, makes: bool = False, **options: Any
) -> RedisInspection | PartitionedInspection:
    """The inspection of that crawl; ``makes``: one that is not there is made. Raises ConfigError, FrontierUnavailable."""
    places = places_of(url, crawl)
    try:
        places = ordered(places, crawl, shown(url))
        if makes:
            claim(places, crawl, shown(url))
        parts = [RedisInspection(one.server, crawl, part=one.part, makes=makes, **options) for one in places]
    except BaseException:
        for place in places:
            place.server.close()
        raise
    return parts[0] if len(parts) == 1 and not places[0].part else PartitionedInspection(parts)


def counts_of(url: str, crawl: str) -> Counts | None:
    """Where the URLs of the crawl are, None when there is none; changes nothing. Raises ConfigError, FrontierUnavailable."""
    found = [one for place in places_of(url, crawl) if (one := _counts_at(place, crawl)) is not None]
    return Counts(*(sum(of) for of in zip(*found, strict=True))) if found else None


def _counts_at(place: Place, crawl: str) -> tuple[int, ...] | None:
    try:
        found = place.server.run("HMGET", f"{key_prefix(crawl, place.part)}totals", "epoch", *_COUNTERS)
    except UnavailableError as error:
        raise FrontierUnavailable(f"frontier {error.what}", error.why, error.hint) from None
    finally:
        place.server.close()
    if found[0] is None:
        return None
    waiting, leased, *others = (int(value or 0) for value in found[1:])
    return waiting - leased, leased, *others


def _ordered(places: Sequence[Place], crawl: str, setting: str, wait_seconds: float) -> list[Place]:
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            return ordered(places, crawl, setting)
        except FrontierUnavailable:
            if time.monotonic() + _PAUSE > deadline:
                raise
            time.sleep(_PAUSE)
