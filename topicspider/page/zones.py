"""Says in which part of a page each container lies: main, nav, aside, footer, header or comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.page.hints import hinted_zone

if TYPE_CHECKING:
    from topicspider.page.reading import Container, Reading

_OVERRULED = 0.5
"""A class name such as "side-layout" or "login-page" around this share of a page's running text says nothing."""


def zones(reading: Reading) -> list[str]:
    """The zone of each container, inherited downwards; most class names are overruled where most of the text lies."""
    weights = text_weights(reading)
    most = _OVERRULED * max(1, weights[0] if weights else 0)
    result: list[str] = []
    for index, container in enumerate(reading.containers):
        inherited = result[container.parent] if container.parent >= 0 else "main"
        if inherited not in ("main", "header"):
            result.append(inherited)
            continue
        result.append(_own_zone(container, weights[index] > most) or inherited)
    return result


def _own_zone(container: Container, is_most: bool) -> str:
    if container.tag in ("html", "body"):
        return ""
    if container.zone:
        return "" if is_most and container.zone in ("header", "footer") else container.zone
    hint = hinted_zone(container.names) if len(container.names) > 1 else ""
    if is_most:
        return "aside" if hint == "overlay" else hint if hint == "comment" else ""
    if hint == "overlay" or (not hint and container.is_hidden):
        return "aside"
    return hint


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
