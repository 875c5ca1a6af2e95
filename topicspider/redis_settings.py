"""From the connection settings of scrapy-redis to the URL of one Redis."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from topicspider.errors import ConfigError
from topicspider.url import masked

SCHEDULER = "topicspider.redis_scheduler.RedisScheduler"
FORM = "REDIS_URL=redis://USER:PASSWORD@HOST:PORT/DATABASE, or REDIS_HOST and REDIS_PORT"
_USUAL_KEY = "%(name)s:start_urls"
_TLS = "rediss"
_SCHEMES = ("redis", _TLS, "unix")
_NEXT = re.compile(r",(?=(?:redis|rediss|unix)://)")
_HIDDEN = "***"  # a password may be in it
_CHECKS = ("none", "optional", "required")  # a URL's words, in the order of the ssl module's numbers


def uses_redis_scheduler(settings: Mapping[str, Any]) -> bool:
    """Whether SCHEDULER is our RedisScheduler, named or given; one derived from it is told when it is given."""
    scheduler = settings.get("SCHEDULER")
    kinds = getattr(scheduler, "__mro__", ())
    return scheduler == SCHEDULER or any(f"{kind.__module__}.{kind.__qualname__}" == SCHEDULER for kind in kinds)


def redis_url(settings: Mapping[str, Any]) -> str:
    """REDIS_URL; without one what REDIS_HOST, REDIS_PORT and REDIS_DB name, by default the Redis on this machine.

    REDIS_DB and REDIS_PARAMS say what a URL does not: database, user, password, and all that begins with ssl_.
    Raises ConfigError for several URLs, and for what cannot be said in a URL.
    """
    params = _params(settings)
    database = _database(settings, params)
    url = server_url(settings) or _by_parts(settings, params, database)
    if url.partition("://")[0] not in _SCHEMES:
        raise ConfigError("REDIS_URL", masked(url), FORM)
    return _completed(url, params, database)


def server_url(settings: Mapping[str, Any]) -> str:
    """The URL in REDIS_URL or REDIS_PARAMS, "" when there is none; ConfigError for several."""
    url = str(settings.get("REDIS_URL") or _params(settings).get("url") or "")
    urls = _NEXT.split(url)
    if len(urls) > 1:
        hint = "A crawl is not spread over several any more"
        raise ConfigError("REDIS_URL", ",".join(map(masked, urls)), "one Redis", hint)
    return url


def _params(settings: Mapping[str, Any]) -> dict[str, Any]:
    """As Scrapy reads a dict; from a command line it comes as JSON."""
    given = settings.get("REDIS_PARAMS") or {}
    try:
        return {
            str(name): value for name, value in dict(json.loads(given) if isinstance(given, str) else given).items()
        }
    except (TypeError, ValueError, RecursionError):
        raise ConfigError("REDIS_PARAMS", _HIDDEN, 'a dict, or the same as JSON, like {"db": 3}') from None


def _database(settings: Mapping[str, Any], params: Mapping[str, Any]) -> int | None:
    """None: nobody says. As with scrapy-redis a REDIS_DB of 0 says nothing."""
    given = settings.get("REDIS_DB") or params.get("db")
    if given is None or given == "":
        return None
    if not str(given).strip().isdecimal():
        raise ConfigError("REDIS_DB" if settings.get("REDIS_DB") else "REDIS_PARAMS: db", given, "a whole number")
    return int(given)


def _by_parts(settings: Mapping[str, Any], params: Mapping[str, Any], database: int | None) -> str:
    host, port = (
        settings.get(f"REDIS_{name.upper()}") or params.get(name) or usual
        for name, usual in (("host", "localhost"), ("port", 6379))
    )
    if params.get("unix_socket_path"):
        return f"unix://{quote(str(params['unix_socket_path']))}?db={database or 0}"
    place = f"[{host}]" if ":" in str(host) else host  # an IPv6 address
    return f"{_TLS if params.get('ssl') else 'redis'}://{place}:{port}/{database or 0}"


def _completed(url: str, params: Mapping[str, Any], database: int | None) -> str:
    """``url`` with what it does not say itself: of two the URL's counts, as with scrapy-redis."""
    scheme, _, rest = url.partition("://")
    address, _, query = rest.partition("?")
    place, slash, path = address.partition("/")
    given = dict(parse_qsl(query))
    more = _tls(params) if scheme == _TLS else {}
    if database is not None and (scheme == "unix" or not path.isdecimal()):
        more["db"] = str(database)
    missing = urlencode({name: value for name, value in more.items() if name not in given})
    query = "&".join(filter(None, (query, missing)))
    return f"{scheme}://{_with_login(place, params, given)}{slash}{path}" + (f"?{query}" if query else "")


def _with_login(place: str, params: Mapping[str, Any], query: Mapping[str, str]) -> str:
    """User and password are each the URL's, wherever it has them, else those of the params."""
    login, _, host = place.rpartition("@")
    user, _, password = login.partition(":")
    more = {
        name: "" if name in query else quote(str(params.get(name) or ""), safe="") for name in ("username", "password")
    }
    user, password = user or more["username"], password or more["password"]
    return f"{user}:{password}@{host}" if user or password else host


def _tls(params: Mapping[str, Any]) -> dict[str, str]:
    """The ssl_ options as a URL has them; what is not given, or is the driver's default, needs no word."""
    said = {name: _said(name, value) for name, value in params.items() if name.startswith("ssl_")}
    return {name: value for name, value in said.items() if value is not None}


def _said(name: str, value: object) -> str | None:
    if name == "ssl_cert_reqs":
        return _check(value)
    if value is None or (value is False and name != "ssl_check_hostname"):  # a URL's "False" would count as true
        return None
    if name.endswith("_verify_flags") and isinstance(value, list | tuple):
        return ",".join(str(getattr(flag, "name", flag)) for flag in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str | bool):
        return str(value)
    raise ConfigError(f"REDIS_PARAMS: {name}", _HIDDEN, "text or a number, as a URL can say it")


def _check(value: object) -> str:
    """How the server's certificate is checked."""
    word = str(getattr(value, "name", value)).removeprefix("CERT_").lower()
    if word in _CHECKS:
        return word
    if isinstance(value, int) and 0 <= value < len(_CHECKS):
        return _CHECKS[value]
    raise ConfigError("REDIS_PARAMS: ssl_cert_reqs", value, ", ".join(_CHECKS))


def start_urls_key(settings: Mapping[str, Any], spider: str) -> str:
    """The list from which scrapy-redis would take the first URLs of this spider."""
    return str(settings.get("REDIS_START_URLS_KEY") or _USUAL_KEY) % {"name": spider}
