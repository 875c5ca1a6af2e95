"""In which order sites are told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.workbench.sites.advice import DROP, KEEP, RAISE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topicspider.workbench.sites.card import SiteCard

_ADVICE = {RAISE: 2, KEEP: 1, DROP: 0}

# the largest first, what is not known last; "seconds" the slowest first: those are looked for
_WAYS: dict[str, Callable[[SiteCard], float | None]] = {
    "hits": lambda card: card.hits,
    "pages": lambda card: card.pages,
    "rate": lambda card: card.hit_rate,
    "score": lambda card: card.mean_score,
    "seconds": lambda card: card.response_seconds,
    "capacity": lambda card: card.capacity,
    "advice": lambda card: _ADVICE[card.advice.word],
    "name": lambda _card: None,
}
SORTS = tuple(_WAYS)


def in_order(cards: Iterable[SiteCard], way: str) -> list[SiteCard]:
    """``cards`` by one of SORTS; equal ones by hits, then pages, then name."""
    value = _WAYS[way]

    def key(card: SiteCard) -> tuple[bool, float, int, int, str]:
        own = value(card)
        return (own is None, -(own or 0.0), *((0, 0) if way == "name" else (-card.hits, -card.pages)), card.site)

    return sorted(cards, key=key)
