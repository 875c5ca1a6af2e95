"""The numbered promises of RedisModelStore, and what is kept beside the pages in SQLite and MySQL."""

from __future__ import annotations

import time

import pytest

from support.servers import fresh_database
from topicspider.errors import ConfigError, UnavailableError
from topicspider.steering.model_store import PublishedModel, SharedExample, open_model_store

STATE = '{"词":{"旅游":0.5}}'.encode()
LARGE = b"".join(b'"%d":%d,' % (number, number * 7919) for number in range(200_000))


@pytest.fixture
def opened(redis_url, redis_prefix, tmp_path):
    """Opens the board in Redis, again and again; ``end_leases`` lets the time of leases pass."""
    boards = []

    def open_one():
        boards.append(open_model_store(redis_url, "", tmp_path / "pages.db", redis_prefix + "旅游+美食"))
        return boards[-1]

    open_one.end_leases = lambda: boards[-1]._server.run("DEL", boards[-1]._holder)
    yield open_one
    for board in boards:
        board.close()


def test_promise_1_another_waits_until_the_lease_has_ended(opened):
    one, other = opened(), opened()
    token = one.lease("甲", 60)
    assert token is not None
    assert other.lease("乙", 60) is None
    assert one.lease("甲", 60) == token
    opened.end_leases()
    assert other.lease("乙", 60) > token
    assert one.lease("甲", 60) is None


def test_promise_2_numbers_rise_by_one_and_every_node_sees_the_newest(opened):
    one, other = opened(), opened()
    token = one.lease("甲", 60)
    assert [one.publish("甲", token, LARGE), one.publish("甲", token, STATE)] == [1, 2]
    assert other.latest() == other.latest(1) == PublishedModel(2, STATE)
    assert other.latest(2) is None


def test_promise_2_a_stale_token_publishes_nothing(opened):
    one, other = opened(), opened()
    stale = one.lease("甲", 60)
    opened.end_leases()
    token = other.lease("乙", 60)
    assert one.publish("甲", stale, b"{}") is None
    assert other.publish("乙", stale, b"{}") is None
    assert other.publish("乙", token, STATE) == 1
    assert one.latest() == PublishedModel(1, STATE)


def test_promise_3_examples_come_in_order_from_a_mark_on(opened):
    one, other = opened(), opened()
    one.submit_examples("甲", ['{"词":"旅游"}', '{"b":2}'])
    other.submit_examples("乙", ['{"c":"𠮷"}'])
    one.submit_examples("甲", [])
    found = other.examples()
    assert [(example.node, example.text) for example in found] == [
        ("甲", '{"词":"旅游"}'),
        ("甲", '{"b":2}'),
        ("乙", '{"c":"𠮷"}'),
    ]
    assert other.examples(found[0].cursor, limit=1) == found[1:2]
    assert other.examples(found[-1].cursor) == []
    assert isinstance(found[0], SharedExample)


def test_promise_3_the_newest_are_kept(opened, monkeypatch):
    monkeypatch.setattr("topicspider.steering.model_store.EXAMPLES_KEPT", 1_000)
    board = opened()
    for start in range(0, 3_000, 500):
        board.submit_examples("甲", [str(number) for number in range(start, start + 500)])
    kept = [int(example.text) for example in board.examples(limit=9_999)]
    assert kept == list(range(3_000 - len(kept), 3_000))
    assert 1_000 <= len(kept) <= 1_500


@pytest.mark.parametrize("kind", ["sqlite", "mysql"])
def test_beside_the_pages_the_newest_model_of_each_crawl_is_kept(kind, tmp_path, request):
    store = request.getfixturevalue("mysql_database") if kind == "mysql" else ""
    one, other = (open_model_store("", store, tmp_path / "pages.db", crawl) for crawl in ("旅游+美食", "旅游"))
    assert [one.publish("甲", STATE), one.publish("乙", LARGE)] == [1, 2]
    assert other.latest() is None
    other.close(), one.close()
    again = open_model_store("", store, tmp_path / "pages.db", "旅游+美食")
    assert again.latest() == PublishedModel(2, LARGE)
    assert again._database.read("SELECT COUNT(*) FROM models")[0][0] == 1
    again.close()


def test_a_mysql_that_hangs_is_not_waited_for_as_long_as_a_crawl_takes_to_end(tmp_path, mysql_server):
    with fresh_database(mysql_server.url) as url:
        board = open_model_store("", url, tmp_path / "pages.db", "旅游")
        mysql_server.pause()
        began = time.monotonic()
        with pytest.raises(UnavailableError):
            board.publish("甲", STATE)
        mysql_server.resume()
        assert time.monotonic() - began < 20
        board.close()


def test_a_redis_that_is_away_is_one_line_without_its_password(tmp_path):
    board = open_model_store("redis://:geheim@127.0.0.1:1/0", "", tmp_path / "pages.db", "旅游")
    with pytest.raises(UnavailableError, match=r"redis 127\.0\.0\.1:1: ") as caught:
        board.latest()
    assert "geheim" not in str(caught.value)
    board.close()


@pytest.mark.parametrize("url", ["redis://h:port/0", "redis:/x", "http://a.example/", "sqlite:///m.db", "旅游"])
def test_a_bad_address_is_a_config_error(url, tmp_path):
    with pytest.raises(ConfigError, match="TOPICSPIDER_MODEL"):
        open_model_store(url, "", tmp_path / "pages.db", "旅游")
