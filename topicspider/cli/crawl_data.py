"""Finds the store, the search index and the queue of the crawl that a command is about."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from scrapy.settings import BaseSettings

from topicspider.cli.command import CliCommand
from topicspider.errors import ConfigError, NotCrawled, UnknownTopic
from topicspider.frontier.factory import is_in_redis
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.location import store_of_crawl
from topicspider.store.sqlite import has_pages
from topicspider.text.segment import make_segmenter
from topicspider.topic.profile import folder_name
from topicspider.url import masked

if TYPE_CHECKING:
    from topicspider.search.search import JointSearch, Search
    from topicspider.store.store import Store

STORE, FRONTIER, INDEX = location.FILE, "frontier.db", "search.db"
DEMO = "demo/focused"  # in the data folder
FRONTIER_FORMS = ("sqlite:", "redis:", "rediss:", "unix:", "memory:")


def data_folder(options: Options) -> Path:
    """The folder in which crawls store their results."""
    return Path(options.data).expanduser()


def folder_of(topic: str, options: Options) -> str:
    """The name of the folder for a crawl of ``topic`` (one name, or several joined by commas)."""
    if by_spider := spiders_crawl(replace(options, topic=topic)):
        return by_spider.name
    return folder_name(*_names_of(topic, options))


def _names_of(topic: str, options: Options) -> tuple[str, ...]:
    """The names of the topics, also if their files are gone but a crawl has them; raises NotCrawled for a name without topic and crawl."""
    from topicspider.store.topics import topics_of  # reads topic files

    try:
        return tuple(known.name for known in topics_of(topic, options))
    except UnknownTopic as unknown:
        if unknown.what != "topic":
            raise
        typed = tuple(topic.split(","))
        if crawl_folders(options, lambda folder: {*typed} <= {*topics_in(folder)}):
            return typed
        hint = _("Did you mean {near}?", near=unknown.near) if unknown.near else ""
        raise NotCrawled(topic, data_folder(options).absolute(), hint) from None


def crawl_of(folder: Path) -> str:
    """The topics of the crawl in ``folder``, written as for --topic."""
    return ",".join(unquote(part) for part in folder.name.partition(".")[0].split("+"))


def spider_of(folder: Path) -> str:
    """The name of the foreign spider that made the crawl in ``folder`` (``shop`` of tourism.shop); "" for our own spider."""
    return unquote(folder.name.partition(".")[2])


def topics_in(folder: Path) -> list[str]:
    """The names of the topics of the crawl in ``folder``; a branch of the catalogue is replaced by all its classes."""
    from topicspider.topic.catalogue import branch
    from topicspider.topic.class_topics import topic_name

    parts = crawl_of(folder).split(",")
    return [name for part in parts for name in map(topic_name, branch(part) or [part])]


def is_demo(folder: Path) -> bool:
    """Whether the crawl in ``folder`` is of the demo's simulated web, which exists only while the demo runs."""
    return folder.parent.parts[-2:] == Path(DEMO).parts


def crawl_folders(options: Options, is_meant: Callable[[Path], bool] = lambda _folder: True) -> list[Path]:
    """The crawl folders for which ``is_meant``: those with pages in the data folder, else the demo's, else those without pages."""
    data = data_folder(options)
    for place, begun in ((data, True), (data / DEMO, True), (data, False)):
        files = [path for path in sorted(place.glob(f"*/{STORE}")) if is_meant(path.parent)]
        if folders := [path.parent for path in files if has_pages(path) is begun]:
            return folders
    return []


def find_crawl(options: Options) -> tuple[Path, tuple[str, ...]]:
    """The folder of the crawl of the topics in ``options`` (without any: of the only crawl), and its topics; ConfigError, NotCrawled."""
    folders, topics = find_crawls(options)
    if len(folders) != 1:
        allowed = "the topic or topics of one crawl, as in --topic tourism"
        raise ConfigError("--topic", options.topic or None, allowed, _hits_here(folders, options))
    return folders[0], topics


def spiders_crawl(options: Options) -> Path | None:
    """The folder of a crawl by a foreign spider, if it is the only crawl that ``options.topic`` ("", tourism, tourism.shop) fits."""
    found = crawl_folders(options, lambda folder: options.topic in ("", unquote(folder.name), crawl_of(folder)))
    return found[0] if len(found) == 1 and spider_of(found[0]) else None


def use_spiders_crawl(settings: BaseSettings) -> Path | None:
    """As ``spiders_crawl``; also sets the topic in ``settings`` to that of the crawl."""
    from topicspider.crawl_config import crawl_options

    if folder := spiders_crawl(crawl_options(settings)):
        settings.set(setting_name("topic"), crawl_of(folder), priority="cmdline")
    return folder


def use_crawl(settings: BaseSettings) -> None:
    """Set topics and data folder in ``settings`` to those of the crawl found by ``find_crawl``; not if they name a store."""
    from topicspider.crawl_config import crawl_options

    options = crawl_options(settings)
    if not options.store:
        folder, topics = find_crawl(options)
        if set(topics) != set(topics_in(folder)):  # the topic may have been given as a path
            settings.set(setting_name("topic"), crawl_of(folder), priority="cmdline")
        settings.set(setting_name("data"), str(folder.parent), priority="cmdline")


def find_crawls(options: Options) -> tuple[list[Path], tuple[str, ...]]:
    """The folders of all crawls of the topics in ``options`` (without any: of all topics), and those topics; ConfigError, NotCrawled."""
    data = data_folder(options)
    by_spider = spiders_crawl(options)
    topic = crawl_of(by_spider) if by_spider else options.topic
    topics = _names_of(topic, options) if topic else ()
    name = folder_name(*topics)
    if options.store.strip() == "memory:":
        hint = "Pages in memory are gone with it"
        raise ConfigError("TOPICSPIDER_STORE", options.store, "a store that outlives its crawl", hint)
    if options.store:
        return [data / name], topics
    found = [by_spider] if by_spider else crawl_folders(options, lambda folder: set(topics) <= set(topics_in(folder)))
    if not found:
        raise NotCrawled(unquote(name), data.absolute(), _hits_here(crawl_folders(options), options))
    if not any(has_pages(folder / STORE) for folder in found) and (spider := spider_of(found[0])):
        raise NotCrawled(unquote(name) or crawl_of(found[0]), data.absolute(), spider=spider)
    return [folder for folder in found if folder.name == name] or found, topics


def _hits_here(folders: Sequence[Path], options: Options) -> str:
    names = ", ".join(crawl_of(folder) for folder in folders if has_pages(folder / STORE))
    return names and _("Hits here ({folder}): {names}", folder=data_folder(options).absolute(), names=names)


@contextmanager
def opened_searches(options: Options) -> Iterator[tuple[JointSearch, list[Path]]]:
    """A search in all crawls of the topic in ``options`` (without one: in all), and their folders; see ``find_crawls``, ``search_in``."""
    from topicspider.search.search import JointSearch

    folders, topics = find_crawls(options)
    with ExitStack() as stack:
        searches = [stack.enter_context(search_in(folder, topics, options)) for folder in folders]
        yield JointSearch(searches), folders


def _tell_progress(done: int, total: int) -> None:
    if sys.stderr.isatty() and total > 5_000:
        words = _("indexing {done:,} / {total:,}", done=done, total=total)
        sys.stderr.write(f"\r{words}" + ("\n" if done >= total else ""))
        sys.stderr.flush()


def _topic_called(name: str, options: Options) -> str:
    """The name of the topic called ``name``, or ``name`` itself if there is none. No file is read for a path: the web page calls this."""
    from topicspider.topic.loading import is_path, load_topic

    with suppress(ConfigError):
        return name if is_path(name) else load_topic(name, options.topics_dir).name
    return name


@contextmanager
def search_in(
    folder: Path, topics: tuple[str, ...], options: Options, say: Callable[[int, int], None] = _tell_progress
) -> Iterator[Search]:
    """A search for the hits of ``topics`` (none: all) in one crawl. Updates the index first and tells ``say``; raises StoreUnavailable."""
    from topicspider.search.index import SearchIndex
    from topicspider.search.search import Search

    indexed, asked = (topics, ()) if options.store else ((), topics)
    name, segmenter = masked(options.store) or STORE, make_segmenter()
    with (
        store_of_crawl(options, folder) as store,
        closing(SearchIndex(folder / INDEX, segmenter, name, indexed)) as index,
    ):
        search = Search(index, store, asked, partial(_topic_called, options=options))
        search.refresh(say)
        yield search


@contextmanager
def store_of(options: Options, topic: str) -> Iterator[Store | None]:
    """The store with pages of ``topic``: of the topic's own crawl, else of a crawl with other topics; None when there is none."""
    with closing(every_store(options, topic)) as stores:
        yield next((store for store in stores if store.totals(topic).pages), None)


def every_store(options: Options, topic: str = "") -> Generator[Store]:
    """The stores that may have pages of ``topic`` ("": of any topic); each is closed before the next is opened."""
    folders = [data_folder(options)]  # if a setting names the store, the folder does not matter
    if not options.store:
        folders = crawl_folders(options, lambda folder: not topic or topic in topics_in(folder))
    # the crawl of this topic alone comes first
    for folder in sorted(folders, key=lambda folder: folder.name != folder_name(topic)):
        with store_of_crawl(options, folder) as store:
            yield store


def split_address(args: Sequence[str], forms: tuple[str, ...]) -> tuple[str, list[str]]:
    """The URL of a frontier or store if the first argument is one, else ""; and the other arguments."""
    return (args[0], list(args[1:])) if args and args[0].startswith(forms) else ("", list(args))


class Places:
    """Finds the queue (or the store) of a crawl: by its URL, by its topic, or for "" by the ``options``.

    ``url`` is the URL from the settings, ``file`` the name of the file in a crawl's folder, ``forms`` are the beginnings of URLs.
    """

    def __init__(self, options: Options, url: str, file: str, forms: tuple[str, ...]) -> None:
        self.options = options
        self._url, self._file, self._forms = url, file, forms
        self._topic = folder_of(options.topic, options) if options.topic else ""

    def find(self, name: str = "") -> tuple[str, Path]:
        """The URL of the one called ``name`` ("": a file), and the file's path in its crawl's folder; raises ConfigError, NotCrawled."""
        data = data_folder(self.options)
        if name and not name.startswith(self._forms):
            folder = folder_of(name, self.options)
            self._topic = self._topic or folder
            return "", self._folder(folder) / self._file
        url = name or self._url
        if is_in_redis(url) and not self._topic:
            self._topic = _only_crawl(url)
        if not (url or self._topic):
            found = crawl_folders(self.options) or [path.parent for path in sorted(data.glob(f"*/{self._file}"))]
            if not found:
                raise NotCrawled("", data.absolute())
            if len(found) != 1:
                there = ", ".join(map(crawl_of, found))
                hint = _("Crawls in {folder}: {names}", folder=data.absolute(), names=there)
                raise ConfigError("--topic", None, "a topic's name, or a URL", hint)
            self._topic = found[0].name
        return url, self._folder(self._topic) / self._file

    def _folder(self, name: str) -> Path:
        """The folder of the crawl called ``name``, by any spider; for a new crawl, a folder in the data folder."""
        found = crawl_folders(self.options, lambda folder: name in (folder.name, folder.name.partition(".")[0]))
        return found[0] if found else data_folder(self.options) / name

    def label(self) -> str:
        url, path = self.find()
        if is_in_redis(url):
            return f"{masked(url)} {unquote(path.parent.name)}"
        return masked(url) if url else str(path)


def queue_places(command: CliCommand, topic: str, address: str) -> Places:
    """Where the queues of crawls are; the one of ``topic``, or at the URL ``address``, is used unless another is named."""
    from topicspider.crawl_config import crawl_options

    command.set_option("topic", topic)
    command.set_option("frontier", address)
    options = crawl_options(command.settings)
    return Places(options, options.frontier, FRONTIER, FRONTIER_FORMS)


def _only_crawl(url: str) -> str:
    """The name of the folder for the only crawl in this Redis; raises ConfigError if there is not exactly one."""
    from topicspider.frontier.redis.opening import crawls_in  # loads the driver

    names = crawls_in(url)
    if len(names) != 1:
        hint = _("Crawls in {folder}: {names}", folder=masked(url), names=", ".join(names) or _("none"))
        raise ConfigError("--topic", None, "the topic of a crawl in this Redis", hint)
    return folder_name(names[0])
