"""SqliteFrontier beyond the common contract: its file, its lock, its errors, what it remembers."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.frontier.drive import add, drain, ends, entry, finish, rest, take
from topicspider.errors import CrawlRunning, FrontierUnavailable
from topicspider.frontier.protocol import Counts, End, HostTiming, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier

A, B = "甲.example:80", "乙.example:80"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "主题 旅游" / "frontier.db"


@pytest.fixture
def reopen(path, clock):
    """Opens the file anew with other options, closing what was open."""
    opened = []

    def open_again(**options):
        if opened:
            opened.pop().close()
        opened.append(SqliteFrontier(path, **{"clock": clock, **options}))
        return opened[-1]

    yield open_again
    for frontier in opened:
        frontier.close()


class TestReopening:
    def test_f1_everything_is_there_again_and_leases_are_queued(self, reopen):
        frontier = reopen(attempts=1)
        given = entry(1, 0.25, A, depth=3, referrer="http://来.example/", payload='{"cb": "解析"}', attempts=0)
        add(frontier, given, *(entry(n, 0.1, A) for n in range(2, 6)))
        frontier.set_meta("topic", "旅游")
        first = take(frontier).leases
        frontier.apply(Work(completions=ends(first[0], End.RELEASED)))
        add(frontier, entry(9, 0.9, B))
        finish(frontier, take(frontier).leases)
        add(frontier, entry(10, 0.8, B))
        finish(frontier, take(frontier).leases, End.FAILED, "超时")
        take(frontier, urls_per_host=3)
        frontier = reopen()
        assert frontier.counts() == Counts(queued=5, done=1, dead=1, pages=1, hosts=2)
        assert frontier.meta("topic") == "旅游"
        assert take(frontier).leases[0].entries == (given,)
        assert add(frontier, entry(9, host=B), entry(10, host=B)) == 0

    def test_f4_tokens_of_an_earlier_run_are_stale(self, reopen):
        frontier = reopen()
        add(frontier, entry(1))
        (old,) = take(frontier).leases
        frontier = reopen()
        (new,) = take(frontier).leases
        frontier.apply(Work(completions=ends(old)))
        assert frontier.counts().leased == 1
        assert new.token > old.token

    def test_f8_max_pages_counts_over_runs_and_may_be_raised(self, reopen):
        frontier = reopen(max_pages=3)
        add(frontier, *(entry(n) for n in range(10)))
        assert len(drain(frontier)) == 3
        frontier = reopen(max_pages=3)
        assert take(frontier).reason == "max_pages"
        frontier = reopen(max_pages=5)
        assert len(drain(frontier)) == 2
        assert reopen().counts().pages == 5

    def test_promise_11_rests_survive(self, reopen, clock):
        frontier = reopen()
        add(frontier, entry(1, host=A))
        rest(frontier, A, 30)
        clock.now += 10
        assert take(reopen()).wait_seconds == pytest.approx(20)

    @pytest.mark.parametrize("back", [100.0, 1e9])
    def test_promise_11_a_clock_set_back_between_runs_makes_no_rest_longer(self, reopen, clock, back):
        frontier = reopen()
        add(frontier, entry(1, host=A))
        rest(frontier, A, 30)
        clock.now -= back
        assert take(reopen()).wait_seconds == pytest.approx(30)


HOLDER = """
import sys, time
from pathlib import Path
from topicspider.frontier.sqlite.frontier import SqliteFrontier
frontier = SqliteFrontier(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(600)
"""


class TestOneProcessAFile:
    def test_a_second_process_is_told_who_holds_it_until_the_first_is_killed(self, path):
        with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout.readline() == "open\n"
            with pytest.raises(CrawlRunning, match=rf"process {holder.pid} holds .*frontier\.db") as error:
                SqliteFrontier(path)
            assert "\n" not in str(error.value)
            os.kill(holder.pid, signal.SIGKILL)
            holder.wait()
            SqliteFrontier(path).close()

    def test_nothing_is_written_through_a_link_in_place_of_the_lock(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name("mine").write_text("旅游")
        path.with_name(f"{path.name}.lock").symlink_to(path.with_name("mine"))
        with pytest.raises(FrontierUnavailable, match=r"symbolic links.*\.lock"):
            SqliteFrontier(path)
        assert path.with_name("mine").read_text() == "旅游"


class TestBadFiles:
    @pytest.mark.parametrize(
        "content",
        [
            b"not a database, but long enough to be read as one " * 50,
            "旅游\n".encode() * 400,
            b"SQLite format 3\x00" + b"\xff" * 5000,
        ],
    )
    def test_a_file_that_is_no_database_is_one_clear_line_and_left_as_it_was(self, path, content):
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(FrontierUnavailable, match=r"frontier .*frontier\.db: .+\. Move the file away") as error:
            SqliteFrontier(path)
        assert "\n" not in str(error.value)
        assert path.read_bytes() == content

    def test_a_database_of_another_program_is_not_written_to(self, path):
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE bookmarks (url TEXT)")
        before = path.read_bytes()
        with pytest.raises(FrontierUnavailable, match="database of another kind"):
            SqliteFrontier(path)
        assert path.read_bytes() == before

    @pytest.mark.parametrize("version", [0, 4, 6])
    def test_another_layout_is_refused_with_both_versions(self, path, version):
        SqliteFrontier(path).close()
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(FrontierUnavailable, match=f"layout is version {version}, this topicspider reads version 5"):
            SqliteFrontier(path)

    def test_a_damaged_file_is_one_clear_line(self, path):
        with closing(SqliteFrontier(path)) as frontier:
            add(frontier, *(entry(n, host=f"{n}.example") for n in range(2000)))
        content = bytearray(path.read_bytes())
        content[4096:] = os.urandom(len(content) - 4096)
        path.write_bytes(content)
        with pytest.raises(FrontierUnavailable, match=r"malformed|disk image"):
            drain(SqliteFrontier(path))

    @pytest.mark.parametrize("below", ["frontier.db", "deeper/frontier.db"])
    def test_a_folder_that_cannot_be_written_is_one_clear_line(self, tmp_path, below):
        (tmp_path / "a file").write_text("")
        with pytest.raises(
            FrontierUnavailable, match=r"frontier .*frontier\.db: cannot be written: .*TOPICSPIDER_DATA"
        ):
            SqliteFrontier(tmp_path / "a file" / below)


class TestFullDisk:
    """A database that may grow no further says the same as a full disk: "database or disk is full"."""

    @pytest.fixture
    def full(self, reopen):
        frontier = reopen()
        add(frontier, *(entry(n, 0.5, A) for n in range(20)))
        with frontier._file.reading() as database:
            pages = database.execute("PRAGMA page_count").fetchone()[0]
            database.execute(f"PRAGMA max_page_count = {pages}")
        return frontier

    def test_promise_10_a_call_that_raises_did_nothing_and_the_frontier_works_on(self, full):
        (lease,) = take(full).leases
        before = full.counts()
        big = [entry(n, 0.9, B, payload="重" * 1000) for n in range(100, 200)]
        with pytest.raises(FrontierUnavailable, match=r"database or disk is full\. Free some space") as error:
            full.apply(Work(completions=ends(lease), entries=big, timings={A: HostTiming(rest_seconds=99)}))
        assert "\n" not in str(error.value)
        assert full.counts() == before
        assert full.known(range(100, 200)) == set()
        with full._file.reading() as database:
            database.execute("PRAGMA max_page_count = 1000000")
        assert full.apply(Work(completions=ends(lease), entries=big)) == 100
        assert full.counts() == Counts(queued=119, done=1, pages=1, hosts=2)
