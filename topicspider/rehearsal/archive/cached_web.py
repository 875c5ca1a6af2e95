"""A web whose pages were all read before, in one file."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

from topicspider.rehearsal.archive.page_features import Answer
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from topicspider.rehearsal.archive.feature_file import FeatureFile
    from topicspider.rehearsal.phrase import Phrase

KEPT_PAGES = 2000
"""Decoded pages in memory: some 50 KB each."""


class RecentAnswers:
    """The answers asked for last, at most ``KEPT_PAGES``."""

    def __init__(self, find: Callable[[str], Answer]) -> None:
        self._find = find
        self._kept: OrderedDict[str, Answer] = OrderedDict()

    def answer(self, url: str) -> Answer:
        """From memory, or found."""
        known = self._kept.get(url)
        if known is None:
            known = self._kept[url] = self._find(url)
            if len(self._kept) > KEPT_PAGES:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(url)
        return known


class FileWeb:
    """See ArchivedWeb. ``start_pages`` are known to whoever opens it.

    ``notes``: as ArchivedWeb has them. ``joins_schemes``: a page that is there over http only is over https a redirect to it, and the other way round: links spell
    both, and whoever recorded a site kept one.
    """

    is_whole = True

    def __init__(
        self,
        name: str,
        digest: str,
        file: FeatureFile,
        start_pages: Sequence[str],
        *,
        joins_schemes: bool = False,
        notes: Sequence[Phrase] = (),
    ) -> None:
        self.name = name
        self.notes: Sequence[Phrase] = tuple(notes)
        self._joins_schemes = joins_schemes
        self.digest = digest
        self._file = file
        self._start_pages = tuple(start_pages)
        self._recent = RecentAnswers(self._find)

    def answer(self, url: str) -> Answer:
        """See ArchivedWeb."""
        return self._recent.answer(url)

    def robots(self, host: str) -> bytes | None:
        """See ArchivedWeb."""
        return self._file.robots(host)

    def graph(self) -> Mapping[int, array[int]]:
        """See ArchivedWeb."""
        return self._graph

    @cached_property
    def _graph(self) -> Mapping[int, array[int]]:
        graph = self._file.graph()
        if not self._joins_schemes:
            return graph
        marks = {mark: fingerprint(twin(url)) for url in self._file.urls() if (mark := fingerprint(url)) in graph}
        return graph | {other: array("q", [mark]) for mark, other in marks.items() if other not in graph}

    def start_pages(self) -> Sequence[str]:
        """See ArchivedWeb."""
        return self._start_pages

    def urls(self) -> Iterator[str]:
        """See ArchivedWeb."""
        return iter(self._file.urls())

    def __len__(self) -> int:
        """How many pages there are."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return self._file.count()

    def close(self) -> None:
        """See ArchivedWeb."""
        self._file.close()

    def _find(self, url: str) -> Answer:
        answer = self._file.answer(fingerprint(url))
        if answer is not None or not self._joins_schemes:
            return answer or Answer(url)
        other = twin(url)
        known = self._file.answer(fingerprint(other))
        return Answer(url) if known is None or known.target else Answer(url, 301, target=other)


def twin(url: str) -> str:
    """The same URL over https instead of http, or the other way round."""
    scheme, separator, rest = url.partition("://")
    return ("http" if scheme == "https" else "https") + separator + rest
