"""Finds the title in ``<title>``, headings, og:title and the JSON-LD headline, by which of them confirm each other."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from topicspider.i18n import N_
from topicspider.page.body import is_byline
from topicspider.page.parsed_page import safe
from topicspider.page.site_titles import Common
from topicspider.page.visual_title import OTHER_PARTS, joined, paragraphs
from topicspider.url import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from topicspider.page.parsed_page import Block, Reading


MAX_TITLE = 300
_PARTS = re.compile(
    r"(?<!\s)\s*[|｜_＿»›‹•∙]+\s*|(?<!\s)\s+(?:[-－—–~/\\<>«·]+|::+|//+)\s+|(?<!\s)\s*(?:--+|——+|>>+|::+)\s*"
    r"|(?<=[^\x00-\x7f])[-－–—](?![-－–—\d])|(?<![-－–—\d])[-－–—](?=[^\x00-\x7f])"
)
# Placeholders of editors and greetings of sites: such a title says nothing about its page.
_TEMPLATE = re.compile(
    r"(?:untitled|untitled ?(?:document|page)|no ?title|new ?page ?\d{0,3}|document|index"
    r"|[无無][标標][题題](?:文[档檔件]|[网網][页頁]|[页頁]面)?|未命名(?:文[档檔件])?|新建[网網][页頁] ?\d{0,3}|默认标题"
    r"|(?:欢迎|歡迎)(?:光临|光臨|您?来到|您?來到|您?访问|您?訪問|进入|進入).{0,40}|welcome to .{0,60})",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\W_]+")


def line(text: str) -> str:
    """``text`` as one line of at most MAX_TITLE characters, without what ``parsed_page.safe`` drops and without ¶ at its ends."""
    return " ".join(safe(text[: 4 * MAX_TITLE]).split())[:MAX_TITLE].strip(" ¶")


@lru_cache(maxsize=256)
def key(text: str) -> str:
    """``text`` for comparison: only letters and digits, NFKC-normalised and casefolded."""
    return _KEY.sub("", unicodedata.normalize("NFKC", text)).casefold()


def size(text: str) -> int:
    """Length in UTF-8 bytes, by which a Chinese character (3 bytes) weighs about half a word."""
    return len(text.encode("utf-8", "ignore"))


def spans_of(title: str) -> list[tuple[int, int]]:
    """(start, end) of each part of ``title`` between separators; parts without a letter or digit are left out."""
    spans, start = [], 0
    for mark in _PARTS.finditer(title):
        spans.append((start, mark.start()))
        start = mark.end()
    return [(a, b) for a, b in [*spans, (start, len(title))] if key(title[a:b])]


def without_site(title: str, names: frozenset[str], *, is_whole: bool = False) -> str:
    """The main part of a title: the first part if it is at least half as long as the longest, else the longest.

    Following parts of similar length are kept (a title may contain a dash). ``names``: keys of the site's names, removed from both ends.
    ``is_whole``: the title does not end in the site's name; otherwise its last part is taken for that.
    """
    spans = spans_of(title)
    is_named = False
    while len(spans) > 1 and key(title[slice(*spans[-1])]) in names:
        spans.pop()
        is_named = True
    while len(spans) > 1 and key(title[slice(*spans[0])]) in names:
        spans.pop(0)
        is_named = True
    if not spans:
        return title.strip()
    sizes = [size(title[a:b]) for a, b in spans]
    core = sizes.index(max(sizes))
    if sizes[0] * 2 >= sizes[core]:
        core = 0
    last = core
    end = len(spans) if is_whole or is_named else len(spans) - 1
    while last + 1 < end and sizes[last + 1] >= 0.6 * sizes[core]:
        last += 1
    return title[spans[core][0] : spans[last][1]].strip()


def host_names(url: str) -> Iterator[str]:
    """Keys of names that a site may take from its host: each label of at least three characters, and labels joined."""
    labels = [label for label in host_of(url).split(".")[-5:] if label != "www"]
    yield from (key(label) for label in labels if len(label) > 2)
    for start in range(len(labels)):
        yield key("".join(labels[start:]))
        yield key("".join(labels[start:-1]))


def home_names(reading: Reading, url: str) -> Iterator[str]:
    """Keys of the anchor texts of links to the host's front page: the site's name, or 首页."""
    home = f"//{host_of(url)}"
    for anchor in reading.anchors[:100]:
        href = anchor.href.strip()
        is_home = home in href and home in (href.partition(":")[2].rstrip("/"), href.rstrip("/"))
        if is_home or href == "/":
            for text in (reading.text[anchor.start : min(anchor.end, anchor.start + 100)], anchor.alt, anchor.title):
                if name := key(text):
                    yield name


def leads_elsewhere(href: str, url: str) -> bool:
    """Whether a link leads to another page than ``url``."""
    try:
        target, own = urlsplit(urljoin(url, href.strip())), urlsplit(url)
    except ValueError:
        return True
    return (target.netloc, target.path.rstrip("/"), target.query) != (own.netloc, own.path.rstrip("/"), own.query)


def is_front(url: str) -> bool:
    """Whether ``url`` is a host's front page, whose title may be the site's name."""
    return url.partition("://")[2].partition("?")[0].partition("/")[2] == ""


_TAGGED = re.compile(r"(?<!\s)\s*[\[【][^\[\]【】]{1,20}[\]】]\s*")
"""The name of a forum's section in brackets before a thread's title: [游记]."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its lines joined, and the index of its first block."""

    tag: str
    text: str
    key: str
    block: int


@dataclass(frozen=True, slots=True)
class Cues:
    """What is known besides the Reading; ``zones``: zone of each container; ``common``: what the title shares with those of other pages."""

    url: str = ""
    zones: Sequence[str] = ("main",)
    headings: Sequence[Heading] = ()
    headline: str = ""
    site_names: tuple[str, ...] = ()
    common: Common = field(default_factory=Common)


def title_of(reading: Reading, cues: Cues) -> tuple[str, str]:
    """(title of at most 300 characters, the name of the first of RULES that found it); ("", "") when the page has none."""
    evidence = _Evidence(reading, cues)
    return next(((text, why) for why, rule in RULES if (text := rule(evidence))), ("", ""))


def headlines_of(headings: Sequence[Heading]) -> tuple[str, ...]:
    """Keys of the first four h1 headings, by which pages of a host are compared."""
    return tuple(one.key for one in headings if one.tag == "h1" and one.key)[:4]


class _Evidence:
    """The sources of a title; each is read once, when a rule first asks for it."""

    def __init__(self, reading: Reading, cues: Cues) -> None:
        self.reading = reading
        self.cues = cues

    @cached_property
    def names(self) -> frozenset[str]:
        """Keys of the site's names: declared, learned from other pages, from the host, and from links to the front page."""
        said = [key(name) for name in (*self.cues.site_names, *self.cues.common.names)]
        url = self.cues.url
        return frozenset(said) | frozenset(host_names(url)) | frozenset(home_names(self.reading, url)) - {""}

    @cached_property
    def declared(self) -> str:
        """``<title>`` as it stands."""
        return line(self.reading.title)

    @cached_property
    def own(self) -> str:
        """``<title>`` without the prefix and suffix it shares with pages of the host; "" when it does not name this page."""
        common = self.cues.common
        text = self.declared.removeprefix(common.prefix).removesuffix(common.suffix).strip()
        text = text if key(text) else self.declared
        if is_front(self.cues.url):
            return text
        if common.is_shared or _TEMPLATE.fullmatch(text) or key(text) in self.names:
            return ""
        return text

    @cached_property
    def core(self) -> str:
        """``own`` without the parts that seem to name the site."""
        return without_site(self.own, self.names, is_whole=self.own != self.declared)

    @cached_property
    def social_whole(self) -> str:
        """og:title as it stands, else twitter:title."""
        meta = self.reading.meta
        return line(meta.get("og:title", "") or meta.get("twitter:title", ""))

    @cached_property
    def social(self) -> str:
        """og:title without the site's name; where ``<title>`` begins with it and is longer, it is taken to end in none."""
        whole = self.social_whole
        if key(whole) in self.names and not is_front(self.cues.url):
            return ""
        is_part = 0 < len(key(whole)) < len(key(self.declared)) and key(self.declared).startswith(key(whole))
        return without_site(whole, self.names, is_whole=is_part)

    @cached_property
    def headline(self) -> str:
        """The JSON-LD headline."""
        return line(self.cues.headline)

    @cached_property
    def headings(self) -> list[Heading]:
        """The headings, h1 before h2 before h3, without names of the site and shared logos; h3 only if there is no h1."""
        unwanted = self.names | self.cues.common.logos
        found = [one for one in self.cues.headings if one.key and one.key not in unwanted]
        return [one for one in found if one.tag < "h3"] if found and found[0].tag == "h1" else found


def _declared_heading(evidence: _Evidence) -> str:
    """A heading of at least 6 letters that equals og:title: what the page shows and what it declares agree."""
    declared = key(evidence.social_whole)
    fit = (
        one for one in evidence.headings if len(declared) >= 6 and one.key == declared and not _is_item(evidence, one)
    )
    return next((one.text for one in fit), "")


def _heading_in_title(evidence: _Evidence) -> str:
    """A heading that ``<title>`` begins with (at least 4 letters, or an h1 that is its first part), else one that it contains (at least 6).

    h1 come before h2 and h3. A longer such heading that begins with the chosen one is preferred to it.
    """
    whole = evidence.own or evidence.social
    text = key(whole)
    least = len(key(evidence.core)) / 2
    fit = [
        one for one in evidence.headings if one.tag == "h1" or (len(one.key) >= least and not _is_item(evidence, one))
    ]
    part = _first_part(whole)
    begins = [
        one for one in fit if (len(one.key) >= 4 and text.startswith(one.key)) or (one.tag == "h1" and one.key == part)
    ]
    found = begins or [one for one in fit if len(one.key) >= 6 and one.key in text]
    if not found or (found[0].tag != "h1" and len(found[0].key) < 1.6 * least and _lone_heading(evidence)):
        return ""
    return max((one for one in found if one.key.startswith(found[0].key)), key=lambda one: len(one.key)).text


def _first_part(title: str) -> str:
    """The key of a title's first part, "" if a part is more than twice as long or there is only one: 留灯 - 现代诗 - 诗歌库."""
    sizes = [size(title[a:b]) for a, b in spans_of(title)]
    return key(title[slice(*spans_of(title)[0])]) if len(sizes) > 1 and 2 * sizes[0] >= max(sizes) else ""


def _text_in_title(evidence: _Evidence) -> str:
    """Parts of ``<title>``, at least half as long as its core, that are a block of text of their own (old pages have no headings).

    The last part is usually the site's name: alone it counts only right above the first long paragraph.
    """
    runs = _runs(evidence)
    if not runs:
        return ""
    longest = max(map(len, runs)) + 20
    best = last = ""
    last_key = key(evidence.own[slice(*spans_of(evidence.own)[-1])])
    for index, block in enumerate(evidence.reading.blocks[:200]):
        if block.end - block.start > longest or block.linked or evidence.cues.zones[block.container] in OTHER_PARTS:
            continue
        own = key(evidence.reading.block_text(block))
        if own != last_key:
            best = max(best, runs.get(own, ""), key=len)
        elif own in runs and size(runs[own]) >= 0.8 * size(evidence.core) and _is_right_above(evidence, index):
            last = runs[own]
    return best or last


def _is_right_above(evidence: _Evidence, index: int) -> bool:
    first = next(iter(paragraphs(evidence.reading, evidence.cues.zones)), 0)
    return first - 4 <= index < first


def _runs(evidence: _Evidence) -> dict[str, str]:
    """Every run of consecutive parts of ``<title>``, by its key; {} when the title has only one part."""
    own = evidence.own
    spans = spans_of(own)
    least = max(12, size(evidence.core) // 2)
    runs = {
        key(own[a:b]): own[a:b].strip()
        for first, (a, _end) in enumerate(spans[:8])
        for _start, b in spans[first:8]
        if size(own[a:b]) >= least
    }
    return {one: text for one, text in runs.items() if one not in evidence.names} if len(spans) > 1 else {}


def _lone_heading(evidence: _Evidence) -> str:
    """The only h1, unless it is a logo or an item of a list; it must be long enough, and similar to ``<title>`` or longer than it.

    A shorter h1 is taken where ``<title>`` does not name this page.
    """
    first = [one for one in evidence.headings if one.tag == "h1"]
    if len(first) != 1 or _is_item(evidence, first[0]):
        return ""
    text, declared = first[0].text, evidence.declared
    if not evidence.own:
        return text if size(text) >= 4 and declared else text if size(text) >= 18 else ""
    if size(text) < 18:
        return text if _is_short_form(evidence, first[0]) else ""
    core = key(evidence.core)
    ours, theirs = _pairs(text), _pairs(evidence.own)
    if core and len(core) < len(first[0].key) and _TAGGED.match(text) and key(_TAGGED.sub("", text)) == core:
        return ""
    alike = len(ours & theirs) >= 0.4 * max(1, min(len(ours), len(theirs)))
    return text if alike or size(text) > size(declared) else ""


def _is_short_form(evidence: _Evidence, heading: Heading) -> bool:
    """Whether the URL contains a short h1, or its first word is that of ``<title>`` and all its words (at least two) are in ``<title>``."""
    if len(heading.key) >= 6 and heading.key in key(evidence.cues.url.partition("://")[2].partition("/")[2]):
        return True
    ours, theirs = heading.text.casefold().split(), evidence.own.casefold().split()
    return len(ours) > 1 and ours[:1] == theirs[:1] and set(ours) <= set(theirs)


def _declared(evidence: _Evidence) -> str:
    """og:title if ``<title>`` contains it, else ``<title>`` without the site's name, else the JSON-LD headline or the first heading."""
    social = key(evidence.social)
    if evidence.core and not (social and social in key(evidence.own)):
        return evidence.core
    first = next((one.text for one in evidence.headings if one.tag < "h3"), "") if not evidence.declared else ""
    return evidence.social or evidence.headline or first or without_site(evidence.declared, evidence.names)


RULES: tuple[tuple[str, Callable[[_Evidence], str]], ...] = (
    (N_("a heading that og:title repeats"), _declared_heading),
    (N_("a heading that <title> contains"), _heading_in_title),
    (N_("the only h1"), _lone_heading),
    (N_("a part of <title> that stands in the page"), _text_in_title),
    (N_("<title>, without the site's name"), _declared),
)


def headings_of(reading: Reading, zones: Sequence[str]) -> list[Heading]:
    """The headings, h1 before h2 before h3; those of menus and sidebars only if h1. An element's lines are joined, without bylines."""
    found: list[tuple[Block, list[int]]] = []
    for index in reading.headings[:40]:
        block = reading.blocks[index]
        if found and found[-1][1][-1] == index - 1 and found[-1][0].container == block.container:
            found[-1][1].append(index)
        elif block.tag <= "h3" and (block.tag == "h1" or zones[block.container] not in OTHER_PARTS):
            found.append((block, [index]))
    headings: list[Heading] = []
    for block, indexes in sorted(found, key=lambda one: one[0].tag):
        lines = [reading.block_text(reading.blocks[index])[:400] for index in indexes[:5]]
        text = line(joined([one for at, one in enumerate(lines) if at == 0 or not is_byline(one)]))
        headings.append(Heading(block.tag, text, key(text), indexes[0]))
    return headings


def _is_item(evidence: _Evidence, heading: Heading) -> bool:
    """Whether the heading is a link to another page, as in a list."""
    block = evidence.reading.blocks[heading.block]
    if block.linked * 10 < (block.end - block.start) * 9:
        return False
    anchors = evidence.reading.anchors
    first = bisect_left(anchors, block.start, key=lambda one: one.start)
    inside = [one for one in anchors[first : first + 3] if one.end <= block.end]
    around = [one for one in anchors[max(0, first - 1) : first] if one.end >= block.end]
    return any(leads_elsewhere(one.href, evidence.cues.url) for one in around + inside)


def _pairs(text: str) -> set[str]:
    own = key(text)
    return {own[i : i + 2] for i in range(len(own) - 1)}
