"""Tasks done in processes of their own: all results, no process left, whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys

import pytest

from support.crawling import ROOT
from topicspider.errors import ConfigError, TopicSpiderError
from topicspider.rehearsal.processes import in_processes


def _doubler():
    return _double


def _double(number):
    if number == 13:
        raise ConfigError("--pages", number, "luck")
    if number == 666:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == -1:
        raise ZeroDivisionError("旅游")
    return 2 * number


def _refusing():
    raise ConfigError("web", "nothing", "a web")


@pytest.fixture(autouse=True)
def _no_process_is_left():
    others = set(multiprocessing.active_children())  # of tests that ran before in this process
    yield
    # the list may still name what the pool's own thread has just reaped: the system knows better
    assert not [process for process in set(multiprocessing.active_children()) - others if _is_there(process.pid)]


def _is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    """Processes import this file by its name."""
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])


def test_every_task_has_its_result():
    assert sorted(in_processes(_doubler, range(10), 3)) == [2 * number for number in range(10)]


def test_no_more_than_one_task_a_process_is_taken_ahead():
    taken = []
    results = in_processes(_doubler, (taken.append(number) or number for number in range(100)), 2)
    next(results)
    assert len(taken) <= 4
    results.close()


def test_an_error_of_ours_is_raised_as_one_line():
    with pytest.raises(TopicSpiderError, match="--pages: 13 is not valid"):
        list(in_processes(_doubler, [1, 13, 2], 2))


def test_an_error_that_is_nobodys_fault_shows_where_it_was():
    with pytest.raises(RuntimeError, match="ZeroDivisionError: 旅游"):
        list(in_processes(_doubler, [-1], 1))


def test_what_cannot_begin_says_why():
    with pytest.raises(TopicSpiderError, match="web: 'nothing'"):
        list(in_processes(_refusing, [1], 2))


def test_a_process_that_is_killed_is_told_of():
    with pytest.raises(TopicSpiderError, match=r"ended from outside.*--processes 1"):
        list(in_processes(_doubler, [1, 666, 2, 3], 2))
