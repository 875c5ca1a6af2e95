"""The claim of a recrawl while it runs: renewed beside it, given back, and lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from topicspider.cli.recrawl_components import RoundLease
from topicspider.errors import ConfigError, CrawlRunning, StoreUnavailable, TopicSpiderError
from topicspider.store.recrawl_lease import Lease, RecrawlLeases
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store

SHORT, LONG = 0.4, 600.0


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    opened = Store(SqliteDatabase(tmp_path / "pages.db"))
    yield opened
    opened.close()


def claim_of(tmp_path, owner: str, seconds: float = SHORT, check: Callable[[], None] = lambda: None) -> RoundLease:
    own = Store(SqliteDatabase(tmp_path / "pages.db"))
    return RoundLease(own, RecrawlLeases(own.database, ["旅游"]), owner, "机器", seconds, check)


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.01)


def test_it_is_renewed_until_it_is_given_back(tmp_path, store):
    claims = RecrawlLeases(store.database, ["旅游"])
    mine = claim_of(tmp_path, "甲")
    assert mine.take("")
    first = claims.held()[0].until
    until(lambda: any(claim.until > first for claim in claims.held()))
    with pytest.raises(CrawlRunning, match="机器 recrawls it"):
        claim_of(tmp_path, "乙", LONG).take("乙")
    mine.release()
    mine.release()
    assert claims.held() == []
    assert mine.trouble is None


def test_whoever_comes_after_another_is_told(tmp_path, store):
    for owner, is_first in (("甲", True), ("甲", True), ("乙", False), ("甲", False)):
        claim = claim_of(tmp_path, owner)
        assert claim.take(owner) is is_first
        claim.release()


def test_a_claim_that_somebody_took_and_gave_back_is_trouble(tmp_path, store):
    """What a machine finds that slept: another recrawled meanwhile, and has ended."""
    asleep, awake = threading.Event(), threading.Event()

    def sleep() -> None:
        asleep.set()
        awake.wait(60)

    mine = claim_of(tmp_path, "甲", check=sleep)
    mine.take("甲")
    assert asleep.wait(60)
    others = RecrawlLeases(store.database, ["旅游"])
    until(lambda: not others.take("乙", "机器-2", LONG))
    others.release("乙")
    awake.set()
    until(lambda: mine.trouble)
    assert isinstance(mine.trouble, CrawlRunning)
    assert "旅游: 机器-2 recrawled it since" in str(mine.trouble)
    mine.release()
    assert others.last_owners() == {"乙"}


class AwayClaims(RecrawlLeases):
    """Cannot be renewed from here, while others reach the store."""

    def renew(self, owner: str, seconds: float) -> list[Lease]:
        raise StoreUnavailable("MySQL 数据库", "it does not answer")


def test_a_claim_that_could_not_be_renewed_in_its_time_is_trouble(tmp_path, store):
    own = Store(SqliteDatabase(tmp_path / "pages.db"))
    checks: list[int] = []
    mine = RoundLease(own, AwayClaims(own.database, ["旅游"]), "甲", "机器", SHORT, lambda: checks.append(1))
    began = time.monotonic()
    mine.take("甲")
    until(lambda: mine.trouble)
    assert time.monotonic() - began >= SHORT  # until then it has the claim
    assert isinstance(mine.trouble, StoreUnavailable)
    assert str(mine.trouble).startswith("MySQL 数据库: it does not answer; the claim could not be renewed for 0 s")
    assert checks == []
    mine.release()


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (
            ConfigError("TOPICSPIDER_FRONTIER", "redis://一", "all its parts"),
            ConfigError,
            "TOPICSPIDER_FRONTIER: 'redis",
        ),
        (KeyError("节点\n"), TopicSpiderError, "the claim of the recrawl: KeyError: '节点"),
    ],
)
def test_whatever_ends_the_thread_is_trouble(tmp_path, store, error, kind, text):
    def check() -> None:
        raise error

    mine = claim_of(tmp_path, "甲", check=check)
    mine.take("甲")
    until(lambda: mine.trouble)
    assert type(mine.trouble) is kind
    assert str(mine.trouble).startswith(text)
    mine.release()


def test_a_store_that_is_away_is_asked_again(tmp_path, store):
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        raise StoreUnavailable("the store", "it is away")

    mine = claim_of(tmp_path, "甲", check=check)
    mine.take("甲")
    until(lambda: len(calls) >= 2)
    assert mine.trouble is None
    mine.release()
