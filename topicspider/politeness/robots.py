"""robots.txt: parses the group that applies to one crawler, and caches the rules of many hosts for a limited time."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from protego import Protego

from topicspider.politeness.host_clock import backoff_seconds
from topicspider.url import canonicalize, host_key

MAX_HOPS = 5  # RFC 9309, 2.3.1.2
CAPACITY = 10_000
# In characters. Parsed rules take some 25 times the memory of their text: this limits them to about 100 MB, however hostile.
TOTAL_SIZE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Known:
    rules: Rules | None = None  # None: not fetched yet, or unreachable
    until: float = 0.0
    failures: int = 0
    next_url: str = ""  # target of a redirect on the same host
    hops: int = 0


ROBOTS_TTL_SECONDS = 86_400.0
"""How long a robots.txt is used before it is fetched again; RFC 9309, 2.4 allows a day."""


class RobotsCache:
    """Rules by host key (``host:port``); the least recently used are dropped first. By the answer to /robots.txt:

    ============================  ==============================================================
    2xx                           its rules, for ``ttl_seconds``
    4xx except 429                everything is allowed, for ``ttl_seconds`` (RFC 9309, 2.3.1.3)
    redirect on the same host     followed, up to five times
    redirect to another host      that host's rules if they are known, else as 4xx: a fetch from there
                                  would break that host's own turn and rest
    redirect to no valid URL      as 4xx
    5xx, 429, unreachable         nothing is allowed until it is tried again; the time until then
                                  doubles with each failure (RFC 9309, 2.3.1.4)
    ============================  ==============================================================
    """

    def __init__(
        self, agent: str, ttl_seconds: float, *, capacity: int = CAPACITY, total_size: int = TOTAL_SIZE
    ) -> None:
        self._agent = agent
        self._ttl = ttl_seconds
        self._capacity, self._total_size = capacity, total_size
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._size = 0

    def rules(self, host: str, now: float) -> Rules | None:
        """The host's rules. None: fetch ``url_for`` first, unless ``closed_seconds`` is above 0."""
        known = self._known.get(host)
        if known is None or known.rules is None or known.until <= now:
            return None
        self._known.move_to_end(host)
        return known.rules

    def closed_seconds(self, host: str, now: float) -> float:
        """Seconds for which nothing may be fetched, because robots.txt could not be fetched; 0 otherwise."""
        known = self._known.get(host)
        return max(0.0, known.until - now) if known and known.rules is None and known.failures else 0.0

    def url_for(self, url: str, now: float) -> str:
        known = self._known.get(host_key(url))
        if known and known.next_url and known.until <= now:
            return known.next_url
        return urljoin(url, "/robots.txt")

    def answered(
        self, host: str, url: str, status: int, body: bytes, location: str, now: float, retry_after: float | None = None
    ) -> None:
        """Record the answer to a request of ``url`` for the robots.txt of ``host``."""
        if status >= 500 or status == 429:
            self.failed(host, now, retry_after)
        elif 300 <= status < 400 and location and (target := canonicalize(location, url)):
            self._redirected(host, target, now)
        elif 200 <= status < 300:
            self._learn(host, read_rules(body, self._agent), now)
        else:
            self._learn(host, ALLOW_ALL, now)

    def failed(self, host: str, now: float, retry_after: float | None = None) -> float:
        """robots.txt could not be fetched; returns for how many seconds nothing may be fetched."""
        known = self._known.get(host, _Known())
        seconds = backoff_seconds(known.failures + 1, retry_after)
        self._put(host, _Known(None, now + seconds, known.failures + 1))
        return seconds

    def _redirected(self, host: str, target: str, now: float) -> None:
        known = self._known.get(host, _Known())
        other = host_key(target)
        if other != host:
            self._learn(host, self.rules(other, now) or ALLOW_ALL, now)
        elif known.hops + 1 >= MAX_HOPS:
            self._learn(host, ALLOW_ALL, now)
        else:
            self._put(host, replace(known, rules=None, until=now, failures=0, next_url=target, hops=known.hops + 1))

    def _learn(self, host: str, rules: Rules, now: float) -> None:
        self._put(host, _Known(rules, now + self._ttl))

    def _put(self, host: str, known: _Known) -> None:
        self._drop(host)
        self._known[host] = known
        self._size += known.rules.size if known.rules else 0
        while len(self._known) > self._capacity or (self._size > self._total_size and len(self._known) > 1):
            self._drop(next(iter(self._known)))

    def _drop(self, host: str) -> None:
        old = self._known.pop(host, None)
        if old is not None:
            self._size -= old.rules.size if old.rules else 0


MAX_BYTES = 500 * 1024  # RFC 9309, 2.5: a crawler must read at least 500 KiB
# Real files stay far below these limits. Without them a file of 18,000 agents with 31,000 rules becomes half a billion rules, and 100,000
# wildcards in one rule cost a second per URL.
MAX_RULE_LENGTH = 1024
MAX_WILDCARDS = 10

_LINE = re.compile(r"\s*(user[- ]?agent|diss?all?ow|allow|crawl[- ]delay)\s*(?::|\s)\s*([^#]*)", re.IGNORECASE)
_SITEMAP = re.compile(r"^[ \t]{0,20}sitemap[ \t]{0,20}:[ \t]{0,20}(\S{1,2000})(?=\s|$)", re.IGNORECASE | re.MULTILINE)
_CONTACT = re.compile(r"https?://[^\s;)]*")  # the contact URL is not part of the name: it must match no group


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one robots.txt for our crawler. ``parser`` None: everything is allowed.

    ``sitemaps``: the addresses in its Sitemap lines, which apply to every crawler; unchanged and in their order.
    """

    parser: Protego | None
    crawl_delay: float = 0.0
    size: int = 0
    sitemaps: tuple[str, ...] = ()

    def allow(self, url: str) -> bool:
        """Whether the URL may be fetched. /robots.txt itself always may."""
        return self.parser is None or bool(self.parser.can_fetch(url, "*"))


ALLOW_ALL = Rules(None)


def read_rules(body: bytes, agent: str) -> Rules:
    """Parse ``body`` for a crawler with the user agent ``agent``: the most specific group that matches, else ``*``.

    Groups for the same agent are joined (RFC 9309, 2.2.1). Paths are matched as Google does: the longest rule wins, ``*`` and ``$`` are
    understood.
    """
    name = _CONTACT.sub("", agent.lower())
    # the last line is left out if it may be cut: "Disallow: /" may be what is left of it
    read = body if len(body) < MAX_BYTES else body[: max(body.rfind(end, 0, MAX_BYTES) for end in (b"\n", b"\r")) + 1]
    said = read.decode("utf-8-sig", "replace")
    sitemaps = tuple(dict.fromkeys(match[1] for match in _SITEMAP.finditer(said)))[:20]
    text = "\n".join(["User-agent: *", *_lines_for(said, name)])
    parser = Protego.parse(text)
    size = len(text) + sum(map(len, sitemaps))
    return Rules(parser, crawl_delay=parser.crawl_delay("*") or 0.0, size=size, sitemaps=sitemaps)


def _lines_for(text: str, agent: str) -> list[str]:
    groups: dict[str, list[str]] = {}
    open_groups: list[list[str]] = []
    in_agents = False
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        key, value = match[1].lower(), match[2].strip()
        if key.startswith("user"):
            open_groups = open_groups if in_agents else []
            in_agents = True
            group = groups.setdefault(name, []) if (name := _matching(value.lower(), agent)) else None
            if group is not None and not any(group is known for known in open_groups):
                open_groups.append(group)
        else:
            in_agents = False
            for group in open_groups:
                _add(group, key, value)
    return groups[max(groups, key=lambda name: 0 if name == "*" else len(name))] if groups else []


def _matching(name: str, agent: str) -> str:
    """The group's name if it applies to ``agent``: ``*``, or a name that stands in the user agent at the beginning of a word."""
    if name == "*":
        return name
    word = name.replace("*", "").strip()
    place = agent.find(word) if word else -1
    while place > 0 and (agent[place - 1].isalnum() or agent[place - 1] in "-_"):
        place = agent.find(word, place + 1)
    return word if place >= 0 else ""


def _add(group: list[str], key: str, value: str) -> None:
    if not value or len(group) >= 5000:
        return
    is_cut = len(value) > MAX_RULE_LENGTH or value.count("*") > MAX_WILDCARDS
    if key.startswith("crawl"):
        group.append(f"Crawl-delay: {value[:32]}")
    elif not is_cut:
        group.append(f"{key}: {value}")
    elif key != "allow":  # a shortened Disallow forbids more, never less; a shortened Allow would allow more
        parts = value[:MAX_RULE_LENGTH].split("*", MAX_WILDCARDS)
        group.append(f"disallow: {'*'.join(parts[:MAX_WILDCARDS])}")
