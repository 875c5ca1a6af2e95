"""The yields of one crawl: of all links, by site, by form of address, by list and group of a list, and by block of a site's pages."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from topicspider.errors import one_line
from topicspider.relevance.learner.addresses import form_of
from topicspider.relevance.learner.yields import UNKNOWN_SHARE, Yield

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

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
        sites = [[name, *one.state()] for name, one in list(self._sites.items())[-_KEPT_IN_STATE:]]
        forms = [[*key, *one.state()] for key, one in list(self._forms.items())[-_KEPT_IN_STATE:] if one.count]
        return {"world": [*self.world.state()], "sites": sites, "forms": forms}

    def adopt(self, state: Mapping[str, Any]) -> None:
        """Take what ``state`` gave, and forget what it does not know: both score alike (R5). ValueError for anything else."""
        try:
            world = _numbers(state["world"])
            sites = {str(name): _numbers(numbers) for name, *numbers in state["sites"]}
            forms = {(str(name), str(form)): _numbers(numbers) for name, form, *numbers in state["forms"]}
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no yields: {one_line(str(error))}") from None
        self.world.adopt(*world)
        _forget(self._sites.values())
        for name, numbers in sites.items():
            self.site(name).adopt(*numbers)
        _forget(self._forms.values())
        for key, numbers in forms.items():
            one = self._forms.get(key) or _kept(self._forms, key, Yield(self.site(key[0]), _PULL, _FADE))
            one.adopt(*numbers)


def _forget(yields: Iterable[Yield]) -> None:
    """Nothing is known of these any more: they stand where the groups above do."""
    for one in yields:
        one.adopt(0.0, 0.0, UNKNOWN_SHARE if one.above is None else one.above.share, 0.0)


def _numbers(given: Sequence[object]) -> tuple[float, float, float, float]:
    count, total, share, lead = map(float, given)  # type: ignore[arg-type]
    if not all(map(math.isfinite, (count, total, share, lead))):
        raise ValueError("out of range")
    return count, total, share, lead


def _kept(table: OrderedDict[Any, Yield], key: Hashable, one: Yield) -> Yield:
    table[key] = one
    if len(table) > KEPT:
        table.popitem(last=False)
    return one
