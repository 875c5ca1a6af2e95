"""Which pages of an archived web a crawl can come to: over links and redirects, and by leave of robots.txt."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from topicspider.politeness.robots import ALLOW_ALL, Rules, read_rules
from topicspider.rehearsal.archive.page_reader import ROBOTS_AGENT
from topicspider.url import fingerprint, host_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from topicspider.rehearsal.archive.archived_web import ArchivedWeb


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
    """Whether there is something to read at ``url``; mostly known without reading it."""
    links = web.graph().get(fingerprint(url))
    if links is None or len(links) != 1:  # only redirects, and few pages, have one link
        return links is not None
    return web.answer(url).is_page


def reachable(graph: Mapping[int, Iterable[int]], starts: Iterable[str]) -> set[int]:
    """Fingerprints of all that links lead to from ``starts``, these included (breadth-first; redirects are followed)."""
    reached = {fingerprint(url) for url in starts}
    waiting = deque(reached)
    while waiting:
        for target in graph.get(waiting.popleft(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


class RobotsRules:
    """What the robots.txt files of a web allow; each is read once."""

    def __init__(self, web: ArchivedWeb) -> None:
        self._web = web
        self._rules: dict[str, Rules] = {}

    def allow(self, url: str) -> bool:
        """Whether a crawl may fetch ``url``."""
        host = host_key(url)
        rules = self._rules.get(host)
        if rules is None:
            body = self._web.robots(host)
            rules = self._rules[host] = ALLOW_ALL if body is None else read_rules(body, ROBOTS_AGENT)
        return rules.allow(url)
