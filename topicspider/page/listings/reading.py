"""Turns the bytes of a sitemap or feed into links that can be judged like those of a page."""

from __future__ import annotations

import html
import re
import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from html.entities import html5

from topicspider.page.decoding.decode import MAX_BYTES, decode
from topicspider.page.links.kinds import KindOf
from topicspider.page.links.link import Link
from topicspider.page.listings.elements import read_feed, read_sitemap
from topicspider.page.listings.listing import (
    FEED,
    LISTING_TYPES,
    MAX_ANCHOR,
    MAX_CONTEXT,
    SITEMAP,
    Listed,
    Listing,
)
from topicspider.page.markup.texts import one_line, safe
from topicspider.url.canonical import canonicalize

_PACKED = b"\x1f\x8b"
_KINDS = {"urlset": SITEMAP, "sitemapindex": SITEMAP, "rss": FEED, "feed": FEED, "rdf": FEED}
_PROLOG = 8_192
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,60}:)?([A-Za-z]{1,20})[\s/>]")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
_PLAIN_TYPE = re.compile(r"<!DOCTYPE[^\[<>]{0,500}>")  # of RSS 0.91; no entities of its own
_AMPERSAND = re.compile(r"&(?:([A-Za-z][A-Za-z0-9]{1,31});|(?!#\d{1,7};|#[xX][0-9a-fA-F]{1,6};))")
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_TAG = re.compile(r"<[^<>]{0,1000}>")
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_MAX_SITEMAPS = 1_000


def read_listing(
    url: str,
    body: bytes,
    content_type: str = "",
    *,
    kinds: Collection[str] = (SITEMAP, FEED),
    max_links: int = 2000,
    newer_than: str = "",
) -> Listing | None:
    """The listing in ``body``, which came from ``url``; None when it is none of these ``kinds``. Never raises.

    At most 4 MiB of it are read, unpacked, and the newest ``max_links`` entries kept; those whose day is before ``newer_than``
    (YYYY-MM-DD) are skipped. Broken XML gives what comes before the fault.
    """
    text = decode(_unpacked(body), content_type).text
    kind = _KINDS.get(_root_name(text[:_PROLOG]), "")
    if kind not in kinds or not kind:
        return None
    xml = _mended(text).encode("utf-8", "replace")
    found = read_sitemap(xml) if kind == SITEMAP else read_feed(xml)
    base = canonicalize(url) or url
    skipped: Counter[str] = Counter()
    links = _links(found.entries, base, max_links, newer_than, skipped)
    sitemaps = [part for one in found.sitemaps[:_MAX_SITEMAPS] if (part := canonicalize(one, base))]
    title = _line(found.title, MAX_ANCHOR)
    links = [_named(link, title) for link in links]
    return Listing(kind, title, tuple(links), tuple(dict.fromkeys(sitemaps)), skipped)


def may_be_listing(body: bytes, kind: str = "") -> bool:
    """Whether it is worth reading: XML or gzip by its media type, or what begins like a listing under the type of a page."""
    is_typed = kind in LISTING_TYPES or body.startswith(_PACKED)
    return is_typed or _root_name(body[:_PROLOG].decode("latin-1")) in _KINDS


def _links(entries: Sequence[Listed], base: str, max_links: int, newer_than: str, skipped: Counter[str]) -> list[Link]:
    """One link an entry, newest first; entries without a day keep their order behind those with one."""
    kind_of, links, seen = KindOf(base), list[Link](), set[str]()
    for entry in sorted(entries, key=lambda entry: entry.day, reverse=True):
        url = canonicalize(entry.url, base)
        reason = _reason(url, entry, newer_than, seen)
        if not reason and len(links) >= max_links:
            reason = "limit"
        if reason or url is None:
            skipped[reason] += 1
            continue
        anchor, context = _line(entry.title, MAX_ANCHOR), _line(entry.description, MAX_CONTEXT)
        links.append(Link(url, anchor, after=context, position=len(links), kind=kind_of(url), group=0))
    return links


def _reason(url: str | None, entry: Listed, newer_than: str, seen: set[str]) -> str:
    if url is None:
        return "invalid"
    if url in seen:
        return "repeated"
    seen.add(url)
    return "too_old" if entry.day and entry.day < newer_than else ""


def _named(link: Link, title: str) -> Link:
    return Link(
        link.url, link.anchor, "", "", link.after, title[:MAX_CONTEXT], position=link.position, kind=link.kind, group=0
    )


def _line(text: str, limit: int) -> str:
    """Plain text of at most ``limit`` characters: items hold HTML, escaped once or in CDATA."""
    plain = html.unescape(_TAG.sub(" ", html.unescape(text))) if "<" in text or "&" in text else text
    return safe(one_line(plain, limit))


def _unpacked(body: bytes) -> bytes:
    """What gzip packed, as far as it can be unpacked, at most MAX_BYTES."""
    if not body.startswith(_PACKED):
        return body
    unpacker, unpacked = zlib.decompressobj(31), b""
    try:
        unpacked = unpacker.decompress(body, MAX_BYTES)
    except zlib.error:
        return b""
    return unpacked


def _root_name(head: str) -> str:
    """The local name of the first element in lower case, or ""; comments and the document type come before it."""
    at = 0
    while (at := head.find("<", at)) >= 0:
        closing = "-->" if head.startswith("<!--", at) else "?>" if head.startswith("<?", at) else ">"
        if closing == ">" and not head.startswith("<!", at):
            found = _ROOT.match(head, at)
            return found[1].lower() if found else ""
        end = head.find(closing, at + 2)
        if end < 0:
            return ""
        at = end + 1
    return ""


def _mended(text: str) -> str:
    """Without its declaration (it is UTF-8 now), with HTML's named characters written out, and bare & escaped."""
    text = _DECLARATION.sub("", text.removeprefix("\ufeff"), count=1)
    text = _PLAIN_TYPE.sub("", text[:_PROLOG], count=1) + text[_PROLOG:]
    return _AMPERSAND.sub(_character, _NO_XML.sub(" ", text)).lstrip()


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name in _XML_NAMES:
        return found[0]
    if name and (character := html5.get(f"{name};")):
        return html.escape(character)
    return "&amp;" + found[0][1:]
