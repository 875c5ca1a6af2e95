"""The store in a MySQL or MariaDB database, through PyMySQL; nothing else imports that driver."""

from __future__ import annotations

import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import pymysql
from pymysql.constants import CR, ER

from topicspider.errors import BadRow, StoreRefused, StoreUnavailable
from topicspider.i18n import gettext as _
from topicspider.store.database import MYSQL, Rows, make_tables, store_schema
from topicspider.store.location import ANSWER_SECONDS, MysqlPlace

_CONNECT_SECONDS = 5

_PACKET_BYTES = 8 << 20  # 1 MB per statement in PyMySQL and one more row, with each byte escaped
# error codes, of which PyMySQL names only some; first a full disk of the server, as reported for tables, logs and files
_FULL = (ER.DISK_FULL, ER.ERROR_ON_WRITE, ER.RECORD_FILE_FULL, 3, 20, 28)
_REFUSED = (ER.ACCESS_DENIED_ERROR, ER.DBACCESS_DENIED_ERROR, ER.TABLEACCESS_DENIED_ERROR, 1698, ER.BAD_DB_ERROR)
_CONFLICT = (ER.LOCK_DEADLOCK, ER.LOCK_WAIT_TIMEOUT)
_LOST = (CR.CR_SERVER_GONE_ERROR, CR.CR_SERVER_LOST, CR.CR_SERVER_LOST_EXTENDED, 0, ER.SERVER_SHUTDOWN, 1927, 4031)
_BAD_VALUE = (
    ER.NET_PACKET_TOO_LARGE, ER.TRUNCATED_WRONG_VALUE_FOR_FIELD, ER.INVALID_CHARACTER_STRING, ER.WARN_DATA_OUT_OF_RANGE,
    ER.WARN_DATA_TRUNCATED, ER.TRUNCATED_WRONG_VALUE, ER.DATA_TOO_LONG, ER.BAD_NULL_ERROR,
)  # fmt: skip
_EXISTS = (ER.TABLE_EXISTS_ERROR, ER.DUP_KEYNAME, ER.DUP_FIELDNAME, ER.CANT_DROP_FIELD_OR_KEY)

_T = TypeVar("_T")


class MysqlDatabase:
    """One connection to the database at ``place``, reopened when lost; a server that is silent for ``answer_seconds`` is unavailable."""

    dialect = MYSQL

    def __init__(self, place: MysqlPlace, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._answer_seconds = answer_seconds
        self.label = f"store {place!r}"
        self._place = place
        self._lock = threading.RLock()
        self._is_closed = False
        self._connection: Any = None
        self._attempt(self._make_tables)

    def write(self, changes: Sequence[tuple[str, Rows]]) -> None:
        """Runs all statements for all their rows in one transaction; retried after a conflict with another writer."""
        with self._lock:
            self._attempt(lambda: self._write(changes))

    def read(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        with self._lock:
            return self._attempt(lambda: self._read(sql, values))

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._drop()

    def _attempt(self, work: Callable[[], _T]) -> _T:
        """``work()``, retried after a lost connection or a lock conflict: all writes are idempotent (promise S3)."""
        for attempt in range(6):
            had_connection = self._connection is not None
            try:
                self._connect()
                return work()
            except (pymysql.Error, OSError, RuntimeError) as error:
                code = _code(error)
                if code not in _BAD_VALUE:
                    self._drop()
                is_stale = had_connection and (code in _LOST or isinstance(error, OSError)) and attempt == 0
                if not is_stale and not (code in _CONFLICT and attempt < 5):
                    raise self._explained(error) from error
                if code in _CONFLICT:
                    time.sleep(random.uniform(0.0, 0.01 * 2**attempt))
            except BaseException:
                # after Ctrl-C in the middle of an answer the next call must not read the rest of it
                self._drop()
                raise
        raise AssertionError("unreachable")

    def _connect(self) -> None:
        if self._is_closed:
            raise StoreUnavailable(self.label, "it was closed")
        if self._connection is None:
            self._connection = _connection(self._place, self._answer_seconds)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and connection.open:
            with suppress(pymysql.Error, OSError):
                connection.close()

    def _write(self, changes: Sequence[tuple[str, Rows]]) -> None:
        connection = self._connection
        try:
            with connection.cursor() as cursor:
                for sql, rows in changes:
                    cursor.executemany(sql.replace("?", "%s"), rows)
            connection.commit()
        except pymysql.Error as error:
            if _code(error) in _BAD_VALUE:
                connection.rollback()
            raise

    def _read(self, sql: str, values: Sequence[Any]) -> Rows:
        with self._connection.cursor() as cursor:
            cursor.execute(sql.replace("?", "%s"), values)
            rows: Rows = cursor.fetchall()
        self._connection.commit()  # so that the next read sees what others wrote meanwhile
        return rows

    def _make_tables(self) -> None:
        with self._connection.cursor() as cursor, _schema_lock(cursor, self.label):
            _check_packet(cursor, self.label)
            make_tables(partial(_run, cursor), self.label, MYSQL, store_schema(MYSQL))

    def _explained(self, error: Exception) -> Exception:
        code = _code(error)
        if code in _BAD_VALUE or isinstance(error, (pymysql.DataError, pymysql.IntegrityError)):
            return BadRow("row", str(error.args[-1]), "what MySQL can hold")
        refused = code in _REFUSED
        why = str([type(error).__name__, *error.args][-1])
        if code == ER.ACCESS_DENIED_ERROR:
            why = "the user or the password was refused"
        return (StoreRefused if refused else StoreUnavailable)(self.label, why, _hint(code, self._place))


def _run(cursor: Any, sql: str, values: Sequence[Any] = ()) -> Rows:
    """Runs and commits one statement; an error that something exists already is ignored."""
    try:
        cursor.execute(sql.replace("?", "%s"), values)
    except pymysql.Error as error:
        if _code(error) not in _EXISTS:
            raise
        return ()
    rows: Rows = cursor.fetchall()
    cursor.connection.commit()
    return rows


def _check_packet(cursor: Any, label: str) -> None:
    """Checks max_allowed_packet first: the server closes the connection at a larger statement, which would look like an outage."""
    cursor.execute("SELECT @@max_allowed_packet")
    size = int(cursor.fetchone()[0])
    if size < _PACKET_BYTES:
        why = _(
            "its max_allowed_packet is {size} bytes, at least {packet_bytes} are needed",
            size=size,
            packet_bytes=_PACKET_BYTES,
        )
        raise StoreRefused(label, why, "Set max_allowed_packet=16M in the server's configuration")


@contextmanager
def _schema_lock(cursor: Any, label: str) -> Iterator[None]:
    """Holds a lock, so that only one process at a time changes the schema of a database."""
    name = "CONCAT('topicspider ', MD5(DATABASE()))"
    cursor.execute(f"SELECT GET_LOCK({name}, 600)")
    if cursor.fetchone() != (1,):
        raise StoreUnavailable(label, "another process has been changing its schema for long")
    try:
        yield
    finally:
        if cursor.connection is not None and cursor.connection.open:
            cursor.execute(f"SELECT RELEASE_LOCK({name})")


def _connection(place: MysqlPlace, answer_seconds: float) -> Any:
    if place.unix_socket:
        _probe(place.unix_socket)
    connection: Any = pymysql.connect(
        host=place.host,
        port=place.port,
        unix_socket=place.unix_socket or None,
        user=place.user,
        password=place.password.encode(),  # PyMySQL would take latin-1
        database=place.database,
        charset="utf8mb4",
        ssl=_tls(place.ssl),
        ssl_disabled=place.ssl == "off",
        connect_timeout=_CONNECT_SECONDS,
        # for the handshake and the first answer: a port may be open without a server behind it
        read_timeout=_CONNECT_SECONDS,
        write_timeout=_CONNECT_SECONDS,
        # strict: a value that does not fit is an error and never silently cut
        sql_mode="STRICT_ALL_TABLES",
        # less locking than REPEATABLE READ, where two writers would block each other on gaps between keys
        init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    )
    connection._read_timeout = connection._write_timeout = answer_seconds
    return connection


def _probe(unix_socket: str) -> None:
    """Raises OSError when no server listens; PyMySQL would leave its own socket open in that case."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_CONNECT_SECONDS)
        probe.connect(unix_socket)


def _tls(choice: str) -> ssl.SSLContext | None:
    if choice == "off":
        return None
    context = ssl.create_default_context(cafile=None if choice in ("on", "unverified") else choice)
    if choice == "unverified":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _code(error: BaseException) -> int:
    first = error.args[0] if error.args else -1
    return first if isinstance(first, int) else -1


def _hint(code: int, place: MysqlPlace) -> str:
    if code == ER.BAD_DB_ERROR:
        return f"Create it: CREATE DATABASE `{place.database}` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    if code in _REFUSED:
        return "Check the user, the password and the rights in TOPICSPIDER_STORE"
    if code in _FULL:
        return "Make room on the disk of the server; nothing is lost until then"
    if code == ER.NO_SUCH_TABLE:
        return "A table of the store is missing: put a backup of the database in its place, or name another one"
    return "Check that the server runs and is reached from here"
