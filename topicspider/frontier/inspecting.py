"""From the setting TOPICSPIDER_FRONTIER to an inspection."""

from __future__ import annotations

from pathlib import Path

from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.frontier.inspection import Inspection
from topicspider.frontier.registry import file_of, is_in_redis
from topicspider.frontier.sqlite_inspection import SqliteInspection


def open_inspection(url: str, default_path: Path) -> Inspection:
    """The inspection of the frontier that ``url`` names: "" is the file at ``default_path``.

    Raises ConfigError for what names none, FrontierUnavailable when it cannot be looked at.
    """
    if is_in_redis(url):
        return _in_redis(url, default_path)
    return SqliteInspection(_file(url, default_path))


def own_inspection(url: str, default_path: Path, seed: int = 0) -> Inspection:
    """The same for whoever takes in or moves; one that is not there is made.

    A file is nobody else's meanwhile (CrawlRunning); in Redis, nodes may crawl on it: only ``clear`` is refused then. ``seed``: of
    a crawl that is made there.
    """
    if is_in_redis(url):
        return _in_redis(url, default_path, makes=True, seed=seed)
    return SqliteInspection.owning(_file(url, default_path))


def _in_redis(url: str, default_path: Path, *, makes: bool = False, seed: int = 0) -> Inspection:
    from topicspider.frontier.redis.opening import inspect_in_redis  # loads the driver

    return inspect_in_redis(url, default_path, makes=makes, seed=seed)


def _file(url: str, default_path: Path) -> Path:
    path = file_of(url, default_path)
    if path is not None:
        return path
    allowed = "sqlite:///PATH, redis://…, or empty for a file in the crawl's data folder"
    raise ConfigError(setting_name("frontier"), url, allowed, "What is in memory is gone with its crawl")
