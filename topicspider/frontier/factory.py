"""Opens the frontier, or its inspection, that the setting TOPICSPIDER_FRONTIER names."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from topicspider.errors import ConfigError
from topicspider.frontier.host_ranking import FrontierOptions
from topicspider.frontier.inspection import Inspection
from topicspider.frontier.protocol import Frontier
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection
from topicspider.setting_rules import setting_name
from topicspider.url import masked

_SQLITE = "sqlite:///"
_ALLOWED = (
    "sqlite:///PATH, redis://USER:PASSWORD@HOST:PORT/DATABASE (rediss:// for TLS, unix://PATH), memory:,"
    " or empty for a file in the crawl's data folder"
)


def open_frontier(
    url: str, default_path: Path, wait_seconds: float = 0.0, **options: Unpack[FrontierOptions]
) -> Frontier:
    """Open the frontier that ``url`` names; "" names a file at ``default_path``. Raises ConfigError for a URL of no known form.

    As in SQLAlchemy, three slashes begin a relative path and four an absolute one. In Redis, the crawl is named after the parent folder of
    ``default_path``. ``wait_seconds``: how long to wait for a server that does not answer.
    """
    if is_in_redis(url):
        from topicspider.frontier.redis.opening import open_in_redis

        return open_in_redis(url, default_path, wait_seconds, **options)
    return SqliteFrontier(file_of(url, default_path), **options)


def is_in_redis(url: str) -> bool:
    """Whether ``url`` names a frontier that several nodes share."""
    return url.startswith(("redis://", "rediss://", "unix://"))


def file_of(url: str, default_path: Path) -> Path | None:
    """Return the file that ``url`` names, or None for memory and Redis. Opens nothing; raises ConfigError for a URL of no known form."""
    if url == "memory:":
        return None
    if is_in_redis(url):
        from topicspider.frontier.redis.opening import check_url

        check_url(url)
        return None
    if not url:
        return default_path
    if url.startswith(_SQLITE) and len(url) > len(_SQLITE) and "\0" not in url:
        return Path(url[len(_SQLITE) :]).expanduser()
    raise ConfigError(setting_name("frontier"), masked(url), _ALLOWED)


def open_inspection(url: str, default_path: Path) -> Inspection:
    """Open the inspection of the frontier that ``url`` names; "" names the file at ``default_path``.

    Raises ConfigError when ``url`` names no such frontier, FrontierUnavailable when the frontier cannot be read.
    """
    if is_in_redis(url):
        from topicspider.frontier.redis.opening import inspect_in_redis

        return inspect_in_redis(url, default_path)
    return SqliteInspection(_file(url, default_path))


def own_inspection(url: str, default_path: Path, seed: int = 0) -> Inspection:
    """Open the same inspection for importing or moving a crawl; a frontier that does not exist is created.

    A file is locked for this process meanwhile (CrawlRunning when another process holds it). In Redis, nodes may go on crawling; only
    ``clear`` is refused then. ``seed``: the seed of a crawl that is created.
    """
    if is_in_redis(url):
        from topicspider.frontier.redis.opening import inspect_in_redis

        return inspect_in_redis(url, default_path, makes=True, seed=seed)
    return SqliteInspection.owning(_file(url, default_path))


def _file(url: str, default_path: Path) -> Path:
    path = file_of(url, default_path)
    if path is not None:
        return path
    allowed = "sqlite:///PATH, redis://…, or empty for a file in the crawl's data folder"
    raise ConfigError(setting_name("frontier"), url, allowed, "What is in memory is gone with its crawl")
