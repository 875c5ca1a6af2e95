"""Logs what a crawl fetched, so that the crawl can be rehearsed without a recording."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from topicspider.errors import RecordingError, one_line
from topicspider.items import time_now
from topicspider.rehearsal.archive.feature_file import Answer, FeatureFile, PageFeatures, packed
from topicspider.relevance.interfaces import ReadPage

logger = logging.getLogger(__name__)

# Names of the facts that the table ``meta`` holds about the crawl as a whole.
SEEDS = "seeds"
STARTED = "started"
ENDED = "ended"
"""When the crawl ended; empty while it runs, and after it was killed."""
MISSING = "missing"
"""Why pages of the crawl are missing in its log; kept when the crawl is resumed, because the gap remains."""

_TOO_SLOW = "its pages came faster than they could be written"
MOST_KEPT = 600  # answers; more are dropped, which the file notes. When the crawl slows down, far fewer are in flight


class CrawlLog:
    """The log of one crawl, off until ``start``. An error of its file is warned of once, noted in the file, and turns the log off for good.

    1. Every method but ``start`` and ``finish`` returns at once, because a thread does the work.
    2. Answers are written in the order in which their fetches ended; a later answer of a URL replaces the earlier one.
    3. The first ``most_pages`` answers are kept; 0 means no log.
    4. When answers are missing, because there were more, or the disk was too slow or failed, the file says why.
    """

    def __init__(self, path: Path, most_pages: int) -> None:
        self._path = path
        self._most_pages = most_pages
        self._in_flight: OrderedDict[str, Answer] = OrderedDict()
        self._waiting: SimpleQueue[Answer | None] = SimpleQueue()
        self._file: FeatureFile | None = None
        self._thread: threading.Thread | None = None
        self._is_on = False
        self._is_ending = threading.Event()
        self._room = 0  # how many more answers fit, at least: some replace others
        self._missing = ""

    @property
    def is_busy(self) -> bool:
        """Whether so many answers wait to be written that the crawl should fetch no more pages for now."""
        # these are some 20 MB of pages in memory
        return self._is_on and self._waiting.qsize() >= 300

    def start(self, facts: Mapping[str, str], *, fresh: bool) -> None:
        """Open the file, emptied when ``fresh``, and keep ``facts`` in it. Blocks; never raises."""
        if not self._most_pages:
            return
        self._is_on = True
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            for ending in ("", "-wal", "-shm", "-journal") if fresh else ():
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
            self._file = FeatureFile(self._path, is_new=True)
            self._missing = self._file.meta(MISSING)
            self._file.set_meta({**facts, STARTED: self._file.meta(STARTED) or time_now(), ENDED: ""})
        except (RecordingError, OSError) as error:
            self._give_up(error)
            return
        self._thread = threading.Thread(target=self._work, args=(self._file,), name="crawl-log", daemon=True)
        self._thread.start()

    def visited(
        self, url: str, status: int, seconds: float, page: ReadPage, title: str, *, is_hit: bool = True
    ) -> None:
        """Note the ``page`` that was read at ``url`` (canonical); the date of publication is looked up for hits only."""
        # without its simhash, which is computed when the log is opened: it would be a third of the log's cost, and few logs are rehearsed
        published = page.published if is_hit else ""
        features = PageFeatures(
            title,
            page.subject_words,
            page.body_words,
            page.links,
            published,
            page.robots,
            is_hub=page.is_hub,
            filed_under=page.filed_under,
            sections=page.sections,
        )
        self._keep(Answer(url, status, features, "", seconds))

    def redirected(self, url: str, status: int, target: str) -> None:
        """Note that ``url`` redirected to ``target`` (both canonical)."""
        self._keep(Answer(url, status, None, target))

    def _keep(self, answer: Answer) -> None:
        if self._is_on:
            self._in_flight[answer.url] = answer
        if len(self._in_flight) > MOST_KEPT:  # for some, ``ended`` is never called
            self._in_flight.popitem(last=False)
            self._misses(_TOO_SLOW)

    def ended(self, url: str, status: int, seconds: float | None, *, is_page: bool) -> None:
        """The fetch of ``url`` has ended: hand its answer over to be written."""
        answer = self._in_flight.pop(url, None) or Answer(url, status)
        if not self._is_on:
            return
        if self._waiting.qsize() >= MOST_KEPT:
            self._misses(_TOO_SLOW)
        else:
            is_read = is_page and answer.features is not None
            self._waiting.put(answer if is_read else replace(answer, features=None, seconds=seconds))

    def finish(self) -> None:
        """Write the answers that wait and when the crawl ended. Blocks; never raises."""
        if self._thread is not None:
            self._waiting.put(None)
            self._is_ending.set()
            self._thread.join()
        if self._file is None:
            return
        try:
            try:
                self._file.set_meta({ENDED: time_now(), MISSING: self._missing})
            finally:
                self._file.finish()
        except RecordingError as error:
            self._give_up(error)
        self._is_on = False

    def _work(self, file: FeatureFile) -> None:
        """Run by the thread until ``finish``: write the answers that wait, up to 50 in one transaction."""
        is_last = False
        while not is_last:
            answers = [self._waiting.get()]
            if self._waiting.qsize() < 50:
                self._is_ending.wait(0.5)  # seconds; what comes within them is written in one transaction
            while answers[-1] and len(answers) < 50 and not self._waiting.empty():
                answers.append(self._waiting.get())
            is_last = answers[-1] is None
            try:
                if self._is_on:
                    self._write(file, [answer for answer in answers if answer])
            except RecordingError as error:
                self._give_up(error)
            except Exception as error:
                logger.exception("The crawl's log failed")
                self._give_up(error)

    def _write(self, file: FeatureFile, answers: list[Answer]) -> None:
        if len(answers) > self._room:
            self._room = self._most_pages - file.size()
        if len(answers) > self._room:
            self._misses(f"it was full with {self._most_pages} pages")
        if self._room > 0:
            file.add(map(packed, answers[: self._room]))
            self._room -= len(answers)

    def _misses(self, why: str) -> None:
        self._missing = self._missing or why

    def _give_up(self, error: Exception) -> None:
        if self._is_on:
            logger.warning("The crawl's log is off: %s", error)
        self._is_on = False
        self._misses(one_line(str(error).removeprefix(f"{self._path}: ")) or type(error).__name__)
