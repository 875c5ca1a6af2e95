"""The topic map: sites as circles (larger: more hits; darker: better harvest), and lines for links that led from site to site."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from topicspider.cli.sites import SiteStats, site_name, site_of_url
from topicspider.i18n import N_
from topicspider.serve.site import Data, Fields, Site, View
from topicspider.serve.stored import UntilWritten, one_topic, store_with, stored_topics
from topicspider.url import readable_host

MOST_SITES = 60
MOST_LINES = 150
SHADES = 5
LEAST_RADIUS, LARGEST_RADIUS, GAP = 9.0, 64.0, 12.0
KEPT: UntilWritten[tuple[list[Circle], list[Line]]] = UntilWritten()
TURN = math.pi * (3 - math.sqrt(5))  # the golden angle: no two places on the spiral lie in the same direction


@dataclass(frozen=True, slots=True)
class Circle:
    """A site on the map. ``shade``: 0 to SHADES - 1 by harvest; ``leads``: as in ``scrapy sites``; ``label`` fits at size ``font``."""

    host: str
    x: float
    y: float
    radius: float
    shade: int
    hits: int
    pages: int
    leads: int
    label: str
    font: float


@dataclass(frozen=True, slots=True)
class Line:
    """``pages`` of ``target`` were found through ``source``; both are indexes in the list of circles. ``path`` is an SVG curve."""

    source: int
    target: int
    pages: int
    path: str
    weight: float


def places(radii: Sequence[float]) -> list[tuple[float, float]]:
    """The centres of circles that do not overlap: each gets the first free place on a spiral, so give the largest radius first."""
    import numpy as np

    step = np.arange(len(radii) * 200)  # twice as many places as the largest circles need
    reach, angle = 9.0 * np.sqrt(step), step * TURN
    x, y = 1.5 * reach * np.cos(angle), reach * np.sin(angle)  # screens are wider than high
    room, found = np.full(len(step), np.inf), []
    for radius in radii:
        first = int(np.argmax(room >= radius + GAP))
        found.append((float(x[first]), float(y[first])))
        room = np.minimum(room, np.hypot(x - x[first], y - y[first]) - radius)
    return found


def sites_and_links(ways: Iterable[Sequence[Any]]) -> tuple[list[SiteStats], Counter[tuple[str, str]]]:
    """Every site of ``ways`` (see Store.ways), and how many pages of one site were found through another, by that pair."""
    sites: dict[str, SiteStats] = {}
    links: Counter[tuple[str, str]] = Counter()
    leads: Counter[str] = Counter()
    site_at = cache(site_of_url)
    for host, port, referrer, is_hit in ways:
        name = site_name(host, port)
        site = sites.get(name) or sites.setdefault(name, SiteStats(name))
        site.pages += 1
        site.hits += is_hit
        source = site_at("/".join(referrer.split("/", 3)[:3]))
        if source and source != name:
            links[source, name] += 1
            leads[source] += is_hit
    for site in sites.values():
        site.leads = leads[site.site]
    return list(sites.values()), links


def circles(sites: Iterable[SiteStats]) -> list[Circle]:
    shown = sorted(sites, key=lambda site: (-site.hits, -site.pages, site.site))[:MOST_SITES]
    most = max((site.hits for site in shown), default=0) or 1
    radii = [LEAST_RADIUS + (LARGEST_RADIUS - LEAST_RADIUS) * math.sqrt(site.hits / most) for site in shown]
    return [_circle(site, radius, *place) for site, radius, place in zip(shown, radii, places(radii), strict=True)]


def _circle(site: SiteStats, radius: float, x: float, y: float) -> Circle:
    host = readable_host(site.site)
    label = host.removeprefix("www.")
    width = sum(1.0 if ord(char) > 0x2E80 else 0.62 for char in label)  # in letter heights; Chinese is square
    font = min(13.0, 1.7 * radius / width)
    shade = min(SHADES - 1, int(site.hit_rate * SHADES))
    where = (round(x, 1), round(y, 1), round(radius, 1))
    return Circle(host, *where, shade, site.hits, site.pages, site.leads, label, round(font, 1))


def lines(found: Sequence[Circle], links: Counter[tuple[str, str]]) -> list[Line]:
    numbers = {circle.host: number for number, circle in enumerate(found)}
    named = [(readable_host(a), readable_host(b), count) for (a, b), count in links.most_common()]
    kept = [one for one in named if one[0] in numbers and one[1] in numbers][:MOST_LINES]
    most = kept[0][2] if kept else 1
    ends = [(numbers[a], numbers[b], count, round(1 + 4 * math.sqrt(count / most), 1)) for a, b, count in kept]
    return [Line(a, b, count, _curve(found[a], found[b]), weight) for a, b, count, weight in ends]


def _curve(source: Circle, target: Circle) -> str:
    """A line bent to its left, so that the lines there and back can both be seen."""
    x, y = (source.x + target.x) / 2, (source.y + target.y) / 2
    across, down = target.x - source.x, target.y - source.y
    return f"M{source.x} {source.y}Q{x - down / 6:.1f} {y + across / 6:.1f} {target.x} {target.y}"


def drawn_map(ways: Iterable[Sequence[Any]]) -> tuple[list[Circle], list[Line]]:
    sites, links = sites_and_links(ways)
    found = circles(sites)
    return found, lines(found, links)


def topic_map(site: Site, fields: Fields) -> Data:
    """The sites and lines of a topic, and the viewBox that shows all of them."""
    topic = one_topic(site, fields)
    if not topic:
        return {"topic": "", "topics": [], "sites": [], "links": [], "window": "0 0 100 100"}
    with store_with(site, topic) as (folder, store):
        found, links = KEPT.of((folder, topic), store, lambda: drawn_map(store.ways(topic)))
    shown = {"sites": list(map(asdict, found)), "links": list(map(asdict, links)), "window": viewed(found)}
    return {"topic": topic, "topics": stored_topics(site), **shown}


def viewed(found: Sequence[Circle]) -> str:
    """The viewBox that shows all circles; it has a least size, so that the circles of a few sites do not fill the screen."""
    left = min(-200, *(one.x - one.radius - GAP for one in found))
    top = min(-100, *(one.y - one.radius - GAP for one in found))
    right = max(200, *(one.x + one.radius + GAP for one in found))
    bottom = max(100, *(one.y + one.radius + GAP for one in found))
    return f"{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f}"


VIEWS = (View("/map", "map.html", topic_map, N_("Map"), is_of_hits=True),)
