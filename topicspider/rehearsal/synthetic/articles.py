"""The articles of a made web: what each is about (the truth), its title, and where others that resemble it lie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from topicspider.rehearsal.synthetic.sites import DRAWN, Address, Section, Sites
from topicspider.rehearsal.synthetic.text import ENGLISH, Writer


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
