"""The parts of a recrawl: those of the crawl, with a round of visits in place of its queue, and the claim that keeps others away."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from topicspider.crawl_components import HANGING_SECONDS, CrawlComponents
from topicspider.crawl_config import CrawlConfig
from topicspider.errors import CrawlRunning, StoreUnavailable
from topicspider.frontier.factory import file_of, is_in_redis
from topicspider.frontier.heartbeat import ENDED, GONE, machine_name, node_name
from topicspider.frontier.inspection import HostState
from topicspider.frontier.protocol import Frontier
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection
from topicspider.i18n import gettext as _
from topicspider.page.near_duplicate import CopyMemory
from topicspider.recrawl import USUAL_BUDGET
from topicspider.recrawl.revisit_queue import RevisitQueue
from topicspider.store import location
from topicspider.store.location import open_store
from topicspider.store.recrawl_lease import RecrawlLease
from topicspider.store.store import Store

FILE = "recrawl.db"


class RecrawlComponents(CrawlComponents):
    """While it is open the crawl's own queue is, too: an embedded one is no other process's then, so that no crawl runs beside.

    ``claim`` keeps others from the topics until it is released, which is after the round was settled.
    """

    round: RevisitQueue
    budget: int

    def __init__(self, config: CrawlConfig, budget: int | None) -> None:
        """``budget`` None: that of the round which was interrupted, else USUAL_BUDGET. Raises CrawlRunning also when another recrawls."""
        self._wanted = budget
        super().__init__(config)
        self.tally.max_pages = self.budget
        try:
            self.claim = self._claim()
            try:
                self.claim.take()
                if is_in_redis(self.options.frontier):  # a node that began in this moment did not see the claim
                    states_in_redis(self.options.frontier, self.config.folder / "frontier.db")
            except BaseException:
                self.claim.release()
                raise
        except BaseException:
            super().close()
            raise

    @property
    def store(self) -> Store:
        return self._store

    def close(self) -> None:
        """As CrawlComponents.close; others may recrawl the topics then."""
        try:
            super().close()
        finally:
            self.claim.release()

    def _claim(self) -> RecrawlLease:
        options, path = self.options, self.config.folder / location.FILE
        store = open_store(options.store, path, options.connect_wait, HANGING_SECONDS)
        topics, owner = [topic.name for topic in self.config.topics], self.round.owner_on(machine_name())
        # a store may be away for a minute, however short the leases are
        seconds = max(120.0, 2 * options.lease_seconds)
        return RecrawlLease(store.database, topics, owner, node_name(options.node), seconds)

    def _check_beside(self, store: Store) -> None:
        """The claim is asked for when all is open."""

    def _open_frontier(self) -> Frontier:
        crawl = super()._open_frontier()
        try:
            hosts = self._host_states(crawl)
            path = self.config.folder / FILE
            path.parent.mkdir(parents=True, exist_ok=True)
            self.budget = self._wanted or budget_left_open(path) or USUAL_BUDGET
            inner = SqliteFrontier(
                path,
                max_pages=self.budget,
                attempts=self.options.attempts,
                server_policy=self.options.server_policy,
                seed=self.options.seed,
            )
        except BaseException:
            crawl.close()
            raise
        pages_per_host, attempts = self.config.limits.pages_per_host, self.options.attempts
        self.round = RevisitQueue(
            inner, crawl, self._stored, hosts=hosts, pages_per_host=pages_per_host, attempts=attempts
        )
        return self.round

    def _host_states(self, crawl: Frontier) -> list[HostState]:
        """The hosts of the crawl's own queue; raises CrawlRunning while nodes crawl on a shared one."""
        url, default_path = self.options.frontier, self.config.folder / "frontier.db"
        if is_in_redis(url):
            return states_in_redis(url, default_path)
        path = file_of(url, default_path)
        if path is None or not isinstance(crawl, SqliteFrontier):
            return []
        with closing(SqliteInspection(path, crawl)) as inspection:
            return list(inspection.hosts())

    def _stored(self, urls: Sequence[str]) -> set[str]:
        """A page that is asked for though it is known costs one visit; while the store is away nobody can tell."""
        try:
            return {url for topic in self.config.topics for url in self._store.known(topic.name, urls)}
        except StoreUnavailable:
            return set()

    def _known_copies(self, *, is_resumed: bool) -> CopyMemory:
        return super()._known_copies(is_resumed=True)


def budget_left_open(path: Path) -> int | None:
    """The budget of the round in ``path`` when that has not come to its end."""
    if not path.exists():
        return None
    with closing(RevisitQueue(SqliteFrontier(path), SqliteFrontier(), lambda _: set())) as frontier:
        plan = frontier.plan if frontier.is_open else None
    return plan.budget if plan else None


def states_in_redis(url: str, default_path: Path) -> list[HostState]:
    """All hosts of the crawl; raises CrawlRunning for nodes that are there, or were a moment ago and may come back, and for leases."""
    from topicspider.frontier.redis.opening import crawl_of, inspect_in_redis  # loads the driver

    with closing(inspect_in_redis(url, default_path)) as inspection:
        names = {node.beat.name for node in inspection.nodes().nodes if node.state not in (ENDED, GONE)}
        names |= {lease.node for lease in inspection.leases() if lease.seconds_left > 0}
        if names:
            who = f"frontier in Redis, crawl {crawl_of(default_path)}: {', '.join(sorted(names))} crawls on it"
            raise CrawlRunning(_("{who}; stop that first, or wait for its leases", who=who))
        return list(inspection.hosts())
