"""Opening a store that is not there, refuses, or is damaged: one clear line, in time, without a password."""

from __future__ import annotations

import os
import resource
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pymysql
import pytest

from support.servers import PASSWORD, MysqlServer, connect, fresh_database, run_sql
from support.store_rows import link, page
from topicspider.errors import BadRow, StoreRefused, StoreUnavailable
from topicspider.store.location import open_store
from topicspider.store.rows import Batch, url_hash


def _line(error: pytest.ExceptionInfo[StoreUnavailable]) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert "Traceback" not in text
    assert PASSWORD not in text
    assert "secret" not in text
    return text


@contextmanager
def _as_ordinary_user() -> Iterator[None]:
    """Root may write anywhere: let go of that for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_an_empty_url_is_the_default_file_in_a_new_folder(tmp_path: Path) -> None:
    path = tmp_path / "旅 游" / "pages.sqlite"
    store = open_store("", path)
    store.write(Batch(pages=[page()]))
    store.close()
    assert path.is_file()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    with _as_ordinary_user(), pytest.raises(StoreUnavailable) as caught:
        open_store(f"sqlite:///{folder}/new/pages.sqlite", tmp_path)
    assert str(folder) in _line(caught)


@pytest.mark.parametrize("content", [b"<html>no database</html>" * 100, os.urandom(8192)], ids=["html", "noise"])
def test_something_else_than_a_database_is_told_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pages.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreUnavailable) as caught:
        open_store("", path)
    assert "not a database" in _line(caught)
    assert path.read_bytes() == content


def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "pages.sqlite"
    store = open_store("", path)
    store.write(Batch(pages=[page(f"http://a.example/{i}", body="漓江" * 900) for i in range(50)]))
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreUnavailable) as caught:
        list(open_store("", path).all_hits())
    assert "damaged" in _line(caught)


def test_a_full_disk_is_told_and_nothing_is_written_by_halves(tmp_path: Path) -> None:
    """Promise 1, with the kernel's limit on the size of a file standing for the end of the disk."""
    path = tmp_path / "pages.sqlite"
    store = open_store("", path)
    store.write(Batch(pages=[page()]))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 300_000, hard))
    try:
        with pytest.raises(StoreUnavailable) as caught:
            store.write(Batch(pages=[page(f"http://a.example/{i}", body="x" * 50_000) for i in range(100)]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(path) in _line(caught)
    assert store.totals().pages == 1
    store.write(Batch(pages=[page("http://a.example/after")]))
    assert store.totals().pages == 2
    store.close()


def test_a_refused_connection_is_waited_for_and_then_told(caplog: pytest.LogCaptureFixture) -> None:
    """Promise 5."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound, but not listening
        start = time.monotonic()
        with pytest.raises(StoreUnavailable) as caught:
            open_store(f"mysql://u:secret@127.0.0.1:{nobody.getsockname()[1]}/pages", Path(), connect_wait=0.7)
    assert 0.6 < time.monotonic() - start < 30  # it waited, and not for ever
    assert "refused" in _line(caught)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "secret" not in caplog.text


def test_a_server_that_comes_up_while_we_wait_is_used(mysql_server: MysqlServer) -> None:
    with fresh_database(mysql_server.url) as url:
        mysql_server.kill()
        starting = threading.Timer(0.5, mysql_server.start)
        starting.start()
        store = open_store(url, Path(), connect_wait=30)
        starting.join()
        store.write(Batch(pages=[page()]))
        assert store.totals().pages == 1
        store.close()


def test_a_wrong_password_is_told_at_once(mysql_url: str) -> None:
    """Promise 5."""
    url = mysql_url.replace(quote(PASSWORD, safe=""), "secret")
    start = time.monotonic()
    with pytest.raises(StoreRefused) as caught:
        open_store(f"{url}pages", Path(), connect_wait=30)
    assert time.monotonic() - start < 30
    assert "password was refused" in _line(caught)


def test_a_database_that_does_not_exist_comes_with_the_statement_that_makes_it(mysql_url: str) -> None:
    with pytest.raises(StoreRefused) as caught:
        open_store(f"{mysql_url}nowhere", Path(), connect_wait=30)
    assert "CREATE DATABASE `nowhere`" in _line(caught)


def test_a_user_who_may_not_make_tables_is_told_at_once(mysql_server: MysqlServer) -> None:
    with fresh_database(mysql_server.url) as url:
        name = url.rpartition("/")[2]
        with pymysql.connect(unix_socket=str(mysql_server.unix_socket), user="root") as root, root.cursor() as cursor:
            cursor.execute(f"CREATE USER {name} IDENTIFIED BY 'x'")
            cursor.execute(f"GRANT SELECT ON {name}.* TO {name}")
        with pytest.raises(StoreRefused) as caught:
            open_store(f"mysql://{name}:x@{url.rpartition('@')[2]}", Path(), connect_wait=30)
    assert "the rights" in _line(caught)


def test_a_unix_socket_is_used(mysql_server: MysqlServer) -> None:
    with fresh_database(mysql_server.url) as url:
        # no server listens at that port: only the socket can answer
        by_socket = url.replace(str(mysql_server.port), "1") + f"?unix_socket={quote(str(mysql_server.unix_socket))}"
        store = open_store(by_socket, Path(), connect_wait=0)
        store.write(Batch(pages=[page()]))
        store.close()
        assert run_sql(url, "SELECT COUNT(*) FROM pages") == ((1,),)


def test_tls_that_the_server_cannot_give_is_refused_not_given_up(mysql_server: MysqlServer) -> None:
    with fresh_database(mysql_server.url) as url, pytest.raises(StoreUnavailable) as caught:
        open_store(f"{url}?ssl=unverified", Path(), connect_wait=0)
    assert "SSL" in _line(caught)


def test_a_connection_that_idled_away_is_opened_again(mysql_url: str) -> None:
    with fresh_database(mysql_url) as url:
        store = open_store(url, Path(), connect_wait=0)
        store.write(Batch(pages=[page()]))
        mine = "SELECT id FROM information_schema.processlist WHERE db = '{}'".format(url.rpartition("/")[2])
        threads = [row[0] for row in run_sql(mysql_url, mine)]
        assert threads
        run_sql(mysql_url, *(f"KILL {thread}" for thread in threads))
        store.write(Batch(pages=[page("http://a.example/2")]))
        assert store.totals().pages == 2
        store.close()
        with pytest.raises(StoreUnavailable, match="closed"):
            store.totals()


def test_a_value_that_only_the_database_finds_bad_is_a_bad_row_and_the_next_write_goes_on(mysql_url: str) -> None:
    """Promise 1: the page that was written before the bad link of the same batch is taken back."""
    with fresh_database(mysql_url) as url:
        store = open_store(url, Path(), connect_wait=0)
        run_sql(url, "ALTER TABLE links MODIFY anchor VARCHAR(3) NOT NULL")
        with pytest.raises(BadRow, match="anchor"):
            store.write(Batch(pages=[page()], links=[link(anchor="四个字了")]))
        store.write(Batch(links=[link(anchor="三个字")]))
        assert store.totals().pages == 0
        store.close()


def test_a_deadlock_with_another_program_is_tried_again(mysql_url: str) -> None:
    urls = sorted((f"http://a.example/{i}" for i in range(40)), key=url_hash)  # the order in which rows are locked
    with fresh_database(mysql_url) as url:
        store = open_store(url, Path(), connect_wait=0)
        store.write(Batch(pages=[page(each) for each in urls]))
        with connect(url) as other, other.cursor() as cursor:
            # the other has changed more rows, so that MySQL picks the store as the one to give way
            cursor.executemany(
                "UPDATE pages SET title = 'x' WHERE topic = 'tourism' AND url_hash = %s",
                [(url_hash(u),) for u in urls[10:]],
            )
            again = [page(each, title="新", fetched_at="2026-12-01T00:00:00Z") for each in (urls[0], urls[-1])]
            with ThreadPoolExecutor(1) as pool:
                write = pool.submit(store.write, Batch(pages=again))
                waits = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                while run_sql(url, waits)[0][0] == 0:
                    assert not write.done()
                    time.sleep(0.02)
                cursor.execute(
                    "UPDATE pages SET title = 'y' WHERE topic = 'tourism' AND url_hash = %s", (url_hash(urls[0]),)
                )
                other.commit()
                write.result(20)
        assert [row.item.title for row in (store.page("tourism", urls[0]), store.page("tourism", urls[-1])) if row] == [
            "新"
        ] * 2
        store.close()
