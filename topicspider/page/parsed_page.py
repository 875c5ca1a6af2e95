"""The result of one walk over a page: text, blocks, containers and their zones, anchors, the head. Also cleans texts for fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def one_line(text: str, longest: int) -> str:
    """``text`` with single spaces, without control characters and lone surrogates, cut to ``longest`` characters."""
    return safe(" ".join(text[: 4 * longest].split()))[:longest].strip()


def safe(text: str) -> str:
    """``text`` without control characters (line breaks and tabs stay), zero-width and direction marks, soft hyphens, lone surrogates."""
    return _UNSAFE.sub("", text) if _UNSAFE.search(text) else text


@dataclass(slots=True)
class Container:
    """A block element. ``parent`` is its parent's index in Reading.containers, -1 for the root; ``names`` are its class and id.

    ``zone`` is what its tag or role says: nav, aside, footer, header or "". ``style`` is its style attribute, with ``align`` as CSS.
    """

    parent: int
    tag: str
    zone: str
    names: str
    is_hidden: bool = False
    style: str = ""


@dataclass(slots=True)
class Block:
    """A run of text between two block boundaries: ``start`` and ``end`` are offsets in the page's text, ``linked`` its characters in links.

    ``style`` is the CSS of the inline elements around its beginning (``b``, ``strong``, ``big``, ``font``, ``span`` with a style).
    """

    start: int
    end: int
    container: int
    tag: str
    linked: int = 0
    style: str = ""


@dataclass(slots=True)
class Anchor:
    """A linking element: ``start`` and ``end`` span its text; ``container``, ``block`` and ``heading`` are indexes in the Reading."""

    href: str
    start: int
    end: int
    container: int
    block: int
    heading: int
    tag: str = "a"
    rel: str = ""
    title: str = ""
    alt: str = ""


@dataclass(slots=True)
class TimeMark:
    """An element marked as a date or time: ``name`` joins its tag, itemprop and class; ``stamp`` is the declared value, else "".

    ``start`` is the offset at which its text begins.
    """

    name: str
    stamp: str
    start: int
    container: int


@dataclass(slots=True)
class Reading:
    """Everything that one walk records: text, blocks, containers, anchors, and the head's declarations.

    ``headings``: indexes of blocks. ``head_links``: (rel, href). ``feeds``: addresses of RSS and Atom feeds. ``noscript``: the markup in
    ``<noscript>`` of the body. ``lang``: declared by ``<html>``. ``authors``: (offset, container) of elements named author.
    """

    text: str = ""
    title: str = ""
    base: str = ""
    containers: list[Container] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    head_links: list[tuple[str, str]] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    times: list[TimeMark] = field(default_factory=list)
    authors: list[tuple[int, int]] = field(default_factory=list)
    passwords: int = 0
    scripts: int = 0
    noscript: str = ""
    lang: str = ""
    encoding: str = ""

    def block_text(self, block: Block) -> str:
        return self.text[block.start : block.end]


_HINT = re.compile(
    r"(?<![a-z])(?:"
    r"(?P<comment>comments?(?:$|[^a-z])|comment-?(?:list|box|area|wrap|section|form)|disqus|reviews(?:$|[^a-z])|reply|replies|pinglun|liuyan|gentie)"
    r"|(?P<overlay>cookies?(?:$|[^a-z])|cookie-?\w+|consent|gdpr|onetrust|modal(?:$|[^a-z])|popup|overlay)"
    r"|(?P<nav>(?:top|main|sub|side|global|site)?-?(?:nav|menu|navi|navbar|navigation)(?:$|[^a-z])|(?:nav|menu)-?(?:bar|list|box|wrap)"
    r"|breadcrumbs?|crumbs?(?:$|[^a-z])|daohang|toc(?:$|[^a-z])|table-of-contents|pager(?:$|[^a-z])|pagination|page-?nav|fenye)"
    r"|(?P<footer>foot(?:$|[^a-z])|footer|copyright|banquan|beian)"
    r"|(?P<aside>side-?bar|side(?:$|[^a-z])|related?(?:$|[^a-z])|related-?\w+|recommend|hot-?(?:news|list|article)|rank(?:$|[^a-z]|list|ing)|widgets?(?:$|[^a-z])"
    r"|share(?:$|[^a-z]|bar|box)|social(?:$|[^a-z])|bdshare|adverts?|ads?(?:$|[^a-z])|banner|subscribe(?:$|[^a-z])|newsletter|promo(?:$|[^a-z])"
    r"|sponsor|paywall|disclaimer|outbrain|taboola|xiangguan|tuijian|paihang|link-?box|toolbar|login(?:$|[^a-z])|shengming"
    r"|user-?(?:info|detail|data|card|meta|panel|profile)|author-?(?:info|data|block|box|bio|card|detail|meta)|popover|tooltip|dropdown|badges?(?:$|[^a-z])"
    r"|post-?(?:meta|date|signature|controls|actions)|entry-?meta|article-?meta|(?:m|video-?|audio-?|music-?)?player|voting"
    r"|(?:notice|credit|vote|rating|poll|reaction|signature)s?(?:$|[^a-z])))"
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=8192)
def hint_of(names: str) -> tuple[str, str]:
    """(zone suggested by class and id names: nav, footer, aside, overlay or comment; the word that suggests it), or ("", "")."""
    found = _HINT.search(_HUMP.sub("-", names).lower())
    return (found.lastgroup or "", found[0]) if found else ("", "")


_OVERRULED = 0.5
"""A class name such as "side-layout" is ignored on a container with over this share of the page's running text; so is a word whose
containers together hold more than that."""
_PLAIN = (
    "relat", "recommend", "tuijian", "xiangguan", "hot", "newsletter", "subscribe", "outbrain", "taboola", "sponsor", "promo"
)  # fmt: skip
"""Beginnings of unambiguous words: ignored only on a container with _NEARLY_ALL of the text, never for several containers together."""
_NEARLY_ALL = 0.9
_HARDLY_ANY = 300
"""On a page with fewer characters of running text, such as a list, the footer may hold most of them and is still a footer."""
_DOORS = ("main", "header", "comment")
"""Zones whose containers may contain another zone; containers in the other zones inherit theirs."""


def zones(reading: Reading) -> list[str]:
    """The zone of each container (main, header, footer, nav, aside, comment), inherited downwards; the last item (-1): of no container.

    Most class names are ignored on containers with most of the text. An <article> within an <article> is a comment (a reply, or another
    page's teaser) unless it holds most of the text.
    """
    weights = text_weights(reading)
    hints = [hint_of(container.names) if len(container.names) > 1 else ("", "") for container in reading.containers]
    total, words = _hinted_weights(reading, weights, hints)
    most = _OVERRULED * max(1, total)
    result: list[str] = []
    in_article: set[int] = set()
    for index, container in enumerate(reading.containers):
        inherited = result[container.parent] if container.parent >= 0 else "main"
        is_in_article = container.parent in in_article
        if is_in_article or container.tag == "article":
            in_article.add(index)
        if inherited not in _DOORS:
            result.append(inherited)
            continue
        hint, word = hints[index]
        is_plain = word.startswith(_PLAIN)
        is_certain = total < _HARDLY_ANY and "footer" in (hint, container.zone)
        is_most = weights[index] > (_NEARLY_ALL * total if is_plain else most) and not is_certain
        is_shared = words.get(word, 0) > most and not is_plain and not is_certain
        is_reply = is_in_article and container.tag == "article" and not is_most
        own = "comment" if is_reply else _own_zone(container, hint, is_most, is_shared)
        result.append(own or inherited)
    return [*result, "main"]


def _hinted_weights(reading: Reading, weights: list[int], hints: list[tuple[str, str]]) -> tuple[int, dict[str, int]]:
    """(characters of text outside overlays, word to characters of text in the outermost containers that it names)."""
    words: dict[str, int] = {}
    overlays = 0
    is_inside = [False] * len(weights)
    for index, container in enumerate(reading.containers):
        hint, word = hints[index]
        is_inside[index] = container.parent >= 0 and is_inside[container.parent]
        if hint and not is_inside[index] and container.tag not in ("html", "body"):
            is_inside[index] = True
            words[word] = words.get(word, 0) + weights[index]
            overlays += weights[index] if hint == "overlay" else 0
    total = weights[0] if weights else 0
    return (total - overlays if overlays < _NEARLY_ALL * total else total), words


def _own_zone(container: Container, hint: str, is_most: bool, is_shared: bool) -> str:
    if container.tag in ("html", "body"):
        return ""
    if container.zone:
        return "" if is_most and container.zone in ("header", "footer") else container.zone
    if hint == "overlay":
        return "aside"
    if is_most:
        return hint if hint == "comment" else ""
    if not hint and (container.is_hidden or container.tag == "form"):
        return "aside"
    return "" if is_shared and hint != "comment" else hint


def text_weights(reading: Reading) -> list[int]:
    """Characters of text outside links in each container's whole subtree."""
    weights = [0] * len(reading.containers)
    for block in reading.blocks:
        if block.container >= 0:
            weights[block.container] += max(0, block.end - block.start - block.linked)
    for index in range(len(weights) - 1, 0, -1):
        parent = reading.containers[index].parent
        if parent >= 0:
            weights[parent] += weights[index]
    return weights


def title_span(reading: Reading, title: str) -> tuple[int, int]:
    """(start, end) of the title in the text: its heading, else its first occurrence, else the first heading, else (0, 0)."""
    for index in reading.headings[:10]:
        block = reading.blocks[index]
        if title and title[:20] in reading.block_text(block):
            return block.start, block.end
    start = reading.text.find(title) if title else -1
    if start >= 0:
        return start, start + len(title)
    if not reading.headings:
        return 0, 0
    first = reading.blocks[reading.headings[0]]
    return first.start, first.end
