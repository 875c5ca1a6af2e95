"""Whole crawls whose MySQL goes away: they go on, and nothing is lost, doubled or fetched again (S1, S2)."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path

import pytest

from support.crawling import crawl, stop_after
from support.servers import fresh_database
from support.site import SmallWeb, small_web, travel_web
from tests.doors.test_mysql_crawl import SEED, begin, in_mysql, into, on_topic

PAGES = 60


@pytest.fixture
def database(mysql_server):
    """An empty database on a server that the test may stop."""
    with fresh_database(mysql_server.url) as url:
        yield url
        if mysql_server._process is None:
            mysql_server.start()


def wait_for(web: SmallWeb, pages: int, process) -> None:
    deadline = time.monotonic() + 60
    while len(set(web.pages())) < pages:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, f"{len(web.pages())} pages only"
        time.sleep(0.02)


def in_outbox(folder: Path) -> int:
    with sqlite3.connect(folder / "data" / "tourism" / "outbox.db") as file:
        return file.execute("SELECT COALESCE(SUM(row_count), 0) FROM outbox").fetchone()[0]


def said_once(err: str) -> None:
    assert err.count("the store is away") == 1, err
    assert err.count("the store is back") == 1, err
    assert "Traceback" not in err


@pytest.mark.parametrize("how", ["pause", "stop", "kill"])
def test_a_crawl_goes_on_to_its_end_while_mysql_is_away(tmp_path, mysql_server, database, how):
    """Paused (SIGSTOP), shut down, killed with -9: with one line when it goes, one when it is back."""
    with small_web(travel_web(PAGES), latency=0.03) as web:
        process = begin(tmp_path, web.proxy, database)
        try:
            wait_for(web, 15, process)
            getattr(mysql_server, how)()
            wait_for(web, PAGES, process)  # all of them, without MySQL
        finally:
            mysql_server.resume() if how == "pause" else mysql_server.start()
        _out, err = process.communicate(timeout=90)
    assert process.returncode == 0, err
    said_once(err)
    assert database.split(":")[2].rpartition("@")[0] not in err
    assert in_mysql(database) == on_topic(PAGES)
    assert sorted(web.pages()) == sorted(travel_web(PAGES))
    assert in_outbox(tmp_path) == 0


@pytest.mark.slow
def test_what_a_killed_crawl_left_in_its_outbox_is_stored_by_the_next_run(tmp_path, mysql_server, database):
    with small_web(travel_web(PAGES), latency=0.03) as web:
        process = begin(tmp_path, web.proxy, database)
        wait_for(web, 15, process)
        mysql_server.kill()
        wait_for(web, 40, process)
        stop_after(process, lambda: True, signal.SIGKILL)
        left = in_outbox(tmp_path)
        assert left > 15
        mysql_server.start()
        again = crawl(tmp_path, web.proxy, *into(database), "-s", "LOG_LEVEL=INFO", seeds=SEED)
    assert again.exit_code == 0, again.err
    assert f"{left} row(s) of an earlier run" in again.err
    assert in_mysql(database) == on_topic(PAGES)
    assert len(web.pages()) - len(set(web.pages())) <= 4  # those in flight
    assert in_outbox(tmp_path) == 0


@pytest.mark.slow
def test_ctrl_c_while_mysql_is_away_ends_soon_and_the_next_run_has_the_rows(tmp_path, mysql_server, database):
    with small_web(travel_web(PAGES), latency=0.03) as web:
        process = begin(tmp_path, web.proxy, database)
        wait_for(web, 15, process)
        mysql_server.kill()
        wait_for(web, 25, process)
        ended = stop_after(process, lambda: True, signal.SIGINT)
        assert ended.exit_code == 130, ended.err
        assert ended.seconds < 30
        assert "Traceback" not in ended.err
        assert f"{in_outbox(tmp_path)} row(s) wait in" in ended.err
        mysql_server.start()
        again = crawl(tmp_path, web.proxy, *into(database), seeds=SEED)
    assert again.exit_code == 0, again.err
    assert in_mysql(database) == on_topic(PAGES)
    assert sorted(web.pages()) == sorted(travel_web(PAGES))
