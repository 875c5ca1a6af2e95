"""Tasks done in processes of their own: all results, no process left, whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from functools import partial

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
    assert set(multiprocessing.active_children()) <= others


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    """Processes import this file by its name."""
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])


def test_every_task_has_its_result():
    assert sorted(in_processes(_doubler, range(10), 3)) == [2 * number for number in range(10)]


def test_no_tasks_no_results():
    assert list(in_processes(_doubler, [], 2)) == []


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


def test_breaking_off_ends_the_processes():
    results = in_processes(_doubler, range(1000), 2)
    assert next(results) % 2 == 0
    results.close()


def test_arguments_reach_the_processes():
    assert list(in_processes(partial(_times, 3), [5], 1)) == [15]


def _times(factor):
    return partial(_multiply, factor)


def _multiply(factor, number):
    return factor * number
