"""From the setting TOPICSPIDER_FRONTIER to an inspection."""

from __future__ import annotations

from pathlib import Path

from topicspider.defaults import setting_name
from topicspider.errors import ConfigError, FrontierUnavailable
from topicspider.frontier.inspection import Inspection
from topicspider.frontier.registry import file_of, is_in_redis
from topicspider.frontier.sqlite_inspection import SqliteInspection
from topicspider.url.masked import masked


def open_inspection(url: str, default_path: Path) -> Inspection:
    """The inspection of the frontier that ``url`` names: "" is the file at ``default_path``.

    Raises ConfigError for what names none, FrontierUnavailable when it cannot be looked at.
    """
    return SqliteInspection(_file(url, default_path))


def own_inspection(url: str, default_path: Path) -> Inspection:
    """The same for whoever takes in or moves: nobody crawls on it meanwhile (CrawlRunning), and one that is not there is made."""
    return SqliteInspection.owning(_file(url, default_path))


def _file(url: str, default_path: Path) -> Path:
    path = file_of(url, default_path)
    if path is not None:
        return path
    if is_in_redis(url):
        raise FrontierUnavailable(f"frontier {masked(url)}", "one in Redis cannot be inspected yet")
    allowed = "sqlite:///PATH, or empty for a file in the crawl's data folder"
    raise ConfigError(setting_name("frontier"), url, allowed, "What is in memory is gone with its crawl")
