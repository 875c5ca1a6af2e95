"""The components of one crawl, built once from its settings."""

from __future__ import annotations

import json
import logging
import os
import uuid
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from topicspider import __version__
from topicspider.crawl_config import CrawlConfig, starting_points
from topicspider.crawl_stats import CrawlStats
from topicspider.crawled_page import CrawledPage, download_of
from topicspider.errors import ConfigError, StoreUnavailable, TopicSpiderError
from topicspider.frontier.factory import open_frontier
from topicspider.frontier.heartbeat import node_name
from topicspider.frontier.host_ranking import patience_of
from topicspider.frontier.protocol import Frontier
from topicspider.frontier.seen import SeenCache
from topicspider.i18n import gettext as _
from topicspider.items import time_now
from topicspider.json_log import name_crawl
from topicspider.judging import Judging, Needs
from topicspider.meta import PAGE
from topicspider.options import AUTO, OWN_SPIDER, Options, rule_of
from topicspider.page.near_duplicate import CAPACITY, CopyMemory
from topicspider.page.page import Page, sample_page
from topicspider.page.site_titles import SiteTitles
from topicspider.reading_processes import ReadingProcesses
from topicspider.rehearsal.archive.crawl_log import CrawlLog
from topicspider.relevance.barren_pages import BarrenPages
from topicspider.relevance.default_thresholds import least_score
from topicspider.setting_rules import setting_name
from topicspider.steering.compiled_topics import compile_topics
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import ModelSync, ThreadFits
from topicspider.steering.stop_rule import Stop, stop_rule_of
from topicspider.store import location
from topicspider.store.location import open_store
from topicspider.store.maintenance import trim
from topicspider.store.outbox import Outbox
from topicspider.store.recrawl_lease import check_no_recrawl
from topicspider.store.rows import CrawlRow
from topicspider.store.snapshots import SnapshotWriter
from topicspider.store.store import Store
from topicspider.store.topics import remember_files
from topicspider.store.writer import StoreWriter
from topicspider.text.similarity import senses
from topicspider.topic.seed_sources import looked_for
from topicspider.topic.url_filter import UrlFilter, traps_from_options
from topicspider.url import fingerprint, masked

if TYPE_CHECKING:
    from scrapy.http import Response

logger = logging.getLogger(__name__)

RULES = (
    "page_scorer", "link_policy", "page_threshold", "link_threshold", "extraction", "traps", "discovery", "documents", "faithful",
    "server_policy", "pace", "attempts", "delay_factor", "delay_min", "delay_max", "contact",
)  # fmt: skip
OUTBOX = "outbox.db"
"""File in the crawl's folder: rows that its store could not take yet."""
FOLDER = "folder_beside"
"""Attribute of a spider class that runs beside its crawl (``scrapy parse``): the folder that it uses instead of the crawl's."""
_COMPONENTS: WeakKeyDictionary[Any, CrawlComponents] = WeakKeyDictionary()


class CrawlComponents:
    """Everything that one crawl is made of. Building it learns the topics and opens frontier and store (it may block).

    Every ConfigError and UnavailableError of a crawl comes from here or from CrawlConfig, before the
    first request.
    """

    is_recrawl = False

    def __init__(self, config: CrawlConfig) -> None:
        name_crawl(config.name, node_name(config.options.node))
        self.config = config
        self.options = config.options
        self.run_id = uuid.uuid4().hex
        self.least_score = least_score(config.topics, config.options.link_policy, config.options.link_threshold)
        self.fits = ThreadFits()
        self.subject = compile_topics(config.topics, config.options, self.fits)
        _make_folder(config)
        remember_files(config.folder, config.topics)
        # dictionaries and heavy libraries are loaded now: while the crawl runs each would hold the event loop for .1 to .2 s
        if self.options.link_policy in ("rw", "ipagerank"):
            senses("旅游")
        sample_page(self.subject.segmenter, self.options.extraction).facts()
        self.frontier = self._open_frontier()
        self._store = self._open_store()
        self.writer = StoreWriter(self._store, outbox=self._open_outbox())
        self.snapshots = self._open_snapshots()
        self.log = CrawlLog(config.folder / "crawl.db", config.log_pages)
        if config.options.fresh:
            self.frontier.clear()  # not before all else is known to be there
        self.typed: Sequence[tuple[str, str]] = ()  # the options of the command line: ("-a", "depth=3")
        self.trouble: TopicSpiderError | None = None  # what ended the crawl, when something outside did
        self.shortfall: TopicSpiderError | None = None  # what is not whole, when the crawl went on all the same
        self.stored_at_end: int | None = None  # pages; None before the end, and of a store that is away then
        counts = self.frontier.counts()
        self.stats = CrawlStats(earlier_pages=counts.pages, max_pages=config.limits.pages, queued=counts.queued)
        self.started_at = time_now()
        earlier = self._store.crawls(config.name, 1) if counts.pages else ()
        # since the last run
        self.is_edited = any(one.version == __version__ and one.topic_digest != self.subject.digest for one in earlier)
        path = config.folder / location.FILE
        opened = partial(open_model_store, self.options.model, self.options.store, path, config.name)
        self.models = ModelSync(opened, lambda: self.subject.views, self.run_id, self.fits)
        self.models.load(is_fresh=config.options.fresh)
        self.stop_rule = stop_rule_of(self.options.stop_yield, self.least_score, waits=self.options.keep_alive)
        self.stopped: Stop | None = None  # what the rule said, when it ended the crawl
        copies = self._known_copies(is_resumed=counts.pages > 0)
        admission = UrlFilter(config.limits, traps_from_options(self.options))
        barren = BarrenPages() if self.options.traps == "all" else None
        self.judging = Judging(self.subject.views, admission, copies, self.subject.matrix, self._needs(), barren)
        begun_with = looked_for(config.topics)
        self._without_seeds = [n for n, topic in enumerate(config.topics) if not (topic.seeds or topic in begun_with)]
        self.seen = SeenCache(self.options.seen_cache_size, self.options.seen_cache, self.options.seed)
        self._site_titles = SiteTitles()
        self.readers = ReadingProcesses(
            self.options.reading_processes(os.cpu_count() or 1),
            self.subject.segmenter.own_words,
            self.options.extraction,
            self._site_titles,
            {one.topic: one.judge.model for one in self.subject.views if one.judge.model and not self.subject.matrix},
            at_once=self.options.processes != AUTO,
        )

    @classmethod
    def of(cls, crawler: Any) -> CrawlComponents:
        """The components of ``crawler``, built from its settings when the first Scrapy component asks."""
        components = _COMPONENTS.get(crawler)
        if components is None:
            name = getattr(crawler.spidercls, "name", OWN_SPIDER)
            config = CrawlConfig.read(crawler.settings, "" if name == OWN_SPIDER else name)
            folder = getattr(crawler.spidercls, FOLDER, config.folder)
            components = _COMPONENTS[crawler] = cls(replace(config, folder=folder))
        return components

    def adopt(self, crawler: Any) -> None:
        """Make this, built before ``crawler`` existed, the components of ``crawler``."""
        _COMPONENTS[crawler] = self

    def page_of(self, response: Response) -> CrawledPage:
        """The CrawledPage of ``response``: made at the first call, kept in the meta of its request (spiders may copy meta to another request)."""
        meta = response.meta if response.request is not None else {}
        known = meta.get(PAGE)
        if isinstance(known, CrawledPage) and (one := known.download).body is response.body and one.url == response.url:
            return known
        download = download_of(response)
        document = download.document
        page = Page(
            download.url,
            document.markup if document else download.body,
            content_type=document.content_type if document else download.headers["content-type"],
            segmenter=self.subject.segmenter,
            extraction=self.options.extraction,
            fetched_on=datetime.now(UTC).date(),
            site_titles=self._site_titles,
            document=document.readable_kind if document else "",
            robots_header=download.headers["x-robots-tag"],
        )
        crawled = CrawledPage(download, page, self.judging)
        meta[PAGE] = crawled
        return crawled

    async def read(self, response: Response) -> CrawledPage:
        """``page_of``, read by another process when this one is busy; raises UnreadablePageError."""
        crawled = self.page_of(response)
        crawled.foreseen = await self.readers.read(crawled.page) or crawled.foreseen
        return crawled

    def more_seeds(self) -> Sequence[str]:
        """The starting points of the topic with the fewest hits among those that the crawl did not begin with.

        One topic's each time that as many pages were read as there are topics; none when seeds were given, or all links count alike.
        """
        needs, waiting = self.judging.needs, self._without_seeds
        if needs is None or self.options.seeds or not waiting or self.stats.pages % len(self.config.topics):
            return ()
        place = needs.neediest(waiting)
        waiting.remove(place)
        return starting_points(self.config.topics[place], self.options)

    def crawl_row(self, reason: str = "") -> CrawlRow:
        """The record of this run, as far as it has come; ``reason`` when it has ended."""
        return CrawlRow(
            run_id=self.run_id,
            topic=self.config.name,
            topic_digest=self.subject.digest,
            started_at=self.started_at,
            ended_at=time_now() if reason else "",
            reason=reason,
            settings=json.dumps(self._shown_settings(), ensure_ascii=False, sort_keys=True),
            totals=json.dumps(self._totals(), ensure_ascii=False),
            version=__version__,
            seed=self.options.seed,
        )

    def pages_stored(self) -> int:
        """How many pages of the crawl its store has; a page is stored once a topic, of many topics once for each that stands out."""
        pages = [self._store.totals(topic.name).pages for topic in self.config.topics]
        return sum(pages) if self.subject.matrix is not None else min(pages)

    def has_run(self) -> bool:
        """Whether the store knows of an earlier run of this crawl."""
        return bool(self._store.crawls(self.config.name, 1))

    def rules(self) -> dict[str, str]:
        """Settings that should be the same on all nodes of a crawl, by name."""
        return {
            "version": __version__,
            "topics": self.subject.digest,
            "limits": repr(self.config.limits),
            **{name: str(getattr(self.options, name)) for name in RULES},
        }

    def left_undone(self) -> TopicSpiderError | None:
        """The error that ended the crawl, or that results are incomplete; None when all is well."""
        writer = self.writer
        if self.trouble is None and self.shortfall is None and writer.in_outbox:
            why = f"{writer.in_outbox:,} rows wait in {self.config.folder / OUTBOX}"
            return StoreUnavailable(f"store {masked(self.options.store)}", why, "The next run writes them first")
        return self.trouble or self.shortfall

    def close(self) -> None:
        """Close what is open, when no crawl will (else the scheduler closes the frontier, and StoreLifecycle the store)."""
        self.frontier.close()
        self.models.release()
        self.close_store()

    def close_store(self, patience_seconds: float = 30.0) -> int:
        """Write what is waiting and close the store; returns how many rows could not be written."""
        self.fits.close()
        self.readers.close()
        if self.snapshots is not None:
            self.snapshots.close()
        lost = self.writer.close(patience_seconds)
        if not (lost or self.writer.in_outbox or self.writer.is_away):
            with suppress(StoreUnavailable):
                self.stored_at_end = self.pages_stored()
        self._store.close()
        return lost

    def keep_quota(self) -> None:
        """Delete pages beyond the quota; called after the store is closed, because a large MySQL takes long.

        A store that is away is left for the next run.
        """
        options = self.options
        if not options.quota_pages:
            return
        try:
            if self.writer.is_away:
                raise StoreUnavailable("the store", "it is away")
            # a statement that drops pages of a large table in MySQL may take minutes
            with closing(open_store(options.store, self.config.folder / location.FILE, 0, 600.0)) as store:
                for topic in self.config.topics:
                    trim(store.database, topic.name, options.quota_pages)
        except StoreUnavailable as error:
            logger.warning("pages beyond %s wait for the next run: %s", setting_name("quota_pages"), error)

    def _open_frontier(self) -> Frontier:
        options, limits = self.options, self.config.limits
        return open_frontier(
            options.frontier,
            self.config.folder / "frontier.db",
            wait_seconds=options.connect_wait,
            max_pages=limits.pages,
            attempts=options.attempts,
            server_policy=options.server_policy,
            seed=options.seed,
            pages_per_host=limits.pages_per_host,
            patience=patience_of(options.pace, options.link_policy, limits.pages),
            least_score=self.least_score,
        )

    def _open_store(self) -> Store:
        options = self.options
        with ExitStack() as undo:
            undo.callback(self.frontier.close)
            store = open_store(
                options.store, self.config.folder / location.FILE, options.connect_wait, location.HANGING_SECONDS
            )
            undo.callback(store.close)
            self._check_beside(store)
            undo.pop_all()
        return store

    def _check_beside(self, store: Store) -> None:
        """Raise CrawlRunning while somebody recrawls a topic: both would ask the same hosts, and for the same pages."""
        check_no_recrawl(store.database, [topic.name for topic in self.config.topics])

    def _needs(self) -> Needs | None:
        """What the topics need, with the hits that the store has already; None when all links count alike."""
        options, topics = self.options, self.config.topics
        if options.balance == "best" and not options.per_class:
            return None
        needs = Needs(len(topics), even=options.balance == "even", per_topic=options.per_class)
        for place, topic in enumerate(topics):
            needs.note([place] * self._store.totals(topic.name).hits)
        return needs

    def _open_outbox(self) -> Outbox | None:
        """Where rows wait while MySQL is away; also when an earlier run left rows in it, whatever the store is now."""
        path = self.config.folder / OUTBOX
        is_remote = self.options.store.startswith("mysql:")
        return Outbox(path) if is_remote or path.exists() else None

    def _known_copies(self, *, is_resumed: bool) -> CopyMemory:
        """The originals among the hits of the runs before this one, which the store has, oldest first."""
        copies = CopyMemory()
        for topic in self.config.topics if is_resumed else ():
            for url, simhash in reversed(self._store.originals(topic.name, CAPACITY)):
                copies.is_copy(simhash, fingerprint(url))
        return copies

    def _open_snapshots(self) -> SnapshotWriter | None:
        if self.options.snapshots == "off":
            return None
        run = f"{datetime.now(UTC):%Y%m%d%H%M%S}-{self.run_id[:8]}"
        return SnapshotWriter(self.config.folder, run)

    def _shown_settings(self) -> dict[str, Any]:
        """The options that differ from their defaults, without those that may hold a password."""
        given, usual = asdict(self.options), asdict(Options())
        changed = {key: value for key, value in given.items() if value != usual[key]}
        return {setting_name(key): value for key, value in changed.items() if not rule_of(key).is_secret}

    def _totals(self) -> dict[str, Any]:
        stats = self.stats
        return {
            "pages": stats.pages,
            "hits": stats.hits,
            "copies": stats.copies,
            "lists": stats.hubs,
            "hosts": len(stats.hosts),
            "links": stats.links,
            "pruned": dict(stats.pruned),
            "errors": dict(stats.errors),
            "seconds": round(stats.seconds, 3),
        }


def _make_folder(config: CrawlConfig) -> None:
    """The crawl's data folder, writable; only when something will lie in it."""
    options = config.options
    if options.store and options.frontier:
        return
    try:
        config.folder.mkdir(parents=True, exist_ok=True)
        probe = config.folder / f".writable-{uuid.uuid4().hex}"
        probe.write_bytes(b"topicspider" * 100)
        probe.unlink()
    except OSError as error:
        if error.errno in (28, 122):  # ENOSPC, EDQUOT
            what = _("data folder {path}", path=config.folder)
            hint = "Make room, or set TOPICSPIDER_DATA"
            raise StoreUnavailable(what, "no space left on the disk", hint) from None
        hint = _("{why}; choose another with -s TOPICSPIDER_DATA=DIR", why=error.strerror)
        raise ConfigError(setting_name("data"), str(config.folder), "a folder that can be written", hint) from None
