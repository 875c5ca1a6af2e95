"""Says how sure the body of a page is, from signs of its own extraction."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.page.bodies.body import Choice
    from topicspider.page.markup.reading import Reading

_ENOUGH = 1500
_A_PARAGRAPH = 200
_WEIGHTS = {
    "share": 1.9,
    "main": 0.8,
    "unlinked": 0.6,
    "sentences": 1.9,
    "length": 0.6,
    "paragraph": 1.8,
    "titled": 0.6,
    "thread": -1.1,
}
_BIAS = -5.4
"""Logistic regression of whether a body's F1 is .85 or better, on the 437 bodies of the measuring set; weights of one half tell the
other's good bodies from its bad ones with an area under the curve of .73."""


def confidence(signs: Mapping[str, float]) -> float:
    """How likely the body is mostly right, in [0, 1]; 0 without signs, which is to say without a body."""
    if not signs:
        return 0.0
    return 1 / (1 + exp(-_BIAS - sum(weight * signs[name] for name, weight in _WEIGHTS.items())))


def signs_of(reading: Reading, choice: Choice, body: str) -> dict[str, float]:
    """What speaks for a body, each in [0, 1]; {} for an empty one.

    ``share``: of the worth of all blocks, how much was chosen. ``main``: of the page's text outside links, how much lies in no menu,
    sidebar or comment. ``unlinked``: of what was chosen, how much is outside links; ``sentences``: how much of it stands in
    paragraphs, not in short lines. ``length``: up to 1,500 bytes. ``paragraph``: the mean worth of paragraphs, up to 200 bytes.
    ``titled``: the heading that says the title stands above. ``thread``: the page is a thread, and posts are harder to tell.
    """
    if not body:
        return {}
    blocks, chosen, values = reading.blocks, choice.chosen, choice.values
    sizes = [block.end - block.start for block in blocks]
    plain = [size - min(size, block.linked) for size, block in zip(sizes, blocks, strict=True)]
    size = max(1, sum(sizes[index] for index in chosen))
    good = [index for index in chosen if values[index] > 0]
    worth = sum(values[index] for index in good)
    main = sum(s for s, place in zip(plain, choice.places, strict=True) if place in ("main", "header"))
    return {
        "share": _ratio(worth, sum(values)),
        "main": _ratio(main, sum(plain)),
        "unlinked": _ratio(sum(plain[index] for index in chosen), size),
        "sentences": _ratio(sum(sizes[index] for index in good), size),
        "length": _ratio(len(body[:_ENOUGH].encode("utf-8", "ignore")), _ENOUGH),
        "paragraph": _ratio(worth, _A_PARAGRAPH * len(good)),
        "titled": float(bool(chosen) and 0 <= choice.titled <= chosen[0]),
        "thread": float(choice.is_thread),
    }


def _ratio(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0
