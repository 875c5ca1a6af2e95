"""Reads the links of one page as the learner sees them: numbers, words, and the yields they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.learner.addresses import authority_of, kind_of, site_at
from topicspider.relevance.learner.facts import Facts, Traits, traits_of
from topicspider.relevance.learner.link_numbers import FAR
from topicspider.relevance.learner.link_texts import ADDRESS, ANCHOR, AROUND, HEADING, NOTHING
from topicspider.relevance.learner.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.learner.link_texts import LinkTexts, Said
    from topicspider.relevance.learner.yield_tables import YieldTables
    from topicspider.relevance.learner.yields import Yield

_ELSEWHERE = ("outward", "frame", "cross", "")


class PageLinks:
    """The links of one page that was judged; ``lift`` is the page's relevance in [0, 1], ``steps`` those since the last hit.

    ``first``: the page that the list began with which this page belongs to, by its pagination; itself for any other page.
    """

    def __init__(
        self,
        links: Sequence[tuple[int, Link]],
        texts: LinkTexts,
        yields: YieldTables,
        site_name: str,
        first: int,
        standing: tuple[float, float, int],
    ) -> None:
        self._links, self._texts, self._yields = links, texts, yields
        self._site_name, self._site = site_name, yields.site(site_name)
        self._first = first
        self._lift, hit, self._steps = standing
        tunnel = min(float(self._steps), FAR)
        self._of_main, self._of_menus = (self._lift, hit, tunnel), (0.0, 0.0, tunnel)
        self._count = len(links) or 1
        self._whole: Yield | None = None
        self._said: list[Said] | None = None
        self._new: Sequence[int] = ()
        self._nearness: dict[int, tuple[float, int]] = {}

    def expect(self, places: Sequence[int]) -> None:
        """The links at ``places`` will be read: their texts are cut and weighed together."""
        self._new = places

    def said(self, place: int) -> Said:
        """What the anchor of the link at ``place`` says; all are read when the first one is asked for."""
        if self._said is None:
            self._said = self._read_anchors()
        return self._said[place]

    def read(self, place: int, known: Waiting | None) -> Waiting:
        """The link at ``place``, not yet weighed; ``known``: the same target, found elsewhere, with which it has its address in common."""
        link, said = self._links[place][1], self.said(place)
        if known is None:
            name, site = self._site_name, self._site
            if link.kind in _ELSEWHERE:
                name = site_at(authority_of(link.url))
                site = self._yields.site(name)
            form = self._yields.form(name, link.url)
            page_kind = kind_of(link.url)
        else:
            site, form, page_kind = known.site, known.form, known.facts.traits.page_kind
        is_boilerplate = link.block != "main"
        traits = traits_of(link.is_pagination, is_boilerplate, page_kind, link.kind, not said.words)
        if is_boilerplate:
            one = Waiting(site, form, self._facts(place, self._of_menus, traits, 0.0), self._steps, 0.0)
            one.group = self._yields.block(self._site_name, link.block, self._site)
            return one
        fellows = self._mean_nearness() if link.is_pagination else self._fellows(link.group, said)
        one = Waiting(site, form, self._facts(place, self._of_main, traits, fellows), self._steps, self._lift)
        if self._whole is None:
            self._whole = self._yields.whole(self._first, self._site)
        one.whole = self._whole
        if not link.is_pagination:
            one.group = self._yields.group(self._first, link.group, self._whole)
        return one

    def _facts(self, place: int, page: tuple[float, ...], traits: Traits, fellows: float) -> Facts:
        link, said, texts = self._links[place][1], self.said(place), self._texts
        context, heading = NOTHING, 0.0
        if not traits.is_boilerplate:
            if link.before or link.after:
                context = texts.around(_around(link))
            if link.heading:
                heading = texts.nearness(link.heading)
        address = texts.address(link.url)
        near = (said.near, context.near, heading, address.near, fellows, link.position / self._count)
        return Facts(near, page, traits, (said.words, context.words, address.words))

    def _read_anchors(self) -> list[Said]:
        """Of all links, for they tell of one another; the other texts of links that will be read are cut with them."""
        texts = [link.anchor or link.title for _, link in self._links]
        known = self._texts.known[ANCHOR]
        unread = {text: None for text in texts if text and text not in known}
        self._texts.read({ANCHOR: unread, **self._texts_of_new()})
        anchor, nearness = self._texts.anchor, self._nearness
        found = [(known.get(text) or anchor(text)) if text else NOTHING for text in texts]
        for (_, link), said in zip(self._links, found, strict=True):
            if link.block == "main" and not link.is_pagination:
                total, count = nearness.get(link.group, (0.0, 0))
                nearness[link.group] = (total + said.near, count + 1)
        return found

    def _texts_of_new(self) -> dict[str, dict[str, None]]:
        addresses: dict[str, None] = {}
        around: dict[str, None] = {}
        headings: dict[str, None] = {}
        known_addresses, known_around, known_headings = (self._texts.known[kind] for kind in (ADDRESS, AROUND, HEADING))
        for place in self._new:
            link = self._links[place][1]
            if link.url not in known_addresses:
                addresses[link.url] = None
            if link.block == "main":
                if (link.before or link.after) and (text := _around(link)) not in known_around:
                    around[text] = None
                if link.heading and link.heading not in known_headings:
                    headings[link.heading] = None
        return {ADDRESS: addresses, AROUND: around, HEADING: headings}

    def _fellows(self, group: int, said: Said) -> float:
        """The mean nearness of the other anchors of the group."""
        total, count = self._nearness[group]
        return (total - said.near) / (count - 1) if count > 1 else 0.0

    def _mean_nearness(self) -> float:
        """What the list's links say of it."""
        count = sum(count for _, count in self._nearness.values())
        return sum(total for total, _ in self._nearness.values()) / count if count else 0.0


def _around(link: Link) -> str:
    return f"{link.before} {link.after}"
