"""Whether a crawl of a web at rest can come to a page: over redirects, and by leave of robots.txt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.politeness.robots import ALLOW_ALL, Rules, read_rules
from topicspider.rehearsal.archive.robots_files import AGENT
from topicspider.url.fingerprint import fingerprint
from topicspider.url.host import host_key

if TYPE_CHECKING:
    from topicspider.rehearsal.archive.page_features import ArchivedWeb

MAX_HOPS = 10


def page_behind(url: str, web: ArchivedWeb) -> str:
    """The URL of the page that ``url`` leads to over at most MAX_HOPS redirects, itself when it is one; "" when there is none."""
    for _hop in range(MAX_HOPS + 1):
        answer = web.answer(url)
        if answer.is_page:
            return url
        if not answer.target:
            return ""
        url = answer.target
    return ""


def is_page(url: str, web: ArchivedWeb) -> bool:
    """Whether there is something to read at ``url``; of a whole web mostly known without reading it."""
    if web.is_whole:
        links = web.graph().get(fingerprint(url))
        if links is None or len(links) != 1:  # only redirects, and few pages, have one link
            return links is not None
    return web.answer(url).is_page


class Leave:
    """What the robots.txt files of a web allow; each is read once."""

    def __init__(self, web: ArchivedWeb) -> None:
        self._web = web
        self._rules: dict[str, Rules] = {}

    def allows(self, url: str) -> bool:
        """Whether a crawl may fetch ``url``."""
        host = host_key(url)
        rules = self._rules.get(host)
        if rules is None:
            body = self._web.robots(host)
            rules = self._rules[host] = ALLOW_ALL if body is None else read_rules(body, AGENT)
        return rules.allow(url)
