"""Takes seeds from a Redis list, as scrapy-redis does: ``lpush topic:start_urls URL``, then ``-a seeds=redis:``."""

from __future__ import annotations

import json
import logging
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from scrapy.settings import BaseSettings

from topicspider.crawl_config import CrawlConfig
from topicspider.errors import ConfigError, FrontierUnavailable, one_line, patiently
from topicspider.frontier.protocol import Entry, Frontier, Work
from topicspider.judging import SEED_SCORE
from topicspider.redis_settings import FORM, redis_url
from topicspider.url import canonicalize, fingerprint, host_key, masked

logger = logging.getLogger(__name__)

DEFAULT_KEY = "topic:start_urls"  # scrapy-redis: START_URLS_KEY with the spider's name
LOOK_SECONDS, AWAY_SECONDS = 1.0, 30.0
ANSWER_SECONDS = 2.0  # the same thread talks to the frontier and renews leases


class SeedList:
    """A Redis list of seeds, with scrapy-redis' connection settings (REDIS_URL, REDIS_HOST, REDIS_PARAMS …); ConfigError for wrong ones."""

    def __init__(self, settings: BaseSettings, key: str) -> None:
        self._server, self._where = connect(settings)
        self._key = key or DEFAULT_KEY
        self._next_look = 0.0
        self._is_away = False

    def move(self, frontier: Frontier, wait_seconds: float) -> int:
        """Move every URL of the list to the frontier; returns how many were new.

        An element leaves the list only when the frontier holds it (promise F1). Elements are plain URLs, or JSON objects with ``url``;
        others are logged and dropped. Raises ConfigError for a key that cannot be used, FrontierUnavailable after ``wait_seconds``.
        """
        from topicspider.frontier.redis.server import seeds_asked  # loads the driver

        def asked(call: Callable[[], Any]) -> Any:
            return patiently(lambda: seeds_asked(call, self._where), wait_seconds)

        elements = asked(lambda: self._server.lrange(self._key, 0, 99_999))
        if not elements:
            return 0
        texts = [element.decode("utf-8", "replace").strip() for element in elements]
        entries = {text: _entry(text) for text in texts}
        added = frontier.apply(Work(entries=[entry for entry in entries.values() if entry is not None]))
        if wrong := [text for text, entry in entries.items() if entry is None]:
            words = "%d seed(s) in Redis are no http(s) URL and are left out: %s, …"
            logger.warning(words, len(wrong), one_line(wrong[0], 200))
        asked(lambda: self._forget(elements))
        return added

    def top_up(self, frontier: Frontier) -> int:
        """``move`` for a running crawl: at most once a second, and a server that does not answer is logged only once."""
        if time.monotonic() < self._next_look:
            return 0
        was_away, self._is_away, added = self._is_away, False, 0
        try:
            added = self.move(frontier, 0.0)
        except FrontierUnavailable as error:
            self._is_away = True
            if not was_away:
                logger.warning("No seeds can be taken from Redis for now: %s", error)
        self._next_look = time.monotonic() + (AWAY_SECONDS if self._is_away else LOOK_SECONDS)
        if added:
            logger.info("%d new seed(s) from the Redis list %s", added, self._key)
        return added

    def close(self) -> None:
        self._server.close()

    def _forget(self, elements: Sequence[bytes]) -> None:
        """Removes from the right, where each is found at once: new elements are pushed to the left."""
        with self._server.pipeline() as pipeline:
            for element in reversed(elements):
                pipeline.lrem(self._key, -1, element)
            pipeline.execute()


def seeds_of(settings: BaseSettings, config: CrawlConfig) -> SeedList | None:
    """The list of more seeds for a running crawl: its own; or, if it waits for seeds, that in its nodes' Redis; else None."""
    if config.redis_key is not None:
        return SeedList(settings, config.redis_key)
    if not config.options.keep_alive:
        return None
    return SeedList(BaseSettings({"REDIS_URL": config.options.frontier}), "")


def connect(settings: BaseSettings) -> tuple[Any, str]:
    """A client by scrapy-redis' settings, not yet connected, and its address without password; raises ConfigError for wrong settings."""
    from scrapy_redis.connection import get_redis_from_settings

    from topicspider.frontier.redis.server import ENCODE, label_of  # loads the driver

    url = redis_url(settings)
    limits = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), ANSWER_SECONDS)
    try:
        with warnings.catch_warnings():
            # scrapy-redis passes options that are now the default of clients
            warnings.simplefilter("ignore", DeprecationWarning)
            server = get_redis_from_settings(BaseSettings({"REDIS_URL": url, "REDIS_PARAMS": limits}))
        return server, label_of(server)
    except (ValueError, TypeError, LookupError):
        raise ConfigError("Redis settings", f"REDIS_URL={masked(url)}", FORM, ENCODE) from None


def _entry(text: str) -> Entry | None:
    if text.startswith("{"):
        try:
            text = str(json.loads(text).get("url", ""))
        except (ValueError, RecursionError):
            return None
    url = canonicalize(text)
    return None if url is None else Entry(url=url, fingerprint=fingerprint(url), host=host_key(url), score=SEED_SCORE)
