"""The claim of a recrawl while it runs: renewed beside it, given back, and lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from topicspider.cli.recrawl_components import RoundLease
from topicspider.errors import CrawlRunning, StoreUnavailable
from topicspider.store.recrawl_lease import Lease, RecrawlLeases
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store

SHORT, LONG = 0.4, 600.0


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    opened = Store(SqliteDatabase(tmp_path / "pages.db"))
    yield opened
    opened.close()


def claim_of(tmp_path, owner: str, seconds: float = SHORT, kind: type[RecrawlLeases] = RecrawlLeases) -> RoundLease:
    own = Store(SqliteDatabase(tmp_path / "pages.db"))
    return RoundLease(own, kind(own.database, ["旅游"]), owner, "机器", seconds)


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.01)


def test_it_is_renewed_until_it_is_given_back(tmp_path, store):
    claims = RecrawlLeases(store.database, ["旅游"])
    mine = claim_of(tmp_path, "甲")
    mine.take()
    first = claims.held()[0].until
    until(lambda: any(claim.until > first for claim in claims.held()))
    with pytest.raises(CrawlRunning, match="机器 recrawls it"):
        claim_of(tmp_path, "乙", LONG).take()
    mine.release()
    mine.release()
    assert claims.held() == []
    assert mine.trouble is None


asleep, awake = threading.Event(), threading.Event()


class AsleepClaims(RecrawlLeases):
    """Of a machine that slept while it held a claim."""

    def renew(self, owner: str, seconds: float) -> list[Lease]:
        asleep.set()
        awake.wait(60)
        return super().renew(owner, seconds)


def test_a_claim_that_somebody_took_and_gave_back_is_trouble(tmp_path, store):
    mine = claim_of(tmp_path, "甲", kind=AsleepClaims)
    mine.take()
    assert asleep.wait(60)
    others = RecrawlLeases(store.database, ["旅游"])
    until(lambda: not others.take("乙", "机器-2", LONG))
    others.release("乙")
    awake.set()
    until(lambda: mine.trouble)
    assert isinstance(mine.trouble, CrawlRunning)
    assert "旅游: 机器-2 recrawled it since" in str(mine.trouble)
    mine.release()


class AwayClaims(RecrawlLeases):
    """Cannot be renewed from here, while others reach the store."""

    def renew(self, owner: str, seconds: float) -> list[Lease]:
        raise StoreUnavailable("MySQL 数据库", "it does not answer")


def test_a_claim_that_could_not_be_renewed_in_its_time_is_trouble(tmp_path, store):
    mine = claim_of(tmp_path, "甲", kind=AwayClaims)
    began = time.monotonic()
    mine.take()
    until(lambda: mine.trouble)
    assert time.monotonic() - began >= SHORT  # until then it has the claim
    assert isinstance(mine.trouble, StoreUnavailable)
    assert str(mine.trouble).startswith("MySQL 数据库: it does not answer; the claim could not be renewed for 0 s")
    mine.release()


class BrokenClaims(RecrawlLeases):
    """Has a fault that nobody thought of."""

    def renew(self, owner: str, seconds: float) -> list[Lease]:
        raise KeyError("节点\n")


def test_whatever_ends_the_thread_is_trouble(tmp_path, store):
    mine = claim_of(tmp_path, "甲", kind=BrokenClaims)
    mine.take()
    until(lambda: mine.trouble)
    assert str(mine.trouble).startswith("the claim of the recrawl: KeyError: '节点")
    mine.release()
