"""Reads pages in processes of their own: which page goes to which, what becomes of one that ends or hangs, and what runs within each.

A process is given the pages of the same hosts, in their order: what titles of a host have in common is known where its pages are read. It
is sent plain values of ours, the body as bytes, and the topics once; it has nothing that is lost with it, no network and no passwords. Beside what
stands on a page it tells what speaks for each topic before anything is learned (``page_prior``), and how near the texts of links are to it: that
depends on nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import marshal
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import date
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import topicspider.blas_threads  # noqa: F401 - before numpy
from topicspider.page.documents.process import environment
from topicspider.page.page import Page
from topicspider.page.site_titles import SiteTitles
from topicspider.relevance.interfaces import PageWords, PolicyContext
from topicspider.relevance.link_features import TextNews, TextSimilarity, anchor_of, texts_of
from topicspider.relevance.page_judge import LearnedScorer, PageJudge
from topicspider.relevance.page_prior import Evidence
from topicspider.text.segment import make_segmenter
from topicspider.url import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

    from topicspider.text.segment import Segmenter
    from topicspider.topic.profile import TopicModel

logger = logging.getLogger(__name__)

DIED, HUNG = "died", "hung"
READ_SECONDS = 30.0
"""No page takes that long; of 2,427 recorded pages the slowest took .2 s."""
MOST_FALSE_STARTS = 5
"""Processes that end one after the other before they have read a page: there is something wrong with this machine."""
BUSY, LOOK_SECONDS = 0.7, 5.0
"""Processes are begun when the crawl's own has used this share of a core for so long."""
LEAST_LOG_ODDS = -1.5
"""Of 895 hits among 1,200 recorded pages the prior gave none less, of the other pages more than half: what only hits are asked is not read in those."""
_HEAD = Struct(">I")  # the length of a message


class Foreseen(NamedTuple):
    """What a page says to a topic, whatever was learned: its prior (PageJudge.evidence), and what is new of the texts of its links."""

    evidence: Evidence
    link_texts: TextNews


Forecast = dict[str, Foreseen]
"""By topic."""


class UnreadablePageError(Exception):
    """Reading a page has ended, or held up, every process that tried."""


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
    """Up to ``count`` processes, begun when the first page is read (``at_once``) or when the crawl keeps its own core busy.

    Pages come back in the order in which they were asked for, so what is learned from them does not depend on who reads (promise R5).
    ``on_end`` is told the reason, DIED or HUNG, of each process that ends. ``words``: those that the segmenter keeps in one piece;
    ``models``: the topics that are asked what they make of a page, by name.
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
        self._count = count
        self._words, self._extraction, self._site_titles = words, extraction, site_titles
        self._models = pickle.dumps(dict(models))
        self._processes: list[_Process] = []
        self._jobs: deque[_Job] = deque()  # in the order in which they came
        self._pressure = None if at_once else _Pressure()
        self._false_starts = 0
        self.seconds = READ_SECONDS
        self.on_end: Callable[[str], None] = lambda _reason: None

    @property
    def pids(self) -> list[int]:
        """Of the processes that run."""
        return [one.pid for one in self._processes if one.pid]

    async def read(self, page: Page) -> Forecast:
        """Have ``page`` read, if processes are wanted now; else it is read where it is asked. What it says to each topic; raises UnreadablePageError."""
        if page.is_begun or not self._are_wanted():
            return {}
        job = _Job(page, marshal.dumps(page.job), asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        self._processes[crc32(host_of(page.url).encode()) % self._count].send(job)
        return await job.future

    def close(self) -> None:
        """End the processes; pages that are still being read are read where they are asked."""
        self._count, processes, self._processes = 0, self._processes, []
        for process in processes:
            process.close()
        for job in self._jobs:
            job.is_done = True
        self._release()

    def _are_wanted(self) -> bool:
        if not self._count:
            return False
        if not self._processes and (self._pressure is None or self._pressure.is_high()):
            self._processes = [_Process(self, place) for place in range(self._count)]
        return bool(self._processes)

    # --- what a process says of itself -------------------------------------------------------------

    def greeting(self, place: int) -> bytes:
        """The first message: how to read, and what is known of the hosts of the process at ``place``."""
        known = [seen for seen in self._site_titles.packed() if crc32(host_of(seen[0]).encode()) % self._count == place]
        return marshal.dumps((self._words, self._extraction, self.seconds, known, self._models))

    def done(self, job: _Job, answer: bytes) -> None:
        self._false_starts = 0
        facts, found = marshal.loads(answer)  # noqa: S302 - of a process of ours
        job.page.take(facts)
        job.foreseen = {topic: Foreseen(_evidence(values), texts) for topic, (values, texts) in found.items()}
        job.is_done = True
        self._release()

    def ended(self, place: int, reason: str, waiting: deque[_Job], *, has_read: bool) -> None:
        """Put another in the place of a process that ended; the page that it was reading has one more try."""
        self.on_end(reason)
        logger.warning("A process that reads pages %s", "took too long and was ended" if reason == HUNG else "ended")
        self._false_starts = 0 if has_read else self._false_starts + 1
        if self._false_starts >= MOST_FALSE_STARTS:
            logger.error("Processes that read pages end at once: the crawl reads its pages itself from now on")
            self.close()
            return
        if waiting:
            waiting[0].tries += 1
            if waiting[0].tries > 1:
                job = waiting.popleft()
                job.error, job.is_done = UnreadablePageError(f"{job.page.url}: a process that read it {reason}"), True
        self._processes[place] = another = _Process(self, place)
        for job in waiting:
            another.send(job)
        self._release()

    def _release(self) -> None:
        while self._jobs and self._jobs[0].is_done:
            job = self._jobs.popleft()
            if job.future.done():  # nobody waits any more
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
    """One process, started with its first job; jobs are answered in order, the one ahead within the time limit."""

    def __init__(self, pool: ReadingProcesses, place: int) -> None:
        self._pool, self._place = pool, place
        self._waiting: deque[_Job] = deque()
        self._buffer = bytearray()
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._reason, self._has_read, self._is_closed = DIED, False, False

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    def send(self, job: _Job) -> None:
        self._waiting.append(job)
        if self._process is None:
            self._start()
        elif self._transport is not None and not self._transport.is_closing():
            self._transport.write(_framed(job.message))
        if len(self._waiting) == 1:
            self._watch()

    def close(self) -> None:
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._transport is not None:
            self._transport.abort()
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        loop = asyncio.get_running_loop()
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603
                    # -P: no module is looked for in the folder the crawl runs in
                    [sys.executable, "-P", "-m", "topicspider.reading_processes", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env=environment(),
                    start_new_session=True,  # signals of the terminal are for the crawl
                )
        except OSError as error:
            logger.warning("No process could be started that reads pages: %s", error)
            ours.close()
            loop.call_soon(self.connection_lost, None)
            return
        self._connecting = loop.create_task(self._connect(ours))

    async def _connect(self, ours: socket.socket) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self, sock=ours)

    def _watch(self) -> None:
        """Give the job ahead its time."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self._waiting:
            # one that has not read a page yet may still be loading its libraries, on a machine with much to do
            seconds = self._pool.seconds if self._has_read else 10 * self._pool.seconds
            self._timer = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        self._reason = HUNG
        if self._process is not None:
            self._process.kill()

    # --- asyncio.Protocol --------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        if self._is_closed:
            transport.abort()
            return
        messages = [self._pool.greeting(self._place), *(job.message for job in self._waiting)]
        transport.write(b"".join(map(_framed, messages)))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            end = _HEAD.size + _HEAD.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                return
            answer = bytes(self._buffer[_HEAD.size : end])
            del self._buffer[:end]
            self._has_read = True
            job = self._waiting.popleft()
            self._watch()
            self._pool.done(job, answer)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_closed:
            return
        self.close()
        self._pool.ended(self._place, self._reason, self._waiting, has_read=self._has_read)


# --- within the process ----------------------------------------------------------------------------


def main() -> None:
    """Read pages until the crawl hangs up."""
    with socket.socket(fileno=int(sys.argv[1])) as channel, channel.makefile("rb") as asked:
        greeting = _receive(asked)
        if greeting is None:
            return
        own_words, extraction, seconds, known, models = marshal.loads(greeting)  # noqa: S302 - of the crawl that started this process
        segmenter, site_titles = make_segmenter(own_words), SiteTitles()
        topics = {topic: _Topic(model, segmenter) for topic, model in pickle.loads(models).items()}  # noqa: S301
        site_titles.remember(known)
        while (message := _receive(asked)) is not None:
            signal.alarm(2 * int(seconds) + 1)  # a crawl that was killed ends nobody
            url, body, content_type, day, document, robots = marshal.loads(message)  # noqa: S302
            page = Page(
                url,
                body,
                content_type,
                segmenter,
                extraction=extraction,
                fetched_on=date.fromisoformat(day) if day else None,
                site_titles=site_titles,
                document=document,
                robots_header=robots,
            )
            words = PageWords(page.subject_words, page.body_words)
            found = {topic: one.foresee(page, words) for topic, one in topics.items()}
            is_maybe_hit = not topics or any(one.evidence.log_odds >= LEAST_LOG_ODDS for one in found.values())
            plain = {topic: (_plain(evidence), texts) for topic, (evidence, texts) in found.items()}
            answer = marshal.dumps((page.facts(is_maybe_hit=is_maybe_hit), plain))
            signal.alarm(0)
            channel.sendall(_framed(answer))


class _Topic:
    """What each page says to a topic."""

    def __init__(self, model: TopicModel, segmenter: Segmenter) -> None:
        self._judge = PageJudge(model.profile, LearnedScorer.name, model=model)
        self._similarity = TextSimilarity(PolicyContext(model.profile, segmenter, model=model))

    def foresee(self, page: Page, words: PageWords) -> Foreseen:
        texts = (text for link in page.links for text in (anchor_of(link), *texts_of(link)))
        self._similarity.read(texts, words.title)
        return Foreseen(self._judge.evidence(words), self._similarity.news)


def _framed(message: bytes) -> bytes:
    return _HEAD.pack(len(message)) + message


def _plain(evidence: Evidence) -> dict[str, Any]:
    values = {one.name: getattr(evidence, one.name) for one in fields(evidence)}
    return values | {"meaning": None if evidence.meaning is None else evidence.meaning.tobytes()}


def _evidence(values: dict[str, Any]) -> Evidence:
    import numpy as np

    if values["meaning"] is not None:
        values["meaning"] = np.frombuffer(values["meaning"], np.float32)
    return Evidence(**values)


def _receive(stream: BinaryIO) -> bytes | None:
    """The next message; None when nobody sends any more."""
    head = stream.read(_HEAD.size)
    size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else 0
    message = stream.read(size)
    return message if size and len(message) == size else None


if __name__ == "__main__":
    with suppress(BrokenPipeError, ConnectionResetError):
        main()
