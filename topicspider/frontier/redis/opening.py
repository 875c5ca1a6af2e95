"""From a URL of Redis to the frontier of a crawl, or to a look at it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from topicspider.defaults import setting_name
from topicspider.errors import FrontierUnavailable, UnavailableError
from topicspider.frontier.protocol import Counts
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.inspection import RedisInspection
from topicspider.frontier.redis.partitioned import PartitionedFrontier
from topicspider.frontier.redis.partitioned_inspection import PartitionedInspection
from topicspider.frontier.redis.places import places_of, split_urls, without_partitions
from topicspider.frontier.redis.spread import counts_of, inspect_crawl, open_crawl
from topicspider.frontier.redis_server import RedisServer

_PART = re.compile(r"~\d+\.\d+$")  # in the keys of a crawl's other parts


def open_in_redis(
    url: str, default_path: Path, wait_seconds: float, **options: Any
) -> RedisFrontier | PartitionedFrontier:
    """The crawl that would lie at ``default_path`` were it a file; raises ConfigError, FrontierUnavailable."""
    return open_crawl(url, crawl_of(default_path), wait_seconds, **options)


def inspect_in_redis(
    url: str, default_path: Path, *, makes: bool = False, seed: int = 0
) -> RedisInspection | PartitionedInspection:
    """The inspection of that crawl; raises ConfigError, FrontierUnavailable. ``makes``: one that is not there is made."""
    return inspect_crawl(url, crawl_of(default_path), makes=makes, seed=seed)


def crawls_in(url: str) -> list[str]:
    """The names of the crawls in this Redis, in their order; raises ConfigError, FrontierUnavailable."""
    server = _server(without_partitions(split_urls(url)[0])[0])
    before, after = key_prefix("*").split("*")
    try:
        return _crawls(server, before, after)
    except UnavailableError as error:
        raise FrontierUnavailable(f"frontier {error.what}", error.why, error.hint) from None
    finally:
        server.close()


def check_url(url: str) -> None:
    """Raise ConfigError for a URL that names no Redis; connects to nothing."""
    for place in places_of(url, "crawl"):
        place.server.close()


def look_in_redis(url: str, default_path: Path) -> Counts | None:
    """Where the URLs of the crawl are, None when there is none; changes nothing."""
    return counts_of(url, crawl_of(default_path))


def crawl_of(default_path: Path) -> str:
    """The crawl's name: that of its data folder, which is named by its topics."""
    return unquote(default_path.parent.name) or "crawl"


def _crawls(server: RedisServer, before: str, after: str) -> list[str]:
    """By a key that each crawl has; some hundreds of keys are looked at at a time."""
    found: set[str] = set()
    cursor: int | bytes = 0
    while True:
        cursor, keys = server.run("SCAN", cursor, "MATCH", f"{before}*{after}totals", "COUNT", 500)
        found.update(key.decode().removeprefix(before).removesuffix(f"{after}totals") for key in keys)
        if int(cursor) == 0:
            return sorted(
                {_PART.sub("", name).replace("%7B", "{").replace("%7D", "}").replace("%25", "%") for name in found}
            )


def _server(url: str) -> RedisServer:
    return RedisServer(url, setting_name("frontier"), is_patient=False)
