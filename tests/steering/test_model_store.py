"""The numbered promises of ModelStore, in SQLite, MySQL and Redis."""

from __future__ import annotations

import pytest

from topicspider.errors import ConfigError, UnavailableError
from topicspider.steering import model_store as contract
from topicspider.steering import model_store as relational
from topicspider.steering.model_store import PublishedModel, SharedExample, open_model_store

STATE = '{"词":{"旅游":0.5}}'.encode()


class Clock:
    """Time for the SQL boards; the Redis board's leases are ended by deleting their key."""

    now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture(params=["sqlite", "mysql", "redis"])
def opened(request, tmp_path):
    """Opens a board of one kind for a crawl, again and again; ``end_leases`` lets the time of leases pass."""
    boards = []
    clock = Clock()
    prefix = request.getfixturevalue("redis_prefix") if request.param == "redis" else ""
    url = {
        "sqlite": lambda: "",
        "mysql": lambda: request.getfixturevalue("mysql_database"),
        "redis": lambda: request.getfixturevalue("redis_url"),
    }[request.param]()

    def open_one(crawl="旅游+美食"):
        board = open_model_store(url, "", tmp_path / "pages.db", prefix + crawl)
        if request.param != "redis":
            board._clock = clock
        boards.append(board)
        return board

    def end_leases():
        clock.now += 1_000
        if request.param == "redis":
            boards[-1]._server.run("DEL", boards[-1]._holder)

    open_one.end_leases = end_leases
    yield open_one
    for board in boards:
        board.close()


class TestPromise1OneNodeHoldsTheLease:
    def test_another_waits_until_it_has_ended(self, opened):
        one, other = opened(), opened()
        token = one.lease("甲", 60)
        assert token is not None
        assert other.lease("乙", 60) is None
        assert one.lease("甲", 60) == token
        opened.end_leases()
        later = other.lease("乙", 60)
        assert later > token
        assert one.lease("甲", 60) is None


class TestPromise2OnlyTheNewestTokenPublishes:
    def test_numbers_rise_by_one_and_every_node_sees_the_newest(self, opened):
        one, other = opened(), opened()
        token = one.lease("甲", 60)
        assert [one.publish("甲", token, STATE), one.publish("甲", token, STATE + b" ")] == [1, 2]
        assert other.latest() == other.latest(1) == PublishedModel(2, STATE + b" ")
        assert other.latest(2) is None

    def test_a_stale_token_publishes_nothing(self, opened):
        one, other = opened(), opened()
        stale = one.lease("甲", 60)
        opened.end_leases()
        token = other.lease("乙", 60)
        assert one.publish("甲", stale, b"{}") is None
        assert other.publish("乙", stale, b"{}") is None
        assert other.publish("乙", token, STATE) == 1
        assert one.latest() == PublishedModel(1, STATE)

    def test_a_large_model_comes_back_and_old_ones_go(self, opened):
        board = opened()
        token = board.lease("甲", 60)
        large = b"".join(b'"%d":%d,' % (number, number * 7919) for number in range(200_000))
        for _ in range(8):
            number = board.publish("甲", token, large)
        assert board.latest() == PublishedModel(number, large)
        if isinstance(board, relational.SqlModelStore):
            ((kept,),) = board._database.read("SELECT COUNT(*) FROM models")
            assert kept == contract.MODELS_KEPT


class TestPromise3Examples:
    def test_they_come_in_order_from_a_mark_on(self, opened):
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

    def test_the_newest_are_kept(self, opened, monkeypatch):
        for module in (relational, contract):
            monkeypatch.setattr(module, "EXAMPLES_KEPT", 1_000)
        monkeypatch.setattr("topicspider.steering.model_store.EXAMPLES_KEPT", 1_000)
        board = opened()
        for start in range(0, 3_000, 500):
            board.submit_examples("甲", [str(number) for number in range(start, start + 500)])
        kept = [int(example.text) for example in board.examples(limit=9_999)]
        assert kept == list(range(3_000 - len(kept), 3_000))
        assert 1_000 <= len(kept) <= 1_500


class TestPromise4:
    def test_what_was_published_outlives_its_node(self, opened):
        board = opened()
        board.publish("甲", board.lease("甲", 60), STATE)
        board.close()
        assert opened().latest() == PublishedModel(1, STATE)

    def test_a_redis_that_is_away_is_one_line_without_its_password(self, tmp_path):
        board = open_model_store("redis://:geheim@127.0.0.1:1/0", "", tmp_path / "pages.db", "旅游")
        with pytest.raises(UnavailableError, match=r"redis 127\.0\.0\.1:1: ") as caught:
            board.latest()
        assert "geheim" not in str(caught.value)
        board.close()

    @pytest.mark.parametrize("url", ["redis://h:port/0", "redis:/x", "http://a.example/", "旅游"])
    def test_a_bad_address_is_a_config_error(self, url, tmp_path):
        with pytest.raises(ConfigError, match="TOPICSPIDER_MODEL"):
            open_model_store(url, "", tmp_path / "pages.db", "旅游")
