"""The yields of one crawl: of all links, by site, by form of address, by list and group of a list, and by block of a site's pages."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from topicspider.errors import one_line
from topicspider.relevance.learner.addresses import form_of
from topicspider.relevance.learner.yields import Yield

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

KEPT = 20_000
"""Of each kind; the oldest go first."""
_KEPT_IN_STATE = 2_000
STEP = 1_000
"""Yields looked at again at once: a millisecond."""
_WORLD_PULL, _SITE_PULL, _PULL = 10.0, 6.0, 4.0
"""The larger group counts as so many links."""
_WORLD_FADE, _FADE = 0.998, 0.99
"""A site is judged by about its last hundred links: one that is exhausted falls."""


class YieldTables:
    """Makes yields where they are asked for; those of sites and forms are what another process can use, too."""

    def __init__(self) -> None:
        self.world = Yield(None, _WORLD_PULL, _WORLD_FADE)
        self._sites: OrderedDict[str, Yield] = OrderedDict()
        self._forms: OrderedDict[tuple[str, str], Yield] = OrderedDict()
        self._lists: OrderedDict[Hashable, Yield] = OrderedDict()

    def site(self, name: str) -> Yield:
        """Of links to pages of a site."""
        found = self._sites.get(name)
        return found or _kept(self._sites, name, Yield(self.world, _SITE_PULL, _FADE))

    def form(self, name: str, url: str) -> Yield:
        """Of links to addresses of this form on the site ``name``."""
        key = (name, form_of(url))
        found = self._forms.get(key)
        return found or _kept(self._forms, key, Yield(self.site(name), _PULL, _FADE))

    def whole(self, first: int, site: Yield) -> Yield:
        """Of links in the main part of a list, on all its pages; ``first``: the page that it began with."""
        return self._lists.get(first) or _kept(self._lists, first, Yield(site, _PULL))

    def group(self, first: int, group: int, whole: Yield) -> Yield:
        """Of links in one group of the list's pages."""
        key = (first, group)
        return self._lists.get(key) or _kept(self._lists, key, Yield(whole, _PULL))

    def block(self, name: str, block: str, site: Yield) -> Yield:
        """Of links in the menus, footers and so on of a site."""
        key = (name, block)
        return self._lists.get(key) or _kept(self._lists, key, Yield(site, _PULL))

    def refresh(self) -> Iterator[None]:
        """Have sites and forms look at what is above them, STEP at a time."""
        for number, one in enumerate([*self._sites.values(), *self._forms.values()], 1):
            one.refresh()
            if number % STEP == 0:
                yield

    def state(self) -> dict[str, Any]:
        """The yields of everything, of sites and of forms, as plain data: the latest."""
        sites = [[name, one.count, one.total] for name, one in list(self._sites.items())[-_KEPT_IN_STATE:]]
        forms = [[*key, one.count, one.total] for key, one in list(self._forms.items())[-_KEPT_IN_STATE:] if one.count]
        return {"world": [self.world.count, self.world.total], "sites": sites, "forms": forms}

    def adopt(self, state: Mapping[str, Any]) -> None:
        """Take what ``state`` gave; ValueError for anything else."""
        try:
            world = [float(number) for number in state["world"]]
            sites = [(str(name), float(count), float(total)) for name, count, total in state["sites"]]
            forms = [(str(n), str(form), float(count), float(total)) for n, form, count, total in state["forms"]]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no yields: {one_line(str(error))}") from None
        self.world.count, self.world.total = world
        self.world.refresh()
        for name, count, total in sites:
            one = self.site(name)
            one.count, one.total = count, total
            one.refresh()
        for name, form, count, total in forms:
            key = (name, form)
            one = self._forms.get(key) or _kept(self._forms, key, Yield(self.site(name), _PULL, _FADE))
            one.count, one.total = count, total
            one.refresh()


def _kept(table: OrderedDict[Any, Yield], key: Hashable, one: Yield) -> Yield:
    table[key] = one
    if len(table) > KEPT:
        table.popitem(last=False)
    return one
