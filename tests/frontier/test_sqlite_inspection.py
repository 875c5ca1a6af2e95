"""SqliteInspection beyond the common contract: its file, the process that owns it, what it says when that is silent."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.frontier.drive import add, drain, entry, finish, take
from topicspider.errors import FrontierUnavailable
from topicspider.frontier.factory import open_inspection, own_inspection
from topicspider.frontier.protocol import Counts, End
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection

A, B = "甲.example:80", "乙.example:80"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "旅游 主题" / "frontier.db"


@pytest.fixture
def frontier(path):
    with closing(SqliteFrontier(path, attempts=1)) as made:
        yield made


class TestWithoutACrawl:
    def test_what_steers_stays(self, path):
        with closing(SqliteFrontier(path)) as frontier:
            add(frontier, entry(1, 0.9, A), entry(2, 0.1, B))
        with closing(SqliteInspection(path)) as inspection:
            assert (inspection.block([A]), inspection.leases()) == (1, [])
            inspection.set_delay(B, 30)
        with closing(SqliteFrontier(path)) as frontier:
            assert drain(frontier) == [2]
            assert take(frontier).reason == "blocked"

    def test_looking_leaves_the_lock_to_crawls(self, path, frontier):
        frontier.close()
        with closing(SqliteInspection(path)) as inspection:
            assert list(inspection.hosts()) == []
            SqliteFrontier(path).close()

    def test_a_file_that_is_not_there_is_not_made(self, path):
        with pytest.raises(FrontierUnavailable, match="there is no such file"):
            SqliteInspection(path)
        assert not path.parent.exists()

    def test_owning_makes_it(self, path):
        with closing(own_inspection(f"sqlite:///{path}", Path("unused"))) as inspection:
            assert inspection.take_in([entry(1)]) == 1
        with closing(open_inspection("", path)) as inspection:
            assert inspection.counts().queued == 1

    @pytest.mark.parametrize("content", [b"no database at all, but long enough to be looked at", b""])
    def test_another_file_is_refused(self, path, content):
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(FrontierUnavailable):
            SqliteInspection(path)
        assert path.read_bytes() == content


class TestBesideACrawl:
    def test_what_is_leased_counts_as_queued(self, path, frontier):
        add(frontier, entry(1), entry(2))
        take(frontier)
        with closing(SqliteInspection(path)) as inspection:
            with pytest.raises(FrontierUnavailable, match=r"process \d+ crawls on it"):
                inspection.leases()
            assert inspection.counts().queued == 2
            assert len(inspection.top(9)) == 2
            assert [one.queued for one in inspection.hosts()] == [2]

    def test_a_crawl_counts_on_what_was_steered_meanwhile(self, path, frontier):
        add(frontier, entry(1))
        finish(frontier, take(frontier).leases, End.FAILED)
        with closing(SqliteInspection(path)) as inspection:
            assert inspection.revive([1]) == 1
        assert frontier.counts() == Counts(queued=1, hosts=1)
        add(frontier, entry(2))
        assert sorted(drain(frontier)) == [1, 2]

    def test_records_are_of_one_moment(self, path, frontier):
        add(frontier, *(entry(n, 0.5, A) for n in range(50)))
        with closing(SqliteInspection(path)) as inspection:
            records = inspection.records()
            next(records)
            add(frontier, *(entry(n, 0.9, B) for n in range(50, 99)))
            assert sorted(one.fingerprint for one in records if hasattr(one, "fingerprint")) == list(range(50))
