"""The configuration of a crawl, checked before anything is opened or fetched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError
from topicspider.frontier.factory import is_in_redis
from topicspider.options import OWN_SPIDER, Options
from topicspider.redis_settings import redis_url, start_urls_key, uses_redis_scheduler
from topicspider.setting_rules import lines_of, setting_name
from topicspider.store.topics import topics_of
from topicspider.topic.profile import Limits, Topic, crawl_name, folder_name
from topicspider.topic.seed_sources import found_seeds, looked_for, source_addresses
from topicspider.url import canonicalize, masked

REDIS_SEEDS = "redis:"
LOG_PAGES = 100_000
"""The number of answers that crawl.db keeps for rehearsals: about 1 GB."""
PLACES = ("topics_dir", "data", "store", "frontier", "model", "allow_private")
"""Options that say where a crawl's files and servers are, and whether private addresses may be requested."""
SCRAPYS_LIMITS = ("CLOSESPIDER_PAGECOUNT", "CLOSESPIDER_ITEMCOUNT")
"""If one of these is set, few pages matter more than a short time, as with ``max_pages``."""


@dataclass(frozen=True, slots=True)
class CrawlConfig:
    """The checked configuration of one crawl: topics, seeds, limits, and the folder for its results.

    ``limits`` combine those of all topics and the options. ``folder`` need not exist yet. ``redis_key``: the Redis list with the seeds, ""
    for the usual one, None for no list. ``is_kept``: the queue of an earlier run is used again, and URLs whose callback failed are tried
    again. ``log_pages``: the number of answers that the log keeps; 0: no log.
    """

    options: Options
    topics: tuple[Topic, ...]
    seeds: tuple[str, ...]
    limits: Limits
    folder: Path
    redis_key: str | None = None
    is_kept: bool = True
    log_pages: int = LOG_PAGES

    @property
    def name(self) -> str:
        """The crawl's name: the names of its topics joined by ``+``, or the branch of the catalogue that they form."""
        return crawl_name(*(topic.name for topic in self.topics))

    @classmethod
    def read(cls, settings: Mapping[str, Any], spider: str = "", *, needs_seeds: bool = True) -> CrawlConfig:
        """The configuration in ``settings``; raises ConfigError for the first error.

        ``spider``: the name of a foreign spider, which has its own starting points, and a queue of its own (with the names of its
        callbacks). Without ``needs_seeds`` there are no seeds: known pages are visited again.
        """
        options = crawl_options(settings)
        is_kept = bool(options.resume or settings.get("JOBDIR") or not spider)  # a foreign spider starts anew
        if not (is_kept or is_in_redis(options.frontier)):
            options = replace(options, fresh=True)
        _check_keep_alive(options, settings)
        if not options.topic:
            hint = "Say which, as in -a topic=tourism (--topic tourism for other commands); `scrapy topics list` shows them"
            raise ConfigError("topic", None, "a topic's name", hint)
        topics = topics_of(options.topic, options)
        name = crawl_name(*(topic.name for topic in topics)) + (f".{spider}" if spider else "")
        return cls(
            options=options,
            topics=topics,
            seeds=()
            if spider or not needs_seeds
            else _seeds(options, topics, may_be_none=uses_redis_scheduler(settings)),
            limits=_limits(options, topics),
            folder=_expanded(setting_name("data"), options.data) / folder_name(name),
            redis_key=_redis_key(options, settings, spider or OWN_SPIDER),
            is_kept=is_kept,
        )


def place_words(options: Options, names: Iterable[str] = PLACES) -> list[str]:
    """The -s options for those of ``names`` that are not the default; a masked password is left out if the environment has the value."""
    usual, words = Options(), []
    for name in names:
        value = getattr(options, name)
        shown = "1" if value is True else masked(str(value))
        is_kept_there = "***" in shown and setting_name(name) in os.environ
        if value != getattr(usual, name) and not is_kept_there:
            words += ["-s", f"{setting_name(name)}={shown}"]
    return words


def crawl_options(settings: Mapping[str, Any]) -> Options:
    """The options of a crawl. Scrapy's limits are used; with our RedisScheduler, the default frontier is in the Redis of scrapy-redis."""
    options = Options.read(settings)
    if not options.max_depth and (limit := int(settings.get("DEPTH_LIMIT") or 0)):
        options = replace(options, max_depth=limit)
    if uses_redis_scheduler(settings) and not options.frontier:
        options = replace(options, frontier=redis_url(settings))
    is_limited = any(str(settings.get(name) or 0) != "0" for name in SCRAPYS_LIMITS)
    # a queue in Redis has one pace for all nodes, while Scrapy's limits are those of one node
    if is_limited and options.pace == "auto" and not is_in_redis(options.frontier):
        options = replace(options, pace="thrifty")
    return options


def _redis_key(options: Options, settings: Mapping[str, Any], spider: str) -> str | None:
    if options.seeds.startswith(REDIS_SEEDS):
        return options.seeds[len(REDIS_SEEDS) :]
    return start_urls_key(settings, spider) if uses_redis_scheduler(settings) else None


def _check_keep_alive(options: Options, settings: Mapping[str, Any]) -> None:
    """Raises ConfigError if the crawl waits for seeds but none can arrive."""
    takes_more = (
        options.seeds.startswith(REDIS_SEEDS) or uses_redis_scheduler(settings) or is_in_redis(options.frontier)
    )
    if options.keep_alive and not takes_more:
        allowed = "True only where seeds can come from later"
        hint = "Nobody can add any to this crawl: take them from Redis (-a seeds=redis:), or set TOPICSPIDER_FRONTIER=redis://…"
        raise ConfigError(setting_name("keep_alive"), options.keep_alive, allowed, hint)


def _expanded(setting: str, path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # ~nobody
        raise ConfigError(setting, path, "a path", "There is no such user") from None


def _seeds(options: Options, topics: Sequence[Topic], *, may_be_none: bool) -> tuple[str, ...]:
    if options.seeds.startswith(REDIS_SEEDS):
        return ()
    if options.seeds:
        given = lines_of("seeds", options.seeds)
    else:
        asked = [] if may_be_none else looked_for(topics)
        found = (topic.seeds or (starting_points(topic, options) if topic in asked else ()) for topic in topics)
        given = [seed for seeds in found for seed in seeds]
    if not given and not may_be_none:
        raise ConfigError("seeds", options.seeds, "at least one URL", "There is none in it")
    seeds = []
    for place, text in enumerate(given, 1):
        url = canonicalize(text)
        if url is None and options.seeds.startswith("@"):  # do not show what is in the file: it may be any file
            hint = f"Its entry {place} is none"
            raise ConfigError("seeds", options.seeds, "a file with one http:// or https:// URL a line", hint)
        if url is None:
            raise ConfigError("seeds", text, "http:// or https:// URLs, joined by commas, or @FILE with one a line")
        seeds.append(url)
    return tuple(dict.fromkeys(seeds))


def starting_points(topic: Topic, options: Options) -> list[str]:
    """What was found for a topic without seeds; before the search, all addresses that may be tried."""
    found = found_seeds(_expanded(setting_name("data"), options.data) / folder_name(topic.name))
    return found or [point.url for point in source_addresses(topic, options.topics_dir)]


def _limits(options: Options, topics: tuple[Topic, ...]) -> Limits:
    each = [topic.limits for topic in topics]
    days = [limits.newer_than for limits in each]
    return Limits(
        depth=options.max_depth or _widest(limits.depth for limits in each),
        pages=options.max_pages or _widest(limits.pages for limits in each),
        pages_per_host=_widest(limits.pages_per_host for limits in each),
        allow_hosts=_union([limits.allow_hosts for limits in each]),
        deny_hosts=tuple(set.intersection(*(set(limits.deny_hosts) for limits in each))),
        content_types=_union([limits.content_types for limits in each]),
        max_bytes=_widest(limits.max_bytes for limits in each),
        newer_than=min(filter(None, days)) if all(days) else None,
    )


def _widest(numbers: Iterable[int | None]) -> int | None:
    """The largest number; None (no limit) if one topic has no limit, since all topics share each fetch."""
    known = list(numbers)
    return None if None in known else max((number for number in known if number is not None), default=None)


def _union(lists: list[tuple[str, ...]]) -> tuple[str, ...]:
    """All entries; none, which allows everything, if one of the lists is empty."""
    if not all(lists):
        return ()
    return tuple(dict.fromkeys(entry for entries in lists for entry in entries))
