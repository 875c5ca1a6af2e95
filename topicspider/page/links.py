"""Makes the links of a page from its anchors: where each goes, with the extended metadata of (a) Li 2002."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from topicspider.page.parsed_page import one_line
from topicspider.url import canonicalize, encoded_query, host_of, site_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.parsed_page import Anchor, Reading


class Link(NamedTuple):
    """One link of a page; all texts are bounded and free of markup.

    ``url`` is absolute and canonical. ``before`` and ``after`` are the text around the link, ``heading`` the last heading above it.
    ``block`` is the part of the page it stands in: main, nav, aside, header or footer. ``position`` is its rank among the page's links,
    from 0. ``kind`` is its direction: down, up, level, cross, outward or frame, as ``KindOf`` defines them; "" when unknown. ``group`` is a
    small number that the links of one list, menu or paragraph share; -1 when unknown.
    """

    url: str
    anchor: str = ""
    title: str = ""
    before: str = ""
    after: str = ""
    heading: str = ""
    block: str = "main"
    rel: str = ""
    position: int = 0
    is_pagination: bool = False
    kind: str = ""
    group: int = -1


_OWN = ("header", "footer")


class LinkBlocks(dict[int, str]):
    """Maps each container of a page to the block (``Link.block``) of its links, computed from the container's zone on first use.

    Two things differ from zones, which are made for text: comments and posts are main, and so are links in the header or footer
    *of an article*: the headline of an entry in a list, its tags, its next and previous articles.
    """

    def __init__(self, reading: Reading, named: list[str]) -> None:
        super().__init__({-1: "main"})
        self._containers = reading.containers
        self._named = named

    def __missing__(self, container: int) -> str:
        zone = self._named[container]
        is_main = zone == "comment" or (zone in _OWN and self._is_of_article(container))
        self[container] = "main" if is_main else zone
        return self[container]

    def _is_of_article(self, at: int) -> bool:
        """Whether the nearest enclosing header or footer element stands in an article, to which it then belongs (HTML)."""
        containers = self._containers
        while at >= 0 and containers[at].tag not in _OWN:
            at = containers[at].parent
        while at >= 0 and containers[at].tag != "article":
            at = containers[at].parent
        return at >= 0


SEVERAL = 3
"""Link items from which a container is a list; two are often one entry's picture and headline."""


def lists_of_links(reading: Reading) -> list[int]:
    """For each anchor the index of the nearest container that holds at least SEVERAL link items, else of the outermost; -1 outside of all.

    An item is a link that stands in the container itself, or a child container with links below it; a link repeated
    in its place (picture and headline of one target) counts once. Linear in anchors and containers.
    """
    items = _items(reading)
    nearest: list[int] = []  # for each container; parents come before children
    for index, container in enumerate(reading.containers):
        is_list = items[index] >= SEVERAL or container.parent < 0
        nearest.append(index if is_list else nearest[container.parent])
    return [nearest[anchor.container] if anchor.container >= 0 else -1 for anchor in reading.anchors]


def _items(reading: Reading) -> list[int]:
    """For each container the number of its link items, as ``lists_of_links`` defines them."""
    containers = reading.containers
    items = [0] * len(containers)
    last_container, last_href = -1, ""
    for anchor in reading.anchors:
        at = anchor.container
        if at < 0 or (at == last_container and anchor.href == last_href):
            continue
        last_container, last_href = at, anchor.href
        is_new = not items[at]
        items[at] += 1
        while is_new and (parent := containers[at].parent) >= 0:
            is_new = not items[parent]
            items[parent] += 1
            at = parent
    return items


DOWN, UP, LEVEL, CROSS, OUTWARD, FRAME = "down", "up", "level", "cross", "outward", "frame"

_INDEX = re.compile(r"(?:index|default|main|home)\.[a-z]{2,5}\Z", re.IGNORECASE)
_INDEX_STARTS = frozenset("idmhIDMH")


class KindOf:
    """Tells the kind of each link of one page, by URL; frame is told by the tag.

    level: the same page or directory; up: a directory above; down: below the page's directory (or in it, if the page is its index);
    cross: elsewhere on the site; outward: another site. The page's URL is parsed once, and each host is compared once.
    """

    def __init__(self, page_url: str) -> None:
        _, path, query = _parts(page_url)
        self._host = host_of(page_url).removeprefix("www.")
        self._site = site_of(self._host)
        self._path = path
        self._node = path if query else _without_index(path)
        self._directory = path[: path.rfind("/") + 1]
        self._is_index = not query and self._node.endswith("/")
        self._origin = page_url[: page_url.find("/", page_url.find("://") + 3) + 1]
        self._hosts: dict[str, str] = {}

    def __call__(self, url: str) -> str:
        if self._origin and url.startswith(self._origin):  # most links
            path, _, query = url[len(self._origin) - 1 :].partition("?")
            return self._within(path, query)
        authority, path, query = _parts(url)
        elsewhere = self._hosts.get(authority)
        if elsewhere is None:
            elsewhere = self._hosts[authority] = self._compared(authority)
        return elsewhere or self._within(path, query)

    def _compared(self, authority: str) -> str:
        """The kind of all links to this host; "" when it is the page's own."""
        host = host_of(f"http://{authority}/").removeprefix("www.")
        return "" if host == self._host else CROSS if site_of(host) == self._site else OUTWARD

    def _within(self, path: str, query: str) -> str:
        if path == self._path:
            return LEVEL
        node = path if query else _without_index(path)
        if not query and self._node.startswith(node if node.endswith("/") else node + "/"):
            return LEVEL if node == self._node else UP
        directory = path[: path.rfind("/") + 1]
        if directory == self._directory:
            return DOWN if self._is_index else LEVEL
        return DOWN if directory.startswith(self._directory) else CROSS


def _parts(url: str) -> tuple[str, str, str]:
    """Authority, path and query of a canonical URL."""
    rest = url.partition("://")[2]
    front, _, query = rest.partition("?")
    authority, slash, path = front.partition("/")
    return authority, slash + path or "/", query


def _without_index(path: str) -> str:
    """``path`` without the name of an index page such as index.html: it equals its directory."""
    start = path.rfind("/") + 1
    return path[:start] if path[start : start + 1] in _INDEX_STARTS and _INDEX.match(path, start) else path


LONGEST = 24
"""Most characters of the anchor text of a pagination or category link, with its brackets and arrows."""
_FRILLS = " \t\n\r\xa0[]()（）【】{}«»‹›<>＜＞〈〉《》←→⇒⇐|｜·•.…-—_:：▶◀►◄"
_WORDS = re.compile(
    r"第?\s?\d{1,4}\s?[页頁]|(?:上|下|前|后|後|末|尾|最后|最後|最末)(?:一|\d{1,3}|[五十])?[页頁]|下?一?[页頁]|翻页|次の?(?:ページ|へ)|前の?(?:ページ|へ)|次へ|前へ|다음(?: 페이지)?|이전(?: 페이지)?"
    r"|next(?: page)?|prev(?:ious)?(?: page)?|older(?: posts| entries)?|newer(?: posts| entries)?|page \d{1,4}|last page"
    r"|(?:page )?(?:suivante?|précédente?)|(?:página )?(?:siguiente|anterior|próxima|seguinte)|(?:siguiente|próxim[ao])(?: página)?|nächste(?: seite)?|vorherige(?: seite)?"
    r"|(?:следующая|предыдущая)(?: страница)?|(?:наступна|попередня)(?: сторінка)?|(?:pagina )?(?:successiv|precedent)[aeo]|(?:volgende|vorige)(?: pagina)?"
    r"|(?:następna|poprzednia)(?: strona)?|(?:sonraki|önceki)(?: sayfa)?|(?:nästa|föregående)(?: sida)?|(?:selanjutnya|sebelumnya)|trang (?:sau|trước|tiếp(?: theo)?)"
    r"|(?:επόμενη|προηγούμενη)(?: σελίδα)?|(?:الصفحة )?(?:التالي|السابق)ة?|(?:ל?עמוד )?ה(?:בא|קודם)|(?:अगला|पिछला)(?: (?:पृष्ठ|पेज))?|(?:หน้า)?(?:ถัดไป|ก่อนหน้า)",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"(?:点击|點擊|查看|浏览|瀏覽|加载|加載|載入|显示|顯示)?更多(?:内容|結果|结果)?|(?:load |show |view |see )?more(?: posts| results)?|もっと見る|더보기"
    r"|mehr(?: laden| anzeigen)?|weiter|zurück|voir plus|ver más|avanti|indietro|далее|впер[её]д|назад|dalej|wstecz|المزيد|xem thêm|ดูเพิ่มเติม",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"[?&](?:page|paged|pages?(?:_?no|_?num|index|id)?|p|pn|pg|curr?ent_?page|cur_?page|start|offset)=\d{1,6}(?=&|\Z)|/pages?[/_-]?\d{1,5}(?=[/.?]|\Z)"
    r"|(?<=[a-z0-9])(?:_\d{1,4}|-\d{1,3})(?=\.[a-z]{2,5}\Z)",
    re.IGNORECASE,
)
_STARTS = frozenset(
    _FRILLS
    + "0123456789第上下前后後末尾最页頁翻次다이点點查浏瀏加载載显顯更も더npolsvmtwaPNOLSVMTWAпрсднПСДНéÉäÄöÖεΕπΠاהלअपหถก"
)
"""First characters of pagination anchors; a link without a rel that begins otherwise is rejected at once."""
_DIGITS = re.compile(r"\d+")
_DATE = re.compile(r"(?:19|20)\d\d[/-]?\d{1,2}[/-]?\d{1,2}/?\Z")


def is_pagination(text: str, rel: str, url: str, kind: str, page_url: str) -> bool:
    """Whether a link of ``page_url`` with this anchor text leads to another page of the same list or text."""
    if len(text) > LONGEST or (text and not rel and text[0] not in _STARTS) or kind in (OUTWARD, FRAME):
        return False
    bare = text.strip(_FRILLS)
    if bare.isdecimal():
        return len(bare) <= 4 and _is_number_of(int(bare), url, page_url)
    if _WORDS.fullmatch(bare):
        return True
    if not bare or _MORE.fullmatch(bare):  # only an arrow may lead back to a first page without a number
        if not text:
            # WordPress numbers its posts by ?p=, and pictures link to them
            return is_piece_of(url, page_url) and "?p=" not in url
        return is_piece_of(url, page_url) or (not bare and is_piece_of(page_url, url))
    # a long headline with rel=next leads to the next article, not the next page
    return len(bare) <= 8 and "篇" not in bare and bool(rel) and not {"next", "prev"}.isdisjoint(rel.split())


def is_piece_of(url: str, page_url: str) -> bool:
    """Whether the addresses are the same but for the number of a page (``?page=2``, ``/page/2``, ``_2.html``)."""
    return url != page_url and _MARK.search(url) is not None and _without_mark(url) == _without_mark(page_url)


def _without_mark(url: str) -> str:
    return _MARK.sub("", url, count=1).rstrip("/?&")


def _is_number_of(number: int, url: str, page_url: str) -> bool:
    """Whether a numeric anchor text is a page number: the URL contains it, too. Comment counts and calendar days are not.

    The URL of a first page often has no number; then it equals this page's URL without its number.
    """
    if is_piece_of(url, page_url) or (number == 1 and is_piece_of(page_url, url)):
        return True
    if not 0 < number < 1900 or _DATE.search(url):
        return False
    last = url[url.rfind("/", 0, len(url) - 1) :]
    return any(int(digits) in (number, number - 1) for digits in _DIGITS.findall(last, 0, 200) if len(digits) <= 4)


MAX_LINKS = 2_000
CONTEXT = 40
"""Characters of text kept to each side of a link."""
FRAMES = ("frame", "iframe")

_SCHEMES = "javascript mailto data tel ftp file about blob sms callto skype thunder"
_SKIPPED_SCHEMES = frozenset(_SCHEMES.split())
_SCHEME = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.-]{0,20}):")
_MEDIA_ENDINGS = (
    "gif jpg jpeg png bmp ico svg webp avif tif tiff swf flv mp3 mp4 mpg mpeg avi mov wmv wma rm rmvb wav ogg webm m4a m4v mkv css js "
    "zip rar 7z gz bz2 tar tgz exe msi dmg apk iso jar bin cab torrent woff woff2 ttf eot"
)
_MEDIA = frozenset(_MEDIA_ENDINGS.split())
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
_RELATIVE = re.compile(r"(?![?#]|//)[^:\\\x00-\x20\x7f-\x9f\ufeff\u200b\u2060\ud800-\udfff]{1,2000}")
"""A relative address that can be appended to its base as it stands: no scheme, no characters that browsers drop or replace."""


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page in document order, and what was left out by reason (scheme, media, invalid, repeated, limit)."""

    links: tuple[Link, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)


def links_of(
    reading: Reading, named: list[str], base: str, page_url: str, listed: Sequence[tuple[str, str]] = ()
) -> Links:
    """The links of a page: at most MAX_LINKS, one per (URL, anchor text); never raises.

    ``named``: the zone of each container. ``page_url`` determines the kinds. ``listed``: (address, name) of list entries in JSON-LD.
    """
    return _LinkMaker(reading, named, base, page_url).run(listed)


class _LinkMaker:
    def __init__(self, reading: Reading, named: list[str], base: str, page_url: str) -> None:
        self.reading = reading
        self.blocks = LinkBlocks(reading, named)
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

    def run(self, listed: Sequence[tuple[str, str]]) -> Links:
        anchors = self.reading.anchors
        groups = lists_of_links(self.reading)
        for index, anchor in enumerate(anchors):
            if len(self.links) >= MAX_LINKS:
                self.skipped["limit"] += len(anchors) - index
                break
            url = self.url_of(anchor.href)
            if url:
                self.add(url, index, anchor, groups[index])
        self.add_neighbours()
        self.add_listed(listed)
        return Links(tuple(self.links), self.skipped)

    def add_listed(self, listed: Sequence[tuple[str, str]]) -> None:
        """Adds those entries of ``listed`` that no link leads to, as one group of the main block."""
        known = {link.url for link in self.links} | {self.page_url}
        for href, name in listed:
            if len(self.links) < MAX_LINKS and (url := self.url_of(href)) and url not in known:
                known.add(url)
                place, kind = len(self.links), self.kind_of(url)
                self.links.append(Link(url, name[:300], position=place, kind=kind, group=len(self.groups)))

    def add_neighbours(self) -> None:
        """Adds the ``<link rel=next>`` and ``<link rel=prev>`` of the head."""
        for rel, href in self.reading.head_links:
            words = [word for word in rel.split() if word in ("next", "prev")]
            if words and len(self.links) < MAX_LINKS and (url := self.url_of(href)) and self.is_new(url, ""):
                kind, place = self.kind_of(url), len(self.links)
                self.links.append(Link(url, rel=words[0], position=place, is_pagination=kind != OUTWARD, kind=kind))

    def url_of(self, href: str) -> str:
        """The canonical URL of ``href``, or "" (counted in ``skipped``)."""
        if href not in self.urls:
            self.urls[href] = self.resolve(href)
        return self.urls[href]

    def resolve(self, href: str) -> str:
        stripped = href.strip()
        if not stripped or stripped[0] == "#":
            self.skipped["fragment"] += 1
            return ""
        stripped = encoded_query(stripped, self.reading.encoding)  # first: pages of all encodings share the cache
        if self.directory and _RELATIVE.fullmatch(stripped):
            # joined here, because canonicalize has a fast path for clean absolute URLs but not for relative ones
            address, base = (self.origin if stripped[0] == "/" else self.directory) + stripped, ""
        else:
            scheme = _SCHEME.match(stripped)
            if scheme and scheme[1].lower() in _SKIPPED_SCHEMES:
                self.skipped["scheme"] += 1
                return ""
            address, base = stripped, "" if _ABSOLUTE.match(stripped) else self.base
        find = _followed if len(address) <= 300 else _followed.__wrapped__  # long ones are not cached
        url, why = find(address, base)
        if why:
            self.skipped[why] += 1
        return url

    def add(self, url: str, index: int, anchor: Anchor, group: int) -> None:
        text = _line(self.reading.text[anchor.start : anchor.end][:300]) or one_line(anchor.alt, 300)
        if not self.is_new(url, text):
            return
        is_frame = anchor.tag in FRAMES
        rel = FRAME if is_frame else one_line(anchor.rel.lower(), 100) if anchor.rel else ""
        kind = FRAME if is_frame else self.kind_of(url)
        before, after = self.context(index, anchor)
        self.links.append(
            Link(
                url,
                text,
                one_line(anchor.title, 300) if anchor.title else "",
                before,
                after,
                self.heading(anchor.heading),
                self.blocks[anchor.container],
                rel,
                len(self.links),
                len(text) <= LONGEST and is_pagination(text, rel, url, kind, self.page_url),
                kind,
                self.groups.setdefault(group, len(self.groups)),
            )
        )

    def is_new(self, url: str, text: str) -> bool:
        """Whether this is the first link with this (URL, anchor text); repeats are counted in ``skipped``."""
        if (url, text) in self.seen:
            self.skipped["repeated"] += 1
            return False
        self.seen.add((url, text))
        return True

    def context(self, index: int, anchor: Anchor) -> tuple[str, str]:
        """(text before, text after), at most CONTEXT characters each, without other links' anchor texts; before: of the same block."""
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

    def heading(self, index: int) -> str:
        if index not in self.headings:
            block = self.reading.blocks[self.reading.headings[index]]
            self.headings[index] = _line(self.reading.text[block.start : min(block.end, block.start + 150)])
        return self.headings[index]


_WAY_OUT = re.compile(
    r"https?://(?:(?:link|go|jump|out|redirect)\.[^/?]+/|[^?]+/(?:go|goto|go-wild|jump|link2?|out|away|leave|external|redir(?:ect)?))(?:\.[a-z]{2,5}|/)?"
    r"\?(?:[^&]*&)*?(?:url|u|to|target|link)=(https?(?::|%3A)(?:/|%2F){2}[^&]+)",
    re.IGNORECASE,
)
"""An address that only redirects to the one in its query: /go?url=…"""


@lru_cache(maxsize=4096)
def _followed(address: str, base: str) -> tuple[str, str]:
    """(canonical URL, "") of ``address`` or of its redirect's target, or ("", reason to skip it); cached, as a host's pages share menus."""
    url = canonicalize(address, base)
    if url and "=http" in url and (out := _WAY_OUT.match(url)):
        url = canonicalize(quote(unquote_to_bytes(out[1]), safe="!$&'()*+,;=:@/?#[]%")) or url
    return (url, "") if url and not _is_media(url) else ("", "media" if url else "invalid")


def _is_media(url: str) -> bool:
    """Whether the ending of the path is that of a picture, a film, an archive or a program."""
    path = url.partition("?")[0] if "?" in url else url
    dot = path.rfind(".", -8)
    return dot > 0 and path[dot + 1 :].lower() in _MEDIA


def _line(text: str) -> str:
    return " ".join(text.split())
