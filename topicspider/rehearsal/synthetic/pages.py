"""Writes the pages of a synthetic web: menus, lists, hubs, articles and the links between them, in four styles of markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from html import escape
from importlib.resources import files

from jinja2 import Environment, Template

from topicspider.rehearsal.synthetic.sites import LIST_LENGTH, PRIVATE, Address, Addresses, Section, Site, Sites
from topicspider.rehearsal.synthetic.text import ENGLISH, MISLEADING, Writer, words_of

Anchor = tuple[str, str]  # URL, text


@dataclass(slots=True)
class Sheet:
    """The contents of a page; its texts are not escaped yet."""

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
    """The page as HTML. ``style``: 0 div and class, 1 semantic elements, 2 tables, 3 a blog."""
    return _template().render(sheet=sheet, style=style)


@cache
def _template() -> Template:
    environment = Environment(trim_blocks=True, keep_trailing_newline=True)  # noqa: S701 - pages.html escapes as ``html`` does
    environment.filters["e"] = escape
    return environment.from_string(files(__package__).joinpath("pages.html").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Matter:
    """What an article says. ``quiet``: fewer sentences on its topic; ``copy_of``: the article that it repeats nearly word for word."""

    seed: int
    topic: str
    second: str
    quiet: bool
    english: bool
    copy_of: Address | None = None


class Pages:
    """Lays out a sheet for every address that has a page."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._scale = sites.scale
        self.addresses = Addresses(sites)
        self.matter = lru_cache(maxsize=16384)(self._matter)
        self.title = lru_cache(maxsize=16384)(self._title)

    def sheet(self, address: Address) -> Sheet:
        site = self._sites.site(address.site)
        write = {"home": self._home, "hub": self._hub, "list": self._list, "article": self._article}
        return write.get(address.kind, self._about)(site, address)

    def link(self, address: Address) -> Anchor:
        return self.addresses.url(address), self.title(address)

    # what articles say

    def is_moved(self, address: Address) -> bool:
        """Whether the article is only a meta refresh to another one."""
        return self._happens(address, "moved") and self._section(address).articles > 2

    def _moved_to(self, address: Address) -> Address:
        """Where that meta refresh leads: to an article that has not moved itself."""
        count = self._section(address).articles
        later = [replace(address, index=(address.index + step) % count) for step in range(1, 10)]
        return next((one for one in later if not self.is_moved(one)), later[-1])

    def _on_topic(self, number: int, topic: str, *key: object) -> Address:
        """An article in a section on ``topic`` of a site; in any section when it has none on that topic."""
        same = [section for section in self._sites.site(number).sections if section.topic == topic]
        return self._some(number, same, *key) if same else self._anywhere(number, *key)

    def _anywhere(self, number: int, *key: object) -> Address:
        return self._some(number, self._sites.site(number).sections, *key)

    def _some(self, number: int, sections: Sequence[Section], *key: object) -> Address:
        """An article in one of ``sections`` of a site; the newest are drawn more often."""
        section = sections[self._scale.number("some", number, *key) % len(sections)]
        index = int(self._scale.unit("index", number, *key) ** 2 * section.articles)
        return Address(number, "article", section.number, index)

    def _matter(self, address: Address) -> Matter:
        original = address
        for _ in range(8):
            if original.index == 0 or not self._happens(original, "copy"):
                break
            original = replace(original, index=original.index - 1)
        english, topic, second = self._sites.site(original.site).english, self._section(original).topic, ""
        if not self._happens(original, "topic"):
            others = [one for one in self._scale.drawn if one != topic and (not english or one in ENGLISH)]
            topic = others[self._number(original, "other") % len(others)]
        if not english and self._happens(original, "second"):
            drawn = self._scale.drawn[self._number(original, "which") % len(self._scale.drawn)]
            second = drawn if drawn != topic else ""
        copied = original if original != address else None
        seed, quiet = self._number(original, "text"), self._happens(original, "quiet")
        return Matter(seed, topic, second, quiet, english, copied)

    def _title(self, address: Address) -> str:
        matter = self.matter(address)
        return Writer(matter.seed, matter.topic, english=matter.english).title()

    def _section(self, address: Address) -> Section:
        return self._sites.site(address.site).sections[address.section]

    def _number(self, address: Address, what: str) -> int:
        return self._scale.number(what, address.site, address.section, address.index)

    def _happens(self, address: Address, event: str) -> bool:
        return self._scale.happens(event, address.site, address.section, address.index)

    # kinds of pages

    def _home(self, site: Site, address: Address) -> Sheet:
        sheet = self._empty(site, site.title)
        for section in site.sections:
            latest = [Address(site.number, "article", section.number, i) for i in range(min(4, section.articles))]
            sheet.blocks.append((section.title, [self.link(one) for one in latest]))
        hubs = [Address(site.number, "hub", 0, i) for i in range(min(site.hubs, 5))]
        links = [(self.addresses.url(hub), self._hub_title(site, hub)) for hub in hubs]
        sheet.blocks.append((_say(site, "Special pages", "专题"), links))
        if self.addresses.has_big_page(site.number):
            everything = self._url(site, "all"), _say(site, "Everything on one page", "全部文章（单页版）")
            sheet.blocks.append(("", [everything]))
        sheet.friends = self._friends(site, address, site.topic)
        return sheet

    def _about(self, site: Site, address: Address) -> Sheet:
        title = _say(site, "About us", "关于我们") if address.kind == "about" else f"No. {address.index}"
        sheet = self._empty(site, title)
        writer = Writer(self._scale.number("about", site.number, address.index), "society", english=False)
        writer.title()
        sheet.paragraphs = [writer.paragraph(5, 0.3) for _ in range(2)]
        sheet.friends = self._friends(site, address, site.topic) + self._gates(site)
        return sheet

    def _hub(self, site: Site, address: Address) -> Sheet:
        """A page with up to 40 links to articles on one topic, on this site and on others."""
        topic = self.hub_topic(address)
        sheet = self._empty(site, self._hub_title(site, address))
        links = []
        for i in range(40):
            draw = self._scale.unit("hub", site.number, address.index, i)
            other = self._sites.about(topic, draw) if i % 4 else site.number
            if other is not None:
                links.append(self.link(self._on_topic(other, topic, address, i)))
        sheet.entries = [(link, "") for link in dict.fromkeys(links)]
        if address.index + 1 < site.hubs:
            sheet.pager.append((self._url(site, "hub", 0, address.index + 1), _say(site, "Next", "下一页")))
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
        for one in _beside(address, section.lists):
            is_before = one.index < address.index
            words = _say(site, "Previous", "上一页") if is_before else _say(site, "Next", "下一页")
            sheet.pager.append((self.addresses.url(one), words))
        sheet.friends = self._friends(site, address, section.topic)
        return sheet

    def _article(self, site: Site, address: Address) -> Sheet:
        section = site.sections[address.section]
        if self.is_moved(address):
            target = self.addresses.url(self._moved_to(address))
            sheet = self._empty(site, _say(site, "Moved", "页面已迁移"))
            sheet.refresh, sheet.paragraphs = target, [_say(site, "This page has moved.", "正在跳转，请稍候。")]
            return sheet
        matter = self.matter(address)
        writer = Writer(matter.seed, matter.topic, english=matter.english)
        sheet = self._empty(site, writer.title())
        sheet.trail = self._trail(site, section)
        sheet.byline = f"{self._date(address)} {_say(site, 'by', '作者：')} {writer.author()}"
        topical = 0.45 if matter.quiet else 0.82
        count = writer.number(4, 9)
        sheet.paragraphs = [writer.paragraph(writer.number(3, 6), topical, matter.second) for _ in range(count)]
        sheet.keywords = writer.keywords()
        if matter.copy_of is not None:
            day = self._date(matter.copy_of)
            first = _say(site, f"First published on our pages, {day}.", f"（原文刊于{day}，略有改动）")
            sheet.paragraphs.append(first)
        for one in () if site.bare else _beside(address, section.articles):
            url, title = self.link(one)
            is_before = one.index < address.index
            words = _say(site, "Previous: ", "上一篇：") if is_before else _say(site, "Next: ", "下一篇：")
            sheet.pager.append((url, words + title))
        sheet.blocks = self._see_also(site, address, matter.topic)
        sheet.friends = self._friends(site, address, matter.topic)
        if self._scale.number("gate", address) % 12 == 0:  # one article in 12 links to the hidden sites
            sheet.friends += self._gates(site)
        return sheet

    # parts of pages

    def _empty(self, site: Site, title: str) -> Sheet:
        menu = [(self._url(site, "home"), _say(site, "Home", "首页"))]
        menu += [(self._url(site, "list", section.number), section.title) for section in site.sections]
        if site.misleading:
            # every menu has a word of a topic as a link, which leads to no page on that topic
            word = MISLEADING[self._scale.number("misleading", site.number) % len(MISLEADING)]
            menu.append((self._url(site, "private" if site.has_robots else "about"), word))
        menu.append((self._url(site, "about"), _say(site, "About", "关于我们")))
        return Sheet(title, site.title, site.english, menu=menu)

    def _trail(self, site: Site, section: Section) -> list[Anchor]:
        return [(self._url(site, "home"), site.title), (self._url(site, "list", section.number), section.title)]

    def _url(self, site: Site, kind: str, section: int = 0, index: int = 0) -> str:
        return self.addresses.url(Address(site.number, kind, section, index))

    def _see_also(self, site: Site, address: Address, topic: str) -> list[tuple[str, list[Anchor]]]:
        related = [self.link(self._near(address, topic, i)) for i in range(0 if site.bare else 6)]
        abroad = [self.link(self._abroad(address, topic, i)) for i in range(self._scale.number("abroad", address) % 4)]
        return [
            (_say(site, "Related", "相关阅读"), list(dict.fromkeys(related))),
            (_say(site, "Elsewhere", "延伸阅读"), abroad),
            (_say(site, "Also here", "热门"), self._oddities(site, address)),
        ]

    def _near(self, address: Address, topic: str, i: int) -> Address:
        """Another article of the same site, mostly on the same topic."""
        if self._scale.unit("related", address, i) < 0.75:
            return self._on_topic(address.site, topic, address, i)
        return self._anywhere(address.site, address, i)

    def _abroad(self, address: Address, topic: str, i: int) -> Address:
        """An article on another site, mostly on the same topic."""
        draw = self._scale.unit("site", address, i)
        other = self._sites.about(topic, draw) if self._scale.happens("same", address, i) else None
        if other is not None:
            return self._on_topic(other, topic, address, i)
        return self._anywhere(self._sites.any(draw), address, i)

    def _oddities(self, site: Site, address: Address) -> list[Anchor]:
        """The links of some pages to dead URLs, redirects, and URLs that robots.txt forbids."""
        scale, links = self._scale, []
        base = f"http://{site.host}"
        if scale.happens("dead", address):
            gone = scale.number("gone", address) % 10**6
            target = f"{base}/old/{gone}.html" if gone % 3 else f"http://www.gone{gone % 50}.example/"
            topic = site.sections[address.section].topic
            links.append((target, Writer(gone, topic, english=site.english).title()))
        if scale.happens("detour", address):
            number = scale.number("which", address)
            kind = ("go", "out", "out", "loop")[number % 4]
            detour = Address(site.number, kind, 0, number % (2 if kind == "loop" else 1000))
            leads_to = self.detour(detour)
            words = self.title(leads_to) if leads_to.kind == "article" else "点击查看"
            links.append((self.addresses.url(detour), words))
        if site.has_robots and scale.happens("private", address):
            forbidden = self._url(site, "private", 0, scale.number("no", address) % PRIVATE)
            links.append((forbidden, _say(site, "Members", "会员专区")))
        return links

    def detour(self, address: Address) -> Address:
        """Where a redirect leads: to an article here, to one on another site, or to the other URL of its loop."""
        if address.kind == "loop":
            return Address(address.site, "loop", 0, (address.index + 1) % 2)
        site = self._sites.site(address.site)
        if address.kind == "go":
            return self._anywhere(site.number, "go", address.index)
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
        site = self._sites.site(number)
        return self._url(site, "home"), site.title

    def _hub_title(self, site: Site, address: Address) -> str:
        columns = words_of(self.hub_topic(address), english=site.english).columns
        column = columns[self._scale.number("hub title", site.number, address.index) % len(columns)]
        return _say(site, f"{column}: our selection", f"{column}专题")

    def hub_topic(self, address: Address) -> str:
        """The topic of a hub's links."""
        site = self._sites.site(address.site)
        if address.index % 2 == 0 or site.english:
            return site.topic
        topics = self._scale.topics
        return topics[self._scale.number("hub", site.number, address.index) % len(topics)]

    def _date(self, address: Address) -> str:
        number = self._number(address, "date")
        return f"20{10 + number % 15}-{1 + number // 16 % 12:02}-{1 + number // 256 % 28:02}"


def _beside(address: Address, count: int) -> list[Address]:
    """The addresses before and after this one, of those with index 0 to ``count`` - 1."""
    return [replace(address, index=i) for i in (address.index - 1, address.index + 1) if 0 <= i < count]


def _say(site: Site, english: str, chinese: str) -> str:
    return english if site.english else chinese
