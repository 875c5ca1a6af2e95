"""Opens the hits of a crawl for searching: its store, and the index beside it, brought up to date."""

from __future__ import annotations

import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicspider.errors import ConfigError, NotCrawled, TopicSpiderError
from topicspider.search.index import SearchIndex
from topicspider.search.search import Search
from topicspider.store import location
from topicspider.store.open import open_store
from topicspider.store.topics import topics_of
from topicspider.text.segment import make_segmenter
from topicspider.text.wording import speaks_chinese
from topicspider.topic.folders import folder_name
from topicspider.url.masked import masked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.defaults import Options

STORE, INDEX = location.FILE, "search.db"
_QUIET_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the hits of a crawl lie: its ``folder``, the ``topics`` asked for (none: all), and whether its store is its own."""

    folder: Path
    topics: tuple[str, ...]
    is_own_store: bool


@contextmanager
def opened_search(options: Options, *, anew: bool = False) -> Iterator[tuple[Search, Place]]:
    """The hits of the topic in ``options``, else of all topics of the store; ``anew``: the index is made from nothing.

    Raises ConfigError when it is not clear which hits are meant, StoreUnavailable when they cannot be had.
    """
    place = find_place(options)
    with (
        closing(open_store(options.store, place.folder / STORE, options.connect_wait)) as store,
        closing(_index(options, place)) as index,
    ):
        progress = _Progress(chinese=speaks_chinese(options.language))
        (index.rebuild if anew else index.refresh)(store, progress)
        progress.end()
        yield Search(index, store, () if options.store else place.topics), place


def find_place(options: Options) -> Place:
    """Where the hits lie; raises ConfigError."""
    data = Path(options.data).expanduser()
    topics = tuple(one.name for one in topics_of(options.topic, options)) if options.topic else ()
    name = folder_name(*topics)
    if options.store.strip() in ("memory:", "memory://"):
        raise ConfigError(
            "TOPICSPIDER_STORE", options.store, "a store that outlives its crawl", "Pages in memory are gone with it"
        )
    if options.store:
        return Place(data / name if name else data, topics, is_own_store=False)
    there = sorted(path.parent for path in data.glob(f"*/{STORE}"))
    wanted = [folder for folder in there if not name or folder.name == name]
    if name and not wanted:  # crawled together with other topics
        parts = set(name.split("+"))
        wanted = [folder for folder in there if parts <= set(folder.name.split("+"))]
    if len(wanted) == 1:
        return Place(wanted[0], topics, is_own_store=True)
    raise _unclear(data, name, [folder.name for folder in wanted], [folder.name for folder in there])


def _unclear(data: Path, name: str, wanted: Sequence[str], there: Sequence[str]) -> TopicSpiderError:
    """Nothing was crawled, or not for that topic; or it is not said which of several crawls is meant."""
    names = ", ".join(unquote(one).replace("+", ",") for one in wanted or there)
    hint = f"Hits here ({data}): {names}" if names else ""
    if not wanted:
        return NotCrawled(unquote(name), data, hint)
    return ConfigError("topic", unquote(name), "the topic or topics of one crawl, as in --topic NAME", hint)


def _index(options: Options, place: Place) -> SearchIndex:
    topics = () if place.is_own_store else place.topics
    name = STORE if place.is_own_store else masked(options.store)
    return SearchIndex(place.folder / INDEX, make_segmenter(options.segmenter), name, topics)


class _Progress:
    """Tells on a terminal how far indexing is, once it takes a while."""

    def __init__(self, *, chinese: bool) -> None:
        self._began = time.monotonic()
        self._label = "建立索引" if chinese else "indexing"
        self._is_shown = False

    def __call__(self, done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._began > _QUIET_SECONDS:
            self._is_shown = True
            sys.stderr.write(f"\r{self._label} {done:,} / {total:,}")
            sys.stderr.flush()

    def end(self) -> None:
        """Take the line away."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
