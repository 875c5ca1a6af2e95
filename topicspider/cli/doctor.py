"""``scrapy doctor``: checks whether a crawl can work here: network, seeds, store, frontier, disk ((b) thesis 2011, connectivity check)."""

from __future__ import annotations

import os
import shutil
from contextlib import closing, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict

from topicspider.addon import user_agent
from topicspider.cli.command import CliCommand, add_topic_option, terminal_columns
from topicspider.cli.crawl_data import FRONTIER, is_demo, use_crawl, use_spiders_crawl
from topicspider.errors import NotCrawled, TopicSpiderError, UnavailableError, with_hints
from topicspider.frontier.factory import file_of, is_in_redis, open_inspection
from topicspider.i18n import N_, labelled, pages_and_hits
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.politeness.robots import read_rules
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.location import store_of_crawl
from topicspider.text.terminal import fit, pad, width, wrap

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.settings import BaseSettings

    from topicspider.crawl_config import CrawlConfig
    from topicspider.download.reachability import Reach

SYNTAX = "[--topic NAME] [-a seeds=URL,URL]"
ABOUT = (
    "For each seed: name resolution, connection, robots.txt, time to the first byte, and whether the page can be had; then the store, the frontier and "
    "the free disk. Nothing is changed, and a crawl may run beside. Exit code 0 when all is well, 3 when something did not answer or no crawl could use it, 1 when the disk is full."
)
GOOD, BAD = "ok", "!!"
Row = tuple[str, str, str]
"""GOOD or BAD, what was checked, and the result."""
STEPS = (N_("resolve"), N_("connect"), N_("proxy"), N_("refused"), N_("answer"))


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser, "TOPICSPIDER_TOPIC, else the only crawl")
    parser.add_argument("-a", dest="spargs", action="append", default=[], metavar="NAME=VALUE", help="an argument of the crawl (topic, seeds)")  # fmt: skip


def run(command: CliCommand, _args: list[str], opts: argparse.Namespace) -> int:
    from topicspider.spiders.arguments import refuse_unknown, with_arguments

    try:
        arguments = arglist_to_dict(opts.spargs)
    except ValueError:
        raise UsageError("Invalid -a value, use -a NAME=VALUE") from None
    command.set_option("topic", opts.topic)
    refuse_unknown(arguments)
    settings = with_arguments(command.settings, arguments)
    folder = use_spiders_crawl(settings)
    if not settings.get(setting_name("topic")):
        with suppress(NotCrawled):
            use_crawl(settings)
    config = _config_of(settings)
    config = replace(config, folder=folder or config.folder)
    reached = _reached(config, user_agent(settings, config.options))
    rows = [(BAD if one.failed else GOOD, one.url, _steps(one)) for one in reached]
    if is_demo(config.folder):
        rows = [(GOOD, _("seeds"), _("of the demo's simulated web: it needs no network"))]
    rows += [_row(_("store"), _store_words, config), _row(_("frontier"), _frontier_words, config), _disk_row(config)]
    print("\n".join([*table_lines(rows, terminal_columns()), *wrap(_in_all(reached, rows), terminal_columns())]))
    *answers, disk = (mark == BAD for mark, __, __ in rows)
    return UnavailableError.exit_code if any(answers) else int(disk)


def _config_of(settings: BaseSettings) -> CrawlConfig:
    """The configuration of the crawl. For a bare name, the topic file that a crawl would write is written and then deleted."""
    from topicspider.cli.topics_new import make_missing
    from topicspider.crawl_config import CrawlConfig

    options = Options.read(settings)
    made = make_missing(options.topic, options) if options.topic else []
    try:
        return CrawlConfig.read(settings)
    finally:
        for path in made:
            path.unlink(missing_ok=True)


def _in_all(seeds: Sequence[Reach], rows: Sequence[Row]) -> str:
    bad = sum(bool(one.failed) for one in seeds)
    if seeds and bad == len(seeds):
        refused = [one.why for one in seeds if one.failed == "refused"]  # by our own rules, not by the network
        if len(refused) == bad or any(one.robots_status for one in seeds):
            hint = "Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1" if "private_address" in refused else ""
            return with_hints(_("No seed can be fetched: a crawl needs another."), hint)
        return _("No seed answers: is the network up? Behind a proxy, set http_proxy and https_proxy.")
    if others := [what for mark, what, __ in rows[-3:] if mark == BAD]:
        return _("Not well: {names}", names=_(", ").join(others))
    words = N_("{good} of {count} seeds can be fetched: a crawl can begin there.")
    return _(words, good=len(seeds) - bad, count=len(seeds)) if bad else _("All is well.")


def table_lines(rows: Sequence[Row], columns: int) -> Iterator[str]:
    """The lines of a table; a result that is too long for a line is printed in full below its heading."""
    head = min(30, max(width(what) for _mark, what, _how in rows))
    for mark, what, how in rows:
        line = f"{mark}  {pad(what, head)}  {how}"
        if width(line) <= columns:
            yield line
        else:
            yield f"{mark}  {fit(what, columns - 4)}"
            yield from (f"      {part}" for part in wrap(how, columns - 6))


def _reached(config: CrawlConfig, agent: str) -> Sequence[Reach]:
    from topicspider.download.reachability import reach_all

    options, seeds = config.options, () if is_demo(config.folder) else config.seeds
    return reach_all(
        seeds,
        min(10.0, options.connect_timeout),
        allow_private=options.allow_private,
        agent=agent,
        allows=lambda url, robots: read_rules(robots, agent).allow(url),
    )


def _steps(reach: Reach) -> str:
    if reach.failed:
        return labelled(_(reach.failed), _(reach.why))
    proxy = reach.proxy.rpartition("@")[2].rpartition("//")[2]
    return _(
        "resolve {resolve:.0f} ms  connect {connect:.0f} ms  robots.txt {status}  first byte {first:.0f} ms{through}",
        resolve=reach.resolve_seconds * 1000,
        connect=reach.connect_seconds * 1000,
        status=reach.robots_status,
        first=reach.first_byte_seconds * 1000,
        through=_("  via {proxy}", proxy=proxy) if proxy else "",
    )


def _row(what: str, look: Callable[[CrawlConfig], str], config: CrawlConfig) -> Row:
    try:
        return GOOD, what, look(config)
    except TopicSpiderError as error:
        return BAD, what, str(error).removeprefix(f"{what} ")


def _store_words(config: CrawlConfig) -> str:
    """The counts of the store. A SQLite file that does not exist yet is no fault, and is not created."""
    place = location.parse(config.options.store, config.folder / location.FILE)
    if isinstance(place, location.SqlitePlace) and not (place.path and place.path.exists()):
        return _not_yet(place.path)
    with store_of_crawl(config.options, config.folder, 0.0) as store:
        totals = [store.totals(topic.name) for topic in config.topics]
    return pages_and_hits(sum(total.pages for total in totals), sum(total.hits for total in totals))


def _frontier_words(config: CrawlConfig) -> str:
    """The counts of the frontier, or why there are none yet."""
    url, default = config.options.frontier, config.folder / FRONTIER
    if is_in_redis(url):
        from topicspider.frontier.redis.opening import look_in_redis  # loads the driver

        counts = look_in_redis(url, default)
        if counts is None:
            return _("no such crawl yet")
    else:
        path = file_of(url, default)
        if path is None or not path.exists():
            return _not_yet(path)
        with closing(open_inspection(url, path)) as inspection:
            counts = inspection.counts()
    return _("{queued:,} queued, {pages:,} pages fetched, {dead:,} given up", **asdict(counts))


def _not_yet(path: Path | None) -> str:
    return _("in memory") if path is None else _("{path} (the first crawl makes it)", path=path)


def _disk_row(config: CrawlConfig) -> Row:
    folder = next(path for path in (config.folder.resolve(), *config.folder.resolve().parents) if path.exists())
    free = shutil.disk_usage(folder).free
    if not os.access(folder, os.W_OK | os.X_OK):
        words = _("{folder} cannot be written; choose another with -s TOPICSPIDER_DATA=DIR", folder=folder)
        return BAD, _("disk"), words
    return (GOOD if free >= 200e6 else BAD), _("disk"), f"{free / 1e9:.1f} GB, {folder}"
