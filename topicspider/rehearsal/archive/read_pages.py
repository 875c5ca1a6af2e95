"""Reads the pages of a web in several processes, and writes them down as they come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from topicspider.rehearsal.archive.feature_file import FeatureFile, PackedPage, packed
from topicspider.rehearsal.archive.page_reader import PageReader, TokenizerConfig
from topicspider.rehearsal.processes import in_processes
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from topicspider.rehearsal.archive.page_features import Answer
    from topicspider.rehearsal.archive.sources import Place, Source

Say = Callable[[str], None]
CHUNK = 50  # pages that one process reads at a time, and that are written together
_SAY_SECONDS = 3.0
_FEWEST_FOR_A_POOL = 500  # a process takes as long to start as 200 pages to read


Found = tuple[list[list[PackedPage]], list[str]]
"""Pages for each cutting, and the URLs they link to of which the source did not know before that they are there."""


class Reader:
    """Reads the pages of one source, cut in each of some ways."""

    def __init__(self, source: Source, cuttings: Sequence[TokenizerConfig]) -> None:
        self._find = source.open()
        self._marks = source.marks()
        first, *others = (cutting.make() for cutting in cuttings)
        self._reader = PageReader(first, others=others)

    def read(self, places: Sequence[Place]) -> Found:
        """The pages at ``places`` that answer with something, packed."""
        answers = [self._reader.read_each(place[0], self._find(place)) for place in places]
        unknown: dict[str, None] = {}
        if self._marks is not None:
            unknown = {
                url: None for answer, *_ in answers for url in targets(answer) if fingerprint(url) not in self._marks
            }
        there = [each for each in answers if each[0].status]
        return [[packed(answer) for answer in cut] for cut in zip(*there, strict=True)], list(unknown)


def targets(answer: Answer) -> list[str]:
    """Where ``answer`` leads: the links of a page, or a redirect's target."""
    if answer.features is None:
        return [answer.target] if answer.target else []
    return [link.url for link in answer.features.links]


def read_pages(
    source: Source,
    cuttings: Sequence[TokenizerConfig],
    places: Sequence[Place],
    files: Sequence[FeatureFile],
    processes: int,
    say: Say,
) -> list[str]:
    """Read all ``places`` into ``files``, one a cutting; returns URLs that were found and that the source did not know of.

    When it is broken off, what was read stays, and no process is left behind.
    """
    progress = _Progress(len(places), say)
    found: dict[str, None] = {}
    done = 0
    for cut, unknown in _in_processes(source, cuttings, places, processes):
        for file, pages in zip(files, cut, strict=False):  # none were there: there is nothing to add
            file.add(pages)
        found.update(dict.fromkeys(unknown))
        done = min(len(places), done + CHUNK)
        progress.show(done)
    return list(found)


class _Progress:
    def __init__(self, total: int, say: Say) -> None:
        self._total, self._say = total, say
        self._said = time.monotonic()

    def show(self, done: int) -> None:
        now = time.monotonic()
        if now - self._said >= _SAY_SECONDS or done == self._total:
            self._said = now
            self._say(f"read {done:,} of {self._total:,} pages")


def _in_processes(
    source: Source, cuttings: Sequence[TokenizerConfig], places: Sequence[Place], processes: int
) -> Iterator[Found]:
    chunks = (places[start : start + CHUNK] for start in range(0, len(places), CHUNK))
    count = min(processes, 1 + len(places) // _FEWEST_FOR_A_POOL)
    if count <= 1:
        yield from map(Reader(source, cuttings).read, chunks)
        return
    yield from in_processes(partial(_reader, source, cuttings), chunks, count)


def _reader(source: Source, cuttings: Sequence[TokenizerConfig]) -> Callable[[Sequence[Place]], Found]:
    return Reader(source, cuttings).read
