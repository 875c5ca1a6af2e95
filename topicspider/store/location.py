"""Parses and checks TOPICSPIDER_STORE and opens the store it names; waits for a server that is still starting."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from topicspider.errors import ConfigError, patiently
from topicspider.url import masked

if TYPE_CHECKING:
    from topicspider.options import Options
    from topicspider.store.store import Store


FILE = "pages.db"
"""The file, in a crawl's folder, of the store of a crawl that names no other."""

FORMS = (
    "sqlite:///PATH, memory:, or mysql://USER:PASSWORD@HOST:PORT/DATABASE with ?unix_socket=PATH "
    "and ?ssl=off, on, unverified or a CA file"
)


@dataclass(frozen=True, slots=True)
class SqlitePlace:
    """An SQLite file; None is a database in memory."""

    path: Path | None


@dataclass(frozen=True, slots=True)
class MysqlPlace:
    """A MySQL or MariaDB database. ``ssl``: off, on (certificate checked), unverified, or the path of a CA file."""

    host: str
    port: int
    user: str
    password: str
    database: str
    unix_socket: str = ""
    ssl: str = "off"

    def __repr__(self) -> str:
        """Without the password, as errors and logs show it."""
        where = self.unix_socket or f"{self.host}:{self.port}"
        return f"mysql://{self.user}@{where}/{self.database}"


Place = SqlitePlace | MysqlPlace


def parse(url: str, default_path: Path) -> Place:
    """The place that ``url`` names; the SQLite file ``default_path`` when it is empty. Raises ConfigError."""
    text = url.strip()
    path = text.removeprefix("sqlite:///")
    if not text:
        return SqlitePlace(default_path)
    if text == "memory:":
        return SqlitePlace(None)
    if text.startswith("mysql://"):
        return _mysql(text)
    if path in ("", text) or "\0" in path:
        raise _wrong(url, "An absolute path has four slashes: sqlite:////home/me/pages.sqlite")
    return SqlitePlace(Path(path).expanduser())


def _wrong(url: str, hint: str) -> ConfigError:
    return ConfigError("TOPICSPIDER_STORE", masked(url), FORMS, hint)


def _mysql(url: str) -> MysqlPlace:
    encode = "Characters like @ : / ? # % in a user or password are percent-encoded: @ is %40"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _wrong(url, encode) from None
    if parts.fragment or not parts.username or port == 0:
        raise _wrong(url, encode)
    database = unquote(parts.path[1:])
    if not database or len(database) > 64 or "/" in database or not database.isprintable():
        raise _wrong(url, "It ends in the name of a database: mysql://user:password@host/topicspider")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if unknown := sorted(options.keys() - {"unix_socket", "ssl"}):
        raise _wrong(url, f"Unknown option {masked(unknown[0])}")
    ssl = options.get("ssl", "off")
    if ssl not in ("off", "on", "unverified") and not Path(ssl).is_file():
        raise _wrong(url, "ssl is off, on, unverified, or the path of a file of CA certificates")
    user, password = unquote(parts.username), unquote(parts.password or "")
    return MysqlPlace(parts.hostname or "127.0.0.1", port or 3306, user, password, database, **options)


ANSWER_SECONDS, HANGING_SECONDS = 30.0, 5.0
"""A database that does not answer for so many seconds is unavailable; the shorter time is for crawls, which go on without it."""


def open_store(
    url: str, default_path: Path, connect_wait: float = 30.0, answer_seconds: float = ANSWER_SECONDS
) -> Store:
    """The store at ``url``; ``default_path`` is the SQLite file when ``url`` is empty.

    Waits up to ``connect_wait`` seconds for a MySQL server that does not answer, but not for one that refuses. Later it is unavailable when
    it does not answer for ``answer_seconds``. Raises ConfigError for a bad ``url``, StoreUnavailable when the store cannot be used.
    """
    from topicspider.store.sqlite import SqliteDatabase
    from topicspider.store.store import Store

    place = parse(url, default_path)
    if isinstance(place, SqlitePlace):
        return Store(SqliteDatabase(place.path or ":memory:"))
    from topicspider.store.mysql import MysqlDatabase

    return patiently(lambda: Store(MysqlDatabase(place, answer_seconds)), connect_wait)


def store_of_crawl(options: Options, folder: Path, connect_wait: float | None = None) -> closing[Store]:
    """The store of the crawl in ``folder``, opened as by ``open_store``; ``connect_wait`` defaults to that of the options."""
    wait = options.connect_wait if connect_wait is None else connect_wait
    return closing(open_store(options.store, folder / FILE, wait))
