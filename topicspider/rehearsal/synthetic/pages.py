"""Writes the pages of a made web: menus, lists, hubs, articles and the links between them, in the manners of three kinds of site software."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from html import escape

from topicspider.rehearsal.synthetic.sites import (
    DRAWN,
    LIST_LENGTH,
    PRIVATE,
    TOPICS,
    Address,
    Addresses,
    Section,
    Site,
    Sites,
)
from topicspider.rehearsal.synthetic.text import ENGLISH, MISLEADING, Writer, words_of

Anchor = tuple[str, str]  # URL, text


@dataclass(slots=True)
class Sheet:
    """Everything that stands on a page; texts are not escaped yet."""

    title: str
    site_title: str
    english: bool
    charset: str = ""
    menu: list[Anchor] = field(default_factory=list)
    trail: list[Anchor] = field(default_factory=list)
    byline: str = ""
    paragraphs: list[str] = field(default_factory=list)
    entries: list[tuple[Anchor, str]] = field(default_factory=list)
    pager: list[Anchor] = field(default_factory=list)
    blocks: list[tuple[str, list[Anchor]]] = field(default_factory=list)
    friends: list[Anchor] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    refresh: str = ""


def html_of(sheet: Sheet, style: int) -> str:
    """The page; ``style`` 0 div and class, 1 semantic, 2 tables, 3 a blog."""
    body = (_divisions, _semantic, _tables, _blog)[style](sheet)
    language = "en" if sheet.english else "zh-CN"
    return f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n{_head(sheet)}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _head(sheet: Sheet) -> str:
    lines = [f'<meta charset="{sheet.charset}">'] if sheet.charset else []
    title = sheet.title if sheet.title == sheet.site_title else f"{sheet.title}_{sheet.site_title}"
    lines.append(f"<title>{escape(title)}</title>")
    if sheet.keywords:
        lines.append(f'<meta name="keywords" content="{escape(",".join(sheet.keywords))}">')
    if sheet.refresh:
        lines.append(f'<meta http-equiv="refresh" content="0; url={escape(sheet.refresh)}">')
    lines.append("<style>body{margin:0 auto;max-width:60em}nav a{margin:0 .5em}</style>")
    return "\n".join(lines)


def _divisions(sheet: Sheet) -> str:
    return f"""<div class="top"><div class="logo">{escape(sheet.site_title)}</div><div class="nav">{_inline(sheet.menu)}</div></div>
<div class="position">{_inline(sheet.trail, " &gt; ")}</div>
<div class="main"><h1>{escape(sheet.title)}</h1><div class="info">{escape(sheet.byline)}</div>
<div class="content">{_paragraphs(sheet)}</div>{_entries(sheet, "news-list")}<div class="page">{_inline(sheet.pager)}</div></div>
<div class="sidebar">{_blocks(sheet, "h3")}</div>
<div class="footer"><p>{_label(sheet)}{_inline(sheet.friends)}</p><p>Copyright © {escape(sheet.site_title)}</p></div>"""


def _semantic(sheet: Sheet) -> str:
    return f"""<header><nav>{_inline(sheet.menu)}</nav></header>
<main><nav aria-label="breadcrumb">{_inline(sheet.trail, " / ")}</nav>
<article><header><h1>{escape(sheet.title)}</h1><time>{escape(sheet.byline)}</time></header>{_paragraphs(sheet)}</article>
{_entries(sheet, "list")}<nav class="pagination">{_inline(sheet.pager)}</nav></main>
<aside>{_blocks(sheet, "h2")}</aside>
<footer><p>{_label(sheet)}{_inline(sheet.friends)}</p><p>© {escape(sheet.site_title)}</p></footer>"""


def _tables(sheet: Sheet) -> str:
    return f"""<table width="960" align=center><tr><td bgcolor=#336699>{_inline(sheet.menu, " | ")}</td></tr></table>
<table width="960" align=center><tr><td width="70%" valign=top>{_inline(sheet.trail, " → ")}<br>
<font size="5"><b>{escape(sheet.title)}</b></font><br><font color=gray>{escape(sheet.byline)}</font><hr>
{_paragraphs(sheet)}{_entries(sheet, "t")}<p align=center>{_inline(sheet.pager)}</p></td>
<td valign=top>{_blocks(sheet, "b")}</td></tr></table>
<table width="960" align=center><tr><td align=center>{_label(sheet)}{_inline(sheet.friends, " | ")}<br>{escape(sheet.site_title)}</td></tr></table>"""


def _blog(sheet: Sheet) -> str:
    return f"""<div id="wrapper"><div id="masthead"><p class="site-title">{escape(sheet.site_title)}</p><ul class="menu">{_items(sheet.menu)}</ul></div>
<div class="post"><h2 class="entry-title">{escape(sheet.title)}</h2><p class="meta">{escape(sheet.byline)}</p>
<div class="entry-content">{_paragraphs(sheet)}</div>{_entries(sheet, "archive")}<div class="nav-links">{_inline(sheet.pager)}</div></div>
<div id="secondary">{_blocks(sheet, "h4")}</div><div id="colophon">{_label(sheet)}{_inline(sheet.friends)} {_inline(sheet.trail)}</div></div>"""


def _paragraphs(sheet: Sheet) -> str:
    return "\n".join(f"<p>{escape(text)}</p>" for text in sheet.paragraphs)


def _entries(sheet: Sheet, name: str) -> str:
    if not sheet.entries:
        return ""
    lines = "\n".join(f"<li>{_link(anchor)} <span>{escape(note)}</span></li>" for anchor, note in sheet.entries)
    return f'<ul class="{name}">\n{lines}\n</ul>'


def _blocks(sheet: Sheet, heading: str) -> str:
    return "\n".join(
        f"<{heading}>{escape(title)}</{heading}><ul>{_items(links)}</ul>" for title, links in sheet.blocks if links
    )


def _label(sheet: Sheet) -> str:
    return "" if not sheet.friends else ("Links: " if sheet.english else "友情链接：")


def _items(links: list[Anchor]) -> str:
    return "".join(f"<li>{_link(link)}</li>" for link in links)


def _inline(links: list[Anchor], between: str = " ") -> str:
    return between.join(map(_link, links))


def _link(anchor: Anchor) -> str:
    return f'<a href="{escape(anchor[0])}">{escape(anchor[1])}</a>'


@dataclass(frozen=True, slots=True)
class Matter:
    """What an article says: ``seed`` of its text, its ``topic``, perhaps a ``second`` one, ``quiet``: few words of the topic.

    ``copy_of``: the article that this one repeats nearly word for word.
    """

    seed: int
    topic: str
    second: str
    quiet: bool
    english: bool
    copy_of: Address | None = None


class Articles:
    """Answers for every article of a web."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._scale = sites.scale
        self.matter = lru_cache(maxsize=16384)(self._matter)
        self.title = lru_cache(maxsize=16384)(self._title)

    def is_moved(self, address: Address) -> bool:
        """Whether only a meta refresh to another article stands there."""
        return self._happens(address, "moved") and self._section(address).articles > 2

    def moved_to(self, address: Address) -> Address:
        """Where that meta refresh leads: an article that is not moved itself."""
        section = self._section(address)
        index = address.index
        for step in range(1, 10):
            index = (address.index + step) % section.articles
            if not self.is_moved(Address(address.site, "article", address.section, index)):
                break
        return Address(address.site, "article", address.section, index)

    def near(self, address: Address, topic: str, draw: float, *, key: object) -> Address:
        """Another article of the same site, in the same section when ``draw`` is small."""
        site = self._sites.site(address.site)
        same = [section for section in site.sections if section.topic == topic]
        sections = same if same and draw < 0.75 else site.sections
        return self.some(address.site, [section.number for section in sections], address, key)

    def some(self, site: int, sections: list[int], *key: object) -> Address:
        """An article in one of some sections of a site; the newest more often."""
        every = self._sites.site(site).sections
        section = every[sections[self._scale.number("some", site, *key) % len(sections)]]
        index = int(self._scale.unit("index", site, *key) ** 2 * section.articles)
        return Address(site, "article", section.number, index)

    def _matter(self, address: Address) -> Matter:
        original = self._original(address)
        topic, *more = self._topics(original)
        return Matter(
            seed=self._number(original, "text"),
            topic=topic,
            second=more[0] if more else "",
            quiet=self._happens(original, "quiet"),
            english=self._sites.site(address.site).english,
            copy_of=original if original != address else None,
        )

    def _topics(self, original: Address) -> tuple[str, ...]:
        topic = self._section(original).topic
        english = self._sites.site(original.site).english
        if not self._happens(original, "topic"):
            others = [one for one in DRAWN if one != topic and (not english or one in ENGLISH)]
            topic = others[self._number(original, "other") % len(others)]
        if english or not self._happens(original, "second"):
            return (topic,)
        second = DRAWN[self._number(original, "which") % len(DRAWN)]
        return (topic,) if second == topic else (topic, second)

    def _title(self, address: Address) -> str:
        matter = self.matter(address)
        return Writer(matter.seed, matter.topic, english=matter.english).title()

    def _original(self, address: Address) -> Address:
        for _ in range(8):
            if address.index == 0 or not self._happens(address, "copy"):
                break
            address = Address(address.site, "article", address.section, address.index - 1)
        return address

    def _section(self, address: Address) -> Section:
        return self._sites.site(address.site).sections[address.section]

    def _number(self, address: Address, what: str) -> int:
        return self._scale.number(what, address.site, address.section, address.index)

    def _happens(self, address: Address, event: str) -> bool:
        return self._scale.happens(event, address.site, address.section, address.index)


class Pages:
    """Lays out a sheet for every address that has a page."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._scale = sites.scale
        self.addresses = Addresses(sites)
        self.articles = Articles(sites)

    def sheet(self, address: Address) -> Sheet:
        """The page at ``address``."""
        site = self._sites.site(address.site)
        write = {
            "home": self._home,
            "about": self._about,
            "hub": self._hub,
            "list": self._list,
            "article": self._article,
            "private": self._about,
        }[address.kind]
        return write(site, address)

    def link(self, address: Address) -> Anchor:
        """A link to an article, with its title."""
        return self.addresses.url(address), self.articles.title(address)

    # kinds of pages

    def _home(self, site: Site, address: Address) -> Sheet:
        sheet = self._empty(site, site.title)
        for section in site.sections:
            latest = [Address(site.number, "article", section.number, i) for i in range(min(4, section.articles))]
            sheet.blocks.append((section.title, [self.link(one) for one in latest]))
        hubs = [Address(site.number, "hub", 0, i) for i in range(min(site.hubs, 5))]
        sheet.blocks.append(
            (
                _say(site, "Special pages", "专题"),
                [(self.addresses.url(hub), self._hub_title(site, hub)) for hub in hubs],
            )
        )
        if self.addresses.has_big_page(site.number):
            everything = Address(site.number, "all")
            sheet.blocks.append(
                ("", [(self.addresses.url(everything), _say(site, "Everything on one page", "全部文章（单页版）"))])
            )
        sheet.friends = self._friends(site, address, site.topic)
        return sheet

    def _about(self, site: Site, address: Address) -> Sheet:
        sheet = self._empty(
            site, _say(site, "About us", "关于我们") if address.kind == "about" else f"No. {address.index}"
        )
        writer = Writer(self._scale.number("about", site.number, address.index), "society", english=False)
        writer.title()
        sheet.paragraphs = [writer.paragraph(5, 0.3) for _ in range(2)]
        sheet.friends = self._friends(site, address, site.topic) + self._gates(site)
        return sheet

    def _hub(self, site: Site, address: Address) -> Sheet:
        """Many links to one topic, on this site and on others."""
        topic = self._hub_topic(site, address)
        sheet = self._empty(site, self._hub_title(site, address))
        links = []
        for i in range(40):
            other = (
                self._sites.about(topic, self._scale.unit("hub", site.number, address.index, i))
                if i % 4
                else site.number
            )
            if other is not None:
                links.append(self.link(self._on_topic(other, topic, address, i)))
        sheet.entries = [(link, "") for link in dict.fromkeys(links)]
        if address.index + 1 < site.hubs:
            following = Address(site.number, "hub", 0, address.index + 1)
            sheet.pager.append((self.addresses.url(following), _say(site, "Next", "下一页")))
        sheet.friends = self._friends(site, address, topic) + self._gates(site)
        return sheet

    def _list(self, site: Site, address: Address) -> Sheet:
        section = site.sections[address.section]
        page = _say(site, f" (page {address.index + 1})", f"（第{address.index + 1}页）") if address.index else ""
        sheet = self._empty(site, section.title + page)
        sheet.trail = self._trail(site, section)
        first = address.index * LIST_LENGTH
        for index in range(first, min(first + LIST_LENGTH, section.articles)):
            article = Address(site.number, "article", section.number, index)
            sheet.entries.append((self.link(article), self._date(article)))
        if address.index:
            sheet.pager.append(
                (
                    self.addresses.url(Address(site.number, "list", section.number, address.index - 1)),
                    _say(site, "Previous", "上一页"),
                )
            )
        if address.index + 1 < section.lists:
            sheet.pager.append(
                (
                    self.addresses.url(Address(site.number, "list", section.number, address.index + 1)),
                    _say(site, "Next", "下一页"),
                )
            )
        sheet.friends = self._friends(site, address, section.topic)
        return sheet

    def _article(self, site: Site, address: Address) -> Sheet:
        section = site.sections[address.section]
        if self.articles.is_moved(address):
            target = self.addresses.url(self.articles.moved_to(address))
            sheet = self._empty(site, _say(site, "Moved", "页面已迁移"))
            sheet.refresh, sheet.paragraphs = target, [_say(site, "This page has moved.", "正在跳转，请稍候。")]
            return sheet
        matter = self.articles.matter(address)
        writer = Writer(matter.seed, matter.topic, english=matter.english)
        sheet = self._empty(site, writer.title())
        sheet.trail = self._trail(site, section)
        sheet.byline = f"{self._date(address)} {_say(site, 'by', '作者：')} {writer.author()}"
        sheet.paragraphs = _article_paragraphs(writer, matter)
        sheet.keywords = writer.keywords()
        if matter.copy_of is not None:
            sheet.paragraphs.append(
                _say(
                    site,
                    f"First published on our pages, {self._date(matter.copy_of)}.",
                    f"（原文刊于{self._date(matter.copy_of)}，略有改动）",
                )
            )
        if not site.bare:
            sheet.pager = self._neighbours(site, section, address)
        sheet.blocks = self._see_also(site, address, matter.topic)
        sheet.friends = self._friends(site, address, matter.topic)
        if self._scale.number("gate", address) % 12 == 0:  # one page in so many shows the way to a hidden site
            sheet.friends += self._gates(site)
        return sheet

    # parts of pages

    def _empty(self, site: Site, title: str) -> Sheet:
        menu = [(self.addresses.url(Address(site.number, "home")), _say(site, "Home", "首页"))]
        menu += [
            (self.addresses.url(Address(site.number, "list", section.number)), section.title)
            for section in site.sections
        ]
        if site.misleading:
            # the word of a topic in every menu, with nothing on that topic behind it
            word = MISLEADING[self._scale.number("misleading", site.number) % len(MISLEADING)]
            menu.append((self.addresses.url(Address(site.number, "private" if site.has_robots else "about")), word))
        menu.append((self.addresses.url(Address(site.number, "about")), _say(site, "About", "关于我们")))
        return Sheet(title, site.title, site.english, menu=menu)

    def _trail(self, site: Site, section: Section) -> list[Anchor]:
        return [
            (self.addresses.url(Address(site.number, "home")), site.title),
            (self.addresses.url(Address(site.number, "list", section.number)), section.title),
        ]

    def _neighbours(self, site: Site, section: Section, address: Address) -> list[Anchor]:
        pager = []
        for step, words in ((-1, _say(site, "Previous: ", "上一篇：")), (1, _say(site, "Next: ", "下一篇："))):
            if 0 <= address.index + step < section.articles:
                url, title = self.link(Address(site.number, "article", section.number, address.index + step))
                pager.append((url, words + title))
        return pager

    def _see_also(self, site: Site, address: Address, topic: str) -> list[tuple[str, list[Anchor]]]:
        draws = [self._scale.unit("related", address, i) for i in range(0 if site.bare else 6)]
        related = [self.link(self.articles.near(address, topic, draw, key=i)) for i, draw in enumerate(draws)]
        abroad = [self.link(self._abroad(address, topic, i)) for i in range(self._scale.number("abroad", address) % 4)]
        return [
            (_say(site, "Related", "相关阅读"), list(dict.fromkeys(related))),
            (_say(site, "Elsewhere", "延伸阅读"), abroad),
            (_say(site, "Also here", "热门"), self._oddities(site, address)),
        ]

    def _abroad(self, address: Address, topic: str, i: int) -> Address:
        """An article on another site, mostly on the same topic."""
        draw = self._scale.unit("site", address, i)
        other = self._sites.about(topic, draw) if self._scale.happens("same", address, i) else None
        if other is None:
            number = self._sites.any(draw)
            return self.articles.some(
                number, [section.number for section in self._sites.site(number).sections], address, i
            )
        return self._on_topic(other, topic, address, i)

    def _on_topic(self, number: int, topic: str, *key: object) -> Address:
        sections = self._sites.site(number).sections
        same = [section.number for section in sections if section.topic == topic]
        return self.articles.some(number, same or [section.number for section in sections], *key)

    def _oddities(self, site: Site, address: Address) -> list[Anchor]:
        """Dead links, redirects and what robots.txt forbids, on some pages."""
        scale, links = self._scale, []
        base = f"http://{site.host}"
        if scale.happens("dead", address):
            gone = scale.number("gone", address) % 10**6
            target = f"{base}/old/{gone}.html" if gone % 3 else f"http://www.gone{gone % 50}.example/"
            links.append((target, Writer(gone, address_topic(site, address), english=site.english).title()))
        if scale.happens("detour", address):
            number = scale.number("which", address)
            kind = ("go", "out", "out", "loop")[number % 4]
            detour = Address(site.number, kind, 0, number % (2 if kind == "loop" else 1000))
            links.append((self.addresses.url(detour), self._detour_title(detour)))
        if site.has_robots and scale.happens("private", address):
            forbidden = Address(site.number, "private", 0, scale.number("no", address) % PRIVATE)
            links.append((self.addresses.url(forbidden), _say(site, "Members", "会员专区")))
        return links

    def _detour_title(self, detour: Address) -> str:
        target = self.detour(detour)
        return self.articles.title(target) if target.kind == "article" else "点击查看"

    def detour(self, address: Address) -> Address:
        """Where a redirect leads: to an article here, to one on another site, or round and round."""
        if address.kind == "loop":
            return Address(address.site, "loop", 0, (address.index + 1) % 2)
        site = self._sites.site(address.site)
        if address.kind == "go":
            return self.articles.some(site.number, [section.number for section in site.sections], "go", address.index)
        return self._abroad(address, site.topic, 0)

    def _friends(self, site: Site, address: Address, topic: str) -> list[Anchor]:
        """Links in the footer to the homes of other sites."""
        numbers = []
        for i in range(3):
            draw = self._scale.unit("friend", site.number, address.index % 7, i)
            other = self._sites.about(topic, draw) if i < 2 else self._sites.any(draw)
            if other is not None and other != site.number:
                numbers.append(other)
        return [self._home_link(number) for number in dict.fromkeys(numbers)]

    def _gates(self, site: Site) -> list[Anchor]:
        return [self._home_link(number) for number in self._sites.hidden_behind(site.number)]

    def _home_link(self, number: int) -> Anchor:
        return self.addresses.url(Address(number, "home")), self._sites.site(number).title

    def _hub_topic(self, site: Site, address: Address) -> str:
        return (
            site.topic
            if address.index % 2 == 0 or site.english
            else TOPICS[self._scale.number("hub", site.number, address.index) % len(TOPICS)]
        )

    def _hub_title(self, site: Site, address: Address) -> str:
        columns = words_of(self._hub_topic(site, address), english=site.english).columns
        column = columns[self._scale.number("hub title", site.number, address.index) % len(columns)]
        return _say(site, f"{column}: our selection", f"{column}专题")

    def hub_topic(self, address: Address) -> str:
        """What a hub's links are about."""
        return self._hub_topic(self._sites.site(address.site), address)

    def _date(self, address: Address) -> str:
        number = self._scale.number("date", address.site, address.section, address.index)
        return f"20{10 + number % 15}-{1 + number // 16 % 12:02}-{1 + number // 256 % 28:02}"


def address_topic(site: Site, address: Address) -> str:
    """The topic of the section that an address lies in."""
    return site.sections[address.section].topic


def _article_paragraphs(writer: Writer, matter: Matter) -> list[str]:
    topical = 0.45 if matter.quiet else 0.82
    count = writer.number(4, 9)
    return [writer.paragraph(writer.number(3, 6), topical, matter.second) for _ in range(count)]


def _say(site: Site, english: str, chinese: str) -> str:
    return english if site.english else chinese
