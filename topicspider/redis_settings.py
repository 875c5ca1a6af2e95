"""Turns the connection settings of scrapy-redis into the URL of one Redis."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from topicspider.errors import ConfigError
from topicspider.url import masked

SCHEDULER = "topicspider.redis_scheduler.RedisScheduler"
FORM = "REDIS_URL=redis://USER:PASSWORD@HOST:PORT/DATABASE, or REDIS_HOST and REDIS_PORT"
_USUAL_KEY = "%(name)s:start_urls"
_SCHEMES = ("redis", "rediss", "unix")
_HIDDEN = "***"  # the value may contain a password


def uses_redis_scheduler(settings: Mapping[str, Any]) -> bool:
    """Whether SCHEDULER is our RedisScheduler, by name or as a class; a subclass is recognised only as a class."""
    scheduler = settings.get("SCHEDULER")
    kinds = getattr(scheduler, "__mro__", ())
    return scheduler == SCHEDULER or any(f"{kind.__module__}.{kind.__qualname__}" == SCHEDULER for kind in kinds)


def redis_url(settings: Mapping[str, Any]) -> str:
    """REDIS_URL; without it, the URL made of REDIS_HOST, REDIS_PORT and REDIS_DB, by default that of the Redis on this machine.

    REDIS_DB, and the db, username and password of REDIS_PARAMS, are used where the URL does not contain them. Raises ConfigError.
    """
    params = _params(settings)
    url = str(settings.get("REDIS_URL") or params.get("url") or f"redis://{_place(settings, params)}")
    scheme, _, rest = url.partition("://")
    if scheme not in _SCHEMES or "://" in rest:  # no scheme, or several
        raise ConfigError("REDIS_URL", masked(url), FORM)
    address, _, query = rest.partition("?")
    if "@" not in address and (params.get("username") or params.get("password")):
        login = ":".join(quote(str(params.get(name) or ""), safe="") for name in ("username", "password"))
        url = f"{scheme}://{login}@{rest}"
    database = str(settings.get("REDIS_DB") or params.get("db") or "").strip()
    if not database or "db=" in query or (scheme != "unix" and address.partition("/")[2].isdecimal()):
        return url
    if not database.isdecimal():
        raise ConfigError("REDIS_DB" if settings.get("REDIS_DB") else "REDIS_PARAMS: db", database, "a whole number")
    return f"{url}{'&' if query else '?'}db={database}"


def _params(settings: Mapping[str, Any]) -> dict[str, Any]:
    """REDIS_PARAMS as a dict; from a command line it comes as JSON."""
    given = settings.get("REDIS_PARAMS") or {}
    try:
        params = dict(json.loads(given) if isinstance(given, str) else given)
    except (TypeError, ValueError, RecursionError):
        raise ConfigError("REDIS_PARAMS", _HIDDEN, 'a dict, or the same as JSON, like {"db": 3}') from None
    for name in params:
        if str(name).startswith(("ssl", "unix")):
            hint = "Say it in the address: REDIS_URL=rediss://HOST:PORT?ssl_ca_certs=PATH, or unix://PATH"
            raise ConfigError(f"REDIS_PARAMS: {name}", _HIDDEN, "nothing about TLS or sockets", hint)
    return params


def _place(settings: Mapping[str, Any], params: Mapping[str, Any]) -> str:
    host, port = (
        settings.get(f"REDIS_{name.upper()}") or params.get(name) or usual
        for name, usual in (("host", "localhost"), ("port", 6379))
    )
    return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"


def start_urls_key(settings: Mapping[str, Any], spider: str) -> str:
    """The key of the list from which scrapy-redis would take the first URLs of this spider."""
    return str(settings.get("REDIS_START_URLS_KEY") or _USUAL_KEY) % {"name": spider}
