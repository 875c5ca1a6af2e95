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
"""The outbox, a file in the crawl's folder: rows that the store could not take yet."""
FOLDER = "folder_beside"
"""Attribute of a spider class that runs beside its crawl (``scrapy parse``): the folder that it uses instead of the crawl's."""
_COMPONENTS: WeakKeyDictionary[Any, CrawlComponents] = WeakKeyDictionary()


class CrawlComponents:
    """All components of one crawl. Building it compiles the topics and opens frontier and store, so it may block.

    Every ConfigError and UnavailableError of a crawl is raised here or in CrawlConfig, before the first request.
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
        # dictionaries and heavy libraries are loaded now: during the crawl each would block the event loop for .1 to .2 s
        if self.options.link_policy in ("rw", "ipagerank"):
            senses("旅游")
        sample_page(self.subject.segmenter, self.options.extraction).facts()
        self.frontier = self._open_frontier()
        self._store = self._open_store()
        self.writer = StoreWriter(self._store, outbox=self._open_outbox())
        self.snapshots = self._open_snapshots()
        self.log = CrawlLog(config.folder / "crawl.db", config.log_pages)
        if config.options.fresh:
            self.frontier.clear()  # only now, when everything else could be opened
        self.typed: Sequence[tuple[str, str]] = ()  # options of the command line, like ("-a", "depth=3")
        self.trouble: TopicSpiderError | None = None  # the error that ended the crawl, if there was one
        self.shortfall: TopicSpiderError | None = None  # why results are incomplete although the crawl went on
        self.stored_at_end: int | None = None  # number of pages; None before the end, or if the store is away then
        counts = self.frontier.counts()
        self.stats = CrawlStats(earlier_pages=counts.pages, max_pages=config.limits.pages, queued=counts.queued)
        self.started_at = time_now()
        earlier = self._store.crawls(config.name, 1) if counts.pages else ()
        # since the last run, if that was of this version
        self.is_edited = any(one.version == __version__ and one.topic_digest != self.subject.digest for one in earlier)
        path = config.folder / location.FILE
        opened = partial(open_model_store, self.options.model, self.options.store, path, config.name)
        self.models = ModelSync(opened, lambda: self.subject.views, self.run_id, self.fits)
        self.models.load(is_fresh=config.options.fresh)
        self.stop_rule = stop_rule_of(self.options.stop_yield, self.least_score, waits=self.options.keep_alive)
        self.stopped: Stop | None = None  # the stop rule's verdict, if it ended the crawl
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
        """Make this object, which was built before ``crawler`` existed, the components of ``crawler``."""
        _COMPONENTS[crawler] = self

    def page_of(self, response: Response) -> CrawledPage:
        """The CrawledPage of ``response``. Made by the first call and kept in its request's meta, which spiders may copy to other
        requests."""
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
        """Like ``page_of``, but read by another process when this one is busy; raises UnreadablePageError."""
        crawled = self.page_of(response)
        crawled.foreseen = await self.readers.read(crawled.page) or crawled.foreseen
        return crawled

    def more_seeds(self) -> Sequence[str]:
        """The starting points of the topic with the fewest hits, among the topics with which the crawl did not begin.

        Each time as many pages were read as there are topics, one topic's; none if seeds were given, or if all links count the same.
        """
        needs, waiting = self.judging.needs, self._without_seeds
        if needs is None or self.options.seeds or not waiting or self.stats.pages % len(self.config.topics):
            return ()
        place = needs.neediest(waiting)
        waiting.remove(place)
        return starting_points(self.config.topics[place], self.options)

    def crawl_row(self, reason: str = "") -> CrawlRow:
        """The record of this run up to now; ``reason``: why it ended, "" while it runs."""
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
        """How many pages of the crawl are in its store. A page is stored once per topic; of many topics, once for each that stands out."""
        pages = [self._store.totals(topic.name).pages for topic in self.config.topics]
        return sum(pages) if self.subject.matrix is not None else min(pages)

    def has_run(self) -> bool:
        """Whether the store has a record of an earlier run of this crawl."""
        return bool(self._store.crawls(self.config.name, 1))

    def rules(self) -> dict[str, str]:
        """The settings that should be the same on all nodes of a crawl, by name."""
        return {
            "version": __version__,
            "topics": self.subject.digest,
            "limits": repr(self.config.limits),
            **{name: str(getattr(self.options, name)) for name in RULES},
        }

    def left_undone(self) -> TopicSpiderError | None:
        """The error that ended the crawl, or that says why results are incomplete; None if there is none."""
        writer = self.writer
        if self.trouble is None and self.shortfall is None and writer.in_outbox:
            why = f"{writer.in_outbox:,} rows wait in {self.config.folder / OUTBOX}"
            return StoreUnavailable(f"store {masked(self.options.store)}", why, "The next run writes them first")
        return self.trouble or self.shortfall

    def close(self) -> None:
        """Close everything when no crawl was run (otherwise the scheduler closes the frontier, StoreLifecycle the store)."""
        self.frontier.close()
        self.models.release()
        self.close_store()

    def close_store(self, patience_seconds: float = 30.0) -> int:
        """Write the waiting rows and close the store; returns how many rows could not be written."""
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
        """Delete the pages beyond the quota, after the store is closed, because it takes long on a large MySQL. A store that is away is
        left for the next run."""
        options = self.options
        if not options.quota_pages:
            return
        try:
            if self.writer.is_away:
                raise StoreUnavailable("the store", "it is away")
            # deleting pages from a large MySQL table may take minutes
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
        """Raise CrawlRunning while another process recrawls a topic: both would fetch the same pages from the same hosts."""
        check_no_recrawl(store.database, [topic.name for topic in self.config.topics])

    def _needs(self) -> Needs | None:
        """The topics' needs, with the hits already in the store; None if all links count the same."""
        options, topics = self.options, self.config.topics
        if options.balance == "best" and not options.per_class:
            return None
        needs = Needs(len(topics), even=options.balance == "even", per_topic=options.per_class)
        for place, topic in enumerate(topics):
            needs.note([place] * self._store.totals(topic.name).hits)
        return needs

    def _open_outbox(self) -> Outbox | None:
        """The outbox, where rows wait while MySQL is away; with any store if an earlier run left rows in it."""
        path = self.config.folder / OUTBOX
        is_remote = self.options.store.startswith("mysql:")
        return Outbox(path) if is_remote or path.exists() else None

    def _known_copies(self, *, is_resumed: bool) -> CopyMemory:
        """The originals among the hits of earlier runs, from the store, oldest first."""
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
        """The options that differ from their defaults, except those that may hold a password."""
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
    """Create the crawl's data folder and check that it can be written; only if something will be in it."""
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
