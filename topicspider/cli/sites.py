"""``scrapy sites``: what each site of a crawl has given, and whether to keep it; also while the crawl runs."""

from __future__ import annotations

import math
import sys
from array import array
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from topicspider.cli.command import (
    add_format_options,
    add_topic_option,
    one_topic,
    print_json,
    terminal_columns,
    whole_number,
)
from topicspider.errors import ConfigError, NotCrawled, TopicSpiderError
from topicspider.frontier.host_ranking import REQUESTS_PER_CONNECTION, HostView, task_seconds
from topicspider.i18n import N_, ngettext, shell_word
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, pad, width
from topicspider.url import host_key

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from topicspider.cli.command import CliCommand
    from topicspider.cli.crawl_data import CrawlFolder
    from topicspider.frontier.inspection import HostState
    from topicspider.options import Options
    from topicspider.store.rows import PageMeta

SYNTAX = "[--topic NAME] [--sort WAY] [--limit N] [--json | --csv]"
ABOUT = (
    "One line a site, also while the crawl runs: pages, hits without near-duplicates, hits a fetch, mean score of its pages, median "
    "seconds of a download, capacity (score a second that its queued URLs promise) and what to do with it. raise: its hit rate is surely "
    "above the crawl's; drop: surely below it, and less than a quarter, also with the hits of other sites that it led to; keep: all others."
)
SORTS = ("hits", "pages", "rate", "score", "seconds", "capacity", "advice", "name")
SHOWN = 20  # sites
HEADS = (N_("site"), N_("pages"), N_("hits"), N_("rate"), N_("score"), N_("sec"), N_("cap"), N_("advice"))
WORDS = {
    "keep": N_("keep"),
    "drop": N_("drop"),
    "raise": N_("raise"),
    "few_fetches": N_("few pages"),
    "no_hits_yet": N_("no hits yet"),
    "above": N_("above others"),
    "below": N_("far below"),
    "leads": N_("leads to hits"),
    "lower": N_("below others"),
    "usual": N_("as others"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser, "TOPICSPIDER_TOPIC, else the only crawl")
    parser.add_argument("--sort", default=SORTS[0], metavar="WAY", help=f"{', '.join(SORTS)} (default {SORTS[0]})")
    parser.add_argument("--limit", default="", metavar="N", help=f"how many sites of a topic (default {SHOWN}; with --json and --csv all)")  # fmt: skip
    add_format_options(parser, csv=True)


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Sum up the sites of each topic, and print them."""
    from topicspider.crawl_config import crawl_options

    topic = one_topic("sites", args, opts.topic)
    if opts.sort not in SORTS:
        raise ConfigError("--sort", opts.sort, ", ".join(SORTS))
    limit = whole_number("--limit", opts.limit) if opts.limit else None if opts.json or opts.csv else SHOWN
    command.set_option("topic", topic)
    assert command.settings is not None
    chosen = [(sites, in_order(sites.sites, opts.sort)[:limit]) for sites in sites_of(crawl_options(command.settings))]
    if opts.json:
        print_json([topic_as_json(sites, shown) for sites, shown in chosen])
    elif opts.csv:
        from topicspider.export.tables import print_table

        rows = [{"topic": sites.topic, **_as_json(site)} for sites, shown in chosen for site in shown]
        print_table(
            [{name: "" if value is None else value for name, value in row.items()} for row in rows], sys.stdout, COLUMNS
        )
    else:
        print("\n\n".join(topic_text(sites, shown, terminal_columns()) for sites, shown in chosen))


def sites_of(options: Options) -> list[CrawlSites]:
    """Those of the topics in ``options``, else of every topic in the store; raises ConfigError, NotCrawled, StoreUnavailable."""
    from topicspider.cli.crawl_data import STORE, crawl_of, find_crawl
    from topicspider.store import maintenance
    from topicspider.store.location import open_store
    from topicspider.url import masked

    crawl = find_crawl(options)
    with closing(open_store(options.store, crawl.folder / STORE, options.connect_wait)) as store:
        there = [topic for topic, __, __ in maintenance.topics(store.database)]
        topics = crawl.topics or there
        if crawl.topics and not crawl.is_own_store and not set(crawl.topics) & set(there):
            hint = f"Crawled there: {', '.join(there)}" if there else ""
            raise NotCrawled("+".join(crawl.topics), masked(options.store), hint)
        folders = {topic: _crawl_folder(options, crawl, topic) for topic in topics}
        queues = {folder: _hosts(options, folder) for folder in dict.fromkeys(folders.values())}
        quota = _("TOPICSPIDER_QUOTA_PAGES drops misses first: rates are of the pages kept")
        found = []
        for topic, folder in folders.items():
            hosts, note = queues[folder]
            name = crawl_of(folder) if folder and hosts is not None else ""
            notes = " ".join(filter(None, (note, quota if options.quota_pages else "")))
            found.append(replace(crawl_sites(store.page_meta(topic), hosts), topic=topic, crawl=name, note=notes))
    return found


def _hosts(options: Options, folder: Path | None) -> tuple[tuple[HostState, ...] | None, str]:
    """The hosts of the queue; None when it cannot be looked at, with the reason."""
    from topicspider.cli.crawl_data import FRONTIER
    from topicspider.frontier.factory import open_inspection

    path = (folder or Path()) / FRONTIER
    if not options.frontier and not (folder and path.is_file()):
        return None, _("no queue was found: capacity is not known")
    try:
        with closing(open_inspection(options.frontier, path)) as inspection:
            return tuple(inspection.hosts()), ""
    except TopicSpiderError as error:
        return None, str(error)


def _crawl_folder(options: Options, crawl: CrawlFolder, topic: str) -> Path | None:
    """The folder of the crawl: that of the store; with a store named by a setting that of the topic, else the only one that crawled it with others."""
    from topicspider.cli.crawl_data import FRONTIER, crawl_of, data_folder
    from topicspider.frontier.factory import is_in_redis
    from topicspider.topic.profile import folder_name

    if crawl.is_own_store:
        return crawl.folder
    data = data_folder(options)
    named = crawl.folder if crawl.topics else data / folder_name(topic)
    if is_in_redis(options.frontier) or (named / FRONTIER).is_file():
        return named
    there = [path.parent for path in sorted(data.glob(f"*/{FRONTIER}"))]
    matching = [folder for folder in there if topic in crawl_of(folder).split(",")]
    return matching[0] if len(matching) == 1 else None


def topic_as_json(sites: CrawlSites, chosen: Sequence[SiteStats]) -> dict[str, Any]:
    """What the terminal shows and more; ``chosen`` are the sites that are listed."""
    return {
        "topic": sites.topic,
        "pages": sites.pages,
        "hits": sites.hits,
        "hit_rate": round(sites.hit_rate, 6),
        "waiting_sites": sites.waiting,
        "note": sites.note,
        "sites": [_as_json(site) for site in chosen],
    }


COLUMNS = (
    "topic", "site", "host", "pages", "hits", "copies", "leads", "hit_rate", "hit_rate_low", "hit_rate_high", "mean_score", "response_seconds",
    "queued", "dead", "is_blocked", "pages_ahead", "task_seconds", "capacity", "advice", "reason",
)  # fmt: skip


def _as_json(site: SiteStats) -> dict[str, Any]:
    """The COLUMNS of a site but its topic; those of its queue are None when that is not known."""
    from topicspider.url import readable_host

    lowest, highest = interval(site.hits, site.fetches)
    values = {
        **(asdict(site.queue) if site.queue else {}),
        "site": readable_host(site.site),
        "host": site.site,
        "hit_rate_low": lowest,
        "hit_rate_high": highest,
        "advice": site.advice.word,
        "reason": site.advice.reason,
    }
    data = {name: values.get(name, getattr(site, name, None)) for name in COLUMNS[1:]}
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in data.items()}


def topic_text(sites: CrawlSites, chosen: Sequence[SiteStats], columns: int) -> str:
    """The ``chosen`` sites as a table of at most ``columns`` columns, with what is to be said of all of them."""
    head = ngettext(
        "{topic}: {count:,} site, {pages:,} pages, {hits:,} hits ({rate:.0%})",
        "{topic}: {count:,} sites, {pages:,} pages, {hits:,} hits ({rate:.0%})",
        len(sites.sites),
        topic=sites.topic,
        pages=sites.pages,
        hits=sites.hits,
        rate=sites.hit_rate,
    )
    lines = [head]
    if chosen:
        lines += ["", *_table([[_(head) for head in HEADS], *map(_row, chosen)], columns)]
    if notes := _notes(sites, chosen):
        lines += ["", *notes]
    return "\n".join(fit(line, columns) for line in lines)


def _row(site: SiteStats) -> list[str]:
    from topicspider.url import readable_host

    advice = _(": ").join(_(WORDS[word]) for word in (site.advice.word, site.advice.reason))
    rate = "-" if site.hit_rate is None else f"{site.hit_rate:.0%}"
    numbers = [_short(number) for number in (site.mean_score, site.response_seconds, site.capacity)]
    advice = _("blocked") if site.is_blocked else advice
    return [readable_host(site.site), f"{site.pages:,}", f"{site.hits:,}", rate, *numbers, advice]


def _short(number: float | None) -> str:
    """Three digits that count, as far as there is room."""
    if number is None:
        return "-"
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:,.0f}"


def _table(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """The numbers and the advice stay whole: a long name is cut at its front, for its end says whose it is."""
    widths = [max(map(width, cells)) for cells in zip(*rows, strict=True)]
    widths[0] = min(widths[0], max(16, columns - sum(widths[1:]) - len(widths) + 1))
    lines = []
    for name, *cells in rows:
        shown = name if width(name) <= widths[0] else fit(name[::-1], widths[0])[::-1]
        numbers = [pad(cell, size, right=True) for cell, size in zip(cells[:-1], widths[1:-1], strict=True)]
        lines.append(" ".join([pad(shown, widths[0]), *numbers, cells[-1]]).rstrip())
    return lines


def _notes(sites: CrawlSites, chosen: Sequence[SiteStats]) -> list[str]:
    notes = []
    if left := len(sites.sites) - len(chosen):
        notes.append(_("{count:,} more (--limit)", count=left))
    if waiting := sites.waiting:
        notes.append(
            ngettext(
                "{count:,} more site in the queue, not asked yet",
                "{count:,} more sites in the queue, not asked yet",
                waiting,
            )
        )
    notes += [sites.note] if sites.note else []
    if sites.crawl and any(site.advice.word == "drop" and not site.is_blocked for site in chosen):
        notes.append(_("to drop one: scrapy frontier --topic {topic} block HOST", topic=shell_word(sites.crawl)))
    return notes


KEEP, DROP, RAISE = "keep", "drop", "raise"
LEAST_FETCHES = 10
"""Nothing is said of fewer: where one page in twenty is a hit, one hit of one page is above that by the interval alone."""
DROP_SHARE = 0.25
"""Half of all sites are surely below the crawl's hit rate once there are enough pages, and most of them still worth it."""


class Advice(NamedTuple):
    """``word`` is keep, drop or raise; ``reason`` a key of WORDS."""

    word: str
    reason: str


def interval(hits: int, fetches: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a site's hit rate, by ``hits`` in ``fetches``; (0, 1) when nothing was fetched."""
    if not fetches:
        return 0.0, 1.0
    z = 1.96
    share, squared = hits / fetches, z**2 / fetches
    middle = (share + squared / 2) / (1 + squared)
    reach = z * math.sqrt((share * (1 - share) + squared / 4) / fetches) / (1 + squared)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def advise(hits: int, leads: int, fetches: int, crawl_rate: float) -> Advice:
    """What to do with a site that gave ``hits`` in ``fetches``, and whose links led to ``leads`` hits of other sites.

    Raise: the whole interval of its hit rate is above ``crawl_rate``. Drop: the whole interval is below, the rate is less than a
    quarter of it, and both stay so when each hit it led to counts as its own: a hub or a tunnel ((a) Li 2002) pays elsewhere.
    """
    if fetches < LEAST_FETCHES:
        return Advice(KEEP, "few_fetches")
    if not crawl_rate:
        return Advice(KEEP, "no_hits_yet")
    lowest, highest = interval(hits, fetches)
    if lowest > crawl_rate:
        return Advice(RAISE, "above")
    if highest >= crawl_rate:
        return Advice(KEEP, "usual")
    if not _is_poor(hits, fetches, crawl_rate):
        return Advice(KEEP, "lower")
    return Advice(DROP, "below") if _is_poor(min(fetches, hits + leads), fetches, crawl_rate) else Advice(KEEP, "leads")


def _is_poor(hits: int, fetches: int, crawl_rate: float) -> bool:
    return interval(hits, fetches)[1] < crawl_rate and hits / fetches < DROP_SHARE * crawl_rate


@dataclass(frozen=True, slots=True)
class SiteQueue:
    """What the frontier knows of a site, its ports together; the symbols are those of (c) Cao.

    ``pages_ahead`` is P, how many pages the next connection would take; ``task_seconds`` T, how long that would last (ports are
    asked side by side, so the longest counts), None when nobody has measured the host yet.
    """

    queued: int
    dead: int
    is_blocked: bool
    pages_ahead: int
    task_seconds: float | None


@dataclass(frozen=True, slots=True)
class SiteStats:
    """One site: a host, with its port where that is not 80 or 443.

    ``hits`` are without ``copies``, near-duplicates of earlier hits; ``leads`` hits of other sites that its links led to.
    ``mean_score`` is the mean relevance of its pages, ``response_seconds`` the median time of their downloads; None where there
    are none. ``queue`` is None when the frontier does not know the site, or could not be asked.
    """

    site: str
    pages: int
    hits: int
    copies: int
    leads: int
    mean_score: float | None
    response_seconds: float | None
    queue: SiteQueue | None
    advice: Advice

    @property
    def fetches(self) -> int:
        """Pages, and URLs that were given up: those cost as much."""
        return self.pages + (self.queue.dead if self.queue else 0)

    @property
    def is_blocked(self) -> bool:
        """Somebody has said that it is asked no more."""
        return self.queue is not None and self.queue.is_blocked

    @property
    def hit_rate(self) -> float | None:
        """Hits a fetch; None when nothing was fetched."""
        return self.hits / self.fetches if self.fetches else None

    @property
    def capacity(self) -> float | None:
        """C = P · q / T of (c), score a second, with the mean score of its pages as the quality q of each."""
        if self.queue is None or self.queue.task_seconds is None or self.mean_score is None:
            return None
        return self.queue.pages_ahead * self.mean_score / self.queue.task_seconds


@dataclass(frozen=True, slots=True)
class CrawlSites:
    """All sites of a topic that were asked for a page; ``hit_rate`` is hits a fetch over all, ``hits`` are without copies.

    ``waiting``: how many sites only wait in the queue, None when that could not be asked; then ``note`` says why. ``crawl``: as --topic
    names the crawl whose queue it is, "" when that is not known.
    """

    sites: tuple[SiteStats, ...]
    pages: int
    hits: int
    hit_rate: float
    waiting: int | None
    topic: str = ""
    crawl: str = ""
    note: str = ""


_ADVICE_ORDER = {RAISE: 2, KEEP: 1, DROP: 0}
# the largest first, what is not known last; "seconds" the slowest first: those are looked for
_SORT_KEYS: dict[str, Callable[[SiteStats], float | None]] = {
    "hits": lambda site: site.hits,
    "pages": lambda site: site.pages,
    "rate": lambda site: site.hit_rate,
    "score": lambda site: site.mean_score,
    "seconds": lambda site: site.response_seconds,
    "capacity": lambda site: site.capacity,
    "advice": lambda site: _ADVICE_ORDER[site.advice.word],
    "name": lambda _site: None,
}


def in_order(sites: Iterable[SiteStats], way: str) -> list[SiteStats]:
    """``sites`` by one of the sort keys; equal ones by hits, then pages, then name."""

    def key(site: SiteStats) -> tuple[bool, float, int, int, str]:
        value = _SORT_KEYS[way](site)
        hits, pages = (0, 0) if way == "name" else (-site.hits, -site.pages)
        return value is None, -(value or 0.0), hits, pages, site.site

    return sorted(sites, key=key)


@dataclass(slots=True)
class _Given:
    """What a site's pages add up to."""

    hits: int = 0
    copies: int = 0
    scores: array[float] = field(default_factory=lambda: array("d"))
    seconds: array[float] = field(default_factory=lambda: array("d"))


def crawl_sites(pages: Iterable[PageMeta], hosts: Iterable[HostState] | None) -> CrawlSites:
    """All sites that gave a page or had a URL given up, in no order; ``hosts`` are the queue's, None when it could not be asked."""
    given, leads = _given(pages)
    queues = {} if hosts is None else _queues(hosts)
    names = sorted(set(given) | {site for site, queue in queues.items() if queue.dead})
    count, hits = sum(len(site.scores) for site in given.values()), sum(site.hits for site in given.values())
    rate = hits / max(1, count + sum(queue.dead for queue in queues.values()))
    sites = tuple(_site_stats(name, given.get(name, _Given()), leads[name], queues.get(name), rate) for name in names)
    waiting = sum(queue.queued > 0 for site, queue in queues.items() if site not in given and not queue.dead)
    return CrawlSites(sites, count, hits, rate, None if hosts is None else waiting)


def _given(pages: Iterable[PageMeta]) -> tuple[dict[str, _Given], Counter[str]]:
    """What each site gave, and how many hits of other sites it led to."""
    given: dict[str, _Given] = {}
    leads: Counter[str] = Counter()
    for page in pages:
        name = _site_name(page.host, page.port)
        site = given.setdefault(name, _Given())
        site.scores.append(page.relevance)
        if page.download_time > 0:  # 0: nobody has measured it, as of a page from a cache
            site.seconds.append(page.download_time)
        site.copies += page.on_topic and page.is_copy
        if page.on_topic and not page.is_copy:
            site.hits += 1
            if (led_by := _site_of(host_key(page.referrer))) not in (name, ""):
                leads[led_by] += 1
    return given, leads


def _queues(hosts: Iterable[HostState]) -> dict[str, SiteQueue]:
    """By site; several ports of a host are one site."""
    by_site: dict[str, list[HostState]] = {}
    for state in hosts:
        by_site.setdefault(_site_of(state.host), []).append(state)
    return {site: _queue(states) for site, states in by_site.items()}


def _queue(states: list[HostState]) -> SiteQueue:
    views = [
        HostView(
            state.queued,
            connect_seconds=state.connect_seconds,
            response_seconds=state.response_seconds,
            requests_per_connection=state.requests_per_connection or REQUESTS_PER_CONNECTION,
        )
        for state in states
    ]
    return SiteQueue(
        queued=sum(state.queued for state in states),
        dead=sum(state.dead for state in states),
        is_blocked=all(state.is_blocked for state in states),
        pages_ahead=sum(view.pages for view in views),
        task_seconds=max((task_seconds(view) for view in views if view.response_seconds is not None), default=None),
    )


def _site_stats(name: str, given: _Given, leads: int, queue: SiteQueue | None, crawl_rate: float) -> SiteStats:
    pages = len(given.scores)
    return SiteStats(
        site=name,
        pages=pages,
        hits=given.hits,
        copies=given.copies,
        leads=leads,
        mean_score=fmean(given.scores) if pages else None,
        response_seconds=median(given.seconds) if given.seconds else None,
        queue=queue,
        advice=advise(given.hits, leads, pages + (queue.dead if queue else 0), crawl_rate),
    )


def _site_name(host: str, port: int) -> str:
    return host if port in (80, 443) else f"{host}:{port}"


def _site_of(key: str) -> str:
    """Of ``host:port``, as the frontier names hosts; "" for none."""
    host, _colon, port = key.rpartition(":")
    return _site_name(host, int(port)) if host and port.isdigit() else key
