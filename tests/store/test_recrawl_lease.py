"""RecrawlLeases on a topic: one owner at a time, renewed, taken over after their time, on SQLite and MySQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from topicspider.errors import CrawlRunning
from topicspider.store.location import open_store
from topicspider.store.recrawl_lease import RecrawlLeases, check_no_recrawl
from topicspider.store.store import Store

LONG, OVER = 600.0, -1.0
Opened = Callable[[str], Store]


def claims(opened: Opened, url: str, *topics: str) -> RecrawlLeases:
    return RecrawlLeases(opened(url).database, topics or ("旅游",))


def test_one_owner_at_a_time_who_says_since_when(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    assert first.take("甲", "机器-1", LONG) == []
    (other,) = second.take("乙", "机器-2", LONG)
    assert (other.topic, other.owner, other.node) == ("旅游", "甲", "机器-1")
    assert LONG - 60 < other.until - other.since <= LONG
    with pytest.raises(CrawlRunning, match=r"旅游: 机器-1 recrawls it since 20\d\d-.* UTC; stop that.* free at 20"):
        check_no_recrawl(second)
    assert second.held() == first.held() == [other]


def test_a_claim_that_was_given_back_or_whose_time_is_over_is_free(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    first.take("甲", "机器-1", LONG)
    first.release("甲")
    check_no_recrawl(second)
    assert second.take("乙", "机器-2", OVER) == []  # it dies at once
    assert first.take("甲", "机器-1", LONG) == []
    second.release("乙")  # comes too late
    assert [claim.owner for claim in second.held()] == ["甲"]


def test_a_renewed_claim_holds_longer_and_a_lost_one_is_noticed(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    first.take("甲", "机器-1", OVER)
    assert first.held() == []
    assert first.renew("甲", LONG) == []  # nobody took it meanwhile
    assert [claim.owner for claim in second.held()] == ["甲"]
    first.renew("甲", OVER)
    second.take("乙", "机器-2", LONG)
    assert [claim.owner for claim in first.renew("甲", LONG)] == ["乙"]


def test_of_several_topics_all_or_none_is_taken(lasting_url: str, opened: Opened) -> None:
    both, one = claims(opened, lasting_url, "旅游", "美食"), claims(opened, lasting_url, "美食")
    one.take("乙", "机器-2", LONG)
    assert [claim.topic for claim in both.take("甲", "机器-1", LONG)] == ["美食"]
    assert [claim.topic for claim in both.held()] == ["美食"]
    one.release("乙")
    assert both.take("甲", "机器-1", LONG) == []
    assert [claim.topic for claim in both.held()] == sorted(("旅游", "美食"))
    check_no_recrawl(claims(opened, lasting_url, "体育"))


def test_of_two_that_take_it_in_the_same_moment_one_gets_it(lasting_url: str) -> None:
    count = 6
    barrier = Barrier(count)

    def try_it(number: int) -> bool:
        with closing(open_store(lasting_url, Path("/nonexistent"), connect_wait=0)) as store:
            barrier.wait(60)
            return not RecrawlLeases(store.database, ["旅游"]).take(f"第{number}", "机器", LONG)

    open_store(lasting_url, Path("/nonexistent"), connect_wait=0).close()
    with ThreadPoolExecutor(count) as pool:
        assert sorted(pool.map(try_it, range(count))) == [False] * (count - 1) + [True]
