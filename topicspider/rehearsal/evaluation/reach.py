"""Which pages of an archived web a crawl can reach, over links and redirects and as robots.txt allows, and where crawls start."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.politeness.robots import ALLOW_ALL, Rules, read_rules
from topicspider.rehearsal.archive.archived_web import ArchivedWeb
from topicspider.rehearsal.archive.page_reader import ROBOTS_AGENT
from topicspider.url import canonicalize, fingerprint, host_key

if TYPE_CHECKING:
    from topicspider.rehearsal.evaluation.labels import Labels


def page_behind(url: str, web: ArchivedWeb) -> str:
    """The URL of the page that ``url`` leads to over at most ten redirects, itself when it is one; "" when there is none."""
    for _hop in range(11):
        answer = web.answer(url)
        if answer.is_page:
            return url
        if not answer.target:
            return ""
        url = answer.target
    return ""


def is_page(url: str, web: ArchivedWeb) -> bool:
    """Whether ``url`` is a page; mostly known from the graph, without reading the answer."""
    links = web.graph().get(fingerprint(url))
    if links is None or len(links) != 1:  # only redirects, and few pages, have one link
        return links is not None
    return web.answer(url).is_page


def reachable(graph: Mapping[int, Iterable[int]], starts: Iterable[str]) -> set[int]:
    """The fingerprints of ``starts`` and of all URLs to which links and redirects lead from there (breadth-first)."""
    reached = {fingerprint(url) for url in starts}
    waiting = deque(reached)
    while waiting:
        for target in graph.get(waiting.popleft(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


def robots_rules(web: ArchivedWeb) -> Callable[[str], bool]:
    """A function that says whether the web's robots.txt files let a crawl fetch a URL; it reads each file once."""

    @cache
    def rules(host: str) -> Rules:
        body = web.robots(host)
        return ALLOW_ALL if body is None else read_rules(body, ROBOTS_AGENT)

    return lambda url: rules(host_key(url)).allow(url)


ON_TOPIC_SEEDS = 3


def seed_sets(
    web: ArchivedWeb, labels: Labels, repeats: int = 1, on_topic: int = ON_TOPIC_SEEDS, start_pages: Sequence[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """``repeats`` seed sets; number k is ``random.Random(k).sample(pool, on_topic)``, followed by the start pages (default: the web's own).

    The pool: the labels' targets, sorted, that are pages, that links lead to from the start pages, that robots.txt allows, and that are
    no start pages. Raises ConfigError for a start page outside the web, and when the pool is too small.
    """
    starts = checked_starts(web, start_pages)
    if not on_topic:
        return (starts,) * repeats
    pool = _pool(web, labels.targets(), starts)
    if len(pool) <= on_topic:
        found = f"{len(pool) or 'none'} of its {len(labels.targets())} on-topic pages"
        why = _(
            "Links that robots.txt allows lead from {names} to {found}, and some must be left to find.",
            names=", ".join(starts[:3]),
            found=found,
        )
        allowed = _("0 to {pool} (0: the start pages alone)", pool=max(0, len(pool) - 1))
        raise ConfigError("on-topic seeds", on_topic, allowed, why)
    return tuple((*random.Random(number).sample(pool, on_topic), *starts) for number in range(repeats))


def checked_starts(web: ArchivedWeb, start_pages: Sequence[str] = ()) -> tuple[str, ...]:
    """``start_pages`` in canonical form, each once, or the web's own; raises ConfigError for one that does not answer."""
    starts: dict[str, None] = {}
    for page in start_pages or web.start_pages:
        url = canonicalize(page)
        if url is None or web.answer(url).status == 0:
            hint = _("That web begins at {names}.", names=", ".join(web.start_pages[:3]))
            raise ConfigError("seed", page, _("a page of {name}", name=web.name), hint)
        starts[url] = None
    return tuple(starts)


def _pool(web: ArchivedWeb, targets: Collection[str], starts: Sequence[str]) -> list[str]:
    within, is_allowed = reachable(web.graph(), starts), robots_rules(web)
    candidates = sorted(set(targets) - set(starts))
    return [url for url in candidates if fingerprint(url) in within and is_page(url, web) and is_allowed(url)]
