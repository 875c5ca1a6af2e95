"""Checks a crawl before it starts, so that errors end here instead of in a traceback of Scrapy or with exit code 0."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import unquote, urlsplit

from scrapy.settings import BaseSettings

from topicspider import browser, redis_seeds
from topicspider.crawl_components import CrawlComponents
from topicspider.crawl_config import CrawlConfig, place_words
from topicspider.download.outcome import Outcome
from topicspider.download.public_addresses import refusal
from topicspider.download.reachability import Reach, proxy_of, reach_all, site_proxies
from topicspider.errors import ConfigError, FrontierUnavailable, NoSeedReachable, StoreUnavailable
from topicspider.frontier import factory, heartbeat
from topicspider.frontier.protocol import Counts
from topicspider.i18n import N_, ngettext, shell_word
from topicspider.i18n import gettext as _
from topicspider.metrics.endpoint import Place
from topicspider.options import Options
from topicspider.politeness.blocklist import DoNotCrawl
from topicspider.politeness.login import Login
from topicspider.setting_rules import setting_name
from topicspider.steering.control import read_status
from topicspider.steering.model_store import check_model_store
from topicspider.store import location
from topicspider.store.maintenance import ACCEPTED_LOSS, is_too_few
from topicspider.url import fingerprint, masked

logger = logging.getLogger(__name__)

HOSTS_AT_ONCE, MOST_HOSTS = 20, 200  # how many are tried at a time, and in all, before the network counts as down


def check_values(settings: BaseSettings, config: CrawlConfig) -> None:
    """Raises ConfigError for the first value that cannot be used; opens and creates nothing, and sends no requests."""
    options = config.options
    location.parse(options.store, config.folder)
    check_model_store(options.model)
    factory.file_of(options.frontier, config.folder)
    heartbeat.check_name(options.node)
    DoNotCrawl.read(setting_name("do_not_crawl"), options.do_not_crawl)
    Login.read(setting_name("login"), options.login)
    site_proxies()
    Place.read(options)
    browser.check(options)
    if config.redis_key is not None:
        redis_seeds.connect(settings)
    _check_seeds(config)
    _check_feeds(settings)


def check_nothing_lost(components: CrawlComponents) -> None:
    """Raises StoreUnavailable or FrontierUnavailable when one of the two was clearly moved, emptied or lost.

    This is so if the store has fewer pages than the frontier counts, or the frontier knows no URL but the store has pages of earlier runs.
    Pages that other nodes wrote elsewhere, or keep in their outboxes, are no loss: for a node's own store, the status has the page count.
    """
    options = components.options
    if options.fresh or components.writer.in_outbox or "memory:" in (options.store.strip(), options.frontier):
        return
    counts, stored = components.frontier.counts(), components.pages_stored()
    is_shared, is_remote = factory.is_in_redis(options.frontier), options.store.startswith("mysql:")
    if counts == Counts() and stored and components.has_run():
        topic = " ".join(map(shell_word, [options.topic, *place_words(options)]))
        why = N_("it knows no URL, but the store has {stored:,} pages of earlier runs: was it moved, emptied, or lost?")
        hint = N_("Put it back in its place; or have it know those pages: `scrapy frontier rebuild --topic {topic}`; or fetch all again with -a fresh=1")  # fmt: skip
        what = _("frontier of {topic}", topic=components.config.name)
        raise FrontierUnavailable(what, _(why, stored=stored), _(hint, topic=topic))
    known, accepted = counts.pages, components.frontier.meta(ACCEPTED_LOSS)
    if is_shared and not is_remote:
        told = read_status(components.config.folder).get("stored")
        known, accepted = told if isinstance(told, int) else 0, ""
    expected = min(known, options.quota_pages or known)
    if not is_too_few(expected - int(accepted or 0), stored, is_shared=is_shared):
        return
    if not options.accept_loss:
        raise _lost_pages(components, expected, stored)
    lost = expected - stored
    components.frontier.set_meta(ACCEPTED_LOSS, str(lost))
    logger.warning("%d pages that were fetched are not in the store, and are not fetched again", lost)


def lost_meanwhile(components: CrawlComponents) -> StoreUnavailable | None:
    """The error to end with if the store has fewer pages than this run alone put there: somebody emptied it during the crawl."""
    pages, stored = components.stats.pages - components.stats.pages_before_loss, components.stored_at_end
    expected = min(pages, components.options.quota_pages or pages)
    if stored is None or not is_too_few(expected, stored):
        return None
    return _lost_pages(components, expected, stored)


def _lost_pages(components: CrawlComponents, expected: int, stored: int) -> StoreUnavailable:
    why = N_("it has {stored:,} pages, but {expected:,} were fetched into it: was it moved, emptied, or lost?")
    return StoreUnavailable(
        f"store {masked(components.options.store) or components.config.folder / location.FILE}",
        _(why, stored=stored, expected=expected),
        "Put it, or a backup, back in its place; or fetch all again with -a fresh=1; or go on with what is there: -a accept_loss=1",
    )


def finished_words(components: CrawlComponents) -> str:
    """Why nothing is left to do for this crawl, and what to type instead; "" if there is work."""
    counts = components.frontier.counts()
    known = len(components.frontier.known([fingerprint(url) for url in components.config.seeds]))
    limit = components.config.limits.pages
    said = {"topic": components.config.name, "pages": counts.pages, "folder": components.config.folder}
    if limit is not None and counts.pages >= limit:
        return _(
            "{topic}: has its {pages} pages (limit {limit}). To go on, raise -a max_pages; to start anew, -a fresh=1. Results: {folder}",
            limit=limit,
            **said,
        )
    is_over = counts.pages and known == len(components.config.seeds) and not counts.queued and not counts.leased
    if is_over and not components.options.keep_alive:
        return _(
            "{topic}: finished before, with {pages} pages. `scrapy recrawl {topic}` fetches only what may have changed; "
            "to start anew, -a fresh=1. Results: {folder}",
            **said,
        )
    return ""


def has_feed_to_write(settings: BaseSettings) -> bool:
    """Whether a feed is written as a whole (``-O``): with the hits of earlier runs, even if nothing is left to fetch."""
    return any(dict(feed).get("overwrite") for feed in settings.getdict("FEEDS").values())


def check_reachable(urls: Iterable[str], options: Options, *, is_queued: bool = False) -> None:
    """Connect to hosts of seeds or queued pages until one answers; raises NoSeedReachable if none of the first MOST_HOSTS does."""
    hosts = islice(_each_host(urls), MOST_HOSTS)
    failed: list[Reach] = []
    while some := list(islice(hosts, HOSTS_AT_ONCE)):
        reached = reach_all(some, min(options.connect_timeout, 10.0), allow_private=options.allow_private)
        if not all(one.failed for one in reached):
            return
        failed += reached
    if failed:
        raise _unreachable(failed, options, is_queued=is_queued)


def _each_host(urls: Iterable[str]) -> Iterator[str]:
    hosts: set[str] = set()
    for url in urls:
        host = url.split("/", 3)[2]
        if host not in hosts:
            hosts.add(host)
            yield url


def check_start(components: CrawlComponents) -> None:
    """Raises NoSeedReachable unless one of the best queued URLs or seeds answers, or there are none and the crawl waits for some."""
    queued = [entry.url for entry in components.frontier.peek(HOSTS_AT_ONCE)]
    if not queued and not components.config.seeds and not components.options.keep_alive:
        place = _("Redis list {key}", key=components.config.redis_key or redis_seeds.DEFAULT_KEY)
        raise NoSeedReachable(place, "no URL in it", "lpush some URLs first")
    check_reachable([*queued, *components.config.seeds], components.options, is_queued=bool(queued))


def nothing_came(components: CrawlComponents) -> NoSeedReachable:
    """The error of a crawl that ended without a page: the first seed, and how often each kind of error came."""
    seeds = components.config.seeds
    first = seeds[0] if seeds else ""
    why = ", ".join(f"{_(reason)} ×{count}" for reason, count in components.stats.errors.most_common(5))
    proxy = proxy_of(first).split("@")[-1]
    has_answered = why and components.stats.errors.keys() <= {Outcome.ROBOTS, Outcome.NOT_FOUND, Outcome.WRONG_TYPE}
    through = _("Does the proxy {proxy} lead there? ", proxy=proxy) if proxy and not has_answered else ""
    more = _(" (and {count} more)", count=len(seeds) - 1) if len(seeds) > 1 else ""
    what = _("no seed gave a page: {url}{more}", url=first, more=more)
    listing = Outcome.WRONG_TYPE in components.stats.errors and components.options.discovery == "off"
    instead = _("A sitemap or feed needs {setting}. ", setting="-s TOPICSPIDER_DISCOVERY=all") if listing else ""
    return NoSeedReachable(what, why or "no answer", instead + through + _doctor(components.options))


def _unreachable(failed: Sequence[Reach], options: Options, *, is_queued: bool) -> NoSeedReachable:
    first = failed[0]
    if first.failed == "proxy":
        where = _("proxy {proxy}", proxy=first.proxy.split("@")[-1])
        return NoSeedReachable(where, first.why, "Check http_proxy and https_proxy")
    if first.failed == "refused":
        hint = "" if options.allow_private else "Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1"
        return NoSeedReachable(first.url, first.why, hint)
    words = N_("no queued page can be reached: {url}{more}") if is_queued else N_("no seed can be reached: {url}{more}")
    hint = _("Is the network up? ") + (_doctor(options) if options.topic else "")
    others = len(failed) - 1
    more = ngettext(" (and {count} more host)", " (and {count} more hosts)", others) if others else ""
    return NoSeedReachable(_(words, url=first.url, more=more), first.why, hint)


def _doctor(options: Options) -> str:
    seeds = ["-a", f"seeds={options.seeds}"] if options.seeds else []
    asked = [options.topic, *seeds, *place_words(options)]
    return _("`scrapy doctor -a topic={topic}` shows each step", topic=" ".join(map(shell_word, asked)))


def _check_seeds(config: CrawlConfig) -> None:
    """Raises ConfigError if not one seed may be requested."""
    reasons = [refusal(url, config.options.allow_private) for url in config.seeds]
    if reasons and all(reasons):
        is_private = reasons[0] == Outcome.PRIVATE_ADDRESS
        hint = "Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1" if is_private else reasons[0]
        raise ConfigError("seeds", config.seeds[0], "URLs of public hosts", hint)


def _check_feeds(settings: BaseSettings) -> None:
    """Raises ConfigError for a feed file that cannot be written: Scrapy would log a traceback, go on crawling, and lose the hits."""
    for uri in settings.getdict("FEEDS"):
        parts = urlsplit(str(uri))
        if "%(" in str(uri) or parts.scheme not in ("", "file"):
            continue
        path = Path(unquote(parts.path) if parts.scheme else str(uri))
        try:
            if path.exists():
                path.open("ab").close()
            else:
                TemporaryFile(dir=next(parent for parent in path.absolute().parents if parent.exists())).close()
        except OSError as error:
            raise ConfigError("feed", str(uri), "a file that can be written", error.strerror or "") from None
