"""Scrapy add-on: enables the components of topicspider in a project's settings.

A project of your own gets topic focus with::

    ADDONS = {"topicspider.addon.TopicSpiderAddon": 100}
    TOPICSPIDER_TOPIC = "tourism"
"""

from __future__ import annotations

import logging
import os
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from topicspider import __version__, json_log
from topicspider.browser import playwright_settings
from topicspider.errors import ConfigError
from topicspider.i18n import use_commands, use_language
from topicspider.modes import SCRAPY_MODES
from topicspider.options import MAX_PAGE_BYTES, Options
from topicspider.scrapy_settings import check_scrapy_settings
from topicspider.setting_names import check_names, from_environment
from topicspider.setting_rules import setting_name

logger = logging.getLogger(__name__)

# Order numbers: low ones are near the engine; Scrapy's own components keep theirs (see docs/architecture.md).
DOWNLOADER_MIDDLEWARES: dict[str, int | None] = {
    "topicspider.middlewares.outcome.OutcomeMiddleware": 10,
    "topicspider.middlewares.guard.GuardMiddleware": 60,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,  # PolitenessMiddleware reads robots.txt
    "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": None,
    "topicspider.middlewares.site_proxy.SiteProxyMiddleware": 750,
    "topicspider.middlewares.politeness.PolitenessMiddleware": 760,
}
FOCUS_DOWNLOADER_MIDDLEWARES: dict[str, int | None] = {
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,  # the frontier retries, later
    "topicspider.middlewares.error_pages.ErrorPagesMiddleware": 30,
    "topicspider.middlewares.documents.DocumentsMiddleware": 40,
    "topicspider.middlewares.sitemaps.SitemapsMiddleware": 45,
    "topicspider.middlewares.login.LoginMiddleware": 300,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "topicspider.middlewares.odd_answers.MetaRefresh": 580,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "topicspider.middlewares.odd_answers.Redirect": 600,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "topicspider.middlewares.odd_answers.Decompression": 590,
}
FOCUS_SPIDER_MIDDLEWARES: dict[str, int | None] = {
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,  # RelevanceMiddleware marks start requests
    "topicspider.middlewares.relevance.RelevanceMiddleware": 950,
}
FOCUS_PIPELINES: dict[str, int] = {
    "topicspider.pipelines.SnapshotPipeline": 250,
    "topicspider.pipelines.StorePipeline": 300,
}
FOCUS_EXTENSIONS: dict[str, int | None] = {
    "scrapy.extensions.feedexport.FeedExporter": None,
    "topicspider.extensions.feeds.Feeds": 0,
    "topicspider.extensions.store_lifecycle.StoreLifecycle": 10,
    "topicspider.extensions.feeds.EarlierHits": 11,
    "topicspider.extensions.metrics.CrawlMetrics": 16,
    "topicspider.extensions.steering.Steering": 18,
    "topicspider.extensions.stalls.StallDoctor": 19,
    "topicspider.extensions.live.LiveProgress": 20,
    "topicspider.extensions.control.CrawlControl": 21,
    "topicspider.extensions.garbage.CalmGarbageCollection": 90,  # last: it freezes what the others made, too
}
DOWNLOAD_HANDLERS: dict[str, str | None] = {
    "http": "topicspider.download.handler.GuardedDownloadHandler",
    "https": "topicspider.download.handler.GuardedDownloadHandler",
    "file": None,
    "ftp": None,
    "s3": None,
    "data": None,
}
# Used unless the project sets them; a warning tells when the project's value matters (see USED_INSTEAD).
SETTINGS: dict[str, Any] = {
    "CONCURRENT_ITEMS": 4,  # Scrapy starts that many tasks for each page; a page has one item for each topic
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_DELAY": 0,
    "FEED_EXPORT_ENCODING": "utf-8",
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "STATS_CLASS": "topicspider.middlewares.outcome.QuickStats",
    "TELNETCONSOLE_ENABLED": False,
}
OUR_COMMANDS = "topicspider.commands"  # the COMMANDS_MODULE of our project and commands
USED_INSTEAD = {
    "CONCURRENT_REQUESTS_PER_DOMAIN": "a host gets one request at a time",
    "DOWNLOAD_DELAY": "a host rests by TOPICSPIDER_DELAY_MIN and TOPICSPIDER_DELAY_FACTOR; this comes on top",
}
USED_INSTEAD_OF_QUEUE = {"JOBDIR": "the queue is kept in TOPICSPIDER_DATA, and the same command goes on from there"}


class TopicSpiderAddon:
    """Does nothing for a foreign spider without a topic; else adds politeness and the guard; with a topic also judging, frontier, store."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        is_ours = crawler.spidercls.__module__.startswith("topicspider.")
        return cls(is_crawl=not _is_tried_by_hand(crawler), is_ours=is_ours)

    def __init__(self, *, is_crawl: bool = True, is_ours: bool = False) -> None:
        self._is_crawl = is_crawl
        self._is_ours = is_ours

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Let the environment override the project's file, make the spider ``topic`` known, and begin the JSON log if asked for."""
        settings.setdict(from_environment(os.environ), priority="project")
        modules = settings.getlist("SPIDER_MODULES")
        if "topicspider.spiders" not in modules:
            priority = settings.getpriority("SPIDER_MODULES") or 0
            settings.set("SPIDER_MODULES", [*modules, "topicspider.spiders"], priority=priority)
        if json_log.is_wanted(settings) and settings.getbool("LOG_INSTALL_ROOT_HANDLER"):
            json_log.install(settings)
            settings.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")  # Scrapy's own would write text

    def update_settings(self, settings: BaseSettings) -> None:
        """Set the components; raises ConfigError for the first bad setting, or for an unknown setting's name."""
        check_names(settings, os.environ)
        are_ours = settings.get("COMMANDS_MODULE") == OUR_COMMANDS
        if not (self._is_ours or settings.get(setting_name("topic")) or are_ours):
            return
        if not self._is_crawl:
            settings.set(setting_name("topic"), "", priority="cmdline")
        check_scrapy_settings(settings)
        options = Options.read(settings)
        use_language(options.language)
        use_commands(are_scrapys=are_ours)
        _warn_of_conflicts(settings, has_queue=bool(options.topic))
        for name, value in {
            **SETTINGS,
            "USER_AGENT": user_agent(settings, options),
            "DOWNLOAD_MAXSIZE": MAX_PAGE_BYTES,
            "DOWNLOAD_WARNSIZE": 0,
            **SCRAPY_MODES.get(options.mode, {}),
        }.items():
            settings.set(name, value, priority="addon")
        _place(settings, "DOWNLOADER_MIDDLEWARES", DOWNLOADER_MIDDLEWARES)
        if not settings.getbool("COOKIES_ENABLED"):
            # Scrapy imports it even if cookies are off, or DOWNLOADER_MIDDLEWARES has it as None; it loads a list of all domains
            cookies = "scrapy.downloadermiddlewares.cookies.CookiesMiddleware"
            settings["DOWNLOADER_MIDDLEWARES_BASE"].set(cookies, None, priority="addon")
        for scheme, handler in DOWNLOAD_HANDLERS.items():
            settings["DOWNLOAD_HANDLERS"].set(scheme, handler, priority="addon")
        if options.topic:
            settings.set("SCHEDULER", "topicspider.scheduler.TopicScheduler", priority="addon")
            settings.set("LOG_FORMATTER", "topicspider.middlewares.outcome.CountedFailures", priority="addon")
            for scheme in ("", "file"):
                settings["FEED_STORAGES"].set(scheme, "topicspider.extensions.feeds.WholeFile", priority="addon")
            for name, value in playwright_settings(options).items():
                settings.set(name, value, priority="addon")
            _place(settings, "DOWNLOADER_MIDDLEWARES", FOCUS_DOWNLOADER_MIDDLEWARES)
            _place(settings, "SPIDER_MIDDLEWARES", FOCUS_SPIDER_MIDDLEWARES)
            _place(settings, "ITEM_PIPELINES", FOCUS_PIPELINES)
            _place(settings, "EXTENSIONS", FOCUS_EXTENSIONS)


def _is_tried_by_hand(crawler: Crawler) -> bool:
    """Whether this is ``scrapy shell``, ``fetch``, ``bench`` or Scrapy's own ``parse``: single URLs must not use a crawl's queue.

    The shell sets a request's callback after it was queued, which needs a scheduler of objects. It is recognised by a setting it makes.
    """
    settings, spider = crawler.settings, crawler.spidercls
    is_shell = settings.getpriority("DUPEFILTER_CLASS") == SETTINGS_PRIORITIES["command"]
    start = "" if settings.get("COMMANDS_MODULE") == OUR_COMMANDS else spider.start.__module__
    return is_shell or spider.__module__.startswith("scrapy.") or start == "scrapy.commands.parse"


def _place(settings: BaseSettings, name: str, components: dict[str, Any]) -> None:
    """Components of ours that the project has placed keep their place; those that ours replace are removed."""
    component: Any  # Scrapy's stubs want a class; a path imports nothing, but is not compared with those that are there
    placed = settings.getdict(name)
    for component, order in components.items():
        if order is None or component not in placed:
            settings.setdefault_in_component_priority_dict(name, component, order)


def user_agent(settings: BaseSettings, options: Options) -> str:
    """Who the crawler says it is: the project's USER_AGENT, else our name with the contact; raises ConfigError for an empty one."""
    is_ours = not settings.getpriority("USER_AGENT")  # Scrapy's default names no contact
    given = options.contact if is_ours else str(settings.get("USER_AGENT") or "").strip()
    says_who = not is_ours or "@" in given or "://" in given
    if not says_who or not given or not given.isprintable():  # a line break would end the header
        name = setting_name("contact") if is_ours else "USER_AGENT"
        raise ConfigError(name, given, "text that names the crawler and a contact URL")
    return f"topicspider/{__version__} (+{given})" if is_ours else given


def _warn_of_conflicts(settings: BaseSettings, *, has_queue: bool) -> None:
    """A project's settings override an add-on's: warn where this changes what topicspider promises."""
    instead = {**USED_INSTEAD, **(USED_INSTEAD_OF_QUEUE if has_queue else {})}
    for name, words in instead.items():
        is_given = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]
        if is_given and settings.get(name) not in (None, "", SETTINGS.get(name)):
            logger.warning("%s=%r is not needed with topicspider: %s", name, settings.get(name), words)
