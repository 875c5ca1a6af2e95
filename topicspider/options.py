"""Every TOPICSPIDER_* setting, declared once: name, type, default, unit, range, help, source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import topicspider.blas_threads  # noqa: F401 - every command and component asks here first, before numpy is imported
from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.modes import MODES
from topicspider.setting_rules import Rule, checked, setting_name
from topicspider.setting_rules import setting as _setting

OWN_SPIDER = "topic"  # the name of our spider; any other is somebody else's
PAGE_SCORERS = ("boolean", "vsm", "a4bc", "bm25", "learned")
LINK_POLICIES = (
    "bfs", "dfs", "random", "hard_focus", "best_first", "shark", "rw", "pagerank", "ipagerank", "hits", "learned",
)  # fmt: skip
RELEVANCE_POLICIES = ("best_first", "shark", "learned")
"""Those whose scores say how relevant a link's page is likely to be."""
EXTRACTIONS = ("default", "published")
LOG_FORMATS = ("text", "json")
AUTO = "auto"
MOST_PROCESSES, MOST_BY_THEMSELVES = 64, 2
MAX_PAGE_BYTES = 10 * 1024 * 1024
"""Largest page, unpacked, where Scrapy's DOWNLOAD_MAXSIZE says nothing else."""
PACES = ("auto", "thrifty", "balanced", "fast")
SEEN_CACHES = ("clock", "lru", "random", "static")
SERVER_POLICIES = ("bfs", "performance", "quality", "capacity")


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of one crawl, typed and checked; ``TOPICSPIDER_DELAY_MIN`` is ``delay_min``."""

    # what to look for
    topic: str = _setting(
        "",
        "The topic: a name, a path to a YAML file, a class number of the 中图分类法, store:NAME for what the store has under a name, or several of these joined by commas. Set by `-a topic=`.",
    )
    topics_dir: str = _setting("", "A folder of topic files, searched before the project's own topics/.")
    seeds: str = _setting(
        "",
        "Where to start instead of the topic's seeds: URLs joined by commas, @FILE with one URL a line, or redis:[KEY] for a Redis list (default topic:start_urls, found by the settings of scrapy-redis). Set by `-a seeds=`.",
    )
    search_url: str = _setting(
        "",
        "A search engine that is asked for seeds when a topic has none: the URL of a SearXNG, or one with {searchTerms} in it (and {startPage}) that answers in JSON, as OpenSearch suggestions or `results` with url, title and content; empty is none.",
        source="(a) Li 2002",
        is_secret=True,
    )
    max_pages: int = _setting(
        0,
        "How many pages a crawl fetches, exactly; 0 is the topic's own limit, or none. Set by `-a max_pages=`.",
        unit="pages",
        low=0,
    )
    balance: str = _setting(
        "best",
        "What a link is worth to a crawl of several topics: `best`, what it is to the topic that it suits best; `even`, that times what the topic still needs, so that all find alike. Set by `-a balance=`.",
        choices=("best", "even"),
    )
    per_class: int = _setting(
        0,
        "How many hits each topic of a crawl of several is to have; links of one that has them are worth nothing to it. 0 is no limit. Set by `-a per_class=`.",
        unit="hits",
        low=0,
    )
    pace: str = _setting(
        "auto",
        "Whether good links of hosts that are busy or rest are waited for (docs/frontier.md); auto is thrifty where pages are limited (by Scrapy's CLOSESPIDER_PAGECOUNT, too), else balanced. Set by `-a pace=`.",
        choices=PACES,
    )
    max_depth: int = _setting(
        0,
        "How many links away from a seed a page may lie; 0 is the topic's own limit, or none. Set by `-a depth=`.",
        unit="links",
        low=0,
    )
    fresh: bool = _setting(
        False,
        "Forget what an earlier crawl of this topic queued and fetched, and start anew; stored pages stay. Set by `-a fresh=1`.",
    )
    resume: bool = _setting(
        False,
        "For spiders of your own: go on where the last crawl stopped, and call callbacks that raised again, up to TOPICSPIDER_ATTEMPTS times. Without it (or a JOBDIR) each crawl starts anew, unless its frontier is in Redis. The spider `topic` goes on by itself.",
    )
    accept_loss: bool = _setting(
        False,
        "Go on although the store lost pages that were fetched; they are not fetched again (docs/operations.md). Set by `-a accept_loss=1`.",
    )
    keep_alive: bool = _setting(
        False,
        "When nothing is left, wait for more seeds instead of ending: pushed to the Redis list of seeds, or queued by another node.",
    )
    stop_yield: float = _setting(
        -1.0,
        "Stop when fewer of the last 300 pages are hits, copies of earlier hits not counted; 0 is never, -1 when none of the last 1,000 is (`learned` alone).",
        unit="percent",
        low=-1,
        high=100,
    )
    # where things lie
    data: str = _setting("data", "The folder of results; each crawl has a folder in it, named by its topic.")
    store: str = _setting(
        "",
        "The store of pages: sqlite:///PATH, mysql://USER:PASSWORD@HOST:PORT/DATABASE, or memory:; empty is a SQLite file in the crawl's data folder.",
        is_secret=True,
    )
    quota_pages: int = _setting(
        0,
        "How many pages of a topic the store keeps: at the end of a crawl misses are dropped first, then the worst hits. 0 is all.",
        unit="pages",
        low=0,
    )
    snapshots: str = _setting(
        "off",
        "Whether pages are kept as they came, in WARC files in the data folder: off, hits, or all (misses too).",
        choices=("off", "hits", "all"),
        source="(d) Xu 2007",
    )
    frontier: str = _setting(
        "",
        "The frontier: sqlite:///PATH, memory:, or, shared by several nodes, redis://USER:PASSWORD@HOST:PORT/DATABASE (rediss:// for TLS, unix://PATH); empty is a SQLite file in the crawl's data folder.",
        is_secret=True,
    )
    model: str = _setting(
        "",
        "Where nodes share what the crawl has learned: redis://USER:PASSWORD@HOST:PORT/DATABASE; empty is nowhere, each keeps it beside its pages, in the store.",
        is_secret=True,
    )
    connect_wait: float = _setting(
        30.0,
        "How long a crawl waits at its start for a database that does not answer.",
        unit="seconds",
        low=0,
        high=3600,
    )
    # reading
    extraction: str = _setting(
        "default",
        "How titles and keywords are found: by all that names one, or as published: the title by its look (as by default where no line is styled), keywords by the meta keywords, else the title's words.",
        choices=EXTRACTIONS,
        source="(a) Li 2002 (title), (d) Xu 2007 (keywords)",
    )
    documents: bool = _setting(
        True, "Fetch and read PDF and DOCX too, in a process of their own with limits; plain text is always read."
    )
    discovery: str = _setting(
        "off",
        "What leads to pages beside links: sitemaps (those that robots.txt names on hosts with hits), feeds (RSS and Atom, those that hits declare and those that links lead to), all, or off; what they list is judged as links are (docs/frontier.md).",
        choices=("off", "sitemaps", "feeds", "all"),
    )
    browser: str = _setting(
        "off",
        "The browser that fills pages which only a script fills: off, auto (a Chromium on PATH, else the one that Playwright has downloaded), or the path of a Chromium; needs the extra `browser`.",
    )
    processes: str = _setting(
        AUTO,
        "How many processes read pages beside the crawl's own, at most 64: auto is one less than the machine has cores, at most two, begun when the crawl keeps its own core busy; 0 is none.",
    )
    # judging
    mode: str = _setting(
        "",
        "Crawl as a paper's system did, by its choices as defaults (docs/papers/index.md). Set by `-a mode=`.",
        choices=("", *MODES),
    )
    page_scorer: str = _setting(
        "learned",
        "How a page is judged.",
        choices=PAGE_SCORERS,
        source="vsm: (a) Li 2002; a4bc, boolean: (b) thesis 2011",
    )
    link_policy: str = _setting(
        "learned",
        "How links are ranked and pruned.",
        choices=LINK_POLICIES,
        source="rw, pagerank, ipagerank, hits: (a) Li 2002",
    )
    page_threshold: float = _setting(
        -1.0,
        "A page at or above it is a hit; -1 is the topic's own, else the scorer's default for the topic's scope.",
        low=-1,
        high=1,
    )
    link_threshold: float = _setting(
        -1.0,
        "A link worth less is pruned. With `learned` it stays queued, and the crawl ends when nothing better waits; 0 fetches every link. -1 is the topic's own, else the policy's default for the topic's scope.",
        low=-1,
        high=1,
    )
    faithful: bool = _setting(
        False,
        "Run link policy and page scorer exactly as published, without our additions (docs/relevance.md lists them).",
    )
    server_policy: str = _setting("quality", "Which host is asked next.", choices=SERVER_POLICIES, source="(c) Cao")
    urls_per_host: int = _setting(
        1,
        "How many URLs of a host are taken at once and fetched over one connection, as far as it allows; what is found meanwhile waits.",
        low=1,
        high=100,
        source="(c) Cao",
    )
    seen_cache: str = _setting(
        "lru",
        "Which URLs are remembered as seen in front of the frontier; static keeps the first that came.",
        choices=SEEN_CACHES,
        source="(e) Broder 2003",
    )
    seen_cache_size: int = _setting(
        50_000, "How many of them.", unit="URLs", low=1, high=10_000_000, source="(e) Broder 2003"
    )
    traps: str = _setting(
        "all", "Whether links are refused by the form of their address (docs/frontier.md).", choices=("all", "none")
    )
    seed: int = _setting(0, "Seed of everything drawn at random, so that a crawl can be repeated.", low=0)
    # politeness
    delay_factor: float = _setting(
        10.0,
        "A host rests this many times as long as its last download took.",
        low=0,
        high=1000,
        source="(e) Broder 2003",
    )
    delay_min: float = _setting(
        1.0, "The shortest rest of a host between two requests.", unit="seconds", low=0, high=86400
    )
    delay_max: float = _setting(
        60.0, "The longest rest of a host between two requests.", unit="seconds", low=0, high=86400
    )
    do_not_crawl: str = _setting(
        "",
        "Hosts that asked not to be crawled: names joined by commas, or @FILE with one a line; their subdomains are included.",
    )
    login: str = _setting(
        "",
        "A site to log in to, before its host's first page: https://USER:PASSWORD@HOST/PAGE, the page with the form (its hidden fields are sent, its cookies kept), or one that asks for HTTP Basic.",
        source="(a) Li 2002",
        is_secret=True,
    )
    contact: str = _setting(
        "https://topicspider.example/crawler",
        "A URL or mailto: address of whoever runs the crawl; part of the user agent.",
    )
    # the network
    connect_timeout: float = _setting(
        10.0, "Limit for opening a connection.", unit="seconds", low=0.01, high=3600, source="(b) thesis 2011"
    )
    read_timeout: float = _setting(
        10.0,
        "Limit for a server's silence while a page is read.",
        unit="seconds",
        low=0.01,
        high=3600,
        source="(b) thesis 2011",
    )
    page_timeout: float = _setting(60.0, "Limit for a whole page.", unit="seconds", low=0.01, high=86400)
    allow_private: bool = _setting(False, "Allow requests to private, loopback and link-local addresses.")
    attempts: int = _setting(3, "How often a page is tried before it is given up.", low=1, high=100)
    lease_seconds: float = _setting(
        60.0,
        "How long a URL that was handed out is waited for before another may fetch it; a node at work renews in time.",
        unit="seconds",
        low=1,
    )
    node: str = _setting(
        "",
        "What this process is called among the nodes of a shared crawl (`./run nodes`): up to 40 letters of any script, digits, and . _ -; empty is its machine and its number.",
    )
    drain_seconds: float = _setting(
        20.0,
        "How long a crawl that is stopped (SIGTERM, `./run nodes drain`) waits for downloads in work, at most half a second after Ctrl-C; then their URLs go back to the queue.",
        unit="seconds",
        low=0,
        high=86400,
    )
    # what is shown
    live: str = _setting("auto", "The live line: on, off, or auto (on in a terminal).", choices=("auto", "on", "off"))
    language: str = _setting(
        "auto", "The language of the terminal: zh, en, or auto (by locale).", choices=("auto", "zh", "en")
    )
    log_format: str = _setting(
        "text",
        "How the log is written: text, as Scrapy does, or json, an object a line (docs/deployment.md).",
        choices=LOG_FORMATS,
    )
    # what other programs are told
    serve: bool = _setting(
        False,
        "Open the web page (docs/web-page.md) beside the crawl, on any free port of this machine; its link is printed, and it ends with the crawl.",
    )
    metrics: str = _setting(
        "",
        "Where Prometheus finds the figures of the running crawl, as http://HOST:PORT/metrics: PORT or HOST:PORT; the host is 127.0.0.1 unless it is named, and one that is not loopback needs a token; port 0 is any free one, which the log names; empty is nowhere.",
    )
    metrics_token: str = _setting(
        "",
        "What whoever asks for the figures must send, as `Authorization: Bearer TOKEN`: 16 or more letters, digits and -._~+/=; empty is nothing.",
        is_secret=True,
    )
    metrics_targets: str = _setting(
        "",
        "A folder in which each running crawl says where its figures are, in a file for Prometheus' file_sd_configs; empty is none.",
    )

    def reading_processes(self, cores: int) -> int:
        """How many processes read pages beside the crawl's own on a machine of ``cores``; raises ConfigError."""
        if self.processes == AUTO:
            return max(0, min(cores - 1, MOST_BY_THEMSELVES))
        if not self.processes.isdecimal() or int(self.processes) > MOST_PROCESSES:
            allowed = _("auto, or 0 to {most:g}", most=MOST_PROCESSES)
            raise ConfigError(setting_name("processes"), self.processes, allowed)
        return int(self.processes)

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> Options:
        """The options in ``settings`` (any mapping with ``get``); raises ConfigError at the first bad one."""
        named = {setting_name(f.name): f for f in fields(cls)}
        mode = setting_name("mode")
        chosen = MODES.get(checked(mode, named[mode], settings.get(mode)), {})
        given = {f.name: (name, f, settings.get(name)) for name, f in named.items()}
        options = cls(
            **{
                name: chosen[name] if said[2] is None and name in chosen else checked(*said)
                for name, said in given.items()
            }
        )
        options.reading_processes(1)
        if options.delay_min > options.delay_max:
            allowed = _("at most {name}, {value:g}", name=setting_name("delay_max"), value=options.delay_max)
            raise ConfigError(setting_name("delay_min"), settings.get(setting_name("delay_min")), allowed)
        return options


def rule_of(field_name: str) -> Rule:
    rule: Rule = Options.__dataclass_fields__[field_name].metadata["rule"]
    return rule
