"""Extension: shows the crawl's progress, live in a terminal or as one log line per minute, and prints the closing table."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.crawl_config import PLACES, place_words
from topicspider.crawl_stats import CrawlStats, Hit
from topicspider.errors import one_line
from topicspider.frontier.factory import is_in_redis
from topicspider.i18n import N_, as_typed, clock, labelled, ngettext, outage_words, program, shell_word
from topicspider.i18n import gettext as _
from topicspider.json_log import said_by
from topicspider.middlewares.politeness import PolitenessMiddleware
from topicspider.options import OWN_SPIDER
from topicspider.scrapy_component import ScrapyComponent
from topicspider.setting_rules import setting_name
from topicspider.steering.stop_rule import LOW_YIELD
from topicspider.store import location
from topicspider.text.terminal import Block, draws_live, fit, pad, sparkline, width, wrap
from topicspider.url import host_of, masked

REASONS = {
    "finished": N_("finished: no links are left"),
    "max_pages": N_("finished: the page limit is reached"),
    "shutdown": N_("stopped: the same command goes on from here"),
    "drained": N_("left as it was asked to (scrapy nodes): other nodes go on, the same command joins again"),
    "no_seed_reachable": N_("no seed gave a page"),
    LOW_YIELD: N_("finished: its last pages gave too few new hits"),
    "nothing_listed": N_("the sitemaps or feeds it began with list no link worth following (see pruned links)"),
    "frontier_unavailable": N_("the frontier could not be written"),
    "store_unavailable": N_("the store could not be written"),
    "closespider_pagecount": N_("stopped: as many pages as CLOSESPIDER_PAGECOUNT says"),
    "closespider_itemcount": N_("stopped: as many items as CLOSESPIDER_ITEMCOUNT says"),
    "closespider_timeout": N_("stopped: the time that CLOSESPIDER_TIMEOUT gives is over"),
}


PARTS = {
    "pages": "",  # these two have plural forms (see progress_line)
    "hits": "",
    "rate": N_("harvest {rate:.0%} (last 100: {recent:.0%})"),
    "queued": N_("{queued} queued"),
    "pruned": N_("{pruned:.0%} pruned"),
    "resting": N_("{resting} resting"),
    "speed": N_("{speed:.1f}/s"),
    "left": N_("{left} left"),
}


def progress_line(stats: CrawlStats, columns: int, chosen: Collection[str] = PARTS.keys()) -> str:
    """The progress of this run in one line of at most ``columns`` columns; ``chosen``: which of PARTS to show."""
    numbers: dict[str, Any] = {
        "pages": _short(stats.pages),
        "hits": _short(stats.hits),
        "queued": _short(stats.queued),
        "resting": _short(stats.resting),
        "rate": stats.harvest_rate,
        "recent": stats.recent_harvest_rate,
        "pruned": stats.pruned_share,
        "speed": stats.pages_per_second,
        "left": clock(stats.seconds_left or 0),
    }
    counted = {
        "pages": ngettext("{pages} page", "{pages} pages", stats.pages, **numbers),
        "hits": ngettext("{hits} hit", "{hits} hits", stats.hits, **numbers),
    }
    known = [name for name in PARTS if name in chosen and (name != "left" or stats.seconds_left is not None)]
    parts = [counted.get(name) or _(PARTS[name], **numbers) for name in known]
    line = " · ".join(parts)
    return line if width(line) <= columns else fit("  ".join(parts), columns)


def live_view(stats: CrawlStats, columns: int, rows: int = 24) -> list[str]:
    """At most ``rows`` lines of at most ``columns`` columns: the numbers (few and the reason, while the crawl stands still), the harvest
    rate with its curve, and the latest hits, newest last."""
    if stats.stall:
        first = fit(f"{progress_line(stats, columns, ('pages', 'queued'))} · {stats.stall}", columns)
    else:
        first = progress_line(stats, columns, PARTS.keys() - {"rate"})
    harvest = progress_line(stats, columns, ("rate",))
    lines = [first, fit(f"{harvest}  {sparkline(stats.curve)}".rstrip(), columns)]
    hits = list(stats.latest)[-max(0, rows - 3) :]
    return [*lines, *(_hit_line(hit, host_of(hit.url), columns) for hit in hits)][:rows]


def _hit_line(hit: Hit, where: str, columns: int) -> str:
    title = one_line(hit.title) or "–"
    room = max(10, min(columns * 3 // 5, 72) - 8) if where else columns - 8
    return fit(f"  {hit.score:.2f}  {pad(fit(title, room), room)}  {one_line(where)}".rstrip(), columns)


def _short(number: int) -> str:
    """A number in short form: 1234567 is 1.23M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if number >= size:
            return f"{number / (1e3 if unit == 'k' else size):.3g}{unit}"
    return str(number)


def closing_lines(
    components: CrawlComponents, spider: str, reason: str, unread: Mapping[str, int], *, columns: int = 400
) -> list[str]:
    """The closing table: what the crawl found, why links and pages were left out, where the results are, what to type next.

    ``unread``: by kind (sitemaps, feeds), on how many hosts with hits nobody read them. A value too long for ``columns`` continues in the
    next line, below its beginning; URLs of hits and the next command are never broken, so that they can be copied.
    """
    stats, config = components.stats, components.config
    rows = _rows(stats, is_shared=is_in_redis(components.options.frontier))
    if given_up := stats.given_up:
        named = [masked(url) for url in given_up if url] + (["…"] if given_up[""] else [])
        rows.append((_("given up"), labelled(f"{given_up.total():,}", ", ".join(named))))
    if components.writer.has_pages or (spider == OWN_SPIDER and stats.earlier_pages):
        rows.append((_("results"), masked(components.options.store) or str(config.folder / location.FILE)))
    writer = components.writer
    away = [*outage_words("Redis", *stats.frontier_outages), *outage_words(_("store"), *writer.outages)]
    if writer.is_away:
        away.append(_("store still away, {rows:,} rows wait for it", rows=writer.in_outbox + writer.waiting))
    if away:
        rows.append((_("interruptions"), _("; ").join(away)))
    both = "all" if len(unread) > 1 or components.options.discovery != "off" else ""
    for kind, hosts in unread.items():
        words = ngettext("that of {count:,} host was not read", "those of {count:,} hosts were not read", hosts)
        rows.append((_(kind), labelled(words, f"-s TOPICSPIDER_DISCOVERY={both or kind}")))
    if is_typed():
        rows.append((_("next"), _next(components, spider, reason)))
    why = _reason(stats, reason)
    if (stop := components.stopped) is not None:
        words = N_("finished: {finds:,} new hits on the last {pages:,} pages; {queued:,} links were not worth more")
        why = _(words, finds=stop.finds, pages=stop.pages, queued=stats.queued)
    best = [line for hit in stats.best for line in (_hit_line(hit, "", columns), one_line(hit.url, 4000))]
    best = [_("the best hits:"), *best, ""] if best else _nearest(stats, columns)
    return ["", *wrap(one_line(labelled(config.name, why)), columns), *best, *_two_columns(rows, columns)]


def _nearest(stats: CrawlStats, columns: int) -> list[str]:
    """When no page was on topic: the score that came nearest to its threshold."""
    if stats.near_miss is None:
        return []
    _margin, score, threshold, url = stats.near_miss
    words = N_("no page was on topic: the best score was {score:.3f}, and a hit needs {threshold:.3f}: {url}")
    return [*wrap(_(words, score=score, threshold=threshold, url=one_line(url)), columns), ""]


def _two_columns(rows: Sequence[tuple[str, str]], columns: int) -> list[str]:
    names = max(width(name) for name, __ in rows) + 2
    lines = []
    for name, value in rows:
        room = max(20, columns - names)
        for at, line in enumerate([value] if name == _("next") else wrap(one_line(value, 2000), room)):
            lines.append(pad("" if at else name, names) + line)
    return lines


def _reason(stats: CrawlStats, reason: str) -> str:
    if stats.best_left is not None:
        values = {"queued": stats.queued, "best": stats.best_left}
        return _("finished: the best of {queued:,} waiting links has a chance of {best:.2g}", **values)
    if reason == "finished" and stats.queued:  # they are on blocked hosts, or on hosts at ``pages_per_host``
        return _("finished; {queued:,} links stay queued, on hosts that may not be asked now", queued=stats.queued)
    if reason == "finished" and stats.earlier_pages and not stats.pages:
        return _("finished before, nothing is left; to start anew: -s TOPICSPIDER_FRESH=1")
    if reason == "no_seed_reachable" and "private_address" in stats.errors:
        return f"{_(REASONS[reason])}. {_('Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1')}"
    if reason == "shutdown" and not is_typed():
        return _("stopped")
    return as_typed(_(REASONS[reason])) if reason in REASONS else reason


def _rows(stats: CrawlStats, *, is_shared: bool = False) -> list[tuple[str, str]]:
    """The counts of this run; if it had nothing left to do, only the pages of earlier runs."""
    earlier = ngettext("{count:,} page, not counted below", "{count:,} pages, not counted below", stats.earlier_pages)
    rates = {"rate": stats.harvest_rate, "recent": stats.recent_harvest_rate}
    hosts = {"hosts": len(stats.hosts), "with_hits": len(stats.hosts_with_hits)}
    speed = stats.pages / stats.seconds if stats.seconds else 0
    label = _("earlier, or by other nodes") if is_shared else _("earlier runs")
    before = [(label, earlier)] if stats.earlier_pages else []
    if before and not (stats.pages or stats.errors):
        return before
    return [
        *before,
        (_("pages"), f"{stats.pages:,}"),
        (_("hits"), _hits(stats)),
        (_("harvest rate"), _("{rate:.1%} of the pages gave a new hit (of the last 100: {recent:.1%})", **rates)),
        (_("hosts"), _("{hosts:,} ({with_hits:,} with hits)", **hosts)),
        (_("time"), _("{time} ({speed:.1f} pages/s)", time=clock(stats.seconds), speed=speed)),
        (_("links kept"), _("{kept:,} of {links:,}", kept=stats.kept_links, links=stats.links)),
        (_("pruned links"), _counted(stats.pruned) or _("none")),
        (_("errors"), _counted(stats.errors) or _("none")),
    ]


def _hits(stats: CrawlStats) -> str:
    """How many pages were on topic; if some were copies or lists, how many of each kind."""
    kinds = (
        (stats.hits, _("{count:,} new", count=stats.hits)),
        (stats.copies, ngettext("{count:,} copy", "{count:,} copies", stats.copies)),
        (stats.hubs, ngettext("{count:,} list", "{count:,} lists", stats.hubs)),
    )
    found = stats.hits + stats.copies + stats.hubs
    parts = _(", ").join(words for count, words in kinds if count)
    return f"{found:,}" if found == stats.hits else _("{found:,} on topic ({parts})", found=found, parts=parts)


def _counted(counts: dict[str, int]) -> str:
    largest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{_(name)} ×{count:,}" for name, count in largest[:8])  # "bad_response 301" looks like a status
    rest = sum(count for _name, count in largest[8:])
    return f"{shown}, … ×{rest:,}" if rest else shown


def is_typed() -> bool:
    """Whether a user typed the command and can type it again. A demo starts its own crawl, which it marks by an empty
    TOPICSPIDER_COMMAND."""
    return os.environ.get("TOPICSPIDER_COMMAND") != ""


def _next(components: CrawlComponents, spider: str, reason: str) -> str:
    """The command to type next, with the arguments, feeds and settings of this run."""
    topic, limit, stats = components.options.topic, components.config.limits.pages, components.stats
    miss = None if stats.earlier_pages else stats.near_miss
    is_done = reason == "finished" and stats.best_left is None
    # after a hundred pages without a hit, more pages will not help
    if spider == OWN_SPIDER and miss and (is_done or (reason == "max_pages" and stats.pages >= 100)):
        return _command("explain", ["--topic", topic, miss[-1]], components, only=SETTING)
    if spider == OWN_SPIDER and is_done:
        return _command("hits", ["--topic", topic], components, only=SETTING)
    rule = "stop_yield" if reason == LOW_YIELD else "link_threshold"
    left = [] if stats.best_left is None else ["-s", f"{setting_name(rule)}=0"]
    if spider != OWN_SPIDER:
        return _again(spider, left or reason != "finished", left)
    more = ["-a", f"max_pages={2 * (limit or 0)}"] if reason == "max_pages" and not left else []
    if not components.typed and (seeds := components.options.seeds):  # Scrapy's own command read the seeds
        more += ["-a", f"seeds={seeds}"]
    return _command("crawl", [spider, "-a", f"topic={topic}", *left, *more], components)


def _again(spider: str, resumes: object, more: Sequence[str]) -> str:
    """The command line that began a crawl of another ``spider``, changed so that it resumes; Scrapy reads it, not we."""
    typed = sys.argv[1:] if spider in sys.argv else [spider]  # a script's command line is another
    resume = f"{setting_name('resume')}=1"
    more = [*more, "-s", resume] if resumes and resume not in typed else more
    return " ".join([program("crawl"), "crawl", *(shell_word(masked(word)) for word in typed), *more])


SETTING = "-s"


def _command(name: str, words: list[str], components: CrawlComponents, only: str = "") -> str:
    """``words`` after a command of ours, then the options as typed that ``words`` do not contain yet; without passwords."""
    typed = components.typed
    said = {word.partition("=")[0] for word in words} | {"topic", "fresh", setting_name("fresh")}
    for option, value in typed:
        if value.partition("=")[0] not in said and only in ("", option):
            words += [option, value if option == "-a" else masked(value)]
    said |= {value.partition("=")[0] for __, value in typed}
    # an environment variable may have been set for this command only
    of_environment = [one for one in PLACES if setting_name(one) in os.environ.keys() - said]
    words += place_words(components.options, of_environment)
    return " ".join([program(name), name, *map(shell_word, words)])


logger = logging.getLogger(__name__)

LOG_COLUMNS = 200
COUNTED = "scrapy.spidermiddlewares.httperror"
"""The logger that writes a line for each response that is no page: nine of ten log lines. The closing table counts them by reason."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class LiveProgress(ScrapyComponent):
    """Draws the live lines on stderr, so that stdout stays free for feeds; other output appears above them."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._stream = sys.stderr
        self._draws = draws_live(components.options.live)
        self._block = Block(self._stream)
        self._filter = _TerminalFilter(self._block)

    def spider_opened(self) -> None:
        for handler in logging.root.handlers:
            handler.addFilter(self._filter)
        seconds = 0.5 if self._draws else 60.0
        self._repeat(self._show, seconds, "the crawl could not be shown", at_once=self._draws)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        self._stop()
        if self._draws:
            self._block.wipe()
            lines = self.closing(spider, reason, self._block.size()[0])
            self._stream.write("".join(f"{line}\n" for line in lines))
            self._stream.flush()
        else:
            for line in self.closing(spider, reason, LOG_COLUMNS * 2):
                logger.info("%s", line)

    def wipe(self) -> None:
        """Remove the live lines from the terminal."""
        self._block.wipe()

    def closing(self, spider: Spider, reason: str, columns: int) -> list[str]:
        unread = self._unread() if reason == "finished" and spider.name == OWN_SPIDER else {}
        return closing_lines(self._components, spider.name, reason, unread, columns=columns)

    def _unread(self) -> dict[str, int]:
        stats, discovery = self._components.stats, self._components.options.discovery
        there = {N_("sitemaps"): 0, N_("feeds"): len(stats.hosts_with_feeds)}
        if politeness := self._crawler.get_downloader_middleware(PolitenessMiddleware):
            ports = ((f"{host}:80", f"{host}:443") for host in stats.hosts_with_hits)
            there["sitemaps"] = sum(any(map(politeness.sitemaps, both)) for both in ports)
        return {kind: hosts for kind, hosts in there.items() if hosts and discovery not in (kind, "all")}

    def _show(self) -> None:
        stats = self._components.stats
        if self._draws:
            columns, rows = self._block.size()
            try:
                self._block.draw(live_view(stats, columns - 1, rows - 1))
            except OSError:  # the terminal is gone
                self._stop()
        else:
            logger.info("%s", progress_line(stats, LOG_COLUMNS))


class _TerminalFilter(logging.Filter):
    """Keeps control characters of pages, and lines that are counted anyway, out of the log; removes the live lines until they are
    redrawn."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self._block = block

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == COUNTED and record.levelno <= logging.INFO:
            return False
        self._block.wipe()
        message = said_by(record)
        if CONTROL.search(message):
            record.msg, record.args = _visible(message), None
        if record.exc_info and not record.exc_text:
            record.exc_text = _visible(logging.Formatter().formatException(record.exc_info))
        return True


def _visible(text: str) -> str:
    """``text`` with control characters as ``\\x1b``: a terminal would obey them."""
    return CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)
