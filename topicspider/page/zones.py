"""Says in which part of a page each container lies: main, nav, aside, footer, header or comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.page.walk import hinted_zone

if TYPE_CHECKING:
    from topicspider.page.walk import Reading

_OVERRULED = 0.5
"""A class name such as "side-layout" or "login-page" around this share of a page's running text says nothing."""


def zones(reading: Reading) -> list[str]:
    """The zone of each container, inherited downwards; class names are overruled where most of the text lies."""
    weights = text_weights(reading)
    whole = max(1, weights[0] if weights else 0)
    result: list[str] = []
    for index, container in enumerate(reading.containers):
        inherited = result[container.parent] if container.parent >= 0 else "main"
        own = container.zone
        if own in ("header", "footer") and inherited == "main" and weights[index] > _OVERRULED * whole:
            own = ""
        if not own and container.names.strip() and weights[index] <= _OVERRULED * whole:
            own = hinted_zone(container.names)
        if container.is_hidden and weights[index] <= _OVERRULED * whole:
            own = own or "aside"
        result.append(own if own and inherited in ("main", "header") else inherited)
    return result


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


def block_names(reading: Reading) -> list[str]:
    """The zones as links show them: a comment is part of main."""
    return ["main" if zone == "comment" else zone for zone in zones(reading)]
