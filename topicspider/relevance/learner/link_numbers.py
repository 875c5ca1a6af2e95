"""What is known of a link in numbers, and what each number is worth before anything was learned."""

from __future__ import annotations

FIXED = {
    "base": -2.0,
    "anchor": 3.0,
    "context": 0.7,
    "heading": 0.7,
    "url": 1.0,
    "parent": 1.0,
    "parent_hit": 0.5,
    "fellows": 1.0,
    "pagination": 0.5,
    "boilerplate": -0.5,
    "home": 0.0,
    "index": 0.0,
    "outward": -0.3,
    "cross": 0.0,
    "down": 0.0,
    "up": 0.0,
    "tunnel": -0.2,
    "textless": -0.3,
    "place": 0.0,
}
"""Numbers that do not change while the link waits, with the prior's weights (log-odds for each unit).

All were set by hand: those of texts say that a strong topic word in the anchor makes a link about as likely on topic as not, the others
which way a number points. ``fellows``: the mean nearness of the other anchors of its list.
"""
MOVING = {"site": 0.8, "form": 0.8, "list": 0.8, "group": 0.8, "known": 0.1, "parents": 1.0}
"""Numbers that change with every page: leads of yields (see yields), log of how many pages link there, and their mean relevance."""

NAMES = (*FIXED, *MOVING)
PRIOR = (*FIXED.values(), *MOVING.values())
FIXED_COUNT = len(FIXED)
FAR = 8.0
"""Steps without a hit beyond which more of them make no difference to the value."""

GROUPS = {
    "anchor": ("anchor", "textless", "fellows"),
    "context": ("context", "heading"),
    "url": ("url",),
    "parent": ("parent", "parent_hit", "known", "parents"),
    "place": ("pagination", "boilerplate", "home", "index", "outward", "cross", "down", "up", "place"),
    "tunnel": ("tunnel",),
    "site": ("site", "form"),
    "list": ("list", "group"),
}
"""How numbers are put together where they are explained."""
