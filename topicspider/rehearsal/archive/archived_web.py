"""Opens an archived web whose pages are read already: from a WARC, a synthetic web, or the log of a crawl."""

from __future__ import annotations

import json
from array import array
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError, RecordingError, one_line
from topicspider.page.near_duplicate import simhash
from topicspider.rehearsal.archive.crawl_log import ENDED, MISSING, SEEDS, SEGMENTER, STARTED
from topicspider.rehearsal.archive.feature_file import Answer, FeatureFile
from topicspider.rehearsal.archive.page_reader import TokenizerConfig
from topicspider.rehearsal.archive.warc import SYNTHETIC
from topicspider.rehearsal.archive.web_cache import (
    CONTENT,
    START_PAGE,
    cache_path,
    content_digest,
    file_identity,
    open_cache,
    read_synthetic,
    read_warc,
    synthetic_identity,
    web_digest,
)
from topicspider.rehearsal.phrase import Phrase
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.url import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from topicspider.rehearsal.archive.web_cache import Say


_RECENT_PAGES = 2000
"""Decoded pages in memory: some 50 KB each."""

_SYNTHETIC_START = (f"http://{DIRECTORY_HOST}/",)
_ALLOWED = "FILE.warc, FILE.warc.gz, a crawl.db, or made:[pages=N][,hosts=N][,seed=N][,topic=NAME,topic_hosts=N]"


def open_archived_web(
    spec: str,
    segmenter_name: str,
    *,
    cache: Path | None = None,
    processes: int = 1,
    say: Say = lambda _line: None,
    own_words: Iterable[str] = (),
) -> ArchivedWeb:
    """The web of ``FILE.warc[.gz]``, ``made:SPEC`` or ``crawl.db``, its pages read and cut by ``segmenter_name``.

    A WARC or a synthetic web is read as a whole by ``processes`` processes the first time (some 8 ms of CPU a page), which ``say`` is
    told of; the pages then lie in the folder ``cache`` (see web_cache.cache_path). Opened again, it takes well under a second.
    ``own_words``: those of the segmenter after the topic was learned; a crawl of that topic cuts its pages with them.
    What a WARC holds over http only is over https a redirect to it, and the other way round. Raises ConfigError, RecordingError.
    """
    tokenizer = TokenizerConfig(segmenter_name, tuple(own_words))
    if spec.startswith(SYNTHETIC):
        return _open_synthetic(spec, tokenizer, cache, processes, say)
    path = Path(spec).expanduser()
    if not spec or not path.exists():
        raise ConfigError("web", spec, _ALLOWED, "There is no such file")
    if _is_sqlite(path):
        return open_crawl_log(path, tokenizer)
    return _open_warc(path, tokenizer, cache, processes, say)


class ArchivedWeb:
    """A web whose pages were all read before, in one file: they are read at most once, whoever asks, in whatever process.

    ``name``: what the user called it, for reports. ``digest`` changes when any answer of the web may have changed (its file, its
    synthetic spec, the version of our reading). ``notes``: what who reads the results must know of pages that are missing.
    ``joins_schemes``: a page that is there over http only is over https a redirect to it, and the other way round: links spell
    both, and whoever recorded a site kept one. ``is_log``: its features have no simhashes, which are worked out when asked for.
    """

    def __init__(
        self,
        name: str,
        digest: str,
        file: FeatureFile,
        start_pages: Sequence[str],
        *,
        joins_schemes: bool = False,
        is_log: bool = False,
        notes: Sequence[Phrase] = (),
    ) -> None:
        self.name, self.digest, self.notes = name, digest, tuple(notes)
        self._file = file
        self._start_pages = tuple(start_pages)
        self._joins_schemes, self._is_log = joins_schemes, is_log
        self.answer = lru_cache(_RECENT_PAGES)(self._find)
        """The answer of a canonical URL; an Answer of status 0 when the web does not have it."""

    def robots(self, host: str) -> bytes | None:
        """The body of the robots.txt of ``host`` (as url.host_key gives it); None when it has none."""
        return self._file.robots(host)

    def graph(self) -> Mapping[int, array[int]]:
        """Fingerprint of every page to those of its link targets, in page order, with repeats; a redirect has its one target."""
        return self._graph

    @cached_property
    def _graph(self) -> Mapping[int, array[int]]:
        graph = self._file.graph()
        if not self._joins_schemes:
            return graph
        twins = {key: fingerprint(_twin(url)) for url in self._file.urls() if (key := fingerprint(url)) in graph}
        return graph | {twin: array("q", [key]) for key, twin in twins.items() if twin not in graph}

    def start_pages(self) -> Sequence[str]:
        """Where a crawl of this web starts when nobody says; canonical, never empty."""
        return self._start_pages

    def urls(self) -> Iterator[str]:
        """Every URL that answers with something, canonical."""
        return iter(self._file.urls())

    def __len__(self) -> int:
        """How many pages there are."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return self._file.count()

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def _find(self, url: str) -> Answer:
        answer = self._file.answer(fingerprint(url))
        if answer is None and self._joins_schemes:
            twin = self._file.answer(fingerprint(_twin(url)))
            if twin is not None and not twin.target:
                return Answer(url, 301, target=_twin(url))
        if answer is None or answer.features is None or not self._is_log:
            return answer or Answer(url)
        return replace(answer, features=replace(answer.features, simhash=simhash(answer.features.body_words)))


def _open_synthetic(spec: str, tokenizer: TokenizerConfig, cache: Path | None, processes: int, say: Say) -> ArchivedWeb:
    web = SyntheticWeb.read(spec.removeprefix(SYNTHETIC))
    identity = synthetic_identity(web)
    place = cache_path(cache, identity, tokenizer)
    read_synthetic(web, tokenizer, place, processes, say)
    return ArchivedWeb(spec, web_digest(identity, tokenizer), open_cache(place), _SYNTHETIC_START)


def _open_warc(path: Path, tokenizer: TokenizerConfig, cache: Path | None, processes: int, say: Say) -> ArchivedWeb:
    """Its digest depends on the file's bytes, the segmenter and our reading alone."""
    read_warc(path, [tokenizer], cache, processes, say)
    file = open_cache(cache_path(cache, file_identity(path), tokenizer))
    if not (start := file.meta(START_PAGE)):
        file.close()
        raise RecordingError(f"{path}: holds no HTML page, so there is nothing to crawl")
    return ArchivedWeb(path.name, web_digest(file.meta(CONTENT), tokenizer), file, [start], joins_schemes=True)


def open_crawl_log(path: Path, tokenizer: TokenizerConfig) -> ArchivedWeb:
    """The pages of a crawl.db, cut with the words of its own topics; raises RecordingError when it is unfinished, empty, or no such file."""
    file = FeatureFile(path)
    try:
        _check_log(path, file, tokenizer)
        seeds = _seeds(file)
        notes = _notes(file)
        identity = content_digest(path)
    except BaseException:
        file.close()
        raise
    return ArchivedWeb(path.name, web_digest(f"log {identity}", tokenizer), file, seeds, is_log=True, notes=notes)


def _check_log(path: Path, file: FeatureFile, tokenizer: TokenizerConfig) -> None:
    trouble = ""
    if not file.meta(STARTED):
        trouble = "is not the log of a crawl"
    elif not file.meta(ENDED):
        trouble = (
            "its crawl has not ended: it runs, or it was killed, or its log was turned off, of which it warned, on a disk that "
            "is full still; wait for it, or go on with it by the command that started it"
        )
    elif not file.count():
        trouble = "holds no page, so there is nothing to crawl"
    if trouble:
        raise RecordingError(one_line(f"{path}: {trouble}"))
    if (own := file.meta(SEGMENTER)) != tokenizer.segmenter:
        raise ConfigError(
            "TOPICSPIDER_SEGMENTER", tokenizer.segmenter, own, f"{path} holds words, which its crawl had cut by {own}"
        )


def _notes(file: FeatureFile) -> list[Phrase]:
    """Why the web has not all that the crawl fetched."""
    why = one_line(file.meta(MISSING))
    return [Phrase(f"pages of the crawl are missing in its log: {why}", f"爬行日志缺少部分页面：{why}")] if why else []


def _seeds(file: FeatureFile) -> list[str]:
    """The seeds of the crawl that answered with a page or a redirect; the first page, when none did."""
    seeds = json.loads(file.meta(SEEDS) or "[]")
    answered = [url for url in seeds if (answer := _logged(file, url)).features or answer.target]
    first = (url for url in file.urls() if _logged(file, url).features)
    if not (found := answered or [url for url in [next(first, "")] if url]):
        raise RecordingError(one_line(f"{file.path}: holds no page that answered, so there is nothing to crawl"))
    return found


def _logged(file: FeatureFile, url: str) -> Answer:
    """What is known of ``url``; nothing, when it did not answer."""
    answer = file.answer(fingerprint(url))
    return answer if answer is not None and answer.status > 0 else Answer(url)


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:  # whoever opens it next says what is wrong
        return False


def _twin(url: str) -> str:
    """The same URL over https instead of http, or the other way round."""
    scheme, separator, rest = url.partition("://")
    return ("http" if scheme == "https" else "https") + separator + rest
