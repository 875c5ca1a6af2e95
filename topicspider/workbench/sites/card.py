"""Sums up what each site of a crawl has given, from its pages in the store and its place in the queue."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import TYPE_CHECKING

from topicspider.frontier.policies import REQUESTS_PER_CONNECTION, HostView, task_seconds
from topicspider.url.host import host_key
from topicspider.workbench.sites.advice import Advice, advise, interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicspider.frontier.inspection import HostState
    from topicspider.store.site_pages import SitePage

_USUAL_PORTS = (80, 443)


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
class SiteCard:
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
    def rate_interval(self) -> tuple[float, float]:
        """Between which rates the true one lies."""
        return interval(self.hits, self.fetches)

    @property
    def capacity(self) -> float | None:
        """Score a second, C = quality of the next P pages / T of (c), with the mean score of the pages it gave as each one's quality."""
        if self.queue is None or self.queue.task_seconds is None or self.mean_score is None:
            return None
        return self.queue.pages_ahead * self.mean_score / self.queue.task_seconds


@dataclass(frozen=True, slots=True)
class SiteCards:
    """All sites of a topic that were asked for a page; ``hit_rate`` is hits a fetch over all, ``waiting`` how many sites only wait in the queue.

    None of those that wait: the queue could not be asked.
    """

    cards: tuple[SiteCard, ...]
    hit_rate: float
    waiting: int | None

    @property
    def pages(self) -> int:
        """Of all sites."""
        return sum(card.pages for card in self.cards)

    @property
    def hits(self) -> int:
        """Of all sites, without copies."""
        return sum(card.hits for card in self.cards)


@dataclass(slots=True)
class _Given:
    """What a site's pages add up to."""

    hits: int = 0
    copies: int = 0
    scores: array[float] = field(default_factory=lambda: array("d"))
    seconds: array[float] = field(default_factory=lambda: array("d"))


def site_cards(pages: Iterable[SitePage], hosts: Iterable[HostState] | None) -> SiteCards:
    """The cards of all sites that gave a page or had a URL given up, in no order; ``hosts`` are the queue's, None when it could not be asked."""
    given, leads = _given(pages)
    queues = {} if hosts is None else _queues(hosts)
    asked = sorted(set(given) | {site for site, queue in queues.items() if queue.dead})
    fetches = sum(len(one.scores) for one in given.values()) + sum(queue.dead for queue in queues.values())
    rate = sum(one.hits for one in given.values()) / max(1, fetches)
    cards = tuple(_card(site, given.get(site, _Given()), leads[site], queues.get(site), rate) for site in asked)
    waiting = sum(queue.queued > 0 for site, queue in queues.items() if site not in given and not queue.dead)
    return SiteCards(cards, rate, None if hosts is None else waiting)


def _given(pages: Iterable[SitePage]) -> tuple[dict[str, _Given], Counter[str]]:
    """What each site gave, and how many hits of other sites it led to."""
    given: dict[str, _Given] = {}
    leads: Counter[str] = Counter()
    for page in pages:
        site = _site(page.host, page.port)
        of_site = given.setdefault(site, _Given())
        of_site.scores.append(page.relevance)
        if page.download_seconds > 0:  # 0: nobody has measured it, as of a page from a cache
            of_site.seconds.append(page.download_seconds)
        of_site.copies += page.on_topic and page.is_copy
        if page.on_topic and not page.is_copy:
            of_site.hits += 1
            if (led_by := _site_of(host_key(page.referrer))) not in (site, ""):
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
            one.queued,
            connect_seconds=one.connect_seconds,
            response_seconds=one.response_seconds,
            requests_per_connection=one.requests_per_connection or REQUESTS_PER_CONNECTION,
        )
        for one in states
    ]
    times = [task_seconds(view) for view in views if view.response_seconds is not None]
    return SiteQueue(
        queued=sum(one.queued for one in states),
        dead=sum(one.dead for one in states),
        is_blocked=all(one.is_blocked for one in states),
        pages_ahead=sum(view.pages for view in views),
        task_seconds=max(times, default=None),
    )


def _card(site: str, given: _Given, leads: int, queue: SiteQueue | None, crawl_rate: float) -> SiteCard:
    pages = len(given.scores)
    return SiteCard(
        site=site,
        pages=pages,
        hits=given.hits,
        copies=given.copies,
        leads=leads,
        mean_score=fmean(given.scores) if pages else None,
        response_seconds=median(given.seconds) if given.seconds else None,
        queue=queue,
        advice=advise(given.hits, leads, pages + (queue.dead if queue else 0), crawl_rate),
    )


def _site(host: str, port: int) -> str:
    return host if port in _USUAL_PORTS else f"{host}:{port}"


def _site_of(key: str) -> str:
    """Of ``host:port``, as the frontier names hosts; "" for none."""
    host, _, port = key.rpartition(":")
    return _site(host, int(port)) if host and port.isdigit() else key
