"""From the connection settings of scrapy-redis to the URL of one Redis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

SCHEDULER = "topicspider.redis_scheduler.RedisScheduler"
_USUAL_KEY = "%(name)s:start_urls"


def uses_redis_scheduler(settings: Mapping[str, Any]) -> bool:
    """Whether SCHEDULER is our RedisScheduler, named or given; one derived from it is told when it is given."""
    scheduler = settings.get("SCHEDULER")
    kinds = getattr(scheduler, "__mro__", ())
    return scheduler == SCHEDULER or any(f"{kind.__module__}.{kind.__qualname__}" == SCHEDULER for kind in kinds)


def redis_url(settings: Mapping[str, Any]) -> str:
    """REDIS_URL; without one what REDIS_HOST, REDIS_PORT, REDIS_DB and REDIS_PARAMS name, by default the Redis on this machine."""
    params = dict(settings.get("REDIS_PARAMS") or {})
    url = settings.get("REDIS_URL") or params.get("url")
    if url:
        return str(url)
    host, port, database = (
        settings.get(f"REDIS_{name.upper()}") or params.get(name) or usual
        for name, usual in (("host", "localhost"), ("port", 6379), ("db", 0))
    )
    user, password = (quote(str(params.get(name) or ""), safe="") for name in ("username", "password"))
    who = f"{user}:{password}@" if user or password else ""
    if params.get("unix_socket_path"):
        return f"unix://{who}{params['unix_socket_path']}?db={database}"
    return f"{'rediss' if params.get('ssl') else 'redis'}://{who}{host}:{port}/{database}"


def start_urls_key(settings: Mapping[str, Any], spider: str) -> str:
    """The list from which scrapy-redis would take the first URLs of this spider."""
    return str(settings.get("REDIS_START_URLS_KEY") or _USUAL_KEY) % {"name": spider}
