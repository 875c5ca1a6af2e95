"""A Redis server by its URL, with its failures in plain words; the only module that uses the driver ``redis``."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from topicspider.errors import ConfigError, FrontierRefused, FrontierUnavailable, UnavailableError, one_line
from topicspider.i18n import gettext as _
from topicspider.url import masked

FORM = "redis://USER:PASSWORD@HOST:PORT/DATABASE, rediss://… for TLS, or unix://PATH?db=DATABASE"
ENCODE = "Characters like @ : / ? # % in a password are percent-encoded: @ is %40"
SCHEMES = ("redis://", "rediss://", "unix://")
_T = TypeVar("_T")

_PLAIN_REASONS = (  # what a server says, in plain words
    ("OOM", "its memory is full (maxmemory)", "Give it more, or delete what is not needed"),
    ("READONLY", "it is a read-only replica", "Name the server that it follows"),
    ("LOADING", "it is still loading its data", ""),
    ("MISCONF", "it cannot write its data to its disk", "Make room there"),
    ("NOREPLICAS", "it has too few replicas to be written to", ""),
    ("CLUSTERDOWN", "its cluster is down", ""),
)

_SIGNS: dict[type[Exception], str] = {  # errors whose leading code the driver cuts off
    redis.exceptions.BusyLoadingError: "LOADING",
    redis.exceptions.ReadOnlyError: "READONLY",
    redis.exceptions.OutOfMemoryError: "OOM",
    redis.exceptions.ClusterDownError: "CLUSTERDOWN",
}


class RedisRefused(UnavailableError):
    """The server refuses the password, or the crawl's keys hold another program's data: waiting will not help."""


class ProgramForgotten(Exception):
    """The server does not know the program: it was restarted, or another server took its place."""


class RedisServer:
    """One server. Connections are opened when needed, and again after they were lost. ``setting`` is named when ``url`` is wrong
    (ConfigError).

    Every failure of a call is an UnavailableError, whose text has no password. ``of_frontier``: raise FrontierUnavailable instead, and
    never repeat a command whose answer was lost, because it must not be done twice.
    """

    def __init__(self, url: str, setting: str, answer_seconds: float = 5.0, *, of_frontier: bool = False) -> None:
        self._setting = setting
        retries = {"retry": Retry(NoBackoff(), 0)} if of_frontier else {}
        self._errors: Callable[[], AbstractContextManager[None]] = _frontier_errors if of_frontier else nullcontext
        try:
            # the driver would take any database that is not a number for database 0
            database = "" if url.startswith("unix:") else unquote(urlsplit(url).path).strip("/")
            if not url.startswith(SCHEMES) or not (database or "0").isdecimal():
                raise ValueError(url)
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=answer_seconds, socket_connect_timeout=answer_seconds, **retries
            )
            self.label = label_of(self._client)
        except (ValueError, TypeError):
            raise ConfigError(setting, masked(url), FORM, ENCODE) from None

    def run(self, *command: str | bytes | float) -> Any:
        return self._plainly(lambda: self._client.execute_command(*command))

    def script(self, text: str, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        """Run a Lua script, which is atomic, and return its answer."""
        return self._plainly(lambda: self._client.eval(text, len(keys), *keys, *arguments))

    def program(self, digest: str, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        """Run a loaded Lua program and return its answer; ProgramForgotten when the server does not know it."""
        return self._plainly(lambda: self._client.evalsha(digest, len(keys), *keys, *arguments))

    def load_program(self, text: str) -> None:
        """Load a Lua program; the server knows it until it is restarted."""
        self._plainly(lambda: self._client.script_load(text))

    def run_and_uptime(self) -> tuple[str, int]:
        """(ID of this run of the server, its least possible uptime in seconds). The server reports whole seconds, so one is taken off."""
        about = self._plainly(lambda: self._client.info("server"))
        return str(about["run_id"]), max(0, int(about["uptime_in_seconds"]) - 1)

    def evicts(self) -> str:
        """The policy by which the server drops keys when its memory is full; "" if it drops none, or has no memory limit."""
        about = self._plainly(lambda: self._client.info("memory"))
        policy = str(about.get("maxmemory_policy", "noeviction"))
        return policy if int(about.get("maxmemory", 0)) and policy != "noeviction" else ""

    def evicted_keys(self) -> int:
        """How many keys, of any program, the server has dropped since it was started."""
        return int(self._plainly(lambda: self._client.info("stats")).get("evicted_keys", 0))

    def together(self, commands: Sequence[Sequence[str | bytes | int]]) -> None:
        """Run several commands in one round trip, as one transaction."""

        def run_all() -> None:
            with self._client.pipeline(transaction=True) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)
                pipeline.execute()

        self._plainly(run_all)

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Raise an UnavailableError when an answer cannot be parsed."""
        with self._errors():
            try:
                yield
            except (ValueError, TypeError, OverflowError, struct.error) as error:
                raise self._unreadable(one_line(str(error), 80)) from None

    def close(self) -> None:
        self._client.close()

    def _plainly(self, call: Callable[[], _T]) -> _T:
        with self._errors():
            try:
                return call()
            except redis.exceptions.NoScriptError:
                raise ProgramForgotten from None
            except redis.AuthenticationError:
                hint = _("Check both in {setting}: redis://USER:PASSWORD@HOST:PORT", setting=self._setting)
                raise RedisRefused(self.label, "the user or the password was refused", hint) from None
            except (redis.RedisError, OSError) as error:
                raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> UnavailableError:
        text = one_line(str(error)).rstrip(".") or type(error).__name__  # becomes a part of the message
        # only whole words of a server's answer: an error without one may quote any name (unix:///BLOOM)
        said = re.findall(r"\w+", text) if isinstance(error, redis.ResponseError) else ()
        for sign, why, hint in _PLAIN_REASONS:
            if sign in said or sign == _SIGNS.get(type(error)):
                return UnavailableError(self.label, why, hint)
        if "WRONGTYPE" in text or "script:" in text:
            return self._unreadable(text)
        return UnavailableError(self.label, text)

    def _unreadable(self, why: str) -> RedisRefused:
        words = f"keys of the crawl hold what is none of it: {why}"
        return RedisRefused(self.label, words, "Move the others to another database")


@contextmanager
def _frontier_errors() -> Iterator[None]:
    """Turn an UnavailableError of the server into FrontierUnavailable or FrontierRefused."""
    try:
        yield
    except UnavailableError as error:
        kind = FrontierRefused if isinstance(error, RedisRefused) else FrontierUnavailable
        raise kind(_("frontier {what}", what=error.what), error.why, error.hint) from None


def label_of(client: Any) -> str:
    """The address that ``client`` will connect to, for messages. ValueError or TypeError when it is invalid. Does not connect."""
    pool = client.connection_pool
    place = pool.connection_kwargs
    int(place.get("port", 0))
    try:
        # this only checks the options; a connection would wait for a server that is away
        pool.connection_class(**place)
    except redis.RedisError as error:
        raise ValueError(str(error)) from None
    return "redis " + (place.get("path") or f"{place.get('host', 'localhost')}:{place.get('port', 6379)}")


def seeds_asked(call: Callable[[], _T], where: str) -> _T:
    """Run ``call``, a request of scrapy-redis' client for the list of seeds; raises FrontierUnavailable, FrontierRefused."""
    try:
        return call()
    except redis.AuthenticationError as error:
        raise FrontierRefused(where, str(error), "Give the password in REDIS_URL") from None
    except redis.ResponseError as error:
        raise FrontierRefused(where, str(error), "The seeds must be a Redis list, filled by lpush") from None
    except redis.RedisError as error:
        hint = "Is it running? TOPICSPIDER_CONNECT_WAIT says how long to wait"
        raise FrontierUnavailable(where, _("no answer: {error}", error=error), hint) from None
