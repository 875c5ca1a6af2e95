"""The pages of a web, read once by several processes and kept in a file for whoever rehearses it next."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache, partial
from hashlib import blake2b, file_digest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import topicspider
from topicspider.errors import ConfigError, RecordingError, one_line
from topicspider.rehearsal.archive.feature_file import LAYOUT, FeatureFile, Packed, packed
from topicspider.rehearsal.archive.page_reader import PageReader, TokenizerConfig, robots_of
from topicspider.rehearsal.archive.warc import WarcWeb
from topicspider.rehearsal.processes import in_processes
from topicspider.url import fingerprint, host_key

if TYPE_CHECKING:
    from topicspider.rehearsal.response import RecordedResponse, RecordedWeb
    from topicspider.rehearsal.synthetic.web import SyntheticWeb

Say = Callable[[str], None]
Chunk = Sequence[tuple[str, "RecordedResponse | None"]]
"""Canonical URLs with their responses."""

CONTENT, START_PAGE = "content", "start_page"
"""Facts about a cached WARC: the digest of its bytes, and where a crawl of it starts ("" when it holds no page)."""

_CHUNK_PAGES = 50  # that one process reads at a time, and that are written together
READING_SOURCES = ("page/**/*.py", "page/**/*.json", "text/*.py", "url.py", "rehearsal/archive/page_reader.py")
"""Files of the package that have a say in what is kept of a page."""


def read_warc(path: Path, tokenizers: Sequence[TokenizerConfig], cache: Path | None, processes: int, say: Say) -> None:
    """Read the pages of a WARC once for several tokenizers, each page cut by each, where that was not done before."""
    places = {cache_path(cache, file_identity(path), tokenizer): tokenizer for tokenizer in tokenizers}
    missing = {place: tokenizer for place, tokenizer in places.items() if not place.exists()}
    if not missing:
        return
    web = WarcWeb(path)
    urls = list(web.urls())
    with _new_files(list(missing)) as files:
        read_pages(web, urls, list(missing.values()), files, processes, say)
        _add_robots(files, web, dict.fromkeys(map(host_key, urls)))
        facts = {CONTENT: content_digest(path), START_PAGE: _start_page(files[0], urls)}
        for file in files:
            file.set_meta(facts)


def read_synthetic(web: SyntheticWeb, tokenizer: TokenizerConfig, place: Path, processes: int, say: Say) -> None:
    """Read the pages that a synthetic web lists, and the redirects and hidden pages that links lead to, where that was not done before."""
    if place.exists():
        return
    with _new_files([place]) as files:
        urls = [url for url, _truth in web.labels(len(web))]
        read_pages(web, urls, [tokenizer], files, processes, say, web.is_unlisted)
        _add_robots(files, web, [f"{name}:80" for name in web.hosts()])


def synthetic_identity(web: SyntheticWeb) -> str:
    """Another one for each synthetic web, and for every version of the code that makes it."""
    return f"made {web.scale} {_sources_digest('rehearsal/synthetic/*.py', 'rehearsal/synthetic/*.json')}"


def web_digest(identity: str, tokenizer: TokenizerConfig) -> str:
    """32 hex digits; others for another web, another tokenizer, or another layout of our files."""
    words = "\0".join((tokenizer.segmenter, *tokenizer.own_words))
    return blake2b(f"{identity}\0{words}\0{LAYOUT}".encode(), digest_size=16).hexdigest()


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
    return folder / f"{web_digest(f'{identity} {_sources_digest(*READING_SOURCES)}', tokenizer)}.db"


def content_digest(path: Path) -> str:
    """The sha256 of a file in hex."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def file_identity(path: Path) -> str:
    """Another one for each place, size and time of a file."""
    try:
        facts = path.stat()
    except OSError as error:
        raise RecordingError(one_line(f"{path}: cannot be read: {error.strerror}")) from None
    return f"{path.resolve()} {facts.st_size} {facts.st_mtime_ns}"


@cache
def _sources_digest(*patterns: str) -> str:
    """16 hex digits of these files of the package."""
    package = Path(topicspider.__file__).parent
    digest = blake2b(digest_size=8)
    for path in sorted(path for pattern in patterns for path in package.glob(pattern)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@contextmanager
def _new_files(places: Sequence[Path]) -> Iterator[list[FeatureFile]]:
    """Files to be filled, which come to their places when all is written, and not at all when that is broken off."""
    try:
        folder = TemporaryDirectory(dir=places[0].parent, prefix="reading-")
    except OSError as error:
        raise RecordingError(one_line(f"{places[0].parent}: cannot be written: {error.strerror}")) from None
    with folder, ExitStack() as stack:
        files = [
            stack.enter_context(closing(FeatureFile(Path(folder.name) / place.name, is_new=True))) for place in places
        ]
        yield files
        for file, place in zip(files, places, strict=True):
            file.finish()
            file.path.replace(place)


def open_cache(place: Path) -> FeatureFile:
    """The pages in a cache, to read."""
    try:
        return FeatureFile(place)
    except RecordingError as error:
        raise RecordingError(one_line(f"{error}; it is a cache: delete it, and it is made anew")) from None


def _add_robots(files: Sequence[FeatureFile], web: RecordedWeb, hosts: Iterable[str]) -> None:
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
    web: RecordedWeb,
    urls: Sequence[str],
    tokenizers: Sequence[TokenizerConfig],
    files: Sequence[FeatureFile],
    processes: int,
    say: Say,
    is_more: Callable[[str], bool] | None = None,
) -> None:
    """Read ``urls`` into ``files``, one a tokenizer, and the targets of links for which ``is_more`` says so.

    When it is broken off, no process is left behind.
    """
    make = partial(_chunk_reader, tokenizers)
    known, waiting, done, said = set(urls), list(urls), 0, time.monotonic()
    while waiting:
        # a process takes as long to start as 200 pages to read
        count = min(processes, 1 + len(waiting) // 500)
        chunks = _chunks(web, waiting)
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
                say(f"read {done:,} of {size:,} pages")


def _chunks(web: RecordedWeb, urls: Sequence[str]) -> Iterator[Chunk]:
    for start in range(0, len(urls), _CHUNK_PAGES):
        yield [(url, web.find(url)) for url in urls[start : start + _CHUNK_PAGES]]


def _chunk_reader(tokenizers: Sequence[TokenizerConfig]) -> Callable[[Chunk], tuple[list[list[Packed]], list[str]]]:
    """Reads the pages that answer with something: packed for each tokenizer, and where they lead."""
    reader = PageReader(*(tokenizer.make() for tokenizer in tokenizers))

    def read(chunk: Chunk) -> tuple[list[list[Packed]], list[str]]:
        answers = [reader.read_each(url, response) for url, response in chunk]
        there = [each for each in answers if each[0].status]
        rows = [[packed(each[number]) for each in there] for number in range(len(tokenizers))]
        return rows, list(dict.fromkeys(url for each in there for url in each[0].targets))

    return read
