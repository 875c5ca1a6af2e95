"""Scrapy's own settings, read as ours are, by the kinds of their defaults: Scrapy has a traceback for a wrong one, or goes on without it."""

from __future__ import annotations

from scrapy.settings import BaseSettings, default_settings

from topicspider.setting_rules import checked, setting

_AT_LEAST_ONE = ("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN", "REACTOR_THREADPOOL_MAXSIZE")  # 0 would hang
_NEVER_NEGATIVE = ("CLOSESPIDER_", "CONCURRENT_", "DEPTH_LIMIT", "DOWNLOAD_")
_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")


def check_scrapy_settings(settings: BaseSettings) -> None:
    """Put numbers, yes and no in the place of the words that were typed; raises ConfigError for the first that is none."""
    for name, usual in vars(default_settings).items():
        priority = settings.getpriority(name)
        if priority and isinstance(usual, int | float):
            value = settings.get(name)
            low = 1 if name in _AT_LEAST_ONE else 0 if name.startswith(_NEVER_NEGATIVE) else None
            read = checked(name, setting(_kind(name, usual)(usual), "", low=low), value)
            settings.set(name, read if isinstance(value, str) else value, priority)
    if isinstance(settings.get("LOG_LEVEL"), str):  # or a number
        checked("LOG_LEVEL", setting("", "", choices=_LEVELS), settings.get("LOG_LEVEL"))


def _kind(name: str, usual: float) -> type:
    """Of what Scrapy reads; some defaults are 1 for yes, or whole seconds."""
    if name.endswith("_ENABLED"):
        return bool
    return float if name.endswith(("_DELAY", "_TIMEOUT")) else type(usual)
