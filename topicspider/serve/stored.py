"""What is in stores: searches that stay open, and the page that an address names. All of it blocks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

from topicspider.cli.command import one_of
from topicspider.cli.crawl_data import DEMO, STORE, find_crawls, search_in, topics_in
from topicspider.errors import ConfigError, NotCrawled, TopicSpiderError, UnavailableError
from topicspider.i18n import gettext as _
from topicspider.search.search import JointSearch, Search
from topicspider.serve.crawls import crawl_folder
from topicspider.store.location import store_of_crawl
from topicspider.store.sqlite import has_pages
from topicspider.store.topics import topic_of
from topicspider.topic.user_labels import user_labels_file
from topicspider.url import canonicalize, readable_url

if TYPE_CHECKING:
    from topicspider.cli.judge import OfflineJudge
    from topicspider.options import Options
    from topicspider.serve.site import Fields, Site
    from topicspider.store.rows import PageRow
    from topicspider.store.store import Store

_T = TypeVar("_T")
PATIENCE_SECONDS = 5.0


class NotStored(TopicSpiderError):
    """No store here has the page."""

    def __init__(self, url: str) -> None:
        super().__init__(_("{url}: no store here has this page", url=url))


def folders(site: Site) -> list[Path]:
    """The crawls whose hits are searched: all of the data folder, else the demo's; [] before the first crawl."""
    try:
        return find_crawls(site.options)[0]
    except NotCrawled:
        return []


def demo_apart(site: Site) -> str:
    """The name of the demo's crawl, if the data folder has other crawls too, as only one kind is shown at a time; else ""."""
    if site.options.store or not any(map(has_pages, site.data.glob(f"*/{STORE}"))):
        return ""
    found = (path.parent.relative_to(site.data).as_posix() for path in site.data.glob(f"{DEMO}/*/{STORE}"))
    return next(found, "")


@dataclass(slots=True)
class _Opened:
    """``inode``: that of the store's file, which is another when the crawl is begun anew; 0 without a file."""

    inode: int
    stack: ExitStack
    search: Search


@dataclass
class OpenSearches:
    """Searches that stay open between questions, since opening one takes longer than an answer. They are used by one thread at a time.

    The first index of a large store takes minutes. It is built in a thread, so neither a reader nor the end of the server waits for it.
    """

    _lock: Lock = field(default_factory=Lock)
    _open: dict[tuple[Options, Path], _Opened] = field(default_factory=dict)
    _progress: tuple[int, int] = (0, 0)

    def ask(self, site: Site, question: Callable[[JointSearch], _T], where: list[Path] | None = None) -> _T:
        """The answer from the hits of all crawls, or of those in ``where``; raises UnavailableError while they are being indexed."""
        answer: Future[_T] = Future()
        places = folders(site) if where is None else where
        Thread(target=self._answer, args=(answer, site.options, places, question), daemon=True).start()
        try:
            return answer.result(PATIENCE_SECONDS)
        except TimeoutError:
            done, total = self._progress
            why = _("they are being indexed, {done:,} of {total:,} pages so far", done=done, total=total)
            raise UnavailableError(_("the hits"), why, "Load the page again in a while") from None

    def _answer(
        self, answer: Future[_T], options: Options, places: list[Path], question: Callable[[JointSearch], _T]
    ) -> None:
        if not self._lock.acquire(timeout=PATIENCE_SECONDS):
            return
        try:
            answer.set_result(question(JointSearch([self._search(options, folder) for folder in places])))
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            answer.set_exception(error)
        finally:
            self._lock.release()

    def _search(self, options: Options, folder: Path) -> Search:
        path = folder / STORE
        inode = path.stat().st_ino if path.is_file() else 0
        opened = self._open.get((options, folder))
        if opened is None or opened.inode != inode:
            if opened is not None:
                opened.stack.close()
            stack = ExitStack()
            opened = _Opened(inode, stack, stack.enter_context(search_in(folder, (), options, self._note)))
            self._open[options, folder] = opened
        opened.search.refresh(self._note)
        return opened.search

    def _note(self, done: int, total: int) -> None:
        self._progress = (done, total)


SEARCHES = OpenSearches()


def store_in(site: Site, folder: Path) -> closing[Store]:
    """The store of the crawl in ``folder``; raises StoreUnavailable."""
    return store_of_crawl(site.options, folder, 0.0)


@dataclass
class UntilWritten(Generic[_T]):
    """Keeps what was made of a store until a page is written: reading 100,000 pages takes half a second. One thread at a time."""

    _lock: Lock = field(default_factory=Lock)
    _kept: dict[Hashable, tuple[object, _T]] = field(default_factory=dict)

    def of(self, key: Hashable, store: Store, make: Callable[[], _T], given: object = None) -> _T:
        """What ``make`` returns; it is called again only when the store or ``given`` has changed. ``key``: which store, and what of it."""
        with self._lock:
            made_of = store.last_written(), given
            if self._kept.get(key, (None,))[0] != made_of:
                self._kept[key] = made_of, make()
            return self._kept[key][1]


def stores(site: Site, fields: Fields) -> Generator[tuple[Path, Store]]:
    """The stores to look into: of the crawl that ``fields`` name, else all; each is closed before the next is opened."""
    for folder in [crawl_folder(site, fields)] if fields.get("crawl") else folders(site):
        with store_in(site, folder) as store:
            yield folder, store


def topics_of(store: Store, fields: Fields) -> list[str]:
    """The topic that ``fields`` name, else all topics with pages in the store."""
    wanted = fields.get("topic", "")
    return [topic for topic in store.topics() if not wanted or topic == wanted]


def stored_topics(site: Site) -> list[str]:
    return sorted({topic for _folder, store in stores(site, {}) for topic in store.topics()})


def one_topic(site: Site, fields: Fields) -> str:
    """The topic that ``fields`` name, else one of the store written last; "" without any. Raises ConfigError for an unknown topic."""
    if wanted := fields.get("topic", ""):
        return one_of("topic", wanted, stored_topics(site))
    last = max(((store.last_written(), store.topics()) for _folder, store in stores(site, {})), default=(0, []))
    return next(iter(last[1]), "")


@contextmanager
def store_with(site: Site, topic: str) -> Iterator[tuple[Path, Store]]:
    """The first store with pages of ``topic``, and its folder; raises ConfigError when none has."""
    with closing(stores(site, {})) as found:
        for folder, store in found:
            if topic in store.topics():
                yield folder, store
                return
    raise ConfigError("topic", topic or None, ", ".join(stored_topics(site)) or _("none"))


def address_in(fields: Fields) -> str:
    """The canonical URL in ``fields``; raises ConfigError if there is none."""
    url = canonicalize(fields.get("url", ""))
    if url is None:
        raise ConfigError("url", fields.get("url") or None, "one http:// or https:// URL")
    return url


@contextmanager
def stored_page(site: Site, fields: Fields) -> Iterator[tuple[Path, Store, PageRow]]:
    """The page that ``fields`` name (url, and topic or crawl), with its crawl's folder and its store; raises ConfigError, NotStored."""
    url = address_in(fields)
    with closing(stores(site, fields)) as found:
        for folder, store in found:
            for topic in topics_of(store, fields):
                if (row := store.page(topic, url)) is not None:
                    yield folder, store, row
                    return
    raise NotStored(readable_url(url))


def crawled_topics(folder: Path, store: Store) -> list[str]:
    """The topics of the crawl in ``folder``; if the store is shared and has none of them, those of the store."""
    names, there = topics_in(folder), store.topics()
    return names if set(names) & set(there) else there


def judge_named(name: str, site: Site) -> OfflineJudge:
    """The judge of the topic called ``name``: from a file, the store, or the topic that a crawl was begun with; raises UnknownTopic.

    It is kept, and made again (half a second) when the file or the labels of the topic have changed.
    """
    topic = topic_of(name, site.options)
    files = (Path(topic.source), user_labels_file(str(site.data), name))
    source = topic.source if Path(topic.source).is_file() else name  # a class comes from a line of a file
    written = tuple(file.stat().st_mtime_ns if file.is_file() else 0 for file in files)
    return _judge(source, site.options, written)


@lru_cache(maxsize=16)
def _judge(source: str, options: Options, _stamps: tuple[int, ...]) -> OfflineJudge:
    from topicspider.cli.judge import load_judge

    return load_judge(source, options)
