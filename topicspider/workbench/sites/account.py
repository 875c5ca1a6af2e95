"""The cards of sites as plain data, for --json and --csv."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicspider.url.hostname import readable_host

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.workbench.sites.card import SiteCard
    from topicspider.workbench.sites.gathering import TopicSites


COLUMNS = (
    "topic", "site", "host", "pages", "hits", "copies", "leads", "hit_rate", "hit_rate_low", "hit_rate_high", "mean_score", "response_seconds",
    "queued", "dead", "is_blocked", "pages_ahead", "task_seconds", "capacity", "advice", "reason",
)  # fmt: skip
"""The names of what ``rows`` tells of a site."""


def account(sites: TopicSites, chosen: Sequence[SiteCard]) -> dict[str, Any]:
    """What the terminal shows and more; ``chosen`` are the cards told of."""
    cards = sites.cards
    return {
        "topic": sites.topic,
        "pages": cards.pages,
        "hits": cards.hits,
        "hit_rate": round(cards.hit_rate, 6),
        "waiting_sites": cards.waiting,
        "note": sites.note,
        "sites": [_card(card) for card in chosen],
    }


def rows(told: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each site of each topic; what is not known is empty."""
    found = [{"topic": one["topic"], **site} for one in told for site in one["sites"]]
    return [{name: "" if value is None else value for name, value in row.items()} for row in found]


def _card(card: SiteCard) -> dict[str, Any]:
    lowest, highest = card.rate_interval
    queue = card.queue
    return {
        "site": readable_host(card.site),
        "host": card.site,
        "pages": card.pages,
        "hits": card.hits,
        "copies": card.copies,
        "leads": card.leads,
        "hit_rate": _rounded(card.hit_rate),
        "hit_rate_low": _rounded(lowest),
        "hit_rate_high": _rounded(highest),
        "mean_score": _rounded(card.mean_score),
        "response_seconds": _rounded(card.response_seconds),
        "queued": queue.queued if queue else None,
        "dead": queue.dead if queue else None,
        "is_blocked": queue.is_blocked if queue else None,
        "pages_ahead": queue.pages_ahead if queue else None,
        "task_seconds": _rounded(queue.task_seconds) if queue else None,
        "capacity": _rounded(card.capacity),
        "advice": card.advice.word,
        "reason": card.advice.reason,
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)
