"""RecrawlLease on a topic: one owner at a time, renewed, released, taken over and lost, on SQLite and MySQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from topicspider.errors import CrawlRunning, StoreUnavailable
from topicspider.store.database import Database, Rows
from topicspider.store.location import open_store
from topicspider.store.recrawl_lease import RecrawlLease, check_no_recrawl

SHORT, LONG = 0.4, 600.0
Leased = Callable[..., RecrawlLease]


def opened(url: str) -> Database:
    return open_store(url, Path("/nonexistent"), connect_wait=0).database


class Faulty:
    """A database that fails with ``error``, when there is one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.dialect = database.dialect
        self.read, self.close = database.read, database.close
        self.error: Exception | None = None

    def write(self, changes: Sequence[tuple[str, Rows]]) -> None:
        if self.error is not None:
            raise self.error
        self._database.write(changes)


@pytest.fixture
def leased(lasting_url: str) -> Iterator[Leased]:
    """Leases, each with a connection of its own, that are released at the end of the test."""
    leases: list[RecrawlLease] = []

    def lease(owner: str, *topics: str, seconds: float = LONG, database: Any = None) -> RecrawlLease:
        node = f"机器-{owner}"
        leases.append(RecrawlLease(database or opened(lasting_url), topics or ("旅游",), owner, node, seconds))
        return leases[-1]

    yield lease
    for one in leases:
        one.release()


@pytest.fixture
def held(lasting_url: str) -> Iterator[Callable[[], list[tuple[str, str, float]]]]:
    """Topic, owner and end of all leases that hold."""
    with closing(opened(lasting_url)) as database:
        sql = "SELECT topic, owner, held_until FROM claims WHERE held_until > 0 ORDER BY topic"
        yield lambda: [(topic, owner, float(until)) for topic, owner, until in database.read(sql)]


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.01)


def test_one_owner_at_a_time_who_says_since_when_until_it_is_released(leased: Leased, lasting_url: str) -> None:
    first = leased("甲")
    first.take()
    with pytest.raises(CrawlRunning, match=r"旅游: 机器-甲 recrawls it since 20\d\d-.* UTC; stop that.* free at 20"):
        leased("乙").take()
    with closing(opened(lasting_url)) as database:
        with pytest.raises(CrawlRunning):
            check_no_recrawl(database, ["美食", "旅游"])
        check_no_recrawl(database, ["美食"])
        leased("甲").take()  # after a crash the same owner goes on at once
        first.release()
        first.release()
        check_no_recrawl(database, ["旅游"])
    leased("乙").take()


def test_it_is_renewed(leased: Leased, held: Callable[[], list[tuple[str, str, float]]]) -> None:
    lease = leased("甲", seconds=SHORT)
    lease.take()
    before = held()[0][2]
    until(lambda: held()[0][2] > before)
    assert lease.trouble is None


def test_what_is_not_renewed_in_time_is_trouble_and_free_for_others(leased: Leased, lasting_url: str) -> None:
    database = Faulty(opened(lasting_url))
    lost = leased("甲", seconds=SHORT, database=database)
    began = time.monotonic()
    lost.take()
    database.error = StoreUnavailable("MySQL 数据库", "it does not answer")
    until(lambda: lost.trouble)
    assert time.monotonic() - began >= SHORT  # until then it has the lease
    assert str(lost.trouble).startswith("MySQL 数据库: it does not answer; the lease was not renewed for 0 s")
    leased("乙").take()


def test_a_lease_that_another_took_and_released_meanwhile_is_trouble(leased: Leased, lasting_url: str) -> None:
    database = Faulty(opened(lasting_url))
    lost, other = leased("甲", seconds=4 * SHORT, database=database), leased("乙")
    lost.take()
    database.error = StoreUnavailable("MySQL", "asleep")
    with closing(opened(lasting_url)) as direct:
        direct.write([("UPDATE claims SET held_until = 0", [()])])
    other.take()
    other.release()
    database.error = None
    until(lambda: lost.trouble)
    assert isinstance(lost.trouble, CrawlRunning)
    assert "旅游: 机器-乙 recrawled it since" in str(lost.trouble)


def test_whatever_ends_the_thread_is_trouble(leased: Leased, lasting_url: str) -> None:
    database = Faulty(opened(lasting_url))
    lease = leased("甲", seconds=SHORT, database=database)
    lease.take()
    database.error = KeyError("节点\n")
    until(lambda: lease.trouble)
    assert str(lease.trouble).startswith("the lease of the recrawl: KeyError: '节点")
    database.error = None


def test_of_several_topics_all_or_none_is_taken(
    leased: Leased, held: Callable[[], list[tuple[str, str, float]]]
) -> None:
    one = leased("乙", "美食")
    one.take()
    with pytest.raises(CrawlRunning, match="美食"):
        leased("甲", "旅游", "美食").take()
    assert [row[:2] for row in held()] == [("美食", "乙")]
    one.release()
    leased("甲", "旅游", "美食").take()
    assert [row[:2] for row in held()] == sorted([("旅游", "甲"), ("美食", "甲")])


def test_of_two_that_take_it_in_the_same_moment_one_gets_it(leased: Leased) -> None:
    count = 6
    barrier = Barrier(count)
    leases = [leased(f"第{number}") for number in range(count)]

    def is_taken(lease: RecrawlLease) -> bool:
        barrier.wait(60)
        try:
            lease.take()
        except CrawlRunning:
            return False
        return True

    with ThreadPoolExecutor(count) as pool:
        assert sorted(pool.map(is_taken, leases)) == [False] * (count - 1) + [True]
