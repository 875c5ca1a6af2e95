"""A recrawl: starts a round of visits or resumes an interrupted one, records its results when it has ended, and reports them.

It uses the components of a crawl, with the round in place of the queue, and a claim that keeps other processes from the topics.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from topicspider.cli.command import terminal_columns
from topicspider.cli.crawl_data import FRONTIER, is_demo, use_crawl
from topicspider.crawl_components import CrawlComponents
from topicspider.crawl_config import CrawlConfig
from topicspider.errors import ConfigError, CrawlRunning, NotCrawled, StoreUnavailable, UnavailableError
from topicspider.frontier import heartbeat
from topicspider.frontier.factory import file_of, is_in_redis
from topicspider.frontier.inspection import HostState
from topicspider.frontier.protocol import Entry, Frontier
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection
from topicspider.i18n import N_, as_typed, labelled, shell_word
from topicspider.i18n import gettext as _
from topicspider.meta import REVISIT
from topicspider.page.near_duplicate import CopyMemory
from topicspider.recrawl import USUAL_BUDGET
from topicspider.recrawl.planning import DAY, Chosen, back_off, choose, settle
from topicspider.recrawl.revisit_queue import MOVED_REASON, POOL, SAME_REASON, RevisitQueue, RoundPlan
from topicspider.store import location
from topicspider.store.location import open_store, store_of_crawl
from topicspider.store.recrawl_lease import RecrawlLease
from topicspider.store.rows import GONE, NAME_CHARACTERS, seconds_of
from topicspider.store.store import Store
from topicspider.text.terminal import table
from topicspider.url import fingerprint, host_key


def config_of(settings: BaseSettings) -> CrawlConfig:
    """The configuration for recrawling the pages of a crawl (the only one if no topic is named); raises ConfigError, NotCrawled."""
    use_crawl(settings)
    config = CrawlConfig.read(settings, needs_seeds=False)
    options = replace(config.options, seeds="", fresh=False, keep_alive=False, stop_yield=0.0)
    place = location.parse(options.store, config.folder / location.FILE)
    if isinstance(place, location.SqlitePlace) and (place.path is None or not place.path.exists()):
        raise NotCrawled(config.name, config.folder)
    if is_demo(config.folder):
        hint = _("The real web: `scrapy crawl topic -a topic={topic}`", topic=config.name)
        raise ConfigError("recrawl", config.name, _("a crawl of the real web; the demo's is simulated, and gone"), hint)
    return replace(config, options=options, seeds=(), redis_key=None, log_pages=0)


def begin(components: RecrawlComponents, now: datetime, older_than: float | None) -> tuple[RoundPlan | None, str]:
    """Resume an interrupted round, or choose the pages of a new one; returns its plan (None: no page is due) and a message."""
    name, topics, before = components.config.name, components.topics, components.round.plan
    if not any(components.store.totals(topic).pages for topic in topics):
        raise NotCrawled(name, components.config.folder)
    if before is not None and components.round.is_open:
        plan = components.round.go_on(components.budget)
        components.store.round_began_at = plan.began_at
        words = N_("{topic}: goes on with the round begun at {began} (budget: {budget:,} visits)")
        return plan, _(words, topic=name, began=plan.began_at, budget=plan.budget)
    if before is not None:  # its process may have been killed, or the store was away
        settle(components.store, topics, before.began_at, before.fetches_a_day)
    choice = choose(components.store, topics, now.timestamp(), components.budget, older_than, components.round.blocked)
    if not choice.pages:
        return None, _nothing_due(name, choice.next_due)
    plan = RoundPlan(now.isoformat(timespec="seconds"), components.budget, len(choice.pages), _days_since(before, now))
    components.store.round_began_at = plan.began_at
    components.stats.earlier_pages = 0  # they are the pages of the round before
    components.round.begin(plan, [entry_of(one) for one in choice.pages])
    words = N_("{topic}: {due:,} pages are due, the most valuable {chosen:,} are visited (budget: {budget:,} visits)")
    return plan, _(words, topic=name, due=choice.due, chosen=plan.chosen, budget=plan.budget)


def _nothing_due(name: str, next_due: float) -> str:
    when = datetime.fromtimestamp(next_due, UTC).isoformat(timespec="minutes") if next_due else ""
    first = _(", the first will be at {when}", when=when) if when else ""
    words = N_("{topic}: no page is due{first}. Whatever their cycles: `scrapy recrawl {word} --older-than 0d`")
    return as_typed(_(words, topic=name, first=first, word=shell_word(name)))


def places_of(components: RecrawlComponents) -> Iterator[str]:
    """URLs to test the network with: those of the round, then those of all pages."""
    yield from (entry.url for entry in components.round.peek(POOL))
    for topic in components.topics:
        yield from components.store.urls(topic)


def _days_since(before: RoundPlan | None, now: datetime) -> float:
    """The expected number of days until the next round: as many as since the last one, from an hour to 30 days."""
    if before is None:
        return 7.0
    days = (now.timestamp() - seconds_of(before.began_at)) / DAY
    return min(max(days, 1 / 24), 30.0)


def entry_of(chosen: Chosen) -> Entry:
    """The frontier's entry for the page, with headers by which the server sends the page only if it has changed."""
    page = chosen.page
    told = {} if page.status in GONE else {"if-none-match": page.etag, "if-modified-since": page.last_modified}
    fields: dict[str, Any] = {"meta": {REVISIT: True}}
    if headers := {name: value for name, value in told.items() if _fits(value)}:
        fields["headers"] = headers
    payload = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return Entry(page.url, fingerprint(page.url), host_key(page.url), 0.0, page.depth, page.referrer, payload)


def _fits(value: str) -> bool:
    """Whether ``value`` can be sent as a header."""
    return value.isascii() and value.isprintable() and 0 < len(value) < NAME_CHARACTERS


REASONS = {
    "finished": N_("finished: all pages chosen were visited"),
    "max_pages": N_("finished: the budget is used"),
    "shutdown": N_("stopped: the same command goes on from here"),
    "not_alone": N_("stopped: others are at work on it"),
    "claim_lost": N_("stopped: others can be kept from it no more"),
}


def end(components: RecrawlComponents, plan: RoundPlan, reason: str, now: datetime) -> list[str]:
    """Record the results of a round, whether it is complete or not; returns them as lines of text."""
    topics, queue = components.topics, components.round
    found = None
    with suppress(UnavailableError), store_of_crawl(components.options, components.config.folder, 0.0) as store:
        back_off(store, topics, queue.missed, now.timestamp())
        found = settle(store, topics, plan.began_at, plan.fetches_a_day)
    moved = sum(why == MOVED_REASON for why in queue.missed.values())
    rows = [
        (_("fetched / budget"), f"{queue.visits:,} / {plan.budget:,}"),
        (_("not modified (304)"), f"{queue.outcomes.get(SAME_REASON, 0):,}"),
        (_("moved"), f"{moved:,}"),
        (_("failed"), f"{len(queue.missed) - moved:,}"),
    ]
    if found is None:
        rows.append((_("results"), _("the store does not answer; the next run settles them")))
    else:
        rows += [
            (_("changed"), f"{found.changed:,}"),
            (_("unchanged (with 304)"), f"{found.unchanged:,}"),
            (_("gone"), f"{found.gone:,}"),
            (_("new pages"), f"{found.new_pages:,}"),
            (_("new hits"), f"{found.new_hits:,}"),
        ]
    title = labelled(components.config.name, _(REASONS[reason]) if reason in REASONS else reason)
    return ["", title, table(rows, columns=terminal_columns())]


ROUND_FILE = "recrawl.db"


class RecrawlComponents(CrawlComponents):
    """The components of a recrawl. The crawl's own queue is open, too: an embedded one is then locked, so that no crawl runs beside.

    ``claim`` keeps other processes from the topics; it is released after the results of the round were recorded.
    """

    is_recrawl = True
    round: RevisitQueue
    budget: int

    def __init__(self, config: CrawlConfig, budget: int | None) -> None:
        """``budget`` None: that of the interrupted round, else USUAL_BUDGET. Raises CrawlRunning, also if another process recrawls."""
        self._wanted = budget
        self.topics = [topic.name for topic in config.topics]
        super().__init__(config)
        self.stats.max_pages = self.budget
        with ExitStack() as undo:
            undo.callback(super().close)
            self.claim = self._claim()
            undo.callback(self.claim.release)
            self.claim.take()
            if is_in_redis(self.options.frontier):  # a node that has just begun may not have seen the claim
                states_in_redis(self.options.frontier, self.config.folder / FRONTIER)
            undo.pop_all()

    @property
    def store(self) -> Store:
        return self._store

    def close(self) -> None:
        """As CrawlComponents.close; after it, others may recrawl the topics."""
        try:
            super().close()
        finally:
            self.claim.release()

    def _claim(self) -> RecrawlLease:
        options, path = self.options, self.config.folder / location.FILE
        store = open_store(options.store, path, options.connect_wait, location.HANGING_SECONDS)
        owner = self.round.owner_on(heartbeat.machine_name())
        # the store may be away for a minute, even if the leases are shorter
        seconds = max(120.0, 2 * options.lease_seconds)
        return RecrawlLease(store.database, self.topics, owner, heartbeat.node_name(options.node), seconds)

    def _check_beside(self, store: Store) -> None:
        """Does nothing: the claim is taken after everything is open."""

    def _open_frontier(self) -> Frontier:
        crawl = super()._open_frontier()
        try:
            hosts = self._host_states(crawl)
            path = self.config.folder / ROUND_FILE
            path.parent.mkdir(parents=True, exist_ok=True)
            self.budget = self._wanted or budget_left_open(path) or USUAL_BUDGET
            policy, seed, attempts = self.options.server_policy, self.options.seed, self.options.attempts
            inner = SqliteFrontier(path, max_pages=self.budget, attempts=attempts, server_policy=policy, seed=seed)
        except BaseException:
            crawl.close()
            raise
        most = self.config.limits.pages_per_host
        self.round = RevisitQueue(inner, crawl, self._stored, hosts=hosts, pages_per_host=most, attempts=attempts)
        return self.round

    def _host_states(self, crawl: Frontier) -> list[HostState]:
        """The hosts of the crawl's own queue; raises CrawlRunning while nodes crawl on a shared one."""
        url, default_path = self.options.frontier, self.config.folder / FRONTIER
        if is_in_redis(url):
            return states_in_redis(url, default_path)
        path = file_of(url, default_path)
        if path is None or not isinstance(crawl, SqliteFrontier):
            return []
        with closing(SqliteInspection(path, crawl)) as inspection:
            return list(inspection.hosts())

    def _stored(self, urls: Sequence[str]) -> set[str]:
        """Those of ``urls`` that are stored; none while the store is away: requesting a known page costs only one visit."""
        try:
            return {url for topic in self.topics for url in self._store.known(topic, urls)}
        except StoreUnavailable:
            return set()

    def _known_copies(self, *, is_resumed: bool) -> CopyMemory:
        return super()._known_copies(is_resumed=True)


def budget_left_open(path: Path) -> int | None:
    """The budget of an unfinished round in ``path``; None if there is none."""
    if not path.exists():
        return None
    with closing(RevisitQueue(SqliteFrontier(path), SqliteFrontier(), lambda _: set())) as frontier:
        plan = frontier.plan if frontier.is_open else None
    return plan.budget if plan else None


def states_in_redis(url: str, default_path: Path) -> list[HostState]:
    """All hosts of the crawl in Redis; raises CrawlRunning if nodes are there, were there and may come back, or hold leases."""
    from topicspider.frontier.redis.opening import crawl_of, inspect_in_redis  # loads the driver

    with closing(inspect_in_redis(url, default_path)) as inspection:
        nodes = (one for one in inspection.nodes().nodes if one.state not in (heartbeat.ENDED, heartbeat.GONE))
        names = {node.heartbeat.name for node in nodes}
        names |= {lease.node for lease in inspection.leases() if lease.seconds_left > 0}
        if names:
            who = f"frontier in Redis, crawl {crawl_of(default_path)}: {', '.join(sorted(names))} crawls on it"
            raise CrawlRunning(_("{who}; stop that first, or wait for its leases", who=who))
        return list(inspection.hosts())
