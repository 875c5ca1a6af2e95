"""A move that was interrupted anywhere lost nothing, and is finished by running it again."""

from __future__ import annotations

import argparse
from contextlib import closing

import pytest

from topicspider.cli import frontier
from topicspider.cli.crawl_data import FRONTIER, FRONTIER_FORMS, Places
from topicspider.errors import ConfigError
from topicspider.frontier.protocol import Completion, Counts, End, Entry, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection
from topicspider.options import Options

EVERYTHING = Counts(queued=28, done=1, dead=1, pages=1, hosts=3)


class Interrupted(Exception):
    """What Ctrl-C, a full disk or kill -9 does."""


@pytest.fixture
def move(tmp_path, monkeypatch):
    monkeypatch.setattr(frontier, "RECORDS_AT_ONCE", 4)
    old, new = (f"sqlite:///{tmp_path}/{name}.db" for name in ("旧", "新"))
    places = Places(Options(data=str(tmp_path)), "", FRONTIER, FRONTIER_FORMS)
    return lambda: frontier.move(places, argparse.Namespace(source=old, target=new))


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "旧.db"
    with closing(SqliteFrontier(path, attempts=1)) as frontier:
        entries = [Entry(f"http://h{n % 3}.example/{n}", n, f"h{n % 3}.example:80", n / 30) for n in range(30)]
        frontier.apply(Work(entries=entries))
        for end in (End.PAGE, End.FAILED):
            (lease,) = frontier.acquire("n", 1, 1, 60).leases
            frontier.apply(Work([Completion(lease.entries[0].fingerprint, lease.host, lease.token, end, "超时")]))
    return path


def counts(path):
    with closing(SqliteInspection(path)) as inspection:
        return inspection.counts()


def interrupt_after(monkeypatch, calls, name):
    """The method of SqliteInspection raises when it is called once more than ``calls`` times."""
    done, whole = [], getattr(SqliteInspection, name)

    def cut_off(self, *args):
        if len(done) >= calls:
            raise Interrupted
        done.append(1)
        return whole(self, *args)

    monkeypatch.setattr(SqliteInspection, name, cut_off)


@pytest.mark.parametrize(("name", "calls"), [*(("take_in", n) for n in range(9)), ("clear", 0)])
def test_interrupted_anywhere_it_can_be_run_again(move, source, tmp_path, monkeypatch, name, calls):
    with monkeypatch.context() as cut:
        interrupt_after(cut, calls, name)
        with pytest.raises(Interrupted):
            move()
    assert counts(source) == EVERYTHING
    move()
    assert (counts(tmp_path / "新.db"), counts(source)) == (EVERYTHING, Counts())


def test_it_is_finished_though_the_target_was_crawled_meanwhile(move, source, tmp_path, monkeypatch):
    with monkeypatch.context() as cut:
        interrupt_after(cut, 4, "take_in")
        with pytest.raises(Interrupted):
            move()
    with closing(SqliteFrontier(tmp_path / "新.db")) as frontier:
        (lease,) = frontier.acquire("n", 1, 1, 60).leases
        frontier.apply(Work([Completion(lease.entries[0].fingerprint, lease.host, lease.token, End.PAGE)]))
    move()
    assert counts(tmp_path / "新.db") == Counts(queued=27, done=2, dead=1, pages=2, hosts=3)


def test_another_crawl_is_not_mixed_in(move, source, tmp_path):
    with closing(SqliteFrontier(tmp_path / "新.db")) as frontier:
        frontier.apply(Work(entries=[Entry("http://x.example/", 77, "x.example:80")]))
    with pytest.raises(ConfigError, match="It has 1 URLs"):
        move()
    assert counts(source) == EVERYTHING


def test_a_target_that_lost_something_keeps_the_source(move, source, monkeypatch):
    monkeypatch.setattr(frontier, "_take_in", lambda _records, _inspection: (0, 0))
    with pytest.raises(Exception, match=r"has 0 of 30 URLs; .*旧\.db is kept"):
        move()
    assert counts(source) == EVERYTHING
