"""Reads pages in other processes: sends each page to one of them, replaces processes that die or hang, and contains the code they run.

On Linux the crawl starts one program, which loads what reading needs and then forks the other processes, so that they share that memory.
Elsewhere, and when a process is replaced, each is started as a program.

All pages of a host go to the same process, in order, because it must know what the titles of the host have in common. A process receives
the topics once, then plain values and the body of each page. It has no network, no passwords, and no state whose loss would matter. It
returns the facts of the page and, for each topic, what does not depend on learning: the evidence of ``page_prior`` and the similarity of
link texts.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import marshal
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import topicspider.blas_threads  # noqa: F401 - before numpy
from topicspider.page.documents.process import start
from topicspider.page.page import Page, sample_page
from topicspider.page.site_titles import SiteTitles
from topicspider.relevance.interfaces import PageWords, PolicyContext
from topicspider.relevance.link_features import TextNews, TextSimilarity, anchor_of, texts_of
from topicspider.relevance.page_judge import LearnedScorer, PageJudge
from topicspider.relevance.page_prior import Evidence, Measured
from topicspider.text.segment import make_segmenter
from topicspider.url import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date
    from typing import BinaryIO

    Program = subprocess.Popen[bytes]
    from topicspider.topic.profile import TopicModel

logger = logging.getLogger(__name__)

DIED, HUNG = "died", "hung"
READ_SECONDS = 30.0
"""Time limit for one page; of 2,427 recorded pages the slowest took .2 s."""
MOST_FALSE_STARTS = 5
"""After this many processes in a row ended before they read a page, something is wrong with the machine, and no more are started."""
BUSY, LOOK_SECONDS = 0.7, 5.0
"""Processes are started when the crawl's own process has used this share of a core (BUSY) for so many seconds (LOOK_SECONDS)."""
LEAST_LOG_ODDS = -1.5
"""In pages whose prior is below these log odds, facts that only hits need are not read. Among 1,200 recorded pages, none of the 895 hits
was below, but more than half of the other pages."""
_HEAD = Struct(">I")  # the length of a message


class Foreseen(NamedTuple):
    """What a page gives a topic before learning: evidence for its prior (PageJudge.evidence), and similarities of new link texts."""

    evidence: Evidence
    link_texts: TextNews


Forecast = dict[str, Foreseen]
"""By topic name."""


class UnreadablePageError(Exception):
    """Each process that tried to read the page died or hung."""


@dataclass(slots=True)
class _Job:
    page: Page
    message: bytes
    future: asyncio.Future[Forecast]
    tries: int = 0
    foreseen: Forecast = field(default_factory=dict)
    error: Exception | None = None
    is_done: bool = False


class ReadingProcesses:
    """Up to ``count`` processes, started with the first page (``at_once``) or when the crawl keeps its own core busy.

    Pages come back in the order in which they were submitted, so what is learned does not depend on which process read them (promise R5).
    ``on_end`` is called with the reason, DIED or HUNG, for each process that ends. ``words``: words that the segmenter does not split.
    ``models``: the topics, by name, for which the processes compute evidence.
    """

    def __init__(
        self,
        count: int,
        words: tuple[str, ...],
        extraction: str,
        site_titles: SiteTitles,
        models: Mapping[str, TopicModel],
        *,
        at_once: bool = False,
    ) -> None:
        self._count, self._site_titles = count, site_titles
        self.setup = pickle.dumps((words, extraction, dict(models)))
        self._processes: list[_Process] = []
        self._jobs: deque[_Job] = deque()  # in the order of submission
        self._pressure = None if at_once else _Pressure()
        self._false_starts = 0
        self.seconds = READ_SECONDS
        self.on_end: Callable[[str], None] = lambda _reason: None

    @property
    def pids(self) -> list[int]:
        """The IDs of the running processes."""
        return [one.pid for one in self._processes if one.pid]

    async def read(self, page: Page) -> Forecast:
        """Have ``page`` read by a process, if one is wanted now (else {}: it is read where it is used). Raises UnreadablePageError."""
        if page.is_begun or not self._are_wanted():
            return {}
        job = _Job(page, pickle.dumps(page.job), asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        self._processes[self._place_of(page.url)].send(job)
        return await job.future

    def close(self) -> None:
        """End the processes; pages that are not finished are read where they are used."""
        self._count, processes, self._processes = 0, self._processes, []
        for process in reversed(processes):  # ends the process that forked the others last
            process.close()
        for job in self._jobs:
            job.is_done = True
        self._release()

    def _place_of(self, url: str) -> int:
        return crc32(host_of(url).encode()) % self._count

    def _are_wanted(self) -> bool:
        if not self._count:
            return False
        if not self._processes and (self._pressure is None or self._pressure.is_high()):
            # other systems have no fork, or libraries that do not work after one
            together = self._count if sys.platform == "linux" else 1
            for place in range(0, self._count, together):
                self._processes += self._start(range(place, place + together))
        return bool(self._processes)

    def _start(self, places: Sequence[int]) -> list[_Process]:
        """Start one process per place: the first as a program, which forks the others when it has loaded what reading needs (shared
        memory)."""
        pairs = [socket.socketpair() for _ in places]
        channels = [theirs.fileno() for _, theirs in pairs]
        program = None
        try:
            program = start(__name__, *map(str, channels), stdin=subprocess.DEVNULL, pass_fds=channels)
        except OSError as error:
            self._false_starts += 1
            logger.warning("No process could be started that reads pages: %s", error)
        for _, theirs in pairs:
            theirs.close()
        programs = [program, *(None for _ in places[1:])]
        return [_Process(self, *one) for one in zip(places, (ours for ours, _ in pairs), programs, strict=True)]

    def titles_for(self, place: int) -> bytes:
        """What is known of the titles of those hosts that the process at ``place`` serves, pickled."""
        return pickle.dumps([seen for seen in self._site_titles.packed() if self._place_of(seen[0]) == place])

    def done(self, job: _Job, answer: bytes) -> None:
        self._false_starts = 0
        facts, found = marshal.loads(answer)  # noqa: S302 - of a process of ours
        job.page.take(facts)
        job.foreseen = {topic: Foreseen(_evidence(values), texts) for topic, (values, texts) in found.items()}
        job.is_done = True
        self._release()

    def ended(self, process: _Process, reason: str) -> None:
        """Replace a process that ended; the page that it was reading gets one more try."""
        is_program = process.program is not None
        if is_program or process.pid:  # else it was to be forked, but never was
            self.on_end(reason)
            logger.warning("A process that reads pages ended%s", ": it took too long" if reason == HUNG else "")
        self._false_starts += is_program and not process.has_read
        if self._false_starts >= MOST_FALSE_STARTS:
            logger.error("Processes that read pages end at once: the crawl reads its pages itself from now on")
            self.close()
            return
        place, waiting = process.place, process.waiting
        if waiting and process.pid:  # else it had been sent no page
            waiting[0].tries += 1
            if waiting[0].tries > 1:
                job = waiting.popleft()
                job.error, job.is_done = UnreadablePageError(f"{job.page.url}: a process that read it {reason}"), True
        [another] = self._processes[place : place + 1] = self._start([place])
        for job in waiting:
            another.send(job)
        self._release()

    def _release(self) -> None:
        while self._jobs and self._jobs[0].is_done:
            job = self._jobs.popleft()
            if job.future.done():  # no task waits for it any more
                continue
            if job.error is None:
                job.future.set_result(job.foreseen)
            else:
                job.future.set_exception(job.error)


class _Pressure:
    """Whether this process has kept a core busy for the last LOOK_SECONDS."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.monotonic()

    def is_high(self) -> bool:
        cpu, wall = time.process_time(), time.monotonic()
        if wall - self._wall < LOOK_SECONDS:
            return False
        share = (cpu - self._cpu) / (wall - self._wall)
        self._cpu, self._wall = cpu, wall
        return share >= BUSY


class _Process(asyncio.Protocol):
    """One process, which answers its jobs in order. Its first job must be answered within the time limit."""

    def __init__(self, pool: ReadingProcesses, place: int, channel: socket.socket, program: Program | None) -> None:
        """``program``: the started program; None for a forked process."""
        self._pool, self.place, self.program = pool, place, program
        self.waiting: deque[_Job] = deque()
        self._buffer = bytearray()
        self._transport: asyncio.WriteTransport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.has_read = self._is_closed = False
        self.pid = 0  # 0 until the process reports its ID; then the waiting jobs are sent
        loop = asyncio.get_running_loop()
        self._connecting = loop.create_task(loop.create_connection(lambda: self, sock=channel))

    def send(self, job: _Job) -> None:
        self.waiting.append(job)
        if self.pid:
            self._write(job.message)
        if len(self.waiting) == 1:
            self._watch()

    def close(self) -> None:
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.abort()
        if self.program is not None:
            self.program.kill()
            self.program.wait()
        elif self.pid and self._transport is not None:
            with suppress(ProcessLookupError):  # its parent, which still runs, has reaped it
                os.kill(self.pid, signal.SIGKILL)
                for _ in range(200):  # wait for its parent to reap it: PID 1 may not, once the parent has ended
                    time.sleep(0.001)
                    os.kill(self.pid, 0)

    def _write(self, *messages: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(map(_framed, messages)))

    def _watch(self) -> None:
        """Start the time limit of the first waiting job."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self.waiting:
            # loading libraries takes long on a busy machine
            seconds = self._pool.seconds if self.pid else 10 * self._pool.seconds
            self._timer = asyncio.get_running_loop().call_later(seconds, self._end, HUNG)

    def _end(self, reason: str) -> None:
        if not self._is_closed:
            self.close()
            self._pool.ended(self, reason)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        if self._is_closed:
            transport.abort()
        elif self.program is not None:
            self._write(self._pool.setup)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            end = _HEAD.size + _HEAD.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                return
            answer = bytes(self._buffer[_HEAD.size : end])
            del self._buffer[:end]
            if not self.pid:
                self.pid = marshal.loads(answer)  # noqa: S302 - of a process of ours
                self._write(self._pool.titles_for(self.place), *(job.message for job in self.waiting))
                self._watch()
                continue
            self.has_read = True
            job = self.waiting.popleft()
            self._watch()
            self._pool.done(job, answer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None  # then close() kills no process: its ID may soon be another's
        self._end(DIED)


def main() -> None:
    """Load what reading needs, and fork a process for each channel but the first; each process then reads pages from its own channel."""
    channels = [socket.socket(fileno=int(number)) for number in sys.argv[1:]]
    with channels[0].makefile("rb") as asked:
        setup = _receive(asked)
    if setup is None:
        return
    reader = _Reader(*pickle.loads(setup))  # noqa: S301 - of the crawl that started this process
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # forked processes need not be reaped
    gc.collect()
    gc.freeze()  # garbage collection writes to the objects that it examines, which ends their sharing
    own = channels[0]
    with suppress(OSError):  # no more processes can be forked: the crawl starts a program for each channel closed below
        for channel in channels[1:]:
            if os.fork() == 0:
                own = channel
                break
    for channel in channels:
        if channel is not own:
            channel.close()
    with suppress(BrokenPipeError, ConnectionResetError):  # the crawl was killed
        reader.serve(own)
    with suppress(ChildProcessError):  # no forked process is left
        os.wait()  # waits for the forked processes, which end now, too: PID 1 may not reap them


class _Reader:
    """Reads pages within a process."""

    def __init__(self, words: tuple[str, ...], extraction: str, models: Mapping[str, TopicModel]) -> None:
        segmenter = make_segmenter(words)
        self._site_titles = SiteTitles()
        self._page = partial(Page, segmenter=segmenter, extraction=extraction, site_titles=self._site_titles)
        self._topics = [
            (
                topic,
                PageJudge(model.profile, LearnedScorer.name, model=model),
                TextSimilarity(PolicyContext(model.profile, segmenter, model=model)),
            )
            for topic, model in models.items()
        ]
        sample_page(segmenter, extraction).facts()

    def serve(self, channel: socket.socket) -> None:
        """Read pages until the crawl closes the channel."""
        with channel, channel.makefile("rb") as asked:
            channel.sendall(_framed(marshal.dumps(os.getpid())))
            if (titles := _receive(asked)) is not None:
                self._site_titles.remember(pickle.loads(titles))  # noqa: S301
            while (message := _receive(asked)) is not None:
                signal.alarm(2 * int(READ_SECONDS))  # a killed crawl could not end this process if it hung
                answer = self._read(*pickle.loads(message))  # noqa: S301
                signal.alarm(0)
                channel.sendall(_framed(answer))

    def _read(self, url: str, body: bytes, content_type: str, day: date | None, document: str, robots: str) -> bytes:
        page = self._page(url, body, content_type, fetched_on=day, document=document, robots_header=robots)
        words = PageWords.of(page)
        texts = [text for link in page.links for text in (anchor_of(link), *texts_of(link))]
        found, is_maybe_hit = {}, not self._topics
        for topic, judge, similarity in self._topics:
            similarity.read(texts, words.title)
            evidence = judge.evidence(words)
            found[topic] = _plain(evidence), similarity.news
            is_maybe_hit |= evidence.as_filed.log_odds >= LEAST_LOG_ODDS
        return marshal.dumps((page.facts(is_maybe_hit=is_maybe_hit), found))


def _framed(message: bytes) -> bytes:
    return _HEAD.pack(len(message)) + message


def _plain(evidence: Evidence) -> dict[str, Any]:
    values = {one.name: getattr(evidence, one.name) for one in fields(evidence)}
    meaning = None if evidence.meaning is None else evidence.meaning.tobytes()
    return values | {"meaning": meaning, "measured": tuple(evidence.measured)}


def _evidence(values: dict[str, Any]) -> Evidence:
    import numpy as np

    if values["meaning"] is not None:
        values["meaning"] = np.frombuffer(values["meaning"], np.float32)
    return Evidence(**values | {"measured": Measured(*values["measured"])})


def _receive(stream: BinaryIO) -> bytes | None:
    """The next message; None when the other end has closed."""
    head = stream.read(_HEAD.size)
    size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else 0
    message = stream.read(size)
    return message if size and len(message) == size else None


if __name__ == "__main__":
    main()
