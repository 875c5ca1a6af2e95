"""Opens the pages of a WARC file, read once by all processors and kept in a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.errors import RecordingError
from topicspider.rehearsal.archive.cache import cache_path, content_digest, name_of, quick_identity
from topicspider.rehearsal.archive.cached_web import FileWeb
from topicspider.rehearsal.archive.page_cache import is_complete, open_cache
from topicspider.rehearsal.archive.read_pages import read_pages
from topicspider.rehearsal.archive.robots_files import robots_of
from topicspider.rehearsal.archive.sources import WarcSource
from topicspider.rehearsal.archive.warc import WarcWeb
from topicspider.url.fingerprint import fingerprint
from topicspider.url.host import host_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from topicspider.rehearsal.archive.feature_file import FeatureFile
    from topicspider.rehearsal.archive.page_reader import TokenizerConfig

_CONTENT, _START = "content", "start_page"


def open_warc_web(
    path: Path, cutting: TokenizerConfig, cache: Path | None, processes: int, say: Callable[[str], None]
) -> FileWeb:
    """The web of a WARC; see open_archived_web. Its digest depends on the file's bytes, the segmenter and our reading alone."""

    def fill(file: FeatureFile) -> None:
        _fill([file], path, [cutting], processes, say)

    file = open_cache(cache_path(cache, quick_identity(path), cutting), fill, say)
    if not file.meta(_START):
        file.close()
        raise RecordingError(f"{path}: holds no HTML page, so there is nothing to crawl")
    return FileWeb(path.name, name_of(file.meta(_CONTENT), cutting), file, [file.meta(_START)], joins_schemes=True)


def read_warc(
    path: Path, cuttings: Sequence[TokenizerConfig], cache: Path | None, processes: int, say: Callable[[str], None]
) -> None:
    """Read the pages of a WARC once for several cuttings, so that ``open_warc_web`` finds them read: each page is cut by each."""
    identity = quick_identity(path)
    places = {cache_path(cache, identity, cutting): cutting for cutting in cuttings}
    waiting = [(place, places[place]) for place in sorted(places) if not is_complete(place)]
    taken: list[tuple[FeatureFile, TokenizerConfig]] = []
    is_read = False

    def fill(file: FeatureFile, number: int) -> None:
        """Take the next ones as well, and read when all are taken: whoever fails leaves none complete."""
        nonlocal is_read
        taken.append((file, waiting[number][1]))
        if number + 1 < len(waiting):
            open_cache(waiting[number + 1][0], lambda next_file: fill(next_file, number + 1), say).close()
        if not is_read:
            files, chosen = zip(*taken, strict=True)
            _fill(files, path, chosen, processes, say)
            is_read = True

    if waiting:
        open_cache(waiting[0][0], lambda file: fill(file, 0), say).close()


def _fill(
    files: Sequence[FeatureFile],
    path: Path,
    cuttings: Sequence[TokenizerConfig],
    processes: int,
    say: Callable[[str], None],
) -> None:
    web = WarcWeb(path, exact_scheme=True)
    try:
        urls = list(web.urls())
        known = set.intersection(*(file.marks() for file in files))
        places = [(url, *(web.place(url) or (0, 0))) for url in urls if fingerprint(url) not in known]
        if known:
            say(f"{path.name}: {len(known):,} of {len(urls):,} pages were read before")
        read_pages(WarcSource(path), cuttings, places, files, processes, say)
        bodies = {host: robots_of(web, host) for host in dict.fromkeys(map(host_key, urls))}
        facts = {_CONTENT: content_digest(path), _START: _start_page(files[0], urls)}
        for file in files:
            file.add_robots({host: body for host, body in bodies.items() if body is not None})
            file.set_meta(facts)
    finally:
        web.close()


def _start_page(file: FeatureFile, urls: list[str]) -> str:
    """The home page of the first record's host, if it was recorded, else the first page; "" when there is none."""
    host = host_key(urls[0]) if urls else ""
    homes = [url for url in urls if host_key(url) == host and url.endswith("/") and url.count("/") == 3]
    if any((answer := file.answer(fingerprint(url))) and (answer.features or answer.target) for url in homes):
        return homes[0]
    return next((url for url in urls if (answer := file.answer(fingerprint(url))) and answer.features), "")
