"""Gets what is known of the sites of a crawl from its store and its frontier, also while it runs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicspider.errors import NotCrawled, TopicSpiderError
from topicspider.frontier.inspecting import open_inspection
from topicspider.frontier.registry import is_in_redis
from topicspider.store import keeping
from topicspider.store.open import open_store
from topicspider.store.site_pages import site_pages
from topicspider.text.wording import speaks_chinese
from topicspider.topic.folders import folder_name
from topicspider.url.masked import masked
from topicspider.workbench.searching.place import STORE, Place, find_place
from topicspider.workbench.sites.card import SiteCards, site_cards

if TYPE_CHECKING:
    from topicspider.defaults import Options
    from topicspider.frontier.inspection import HostState
    from topicspider.store.relational import RelationalStore

_FRONTIER = "frontier.db"


@dataclass(frozen=True, slots=True)
class TopicSites:
    """The sites of one topic. ``crawl``: as --topic names the crawl whose queue it is, "" when that is not known, and then ``note`` says why."""

    topic: str
    cards: SiteCards
    crawl: str
    note: str


def sites_of(options: Options) -> list[TopicSites]:
    """Those of the topics in ``options``, else of every topic in the store; raises ConfigError, NotCrawled, StoreUnavailable."""
    place = find_place(options)
    with closing(open_store(options.store, place.folder / STORE, options.connect_wait)) as store:
        there = [topic for topic, _, _ in keeping.topics(store.database)]
        topics = place.topics or there
        if place.topics and not place.is_own_store and not set(place.topics) & set(there):
            hint = f"Crawled there: {', '.join(there)}" if there else ""
            raise NotCrawled("+".join(place.topics), masked(options.store), hint)
        folders = {topic: _crawl_folder(options, place, topic) for topic in topics}
        queues = {folder: _queue(options, folder) for folder in dict.fromkeys(folders.values())}
        return [_sites(options, topic, store, queues[folders[topic]]) for topic in topics]


def _sites(options: Options, topic: str, store: RelationalStore, queue: _Queue) -> TopicSites:
    note = queue.note
    if options.quota_pages:
        chinese, english = (
            "配额先删除未命中的网页：命中率只按保留的网页计算",
            "TOPICSPIDER_QUOTA_PAGES drops misses first: rates are of the pages kept",
        )
        note = " ".join(filter(None, (note, chinese if speaks_chinese(options.language) else english)))
    return TopicSites(topic, site_cards(site_pages(store.database, topic), queue.hosts), queue.crawl, note)


@dataclass(frozen=True, slots=True)
class _Queue:
    """``hosts`` is None when the queue cannot be looked at, for the reason in ``note``."""

    hosts: tuple[HostState, ...] | None
    crawl: str = ""
    note: str = ""


def _queue(options: Options, folder: Path | None) -> _Queue:
    chinese = speaks_chinese(options.language)
    none = "没有找到队列，容量未知" if chinese else "no queue was found: capacity is not known"
    path = (folder or Path()) / _FRONTIER
    if not options.frontier and not (folder and path.is_file()):
        return _Queue(None, note=none)
    try:
        with closing(open_inspection(options.frontier, path)) as inspection:
            return _Queue(tuple(inspection.hosts()), _crawl_of(folder) if folder else "")
    except TopicSpiderError as error:
        return _Queue(None, note=str(error))


def _crawl_folder(options: Options, place: Place, topic: str) -> Path | None:
    """The folder of the crawl: that of the store; with a store named by a setting that of the topic, else the only one that crawled it with others."""
    if place.is_own_store:
        return place.folder
    data = Path(options.data).expanduser()
    named = place.folder if place.topics else data / folder_name(topic)
    if is_in_redis(options.frontier) or (named / _FRONTIER).is_file():
        return named
    there = [path.parent for path in sorted(data.glob(f"*/{_FRONTIER}"))]
    wanted = [folder for folder in there if topic in _crawl_of(folder).split(",")]
    return wanted[0] if len(wanted) == 1 else None


def _crawl_of(folder: Path) -> str:
    return ",".join(unquote(part) for part in folder.name.split("+"))
