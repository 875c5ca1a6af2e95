"""Opens an archived web: a WARC or a synthetic web, whose pages are read once for all rehearsals, or the log of a crawl."""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache, lru_cache, partial
from hashlib import blake2b, file_digest
from pathlib import Path
from tempfile import TemporaryDirectory

import topicspider
from topicspider.errors import ConfigError, RecordingError, one_line
from topicspider.files import cache_folder
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.page.near_duplicate import simhash
from topicspider.rehearsal.archive.crawl_log import ENDED, MISSING, SEEDS, STARTED
from topicspider.rehearsal.archive.feature_file import LAYOUT, Answer, FeatureFile, Packed, packed
from topicspider.rehearsal.archive.page_reader import read_answers, robots_of
from topicspider.rehearsal.archive.warc import SYNTHETIC, RecordedWeb, WarcWeb
from topicspider.rehearsal.phrase import Phrase, in_both
from topicspider.rehearsal.processes import in_processes
from topicspider.rehearsal.response import RecordedResponse
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.text.segment import make_segmenter
from topicspider.url import fingerprint, host_key

Say = Callable[[str], None]
Chunk = Sequence[tuple[str, RecordedResponse | None]]
"""Canonical URLs with their responses."""
OwnWords = tuple[str, ...]
"""Words that the profile of a topic added to the segmenter; a crawl of that topic cuts its pages with them."""

_CHUNK_PAGES = 50  # pages that one process reads at a time, and that are written in one transaction
_CONTENT, _START_PAGE = "content", "start_page"
"""Keys of facts about a cached WARC: the digest of its bytes, and the URL where a crawl starts ("" when it holds no page)."""

READING_SOURCES = ("page/**/*.py", "page/**/*.json", "text/*.py", "url.py", "rehearsal/archive/page_reader.py")
"""Files of the package that determine what is kept of a page; when one of them changes, webs are read anew."""
_SYNTHETIC_SOURCES = ("rehearsal/synthetic/*.py", "rehearsal/synthetic/*.json")
_ALLOWED = (
    "FILE.warc, FILE.warc.gz, a crawl.db, or made:[pages=N][,hosts=N][,seed=N][,topic=NAME,topic_hosts=N][,classes=N]"
)


class ArchivedWeb:
    """A web whose pages were all read before, and are kept in one file.

    ``name``: what the user called it, for reports. ``digest`` changes when any answer of the web may have changed. ``notes``: warnings
    for readers of the results that pages are missing. ``joins_schemes``: a page recorded over http only answers over https with a
    redirect to it, and the other way round, because links use both schemes, while a recording has kept one.
    """

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
        self.name, self.digest, self.notes = name, digest, tuple(notes)
        self._file = file
        self.start_pages = tuple(start_pages)
        """Where a crawl of this web starts by default; canonical URLs, never empty."""
        self._joins_schemes = joins_schemes
        self.answer = lru_cache(2000)(self._find)  # decoded pages, some 50 KB each
        """The answer of a canonical URL; an Answer of status 0 when the web does not have it."""
        self.graph = cache(self._linked)
        """As FeatureFile.graph; with ``joins_schemes`` also the URLs that redirect to the other scheme."""
        self.robots = file.robots
        """See FeatureFile.robots."""
        self.urls = file.urls
        """See FeatureFile.urls."""
        self.close = file.close

    def _linked(self) -> Mapping[int, array[int]]:
        graph = self._file.graph()
        if not self._joins_schemes:
            return graph
        twins = {key: fingerprint(_twin(url)) for url in self._file.urls() if (key := fingerprint(url)) in graph}
        return graph | {twin: array("q", [key]) for key, twin in twins.items() if twin not in graph}

    def __len__(self) -> int:
        return self._file.count()

    def _find(self, url: str) -> Answer:
        answer = self._file.answer(fingerprint(url))
        if answer is None and self._joins_schemes:
            twin = self._file.answer(fingerprint(_twin(url)))
            if twin is not None and not twin.target:
                return Answer(url, 301, target=_twin(url))
        features = answer.features if answer else None
        if answer is None or features is None or features.simhash:
            return answer or Answer(url)
        # the log of a crawl has no simhashes
        return replace(answer, features=replace(features, simhash=simhash(features.body_words)))


def _twin(url: str) -> str:
    """The same URL over https instead of http, or the other way round."""
    scheme, separator, rest = url.partition("://")
    return ("http" if scheme == "https" else "https") + separator + rest


def open_archived_web(
    spec: str,
    *,
    cache: Path | None = None,
    processes: int = 1,
    say: Say = lambda _line: None,
    own_words: Iterable[str] = (),
) -> ArchivedWeb:
    """The web of ``FILE.warc[.gz]``, ``made:SPEC`` or ``crawl.db``, its pages read and cut into words; raises ConfigError, RecordingError.

    Pages of the first two are read once, by ``processes`` processes (some 8 ms of CPU a page), while ``say`` gets lines of progress; then
    they lie in the folder ``cache`` (see _cache_path). ``own_words``: those of the segmenter after the topic was learned.
    """
    own = tuple(own_words)
    if spec.startswith(SYNTHETIC):
        web = SyntheticWeb.read(spec.removeprefix(SYNTHETIC))
        file, digest = _read_synthetic(web, own, cache, processes, say)
        return ArchivedWeb(spec, digest, file, [f"http://{DIRECTORY_HOST}/"])
    path = Path(spec).expanduser()
    if not spec or not path.exists():
        of_demo = path.parent.parent / "demo" / "focused" / path.parent.name / path.name
        hint = _("The demo's is {path}", path=of_demo) if of_demo.exists() else "There is no such file"
        raise ConfigError("web", spec, _ALLOWED, hint)
    if path.suffix == ".db":
        return _open_crawl_log(path, own)
    (place,) = read_warc(path, [own], cache, processes, say)
    file = _open_cache(place)
    if not (start := file.meta(_START_PAGE)):
        file.close()
        raise RecordingError(_("{path}: holds no HTML page, so there is nothing to crawl", path=path))
    return ArchivedWeb(path.name, _digest(file.meta(_CONTENT), own), file, [start], joins_schemes=True)


# the log of a crawl


def _open_crawl_log(path: Path, own_words: OwnWords) -> ArchivedWeb:
    """The pages of a crawl.db, cut with the words of its own topics; raises RecordingError when it is unfinished, empty, or no log."""
    with ExitStack() as stack:
        file = stack.enter_context(closing(FeatureFile(path)))
        if trouble := _trouble(file):
            raise RecordingError(one_line(f"{path}: {trouble}"))
        why = one_line(file.meta(MISSING))
        note = in_both(N_("pages of the crawl are missing in its log: {why}"), why=why)
        digest = _digest(f"log {_content_digest(path)}", own_words)
        web = ArchivedWeb(path.name, digest, file, _seeds(file), notes=[note] if why else [])
        stack.pop_all()
        return web


def _trouble(file: FeatureFile) -> str:
    """Why the log of a crawl cannot be rehearsed, for an error message; "" when it can."""
    if not file.meta(STARTED):
        return "is not the log of a crawl"
    if not file.meta(ENDED):
        return (
            "its crawl has not ended: it runs, or it was killed, or its log was turned off, of which it warned, on a disk that "
            "is full still; wait for it, or go on with it by the command that started it"
        )
    return "" if file.count() else "holds no page, so there is nothing to crawl"


def _seeds(file: FeatureFile) -> list[str]:
    """The seeds of the crawl that answered with a page or a redirect; the first page, when none did."""
    seeds = [url for url in json.loads(file.meta(SEEDS) or "[]") if _leads_on(file, url)]
    return seeds or [next(url for url in file.urls() if (answer := file.answer(fingerprint(url))) and answer.features)]


def _leads_on(file: FeatureFile, url: str) -> bool:
    answer = file.answer(fingerprint(url))
    return answer is not None and answer.status > 0 and bool(answer.features or answer.target)


# pages that are read once


def read_warc(path: Path, cuttings: Sequence[OwnWords], cache: Path | None, processes: int, say: Say) -> list[Path]:
    """The cache files of a WARC, one for each of ``cuttings``; for those that are missing, its pages are read, once for all cuttings."""
    try:
        facts = path.stat()
    except OSError as error:
        raise RecordingError(one_line(_("{path}: cannot be read: {why}", path=path, why=error.strerror))) from None
    identity = f"{path.resolve()} {facts.st_size} {facts.st_mtime_ns}"
    places = {_cache_path(cache, identity, own): own for own in cuttings}
    missing = {place: own for place, own in places.items() if not place.exists()}
    if missing:
        web, content = WarcWeb(path), _content_digest(path)
        urls = list(web.urls())
        _fill(
            missing, web, urls, processes, say, lambda file: {_CONTENT: content, _START_PAGE: _start_page(file, urls)}
        )
    return list(places)


def _read_synthetic(
    web: SyntheticWeb, own_words: OwnWords, cache: Path | None, processes: int, say: Say
) -> tuple[FeatureFile, str]:
    """The cache file of a synthetic web (the pages that it lists, and the unlisted URLs that links lead to), and its digest."""
    identity = f"made {web.scale} {_sources_digest(*_SYNTHETIC_SOURCES)}"
    place = _cache_path(cache, identity, own_words)
    if not place.exists():
        urls = [url for url, _truth in web.labels()]
        _fill({place: own_words}, web, urls, processes, say, lambda _file: {}, web.is_unlisted)
    return _open_cache(place), _digest(identity, own_words)


def _open_cache(place: Path) -> FeatureFile:
    try:
        return FeatureFile(place)
    except RecordingError as error:
        words = _("{error}; it is a cache: delete it, and it is made anew", error=error)
        raise RecordingError(one_line(words)) from None


def _start_page(file: FeatureFile, urls: Sequence[str]) -> str:
    """The home page of the first record's host, if it was recorded, else the first page; "" when there is none."""
    host = host_key(urls[0]) if urls else ""
    homes = [url for url in urls if host_key(url) == host and url.endswith("/") and url.count("/") == 3]
    if any(_leads_on(file, url) for url in homes):
        return homes[0]
    return next((url for url in urls if (answer := file.answer(fingerprint(url))) and answer.features), "")


def _fill(
    places: Mapping[Path, OwnWords],
    web: RecordedWeb,
    urls: Sequence[str],
    processes: int,
    say: Say,
    facts: Callable[[FeatureFile], Mapping[str, str]],
    is_more: Callable[[str], bool] | None = None,
) -> None:
    """Read ``urls``, and those link targets for which ``is_more`` is true, into a new file at each of ``places``.

    The files are moved to their places when all is written; after an interruption none is there, and no process is left behind.
    """
    folder = next(iter(places)).parent
    try:
        temporary = TemporaryDirectory(dir=folder, prefix="reading-")
    except OSError as error:
        raise RecordingError(one_line(_("{path}: cannot be written: {why}", path=folder, why=error.strerror))) from None
    robots = {host: body for host in dict.fromkeys(map(host_key, urls)) if (body := robots_of(web, host)) is not None}
    with temporary, ExitStack() as stack:
        files = [
            stack.enter_context(closing(FeatureFile(Path(temporary.name) / place.name, is_new=True)))
            for place in places
        ]
        _read_pages(web, urls, list(places.values()), files, processes, say, is_more)
        for file, place in zip(files, places, strict=True):
            file.add_robots(robots)
            file.set_meta(facts(file))
            file.finish()
            file.path.replace(place)


def _read_pages(
    web: RecordedWeb,
    urls: Sequence[str],
    cuttings: Sequence[OwnWords],
    files: Sequence[FeatureFile],
    processes: int,
    say: Say,
    is_more: Callable[[str], bool] | None,
) -> None:
    make = partial(_chunk_reader, cuttings)
    known, waiting, said = set(urls), list(urls), time.monotonic()
    while waiting:
        # to start a process takes as long as to read 200 pages
        count = min(processes, 1 + len(waiting) // 500)
        parts = [waiting[start : start + _CHUNK_PAGES] for start in range(0, len(waiting), _CHUNK_PAGES)]
        chunks = ([(url, web.find(url)) for url in part] for part in parts)
        done, size, waiting = 0, len(waiting), []
        for rows, targets in map(make(), chunks) if count <= 1 else in_processes(make, chunks, count):
            for file, pages in zip(files, rows, strict=True):
                file.add(pages)
            if is_more:
                new = set(targets) - known
                known |= new
                waiting += filter(is_more, sorted(new))
            done = min(size, done + _CHUNK_PAGES)
            if done == size or time.monotonic() - said >= 3.0:
                said = time.monotonic()
                say(_("read {done:,} of {size:,} pages", done=done, size=size))


def _chunk_reader(cuttings: Sequence[OwnWords]) -> Callable[[Chunk], tuple[list[list[Packed]], list[str]]]:
    """Makes a function that reads a chunk; it returns the packed answers for each cutting, and the URLs to which they lead."""
    segmenters = [make_segmenter(own) for own in cuttings]

    def read(chunk: Chunk) -> tuple[list[list[Packed]], list[str]]:
        there = [read_answers(url, response, segmenters) for url, response in chunk if response is not None]
        rows = [[packed(each[number]) for each in there] for number in range(len(cuttings))]
        return rows, list(dict.fromkeys(url for each in there for url in each[0].targets))

    return read


# where the files are kept, and on what their names depend


def _cache_path(folder: Path | None, identity: str, own_words: OwnWords) -> Path:
    """The cache file of a web, one for each version of the code that reads pages. Makes the folder; raises ConfigError when it cannot."""
    folder = folder or cache_folder("rehearsal")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or "cannot be made"
        raise ConfigError("cache", str(folder), "a folder that can be written", why) from None
    return folder / f"{_digest(f'{identity} {_sources_digest(*READING_SOURCES)}', own_words)}.db"


def _digest(identity: str, own_words: OwnWords) -> str:
    """32 hex digits that depend on the web's identity, the own words, and the layout of feature files."""
    words = "\0".join(own_words)
    return blake2b(f"{identity}\0{words}\0{LAYOUT}".encode(), digest_size=16).hexdigest()


def _content_digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


@cache
def _sources_digest(*patterns: str) -> str:
    """16 hex digits that depend on the contents of the package's files that match ``patterns``."""
    package = Path(topicspider.__file__).parent
    digest = blake2b(digest_size=8)
    for path in sorted(path for pattern in patterns for path in package.glob(pattern)):
        digest.update(path.read_bytes())
    return digest.hexdigest()
