"""Writes down what a crawl fetched and thought, so that it can be rehearsed without any recording."""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import RecordingError, one_line
from topicspider.rehearsal.archive.feature_file import FeatureFile, packed_log
from topicspider.rehearsal.archive.page_features import Answer, LoggedLink, LoggedPage, PageFeatures

if TYPE_CHECKING:
    from topicspider.evaluation import LinkVerdicts, ReadPage
    from topicspider.relevance.interfaces import LinkScore, PageScore

logger = logging.getLogger(__name__)

# Names of the facts that the table ``meta`` holds about the crawl as a whole.
SEEDS = "seeds"
SEGMENTER = "segmenter"
OWN_WORDS = "own_words"
STARTED = "started"
ENDED = "ended"
"""Empty while the crawl runs, and stays so when it is killed."""
REASON = "reason"
DROPPED = "dropped"
CUT_AT = "cut_at"
TURNED_OFF = "turned_off"
"""Why the log was off for the rest of a crawl; it stays when the crawl is resumed, as there is a gap."""

MOST_WAITING = 300
"""Pages in memory before the crawl is asked to slow down: some 20 MB."""
MOST_KEPT = 600  # beyond, they are dropped and counted: what is in flight when the crawl slows down fits well below
BATCH = 50
FLUSH_SECONDS = 1.0
NOT_FOLLOWED = "not_followed"
"""Of a link that the spider never asked to be judged."""


class TitledPage(Protocol):
    """A page that was read, with its title."""

    @property
    def title(self) -> str:
        """The title, one line."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A page in flight: what was read, and what the topics said of it."""

    status: int
    seconds: float
    features: PageFeatures
    scores: Mapping[str, PageScore]
    verdicts: LinkVerdicts | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """One answer that has ended, as it waits to be written."""

    page: LoggedPage
    seen: _Seen | None


class CrawlLog:
    """The log of one crawl: off until ``start``, and off for good after trouble with its file, which is one warning, and a fact in the file.

    1. Every method but ``start`` and ``finish`` returns at once: a thread does the work.
    2. An answer is written once it has ended, in that order; a later answer of the same URL takes its place.
    3. At most ``most_pages`` answers are kept, the first ones; ``cut_at`` in the file says so. 0 is no log.
    4. What had to be dropped because the disk could not keep up is counted in ``dropped``, and in the file.
    """

    def __init__(self, path: Path, most_pages: int) -> None:
        self._path = path
        self._most_pages = most_pages
        self._pages = 0
        self._seen: OrderedDict[str, _Seen] = OrderedDict()
        self._waiting: queue.SimpleQueue[_Line | None] = queue.SimpleQueue()
        self._file: FeatureFile | None = None
        self._thread: threading.Thread | None = None
        self._is_on = False
        self._trouble = ""
        self._redirects: dict[str, tuple[str, int]] = {}
        self.dropped = 0

    @property
    def is_busy(self) -> bool:
        """So much waits to be written that no more pages should be fetched for now."""
        return self._is_on and self._waiting.qsize() >= MOST_WAITING

    def start(self, facts: Mapping[str, str], *, fresh: bool) -> None:
        """Open the file, emptied when ``fresh``, and keep ``facts`` in it. Blocks; never raises."""
        if not self._most_pages:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if fresh:
                _remove(self._path)
            self._file = FeatureFile.create(self._path)
            self._pages = len(self._file.marks())
            before = self._file.meta(DROPPED)
            self.dropped = int(before) if before.isdecimal() else 0
            begun = {STARTED: self._file.meta(STARTED) or _now(), ENDED: "", REASON: ""}
            self._file.set_meta({**facts, **begun})
        except (RecordingError, OSError) as error:
            self._give_up(error)
            return
        self._is_on = True
        self._thread = threading.Thread(target=self._work, name="crawl-log", daemon=True)
        self._thread.start()

    def visited(
        self, url: str, status: int, seconds: float, page: ReadPage, scores: Mapping[str, PageScore], title: str
    ) -> None:
        """``page`` has come at ``url`` (canonical), and was scored by every topic."""
        if not self._is_on:
            return
        features = PageFeatures(title, page.title_words, page.body_words, page.links, page.published, page.robots)
        self._seen[url] = _Seen(status, seconds, features, scores)
        if len(self._seen) > MOST_KEPT:  # whoever asked for them never says that they have ended
            self._seen.popitem(last=False)
            self.dropped += 1

    def judged(self, url: str, verdicts: LinkVerdicts) -> None:
        """The links of the page at ``url`` were judged."""
        if (seen := self._seen.get(url)) is not None:
            self._seen[url] = replace(seen, verdicts=verdicts)

    def redirected(self, url: str, status: int, target: str) -> None:
        """``url`` led to ``target`` (both canonical)."""
        if self._is_on:
            self._redirects[url] = (target, status)

    def ended(self, url: str, status: int, seconds: float | None, depth: int, referrer: str, outcome: str) -> None:
        """The fetch of ``url`` is over; ``outcome``: "page", or why it is none. What it held is written down."""
        seen = self._seen.pop(url, None)
        target, redirect_status = self._redirects.pop(url, ("", 0))
        if not self._is_on:
            return
        if self._waiting.qsize() >= MOST_KEPT:
            self.dropped += 1
            return
        answer = Answer(url, redirect_status or status, None, target, seconds)
        if seen is not None and outcome == "page":
            answer = Answer(url, seen.status, seen.features, "", seen.seconds)
        else:
            seen = None
        self._waiting.put(_Line(LoggedPage(answer, depth=depth, referrer=referrer, outcome=outcome), seen))

    def finish(self, reason: str) -> None:
        """Write what waits and how the crawl ended. Blocks; never raises."""
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join()
        if self._file is None:
            return
        facts = {ENDED: _now(), REASON: reason, DROPPED: str(self.dropped)}
        if self._trouble:
            facts[TURNED_OFF] = self._trouble
        try:
            self._file.set_meta(facts)
        except RecordingError as error:
            self._give_up(error)
        try:
            self._file.finish()
        except RecordingError as error:
            self._give_up(error)
        self._is_on = False

    def _work(self) -> None:
        """In the thread, until ``finish``: write what has come, some at a time."""
        is_last = False
        while not is_last:
            lines, is_last = self._next_lines()
            if not lines or not self._is_on:
                continue
            try:
                self._write(lines)
            except RecordingError as error:
                self._give_up(error)
            except Exception as error:
                logger.exception("The crawl's log failed")
                self._give_up(error)

    def _next_lines(self) -> tuple[list[_Line], bool]:
        """Up to BATCH lines, and whether they are the last; waits for the first, then at most FLUSH_SECONDS for more."""
        lines: list[_Line] = []
        line = self._waiting.get()
        until = time.monotonic() + FLUSH_SECONDS
        while line is not None:
            lines.append(line)
            if len(lines) == BATCH:
                return lines, False
            try:
                line = self._waiting.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return lines, False
        return lines, True

    def _write(self, lines: Sequence[_Line]) -> None:
        assert self._file is not None
        room = self._most_pages - self._pages
        if room <= 0:
            return
        packed = [packed_log(*_whole(line)) for line in lines[:room]]
        self._pages += self._file.add(packed)
        if self._pages >= self._most_pages:
            self._file.set_meta({CUT_AT: str(self._most_pages)})
            logger.info("%s: the crawl's log is full with %d pages; later ones are not in it", self._path, self._pages)

    def _give_up(self, error: Exception) -> None:
        self._is_on = False
        if not self._trouble:
            self._trouble = one_line(str(error).removeprefix(f"{self._path}: ")) or type(error).__name__
            logger.warning("The crawl's log is off: %s", error)


def _whole(line: _Line) -> tuple[LoggedPage, str]:
    """The page with everything that takes time, done in the thread: above all the verdicts in the order of the links.

    Its simhash is left to whoever opens the log (see log_web): it would be a third of the log's cost, and few logs are rehearsed.
    """
    seen = line.seen
    if seen is None:
        return line.page, "{}"
    page = replace(
        line.page,
        score=max((score.value for score in seen.scores.values()), default=0.0),
        on_topic=any(score.on_topic for score in seen.scores.values()),
        links=_in_order(seen.features, seen.verdicts),
    )
    scores = {topic: round(score.value, 6) for topic, score in seen.scores.items()}
    return page, json.dumps(scores, ensure_ascii=False)


def _in_order(features: PageFeatures, verdicts: LinkVerdicts | None) -> list[LoggedLink]:
    """One verdict for each of the page's links."""
    known: dict[tuple[str, str], LinkScore] = {}
    if verdicts is not None:
        known = {(one.link.url, one.link.anchor): one.score for one in (*verdicts.kept, *verdicts.pruned)}
    scores = [known.get((link.url, link.anchor)) for link in features.links]
    return [
        LoggedLink(0.0, NOT_FOLLOWED) if score is None else LoggedLink(score.value, score.pruned) for score in scores
    ]


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
