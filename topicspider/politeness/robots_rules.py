"""Reads the part of a robots.txt that speaks to one crawler, in bounded time whatever the file says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from protego import Protego

MAX_BYTES = 500 * 1024  # RFC 9309, 2.5: at least 500 KiB must be read
# Real files stay far below. Without limits a file of 18,000 agents with 31,000 rules makes half a
# billion rules, and 100,000 wildcards in one rule cost a second a URL.
MAX_RULES = 5000
MAX_RULE_LENGTH = 1024
MAX_WILDCARDS = 10
MAX_SITEMAPS = 20

_LINE = re.compile(r"\s*(user[- ]?agent|diss?all?ow|allow|crawl[- ]delay)\s*(?::|\s)\s*([^#]*)", re.IGNORECASE)
_SITEMAP = re.compile(r"^[ \t]{0,20}sitemap[ \t]{0,20}:[ \t]{0,20}(\S{1,2000})(?=\s|$)", re.IGNORECASE | re.MULTILINE)
_CONTACT = re.compile(r"https?://[^\s;)]*")  # the contact URL is no name: a group "example" does not mean us


@dataclass(frozen=True, slots=True)
class Rules:
    """What one robots.txt says to us. ``parser`` None: the same answer for every URL.

    ``sitemaps`` are the addresses of its Sitemap lines, which are said to everybody; as they stand, in their order.
    """

    parser: Protego | None
    everything: bool = True
    crawl_delay: float = 0.0
    size: int = 0
    sitemaps: tuple[str, ...] = ()

    def allow(self, url: str) -> bool:
        """True when the URL may be fetched. /robots.txt itself always may."""
        if self.parser is None:
            return self.everything
        return bool(self.parser.can_fetch(url, "*"))


ALLOW_ALL = Rules(None, True)


def read_rules(body: bytes, agent: str) -> Rules:
    """The rules in ``body`` for a crawler whose user agent is ``agent``: the most specific group, else ``*``.

    Groups for the same agent are joined (RFC 9309, 2.2.1). Paths are compared as Google does: the longest
    rule wins, ``*`` and ``$`` are understood.
    """
    name = _CONTACT.sub("", agent.lower())
    said = body[:MAX_BYTES].decode("utf-8-sig", "replace")
    lines, sitemaps = _lines_for(said, name), _sitemaps_in(said)
    text = "\n".join(["User-agent: *", *lines])
    parser = Protego.parse(text)
    size = len(text) + sum(map(len, sitemaps))
    return Rules(parser, crawl_delay=parser.crawl_delay("*") or 0.0, size=size, sitemaps=sitemaps)


def _sitemaps_in(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(match[1] for match in _SITEMAP.finditer(text))
    return tuple(found)[:MAX_SITEMAPS]


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
            if group_name := _matching(value.lower(), agent):
                _open(groups.setdefault(group_name, []), open_groups)
        else:
            in_agents = False
            for group in open_groups:
                _add(group, key, value)
    return groups[max(groups, key=_weight)] if groups else []


def _open(group: list[str], open_groups: list[list[str]]) -> None:
    if not any(group is known for known in open_groups):
        open_groups.append(group)


def _weight(name: str) -> int:
    return 0 if name == "*" else len(name)


def _matching(name: str, agent: str) -> str:
    """The group's name if it speaks to ``agent``: ``*``, or a word of the user agent from its beginning."""
    if name == "*":
        return name
    word = name.replace("*", "").strip()
    place = agent.find(word) if word else -1
    while place > 0 and (agent[place - 1].isalnum() or agent[place - 1] in "-_"):
        place = agent.find(word, place + 1)
    return word if place >= 0 else ""


def _add(group: list[str], key: str, value: str) -> None:
    if not value or len(group) >= MAX_RULES:
        return
    if key.startswith("crawl"):
        group.append(f"Crawl-delay: {value[:32]}")
        return
    is_cut = len(value) > MAX_RULE_LENGTH or value.count("*") > MAX_WILDCARDS
    if not is_cut:
        group.append(f"{key}: {value}")
    elif key != "allow":  # a shortened Disallow forbids more, never less; a shortened Allow would allow more
        group.append(f"disallow: {_shortened(value)}")


def _shortened(value: str) -> str:
    parts = value[:MAX_RULE_LENGTH].split("*", MAX_WILDCARDS)
    return "*".join(parts[:MAX_WILDCARDS])
