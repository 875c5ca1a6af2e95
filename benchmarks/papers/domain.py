"""A made domain of many web servers, after the test set of (c) Cao: sizes, speeds, links and page quality.

The paper names the numbers of servers and pages and the shares of requests per connection; every other
distribution is from measurements of the web of its time, named where it is drawn. Same seed, same domain.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.servers import ServedWeb, Server

DAMPING = 0.85
SLOWEST_SERVER_SECONDS = 10.0
"""A server that needs longer for each page is given up by the limit of (b) and has no page in the set."""
FIRST_WINDOW_BYTES = 2 * 1460
"""What a new connection sends in the first round trip; it doubles with each (slow start, RFC 2581)."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DomainSpec:
    """What a domain is made of: medians, and spreads as sigmas of log-normal distributions over servers.

    A page's response is a round trip, the server's own time and the transfer. With spread 1 the slowest
    twentieth is 27 times as slow as the fastest twentieth. ``longest`` (None: no limit): no server's pages
    take more than about 1/longest of the time of all pages; there must be more servers than that.

    One request a connection is ``single`` of the servers, 100 (what Apache was shipped with) ``hundred``
    of them, (c); the rest lies between, evenly on a logarithmic scale.
    """

    servers: int = 500
    pages: int = 30_000
    longest: int | None = 96
    round_trip_seconds: float = 0.1
    round_trip_spread: float = 0.25
    own_seconds: float = 0.35
    own_spread: float = 1.5
    bytes_a_second: float = 400_000.0
    bytes_spread: float = 0.5
    single: float = 0.24
    hundred: float = 0.66
    local_links: float = 0.815


@dataclass(frozen=True, slots=True)
class _Speeds:
    """Of each server: seconds of a round trip, seconds of its own for a page, bytes a second."""

    round_trip: Floats
    own: Floats
    bandwidth: Floats


def make_domain(spec: DomainSpec, quality: str, seed: int) -> ServedWeb:
    """The domain; ``quality`` is "pagerank" (of the full graph) or "zipf" (a = 1, at random), sum 1."""
    rng = np.random.default_rng([seed, 3])
    speeds = _speeds(spec, rng)
    sizes = server_sizes(spec, speeds.round_trip + speeds.own + _MEAN_BYTES / speeds.bandwidth, rng)
    server_of = np.repeat(np.arange(spec.servers), sizes)
    popularity = _popularity(server_of, rng)
    links = _links(spec, server_of, popularity, rng)
    warm, cold = _responses(speeds, server_of, rng)
    return ServedWeb(
        servers=[Server(*one) for one in zip(speeds.round_trip.tolist(), _requests(spec, seed), strict=True)],
        server_of=server_of.tolist(),
        warm_seconds=warm.tolist(),
        cold_seconds=cold.tolist(),
        quality=(page_ranks(links) if quality == "pagerank" else zipf_qualities(spec.pages, rng)).tolist(),
        links=[targets.tolist() for targets in links],
        start=int(np.argmax(popularity)),
    )


# Sizes of files in bytes, Barford, Crovella 1998: log-normal, median 11.6 kB, mean 27.6 kB.
_LOG_BYTES, _LOG_BYTES_SPREAD = 9.357, 1.318
_MEAN_BYTES = float(np.exp(_LOG_BYTES + _LOG_BYTES_SPREAD**2 / 2))


def _speeds(spec: DomainSpec, rng: np.random.Generator) -> _Speeds:
    return _Speeds(
        spec.round_trip_seconds * rng.lognormal(0.0, spec.round_trip_spread, spec.servers),
        np.minimum(SLOWEST_SERVER_SECONDS, spec.own_seconds * rng.lognormal(0.0, spec.own_spread, spec.servers)),
        spec.bytes_a_second * rng.lognormal(0.0, spec.bytes_spread, spec.servers),
    )


def server_sizes(spec: DomainSpec, page_seconds: Floats, rng: np.random.Generator) -> Ints:
    """Pages of each server: in proportion to 1/rank (Adamic, Huberman 2002), ranks at random, at least one.

    Under ``spec.longest`` what is above a server's share of the time goes to the others, still by 1/rank.
    """
    weights = 1.0 / rng.permutation(np.arange(1, spec.servers + 1))
    sizes = _filled(weights, spec.pages, np.full(spec.servers, float(spec.pages)))
    if spec.longest is not None:
        for _ in range(30):  # the limit is a share of a sum that the limit changes: 30 rounds settle it
            limits = np.maximum(1.0, float(sizes @ page_seconds) / spec.longest / page_seconds)
            sizes = _filled(weights, spec.pages, limits)
    ends = np.rint(np.cumsum(sizes) / sizes.sum() * spec.pages).astype(np.int64)
    whole: Ints = np.diff(ends, prepend=0)
    return whole


def _filled(weights: Floats, total: int, limits: Floats) -> Floats:
    """c · weights cut to 1 … limits, with the c that makes the sum ``total`` (by bisection of its logarithm)."""
    low, high = 1e-3, 1e9
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        sizes = np.clip(middle * weights, 1.0, limits)
        low, high = (middle, high) if sizes.sum() < total else (low, middle)
    return sizes


def _requests(spec: DomainSpec, seed: int) -> list[int]:
    """Requests per connection of each server, in exactly the shares of ``spec``."""
    rng = random.Random(seed)
    single, hundred = round(spec.single * spec.servers), round(spec.hundred * spec.servers)
    between = [round(2 * 49.5 ** rng.random()) for _ in range(spec.servers - single - hundred)]
    allowed = [1] * single + [100] * hundred + between
    rng.shuffle(allowed)
    return allowed


def _responses(speeds: _Speeds, server_of: Ints, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Seconds of each page over a connection in use, and over a new one with the round trips of slow start."""
    sizes = rng.lognormal(_LOG_BYTES, _LOG_BYTES_SPREAD, len(server_of))
    warm = (speeds.round_trip + speeds.own)[server_of] + sizes / speeds.bandwidth[server_of]
    rounds = np.ceil(np.log2(sizes / FIRST_WINDOW_BYTES + 1))
    return warm, warm + speeds.round_trip[server_of] * np.maximum(0.0, rounds - 1)


def _popularity(server_of: Ints, rng: np.random.Generator) -> Floats:
    """How much each page is linked to: in-degrees with exponent 2.1 (Broder et al. 2000), home pages most.

    Popular pages come first in their server, the home page before all.
    """
    drawn = rng.pareto(1.1, len(server_of)) + 1.0
    return drawn[np.lexsort((-drawn, server_of))]


def _links(spec: DomainSpec, server_of: Ints, popularity: Floats, rng: np.random.Generator) -> list[Ints]:
    """Targets of each page: mean 62.6 and median 23 with repetitions, 81.5 % within the server ((e) Broder).

    Targets are drawn by popularity, in the server or in the domain; a target counts once a page.
    """
    firsts, pages = _firsts(server_of), len(server_of)
    counts = rng.lognormal(np.log(23.0), np.sqrt(2 * np.log(62.55 / 23)), pages).astype(np.int64)
    sources = np.repeat(np.arange(pages), np.clip(counts, 1, 1000))
    below = np.concatenate(([0.0], np.cumsum(popularity)))
    local = rng.random(len(sources)) < spec.local_links
    lowest = np.where(local, below[firsts[server_of[sources]]], 0.0)
    highest = np.where(local, below[firsts[server_of[sources] + 1]], below[-1])
    drawn = lowest + rng.random(len(sources)) * (highest - lowest)
    targets = np.minimum(np.searchsorted(below, drawn, side="right") - 1, pages - 1)
    parents, children = _tree(firsts, server_of, popularity, rng)
    pairs = np.unique(np.concatenate((sources, parents)) * pages + np.concatenate((targets, children)))
    linking, linked = np.divmod(pairs[pairs // pages != pairs % pages], pages)
    return np.split(linked, np.searchsorted(linking, np.arange(1, pages)))


def _firsts(server_of: Ints) -> Ints:
    """The first page of each server, and the number of pages."""
    return np.searchsorted(server_of, np.arange(server_of[-1] + 2))


def _tree(firsts: Ints, server_of: Ints, popularity: Floats, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Links (from, to) by which all can be reached.

    A page's parent is before it in its server; a home page's is anywhere in a server whose home page is
    more popular. The most popular home page of all has none: there the crawl starts.
    """
    pages = np.arange(len(server_of))
    home = firsts[server_of]
    parents = home + ((pages - home) * rng.random(len(pages))).astype(np.int64)
    order = np.argsort(-popularity[firsts[:-1]], kind="stable")
    for place, server in enumerate(order[1:].tolist(), start=1):
        earlier = order[int(rng.integers(place))]
        parents[firsts[server]] = rng.integers(firsts[earlier], firsts[earlier + 1])
    rooted = pages != firsts[order[0]]
    return parents[rooted], pages[rooted]


def page_ranks(links: Sequence[Ints]) -> Floats:
    """PageRank of (a) Li, formula 2, as shares of the sum; power iteration (0.85^60: error below 1e-4)."""
    out = np.array([len(targets) for targets in links])
    sources, targets = np.repeat(np.arange(len(links)), out), np.concatenate(links)
    ranks: Floats = np.ones(len(links))
    for _ in range(60):
        given = ranks / np.maximum(out, 1)
        ranks = (1 - DAMPING) + DAMPING * np.bincount(targets, given[sources], len(links)).astype(np.float64)
    shares: Floats = ranks / ranks.sum()
    return shares


def zipf_qualities(pages: int, rng: np.random.Generator) -> Floats:
    """1/rank, the ranks given out at random, as shares of the sum."""
    qualities: Floats = 1.0 / np.arange(1, pages + 1)
    rng.shuffle(qualities)
    qualities /= qualities.sum()
    return qualities
