"""Makes the links of a page from its anchors: where each goes, with the extended metadata of (a) Li 2002."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicspider.page.links.blocks import LinkBlocks
from topicspider.page.links.groups import duplicate_groups
from topicspider.page.links.kinds import FRAME, OUTWARD, KindOf
from topicspider.page.links.link import Link
from topicspider.page.links.menus import menus_of
from topicspider.page.links.pagination import LONGEST, is_pagination
from topicspider.page.markup.texts import one_line
from topicspider.url.canonical import canonicalize

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Anchor, Reading

CONTEXT = 40
"""Characters of text kept to each side of a link."""
_ANCHOR = 300
_HEADING = 150
_REL = 100
_FRAMES = ("frame", "iframe")

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
_MEDIA_ENDINGS = (
    "gif jpg jpeg png bmp ico svg webp avif tif tiff swf flv mp3 mp4 mpg mpeg avi mov wmv wma rm rmvb wav ogg webm m4a m4v mkv css js "
    "zip rar 7z gz bz2 tar tgz exe msi dmg apk iso jar bin cab torrent woff woff2 ttf eot"
)
_MEDIA = frozenset(_MEDIA_ENDINGS.split())
_RELATIVE = re.compile(r"(?![?#]|//)[^:\\\x00-\x20\x7f-\x9f\ufeff\u200b\u2060\ud800-\udfff]{1,2000}")
"""What is joined to the address of its page as it stands: no scheme, nothing that browsers drop or turn round."""


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page in document order, and what was left out by reason (scheme, media, invalid, repeated, limit)."""

    links: tuple[Link, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)


def links_of(reading: Reading, named: list[str], base: str, limit: int, page_url: str = "") -> Links:
    """The links of a page whose containers lie in the zones ``named``: at most ``limit`` links, one per (URL, anchor text); never raises.

    ``page_url`` is what the kinds of links go by, when it is not ``base``.
    """
    return _Making(reading, named, base, limit, page_url or base).run()


class _Making:
    def __init__(self, reading: Reading, named: list[str], base: str, limit: int, page_url: str) -> None:
        self.reading = reading
        self.blocks = LinkBlocks(reading, named)
        self.limit = limit
        self.page_url = canonicalize(page_url) or page_url
        self.kind_of = KindOf(self.page_url)
        self.base = canonicalize(base) or ""
        path = self.base.partition("?")[0]
        self.directory = path[: path.rfind("/") + 1]
        self.origin = path[: path.find("/", 8)] if path else ""
        self.skipped: Counter[str] = Counter()
        self.links: list[Link] = []
        self.seen: set[tuple[str, str]] = set()
        self.urls: dict[str, str] = {}
        self.headings: dict[int, str] = {-1: ""}
        self.groups: dict[int, int] = {}
        self.menus: dict[int, str] = {}

    def run(self) -> Links:
        anchors = self.reading.anchors
        groups = duplicate_groups(self.reading)
        self.menus = menus_of(self.reading, groups, self.blocks)
        for index, anchor in enumerate(anchors):
            if len(self.links) >= self.limit:
                self.skipped["limit"] += len(anchors) - index
                break
            url = self.url_of(anchor.href)
            if url:
                self.add(url, index, anchor, groups[index])
        self.add_neighbours()
        return Links(tuple(self.links), self.skipped)

    def add_neighbours(self) -> None:
        """``<link rel=next>`` and ``<link rel=prev>`` of the head."""
        for rel, href, _language in self.reading.head_links:
            words = [word for word in rel.split() if word in ("next", "prev")]
            if words and len(self.links) < self.limit and (url := self.url_of(href)):
                kind = self.kind_of(url)
                self.keep(Link(url, rel=words[0], position=len(self.links), is_pagination=kind != OUTWARD, kind=kind))

    def url_of(self, href: str) -> str:
        """The canonical URL of ``href``, or "" (counted in ``skipped``)."""
        url = self.urls.get(href)
        if url is None:
            url = self.urls[href] = self.resolve(href)
        return url

    def resolve(self, href: str) -> str:
        stripped = href.strip()
        if not stripped or stripped[0] == "#":
            self.skipped["fragment"] += 1
            return ""
        if self.directory and _RELATIVE.fullmatch(stripped):
            # joined here: clean absolute URLs take a short way through canonicalize, relative ones do not
            url = canonicalize((self.origin if stripped[0] == "/" else self.directory) + stripped)
        else:
            scheme = _SCHEME.match(stripped)
            if scheme and scheme[1].lower() in _SKIPPED_SCHEMES:
                self.skipped["scheme"] += 1
                return ""
            url = canonicalize(stripped, self.base)
        if not url:
            self.skipped["invalid"] += 1
            return ""
        if _is_media(url):
            self.skipped["media"] += 1
            return ""
        return url

    def add(self, url: str, index: int, anchor: Anchor, group: int) -> None:
        text = _line(self.reading.text[anchor.start : anchor.end][:_ANCHOR]) or one_line(anchor.alt, _ANCHOR)
        key = (url, text)
        if key in self.seen:
            self.skipped["repeated"] += 1
            return
        self.seen.add(key)
        is_frame = anchor.tag in _FRAMES
        rel = FRAME if is_frame else one_line(anchor.rel.lower(), _REL) if anchor.rel else ""
        kind = FRAME if is_frame else self.kind_of(url)
        before, after = self.context(index, anchor)
        self.links.append(
            Link(
                url,
                text,
                one_line(anchor.title, _ANCHOR) if anchor.title else "",
                before,
                after,
                self.heading(anchor.heading),
                self.block(anchor, group),
                rel,
                len(self.links),
                len(text) <= LONGEST and is_pagination(text, rel, url, kind, self.page_url),
                kind,
                self.groups.setdefault(group, len(self.groups)),
            )
        )

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
        start, end = anchor.start, anchor.end
        first = start - CONTEXT - 1 if start > CONTEXT else 0
        if index and anchors[index - 1].end > first:
            first = anchors[index - 1].end
        if anchor.block < len(blocks) and blocks[anchor.block].start > first:
            first = blocks[anchor.block].start
        last = end + CONTEXT + 1
        if index + 1 < len(anchors) and anchors[index + 1].start < last:
            last = anchors[index + 1].start
        before = _line(text[first:start])[-CONTEXT:] if first < start else ""
        return before, _line(text[end:last])[:CONTEXT] if end < last else ""

    def block(self, anchor: Anchor, group: int) -> str:
        block = self.menus.get(group) or self.blocks[anchor.container]
        return "nav" if anchor.tag == "option" and block == "main" else block

    def heading(self, index: int) -> str:
        text = self.headings.get(index)
        if text is None:
            block = self.reading.blocks[self.reading.headings[index]]
            text = _line(self.reading.text[block.start : min(block.end, block.start + _HEADING)])
            self.headings[index] = text
        return text


def _is_media(url: str) -> bool:
    """Whether the ending of the path is that of a picture, a film, an archive or a program."""
    path = url.partition("?")[0] if "?" in url else url
    dot = path.rfind(".", -8)
    return dot > 0 and path[dot + 1 :].lower() in _MEDIA


def _line(text: str) -> str:
    return " ".join(text.split())
