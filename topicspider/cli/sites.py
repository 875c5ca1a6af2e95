"""``scrapy sites``: shows what each site of a crawl has given, and whether to keep it; also while the crawl runs."""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from topicspider.cli.command import (
    CliCommand,
    add_format_options,
    add_topic_option,
    one_of,
    one_topic,
    print_json,
    terminal_columns,
    whole_number,
)
from topicspider.cli.crawl_data import find_crawl
from topicspider.errors import NotCrawled
from topicspider.export.formats import print_table
from topicspider.i18n import N_, ngettext, pages_and_hits
from topicspider.i18n import gettext as _
from topicspider.items import HUB
from topicspider.options import Options
from topicspider.relevance.hub_authority import hub_authority
from topicspider.store.location import store_of_crawl
from topicspider.store.rows import PageMeta
from topicspider.text.terminal import fit, table
from topicspider.topic.profile import crawl_name
from topicspider.url import host_key, masked, readable_host

SYNTAX = "[--topic NAME] [--sort WAY] [--limit N] [--json | --csv]"
ABOUT = (
    "One line a site, also while the crawl runs: pages, hits without near-duplicates, hits a page, mean score of its pages, median seconds "
    "of a download, and what to do with it. raise: its hit rate is surely above the crawl's; drop: surely below it, and less than a "
    "quarter, also with the hits of other sites that it led to; keep: all others. To drop one: `scrapy frontier block HOST`."
)
KEEP, DROP, RAISE = N_("keep"), N_("drop"), N_("raise")
LEAST_PAGES = 10
"""There is no advice on fewer pages: if one page in twenty is a hit, the interval of one hit on one page alone is above that rate."""
DROP_SHARE = 0.25
"""With enough pages, half of all sites are surely below the crawl's hit rate, and most of these are still worth crawling."""


@dataclass(slots=True)
class SiteStats:
    """One site: a host, with its port where that is not 80 or 443.

    ``hits`` do not include ``copies``, near-duplicates of earlier hits. ``leads``: hits of other sites that its links led to.
    ``scores``: the sum of its pages' relevance. ``seconds``: the durations of its downloads, where they were measured.
    """

    site: str
    pages: int = 0
    hits: int = 0
    copies: int = 0
    leads: int = 0
    scores: float = 0.0
    hub: float = 0.0
    authority: float = 0.0
    seconds: list[float] = field(default_factory=list)

    @property
    def hit_rate(self) -> float:
        return self.hits / self.pages

    @property
    def mean_score(self) -> float:
        return self.scores / self.pages

    @property
    def response_seconds(self) -> float | None:
        """The median time of a download; None when none was measured."""
        return median(self.seconds) if self.seconds else None

    def as_json(self, crawl_rate: float) -> dict[str, Any]:
        """Plain data; ``host`` is the site's name in the queue."""
        counts = {name: getattr(self, name) for name in ("pages", "hits", "copies", "leads")}
        shares = {name: round(getattr(self, name), 6) for name in ("hit_rate", "mean_score", "hub", "authority")}
        advice = advise(self.hits, self.leads, self.pages, crawl_rate)
        last = {"response_seconds": self.response_seconds, "advice": advice}
        return {"site": readable_host(self.site), "host": self.site} | counts | shares | last


SORTS: dict[str, Callable[[SiteStats], float]] = {  # the largest first; for "seconds" the slowest, which are looked for
    "hits": lambda site: site.hits,
    "pages": lambda site: site.pages,
    "rate": lambda site: site.hit_rate,
    "score": lambda site: site.mean_score,
    "hub": lambda site: site.hub,
    "authority": lambda site: site.authority,
    "seconds": lambda site: site.response_seconds or 0.0,
}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser, "TOPICSPIDER_TOPIC, else the only crawl")
    parser.add_argument("--sort", default="hits", metavar="WAY", help=f"{', '.join(SORTS)} (default hits)")
    parser.add_argument("--limit", default="", metavar="N", help="how many sites of a topic (default 20; with --json and --csv all)")  # fmt: skip
    add_format_options(parser, csv=True)


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    key = SORTS[one_of("--sort", opts.sort, SORTS)]
    limit = whole_number("--limit", opts.limit) if opts.limit else None if opts.json or opts.csv else 20
    found = stored_sites(command.options(topic=one_topic("sites", args, opts.topic)))
    for sites in found.values():
        sites.sort(key=lambda site: (-key(site), -site.pages, site.site))
    told = [topic_as_json(topic, sites, limit) for topic, sites in found.items()]
    if opts.json:
        print_json(told)
    elif opts.csv:
        rows = [{"topic": one["topic"], **site} for one in told for site in one["sites"]]
        print_table(rows, sys.stdout, ("topic", *SiteStats("", 1).as_json(0)))
    else:
        print("\n\n".join(topic_text(topic, sites, limit, terminal_columns()) for topic, sites in found.items()))


def stored_sites(options: Options) -> dict[str, list[SiteStats]]:
    """The sites of each topic in ``options``, else of every topic in the store; raises ConfigError, NotCrawled, StoreUnavailable."""
    from topicspider.store import maintenance

    folder, topics = find_crawl(options)
    with store_of_crawl(options, folder) as store:
        there = [topic for topic, __, __ in maintenance.topics(store.database)]
        wanted = [topic for topic in topics or there if topic in there]  # some classes of a branch may have no page
        if topics and not wanted:
            hint = _("Crawled there: {names}", names=", ".join(there)) if there else ""
            raise NotCrawled(crawl_name(*topics), masked(options.store) or folder, hint)
        return {topic: sites_of(store.page_meta(topic)) for topic in wanted}


def sites_of(pages: Iterable[PageMeta]) -> list[SiteStats]:
    """The sites of ``pages``, unordered. Hub and authority scores come from links between sites that led to a hit, once for each pair."""
    sites: dict[str, SiteStats] = {}
    leads: dict[str, int] = defaultdict(int)
    ways: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for page in pages:
        name = site_name(page.host, page.port)
        site = sites.setdefault(name, SiteStats(name))
        is_hit = page.on_topic and not page.is_copy and page.type != HUB
        site.pages += 1
        site.hits += is_hit
        site.copies += page.on_topic and page.is_copy
        site.scores += page.relevance
        site.seconds += [page.download_time] if page.download_time > 0 else []  # 0: it was not measured
        if is_hit and (led_by := site_of_url(page.referrer)) not in ("", name):
            leads[led_by] += 1
            ways[led_by][name] = 1.0
    hubs, authorities = hub_authority(ways)
    for site in sites.values():
        site.leads = leads[site.site]
        site.hub, site.authority = hubs.get(site.site, 0.0), authorities.get(site.site, 0.0)
    return list(sites.values())


def site_of_url(url: str) -> str:
    """The site of a URL, named as in SiteStats; "" if it is no URL."""
    host, _colon, port = host_key(url).rpartition(":")
    return site_name(host, int(port)) if host else ""


def site_name(host: str, port: int) -> str:
    """The name of a site, as in SiteStats."""
    return host if port in (80, 443) else f"{host}:{port}"


def interval(hits: int, pages: int) -> tuple[float, float]:
    """Wilson's 95 % interval of the hit rate of a site with ``hits`` in ``pages``."""
    z = 1.96
    share, squared = hits / pages, z**2 / pages
    middle = (share + squared / 2) / (1 + squared)
    reach = z * math.sqrt((share * (1 - share) + squared / 4) / pages) / (1 + squared)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def advise(hits: int, leads: int, pages: int, crawl_rate: float) -> str:
    """What to do with a site that gave ``hits`` in ``pages``, and whose links led to ``leads`` hits of other sites.

    RAISE: the whole interval of its hit rate is above ``crawl_rate``. DROP: the whole interval is below, and the rate is less than a
    quarter of ``crawl_rate``, even if each hit that it led to counts as its own: a hub or a tunnel ((a) Li 2002) pays elsewhere.
    """
    if pages < LEAST_PAGES or not crawl_rate:
        return KEEP
    if interval(hits, pages)[0] > crawl_rate:
        return RAISE
    paid = min(pages, hits + leads)
    return DROP if interval(paid, pages)[1] < crawl_rate and paid / pages < DROP_SHARE * crawl_rate else KEEP


def topic_as_json(topic: str, sites: Sequence[SiteStats], limit: int | None) -> dict[str, Any]:
    """The totals and the first ``limit`` sites, as plain data."""
    pages, hits, rate = _totals(sites)
    listed = [site.as_json(rate) for site in sites[:limit]]
    return {"topic": topic, "pages": pages, "hits": hits, "hit_rate": round(rate, 6), "sites": listed}


def topic_text(topic: str, sites: Sequence[SiteStats], limit: int | None, columns: int) -> str:
    """The first ``limit`` sites as a table of at most ``columns`` columns."""
    pages, hits, rate = _totals(sites)
    head = ngettext(
        "{topic}: {count:,} site, {found} ({rate:.0%})",
        "{topic}: {count:,} sites, {found} ({rate:.0%})",
        len(sites),
        topic=topic,
        found=pages_and_hits(pages, hits),
        rate=rate,
    )
    shown = sites[:limit]
    rows = [[_("site"), _("pages"), _("hits"), _("rate"), _("score"), _("hub"), _("auth"), _("sec"), _("advice")]]
    for site in shown:
        numbers = [f"{site.pages:,}", f"{site.hits:,}", f"{site.hit_rate:.0%}", f"{site.mean_score:.2f}"]
        numbers += [f"{site.hub:.2f}", f"{site.authority:.2f}"]
        seconds = "-" if site.response_seconds is None else f"{site.response_seconds:.2f}"
        advice = _(advise(site.hits, site.leads, site.pages, rate))
        rows.append([fit(readable_host(site.site), 24), *numbers, seconds, advice])
    lines = [fit(head, columns), "", table(rows, right=range(1, 8), columns=columns)]
    if len(sites) > len(shown):
        lines += ["", _("{count:,} more (--limit)", count=len(sites) - len(shown))]
    return "\n".join(lines)


def _totals(sites: Sequence[SiteStats]) -> tuple[int, int, float]:
    pages, hits = sum(site.pages for site in sites), sum(site.hits for site in sites)
    return pages, hits, hits / max(1, pages)
