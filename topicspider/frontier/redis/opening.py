"""Opens a crawl's frontier in Redis, or its inspection, by the URL of the server."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from topicspider.frontier.protocol import Counts
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.inspection import RedisInspection
from topicspider.frontier.redis.packing import text_of
from topicspider.frontier.redis.server import RedisServer
from topicspider.setting_rules import setting_name

_COUNTERS = ("waiting", "leased", "done", "dead", "pages", "hosts", "evicted")


def open_in_redis(url: str, default_path: Path, wait_seconds: float, **options: Any) -> RedisFrontier:
    """Open the crawl that would lie at ``default_path`` if it were a file; raises ConfigError, FrontierUnavailable."""
    return RedisFrontier(_server(url), crawl_of(default_path), wait_seconds=wait_seconds, **options)


def inspect_in_redis(url: str, default_path: Path, *, makes: bool = False, seed: int = 0) -> RedisInspection:
    """Open the inspection of that crawl; raises ConfigError, FrontierUnavailable. ``makes``: create the crawl if there is none."""
    return RedisInspection(_server(url), crawl_of(default_path), makes=makes, seed=seed)


def crawls_in(url: str) -> list[str]:
    """The sorted names of the crawls in this Redis; raises ConfigError, FrontierUnavailable."""
    before, after = key_prefix("*").split("*")
    names: set[str] = set()
    cursor = 0
    with closing(_server(url)) as server:
        while True:  # by the key of the totals, which each crawl has; a step looks at some hundred keys
            found, keys = server.run("SCAN", cursor, "MATCH", f"{before}*{after}totals", "COUNT", 500)
            names.update(text_of(key).removeprefix(before).removesuffix(f"{after}totals") for key in keys)
            if not (cursor := int(found)):
                return sorted(name.replace("%7B", "{").replace("%7D", "}").replace("%25", "%") for name in names)


def check_url(url: str) -> None:
    """Raise ConfigError if ``url`` names no Redis server; connects to nothing."""
    _server(url).close()


def look_in_redis(url: str, default_path: Path) -> Counts | None:
    """How many URLs of the crawl are in each state; None when there is no such crawl. Changes nothing."""
    with closing(_server(url)) as server:
        found = server.run("HMGET", f"{key_prefix(crawl_of(default_path))}totals", "epoch", *_COUNTERS)
    if found[0] is None:
        return None
    waiting, leased, *others = (int(value or 0) for value in found[1:])
    return Counts(waiting - leased, leased, *others)


def crawl_of(default_path: Path) -> str:
    """The crawl's name: the name of its data folder, which is made of its topics."""
    return unquote(default_path.parent.name) or "crawl"


def _server(url: str) -> RedisServer:
    """The server, not connected yet; ConfigError if ``url`` does not name exactly one."""
    return RedisServer(url, setting_name("frontier"), of_frontier=True)
