"""Opens the pages of a made web: a small one read as a whole, a large one read when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.rehearsal.archive.cache import cache_path, name_of, sources_digest
from topicspider.rehearsal.archive.cached_web import FileWeb, RecentAnswers
from topicspider.rehearsal.archive.page_cache import open_cache
from topicspider.rehearsal.archive.page_features import Answer
from topicspider.rehearsal.archive.page_reader import PageReader, TokenizerConfig
from topicspider.rehearsal.archive.read_pages import read_pages, targets
from topicspider.rehearsal.archive.robots_files import robots_of
from topicspider.rehearsal.archive.sources import SyntheticSource
from topicspider.rehearsal.archive.web import SYNTHETIC
from topicspider.rehearsal.synthetic.addresses import DIRECTORY_HOST
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from topicspider.rehearsal.archive.feature_file import FeatureFile
    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.phrase import Phrase

LARGEST_WHOLE = 30_000
"""Pages of a made web that are read before the first crawl; a larger one is read page by page."""
MADE_SOURCES = ("topicspider.rehearsal.synthetic",)
START_PAGE = f"http://{DIRECTORY_HOST}/"


def open_synthetic_web(
    spec: str, cutting: TokenizerConfig, cache: Path | None, processes: int, say: Callable[[str], None]
) -> ArchivedWeb:
    """The made web of ``spec``; see open_archived_web. Raises ConfigError."""
    text = spec[len(SYNTHETIC) :]
    web = SyntheticWeb.read(text)
    if len(web) > LARGEST_WHOLE:
        return LargeSyntheticWeb(spec, web, cutting)
    identity = f"made {web.scale} {sources_digest(MADE_SOURCES)}"

    def fill(file: FeatureFile) -> None:
        _fill(file, SyntheticSource(text), web, cutting, processes, say)

    file = open_cache(cache_path(cache, identity, cutting), fill, say)
    return FileWeb(spec, name_of(identity, cutting), file, [START_PAGE])


class LargeSyntheticWeb:
    """See ArchivedWeb. Making and reading a page anew takes milliseconds; the last ones asked for are kept."""

    is_whole = False
    notes: Sequence[Phrase] = ()

    def __init__(self, spec: str, web: SyntheticWeb, cutting: TokenizerConfig) -> None:
        self.name = spec
        self.digest = name_of(f"made {web.scale} {sources_digest(MADE_SOURCES)}", cutting)
        self._web = web
        self._reader = PageReader(cutting.make())
        self._recent = RecentAnswers(self._find)

    def answer(self, url: str) -> Answer:
        """See ArchivedWeb."""
        return self._recent.answer(url)

    def robots(self, host: str) -> bytes | None:
        """See ArchivedWeb."""
        return robots_of(self._web, host)

    def graph(self) -> Mapping[int, array[int]]:
        """Empty: nobody has read the whole web."""
        return {}

    def start_pages(self) -> Sequence[str]:
        """See ArchivedWeb."""
        return [START_PAGE]

    def urls(self) -> Iterator[str]:
        """See ArchivedWeb; without the redirects that only links lead to."""
        return (url for url, _truth in self._web.labels(len(self._web)))

    def __len__(self) -> int:
        """How many pages there are."""
        return len(self._web)

    def close(self) -> None:
        """See ArchivedWeb; nothing is open."""

    def _find(self, url: str) -> Answer:
        return self._reader.read(url, self._web.find(url))


def _fill(
    file: FeatureFile,
    source: SyntheticSource,
    web: SyntheticWeb,
    cutting: TokenizerConfig,
    processes: int,
    say: Callable[[str], None],
) -> None:
    """Read what the web lists, then the redirects and dead ends that links lead to, until there are no more."""
    known = file.marks()
    waiting = [url for url, _truth in web.labels(len(web)) if fingerprint(url) not in known]
    if known:  # broken off before: what their links lead to may not have been read
        say(f"made web: {len(known):,} pages were read before")
        listed = known.union(map(fingerprint, waiting))
        waiting += [url for url in _targets_of_all(file) if fingerprint(url) not in listed]
    asked = known.union(map(fingerprint, waiting))
    while waiting:
        found = read_pages(source, [cutting], [(url, 0, 0) for url in waiting], [file], processes, say)
        waiting = [url for url in found if fingerprint(url) not in asked]
        asked.update(map(fingerprint, waiting))
    bodies = {host: robots_of(web, host) for host in (f"{name}:80" for name in web.hosts())}
    file.add_robots({host: body for host, body in bodies.items() if body is not None})


def _targets_of_all(file: FeatureFile) -> Iterator[str]:
    seen: dict[str, None] = {}
    for page in file.pages():
        seen.update(dict.fromkeys(targets(page.answer)))
    return iter(seen)
