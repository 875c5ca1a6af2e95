"""The pages of a web that is read as a whole: read once by several processes, kept in a file, whoever asks first."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from topicspider.errors import ConfigError, RecordingError, one_line
from topicspider.rehearsal.archive.feature_file import CODEC, LAYOUT, FeatureFile, LoggedPage, PackedPage
from topicspider.rehearsal.archive.page_reader import PageReader, TokenizerConfig, robots_of
from topicspider.rehearsal.archive.warc import WarcFile, WarcWeb, response_at
from topicspider.rehearsal.processes import in_processes
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.url import fingerprint, host_key

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from topicspider.rehearsal.response import RecordedResponse

Say = Callable[[str], None]
Place = tuple[str, int]
"""A canonical URL, and where its record lies in a WARC."""

CONTENT, START_PAGE = "content", "start_page"
"""Facts about a cached WARC: the digest of its bytes, and where a crawl of it starts ("" when it holds no page)."""

_COMPLETE = "complete"
_CHUNK_PAGES = 50  # that one process reads at a time, and that are written together
READING_SOURCES = (
    "topicspider.page",
    "topicspider.url",
    "topicspider.rehearsal.archive.page_reader",
    *(f"topicspider.text.{name}" for name in ("language", "normalise", "packages", "segment", "stopwords")),
)
"""Packages and modules that have a say in what is kept of a page."""


class Source(Protocol):
    """Where pages are read from: plain data, so that any process can open it."""

    def open(self) -> Callable[[Place], RecordedResponse | None]:
        """What finds the response at a place, until the process ends."""

    def is_unlisted(self, url: str) -> bool:
        """Whether ``url`` answers, but is found by links only."""


@dataclass(frozen=True, slots=True)
class WarcSource:
    """The records of a WARC; http and https are two webs."""

    path: Path

    def open(self) -> Callable[[Place], RecordedResponse | None]:
        """See Source; reads no index: places lead to the records."""
        file = WarcFile(self.path)
        return lambda place: response_at(file, *place)

    def is_unlisted(self, url: str) -> bool:
        """See Source: a WARC lists everything."""
        return False


@dataclass(frozen=True, slots=True)
class SyntheticSource:
    """A synthetic web by its spec, without ``made:``."""

    spec: str

    def open(self) -> Callable[[Place], RecordedResponse | None]:
        """See Source."""
        web = _synthetic_web(self.spec)
        return lambda place: web.find(place[0])

    def is_unlisted(self, url: str) -> bool:
        """See Source: redirects, for one."""
        return _synthetic_web(self.spec).is_unlisted(url)


@cache
def _synthetic_web(spec: str) -> SyntheticWeb:
    return SyntheticWeb.read(spec)


def open_warc_cache(
    path: Path, tokenizer: TokenizerConfig, cache: Path | None, processes: int, say: Say
) -> FeatureFile:
    """The pages of a WARC, to read; read first, where nobody has."""
    read_warc(path, [tokenizer], cache, processes, say)
    return FeatureFile.open(cache_path(cache, quick_identity(path), tokenizer))


def read_warc(path: Path, tokenizers: Sequence[TokenizerConfig], cache: Path | None, processes: int, say: Say) -> None:
    """Read the pages of a WARC once for several tokenizers, each page cut by each, where that was not done before."""
    identity = quick_identity(path)
    waiting = {cache_path(cache, identity, tokenizer): tokenizer for tokenizer in tokenizers}
    with ExitStack() as stack:
        opened = [
            (file, waiting[place])
            for place in sorted(waiting)
            if (file := stack.enter_context(_filling(place, say))) is not None
        ]
        if opened:
            _fill_from_warc([file for file, _ in opened], path, [tokenizer for _, tokenizer in opened], processes, say)


def open_synthetic_cache(
    spec: str, tokenizer: TokenizerConfig, cache: Path | None, processes: int, say: Say
) -> FeatureFile:
    """The pages of a synthetic web, to read: those that it lists, and the redirects and hidden pages that links lead to."""
    web = _synthetic_web(spec)
    path = cache_path(cache, synthetic_identity(web), tokenizer)
    with _filling(path, say) as file:
        if file is not None:
            read: set[str] = set()
            waiting = [url for url, _truth in web.labels(len(web))]
            while waiting:
                read.update(waiting)
                places = [(url, 0) for url in waiting]
                targets = read_pages(SyntheticSource(spec), [tokenizer], places, [file], processes, say)
                waiting = [url for url in targets if url not in read]
            _add_robots([file], web, [f"{name}:80" for name in web.hosts()])
    return FeatureFile.open(path)


def synthetic_identity(web: SyntheticWeb) -> str:
    """Another one for each synthetic web, and for every version of the code that makes it."""
    return f"made {web.scale} {_sources_digest(('topicspider.rehearsal.synthetic',))}"


# --- the file --------------------------------------------------------------------------------------


@contextmanager
def _filling(path: Path, say: Say) -> Iterator[FeatureFile | None]:
    """The file at ``path``, to be filled while one process has it; None when it is complete. Others wait for that process.

    It may be broken off at any time: what was written is still there the next time.
    """
    if _is_complete(path):
        yield None
        return
    with _locked(path, say):
        if _is_complete(path):
            yield None
            return
        file = _begun(path)
        try:
            yield file
            file.set_meta({_COMPLETE: "yes"})
        except BaseException:
            file.close()
            raise
        file.finish()


def _is_complete(path: Path) -> bool:
    try:
        file = FeatureFile.open(path)
    except RecordingError:  # not there, being made, broken off, or damaged: whoever holds the lock finds out
        return False
    try:
        return bool(file.meta(_COMPLETE))
    except RecordingError:
        return False
    finally:
        file.close()


def _begun(path: Path) -> FeatureFile:
    """The file, to be written: a new one, or one that was broken off."""
    was_there = path.exists()
    try:
        file = FeatureFile.create(path)
        file.meta(_COMPLETE)  # can it be read?
    except RecordingError as error:
        advice = "; it is a cache: delete it, and it is made anew" if was_there else ""
        raise RecordingError(one_line(f"{error}{advice}")) from None
    return file


@contextmanager
def _locked(path: Path, say: Say) -> Iterator[None]:
    """Held by one process at a time, even if it dies; others wait."""
    try:
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise RecordingError(one_line(f"{path.parent}: cannot be written: {error.strerror}")) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is reading this web: waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def cache_path(folder: Path | None, identity: str, tokenizer: TokenizerConfig) -> Path:
    """The file for a web of this ``identity``, in a folder that is made; raises ConfigError when it cannot be.

    Another one for every version of the code that reads pages. ``folder``: None is ``$XDG_CACHE_HOME/topicspider/rehearsal``.
    """
    if folder is None:
        home = os.environ.get("XDG_CACHE_HOME", "")
        folder = (Path(home) if home.startswith("/") else Path.home() / ".cache") / "topicspider" / "rehearsal"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            "cache", str(folder), "a folder that can be written", error.strerror or "cannot be made"
        ) from None
    return folder / f"{web_digest(f'{identity} {_sources_digest(READING_SOURCES)}', tokenizer)}.db"


def web_digest(identity: str, tokenizer: TokenizerConfig) -> str:
    """32 hex digits; others for another web, another tokenizer, or another layout of our files."""
    words = "\0".join((tokenizer.segmenter, *tokenizer.own_words))
    return blake2b(f"{identity}\0{words}\0{CODEC}.{LAYOUT}".encode(), digest_size=16).hexdigest()


def quick_identity(path: Path) -> str:
    """Size, time of the last change, and a hash of 64 samples of 16 KB spread over the file: a moment even for gigabytes."""
    samples, sample_bytes = 64, 1 << 14
    try:
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            digest = blake2b(digest_size=16)
            for sample in range(samples):
                file.seek(max(0, facts.st_size - sample_bytes) * sample // (samples - 1))
                digest.update(file.read(sample_bytes))
    except OSError as error:
        raise RecordingError(one_line(f"{path}: cannot be read: {error.strerror}")) from None
    return f"{facts.st_size} {facts.st_mtime_ns} {digest.hexdigest()}"


def _content_digest(path: Path) -> str:
    """A hash of all its bytes, 16 hex digits: the same on every machine."""
    digest = blake2b(digest_size=8)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


@cache
def _sources_digest(names: tuple[str, ...]) -> str:
    """16 hex digits of the files of these packages, of those below them, and of these modules."""
    digest = blake2b(digest_size=8)
    for name in names:
        package, _, module = name.rpartition(".")
        file = resources.files(package) / f"{module}.py"
        for source in [file] if file.is_file() else _files_below(resources.files(name)):
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def _files_below(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files_below(entry)
        elif entry.name.endswith((".py", ".json")):
            yield entry


# --- reading ---------------------------------------------------------------------------------------


def _fill_from_warc(
    files: Sequence[FeatureFile], path: Path, tokenizers: Sequence[TokenizerConfig], processes: int, say: Say
) -> None:
    web = WarcWeb(path)
    urls = list(web.urls())
    known = set.intersection(*(file.fingerprints() for file in files))
    places = [(url, web.offset_of(url) or 0) for url in urls if fingerprint(url) not in known]
    if known:
        say(f"{path.name}: {len(known):,} of {len(urls):,} pages were read before")
    read_pages(WarcSource(path), tokenizers, places, files, processes, say)
    _add_robots(files, web, list(dict.fromkeys(map(host_key, urls))))
    facts = {CONTENT: _content_digest(path), START_PAGE: _start_page(files[0], urls)}
    for file in files:
        file.set_meta(facts)


def _add_robots(files: Sequence[FeatureFile], web: WarcWeb | SyntheticWeb, hosts: Sequence[str]) -> None:
    bodies = {host: body for host in hosts if (body := robots_of(web, host)) is not None}
    for file in files:
        file.add_robots(bodies)


def _start_page(file: FeatureFile, urls: Sequence[str]) -> str:
    """The home page of the first record's host, if it was recorded, else the first page; "" when there is none."""
    host = host_key(urls[0]) if urls else ""
    homes = [url for url in urls if host_key(url) == host and url.endswith("/") and url.count("/") == 3]
    if any((answer := file.answer(fingerprint(url))) and (answer.features or answer.target) for url in homes):
        return homes[0]
    return next((url for url in urls if (answer := file.answer(fingerprint(url))) and answer.features), "")


def read_pages(
    source: Source,
    tokenizers: Sequence[TokenizerConfig],
    places: Sequence[Place],
    files: Sequence[FeatureFile],
    processes: int,
    say: Say,
) -> dict[str, None]:
    """Read all ``places`` into ``files``, one a tokenizer; returns the unlisted URLs that they lead to.

    When it is broken off, what was read stays, and no process is left behind.
    """
    chunks = [places[start : start + _CHUNK_PAGES] for start in range(0, len(places), _CHUNK_PAGES)]
    # a process takes as long to start as 200 pages to read
    count = min(processes, 1 + len(places) // 500)
    make = partial(_chunk_reader, source, tokenizers)
    results = map(make(), chunks) if count <= 1 else in_processes(make, chunks, count)
    targets: dict[str, None] = {}
    done, said = 0, time.monotonic()
    for packed, found in results:
        for file, pages in zip(files, packed, strict=True):
            file.add(pages)
        targets.update(dict.fromkeys(found))
        done = min(len(places), done + _CHUNK_PAGES)
        if done == len(places) or time.monotonic() - said >= 3.0:
            said = time.monotonic()
            say(f"read {done:,} of {len(places):,} pages")
    return targets


def _chunk_reader(
    source: Source, tokenizers: Sequence[TokenizerConfig]
) -> Callable[[Sequence[Place]], tuple[list[list[PackedPage]], list[str]]]:
    """Reads the pages at some places that answer with something: packed for each tokenizer, and where they lead."""
    find = source.open()
    first, *others = (tokenizer.make() for tokenizer in tokenizers)
    reader = PageReader(first, others=others)

    def read(places: Sequence[Place]) -> tuple[list[list[PackedPage]], list[str]]:
        answers = [reader.read_each(place[0], find(place)) for place in places]
        there = [each for each in answers if each[0].status]
        packed = [[PackedPage.of(LoggedPage(each[number])) for each in there] for number in range(len(tokenizers))]
        targets = dict.fromkeys(url for each in there for url in each[0].targets)
        return packed, [url for url in targets if source.is_unlisted(url)]

    return read
