"""Reads what the head of a page declares: canonical address, base, robots, refresh, alternates, feeds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.parsed_page import one_line
from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_of, site_of

if TYPE_CHECKING:
    from topicspider.page.parsed_page import Reading


_REFRESH = re.compile(
    r"\s*+(?:\d{1,9}+(?:\.\d{0,9}+)?+)?+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+\s*+([^\"'\s][^\"']{0,2000})",
    re.IGNORECASE,
)
_OUR_NAME = "topicspider"
_AGENT = re.compile(r"[a-z0-9][a-z0-9_.-]{0,60}")
_RULES_WITH_VALUES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
_HEADER_LINES = 20
_LANGUAGE = 20
MAX_ALTERNATES = 60


def canonical_of(reading: Reading, base: str, url: str) -> str:
    """The address of ``<link rel=canonical>`` if it is of the page's own site, else "": wrong ones are common."""
    for rel, href, _language in reading.head_links:
        if "canonical" in rel.split():
            target = canonicalize(href, base)
            if target and site_of(host_of(target)) == site_of(host_of(url)):
                return target
            return ""
    return ""


def base_of(reading: Reading, url: str) -> str:
    """What relative links are relative to: ``<base href>``, of another host too, as browsers do; else ``url``.

    Not one that leads from the open web into nowhere, such as ``http://localhost/`` left over from writing the page.
    """
    base = canonicalize(reading.base, url) if reading.base else None
    if not base:
        return url
    host = host_of(base)
    return url if host != host_of(url) and ("." not in host or host.startswith("127.")) and "[" not in host else base


def robots_of(reading: Reading, header: str = "") -> frozenset[str]:
    """noindex and nofollow, as far as ``<meta name=robots>`` (or ``name=topicspider``) or the X-Robots-Tag header says so.

    "none" is both. What is addressed to another crawler is none of ours. ``header`` has a line for each header.
    """
    said = [reading.meta.get("robots", ""), reading.meta.get(_OUR_NAME, "")]
    said += [_addressed_to_us(line) for line in header.split("\n")[:_HEADER_LINES]]
    words = set(re.split(r"[\s,;]+", ",".join(said).lower()))
    if "none" in words:
        return frozenset({"noindex", "nofollow"})
    return frozenset(words & {"noindex", "nofollow"})


def _addressed_to_us(line: str) -> str:
    """The rules of one X-Robots-Tag header: ``noindex``, ``topicspider: noindex``, but not ``otherbot: noindex``."""
    name, colon, rules = line.partition(":")
    name = name.strip().lower()
    if not colon or not _AGENT.fullmatch(name) or name in _RULES_WITH_VALUES:
        return line
    return rules if name == _OUR_NAME else ""


def alternates_of(reading: Reading, base: str, url: str) -> dict[str, str]:
    """The same page in other languages: ``<link rel=alternate hreflang=…>`` of the page's own site, language to canonical URL.

    Languages are in lower case as written (zh-cn, zh-hant, x-default), at most MAX_ALTERNATES.
    """
    found: dict[str, str] = {}
    site = site_of(host_of(url))
    for rel, href, language in reading.head_links:
        if not language or "alternate" not in rel.split() or len(found) >= MAX_ALTERNATES:
            continue
        target = canonicalize(href, base)
        if target and target != url and site_of(host_of(target)) == site:
            found.setdefault(one_line(language, _LANGUAGE), target)
    return found


def feeds_of(reading: Reading, base: str) -> tuple[str, ...]:
    """The feeds of ``<link rel=alternate type=application/rss+xml>`` (or Atom's), canonical."""
    found = (canonicalize(href, base) for href in reading.feeds)
    return tuple(dict.fromkeys(url for url in found if url))


def refresh_of(reading: Reading, base: str) -> str:
    """Where ``<meta http-equiv=refresh>`` leads, canonical, or ""."""
    found = _REFRESH.match(reading.meta.get("refresh", ""))
    return (canonicalize(found[1], base) or "") if found and found[1] else ""
