"""Reads the links of one page as the learner sees them: numbers, words, and the yields they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.learner.addresses import HOME, INDEX, authority_of, kind_of, site_at
from topicspider.relevance.learner.link_numbers import FAR
from topicspider.relevance.learner.link_texts import NOTHING
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
        self._texts, self._yields = texts, yields
        self._site_name, self._site = site_name, yields.site(site_name)
        self._first = first
        self._lift, self._hit, self._steps = standing
        self._count = len(links) or 1
        self._whole: Yield | None = None
        anchor = texts.anchor
        self.said = [anchor(text) if (text := link.anchor or link.title) else NOTHING for _, link in links]
        self._nearness: dict[int, tuple[float, int]] = {}
        for (_, link), said in zip(links, self.said, strict=True):
            if link.block == "main" and not link.is_pagination:
                total, count = self._nearness.get(link.group, (0.0, 0))
                self._nearness[link.group] = (total + said.near, count + 1)

    def read(self, link: Link, said: Said) -> Waiting:
        """The link with this anchor, not yet weighed."""
        name, site = self._site_name, self._site
        if link.kind in _ELSEWHERE:
            name = site_at(authority_of(link.url))
            site = self._yields.site(name)
        one = Waiting(site, self._yields.form(name, link.url))
        one.steps = self._steps
        if link.block != "main":
            one.is_boilerplate = True
            one.group = self._yields.block(self._site_name, link.block, self._site)
            self._fill(one, link, said, 0.0)
            return one
        one.lift = one.lift_sum = self._lift
        whole = self._whole
        if whole is None:
            whole = self._whole = self._yields.whole(self._first, self._site)
        one.whole = whole
        if link.is_pagination:
            self._fill(one, link, said, self._mean_nearness())
            return one
        one.group = self._yields.group(self._first, link.group, whole)
        total, count = self._nearness[link.group]
        self._fill(one, link, said, (total - said.near) / (count - 1) if count > 1 else 0.0)
        return one

    def _fill(self, one: Waiting, link: Link, said: Said, fellows: float) -> None:
        context = heading = NOTHING
        if not one.is_boilerplate:
            if link.before or link.after:
                context = self._texts.around(f"{link.before} {link.after}")
            if link.heading:
                heading = self._texts.around(link.heading)
        address = self._texts.address(link.url)
        page_kind, kind = kind_of(link.url), link.kind
        one.fixed = (
            1.0,
            said.near,
            context.near,
            heading.near,
            address.near,
            one.lift,
            0.0 if one.is_boilerplate else self._hit,
            fellows,
            1.0 if link.is_pagination else 0.0,
            1.0 if one.is_boilerplate else 0.0,
            1.0 if page_kind == HOME else 0.0,
            1.0 if page_kind == INDEX else 0.0,
            1.0 if kind == "outward" else 0.0,
            1.0 if kind == "cross" else 0.0,
            1.0 if kind == "down" else 0.0,
            1.0 if kind == "up" else 0.0,
            min(float(self._steps), FAR),
            0.0 if said.words else 1.0,
            link.position / self._count,
        )
        one.words = (said.words, context.words, address.words)

    def _mean_nearness(self) -> float:
        """What the list's links say of it."""
        count = sum(count for _, count in self._nearness.values())
        return sum(total for total, _ in self._nearness.values()) / count if count else 0.0
