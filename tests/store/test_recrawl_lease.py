"""Claims on a topic: one owner at a time, renewed, taken over after their time, on SQLite and MySQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from topicspider.errors import CrawlRunning
from topicspider.store.open import open_store
from topicspider.store.recrawl_lease import Claims, check_unclaimed, in_the_way
from topicspider.store.relational import RelationalStore

LONG, OVER = 600.0, -1.0
Opened = Callable[[str], RelationalStore]


def claims(opened: Opened, url: str, *topics: str) -> Claims:
    return Claims(opened(url).database, topics or ("旅游",))


def test_one_owner_at_a_time_who_says_since_when(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    assert first.take("甲", "机器-1", LONG) == []
    (other,) = second.take("乙", "机器-2", LONG)
    assert (other.topic, other.owner, other.node) == ("旅游", "甲", "机器-1")
    assert LONG - 60 < other.until - other.since <= LONG
    with pytest.raises(CrawlRunning, match=r"旅游: 机器-1 recrawls it since 20\d\d-.* UTC; stop that.* free at 20"):
        check_unclaimed(second)
    assert second.held() == first.held() == [other]


def test_a_claim_that_was_given_back_or_whose_time_is_over_is_free(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    first.take("甲", "机器-1", LONG)
    first.release("甲")
    check_unclaimed(second)
    assert second.take("乙", "机器-2", OVER) == []  # it dies at once
    assert first.take("甲", "机器-1", LONG) == []
    second.release("乙")  # comes too late
    assert [claim.owner for claim in second.held()] == ["甲"]


def test_its_owner_takes_it_again_at_once_and_hears_of_others_meanwhile(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    assert first.last_owners() == {}
    first.take("甲", "机器-1", LONG)
    assert first.take("甲", "机器-1-又", LONG) == []  # killed, and started again
    assert first.last_owners() == {"旅游": "甲"}
    first.release("甲")
    second.take("乙", "机器-2", OVER)
    assert first.last_owners() == second.last_owners() == {"旅游": "乙"}


def test_a_renewed_claim_holds_longer_and_a_lost_one_is_noticed(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    first.take("甲", "机器-1", OVER)
    assert first.held() == []
    assert first.renew("甲", LONG) == []  # nobody took it meanwhile
    assert [claim.owner for claim in second.held()] == ["甲"]
    first.renew("甲", OVER)
    second.take("乙", "机器-2", LONG)
    assert [claim.owner for claim in first.renew("甲", LONG)] == ["乙"]


def test_a_claim_that_another_took_and_gave_back_is_lost(lasting_url: str, opened: Opened) -> None:
    first, second = claims(opened, lasting_url), claims(opened, lasting_url)
    first.take("甲", "机器-1", OVER)
    second.take("乙", "机器-2", LONG)
    second.release("乙")
    (lost,) = first.renew("甲", LONG)
    assert lost.owner == "乙"
    assert "旅游: 机器-2 recrawled it since 20" in str(in_the_way([lost]))
    assert first.held() == []


def test_a_claim_that_the_store_knows_nothing_of_is_lost(lasting_url: str, opened: Opened) -> None:
    both = claims(opened, lasting_url, "旅游", "美食")
    both.take("甲", "机器-1", LONG)
    opened(lasting_url).database.write([("DELETE FROM claims WHERE topic = '美食'", [()])])
    (lost,) = both.renew("甲", LONG)
    assert (lost.topic, lost.owner) == ("美食", "")
    assert "美食: who recrawls it is in the store no more" in str(in_the_way([lost]))


def test_whoever_holds_one_now_is_named_before_whoever_had_another(lasting_url: str, opened: Opened) -> None:
    both, one, other = (claims(opened, lasting_url, *topics) for topics in (("a", "b"), ("a",), ("b",)))
    both.take("甲", "机器-1", OVER)
    one.take("乙", "机器-2", LONG)
    one.release("乙")
    other.take("丙", "机器-3", LONG)
    assert [claim.node for claim in both.renew("甲", LONG)] == ["机器-3"]


def test_a_refused_take_changes_nothing(lasting_url: str, opened: Opened) -> None:
    first, second, third = (claims(opened, lasting_url, *topics) for topics in (("a", "b"), ("b",), ("a", "b")))
    first.take("甲", "机器-1", LONG)
    first.release("甲")
    second.take("乙", "机器-2", LONG)
    assert [claim.topic for claim in third.take("丙", "机器-3", LONG)] == ["b"]
    assert third.last_owners() == {"a": "甲", "b": "乙"}


def test_what_was_given_back_was_never_had(lasting_url: str, opened: Opened) -> None:
    both, one = claims(opened, lasting_url, "旅游", "美食"), claims(opened, lasting_url, "旅游")
    one.take("甲", "机器-1", OVER)
    before = both.last_owners()
    both.take("乙", "机器-2", LONG)
    both.give_back("乙", before)
    assert both.held() == []
    assert both.last_owners() == before == {"旅游": "甲"}
    both.give_back("丙", {"旅游": "丙"})  # not its own
    assert both.last_owners() == before


def test_of_several_topics_all_or_none_is_taken(lasting_url: str, opened: Opened) -> None:
    both, one = claims(opened, lasting_url, "旅游", "美食"), claims(opened, lasting_url, "美食")
    one.take("乙", "机器-2", LONG)
    assert [claim.topic for claim in both.take("甲", "机器-1", LONG)] == ["美食"]
    assert [claim.topic for claim in both.held()] == ["美食"]
    one.release("乙")
    assert both.take("甲", "机器-1", LONG) == []
    assert [claim.topic for claim in both.held()] == sorted(("旅游", "美食"))
    check_unclaimed(claims(opened, lasting_url, "体育"))


def test_of_two_that_take_it_in_the_same_moment_one_gets_it(lasting_url: str) -> None:
    count = 6
    barrier = Barrier(count)

    def try_it(number: int) -> bool:
        with closing(open_store(lasting_url, Path("/nonexistent"), connect_wait=0)) as store:
            barrier.wait(60)
            return not Claims(store.database, ["旅游"]).take(f"第{number}", "机器", LONG)

    open_store(lasting_url, Path("/nonexistent"), connect_wait=0).close()
    with ThreadPoolExecutor(count) as pool:
        assert sorted(pool.map(try_it, range(count))) == [False] * (count - 1) + [True]


def test_a_name_that_a_terminal_would_obey_is_said_without_that(lasting_url: str, opened: Opened) -> None:
    mine = claims(opened, lasting_url)
    mine.take("甲", "机器\x1b[2J\n假的一行", LONG)
    assert "旅游: 机器 [2J 假的一行 recrawls it" in str(in_the_way(mine.held()))


def test_a_name_of_any_length_fits(lasting_url: str, opened: Opened) -> None:
    mine = claims(opened, lasting_url)
    mine.take("甲", "机" * 1000, LONG)
    assert "recrawls it since" in str(in_the_way(mine.held()))
