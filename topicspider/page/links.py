"""Makes the links of a page from its anchors: where each goes, with the extended metadata of (a) Li 2002."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicspider.page.link import Link
from topicspider.page.texts import one_line
from topicspider.url.canonical import canonicalize

if TYPE_CHECKING:
    from topicspider.page.reading import Anchor, Reading

CONTEXT = 40
"""Characters of text kept to each side of a link."""
_ANCHOR = 300
_HEADING = 150
_REL = 100

_SKIPPED_SCHEMES = (
    "javascript",
    "mailto",
    "data",
    "tel",
    "ftp",
    "file",
    "about",
    "blob",
    "sms",
    "callto",
    "skype",
    "thunder",
)
_SCHEME = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.-]{0,20}):")
_MEDIA = re.compile(
    r"\.(?:gif|jpe?g|png|bmp|ico|svg|webp|avif|tiff?|swf|flv|mp[34g]|mpe?g|avi|mov|wmv|wma|rm(?:vb)?|wav|ogg|webm|m4[av]|mkv|css|js"
    r"|zip|rar|7z|gz|bz2|tar|tgz|exe|msi|dmg|apk|iso|jar|bin|cab|torrent|woff2?|ttf|eot)\Z",
    re.IGNORECASE,
)
_PAGINATION = re.compile(
    r"[\s\[\]()（）【】«»‹›<>＜＞←→|·-]*(?:\d{1,4}|第\s*\d{1,4}\s*页|(?:上|下|前|后|後|首|末|尾|第)一?[页頁]|(?:上|下)一[页頁]|最后一页|次へ|前へ"
    r"|next(?: page)?|prev(?:ious)?(?: page)?|older(?: posts| entries)?|newer(?: posts| entries)?|load more|更多>*|页)?[\s\[\]()（）【】«»‹›<>＜＞←→|·-]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page in document order, and what was left out by reason (scheme, media, invalid, repeated, limit)."""

    links: tuple[Link, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)


def links_of(reading: Reading, named: list[str], base: str, limit: int) -> Links:
    """The links of a page whose containers lie in the zones ``named``: at most ``limit`` links, one per (URL, anchor text); never raises."""
    return _Making(reading, named, base, limit).run()


class _Making:
    def __init__(self, reading: Reading, named: list[str], base: str, limit: int) -> None:
        self.reading = reading
        self.base = base
        self.limit = limit
        self.skipped: Counter[str] = Counter()
        self.links: list[Link] = []
        self.seen: set[tuple[str, str]] = set()
        self.urls: dict[str, str] = {}
        self.named = named

    def run(self) -> Links:
        anchors = self.reading.anchors
        for index, anchor in enumerate(anchors):
            if len(self.links) >= self.limit:
                self.skipped["limit"] += len(anchors) - index
                break
            url = self.url_of(anchor.href)
            if url:
                self.add(url, index, anchor)
        for rel, href, _language in self.reading.head_links:
            if "next" in rel.split() and len(self.links) < self.limit and (url := self.url_of(href)):
                self.keep(Link(url, rel="next", position=len(self.links), is_pagination=True))
        return Links(tuple(self.links), self.skipped)

    def url_of(self, href: str) -> str:
        """The canonical URL of ``href``, or "" (counted in ``skipped``)."""
        url = self.urls.get(href)
        if url is None:
            url = self.urls[href] = self.resolve(href)
        return url

    def resolve(self, href: str) -> str:
        stripped = href.strip()
        if not stripped or stripped.startswith("#"):
            self.skipped["fragment"] += 1
            return ""
        scheme = _SCHEME.match(stripped)
        if scheme and scheme[1].lower() in _SKIPPED_SCHEMES:
            self.skipped["scheme"] += 1
            return ""
        url = canonicalize(stripped, self.base)
        if not url:
            self.skipped["invalid"] += 1
            return ""
        if _MEDIA.search(url.partition("?")[0]):
            self.skipped["media"] += 1
            return ""
        return url

    def add(self, url: str, index: int, anchor: Anchor) -> None:
        text = _line(self.reading.text[anchor.start : anchor.end][:_ANCHOR]) or one_line(anchor.alt, _ANCHOR)
        before, after = self.context(index, anchor)
        is_frame = anchor.tag in ("frame", "iframe")
        rel = one_line(anchor.rel.lower(), _REL)
        link = Link(
            url=url,
            anchor=text,
            title=one_line(anchor.title, _ANCHOR),
            before=before,
            after=after,
            heading=self.heading(anchor),
            block=self.block(anchor),
            rel="frame" if is_frame else rel,
            position=len(self.links),
            is_pagination="next" in rel.split() or "prev" in rel.split() or bool(text and _PAGINATION.fullmatch(text)),
        )
        self.keep(link)

    def keep(self, link: Link) -> None:
        key = (link.url, link.anchor)
        if key in self.seen:
            self.skipped["repeated"] += 1
            return
        self.seen.add(key)
        self.links.append(link)

    def context(self, index: int, anchor: Anchor) -> tuple[str, str]:
        """Text before (of the same block) and after (up to the next link): a neighbour's anchor is not this link's context."""
        anchors, text, blocks = self.reading.anchors, self.reading.text, self.reading.blocks
        first = max(0, anchor.start - CONTEXT - 1)
        if index:
            first = max(first, anchors[index - 1].end)
        if anchor.block < len(blocks):
            first = max(first, blocks[anchor.block].start)
        last = anchor.end + CONTEXT + 1
        if index + 1 < len(anchors):
            last = min(last, anchors[index + 1].start)
        return _line(text[first : anchor.start])[-CONTEXT:], _line(text[anchor.end : last])[:CONTEXT]

    def block(self, anchor: Anchor) -> str:
        """The zone, as links show it: comments and posts are part of main."""
        zone = self.named[anchor.container] if anchor.container >= 0 else "main"
        return "main" if zone == "comment" else zone

    def heading(self, anchor: Anchor) -> str:
        if anchor.heading < 0:
            return ""
        block = self.reading.blocks[self.reading.headings[anchor.heading]]
        return _line(self.reading.text[block.start : min(block.end, block.start + _HEADING)])


def _line(text: str) -> str:
    return " ".join(text.split())
