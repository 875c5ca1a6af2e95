"""The claim of a recrawl while it runs: renewed beside it, given back, and lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from topicspider.errors import CrawlRunning, StoreUnavailable
from topicspider.store.claims import Claims
from topicspider.store.sqlite import SqliteStore
from topicspider.workbench.recrawling.claim import RoundClaim

SHORT, LONG = 0.4, 600.0


@pytest.fixture
def store(tmp_path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "pages.db")
    yield opened
    opened.close()


def claim_of(tmp_path, owner: str, seconds: float = SHORT, check: Callable[[], None] = lambda: None) -> RoundClaim:
    own = SqliteStore(tmp_path / "pages.db")
    return RoundClaim(own, Claims(own.database, ["旅游"]), owner, "机器", seconds, check)


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.01)


def test_it_is_renewed_until_it_is_given_back(tmp_path, store):
    claims = Claims(store.database, ["旅游"])
    mine = claim_of(tmp_path, "甲")
    assert mine.take()
    first = claims.held()[0].until
    until(lambda: any(claim.until > first for claim in claims.held()))
    with pytest.raises(CrawlRunning, match="机器 recrawls it"):
        claim_of(tmp_path, "乙", LONG).take()
    mine.release()
    mine.release()
    assert claims.held() == []
    assert mine.trouble is None


def test_whoever_comes_after_another_is_told(tmp_path, store):
    for owner, is_first in (("甲", True), ("甲", True), ("乙", False), ("甲", False)):
        claim = claim_of(tmp_path, owner)
        assert claim.take() is is_first
        claim.release()


def test_a_claim_that_somebody_took_is_trouble(tmp_path, store):
    mine = claim_of(tmp_path, "甲")
    mine.take()
    store.database.write([("UPDATE claims SET owner = ?, node = ?, held_until = 4e9", [("乙", "机器-2")])])
    until(lambda: mine.trouble)
    assert "机器-2 recrawls it since" in str(mine.trouble)
    mine.release()
    assert [claim.owner for claim in Claims(store.database, ["旅游"]).held()] == ["乙"]


def test_a_node_that_begins_beside_is_trouble(tmp_path, store):
    def check() -> None:
        raise CrawlRunning("节点-1 crawls on it")

    mine = claim_of(tmp_path, "甲", check=check)
    mine.take()
    until(lambda: mine.trouble)
    mine.release()


def test_a_store_that_is_away_is_asked_again(tmp_path, store):
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        raise StoreUnavailable("the store", "it is away")

    mine = claim_of(tmp_path, "甲", check=check)
    mine.take()
    until(lambda: len(calls) >= 2)
    assert mine.trouble is None
    mine.release()
