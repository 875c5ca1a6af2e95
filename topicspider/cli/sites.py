"""``scrapy sites``: what each site of a crawl has given, and whether to keep it; also while the crawl runs."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.cli.command import (
    add_format_options,
    add_topic_option,
    one_topic,
    print_json,
    terminal_columns,
    whole_number,
)
from topicspider.errors import ConfigError, NotCrawled, TopicSpiderError
from topicspider.i18n import N_, ngettext, shell_word
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, pad, width

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.cli.command import CliCommand
    from topicspider.cli.crawl_data import CrawlFolder
    from topicspider.cli.site_stats import CrawlSites, SiteStats
    from topicspider.defaults import Options
    from topicspider.frontier.inspection import HostState

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
    from topicspider.cli.site_stats import in_order
    from topicspider.crawl_config import crawl_options

    topic = one_topic("sites", args, opts.topic)
    if opts.sort not in SORTS:
        raise ConfigError("--sort", opts.sort, ", ".join(SORTS))
    limit = whole_number("--limit", opts.limit) if opts.limit else None if opts.json or opts.csv else SHOWN
    command.set_option("topic", topic)
    assert command.settings is not None
    chosen = [
        (sites, in_order(sites.all.sites, opts.sort)[:limit]) for sites in sites_of(crawl_options(command.settings))
    ]
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


@dataclass(frozen=True, slots=True)
class TopicSites:
    """The sites of one topic. ``crawl``: as --topic names the crawl whose queue it is, "" when that is not known; then ``note`` says why."""

    topic: str
    all: CrawlSites
    crawl: str
    note: str


@dataclass(frozen=True, slots=True)
class _Queue:
    """``hosts`` is None when the queue cannot be looked at, for the reason in ``note``."""

    hosts: tuple[HostState, ...] | None
    crawl: str = ""
    note: str = ""


def sites_of(options: Options) -> list[TopicSites]:
    """Those of the topics in ``options``, else of every topic in the store; raises ConfigError, NotCrawled, StoreUnavailable."""
    from topicspider.cli.crawl_data import STORE, find_crawl
    from topicspider.cli.site_stats import crawl_sites
    from topicspider.store import maintenance
    from topicspider.store.location import open_store
    from topicspider.url.display import masked

    crawl = find_crawl(options)
    with closing(open_store(options.store, crawl.folder / STORE, options.connect_wait)) as store:
        there = [topic for topic, __, __ in maintenance.topics(store.database)]
        topics = crawl.topics or there
        if crawl.topics and not crawl.is_own_store and not set(crawl.topics) & set(there):
            hint = f"Crawled there: {', '.join(there)}" if there else ""
            raise NotCrawled("+".join(crawl.topics), masked(options.store), hint)
        folders = {topic: _crawl_folder(options, crawl, topic) for topic in topics}
        queues = {folder: _queue(options, folder) for folder in dict.fromkeys(folders.values())}
        quota = (
            _("TOPICSPIDER_QUOTA_PAGES drops misses first: rates are of the pages kept") if options.quota_pages else ""
        )
        found = []
        for topic in topics:
            queue = queues[folders[topic]]
            note = " ".join(filter(None, (queue.note, quota)))
            found.append(TopicSites(topic, crawl_sites(store.page_meta(topic), queue.hosts), queue.crawl, note))
    return found


def _queue(options: Options, folder: Path | None) -> _Queue:
    from topicspider.cli.crawl_data import FRONTIER, crawl_of
    from topicspider.frontier.factory import open_inspection

    path = (folder or Path()) / FRONTIER
    if not options.frontier and not (folder and path.is_file()):
        return _Queue(None, note=_("no queue was found: capacity is not known"))
    try:
        with closing(open_inspection(options.frontier, path)) as inspection:
            return _Queue(tuple(inspection.hosts()), crawl_of(folder) if folder else "")
    except TopicSpiderError as error:
        return _Queue(None, note=str(error))


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


def topic_as_json(sites: TopicSites, chosen: Sequence[SiteStats]) -> dict[str, Any]:
    """What the terminal shows and more; ``chosen`` are the sites that are listed."""
    return {
        "topic": sites.topic,
        "pages": sites.all.pages,
        "hits": sites.all.hits,
        "hit_rate": round(sites.all.hit_rate, 6),
        "waiting_sites": sites.all.waiting,
        "note": sites.note,
        "sites": [_as_json(site) for site in chosen],
    }


COLUMNS = (
    "topic", "site", "host", "pages", "hits", "copies", "leads", "hit_rate", "hit_rate_low", "hit_rate_high", "mean_score", "response_seconds",
    "queued", "dead", "is_blocked", "pages_ahead", "task_seconds", "capacity", "advice", "reason",
)  # fmt: skip


def _as_json(site: SiteStats) -> dict[str, Any]:
    """The COLUMNS of a site but its topic."""
    from topicspider.cli.site_stats import interval
    from topicspider.url.host import readable_host

    queue = site.queue
    lowest, highest = interval(site.hits, site.fetches)
    data = {
        "site": readable_host(site.site),
        "host": site.site,
        "pages": site.pages,
        "hits": site.hits,
        "copies": site.copies,
        "leads": site.leads,
        "hit_rate": site.hit_rate,
        "hit_rate_low": lowest,
        "hit_rate_high": highest,
        "mean_score": site.mean_score,
        "response_seconds": site.response_seconds,
        "queued": queue.queued if queue else None,
        "dead": queue.dead if queue else None,
        "is_blocked": queue.is_blocked if queue else None,
        "pages_ahead": queue.pages_ahead if queue else None,
        "task_seconds": queue.task_seconds if queue else None,
        "capacity": site.capacity,
        "advice": site.advice.word,
        "reason": site.advice.reason,
    }
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in data.items()}


def topic_text(sites: TopicSites, chosen: Sequence[SiteStats], columns: int) -> str:
    """The ``chosen`` sites as a table of at most ``columns`` columns, with what is to be said of all of them."""
    head = ngettext(
        "{topic}: {count:,} site, {pages:,} pages, {hits:,} hits ({rate:.0%})",
        "{topic}: {count:,} sites, {pages:,} pages, {hits:,} hits ({rate:.0%})",
        len(sites.all.sites),
        topic=sites.topic,
        pages=sites.all.pages,
        hits=sites.all.hits,
        rate=sites.all.hit_rate,
    )
    lines = [head]
    if chosen:
        lines += ["", *_table([[_(head) for head in HEADS], *map(_row, chosen)], columns)]
    if notes := _notes(sites, chosen):
        lines += ["", *notes]
    return "\n".join(fit(line, columns) for line in lines)


def _row(site: SiteStats) -> list[str]:
    from topicspider.url.host import readable_host

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


def _notes(sites: TopicSites, chosen: Sequence[SiteStats]) -> list[str]:
    notes = []
    if left := len(sites.all.sites) - len(chosen):
        notes.append(_("{count:,} more (--limit)", count=left))
    if waiting := sites.all.waiting:
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
