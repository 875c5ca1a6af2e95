"""The hosts of a synthetic web: what each is about, how large it is, how it is built, and how its URLs are spelled."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from itertools import accumulate
from typing import Any
from urllib.parse import quote

from topicspider.errors import ConfigError
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.rehearsal.synthetic.text import CHINESE, ENGLISH, REGIONS, class_subjects, words_of

DESIGN: dict[str, Any] = json.loads(files(__package__).joinpath("design.json").read_text(encoding="utf-8"))
"""How often things happen, how large sites are, how their URLs are spelled."""
PAGES, HOSTS = 80_000, 800
PAGES_PER_HOST = PAGES // HOSTS
MOST_CLASSES = 200  # of the catalogue
FEWEST_PAGES_PER_HOST = 72  # so that the smallest host has every kind of page
_ALLOWED = N_(
    "pages=N, hosts=N (from 3, each of at least {fewest} pages), seed=N, topic=NAME and topic_hosts=N (both or neither; from 1 to the number of hosts; {topics}), or classes=N (2 to {classes}, at most the number of hosts) without them, joined by commas, each once"
)


@dataclass(frozen=True, slots=True)
class Scale:
    """The size of a web: ``pages`` on ``hosts``. All that is drawn at random depends on ``seed``.

    ``topic_hosts`` of the hosts are mainly on ``topic``, all others on other topics; 0: hosts have topics by DESIGN["shares"].
    ``classes``: the topics are so many classes of the catalogue, with as many hosts on each; 0: they are those of DESIGN["shares"].
    """

    pages: int = PAGES
    hosts: int = HOSTS
    seed: int = 1
    topic: str = ""
    topic_hosts: int = 0
    classes: int = 0

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of its hosts."""
        return class_subjects(self.classes) if self.classes else TOPICS

    @property
    def drawn(self) -> tuple[str, ...]:
        """The topics to draw from, each as often as its share."""
        return self.topics if self.classes else DRAWN

    @classmethod
    def read(cls, text: str) -> Scale:
        """Read ``pages=24000,seed=7,hosts=80,topic=tourism,topic_hosts=20``, each part optional; raises ConfigError."""
        parts = [part.strip().partition("=")[::2] for part in text.split(",") if part.strip()]
        given = dict(parts)
        topic = given.pop("topic", "")
        numbers = {name: int(value) for name, value in given.items() if re.fullmatch("[0-9]{1,15}", value)}
        topic_hosts, classes = numbers.get("topic_hosts", 0), numbers.get("classes", 0)
        pages = numbers.get("pages", numbers.get("hosts", HOSTS) * PAGES_PER_HOST)
        hosts = numbers.get("hosts", max(3, min(pages, 10**7) // PAGES_PER_HOST))
        known = {"pages", "hosts", "seed", "topic_hosts", "classes"}
        is_known = len(dict(parts)) == len(parts) and numbers.keys() == given.keys() <= known
        is_large = 3 <= hosts <= 10**5 and hosts * FEWEST_PAGES_PER_HOST <= pages <= 10**9
        is_topic = bool(topic) == bool(topic_hosts) and topic in ("", *CHINESE) and topic_hosts <= hosts
        is_classes = "classes" not in given or (2 <= classes <= min(hosts, MOST_CLASSES) and not topic)
        if not (is_known and is_large and is_topic and is_classes):
            values = {"fewest": FEWEST_PAGES_PER_HOST, "topics": ", ".join(CHINESE), "classes": MOST_CLASSES}
            raise ConfigError(_("made web"), text, _(_ALLOWED, **values))
        return cls(pages, hosts, numbers.get("seed", 1), topic, topic_hosts, classes)

    def number(self, *key: object) -> int:
        """A number of 64 bits that depends on the seed and ``key`` only; the same in every process and on every machine."""
        text = "\x1f".join(map(str, (self.seed, *key)))
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())

    def unit(self, *key: object) -> float:
        """As number(), but in [0, 1)."""
        return (self.number(*key) >> 11) / (1 << 53)

    def happens(self, event: str, *key: object) -> bool:
        """Whether ``event`` happens to ``key``; DESIGN["often"] has its probability."""
        return bool(self.unit(event, *key) < DESIGN["often"][event])


TOPICS: tuple[str, ...] = tuple(DESIGN["shares"])
DRAWN: tuple[str, ...] = tuple(topic for topic, share in DESIGN["shares"].items() for _ in range(share))
_LINKED_BY = 8  # a hidden site is linked from one of the next eight sites
_SIZES_BEFORE: tuple[int, ...] = (0, *accumulate(DESIGN["sizes"]))
_HOST = "www.s{:03d}.example"
LIST_LENGTH = 20


@dataclass(frozen=True, slots=True)
class Section:
    """A column of a site: ``lists`` list pages and ``articles`` articles; most articles are on ``topic``."""

    number: int
    topic: str
    title: str
    slug: str
    lists: int
    articles: int


@dataclass(frozen=True, slots=True)
class Site:
    """One host. ``bare``: only the chain of its lists leads to its articles; ``slow_seconds``: the delay before each answer."""

    number: int
    host: str
    title: str
    topic: str
    hubs: int
    sections: tuple[Section, ...]
    style: int
    encoding: str
    english: bool
    bare: bool
    misleading: bool
    has_robots: bool
    slow_seconds: float


class Sites:
    """All hosts of one synthetic web, computed on demand; only a small cache is kept."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        deck = _dealt(scale)
        self._deck = len(deck)
        self._topics = [deck[number % len(deck)] for number in range(scale.hosts)]
        self._sites_on: dict[str, list[int]] = {topic: [] for topic in scale.topics}
        self._ranks: list[int] = []  # of each site among those on its topic
        for number, topic in enumerate(self._topics):
            self._ranks.append(len(self._sites_on[topic]))
            self._sites_on[topic].append(number)
        self.host = _HOST.format
        """The host name of a site, by its number."""
        self.site = lru_cache(maxsize=4096)(self._site)

    def number_of(self, host: str) -> int | None:
        """The number of the site with this host name; None when there is none."""
        digits = host[5:-8]
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
            return None
        number = int(digits)
        return number if number < self.scale.hosts and _HOST.format(number) == host else None

    def first_page(self, number: int) -> int:
        """How many pages all sites before this one have; for the number after the last site: all pages."""
        return self.scale.pages * _weight_before(number) // _weight_before(self.scale.hosts)

    def about(self, topic: str, draw: float) -> int | None:
        """A site on ``topic`` that is not hidden, chosen by ``draw`` in [0, 1); None when there is none."""
        there = self._sites_on[topic]
        first = int(draw * len(there))
        return next(
            (number for number in there[first : first + 3] if not self.is_hidden(number)), there[0] if there else None
        )

    def any(self, draw: float) -> int:
        """Any site that is not hidden, chosen by ``draw`` in [0, 1)."""
        number = int(draw * self.scale.hosts)
        return number if not self.is_hidden(number) else self._gate(number) or 0

    def on_topic(self, topic: str, most: int) -> Iterator[int]:
        """The first sites on ``topic`` that are not hidden."""
        return (number for number in self._sites_on[topic][: 2 * most] if not self.is_hidden(number))

    def hidden_behind(self, number: int) -> list[int]:
        """The hidden sites that only this site links to."""
        before = {(number - step) % self.scale.hosts for step in range(1, _LINKED_BY + 1)} - {number}
        return sorted(site for site in before if self.is_hidden(site) and self._gate(site) == number)

    def is_hidden(self, number: int) -> bool:
        """Whether only one site, on another topic, links to this one: so it is with every third site of a topic, if such a site is near."""
        return self._ranks[number] % 3 == 2 and self._gate(number) is not None

    def _gate(self, number: int) -> int | None:
        after = ((number + step) % self.scale.hosts for step in range(1, min(_LINKED_BY, self.scale.hosts - 1) + 1))
        return next(
            (site for site in after if self._ranks[site] % 3 != 2 and self._topics[site] != self._topics[number]), None
        )

    def _site(self, number: int) -> Site:
        scale, topic = self.scale, self._topics[number]
        size = self.first_page(number + 1) - self.first_page(number)
        hubs = max(1, size // 150)
        rank = number // self._deck + self._ranks[number % self._deck]
        english = topic in ENGLISH and rank % 4 == 1
        names = words_of(topic, english=english).names
        name = names[scale.number("name", number) % len(names)]
        region = REGIONS[scale.number("region", number) % len(REGIONS)]
        return Site(
            number=number,
            host=self.host(number),
            title=f"{name} {number}" if english else (region + name if number % 3 else f"{name}{number}"),
            topic=topic,
            hubs=hubs,
            sections=self._sections(number, topic, size - 2 - hubs, english),
            style=number % 5 % 4,
            encoding="utf8" if english else DESIGN["encoded"].get(str(number % 16), "utf8"),
            english=english,
            bare=number % 3 == 1,
            misleading=number % 4 == 2 and topic != "tourism" and not english,
            has_robots=number % 8 == 5,
            slow_seconds=0.3 + scale.unit("slow", number) if number % 20 == 9 else 0.0,
        )

    def _sections(self, number: int, topic: str, pages: int, english: bool) -> tuple[Section, ...]:
        topics = _section_topics(self.scale, number, topic, english)
        bounds = [pages * share // 16 for share in DESIGN["bounds"][str(len(topics))]]
        titles: list[str] = []
        sections = []
        for i, one in enumerate(topics):
            columns = [column for column in words_of(one, english=english).columns if column not in titles]
            titles.append(columns[self.scale.number("column", number, i) % len(columns)])
            quota = bounds[i + 1] - bounds[i]
            lists = -(-quota // (LIST_LENGTH + 1))
            sections.append(Section(i, one, titles[i], f"{one[:4]}{i}", lists, quota - lists))
        return tuple(sections)


def _section_topics(scale: Scale, number: int, topic: str, english: bool) -> list[str]:
    """The topics of a site's sections: focused sites have 3 of 4 on their own topic, blogs 2 of 3, portals 1 of 5."""
    others = [one for one in scale.drawn if one != topic and (not english or one in ENGLISH)]
    drawn = [others[scale.number("section", number, i) % len(others)] for i in range(4)]
    kind = scale.unit("kind", number)
    if kind < 0.5 or topic in ("tourism", scale.topic):
        return [topic, topic, topic, drawn[0]]
    if kind < 0.7:
        return [topic, topic, drawn[0]]
    return [topic, *drawn]


def _dealt(scale: Scale) -> tuple[str, ...]:
    """The main topics of the first sites, shuffled; further sites repeat them in this order."""
    # 99 is odd, so that in later rounds each topic meets every size of DESIGN["sizes"]
    cards = _chosen(scale) if scale.topic else list(scale.topics) if scale.classes else _usual(min(scale.hosts, 99))
    draw = random.Random(scale.number("deal")).random
    for i in range(len(cards) - 1, 0, -1):
        j = int(draw() * (i + 1))
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(cards)


def _usual(count: int) -> list[str]:
    """``count`` topics by their shares, tourism at least once."""
    exact = {topic: share * count / 100 for topic, share in DESIGN["shares"].items()}
    deal = {topic: int(share) for topic, share in exact.items()}
    deal["tourism"] = max(1, deal["tourism"])
    by_rest = sorted(TOPICS, key=lambda topic: deal[topic] - exact[topic])
    for i in range(max(0, count - sum(deal.values()))):
        deal[by_rest[i % len(by_rest)]] += 1
    return [topic for topic in TOPICS for _ in range(deal[topic])][:count]


def _chosen(scale: Scale) -> list[str]:
    """A topic for each site: ``scale.topic`` for as many as were asked for, others by their shares."""
    others = [topic for topic in DRAWN if topic != scale.topic]
    count = scale.hosts - scale.topic_hosts
    return [scale.topic] * scale.topic_hosts + [others[i * len(others) // count] for i in range(count)]


def _weight_before(number: int) -> int:
    rounds, rest = divmod(number, len(DESIGN["sizes"]))
    return rounds * _SIZES_BEFORE[-1] + _SIZES_BEFORE[rest]


DIRECTORY_HOST = "start.made.example"
_FIRST_ARTICLE, _MOST_SECTIONS = 1000, 8
_NUMBER = re.compile(r"\d{1,18}")
_PATHS: dict[str, str] = DESIGN["paths"]
LOOPS, PRIVATE, DETOURS = 2, 5, 1000
"""How many URLs of a site are in its redirect loop, forbidden by robots.txt, and redirects of each other kind."""


@dataclass(frozen=True, slots=True)
class Address:
    """One page: the number of its site, its kind, for a list or article its section, and its index from 0."""

    site: int
    kind: str
    section: int = 0
    index: int = 0


class Addresses:
    """Turns addresses into URLs and back; knows which exist."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._big = sites.any(sites.scale.unit("big"))

    def url(self, address: Address) -> str:
        site = self._sites.site(address.site)
        return f"http://{site.host}{self._path(site, address)}"

    def has_big_page(self, number: int) -> bool:
        """Whether this is the one site with a page of 15 MB."""
        return number == self._big

    def find(self, host: str, path: str) -> Address | None:
        """The address of a host and a path (with its query); None when there is no such page."""
        number = self._sites.number_of(host)
        if number is None:
            return None
        site = self._sites.site(number)
        guesses = self._guesses(site, path)
        return next((one for one in guesses if self._exists(site, one) and self._path(site, one) == path), None)

    def _guesses(self, site: Site, path: str) -> list[Address]:
        numbers = [int(text) for text in _NUMBER.findall(path)]
        for kind, pattern in _PATHS.items():
            if path.startswith(pattern.partition("{")[0]) and (kind != "home" or path == "/"):
                return [Address(site.number, kind, 0, numbers[0] if numbers and "{" in pattern else 0)]
        last = numbers[-1] if numbers else 0
        pages = (0, max(0, last - 1))
        guesses = [Address(site.number, "list", section.number, page) for section in site.sections for page in pages]
        if last >= _FIRST_ARTICLE:
            index, section_number = divmod(last - _FIRST_ARTICLE, _MOST_SECTIONS)
            guesses.append(Address(site.number, "article", section_number, index))
        return guesses

    def _exists(self, site: Site, address: Address) -> bool:
        private = PRIVATE if site.has_robots else 0
        counts = {"hub": site.hubs, "go": DETOURS, "out": DETOURS, "loop": LOOPS, "private": private}
        counts |= {"home": 1, "about": 1, "all": int(self.has_big_page(site.number))}
        if address.kind in counts:
            return address.index < counts[address.kind]
        if address.section >= len(site.sections):
            return False
        section = site.sections[address.section]
        return address.index < (section.lists if address.kind == "list" else section.articles)

    def _path(self, site: Site, address: Address) -> str:
        index = address.index
        if address.kind in _PATHS:
            return _PATHS[address.kind].format(index)
        section = site.sections[address.section]
        known = {"slug": section.slug, "title": quote(section.title), "section": section.number}
        if address.kind == "list":
            pattern: str = DESIGN["lists"][site.style][min(index, 1)]
            return pattern.format(page=index + 1, **known)
        number = _FIRST_ARTICLE + index * _MOST_SECTIONS + address.section
        things = words_of(section.topic, english=site.english).things
        word = things[self._sites.scale.number("word", site.number, number) % len(things)].replace(" ", "-")
        pattern = DESIGN["articles"][site.style]
        return pattern.format(number=number, year=10 + index % 15, month=1 + index % 12, word=quote(word), **known)
