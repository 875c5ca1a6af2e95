"""Does tasks in processes of their own, and leaves none behind."""

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

_do: Callable[[Any], Any] | None = None  # in a process of the pool: what it does with each task


def in_processes(make: Callable[[], Callable[[Task], Result]], tasks: Iterable[Task], count: int) -> Iterator[Result]:
    """The results of ``tasks`` as they come, from ``count`` processes, each of which calls ``make`` once for what it does.

    1. No task is taken from ``tasks`` before a process is free for it, so memory is bounded.
    2. Ctrl-C is for this process alone; however the iteration ends, its processes are gone then. When this process is killed, they
       end at once.
    3. A TopicSpiderError in a process is raised here; a process that is killed is a TopicSpiderError.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin)
    remaining = iter(tasks)
    try:
        # started with SIGINT blocked, they never hear of Ctrl-C, not even while they load
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
    """In a new process: it ends when its parent does, whatever it is doing."""
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
        raise TopicSpiderError(str(error)) from None  # as it is it needs more than its text to be made again
    except Exception:  # noqa: BLE001 - raised where somebody can see it
        raise RuntimeError(traceback.format_exc()) from None  # where it happened is not pickled
    return result
