"""From a URL of Redis to the frontier of a crawl, or to a look at it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from topicspider.defaults import setting_name
from topicspider.errors import FrontierUnavailable, UnavailableError
from topicspider.frontier.protocol import Counts
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis_server import RedisServer

_COUNTERS = ("waiting", "leased", "done", "dead", "pages", "hosts")


def open_in_redis(url: str, default_path: Path, wait_seconds: float, **options: Any) -> RedisFrontier:
    """The crawl that would lie at ``default_path`` were it a file; raises ConfigError, FrontierUnavailable."""
    return RedisFrontier(_server(url), crawl_of(default_path), wait_seconds=wait_seconds, **options)


def check_url(url: str) -> None:
    """Raise ConfigError for a URL that names no Redis; connects to nothing."""
    _server(url).close()


def look_in_redis(url: str, default_path: Path) -> Counts | None:
    """Where the URLs of the crawl are, None when there is none; changes nothing."""
    server = _server(url)
    try:
        found = server.run("HMGET", f"{key_prefix(crawl_of(default_path))}totals", "epoch", *_COUNTERS)
    except UnavailableError as error:
        raise FrontierUnavailable(f"frontier {error.what}", error.why, error.hint) from None
    finally:
        server.close()
    if found[0] is None:
        return None
    waiting, leased, *others = (int(value or 0) for value in found[1:])
    return Counts(waiting - leased, leased, *others)


def crawl_of(default_path: Path) -> str:
    """The crawl's name: that of its data folder, which is named by its topics."""
    return unquote(default_path.parent.name) or "crawl"


def _server(url: str) -> RedisServer:
    return RedisServer(url, setting_name("frontier"), is_patient=False)
