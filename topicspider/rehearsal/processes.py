"""Does tasks in processes of their own, and leaves none behind."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, TypeVar

from topicspider.errors import TopicSpiderError

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

Task = TypeVar("Task")
Result = TypeVar("Result")
ENDING_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection


def in_processes(make: Callable[[], Callable[[Task], Result]], tasks: Iterable[Task], count: int) -> Iterator[Result]:
    """The results of ``tasks`` as they come, from ``count`` processes, each of which calls ``make`` once for what it does.

    1. Nothing is shared but one pipe a process: one that is killed in the middle of a message blocks nobody.
    2. No task is taken from ``tasks`` before a process is free for it, so memory is bounded.
    3. Ctrl-C is for this process alone; however the iteration ends, its processes are gone then. When this process is killed, they
       end at once.
    4. A TopicSpiderError in a process is raised here; a process that is killed is a TopicSpiderError.
    """
    workers: list[_Worker] = []
    try:
        with _uninterrupted():
            workers += (_start(make) for _ in range(count))
        yield from _hand_out(workers, iter(tasks))
        _end(workers)
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
            worker.connection.close()


def _hand_out(workers: list[_Worker], tasks: Iterator[Task]) -> Iterator[Result]:
    busy = {worker.connection: worker for worker in workers if _give(worker, tasks)}
    while busy:
        for connection in wait(list(busy)):
            assert isinstance(connection, Connection)
            result: Result = _receive(busy[connection])
            if not _give(busy[connection], tasks):
                del busy[connection]
            yield result


def _give(worker: _Worker, tasks: Iterator[Task]) -> bool:
    """Send the next task; False when there is none left."""
    for task in tasks:
        try:
            worker.connection.send(task)
        except OSError:
            raise _lost(worker) from None
        return True
    return False


def _receive(worker: _Worker) -> Result:  # type: ignore[type-var]
    try:
        result, error = worker.connection.recv()
    except (EOFError, OSError):
        raise _lost(worker) from None
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


def _lost(worker: _Worker) -> TopicSpiderError:
    worker.process.join(ENDING_SECONDS)
    return TopicSpiderError(
        f"a process of the rehearsal was ended from outside (exit code {worker.process.exitcode}); "
        "if memory ran out, let it have fewer: --processes 1"
    )


def _end(workers: list[_Worker]) -> None:
    """Let processes without a task go by themselves."""
    for worker in workers:
        worker.connection.close()
    for worker in workers:
        worker.process.join(ENDING_SECONDS)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until all are started; those started here never hear of it, not even while they load."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(make: Callable[[], Callable[[Task], Result]]) -> _Worker:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, make), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _work(connection: Connection, make: Callable[[], Callable[[Task], Result]]) -> None:
    """In the process: tasks in, results out, until the other end is closed."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    do: Callable[[Task], Result] | None = None
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            do = do or make()
            answer: tuple[Result | None, Exception | None] = (do(task), None)
        except TopicSpiderError as error:
            answer = (None, TopicSpiderError(str(error)))  # as it is it needs more than its text to be made again
        except Exception:  # noqa: BLE001 - raised where somebody can see it
            answer = (None, RuntimeError(traceback.format_exc()))
        connection.send(answer)


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
