"""What a link shows that does not change while it waits: its numbers, apart by whether they are its own, its page's or its kind's."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from topicspider.relevance.learner.addresses import HOME, INDEX


class Traits(NamedTuple):
    """What many links have in common: their weights are added up once for all of them."""

    is_pagination: bool = False
    is_boilerplate: bool = False
    page_kind: str = ""
    kind: str = ""
    is_textless: bool = False


traits_of = lru_cache(maxsize=1_000)(Traits)
"""Traits; links that are alike have the same object."""


class Facts(NamedTuple):
    """``near``: its own numbers, anchor, context, heading, url, fellows and place; ``page``: parent, parent_hit and tunnel.

    ``words``: by field (anchor, context, address).
    """

    near: tuple[float, ...]
    page: tuple[float, ...]
    traits: Traits
    words: tuple[tuple[str, ...], ...]

    def numbers(self) -> tuple[float, ...]:
        """The numbers in the order of link_numbers.FIXED."""
        anchor, context, heading, url, fellows, place = self.near
        lift, hit, tunnel = self.page
        *flags, textless = trait_numbers(self.traits)
        return (1.0, anchor, context, heading, url, lift, hit, fellows, *flags, tunnel, textless, place)


@lru_cache(maxsize=1_000)
def trait_numbers(traits: Traits) -> tuple[float, ...]:
    """pagination, boilerplate, home, index, outward, cross, down, up and textless: 1 or 0."""
    kinds = [float(traits.page_kind == kind) for kind in (HOME, INDEX)]
    ways = [float(traits.kind == kind) for kind in ("outward", "cross", "down", "up")]
    return (float(traits.is_pagination), float(traits.is_boilerplate), *kinds, *ways, float(traits.is_textless))
