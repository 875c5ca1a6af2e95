"""Finds where to begin a crawl of a topic without seeds: at addresses from seed_sources.yaml, and at results of a search engine."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, unquote, urlsplit
from urllib.request import Request, build_opener

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import BaseSettings, Settings

from topicspider import json_log
from topicspider.addon import user_agent
from topicspider.cli.command import terminal_columns
from topicspider.cli.crawl_data import data_folder
from topicspider.cli.judge import OfflineJudge, judge_of
from topicspider.cli.pages import LocalPage, PageReader, fetched
from topicspider.cli.preflight import check_reachable
from topicspider.cli.topics_seeds import MOST, Candidate, scored
from topicspider.crawl_config import CrawlConfig
from topicspider.download.reachability import reach_all
from topicspider.errors import ConfigError, NoSeedReachable, one_line
from topicspider.i18n import N_, ngettext
from topicspider.i18n import gettext as _
from topicspider.options import MAX_PAGE_BYTES, Options
from topicspider.rehearsal.processes import in_processes
from topicspider.setting_rules import PREFIX, setting_name
from topicspider.store import location
from topicspider.text.terminal import fit, table
from topicspider.topic.profile import Topic, folder_name
from topicspider.topic.seed_sources import (
    StartingPoint,
    found_seeds,
    looked_for,
    save_found,
    source_addresses,
    titles_of,
)
from topicspider.url import canonicalize, masked

SEARCH = N_("search")
KINDS = (
    N_("encyclopedia"), N_("category"), N_("directory"), N_("awesome"), N_("portal"), N_("university"), N_("government"),
)  # fmt: skip
"""The kinds in the seed_sources.yaml that comes with topicspider, to be translated."""
TERMS, PAGE = "{searchTerms}", "{startPage}"
"""Placeholders in the URL of a search, named as in OpenSearch."""
_FETCH_SETTINGS = (PREFIX, "USER_AGENT", "ROBOTSTXT_", "DOWNLOAD_", "DNS")
_FETCH_ONLY = {"LOG_ENABLED": False, "RETRY_ENABLED": False, "CLOSESPIDER_TIMEOUT": 60, setting_name("topic"): ""}


def with_starting_points(config: CrawlConfig, settings: BaseSettings) -> CrawlConfig:
    """``config`` with what was found for each topic without seeds; the search is made once, and again with fresh=1.

    What was tried is shown on stderr and saved in the topic's folder. Raises NoSeedReachable if no address can be a seed.
    """
    without = lacking(config)
    for topic in without:
        points = look_for(topic, settings)
        path = save_found(data_folder(config.options) / folder_name(topic.name), points)
        _tell(found_text(topic, points, path), settings)
        if all(point.left_out for point in points):
            reasons = Counter(point.left_out for point in points).most_common(4)
            why = ", ".join(f"{reason} {count}" for reason, count in reasons) or "there are no addresses"
            hint = f"Give some, as in -a seeds=https://…,https://…, or a search engine: {setting_name('search_url')}"
            raise NoSeedReachable(f"{topic.name}: none of {len(points)} addresses can be a seed", why, hint)
    return CrawlConfig.read(settings) if without else config


def lacking(config: CrawlConfig) -> list[Topic]:
    """The topics whose starting points still have to be found."""
    options = config.options
    if options.seeds or config.redis_key is not None:
        return []
    wanted, data = looked_for(config.topics), data_folder(options)
    return [topic for topic in wanted if options.fresh or not found_seeds(data / folder_name(topic.name))]


def opening_line(config: CrawlConfig) -> str:
    """Says what is about to be read and opened, which takes a second or two."""
    store = masked(config.options.store) or str(config.folder / location.FILE)
    if lacking(config):
        words = N_("looking for starting points of {topic} at {count} addresses")
        words = _(words, topic=config.name, count=len(config.seeds))
        return words + (_(" and a search engine") if config.options.search_url else "")
    if config.redis_key is not None:
        return _("reading topic {topic}, seeds from Redis, store {store}", topic=config.name, store=store)
    return ngettext(
        "reading topic {topic}, {count} seed, store {store}",
        "reading topic {topic}, {count} seeds, store {store}",
        len(config.seeds),
        topic=config.name,
        store=store,
    )


def look_for(topic: Topic, settings: BaseSettings) -> list[StartingPoint]:
    """Every address that was tried: those that can be seeds first, best first; raises NoSeedReachable without a network."""
    options = Options.read(settings)
    sources, judge = source_addresses(topic, options.topics_dir), judge_of(topic, options)
    results = list(_search(topic, options, user_agent(settings, options), judge)) if options.search_url else []
    asked = {point.url: point for point in [*sources, *results] if not point.left_out}
    check_reachable(asked, options)
    found = {point.url: point for point in [*read_points(sources, settings, judge), *_reached(results, options)]}
    return sorted(found.values(), key=lambda point: (bool(point.left_out), -point.score))


def found_text(topic: Topic, points: Sequence[StartingPoint], path: Path) -> str:
    """A table of what was tried: the score, or why the address is no seed."""
    taken = sum(not point.left_out for point in points)
    values = {"topic": topic.name, "tried": len(points), "taken": taken, "path": path}
    head = _("{topic}: {tried} addresses tried, {taken} taken as seeds; the list is {path}", **values)
    rows = []
    for point in points:
        result, title = fit(one_line(point.left_out), 24) or f"{point.score:.3f}", fit(one_line(point.title), 20) or "-"
        rows.append((result, _(point.kind), title, one_line(unquote(point.url))))
    return f"{head}\n{table(rows, columns=terminal_columns())}"


def _tell(text: str, settings: BaseSettings) -> None:
    """Print on stderr, since a feed may be on stdout; if the log is JSON, log the lines, so that stderr has only JSON."""
    if not json_log.is_wanted(settings):
        print(text, file=sys.stderr)
        return
    for line in text.splitlines():
        logging.getLogger(__name__).info("%s", line)


def read_points(
    sources: Sequence[StartingPoint], settings: BaseSettings, judge: OfflineJudge
) -> Iterator[StartingPoint]:
    """Each source with what its page says. A separate process fetches the pages: a reactor runs only once, and the crawl needs it."""
    reader = PageReader(judge.options, judge.segmenter)
    named = {
        name: settings.get(name) for name in settings if name.startswith(_FETCH_SETTINGS) and settings.getpriority(name)
    }
    pages = next(in_processes(partial(_fetcher, named), [[source.url for source in sources]], 1), [])
    for source, local in zip(sources, pages, strict=True):
        page, trouble = reader.page(local)
        if page is None or trouble or page.condition:
            yield replace(source, left_out=trouble or (page.condition if page else ""))
        else:
            score = judge.judge(judge.words(page.title, page.body)).value
            yield replace(source, url=local.url or source.url, title=page.title, score=round(score, 6))


def _fetcher(named: dict[str, Any]) -> Callable[[list[str]], list[LocalPage]]:
    """Called in the separate process; returns the function that fetches pages, which works once."""
    settings = Settings()
    settings.setmodule("topicspider.settings")
    settings.setdict({**named, **_FETCH_ONLY}, priority="cmdline")
    return lambda urls: fetched(AsyncCrawlerProcess(settings), urls)


def _reached(results: Sequence[StartingPoint], options: Options) -> Iterator[StartingPoint]:
    """``results``, with the reason for those whose host cannot be reached."""
    urls = [result.url for result in results]
    reached = reach_all(urls, min(options.connect_timeout, 10.0), allow_private=options.allow_private)
    for result, reach in zip(results, reached, strict=True):
        why = f"{reach.failed}: {reach.why}" if reach.failed else ""
        yield replace(result, left_out=result.left_out or why)


def _search(topic: Topic, options: Options, agent: str, judge: OfflineJudge) -> Iterator[StartingPoint]:
    """The first MOST results, scored by title and snippet ((a) Li 2002); if there is no answer, one point with the reason."""
    template = _search_template(options.search_url)
    shown = "{0.scheme}://{0.hostname}/".format(urlsplit(template))  # the rest may contain a key
    found: dict[str, Candidate] = {}
    try:
        for page in range(1, 6 if PAGE in template else 2):
            url = template.replace(TERMS, quote_plus(" ".join(titles_of(topic)))).replace(PAGE, str(page))
            results = results_in(_json(url, agent, options.read_timeout))
            if not results or len(found) >= MOST:
                break
            found |= {one.url: one for one in results if one.url not in found}
    except (OSError, ValueError, RecursionError, HTTPException) as error:  # without a later page, results end there
        if not found:
            yield StartingPoint(shown, SEARCH, left_out=one_line(str(getattr(error, "reason", error)), 80))
    for one in scored(list(found.values())[:MOST], judge):
        yield StartingPoint(one.url, SEARCH, one.title, one.score)


def _search_template(url: str) -> str:
    """The URL of a search, with placeholders; for SearXNG its root URL is enough. Raises ConfigError."""
    if not url.startswith(("http://", "https://")) or not canonicalize(url):
        allowed = f"the http URL of a SearXNG, or one with {TERMS} in it that answers in JSON"
        raise ConfigError(setting_name("search_url"), "***", allowed)
    return url if TERMS in url else f"{url.rstrip('/')}/search?q={TERMS}&format=json&pageno={PAGE}"


def _json(url: str, agent: str, timeout: float) -> Any:
    """The answer of a search engine; raises OSError or ValueError. It is the operator's own and no crawled page: robots.txt is not read."""
    request = Request(url, headers={"User-Agent": agent, "Accept": "application/json"})  # noqa: S310 - http(s), checked
    with closing(build_opener().open(request, timeout=timeout)) as answer:
        return json.loads(answer.read(MAX_PAGE_BYTES))


def results_in(answer: Any) -> list[Candidate]:
    """The results in JSON of SearXNG and the like (``results`` with ``url``, ``title``, ``content``), or of OpenSearch suggestions."""
    if isinstance(answer, dict):
        found = [
            (one.get("url"), one.get("title"), one.get("content"))
            for one in _list(answer.get("results"))
            if isinstance(one, dict)
        ]
    else:
        __, titles, texts, urls = answer if len(_list(answer)) == 4 else ("", [], [], [])
        found = list(zip(_list(urls), _list(titles), _list(texts), strict=False))
    return [
        Candidate(address, str(title or ""), str(text or ""))
        for url, title, text in found
        if (address := canonicalize(str(url)))
    ]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
