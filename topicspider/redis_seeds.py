"""Takes seeds from a Redis list, as scrapy-redis does: ``lpush topic:start_urls URL``, then ``-a seeds=redis:``."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from typing import Any

from scrapy.settings import BaseSettings

from topicspider.errors import ConfigError, one_line
from topicspider.frontier.protocol import Entry, Frontier, Work
from topicspider.judging import SEED_SCORE
from topicspider.url.canonical import canonicalize
from topicspider.url.fingerprint import fingerprint
from topicspider.url.host import host_key
from topicspider.url.masked import masked

logger = logging.getLogger(__name__)

DEFAULT_KEY = "topic:start_urls"  # scrapy-redis: START_URLS_KEY with the spider's name
MOST_SEEDS = 100_000
FORM = "REDIS_URL=redis://USER:PASSWORD@HOST:PORT/DATABASE, or REDIS_HOST and REDIS_PORT"
ENCODE = "Characters like @ : / ? # % in a password are percent-encoded: @ is %40"


def move_seeds(settings: BaseSettings, key: str, frontier: Frontier, wait_seconds: float) -> int:
    """Move every URL of the list ``key`` to the frontier; returns how many were new.

    An element leaves the list only when the frontier holds it (F1). Elements are plain URLs, or JSON
    objects with ``url``; others are logged and dropped. Connection: scrapy-redis' settings
    (REDIS_URL, REDIS_HOST, REDIS_PARAMS …). Raises ConfigError for settings or a key that cannot be
    used, FrontierUnavailable after ``wait_seconds``.
    """
    server, where = connect(settings)
    key = key or DEFAULT_KEY
    from topicspider.frontier.redis_server import patiently  # loads the driver

    elements: list[bytes] = patiently(lambda: server.lrange(key, 0, MOST_SEEDS - 1), where, wait_seconds)
    entries = [entry for element in elements if (entry := _entry(element)) is not None]
    added = frontier.apply(Work(entries=entries)) if entries else 0
    if elements:
        patiently(lambda: _forget(server, key, elements), where, wait_seconds)
    server.close()
    return added


def _forget(server: Any, key: str, elements: Sequence[bytes]) -> None:
    """New ones are pushed to the left: from the right, each is found at once."""
    with server.pipeline() as pipeline:
        for element in reversed(elements):
            pipeline.lrem(key, -1, element)
        pipeline.execute()


def connect(settings: BaseSettings) -> tuple[Any, str]:
    """A client by scrapy-redis' settings, not connected yet, with its address for messages (never a password).

    Raises ConfigError for settings that cannot be used.
    """
    from scrapy_redis.connection import get_redis_from_settings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # scrapy-redis passes what newer clients do by themselves
            server = get_redis_from_settings(settings)
        place = server.connection_pool.connection_kwargs
        int(place.get("port", 0))
    except (ValueError, TypeError):
        given = {name: settings.get(name) for name in ("REDIS_URL", "REDIS_HOST", "REDIS_PORT") if settings.get(name)}
        raise ConfigError(
            "Redis settings", masked(" ".join(f"{k}={v}" for k, v in given.items())), FORM, ENCODE
        ) from None
    return (
        server,
        f"redis {place.get('path') or '{}:{}'.format(place.get('host', 'localhost'), place.get('port', 6379))}",
    )


def _entry(element: bytes) -> Entry | None:
    text = element.decode("utf-8", "replace").strip()
    if text.startswith("{"):
        try:
            text = str(json.loads(text).get("url", ""))
        except (ValueError, RecursionError):
            logger.warning("A seed in Redis is no JSON: %s", one_line(text, 200))
            return None
    url = canonicalize(text)
    if url is None:
        logger.warning("A seed in Redis is no http(s) URL: %s", one_line(text, 200))
        return None
    return Entry(url=url, fingerprint=fingerprint(url), host=host_key(url), score=SEED_SCORE)
