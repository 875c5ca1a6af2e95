"""Says in which part of a page each container lies: main, nav, aside, footer, header or comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.page.parse import hint_of

if TYPE_CHECKING:
    from topicspider.page.parsed_page import Container, Reading


_OVERRULED = 0.5
"""A class name such as "side-layout" or "login-page" around this share of a page's running text says nothing; nor does a word that
many containers of the page bear when they hold it together."""
_PLAIN = (
    "relat",
    "recommend",
    "tuijian",
    "xiangguan",
    "hot",
    "newsletter",
    "subscribe",
    "outbrain",
    "taboola",
    "sponsor",
    "promo",
)
"""Beginnings of words that say it plainly: overruled by _NEARLY_ALL of the text only, and never together."""
_NEARLY_ALL = 0.9
_DOORS = ("main", "header", "comment")
"""Zones that may hold containers of another zone."""


def zones(reading: Reading) -> list[str]:
    """The zone of each container, inherited downwards, and last (at -1) that of what stands in none; most class names are overruled where most of the text lies.

    An article within an article is a comment: a reply, or another page's teaser.
    """
    weights = text_weights(reading)
    hints = [hint_of(container.names) if len(container.names) > 1 else ("", "") for container in reading.containers]
    total, words = _hinted_weights(reading, weights, hints)
    most = _OVERRULED * max(1, total)
    result: list[str] = []
    in_article: set[int] = set()
    for index, container in enumerate(reading.containers):
        inherited = result[container.parent] if container.parent >= 0 else "main"
        is_nested = container.parent in in_article
        if is_nested or container.tag == "article":
            in_article.add(index)
        if inherited not in _DOORS:
            result.append(inherited)
            continue
        hint, word = hints[index]
        is_plain = word.startswith(_PLAIN)
        is_most = weights[index] > (_NEARLY_ALL * total if is_plain else most)
        is_shared = words.get(word, 0) > most and not is_plain
        own = "comment" if is_nested and container.tag == "article" else _own_zone(container, hint, is_most, is_shared)
        result.append(own or inherited)
    return [*result, "main"]


def _hinted_weights(reading: Reading, weights: list[int], hints: list[tuple[str, str]]) -> tuple[int, dict[str, int]]:
    """(the text outside overlays, the text inside the outermost containers that each word names)."""
    words: dict[str, int] = {}
    overlays = 0
    is_inside = [False] * len(weights)
    for index, container in enumerate(reading.containers):
        hint, word = hints[index]
        is_inside[index] = container.parent >= 0 and is_inside[container.parent]
        if hint and not is_inside[index] and container.tag not in ("html", "body"):
            is_inside[index] = True
            words[word] = words.get(word, 0) + weights[index]
            overlays += weights[index] if hint == "overlay" else 0
    total = weights[0] if weights else 0
    return (total - overlays if overlays < _NEARLY_ALL * total else total), words


def _own_zone(container: Container, hint: str, is_most: bool, is_shared: bool) -> str:
    if container.tag in ("html", "body"):
        return ""
    if container.zone:
        return "" if is_most and container.zone in ("header", "footer") else container.zone
    if hint == "overlay":
        return "aside"
    if is_most:
        return hint if hint == "comment" else ""
    if not hint and (container.is_hidden or container.tag == "form"):
        return "aside"
    return "" if is_shared and hint != "comment" else hint


def text_weights(reading: Reading) -> list[int]:
    """Bytes of text outside links in each container with everything below it; bytes weigh a Chinese character as half a word."""
    weights = [0] * len(reading.containers)
    for block in reading.blocks:
        if block.container >= 0:
            weights[block.container] += max(0, block.end - block.start - block.linked)
    for index in range(len(weights) - 1, 0, -1):
        parent = reading.containers[index].parent
        if parent >= 0:
            weights[parent] += weights[index]
    return weights
