"""Runs tasks in other processes, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import active_children, connection, get_context, parent_process
from typing import Any, TypeVar

from topicspider.errors import TopicSpiderError

Task = TypeVar("Task")
Result = TypeVar("Result")

_do: Callable[[Any], Any] | None = None  # in a process of the pool: the function that does a task


def in_processes(make: Callable[[], Callable[[Task], Result]], tasks: Iterable[Task], count: int) -> Iterator[Result]:
    """Yield the results of ``tasks`` as they come, from ``count`` processes. Each calls ``make`` once for the function that does a task.

    1. A task is taken from ``tasks`` only when a process is free for it, so memory is bounded.
    2. Only this process gets Ctrl-C. The other processes end when the iteration ends, however it ends, or when this process is killed.
    3. A TopicSpiderError in a process is raised here; when a process is killed, one is raised, too.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin)
    remaining = iter(tasks)
    try:
        # the processes inherit that SIGINT is blocked: Ctrl-C does not reach them, not even while they start
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pending = {pool.submit(_run, make, task) for task in islice(remaining, count)}
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            pending |= {pool.submit(_run, make, task) for task in islice(remaining, len(done))}
            yield from (future.result() for future in done)
    except BrokenProcessPool:
        raise TopicSpiderError(
            "a process was ended from outside; if memory ran out, a rehearsal needs less with --processes 1"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(active_children()) - others:
            process.kill()
            process.join()


def _begin() -> None:
    """Called in each new process: a thread ends it as soon as its parent ends, whatever it is doing."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


def _run(make: Callable[[], Callable[[Task], Result]], task: Task) -> Result:
    global _do
    try:
        _do = _do or make()
        result: Result = _do(task)
    except TopicSpiderError as error:
        raise TopicSpiderError(str(error)) from None  # a subclass cannot be unpickled from its text alone
    except Exception:  # noqa: BLE001 - raised where somebody can see it
        raise RuntimeError(traceback.format_exc()) from None  # pickling loses the traceback
    return result
